"""Parallel programs with background in the Omni-Path paper (Sect. 4.3, Figs. 5 and 6), row by row."""

import dataclasses
import itertools

import command as q
import plots
from experiment import Comparisons, hosts_of, interval, paired, simultaneous
from omni_path import paper
from omni_path_flits import INSIDE, shown_or_lacking
from omni_path_networks import (
    CL_MESSAGE_RUNS,
    LOW,
    MESSAGE_RUNS,
    PRINTED_CIOQ_RUNS,
    PRINTED_CL_MESSAGE_RUNS,
    PRINTED_MESSAGE_RUNS,
    PRINTED_PACKET_RUNS,
    PRINTED_RUNS,
    PRINTED_SAME_HOSTS_RUNS,
    PRINTED_SYSTEMS,
    PRINTED_UNIT_RUNS,
    PROGRAM_RUNS,
    PROGRAMS,
    RATES,
    SAME_HOSTS_RUNS,
    SMALL_RATES,
    SMALL_SYSTEMS,
    UNIT_RUNS,
    arbiter_of,
    background,
    network_of,
    small_points,
)
from rows import AGREES, NOT_TESTABLE, Verdict, agrees, by_comparisons, decided, near, not_testable, same

row = paper.row


PROGRAM_NOTE = "sim in flits of 64 bytes alone, halo exchange, allreduce and all-to-all for the four traces, which are not published"
BARS = [(system, program) for system in SMALL_SYSTEMS for program in PROGRAMS]


@dataclasses.dataclass(frozen=True)
class Bars:
    """The experiments that have the bars in systems of one size, and what is changed of them."""

    runs: object
    same_hosts: object  # of a system with as many hosts as the other one has
    messages: object  # RR with whole messages
    messages_of_cl: object  # RR with whole messages of CL's length, in CL
    units: object  # CL's messages in BK
    rates: tuple
    cioq: object = None  # with CIOQ switches, where the others are hierarchical
    packets: object = None  # DTable with base packets as its unit


SMALL_BARS = Bars(PROGRAM_RUNS, SAME_HOSTS_RUNS, MESSAGE_RUNS, CL_MESSAGE_RUNS, UNIT_RUNS, tuple(SMALL_RATES))
PRINTED_BARS = Bars(
    PRINTED_RUNS,
    PRINTED_SAME_HOSTS_RUNS,
    PRINTED_MESSAGE_RUNS,
    PRINTED_CL_MESSAGE_RUNS,
    PRINTED_UNIT_RUNS,
    tuple(RATES),
    PRINTED_CIOQ_RUNS,
    PRINTED_PACKET_RUNS,
)
at = [SMALL_BARS]  # the last is what a row is decided by


def printed_are_there():
    of = PRINTED_BARS
    return all(
        runs.size() == "full" for runs in (of.runs, of.same_hosts, of.messages, of.messages_of_cl, of.units, of.cioq)
    )


BOTH = {}  # row: its function


def bars_row(row_id, what):
    """Decorator: the function decides this row twice, by the small systems and by those printed, which have the last word."""

    def register(function):
        BOTH[row_id] = function
        row(row_id, what)(lambda: last_word(*both_sizes(function)))
        return function

    return register


def both_sizes(function):
    """Its verdicts from the small systems and from those printed, None if these were not run."""
    small = function()
    if not printed_are_there():
        return small, None
    at.append(PRINTED_BARS)
    try:
        return small, function()
    finally:
        at.pop()


def last_word(small, printed):
    if printed is None:
        return small
    told = small.measured.partition("; points ")[0]
    hosts = {
        name: " and ".join(str(hosts_of(topology)) for topology in systems.values())
        for name, systems in (("printed", PRINTED_SYSTEMS), ("small", SMALL_SYSTEMS))
    }
    return dataclasses.replace(
        printed,
        note=f"as printed, {hosts['printed']} hosts: {printed.note}. In the small systems, {hosts['small']} hosts{'' if small.verdict == printed.verdict else ', which would say ' + small.verdict}: {told}",
    )


def rates():
    return at[-1].rates


def longer(system, program, level, scheduler, rate, runs=None):
    """Execution time over that without QoS and background, in percent."""
    runs = runs or (at[-1].runs if system in SMALL_SYSTEMS else at[-1].same_hosts)
    base = runs[f"{system} {program} CL rr 0"].mean("finish_us")
    return runs[f"{system} {program} {level} {scheduler} {rate}"].each(lambda seed: 100 * seed["finish_us"] / base)


