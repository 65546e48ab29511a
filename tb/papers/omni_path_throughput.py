"""Throughput and division of bandwidth in the Omni-Path paper's networks (Figs. 3 and 4), row by row, and their page."""

import omni_path_switch
import plots
from experiment import Comparisons, Interval, paired
from omni_path import NAMES, OWN, WISHES, paper
from omni_path_flits import (
    INSIDE,
    QUICK,
    all_loads_of,
    changed,
    figures,
    flit_bytes,
    flits_of_8_bytes,
    flits_row,
    holding,
    in_window,
    judged_where,
    longer_read,
    most,
    open_by_flits,
    run_of,
    run_with_most,
    saturated,
    shares,
    shares_apart,
    short_window,
    shown_or_lacking,
    small_of,
    told,
    us,
    windows_row,
    with_8_vls,
)
from omni_path_networks import (
    CARRIED_IN_8,
    CHANGED,
    EIGHT_VLS,
    EVERY,
    FULL_CHANGED,
    FULL_OTHER,
    IN_8,
    K2,
    K3,
    LOADED,
    LOADS,
    LOCKSTEP,
    LONG,
    LONG_CHANGED,
    LONGER,
    LONGER_LOADS,
    LONGEST,
    ONE_VL,
    PACKETS,
    PRINTED_8_VLS,
    SATURATED,
    SCHEDULERS,
    SMALL,
    T2,
    T3,
    TOPOLOGIES,
    TORI,
    TREES,
)
from omni_path_topologies import trunk_bound
from rows import NOT_TESTABLE, Verdict, agrees, by_comparisons, decided, holds, not_testable, same

row = paper.row


@row("opa-130", "points are means over seeds")
def _():
    seeds = LOADED.stored()["seeds"]
    if seeds < 30:
        return not_testable(f"needs 30 seeds; there are {seeds}")
    fewer = {}
    for experiment in (SATURATED, CHANGED, EIGHT_VLS, PRINTED_8_VLS, FULL_CHANGED, FULL_OTHER, ONE_VL, IN_8, PACKETS, LONG, LONG_CHANGED, LONGEST):
        fewer.setdefault(experiment.stored()["seeds"], []).append(experiment.name)
    return agrees(
        f"{seeds} seeds of the points of Figs. 3 and 4 in flits of 64 bytes, with intervals",
        f"{in_window()[:1].upper()}{in_window()[1:]}. What rows compare these with has fewer: "
        + "; ".join(f"{count} seed{'s' * (count > 1)} {', '.join(names)}" for count, names in sorted(fewer.items(), reverse=True))
        + ". A row that one of these decides has no more than its seeds",
    )


def ties_split():
    """The 3-D torus at 1.0 under DTable with ties split instead of to one side."""
    name = f"{T3} dtable, ties split"
    if LOADED.size() == "quick":
        return CHANGED[f"{name} 1.0"]
    return FULL_OTHER[f"{name}, flits of 8 bytes 1.0"] if flit_bytes[-1] == 8 else changed(f"{name} 1.0")


def farthest(seed):
    """How far, in points, the SL that is farthest off its wish is, by the numbers of one seed."""
    return 100 * max(abs(seed[f"{name}.share"] - float(wish)) for name, wish in zip(NAMES, WISHES, strict=True))


def worst(run):
    """The same by the means of a run."""
    return farthest({f"{name}.share": run.mean(f"{name}.share") for name in NAMES})


figures(
    "opa-135 opa-136 opa-137 opa-138",
    "normalized throughput",
    lambda t: (
        all(worst(run_of(t, s, load)) <= 0.5 for s in SCHEDULERS for load in (0.3, 0.6)),
        f"at 0.6: DTable {shares(run_of(t, 'dtable', 0.6))}, all within {max(worst(run_of(t, s, load)) for s in SCHEDULERS for load in (0.3, 0.6)):.2f} points",
    ),
    "sim; the plot is lost: judged is that its 15 curves are the wishes at 0.3 and 0.6, where all is carried; beyond saturation opa-154 to 156 and 178",
)


def on_ties(topology):
    """What is to be said of the 3-D torus, whose ties the paper leaves open."""
    if topology != T3:
        return ""
    return (
        f"; ties to one side, which the paper leaves open: split, the one change, {ties_split()['accepted'].text(3)} at 1.0"
    )


