"""Rows of the Cray paper's histograms of ages on the torus (Sects. 3 and 4, Fig. 5)."""

import math

from cray_claims import FULL, FULL_SOURCES, LIGHT, LOADS, Load, by_load, compared
from cray_machine import row
from cray_networks import CARRIED, CYCLE_NS, DEFAULT, MACHINE, SWEEP, TABLE_5_NAMES
from experiment import paired
from rows import NOT_TESTABLE, Verdict, agrees, holds

LOWER = "load 0.3"
ONE_ORDER = (10**0.5, 10**1.5)


class Lower(Load):
    def __getitem__(self, name):
        return SWEEP[f"{self.variant}, {name}"]


AGES = {**LOADS, LOWER: Lower(LOWER)}
FIG_5 = "torus-filled and other loads, new ages at the grants"


def groups(load, name):
    return load[name].series("groups")


def groups_text(load, name):
    return "/".join(f"{100 * part:.2f}" for part in groups(load, name)) + " %"


def evenness(load, name):
    return max(groups(load, name)) / max(min(groups(load, name)), 1e-9)


def all_evenness(name):
    return ", ".join(
        f"{evenness(load, name):.1f} with {told}" if evenness(load, name) < 1000 else f"more than 1,000 with {told}"
        for told, load in AGES.items()
    )


def ages_told(load, *names):
    return "; ".join(f"{name}: {groups_text(load, name)}" for name in names)


def first_is_largest(load, name):
    """Intervals of what 0 to 63 has beyond each other group."""
    return [
        load[name].each(lambda seed, group=group: seed["groups"][0] - seed["groups"][group]) for group in range(1, 4)
    ]


def orders(seed):
    """Of magnitude, between the largest and the least group."""
    return math.log10(max(seed["groups"]) / max(min(seed["groups"]), 1e-9))


def one_order(load, name):
    """About 10 times: intervals of how far it is from the halves of the orders below and above."""
    found = load[name].each(orders)
    return [found.over(math.log10(ONE_ORDER[0])), found.under(math.log10(ONE_ORDER[1]))]


@row("cray-204", "Fig. 5(a), default clock: 0 to 63 has 10^5 times the packets of 64 to 127")
def _():
    name = "4096/1,1,1"
    runs = {f"{FULL_SOURCES}, from an empty network on": DEFAULT[name], LIGHT: CARRIED[name]}
    window = DEFAULT.points(DEFAULT.size())[name]["run"]["measure_us"]
    most = sum(k // 2 for k in MACHINE[DEFAULT.size()]) + 1
    needed = (64 - most) * 4096 * CYCLE_NS / 1000
    holds(window > needed, f"{window} us are less than the {needed:.0f} in which an age comes to 64")
    longest = {load: max(run.samples["latency.max"]) / 1000 for load, run in runs.items()}
    found = {load: [sum(seed["groups"][1] for seed in run.seeds()), sum(seed["groups"][0] for seed in run.seeds())] for load, run in runs.items()}
    first = next(iter(runs.values()))
    told = f"{name}: " + "/".join(f"{100 * part:.2f}" for part in first.series("groups")) + " %"
    note = (
        f"experiments torus-default, {window} us, {DEFAULT.stored()['seeds']} seed{'s' * (DEFAULT.stored()['seeds'] > 1)}, and torus-carried; new ages at the grants. A route adds at most {most}, so an age of 64 takes {64 - most} ticks or more, "
        f"{needed:.0f} us; the packet that was longest in the network had "
        + ", ".join(f"{time:.1f} us with {load}" for load, time in longest.items())
    )
    if not any(second for second, _ in found.values()):
        return Verdict(
            NOT_TESTABLE,
            told,
            f"{note}: needs the machine's load, under which some packets take so long. Here none can have an age of 64, so that there is no ratio, and that none has one, as was proposed to suffice, shows nothing",
        )
    apart = all(1e4 <= one / max(second, 1e-300) for second, one in found.values())
    return agrees(told, f"{note}; at least 10^4 times") if apart else Verdict(NOT_TESTABLE, told, f"{note}: needs the machine's load")


@row("cray-205", "Fig. 5(b), period 8: groups differ by one order, 0 to 63 is the largest")
def _():
    name = "8/3,2,1"
    return by_load(
        compared(lambda load: ([*one_order(load, name), *first_is_largest(load, name)], ages_told(load, name))),
        f"{FIG_5}: largest over least {ONE_ORDER[0]:.1f} to {ONE_ORDER[1]:.0f}, " + all_evenness(name),
        AGES,
        {},
    )


@row("cray-206", "Fig. 5(c), period 4: about as (b)")
def _():
    b, c = "8/3,2,1", "4/3,2,1"

    def about(load):
        away = paired(load[b], load[c], lambda first, second: orders(first) - orders(second))
        return [*one_order(load, c), away.over(-math.log10(3)), away.under(math.log10(3))], ages_told(load, c)

    return by_load(
        compared(about),
        f"{FIG_5}: within a factor of 3 of (b), and like it {ONE_ORDER[0]:.1f} to {ONE_ORDER[1]:.0f} between largest and least, "
        + all_evenness(c),
        AGES,
        {},
    )


@row("cray-207", "0 to 63 is the largest group even at 8 and 4")
def _():
    names = ("8/3,2,1", "4/3,2,1")
    return by_load(
        compared(
            lambda load: (
                [step for name in names for step in first_is_largest(load, name)],
                ages_told(load, *names),
            )
        ),
        FIG_5,
        AGES,
        {},
    )


@row("cray-117", "the ideal distribution of ages is uniform")
def _():
    far = {name: sum(abs(part - 0.25) for part in groups(FULL, name)) / 2 for name in TABLE_5_NAMES[1:]}
    best = min(far, key=far.get)
    return Verdict(
        NOT_TESTABLE,
        "parts that would have to change their group: "
        + ", ".join(f"{name} {100 * value:.0f} %" for name, value in far.items())
        + f"; least at {best}",
        "experiment torus-filled, all sources full: a wish of the paper, no number or order that a run could contradict",
    )