@row("opa-185", "the traces")
def _():
    return not_testable(
        "the traces of NAMD, gro, HPL and MPIRandomAccess with 512 tasks are not published; three programs made by sim stand for them"
    )


@row("opa-186", "background rates")
def _():
    system = {
        "arbiter": arbiter_of("rr"),
        "network": network_of(SMALL_SYSTEMS["8-ary 2-tree"]),
        "run": {"warmup_us": 20, "measure_us": 100, "seed": 1},
    }
    found = [q.sim({**system, "traffic": [background(4, rate)]})["classes"][0] for rate in RATES]
    for rate, item in zip(RATES, found, strict=True):
        near([item["offered"] / rate, item["accepted"] / rate], [1, 1], 0.01, f"background of {rate}")
    return agrees(
        "/".join(f"{100 * item['offered']:.2f}" for item in found)
        + " % offered, "
        + "/".join(f"{100 * item['accepted']:.2f}" for item in found)
        + " % accepted",
        "sim, 8-ary 2-tree, even arrivals, uniform; in the small systems programs run beside 5 and 20 %",
    )


@row("opa-189", "a bar is the execution time over that without background")
def _():
    points = small_points()

    def finish(point, seed):
        """us, of a run made here: when the last rank is done."""
        return max(q.sim(points[point], "--seed", seed)["traces"][0]["rank_finish_ns"]) / 1000

    told = []
    for program in PROGRAMS:
        bar = f"4 x 4 torus {program} BK dtable {rates()[-1]}"
        seeds = range(1, PROGRAM_RUNS.stored()["seeds"] + 1)
        same(
            [item["name"] for item in points[f"4 x 4 torus {program} CL rr 0"]["traffic"]],
            ["program"],
            "traffic of the base",
        )
        base = finish(f"4 x 4 torus {program} CL rr 0", 1)
        by_hand = sum(finish(bar, seed) for seed in seeds) / len(seeds) / base * 100
        near(longer("4 x 4 torus", program, "BK", "dtable", rates()[-1]).mean, by_hand, 0.01, bar)
        told.append(f"{program} {by_hand:.1f} %, base {base:.2f} us")
    return agrees(
        "; ".join(told),
        f"sim, 4 x 4 torus, DTable in BK beside {rates()[-1]}: the last rank's end in runs made anew, over that of the program alone under RR, is the bar of the page",
    )


@bars_row("opa-190", "without background QoS makes no difference")
def _():
    def over_rr(runs, s, p, level):
        """DTable's time over RR's in these runs."""
        return at[-1].runs[f"{s} {p} {level} dtable 0"].mean("finish_us") / runs[f"{s} {p} {level} rr 0"].mean(
            "finish_us"
        )

    def told(found):
        far = max(found, key=lambda bar: abs(found[bar] - 1))
        rest = max(abs(x - 1) for (s, p, level), x in found.items() if p != "all-to-all")
        return f"within {100 * rest:.1f} % but for all-to-all; there {found[far]:.2f} ({far[0]}, {far[2]})"

    found = {(s, p, level): over_rr(at[-1].runs, s, p, level) for s, p in BARS for level in ("CL", "BK")}
    same_unit = {"CL": at[-1].messages_of_cl, "BK": at[-1].messages}
    far = {level: max(abs(over_rr(runs, s, p, level) - 1) for s, p in BARS) for level, runs in same_unit.items()}
    return decided(
        max(far.values()) <= 0.01,
        f"DTable over RR with the same unit, CL's messages or BK's, within {100 * far['CL']:.1f} % in CL and {100 * far['BK']:.1f} % in BK",
        f"{PROGRAM_NOTE}; with RR's packets of 128 bytes, the unit of the other rows, DTable over RR is {told(found)}",
    )


@bars_row("opa-193", "execution time grows with the background")
def _():
    falls = [
        bar
        for bar in ((s, p, level, k) for s, p in BARS for level in ("CL", "BK") for k in ("rr", "dtable"))
        if any(longer(*bar, b).mean < 0.99 * longer(*bar, a).mean for a, b in itertools.pairwise(rates()))
    ]
    return decided(not falls, f"in {24 - len(falls)} of 24 bars", PROGRAM_NOTE)


paper.needs("opa-194", "needs the trace of MPIRandomAccess")