def at_most(topology, scheduler):
    """The largest accepted load in words, of tori also what is accepted at 1.0."""
    found, last = most(topology, scheduler), run_of(topology, scheduler, 1.0)["accepted"]
    return found.text(3) + (f" ({last.text(3)} at 1.0)" if topology in TORI and last != found else "")


def longest():
    """What the 3-D torus accepts in the longest window."""
    window = LONGEST.describe("full")
    found = LONGEST[f"{T3} dtable 1.0"]["accepted"].text(3)
    return f"; at 1.0 {in_window((window['warmup_us'], window['measure_us']))} {found}"


PUBLISHED = {T2: (0.94, 0.80), T3: (0.78, 0.68), K3: (0.95, 0.85), K2: (0.95, 0.80)}


for ids, topology in (
    ("opa-143 opa-144", T2),
    ("opa-145 opa-146", T3),
    ("opa-147 opa-148", K3),
    ("opa-149 opa-150", K2),
):
    first, second = ids.split()

    @flits_row(first, f"maximum throughput, DTable, {topology}")
    def _(topology=topology):
        found = most(topology, "dtable")
        return decided(
            abs(found.mean - PUBLISHED[topology][0]) <= 0.05,
            f"{at_most(topology, 'dtable')} flits/cycle/NIC",
            "sim, the largest of the loads" + on_ties(topology) + (longest() if topology == T3 and longer_read() else ""),
        )

    @flits_row(second, f"maximum throughput, SBT and RR, {topology}")
    def _(topology=topology):
        sbt_most, rr_most = most(topology, "sbt"), most(topology, "rr")
        close = all(abs(found.mean - PUBLISHED[topology][1]) <= 0.06 for found in (sbt_most, rr_most))
        return decided(
            close and abs(sbt_most.mean - rr_most.mean) <= 0.02,
            f"SBT {at_most(topology, 'sbt')}, RR {at_most(topology, 'rr')} flits/cycle/NIC",
            "sim, SBT as printed",
            QUICK if LOADED.size() == "quick" else None,
        )


def in_full(change):
    """What a change lets the 2-D torus and the 24-ary 2-tree of full size accept at 1.0."""
    return {t: changed(f"{t} {change} 1.0")["accepted"] for t in (T2, K2)}


def with_changes():
    """What RR and DTable carry in the networks of full size with one change."""
    if LOADED.size() == "quick":
        return ""
    whole, cioq = map(in_full, ("rr, messages", "rr, CIOQ"))
    return (
        "; in flits of 64 bytes RR that serves whole messages, the one change, carries "
        + ", ".join(f"{x.text(3)} ({t})" for t, x in whole.items())
        + "; with CIOQ switches RR "
        + ", ".join(f"{x.text(3)} ({t})" for t, x in cioq.items())
    )


@flits_row("opa-151", "gain of DTable over SBT and RR")
def _():
    found = {t: most(t, "dtable").mean - max(most(t, s).mean for s in ("rr", "sbt")) for t in EVERY}
    return decided(
        all(gain >= 0.05 for gain in found.values()),
        ", ".join(f"{t} {gain:+.3f}" for t, gain in found.items()),
        "sim, maxima over the loads; 0.05 and more is asked" + with_changes(),
        QUICK if LOADED.size() == "quick" else None,
    )


@flits_row("opa-152", "DTable's maxima: 3-D torus far below the others")
def _():
    found = {t: most(t, "dtable").mean for t in EVERY}
    rest = [found[t] for t in EVERY if t != T3]
    return decided(
        found[T3] <= min(rest) - 0.08 and max(rest) - min(rest) <= 0.05,
        ", ".join(f"{t} {x:.3f}" for t, x in found.items()),
        f"sim; the 3-D torus with{on_ties(T3).removeprefix(';')}",
    )


