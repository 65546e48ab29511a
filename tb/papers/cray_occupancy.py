"""Rows of what the Cray paper makes of stalls, waits and ages on the torus (Sects. 2, 2.3, 3.1, 4 and 5): saturation, use of links, occupancy, latency."""

from cray_claims import (
    LIGHT,
    LOADS,
    NOTE,
    PAIRS,
    SATURATED,
    by_equation_1,
    by_load,
    change,
    claim,
    compared,
    hops,
    less,
)
from cray_machine import TABLE_5, row
from cray_networks import CARRIED, FILLED, LINES, MACHINE, TABLE_5_NAMES, TORUS, TURNED
from experiment import Comparisons, interval, paired, ratio, spearman
from rows import AGREES, NOT_TESTABLE, Verdict, agrees, differs


def queueing(load):
    def a_hop(seed):
        ways = seed.get("hops") or hops(MACHINE[FILLED.size()])
        return sum(way * seed[f"waits.{dim}"] for way, dim in zip(ways, "xyz", strict=True)) / sum(ways)

    mean = load["RR"].each(a_hop)
    return [mean.over(25)], (
        f"{mean.text(0)} cycles a hop, of them "
        + "/".join(load["RR"][f"waits.{dim}"].text(0) for dim in "xyz")
        + " in x, y, z; t_r is 25"
    )


OWN_ROWS = [
    sum(way * wait for way, wait in zip(hops(MACHINE["full"]), waits, strict=True)) / sum(hops(MACHINE["full"]))
    for _, waits, _ in TABLE_5.values()
]
claim(
    "cray-32",
    "near saturation queueing dominates",
    queueing,
    f"{NOTE}, RR: mean over the hops of a route, as Table 5's rows make {min(OWN_ROWS):.0f} to {max(OWN_ROWS):.0f}. The claim is of saturation, so the three saturated loads decide it; at {LIGHT} waits do not dominate",
    SATURATED,
)


def utilization(load):
    used = [load["RR"].mean(f"used.{dim}") for dim in "zyx"]
    return [
        load["RR"].each(lambda seed, dim=dim: seed["used.z"] - seed[f"used.{dim}"]) for dim in "xy"
    ], "links in z, y, x are busy for " + "/".join(f"{100 * value:.1f}" for value in used) + " %"


@row("cray-136", "z is used best, for it is least constrained")
def _():
    found = by_load(compared(utilization), f"{NOTE}, RR")
    turned = TURNED["RR"]
    first = [turned.each(lambda seed, dim=dim: seed["used.x"] - seed[f"used.{dim}"]) for dim in "yz"]
    first += [TORUS["RR"].each(lambda seed, dim=dim: seed["used.z"] - seed[f"used.{dim}"]) for dim in "xy"]
    if found.verdict != AGREES or not Comparisons(first):
        return found
    dims = " x ".join(map(str, MACHINE[TURNED.size()][::-1]))
    return differs(
        f"{found.measured}, with the dimensions turned around for {'/'.join(turned[f'used.{dim}'].text(1, 100) for dim in 'zyx')} %",
        f"z is used best on the paper's nodes, but as the longest dimension, not as the last one that is routed: on {dims}, the one change, x is used best. "
        f"Experiments torus and torus-turned, all sources full, RR; on the paper's nodes z is best with {' and with '.join(LOADS)}",
    )


def moving(seed, dim):
    """The part of the time in which a packet moves, as the paper makes it of the stalls."""
    return 9 / (9 + seed[f"stalled.{dim}"])


def gains(load):
    """Of that from round robin to the best setting."""

    def interval_of(function):
        return paired(load["8/3,2,1"], load["RR"], function)

    def gain(a, b, dim):
        return moving(a, dim) / moving(b, dim) - 1

    steps = [
        interval_of(lambda a, b, one=one, other=other: gain(a, b, one) - gain(a, b, other))
        for one, other in ("xy", "yz")
    ]
    found = [interval_of(lambda a, b, dim=dim: gain(a, b, dim)) for dim in "xyz"]
    return [*steps, found[2]], "/".join(value.text(1, 100) for value in found) + " % more in x, y, z"


OWN_GAINS = "/".join(
    f"{100 * ((18 + sum(TABLE_5['RR'][0][way] for way in ways)) / (18 + sum(TABLE_5['8/3,2,1'][0][way] for way in ways)) - 1):.0f}"
    for ways in PAIRS.values()
)
claim(
    "cray-194",
    "9 / (9 + stall) gains most in x, least in z",
    gains,
    f"{NOTE}, 8/3,2,1 over RR; the paper prints none, its stalls make {OWN_GAINS} %: the order, and that z gains",
)