def sooner(slower, faster, system, program, rate, runs=None, slower_runs=None):
    """Interval of what one bar, level and scheduler, takes longer than another, in points of the time without QoS and background."""
    runs = runs or at[-1].runs
    base = runs[f"{system} {program} CL rr 0"].mean("finish_us")
    return paired(
        (slower_runs or runs)[f"{system} {program} {slower} {rate}"],
        runs[f"{system} {program} {faster} {rate}"],
        lambda a, b: 100 * (a["finish_us"] - b["finish_us"]) / base,
    )


def each_rate(found):
    """Points by rate and bar, a line of text; the page's table has them of the small systems, too, so a note has not."""
    return "; ".join(
        f"at {rate}: " + ", ".join(f"{s} {p} {x.text(1)}" for (other, s, p), x in found.items() if other == rate)
        for rate in dict.fromkeys(rate for rate, _, _ in found)
    )


def named(bars):
    return ", ".join(f"{s} {p} at {rate}" for rate, s, p in bars)


SIZE_OR_INSIDE = "with one size of message as the one change there still is such a bar, and with CIOQ switches as the one change, too"


def differs_or_open(told, note, cause, bars, tried):
    """Of bars the other way beyond their intervals: differs for a cause, or lacks one if what was `tried` is none."""
    where = f"{named(bars)} contradicts it beyond the interval"
    return shown_or_lacking(told, f"{note}: {where}" if not cause else note, cause, tried)


IN_CIOQ = "with CIOQ switches as the one change there is such a bar, too"


def one_way(found, told, note, cause=lambda: None, tried="no change was tried"):
    """A sign that the paper has at each rate: agrees if it is beyond the interval in all Comparisons, differs if it is the other way in one for
    a cause that is shown, and else is open: how large a difference would still be missed is told."""
    if found.turned:
        return differs_or_open(told, note, cause(), found.turned, tried)
    if found:
        return agrees(told, note)
    unsure = [found.of[bar] for bar in found.of if bar not in found.shown]
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{note}: {len(unsure)} of {len(found)} are open, between {min(x.mean - x.reach for x in unsure):.1f} and {max(x.mean + x.reach for x in unsure):.1f} points, and none is the other way beyond; {found.left_open()}",
    )


def mends(changed, turned):
    """Whether something changed is why bars were the other way: with it none of all is, and of those not one by its own interval, so that
    a change is no cause for lack of power."""
    return not Comparisons(changed).turned and not any(changed[bar].below() for bar in turned)


def lifts(changed, found):
    """Whether something changed, with fewer seeds, is why bars were the other way: `mends`, and each of those is above what it was."""
    return mends(changed, found.turned) and all(changed[bar].above(found.of[bar].mean) for bar in found.turned)


def inside_of_switch(slower, faster, found):
    """The cause of bars that are the other way in Comparisons of one with another: CIOQ switches, if with these none is."""
    if not at[-1].cioq:
        return None
    changed = {(rate, s, p): sooner(slower, faster, s, p, rate, at[-1].cioq) for rate, s, p in found.of}
    if not mends(changed, found.turned):
        return None
    return f"{INSIDE}: with CIOQ switches, the one change, {named(found.turned)} is {', '.join(changed[bar].text(1) for bar in found.turned)}, and none is the other way"


def in_words(who, found):
    return f"{who} in {len(found.shown)} of {len(found)} bars beyond the interval, less in {len(found.turned)}; points {each_rate(found.of)}"


def cl_first(systems):
    """Whether a program of these systems ends sooner in CL than in BK at each rate under DTable: Comparisons, in words, and the cause of bars
    that are the other way.
    """
    levels = "BK dtable", "CL dtable"
    found = Comparisons(
        {(rate, s, p): sooner(*levels, s, p, rate) for rate in rates() for s, p in BARS if s in systems}
    )

    def cause():
        """The messages' sizes, DTable's unit or the hierarchical switch, if with it changed none of these bars is the other way."""
        alike = {
            (rate, s, p): paired(
                at[-1].units[f"{s} {p} BK dtable {rate}"],
                at[-1].runs[f"{s} {p} CL dtable {rate}"],
                lambda a, b: 100 * (a["finish_us"] / b["finish_us"] - 1),
            )
            for rate, s, p in found.of
        }
        if mends(alike, found.turned):
            return f"DTable sends whole messages, of 512 bytes in CL and of 1,024 in BK; with 512 in both, the one change, {named(found.turned)} is not the other way beyond its interval ({', '.join(alike[bar].text(1) for bar in found.turned)} %), nor is another"
        if at[-1].packets:
            packets = {}
            for rate, s, p in found.of:
                base = at[-1].runs[f"{s} {p} CL rr 0"].mean("finish_us")
                bk, cl = (at[-1].packets[f"{s} {p} {level} {rate}"] for level in levels)
                packets[rate, s, p] = paired(bk, cl, lambda a, b, base=base: 100 * (a["finish_us"] - b["finish_us"]) / base)
            if lifts(packets, found):
                return (
                    "whole messages, which DTable serves and crossbars move as one: with base packets of 128 bytes, the one change, "
                    f"{named(found.turned)} is {', '.join(packets[bar].text(1) for bar in found.turned)} points, above what it was, and none is the other way"
                )
        return inside_of_switch(*levels, found)

    return found, in_words("BK takes longer", found), cause