@flits_row("opa-153", "order of topologies under SBT and RR")
def _():
    pairs = ((K3, T2), (K3, K2), (T2, T3), (K2, T3))
    found = {s: {t: most(t, s) for t in EVERY} for s in ("rr", "sbt")}
    with short_window():
        steps = Comparisons(
            {
                (s, more, less): paired(
                    run_with_most(more, s), run_with_most(less, s), lambda a, b: a["accepted"] - b["accepted"]
                )
                for s in found
                for more, less in pairs
            }
        )
    tied = max(abs(of[T2].mean - of[K2].mean) for of in found.values())
    return decided(
        steps and all(of[more].mean > of[less].mean for of in found.values() for more, less in pairs),
        "; ".join(f"{s.upper()} " + ", ".join(f"{t} {x.text(3)}" for t, x in of.items()) for s, of in found.items()),
        f"sim, SBT as printed; asked is that the 3-D torus is lowest and the 8-ary 3-tree highest, beyond the intervals{judged_where()}; the two that are printed alike are {tied:.3f} apart",
        QUICK if LOADED.size() == "quick" else None,
    )


def one_change_each(off):
    """Of the tori named, by name: what is changed in words, and the run with it at 1.0."""
    changes = {T3: ("ties split", ties_split)}
    if longer_read():
        changes[T2] = ("CIOQ switches", lambda: changed(f"{T2} dtable, CIOQ 1.0"))
    return {t: (changes[t][0], changes[t][1]()) for t in off if t in changes}


def why_short(off):
    """The cause of shares that are not the wishes at 1.0, of topologies: None unless one change mends each."""
    found = one_change_each(off)
    if found.keys() != set(off) or any(worst(run) > 3 for _, run in found.values()):
        return None
    return (
        f"the {' and the '.join(off)} do{'es' if len(off) == 1 else ''} not carry 1.0, and who is short is decided where flows meet inside, not by tables: "
        + ", ".join(f"{worst(run):.1f} points with {what} as the one change in the {t}" for t, (what, run) in found.items())
    )


@flits_row("opa-154", "DTable's shares within 2 % of the wish")
def _():
    found = {t: worst(run_of(t, "dtable", 1.0)) for t in EVERY}
    off = [t for t, x in found.items() if x > 3]
    return decided(not off, f"largest error at 1.0: {told(found)} points", "sim; up to 3 points count", why_short(off))


BEYOND_1 = "in the small networks of CIOQ switches at 1.25"


@flits_row("opa-155", "SBT's error is larger than DTable's")
def _():
    runs = {t: (saturated(t, "sbt"), saturated(t, "dtable")) for t in EVERY}
    found = Comparisons({t: paired(*of, lambda a, b: farthest(a) - farthest(b)) for t, of in runs.items()})
    longer = {t: (worst(run_of(t, "sbt", 1.0)), worst(run_of(t, "dtable", 1.0))) for t in TORI}
    over = {t: worst(CHANGED[f"{t} sbt 1.25"]) for t in (T2, K2)}
    return by_comparisons(
        found if found.open or all(a > b for a, b in longer.values()) else False,
        "at 1.0: "
        + ", ".join(
            f"{t} {a.each(farthest).text(1)} against {b.each(farthest).text(1)}"
            for t, (a, b) in (
                (t, [run_of(t, s, 1.0) for s in ("sbt", "dtable")] if longer_read() and t in TORI else of)
                for t, of in runs.items()
            )
        )
        + " points",
        f"sim, SBT as printed; each topology's difference is beyond its interval{judged_where()}",
        f"trees carry 98.8 % of 1.0 here, so nobody is short: beyond saturation SBT is off by {told(over)} points {BEYOND_1}",
    )


@flits_row("opa-156", "SBT divides bandwidth almost as RR")
def _():
    found = {t: shares_apart(with_8_vls(t, "sbt"), with_8_vls(t, "rr")) for t in EVERY}
    with short_window():
        ten = {t: shares_apart(run_of(t, "sbt", 1.0), run_of(t, "rr", 1.0)) for t in EVERY}
    mended = {
        t: (
            shares_apart(CHANGED[f"{t} sbt 1.25"], CHANGED[f"{t} rr 1.25"]),
            shares_apart(CHANGED[f"{t} sbt corrected 1.25"], CHANGED[f"{t} rr 1.25"]),
        )
        for t in (T2, K2)
    }
    return decided(
        all(found[t] <= 1 for t in TORI),
        f"largest difference at 1.0: {told(found)} points; with ten VLs {told(ten)}",
        f"sim, SBT as printed, Table 7's eight VLs, {in_window()}, judged by tori, as was proposed; {BEYOND_1}, as printed and corrected, "
        + ", ".join(f"{t} {a:.1f} and {b:.1f}" for t, (a, b) in mended.items())
        + " points",
        "a torus' SLs use both their VLs here, and weights are restored whenever as many VLs as the table has entries are busy and spent; with the one VL an SL has at a port in opa-d08 "
        "the two have equal shares",
    )