def correlation(load, names, first, second):
    """Interval of a rank correlation over settings, seed by seed."""
    of_seeds = zip(*(load[name].seeds() for name in names), strict=True)
    return interval([spearman(list(map(first, seeds)), list(map(second, seeds))) for seeds in of_seeds])


def stalls(seed):
    return sum(seed[f"stalled.{dim}"] for dim in "xyz")


def unevenness(seed):
    """The part of the packets that is in another group than it would be if ages were uniform."""
    return sum(abs(part - 0.25) for part in seed["groups"]) / 2


def occupancy(load):
    found = correlation(load, TABLE_5_NAMES, stalls, by_equation_1)
    told = f"rank correlation of stalls and latency {found.text(2)}"
    if load.carried:
        return [found.over(0.8)], f"{told}; printed 0.964"
    throughput = correlation(load, TABLE_5_NAMES, stalls, lambda seed: seed["accepted"])
    return [found.over(0.8), throughput.under()], f"{told}, and throughput {throughput.text(2)}; printed 0.964"


claim(
    "cray-156",
    "higher occupancy, less bandwidth and more latency",
    occupancy,
    f"{NOTE}, seven configurations: above 0.8, and for throughput, where it is not given by the load, below 0",
)


def both_counters(load):
    found = correlation(load, TABLE_5_NAMES, stalls, by_equation_1)
    ages = correlation(load, TABLE_5_NAMES[1:], unevenness, by_equation_1)
    return [found.over(0.8), ages.over(0.8)], (
        f"rank correlation of latency with stalls {found.text(2)}, with the unevenness of ages {ages.text(2)}; printed 0.964 with stalls"
    )


claim(
    "cray-210",
    "occupancy and histograms suffice to judge a setting",
    both_counters,
    f"{NOTE}, seven configurations, six have ages; unevenness: the part in another group than if all four were alike; both above 0.8",
)


def steadier(load):
    """With full sources the packets that are made and received in a window are few, and the sooner ones: there only Eq. 1 counts."""
    found = {"mean by Eq. 1": change(load, "8/3,2,1", "latency")}
    if load.carried:
        found |= {
            what: change(load, "8/3,2,1", f"latency.{key}")
            for what, key in (("99th percentile", "p99"), ("maximum", "max"))
        }
    return [less(value) for value in found.values()], ", ".join(
        f"{what} {value.text(4)}" for what, value in found.items()
    ) + " of RR's"


claim(
    "cray-209",
    "age lowers latency and its variance",
    steadier,
    f"{NOTE}: tails only where all that is sent comes through",
)


TAILS = {"max": "maximum", "p99": "99th percentile"}


def tails(load):
    """By setting of Table 5 and what: of RR's."""
    return {(name, what): change(load, name, f"latency.{what}") for name in TABLE_5_NAMES[1:] for what in TAILS}


def tails_told(found):
    parts = {what: [found[name, what].mean for name in TABLE_5_NAMES[1:]] for what in TAILS}
    return ", ".join(f"{TAILS[what]} {100 * min(of):.1f} to {100 * max(of):.1f} %" for what, of in parts.items())


@row("cray-88", "reduces the maximum latency")
def _():
    line = {
        what: ratio(LINES["age, period 8, all packets"], LINES["RR, all packets"], f"latency.{what}") for what in TAILS
    }
    torus = tails(LOADS[LIGHT])
    over = {name: tails(load) for name, load in SATURATED.items() if "latency.max" in load["RR"]}
    found = Comparisons([less(value) for value in [*line.values(), *torus.values()]])
    turned = {name: Comparisons([less(value) for value in of.values()]) for name, of in over.items()}
    told = (
        "line: "
        + ", ".join(f"{TAILS[what]} {value.text(1, 100)} %" for what, value in line.items())
        + f"; torus, {LIGHT}: {tails_told(torus)}; "
        + "; ".join(f"{name}: {tails_told(of)}" for name, of in over.items())
    )
    note = f"of RR's; experiments lines, period 8, which is overloaded, torus-carried, {CARRIED.stored()['seeds']} seeds, and torus-loads, Table 5's six settings"
    if found and all(turned.values()):
        return agrees(told, note)
    held = [
        name
        for name, shown in (("the line", Comparisons([less(value) for value in line.values()])), (LIGHT, found))
        if shown
    ]
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{note}: needs the machine's load (cray-209); it holds with {' and with '.join(held) or 'none'}. Overload, as was proposed, does not show it on the torus: with "
        + ", with ".join(f"{name} {len(of.turned)} of {len(of)} are more and {len(of.shown)} less" for name, of in turned.items())
        + " beyond their intervals; but packets that are made and received in such a window are few, and the sooner ones",
    )