def tried():
    """What is no cause of such bars."""
    unit = at[-1].packets
    return SIZE_OR_INSIDE + (
        f"; base packets of 128 bytes as DTable's unit, {unit.stored()['seeds']} seeds, leave it open" if unit else ""
    )


for row_id, system in (("opa-191", "8-ary 2-tree"), ("opa-192", "4 x 4 torus")):

    @bars_row(row_id, f"execution times, {system}")
    def _(system=system):
        top = rates()[-1]
        bars = {p: (longer(system, p, "CL", "dtable", top), longer(system, p, "BK", "dtable", top)) for p in PROGRAMS}
        found, told, cause = cl_first([system])
        return one_way(
            found,
            f"DTable, background {top}, in CL and BK: "
            + ", ".join(f"{p} {cl.text(0)} and {bk.text(0)}" for p, (cl, bk) in bars.items())
            + f" %; {told.partition('; points ')[0]}",
            PROGRAM_NOTE + "; the plot is lost: judged is CL before BK at each rate, by this topology alone (opa-195)",
            cause,
            tried(),
        )


@bars_row("opa-195", "DTable: a program is faster in CL than in BK, whatever the background")
def _():
    found, told, cause = cl_first(list(SMALL_SYSTEMS))
    return one_way(found, told, PROGRAM_NOTE, cause, tried())


def gap(system, program, scheduler, rate, runs=None):
    return (
        longer(system, program, "BK", scheduler, rate, runs).mean
        - longer(system, program, "CL", scheduler, rate, runs).mean
    )


@bars_row("opa-196", "the difference between CL and BK grows with the background")
def _():
    gaps_of = {(s, p): [gap(s, p, "dtable", rate) for rate in rates()] for s, p in BARS}
    good = [all(b >= a - 1 for a, b in itertools.pairwise(found)) for found in gaps_of.values()]
    told = (
        f"in {sum(good)} of {len(good)} never falls by more than a point; points at {'/'.join(map(str, rates()))}: "
        + ", ".join(f"{s} {p} " + "/".join(f"{x:.1f}" for x in found) for (s, p), found in gaps_of.items())
    )
    note = f"{PROGRAM_NOTE}; from rate to rate, with a point of slack"
    steps = [
        (s, p, low, high)
        for (s, p), found in gaps_of.items()
        for (low, a), (high, b) in itertools.pairwise(zip(rates(), found, strict=True))
        if b < a - 1
    ]

    def falls(s, p, low, high):
        """Interval of how much more than a point less the difference is at the higher rate."""
        base = at[-1].runs[f"{s} {p} CL rr 0"].mean("finish_us")
        times = (
            at[-1].runs[f"{s} {p} {level} dtable {rate}"].samples["finish_us"]
            for rate in (low, high)
            for level in ("BK", "CL")
        )
        return interval([100 * (a - b - (c - d)) / base - 1 for a, b, c, d in zip(*times, strict=True)])

    all_steps = Comparisons(
        {(s, p, low, high): falls(s, p, low, high) for s, p in BARS for low, high in itertools.pairwise(rates())}
    )
    if steps and not all_steps.shown:
        return Verdict(
            NOT_TESTABLE,
            told,
            f"{note}: "
            + ", ".join(f"{s} {p} from {low} to {high}" for s, p, low, high in steps)
            + " falls within its 95 % interval; needs more seeds",
        )
    grows = Comparisons({(s, p): falls(s, p, rates()[-1], rates()[0]).over(-1) for s, p in BARS})
    if all(good) and not grows:
        unsure = [bar for bar in grows.of if bar not in grows.shown]
        return Verdict(
            NOT_TESTABLE,
            told,
            f"{note}, and from the lowest to the highest beyond the interval: "
            + ", ".join(f"{s} {p} by {grows.of[s, p].text(1)}" for s, p in unsure)
            + f" does not, nor falls; {grows.each_left_open()}",
        )
    return decided(
        all(good),
        told,
        f"{note}, and from the lowest to the highest beyond the interval",
        (
            "in the all-to-all the program itself fills the links, and its own size of message in BK decides (opa-190)"
            if all(ok or p == "all-to-all" for ok, (s, p) in zip(good, BARS, strict=True))
            else None
        ),
    )