@flits_row("opa-175", "shares hardly differ between topologies")
def _():
    def spread(runs):
        return max(
            max(run.mean(f"{name}.share") for run in runs) - min(run.mean(f"{name}.share") for run in runs)
            for name in NAMES
        )

    largest, trees = (spread([run_of(t, "dtable", 1.0) for t in of]) for of in (EVERY, TREES))
    off = [t for t in TORI if spread([run_of(other, "dtable", 1.0) for other in (t, *TREES)]) > 0.02]
    found = one_change_each(off)
    with_all = spread([found[t][1] if t in found else run_of(t, "dtable", 1.0) for t in EVERY])
    return decided(
        largest <= 0.02,
        f"at most {100 * largest:.1f} points apart at 1.0, trees alone {100 * trees:.1f}",
        "sim, DTable",
        (
            f"the {' and the '.join(off)} do{'es' if len(off) == 1 else ''} not carry 1.0, trees nearly do (opa-152); with {', '.join(f'{what} in the {t}' for t, (what, _) in found.items())}, one change in each, all are within {100 * with_all:.1f} points"
            if with_all <= 0.02
            else None
        ),
    )


@flits_row("opa-176", "the 3-D torus saturates earlier")
def _():
    return decided(
        all(most(T3, "dtable").mean < most(t, "dtable").mean - 0.05 for t in (T2, K3, K2)),
        f"{most(T3, 'dtable').text(3)} against {most(T2, 'dtable').text(3)} in the 2-D torus",
        "sim, DTable",
    )


@row("opa-177", "cause: more end points and thinner trunks")
def _():
    if LOADED.size() == "quick":
        return not_testable("needs trunks, which the small tori have not")
    with short_window():  # as those with other trunks and hosts
        one_side, other = (run_of(t, "dtable", 1.0)["accepted"] for t in (T3, T2))
        split = ties_split()["accepted"]
    (hosts, links, full), (hosts_2, links_2, full_2) = (
        (made["hosts_per_switch"], made["trunk"], made["trunk"] / trunk_bound(made, "up") / made["hosts_per_switch"])
        for made in (TOPOLOGIES["full"][t] for t in (T3, T2))
    )
    thick, fewer, thin = (
        FULL_OTHER[f"{name} 1.0"]["accepted"]
        for name in (f"{T3} dtable, trunks of 5", f"{T3} dtable, 512 hosts", f"{T2} dtable, trunks of 8")
    )

    def behind(run):
        return run.mean < other.mean - 0.05

    return decided(
        behind(one_side) and behind(thin) and not behind(thick) and not behind(fewer),
        f"3-D torus {one_side.text(3)}, with trunks of 5 links instead of 4 {thick.text(3)}, with 512 hosts instead of 1,024 {fewer.text(3)}; 2-D torus {other.text(3)}, with trunks of 8 instead of 10 {thin.text(3)}",
        f"sim, DTable at 1.0, {in_window()}, ties to one side, one change each; behind is by 0.05 or more. Either of the two takes the 3-D torus to the 2-D one, and thinner trunks take that down to the 3-D one; the controls ran in this window alone. A trunk carries {full:.2f} "
        f"and {full_2:.2f} times what its switch's hosts send, {hosts} hosts on {links} links in the 3-D torus and {hosts_2} on {links_2} in the 2-D one. Ties, which the paper leaves open, are a third condition: split, the one change, the 3-D torus carries {split.text(3)} (opa-d14)",
    )


@flits_row("opa-178", "the 3-D torus keeps DTable's shares")
def _():
    off = [T3] if worst(run_of(T3, "dtable", 1.0)) > 3 else []
    return decided(
        not off,
        f"largest error {worst(run_of(T3, 'dtable', 1.0)):.1f} points at 1.0, {worst(run_of(T3, 'dtable', 0.6)):.1f} at 0.6",
        "sim; up to 3 points count",
        why_short(off),
    )


def unlike_offered(topology, load):
    """How far, at most, what an SL's messages are accepted of differs from what is offered of them, under any scheduler."""
    return max(
        abs(run.mean(f"{name}.share") * run.mean("accepted") / (float(wish) * load) - 1)
        for run in (run_of(topology, scheduler, load) for scheduler in SCHEDULERS)
        for name, wish in zip(NAMES, WISHES, strict=True)
    )


@row("opa-183", "before saturation everybody gets what it generates")
def _():
    far = max(unlike_offered(t, load) for t in EVERY for load in (0.3, 0.6))
    note = "sim, all schedulers and topologies"
    if LOADED.size() == "full":
        with flits_of_8_bytes():
            eights = max(unlike_offered(t, load) for t, load in CARRIED_IN_8.items())
        note += f"; in flits of 8 bytes within {100 * eights:.1f} % at {'/'.join(map(str, CARRIED_IN_8.values()))}, the last loads that all carry"
    return decided(far <= 0.01, f"each SL accepted within {100 * far:.1f} % of what is offered at 0.3 and 0.6", note)


@row("opa-184", "after saturation SBT moves to its weights, RR to equal shares")
def _():
    """RR's 12.5/37.5/37.5/6.25/6.25 at 0.8 of what is asked; SBT half as far off its weights as RR."""

    def moves(runs):
        return all(worst(runs[t, "sbt"]) < 0.5 * worst(runs[t, "rr"]) for t in (T2, K2))

    def text(runs):
        return "; ".join(
            f"{t}: " + ", ".join(f"{s} {shares(run)}" for (other, s), run in runs.items() if other == t)
            for t in (T2, K2)
        )

    small = {(t, s): CHANGED[f"{t} {s} 1.25"] for t in (T2, K2) for s in ("rr", "sbt", "sbt corrected")}
    if LOADED.size() == "quick":
        return decided(
            moves(small),
            text(small),
            f"sim, SBT as printed, {BEYOND_1}",
            (
                "RR moves to equal shares, SBT as printed does not reach its weights, since Algorithm 1 restores them only when as many VLs as it has entries are busy and spent; corrected it "
                "does (the one change)"
                if moves({(t, s.removesuffix(" corrected")): run for (t, s), run in small.items() if s != "sbt"})
                else None
            ),
        )
    here, cioq, eights = (
        {(t, s): FULL_CHANGED[f"{t} {s}{change} 1.25"] for t in (T2, K2) for s in ("rr", "sbt")}
        for change in ("", ", CIOQ", ", flits of 8 bytes")
    )
    measured = f"at 1.25 in flits of 64 bytes {text(here)}; of 8 bytes {text(eights)}"
    off = {s: told({t: worst(small[t, s]) for t in (T2, K2)}) for s in ("rr", "sbt", "sbt corrected")}
    note = (
        "sim, SBT as printed; asked is that SBT is half as far off its weights as RR. "
        f"{BEYOND_1[:1].upper()}{BEYOND_1[1:]} SBT is off by {off['sbt']} points, RR by {off['rr']}, SBT corrected by {off['sbt corrected']}"
    )
    if moves(here) != moves(eights):
        return open_by_flits(measured, note, moves(here), moves(eights))
    if moves(here):
        return agrees(measured, note)
    return shown_or_lacking(
        measured,
        note,
        (
            f"{INSIDE} and is what is short beyond saturation, not the outputs with their tables: with CIOQ switches, the one change, {text(cioq)}"
            if moves(cioq)
            else None
        ),
        f"with CIOQ switches as the one change {text(cioq)}",
    )


def cl_off(run):
    """How far, in points, CL is off its share."""
    return 100 * abs(run.mean("CL.share") - float(WISHES[2]))