@bars_row("opa-197", "difference between CL and BK at low rates")
def _():
    low = [rate for rate in rates() if rate <= LOW]

    def later(s, p, rate, **runs):
        """Interval of what BK takes longer than CL, in points."""
        return sooner("BK dtable", "CL dtable", s, p, rate, **runs)

    def told(found):
        inside = sum(0 <= x.mean <= 8 for x in found.values())
        return f"{inside} of {len(found)} means between 0 and 8 points, {sum(1 <= x.mean <= 5 for x in found.values())} between 1 and 5; points {each_rate(found)}"

    def beyond(found):
        return [bar for bar, x in found.items() if x.below(0) or x.above(8)]

    found = simultaneous({(rate, s, p): later(s, p, rate) for rate in low for s, p in BARS})
    alike = {(rate, s, p): later(s, p, rate, slower_runs=at[-1].units) for rate in low for s, p in BARS}
    if not beyond(found) and not all(0 <= x.mean <= 8 for x in found.values()):
        return Verdict(NOT_TESTABLE, told(found), f"{PROGRAM_NOTE}: within its 95 % interval, needs more seeds")
    unit = (
        (
            "DTable sends whole messages, which are of 512 bytes in CL and of 1,024 in BK: a program that waits for the last of its messages has fewer of them to wait for in BK. With 512 bytes in both, the one change, "
            "none is beyond its interval"
        )
        if not beyond(alike)
        else None
    )

    def inside():
        """The hierarchical switch's, if all that is beyond is not with CIOQ switches."""
        bars = beyond(found)
        cioq = {(rate, s, p): later(s, p, rate, runs=at[-1].cioq) for rate, s, p in found}

        def each(some, of):
            return ", ".join(f"{s} {p} at {rate} {of[rate, s, p].text(1)}" for rate, s, p in some)

        if beyond(simultaneous(cioq)) or any(bar in bars for bar in beyond(cioq)):
            return None
        return f"{INSIDE}: what is beyond its interval, {each(bars, found)}, is not with CIOQ switches, the one change, {each(bars, cioq)}"

    note = f"{PROGRAM_NOTE}; between 0 and 8 points"
    if not beyond(found):
        return agrees(told(found), note)
    return differs_or_open(
        told(found), note, unit or (inside() if at[-1].cioq else None), beyond(found), SIZE_OR_INSIDE
    )


def slower_under_rr(rates_of):
    """In CL, at these rates, by how many points RR takes longer than DTable; and the cause of bars that are the other way."""
    schedulers = "CL rr", "CL dtable"
    found = Comparisons({(rate, s, p): sooner(*schedulers, s, p, rate) for rate in rates_of for s, p in BARS})
    return found, in_words("RR takes longer in CL", found), lambda: inside_of_switch(*schedulers, found)


@bars_row("opa-199", "RR: execution times above DTable's")
def _():
    found, told, cause = slower_under_rr(rates())
    top = rates()[-1]
    low = sum(longer(s, p, "BK", "rr", top).mean > longer(s, p, "BK", "dtable", top).mean for s, p in BARS)
    return one_way(
        found,
        f"{told}; in BK, whose share DTable holds down, in {low} of {len(BARS)} means at {top}",
        PROGRAM_NOTE,
        cause,
        IN_CIOQ,
    )


@bars_row("opa-200", "RR: higher even at low rates")
def _():
    found, told, cause = slower_under_rr([rate for rate in rates() if rate <= LOW])
    return one_way(found, told, PROGRAM_NOTE, cause, IN_CIOQ)


TRENDS = {"RR over DTable": ("CL rr", "CL dtable"), "BK over CL": ("BK dtable", "CL dtable")}


def trends(runs=None):
    """RR after DTable in CL, and BK after CL under DTable, at each rate: Comparisons by trend, rate, system and program."""
    return Comparisons(
        {
            (what, rate, s, p): sooner(*bars, s, p, rate, runs)
            for what, bars in TRENDS.items()
            for rate in rates()
            for s, p in BARS
        }
    )


def in_both(found):
    """Of trends by (trend, rate, program): the signs in both topologies, 0 where an interval leaves it open."""
    signs = {bar: (bar in found.shown) - (bar in found.turned) for bar in found.of}
    return {
        (what, rate, p): [signs[what, rate, s, p] for s in SMALL_SYSTEMS] for what, rate, _, p in dict.fromkeys(signs)
    }


def opposite(both):
    return [key for key, (first, second) in both.items() if first * second < 0]


def same_trends(found, cioq=None):
    """The verdict on trends, and on those with CIOQ switches if there are any."""
    both, top = in_both(found), rates()[-1]
    equal = [key for key, (first, second) in both.items() if first == second != 0]
    other = opposite(both)
    at_top = [sum(rate == top for _, rate, _ in of) for of in (equal, both)]
    told = f"{len(equal)} of {len(both)} signs equal, each beyond its interval, {at_top[0]} of {at_top[1]} at {top}; {len(other)} opposite"
    if len(equal) == len(both):
        return agrees(told, PROGRAM_NOTE)
    if other:
        named_bars = "; ".join(
            f"{what} in {p} at {rate} {' and '.join(found.of[what, rate, s, p].text(1) for s in SMALL_SYSTEMS)} points"
            for what, rate, p in other
        )
        note = f"{PROGRAM_NOTE}; opposite in torus and tree beyond the intervals are {named_bars}"
        if cioq is None:
            return shown_or_lacking(told, note, None, "no change was tried")
        cause = None if opposite(in_both(cioq)) else f"{INSIDE}: with CIOQ switches, the one change, no two signs are opposite"
        return shown_or_lacking(told, note, cause, "with CIOQ switches as the one change two signs are, too")
    unsure = [bar for bar in found.of if bar not in found.shown and bar not in found.turned]
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{PROGRAM_NOTE}: {', '.join(f'{what} in {s} {p} at {rate}' for what, rate, s, p in unsure)} is open, "
        f"{', '.join(found.of[bar].text(1) for bar in unsure)} points, and no two signs are opposite; {found.each_left_open()}",
    )


@bars_row("opa-201", "the same trends in both topologies")
def _():
    return same_trends(trends(), trends(at[-1].cioq) if at[-1].cioq else None)


@row("opa-202", "applications take longer on the 2-D torus")
def _():
    needed = "the traces of 512 tasks, 4 and 8 a NIC: these programs have a rank a host"
    if not printed_are_there():
        return not_testable(f"needs {needed}, and the systems as printed, which --quick has not")
    bars = [(p, level, scheduler) for p in PROGRAMS for level in ("CL", "BK") for scheduler in ("rr", "dtable")]
    times = Comparisons(
        [
            paired(
                *(PRINTED_RUNS[f"{s} {p} {level} {scheduler} {RATES[-1]}"] for s in ("4 x 4 torus", "8-ary 2-tree")),
                lambda a, b: a["finish_us"] - b["finish_us"],
            )
            for p, level, scheduler in bars
        ]
    )
    part = simultaneous(
        [longer(s, *bar, RATES[-1], PRINTED_RUNS) for s in ("4 x 4 torus", "8-ary 2-tree") for bar in bars]
    )
    return Verdict(
        NOT_TESTABLE,
        f"in us longer beyond the interval in {len(times.shown)} of {len(bars)} bars of 128 and 64 hosts, as a part of the time without background in "
        f"{sum(a.mean - a.reach > b.mean + b.reach for a, b in zip(part[: len(bars)], part[len(bars) :], strict=True))}",
        f"{PROGRAM_NOTE}; needs {needed}, so those on the torus are twice as many",
    )


SYSTEMS = tuple(SMALL_SYSTEMS)


def gaps(scheduler, systems=SYSTEMS, runs=None, programs=tuple(PROGRAMS)):
    """CL to BK with the largest background, in the torus and in the tree, by program."""
    return {p: [gap(s, p, scheduler, rates()[-1], runs) for s in systems] for p in programs}


def shown_gaps(found):
    return ", ".join(f"{p} {a:.0f} and {b:.0f}" for p, (a, b) in found.items())