@flits_row("opa-208", "SBT does not divide bandwidth by its table")
def _():
    printed, mended = ({t: cl_off(CHANGED[f"{t} {s} 1.25"]) for t in (T2, K2)} for s in ("sbt", "sbt corrected"))
    at_1 = {t: cl_off(with_8_vls(t, "sbt")) for t in EVERY}
    with short_window():
        ten = {t: cl_off(run_of(t, "sbt", 1.0)) for t in EVERY}
    beyond = "" if LOADED.size() == "quick" else " (at 1.25: opa-184)"
    return decided(
        min(at_1.values()) > 2,
        f"CL off its 50 % at 1.0, as printed, {told(at_1)} points; with ten VLs {told(ten)}",
        f"sim, Table 7's eight VLs, {in_window()}, more than 2 points in each topology; at 1.0 the inside of the switch is short, not an output{beyond}. {BEYOND_1[:1].upper()}{BEYOND_1[1:]} CL is off by {told(printed)} as printed and {told(mended)} corrected: the printed algorithm, not bandwidth tables as such",
        (
            "trees carry 98.8 % of 1.0 here, so nobody is short"
            if LOADED.size() == "quick" and max(printed.values()) > 2
            else None
        ),
    )


@windows_row("opa-211", "no significant differences of throughput between topologies")
def _():
    found = {t: most(t, "dtable").mean for t in EVERY}
    return decided(
        max(found.values()) - min(found.values()) < 0.05,
        ", ".join(f"{t} {x:.3f}" for t, x in found.items()),
        "sim, DTable",
        "the paper's own numbers: 0.78 against 0.94 and 0.95 (DTable), 0.68 against 0.80 and 0.85",
    )


@flits_row("opa-d14", "bounds of the topologies")
def _():
    bounds = {(t, ties): trunk_bound(TOPOLOGIES["full"][t], ties) for t in TORI for ties in ("up", "split")}
    same([f"{x:.3f}" for x in bounds.values()], ["0.998", "1.248", "0.799", "0.999"], "bounds of the tori")
    if LOADED.size() == "quick":
        return agrees(", ".join(f"{t}, ties {ties} {x:.3f}" for (t, ties), x in bounds.items()), "arithmetic")
    over = [
        f"{t} at {load}"
        for t in TORI
        for load in all_loads_of(t, "dtable")
        if load > bounds[t, "up"] and run_of(t, "dtable", load).mean("accepted") >= 0.99 * load
    ]
    split = ties_split().mean("accepted")
    return decided(
        not over and split > bounds[T3, "up"],
        "; ".join(f"{t}: ties to one side {bounds[t, 'up']:.3f}, split {bounds[t, 'split']:.3f}" for t in TORI)
        + "; accepted at most "
        + ", ".join(f"{t} {most(t, 'dtable').mean:.3f}" for t in EVERY)
        + f", 3-D torus with ties split {split:.3f}",
        "arithmetic: what trunks carry of uniform traffic, counted by its routes, members alike; a tree's bound is the host's link, 1. sim, DTable: no load above its bound is carried",
    )


@row("opa-d11", "DTable with BE and BK in shared VLs")
def _():
    run = CHANGED["2-D torus dtable, BE and BK share VLs 1.0"]
    own = small_of(T2, "dtable", 1.0)
    return Verdict(
        NOT_TESTABLE,
        f"2-D torus at 1.0: shared {shares(run)}, own VLs {shares(own)}",
        "sim; needs a port that takes a VL's SL from the packet at its head, so that two SLs with entries of their own share a VL: here a VL has one SL, which BE and BK are with the entries of both, and then sharing costs CL nothing",
    )


def all_of(experiment, size):
    return {name: experiment[name] for name in experiment.points(size)}


def runs_table(told, runs):
    return [
        "",
        told,
        "",
        "| run | accepted | shares VO/VI/CL/BE/BK | mean latency of messages |",
        "| --- | --- | --- | --- |",
        *(f"| {name} | {run['accepted'].text(3)} | {shares(run)} | {us(run)} |" for name, run in runs.items()),
    ]