@bars_row("opa-204", "DTable: the difference between CL and BK does not depend on the topology")
def _():
    found = gaps("dtable")

    def alike(of):
        return [p for p, (a, b) in of.items() if abs(a - b) <= 3]

    def hosts():
        """In the small systems."""
        same_hosts = gaps("dtable", ("4 x 4 torus", "4-ary 2-tree"))
        return (
            same_hosts,
            f"the tree has 64 hosts and the torus 16: in a 4-ary 2-tree, also with 16, the one change, {shown_gaps(same_hosts)}, within 3 points in {', '.join(alike(same_hosts)) or 'none'}; an all-to-all fills the links itself, and its messages are longer in BK (opa-190)",
        )

    def inside():
        """In those printed."""
        runs, split = at[-1].cioq, ("4 x 4 torus of 64, ties split", "8-ary 2-tree")
        cioq = gaps("dtable", SYSTEMS, runs)
        base = {s: runs[f"{s} allreduce CL rr 0"].mean("finish_us") for s in (SYSTEMS[0], *split)}
        both = gaps("dtable", split, runs)["allreduce"]
        hosts = gaps("dtable", ("4 x 4 torus of 64", "8-ary 2-tree"))
        return (
            cioq,
            f"with CIOQ switches, the one change, {shown_gaps(cioq)}, within 3 points in {' and '.join(alike(cioq)) or 'none'}; with 64 hosts in the torus {shown_gaps(hosts)}. The allreduce alone takes {base[SYSTEMS[0]]:.0f} us on the torus, "
            f"{base[split[1]]:.0f} on the tree; with CIOQ switches, ties split and 64 hosts {base[split[0]]:.0f} on the torus, and the differences are {both[0]:.0f} and {both[1]:.0f}",
        )

    told = f"{shown_gaps(found)} points at {rates()[-1]}"
    if len(alike(found)) == len(found):
        return agrees(told, PROGRAM_NOTE)
    changed, text = inside() if at[-1].cioq else hosts()
    if len(alike(changed)) == len(changed):
        return decided(False, told, PROGRAM_NOTE, text)
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{PROGRAM_NOTE}: needs the traces, as it hangs on the program; no change that was run makes all three alike: {text}",
    )


@bars_row("opa-205", "RR: the difference varies with the topology")
def _():
    quiet = [p for p in PROGRAMS if p != "all-to-all"]  # do not fill the links themselves (opa-190)
    small = ("4 x 4 torus", "4-ary 2-tree")

    def varies(scheduler, systems=SYSTEMS, runs=None, programs=tuple(PROGRAMS)):
        return sum(abs(a - b) for a, b in gaps(scheduler, systems, runs, programs).values()) / len(programs)

    found = {k: varies(k) for k in ("rr", "dtable")}

    def unit_and_hosts():
        """In the small systems."""
        unit, hosts = varies("rr", runs=MESSAGE_RUNS), varies("dtable", small)
        both = varies("rr", small, MESSAGE_RUNS)
        calm = {"rr": varies("rr", small, MESSAGE_RUNS, quiet), "dtable": varies("dtable", small, None, quiet)}
        return (
            f"two things that the paper does not give. RR's unit, here a packet of 128 bytes: with whole messages, the one change, RR's {found['rr']:.1f} become {unit:.1f}. And how many hosts a topology has, "
            f"here 16 and 64: with 16 in both, the one change, DTable's {found['dtable']:.1f} become {hosts:.1f}. With both it holds in the two programs that do not fill the links themselves (opa-190), RR {calm['rr']:.1f} and DTable {calm['dtable']:.1f}, with the all-to-all "
            f"RR has {both:.1f} and DTable {hosts:.1f}: of the paper's traces, which are not published, it is open what they fill"
            if unit > 1.5 * found["rr"] and hosts < found["dtable"] / 2 and calm["rr"] > calm["dtable"]
            else None
        )

    measured = f"mean change between the topologies: RR {found['rr']:.1f}, DTable {found['dtable']:.1f} points"
    if found["rr"] <= found["dtable"] and at[-1].cioq:
        runs = at[-1].cioq
        changed = {k: [varies(k, SYSTEMS, runs, [p]) for p in PROGRAMS] for k in ("rr", "dtable", "rr, messages")}

        def each(values):
            return "/".join(f"{x:.1f}" for x in values)

        return Verdict(
            NOT_TESTABLE,
            measured,
            f"{PROGRAM_NOTE}; needs the traces: which scheduler's difference changes more is another thing in each program. In halo, allreduce, all-to-all RR's changes by "
            f"{each([varies('rr', programs=[p]) for p in PROGRAMS])} and DTable's by {each([varies('dtable', programs=[p]) for p in PROGRAMS])}, with CIOQ switches {each(changed['rr'])} and {each(changed['dtable'])}, "
            f"with RR of whole messages in these {each(changed['rr, messages'])}",
        )
    return decided(found["rr"] > found["dtable"], measured, PROGRAM_NOTE, unit_and_hosts)


@bars_row("opa-206", "DTable beats RR in execution time and division")
def _():
    top = rates()[-1]

    def mean(scheduler, levels, rates_of=(top,)):
        """Over the programs in both systems, percent."""
        found = [longer(s, p, level, scheduler, rate).mean for s, p in BARS for level in levels for rate in rates_of]
        return sum(found) / len(found)

    shown = Comparisons({(s, p): sooner("CL rr", "CL dtable", s, p, top) for s, p in BARS})
    return by_comparisons(
        shown,
        f"mean over programs in CL at {top}: {mean('dtable', ['CL']):.0f} % against {mean('rr', ['CL']):.0f} %, each of {len(shown)} bars beyond its interval; over all rates and both SLs "
        f"{mean('dtable', ['CL', 'BK'], rates()):.0f} against {mean('rr', ['CL', 'BK'], rates()):.0f} %",
        PROGRAM_NOTE + "; division of resources: opa-198, 199",
    )


@bars_row("opa-212", "DTable separates traffic whatever topology and trace")
def _():
    top = rates()[-1]
    found = Comparisons({(top, s, p): sooner("BK dtable", "CL dtable", s, p, top) for s, p in BARS})
    parts = {row_id: BOTH[row_id]() for row_id in ("opa-195", "opa-201", "opa-204")}
    told = (
        ", ".join(f"{row_id} {part.verdict}" for row_id, part in parts.items())
        + f"; CL before BK at {top} in {len(found.shown)} of {len(found)} programs and topologies beyond the interval; points {each_rate(found.of)}"
    )
    note = f"{PROGRAM_NOTE}; what the sentence sums up: CL before BK at every rate, the same signs and as large a difference in both topologies"
    if all(part.verdict == AGREES for part in parts.values()):
        return agrees(told, note)
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{note}: needs the traces, as it hangs on the program how far apart the two are, and none of the changes that were run makes the three hold together",
    )


def bars_table(of):
    """Of each system, program, SL and scheduler."""
    text = [
        of.runs.told(),
        "",
        "| system | program | in SL | scheduler | " + " | ".join(f"background {rate}" for rate in of.rates) + " |",
        "| --- | --- | --- | --- |" + " --- |" * len(of.rates),
    ]
    return text + [
        f"| {s} | {p} | {level} | {scheduler} | "
        + " | ".join(longer(s, p, level, scheduler, rate, of.runs).text(1) for rate in of.rates)
        + " |"
        for s, p in BARS
        for level in ("CL", "BK")
        for scheduler in ("rr", "dtable")
    ]


@paper.section("Figs. 5 and 6: programs with background")
def _():
    text = [
        "Execution time over that without QoS (RR) and background, in percent. Stand-ins: the four traces are not published; a rank a host, where the paper has 4 and 8 tasks."
    ]
    sizes = [PRINTED_BARS, SMALL_BARS] if printed_are_there() else [SMALL_BARS]
    if len(sizes) == 2:
        pairs = {row_id: both_sizes(function) for row_id, function in BOTH.items()}
        apart = [
            f"{row_id} ({small.verdict} in the small ones, {printed.verdict} in those printed)"
            for row_id, (small, printed) in pairs.items()
            if small.verdict != printed.verdict
        ]
        text[0] += (
            f" {len(pairs)} rows are decided by the same rule in the systems as printed and in small ones, and those printed have the last word. The two disagree in "
            + (", ".join(apart) if apart else "none")
            + "."
        )
    for of in sizes:
        text += ["", *bars_table(of)]
    for of, name in zip(sizes, ("programs", "programs-small") if len(sizes) == 2 else ("programs",), strict=True):
        top = of.rates[-1]
        text += [
            "",
            paper.figure(
                name,
                "Execution times with background" + (", small systems" if of is SMALL_BARS else ""),
                plots.bars(
                    f"Execution time with background {top}" + (", small systems" if of is SMALL_BARS else ""),
                    "percent",
                    [f"{s.split()[-1]} {p}" for s, p in BARS],
                    {
                        f"{level} {scheduler}": [longer(s, p, level, scheduler, top, of.runs) for s, p in BARS]
                        for level in ("CL", "BK")
                        for scheduler in ("rr", "dtable")
                    },
                ),
            ),
        ]
    return "\n".join(text)