def latency_plot(topology):
    def us_of(name, scheduler, load):
        found = run_of(topology, scheduler, load)[f"{name}.message_latency.mean"]
        return Interval(0.001 * found.mean, 0.001 * found.half, 3)

    return paper.figure(
        "latency-" + topology.lower().replace(" ", "-"),
        f"Mean latency, {topology}",
        plots.curves(
            f"{topology}: mean latency of VO, CL and BE",
            "injection, flits/cycle/NIC",
            "us",
            {
                f"{name} {s}": [(load, us_of(name, s, load)) for load in LOADS]
                for name in ("VO", "CL", "BE")
                for s in ("rr", "dtable")
            },
            log=True,
        ),
    )


@paper.section("Figs. 3 and 4: four topologies, three schedulers")
def _():
    ten = len(OWN)
    text = [
        "The paper's plots are lost; its text gives maxima. "
        + LOADED.told()
        + " "
        + (
            f"Topologies and trunks as printed, ties to one side, hierarchical switches, VL buffers of 128 credits, ten VLs, two an SL, not the eight of Table 7, so that a port has {ten * 128 * 64:,} bytes, not 65,536, flits of 64 bytes; what flits of 8 bytes, the paper's, give at 1.0 and at the last load that is carried is told below, and in each row that rests on these: what they turn is not-testable. {holding()}."
            if LOADED.size() == "full"
            else "CIOQ switches, VL buffers of 128 credits, tori with one host at a switch and one link between neighbours; the trees are 4-ary 3-tree and 8-ary 2-tree."
        ),
        "",
        "| topology | DTable, printed | DTable | SBT and RR, printed | SBT as printed | RR |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for t in EVERY:
        text.append(
            f"| {t} | {PUBLISHED[t][0]} | {at_most(t, 'dtable')} | {PUBLISHED[t][1]} | {at_most(t, 'sbt')} | {at_most(t, 'rr')} |"
        )
    with short_window():
        short = ", ".join(
            f"{t} {'/'.join(most(t, s).text(3) for s in ('dtable', 'sbt', 'rr'))}" for t in TORI if LOADED.size() == "full"
        )
    text += [
        "",
        "Maximum throughput in flits/cycle/NIC."
        + (
            f" Of tori, and of trees under DTable, it is that {in_window(LONGER)}, as tori have not settled {in_window()}, where they have {short} (DTable/SBT/RR). Rows judge tori from {LONGER_LOADS[0]} to {LONGER_LOADS[-1]}, and trees under DTable at 1.0, in both windows, flits of 8 bytes in the shorter one alone; what the window decides is not-testable."
            if short
            else ""
        ),
        "",
        "| topology | scheduler | load | accepted | shares VO/VI/CL/BE/BK | mean latency of messages |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for t in EVERY:
        for s in SCHEDULERS:
            for load in LOADS:
                with short_window():
                    run = run_of(t, s, load)
                text.append(f"| {t} | {s} | {load} | {run['accepted'].text(3)} | {shares(run)} | {us(run)} |")
    if LOADED.size() == "full":
        for more in (LONG, LONG_CHANGED, LONGEST):
            text += runs_table(more.told(), all_of(more, "full"))
    text += runs_table(f"{EIGHT_VLS.told()} {LOCKSTEP.told()}", all_of(EIGHT_VLS, "quick"))
    if LOADED.size() == "full":
        text += runs_table("With one assumption changed:", all_of(FULL_CHANGED, "full"))
        for more in (IN_8, PACKETS, FULL_OTHER, SATURATED, PRINTED_8_VLS):
            text += runs_table(more.told(), all_of(more, "full"))
    unchanged = {
        f"{name}, nothing changed": run for name, run in all_of(SMALL, "quick").items() if name.endswith("1.0")
    }
    text += runs_table(
        "In the small networks, CIOQ switches, tori with one host at a switch and one link between neighbours, the trees 4-ary 3-tree and 8-ary 2-tree; with one assumption changed:",
        {**unchanged, **all_of(CHANGED, "quick")},
    )
    with short_window():
        for t in EVERY:
            text += ["", latency_plot(t)]
    return "\n".join(text)


@paper.finding(3)
def _():
    holds(LOADED.size() == "full" and FULL_CHANGED.size() == "full", "networks of full size")
    best = {scheduler: [most(t, scheduler).mean for t in EVERY] for scheduler in SCHEDULERS}
    printed = {"dtable": [PUBLISHED[t][0] for t in EVERY], "rr": [PUBLISHED[t][1] for t in EVERY]}
    far = max(abs(a - b) for scheduler, of in printed.items() for a, b in zip(best[scheduler], of, strict=True))
    alike = max(abs(a - b) for a, b in zip(best["rr"], best["sbt"], strict=True))
    off_rr = {t: worst(run_of(t, "rr", 1.0)) for t in (T2, K2)}
    corrected = {t: shares_apart(changed(f"{t} sbt corrected 1.0"), run_of(t, "rr", 1.0)) for t in off_rr}
    whole = in_full("rr, messages")
    with flits_of_8_bytes():
        eights = {scheduler: [run_of(t, scheduler, 1.0).mean("accepted") for t in EVERY] for scheduler in SCHEDULERS}
    off = [max(cl_off(CHANGED[f"{t} {s} 1.25"]) for t in (T2, K2)) for s in ("sbt", "sbt corrected")]
    gain = [a - max(b, c) for a, b, c in zip(eights["dtable"], eights["rr"], eights["sbt"], strict=True)]
    holds(
        far <= 0.06
        and alike <= 0.02
        and all(corrected[t] < 0.1 * off_rr[t] for t in off_rr)
        and max(abs(a - b) for a, b in zip(eights["dtable"], printed["dtable"], strict=True)) <= 0.05
        and max(gain) < 0.05
        and min(x.mean for x in whole.values()) > max(best["rr"][0], best["rr"][3]) + 0.05
        and off[0] > 2 > off[1],
        "what a base packet costs, and what the restore test does",
    )

    def in_order(values):
        return "/".join(f"{value:.2f}" for value in values)

    held = {size: omni_path_switch.held(size)[0] for size in (64, 8)}
    with short_window():
        early = [most(T3, scheduler).mean for scheduler in ("rr", "dtable")]
    late = run_of(T3, "dtable", 1.0)
    return (
        "**What RR and SBT carry in the Omni-Path paper hangs on a time that it does not give: how long a base packet of 128 bytes holds a crossbar.** Its flits take "
        f"{held[8]} cycles; what the allocation takes besides is not told. Flits a cycle and NIC on its four topologies of 512 to 1,024 hosts:"
        "\n| | RR | SBT | DTable |\n| --- | --- | --- | --- |"
        f"\n| printed | {in_order(printed['rr'])} | {in_order(printed['rr'])} | {in_order(printed['dtable'])} |"
        f"\n| in flits of 64 bytes, where rounding makes it {held[64]} cycles | {' | '.join(in_order(best[s]) for s in ('rr', 'sbt', 'dtable'))} |"
        f"\n| in the paper's flits of 8 bytes | {' | '.join(in_order(eights[s]) for s in ('rr', 'sbt', 'dtable'))} |"
        f"\nIn flits of 64 bytes, where DTable, which sends whole messages, loses less by it, all is as printed to {far:.2f}. SBT's restore rule, printed or corrected, "
        f"changes shares by {max(corrected.values()):.1f} points at most where they are {max(off_rr.values()):.0f} off."
        f"\nOf tori that is {in_window(LONGER)}: beyond saturation they have not settled {in_window()}, where the 3-D torus has {early[0]:.2f} and {early[1]:.2f}; at 1.0 it then carries "
        f"{late.mean('accepted'):.2f} under DTable, and shares are up to {worst(late):.0f} points off."
        f"\nIn flits of 8 bytes, {in_window()}, DTable carries at most {max(gain):.2f} more. So what is printed for RR and SBT, and DTable's gain, can "
        "be neither confirmed nor refuted ([opa-143 to 151](omni-path.md))."
        f"\nThe gain that the larger flits give is one of the unit that is served and not of tables: RR that serves whole messages has it, too, {in_order(x.mean for x in whole.values())} in the 2-D torus and the 2-tree."
        "\nWhere the output is what is short the restore test, which compares busy queues "
        f"with table entries, leaves CL {off[0]:.1f} points off its share beyond saturation of a small network with CIOQ switches, corrected {off[1]:.1f} ([opa-d08, opa-208](omni-path.md))."
        "\nThe unit that RR and SBT serve is a packet of 128 bytes: whole messages contradict the text twice ([opa-d09](omni-path.md))."
    )
