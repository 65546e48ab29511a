"""Latencies in the Omni-Path paper's networks (Figs. 3 and 4), row by row."""

import itertools

from experiment import Comparisons, Run, paired
from omni_path import NAMES, WISHES, paper
from omni_path_flits import (
    INSIDE,
    QUICK,
    carried,
    changed,
    flit_bytes,
    flits_of_8_bytes,
    flits_row,
    in_window,
    judged_where,
    latencies,
    loads_of,
    longer_read,
    run_of,
    saturated,
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
    BEYOND,
    CARRIED_IN_8,
    CHANGED,
    EIGHT_VLS,
    EVERY,
    FULL_CHANGED,
    FULL_OTHER,
    K2,
    K3,
    LAST_CARRIED,
    LOADED,
    LOADS,
    LONGER,
    NEAR_MOST,
    ONE_VL,
    PACKETS,
    SCHEDULERS,
    T2,
    T3,
    TOPOLOGIES,
    TORI,
    TREES,
)
from omni_path_topologies import mean_links
from rows import NOT_TESTABLE, Verdict, agrees, by_comparisons, decided, holds, same

row = paper.row


def ordered(run, slack=1.05):
    """VO <= VI <= CL <= BE, BK, neighbours within 5 % tie."""
    vo, vi, cl, be, bk = latencies(run)
    return vo <= slack * vi and vi <= slack * cl and cl <= slack * min(be, bk)


def with_cioq(topology, load):
    """What DTable gives in a network of full size with CIOQ switches, the one change."""
    return changed(f"{topology} dtable, CIOQ {load}")


def wished_order(measured, note, runs, order):
    """The verdict on an order of latencies that is not as printed, of all rows that have one (opa-108, 139 to 142, 179, 180): it
    differs if base packets as DTable's unit, the one change, give that order in all runs, (topology, load), with no SLs that tie; else
    its cause is unknown.
    """
    if LOADED.size() == "quick":
        return shown_or_lacking(measured, note, None, "no change was tried")
    runs = list(runs)
    found = {(t, load): PACKETS[f"{t} dtable, packets, flits of 8 bytes {load}"] for t, load in runs}
    low = {t: PACKETS[f"{t} dtable, packets 0.6"] for t, _ in runs}
    good, good_low = ([*map(order, of.values(), itertools.repeat(1))] for of in (found, low))

    def told(of):
        return f" ({'; '.join(f'{us(run)} in the {t}' for t, run in of.items())})" if len(runs) <= 4 else ""

    with_packets = f"with base packets of 128 bytes, those of RR and SBT, as the one change, in flits of 8 bytes, {in_window()}"
    in_64 = "of 64, in which such packets carry no 0.9 (opa-144 to 150), at 0.6"
    if all(good) and all(good_low):
        net = [
            [run.mean(f"{name}.network_latency.mean") for name in ("VI", "CL")]
            for (t, load), run in found.items()
            if load <= LAST_CARRIED[t]
        ]
        cioq = [with_cioq(t, load) for t, load in runs]
        return shown_or_lacking(
            measured,
            note,
            "whole messages, which DTable serves and crossbars move as one (Sect. 3.3.1), so that a message is hardly the later the longer it is: "
            f"{with_packets}, it holds{told({f'{t} at {load}': run for (t, load), run in found.items()})}, and in those {in_64}{told(low)}; below saturation packets of VI and CL "
            f"are in the network as long as each other to {100 * max(abs(a / b - 1) for a, b in net):.0f} %, so messages are ordered by their lengths. "
            f"With CIOQ switches as the one change it holds in {sum(order(run, 1) for run in cioq)} of {len(cioq)} runs",
            "",
        )
    return shown_or_lacking(
        measured,
        note,
        None,
        f"{with_packets}, it holds in {sum(good)} of {len(good)} runs, and in those {in_64}, in {sum(good_low)} of {len(good_low)}",
    )


def turned(rr_run, sbt_run):
    """Pairs of SLs, BE and BK as one, of which one has the larger latency under RR and the other under SBT, each by more than 5 %."""
    found = []
    for one, other in itertools.combinations((["VO"], ["VI"], ["CL"], ["BE", "BK"]), 2):
        under = [sum(latencies(run, other)) / len(other) / latencies(run, one)[0] for run in (rr_run, sbt_run)]
        if min(under) < 1 / 1.05 and max(under) > 1.05:
            found.append(f"{one[0]} and {other[0]}")
    return found


def order_with_one_vl():
    """The cause of an order in trees that is not RR's, if with one VL for each SL, the one change, it is in both of them, whatever the flit."""
    if LOADED.size() == "quick":
        return None
    found = {
        (t, flit): [ONE_VL[f"{t} {s}, flits of {flit} bytes"] for s in ("rr", "sbt")] for t in TREES for flit in (64, 8)
    }
    if any(turned(*runs) for runs in found.values()):
        return None
    return (
        "in trees both VLs of an SL are in use, and weights are restored whenever as many VLs as the table has entries are busy and spent (opa-d19); with one VL an SL, the one change, "
        "the order is RR's in both trees, in flits of 64 bytes and of 8: "
        + ", ".join(f"{us(sbt_run)} ({t}, {flit})" for (t, flit), (_, sbt_run) in found.items() if t == K2)
    )


@flits_row("opa-46", "SBT makes no latency differences: the order under SBT is RR's")
def _():
    runs = {t: (run_of(t, "rr", 1.0), run_of(t, "sbt", 1.0)) for t in EVERY}
    others = {t: pairs for t, (rr_run, sbt_run) in runs.items() if (pairs := turned(rr_run, sbt_run))}

    def told(of):
        return "; ".join(
            f"{t}: {', '.join(others[t])} change places: {us(runs[t][0])} under RR, {us(runs[t][1])} under SBT"
            for t in of
        )

    tori, trees = ([t for t in of if t in others] for of in (TORI, TREES))
    note = "sim at 1.0, SBT as printed, BE and BK as one, what is within 5 % ties; judged are the tori, as was proposed"
    if trees:
        cause = order_with_one_vl()
        note += f". {told(trees)}{'; ' + cause if cause else ''}"
    return decided(not tori, told(tori) or "in both tori the order is RR's", note)


def as_wished(run, slack=1.05):
    """VO lowest, BE and BK highest, VI and CL between; what is within 5 % ties."""
    vo, vi, cl, be, bk = latencies(run)
    return vo <= slack * min(vi, cl) and max(vi, cl) <= slack * min(be, bk)


def last_carried(topology):
    return run_of(topology, "dtable", carried(topology, ["dtable"]))


@flits_row("opa-108", "wished latencies: VO lowest, then VI and CL, then BE and BK")
def _():
    measured = "; ".join(f"{t} {us(last_carried(t))}" for t in EVERY)
    note = "sim at the last load that is carried, DTable; what is within 5 % ties; Table 9's distances have the order (opa-109)"
    if all(as_wished(last_carried(t)) for t in EVERY):
        return agrees(measured, note)
    return wished_order(measured, note, LAST_CARRIED.items(), as_wished)


def rising(topology):
    """Of the 15 curves of a diagram those that do not fall from load to load, by more than 1 %, in flits of 64 bytes."""
    return [
        (s, name)
        for s in SCHEDULERS
        for name in NAMES
        if all(
            high.mean(f"{name}.message_latency.mean") >= 0.99 * low.mean(f"{name}.message_latency.mean")
            for low, high in itertools.pairwise(LOADED[f"{topology} {s} {load}"] for load in LOADS)
        )
    ]


def latency_curves(topology):
    """What the text says of a diagram of end-to-end latencies (opa-160, 165, 166, 182), of one topology."""
    last = carried(topology, SCHEDULERS)
    by = {s: latencies(run_of(topology, s, last)) for s in SCHEDULERS}
    alike = [load for load in LOADS if load <= (0.6 if topology in TORI else 0.3)]
    rise = len(rising(topology))
    far = max(
        abs(a / b - 1)
        for load in alike
        for a, b in zip(latencies(LOADED[f"{topology} sbt {load}"]), latencies(LOADED[f"{topology} rr {load}"]), strict=True)
    )
    by_load = all(
        x[0] < x[1] < x[2]
        for x in (latencies(run_of(topology, s, load)) for s in ("rr", "sbt") for load in loads_of(topology, 0.9))
    )
    held = (
        rise == 15
        and far <= 0.1
        and by_load
        and by["dtable"][0] > max(by["rr"][0], by["sbt"][0])
        and by["dtable"][2] < min(by["rr"][2], by["sbt"][2])
    )
    below = f"{rise} of 15 curves rise from load to load; SBT within {100 * far:.0f} % of RR up to {alike[-1]}; "
    return held, (below if flit_bytes[-1] == 64 else "") + (
        f"VO < VI < CL under both at {' and '.join(map(str, loads_of(topology, 0.9)))}: {'yes' if by_load else 'no'}; "
        f"at {last} VO and CL under DTable {by['dtable'][0]:.0f} and {by['dtable'][2]:.0f} ns, under RR {by['rr'][0]:.0f} and {by['rr'][2]:.0f}, under SBT {by['sbt'][0]:.0f} and {by['sbt'][2]:.0f}"
    )


for row_id, topology in zip(("opa-131", "opa-132", "opa-133", "opa-134"), EVERY, strict=True):

    @flits_row(row_id, f"end-to-end latency over injection, {topology}")
    def _(topology=topology):
        held, measured = latency_curves(topology)
        note = "sim; the plot is lost, so what the text says of it is judged, by this topology alone (opa-160, 165, 166, and 182 at low loads)"
        return agrees(measured, note) if held else shown_or_lacking(measured, note, None, "no change was tried")


for row_id, topology in zip(("opa-139", "opa-140", "opa-141", "opa-142"), EVERY, strict=True):

    @flits_row(row_id, f"latency under DTable, {topology}")
    def _(topology=topology):
        load = carried(topology, ["dtable"])
        run = last_carried(topology)
        measured = f"{us(run)} at {load}"
        note = "sim; the order VO, VI, CL, BE and BK"
        if ordered(run, 1):
            return agrees(measured, note)
        return wished_order(measured, note, [(topology, LAST_CARRIED[topology])], ordered)


def chart_row(row_id, topology):
    @flits_row(row_id, f"CL at injection 1 under SBT and RR, {topology}")
    def _():
        found = {s: run_of(topology, s, 1.0)["CL.message_latency.mean"] for s in ("sbt", "rr")}
        longer = CHANGED["24-ary 2-tree rr, twice as long 1.0"]["CL.message_latency.mean"]
        return decided(
            all(x.mean > 4500 for x in found.values()),
            ", ".join(f"{s} {x.text(0, 1, 'ns')}" for s, x in found.items()),
            (
                "sim, 20 us behind 10; beyond saturation it grows with the time that is measured (opa-d16), which the paper does not give"
                if LOADED.size() == "full"
                else "sim"
            ),
            f"the latency beyond saturation grows with the time that is measured, which the paper does not give, as sources have no bound: twice as long {longer.text(0, 1, 'ns')} "
            "under RR; and trees carry 0.988 here instead of 0.80 to 0.85 (opa-148)",
        )


chart_row("opa-157", K3)
chart_row("opa-158", K2)


@flits_row("opa-159", "all other curves of Fig. 4 stay below 4,500 ns")
def _():
    top = {
        load: max(
            x
            for t in TREES
            for s in SCHEDULERS
            for x in latencies(run_of(t, s, load), NAMES if s == "dtable" else ["VO", "VI", "BE", "BK"])
        )
        for load in (0.9, 1.0)
    }
    return decided(
        top[0.9] < 4500,
        "at most " + ", ".join(f"{x:.0f} ns at {load}" for load, x in top.items()),
        "sim, trees, all but CL under RR and SBT, judged at 0.9; at 1.0 latencies grow with the window (opa-d16)",
        QUICK if LOADED.size() == "quick" else None,
    )


@flits_row("opa-160", "SBT and RR: the larger the load of an SL, the larger its latency")
def _():
    runs = [run_of(t, s, load) for t in EVERY for s in ("rr", "sbt") for load in loads_of(t, 0.9)]
    good = sum(latencies(run)[0] < latencies(run)[1] < latencies(run)[2] for run in runs)
    return decided(
        good == len(runs),
        f"VO < VI < CL in {good} of {len(runs)} runs at 0.9 and 1.0; 2-D torus RR {us(run_of(T2, 'rr', 1.0))}",
        "sim",
    )


@flits_row("opa-161", "BE and BK a little above VO, below CL at injection 1")
def _():
    def run(t, s, load):
        return with_8_vls(t, s) if load == 1.0 else run_of(t, s, load)

    found = {(t, s, load): latencies(run(t, s, load)) for t in EVERY for s in ("rr", "sbt") for load in loads_of(t)}
    full = {of: x for of, x in found.items() if of[2] == 1.0}
    above = sum(x[0] < min(x[3:]) and abs(x[3] / x[4] - 1) <= 0.15 for x in found.values())
    below = [of for of, x in full.items() if max(x[3:]) < x[2]]
    others = [f"{s.upper()} in the {t}" for t, s, _ in full if (t, s, 1.0) not in below]
    return decided(
        above == len(found) and not others,
        f"VO < BE, BK and these alike in {above} of {len(found)} runs, below CL at 1.0 in {len(below)} of {len(full)}; BE over VO at 1.0 under RR and SBT: "
        + ", ".join(
            f"{t} {' and '.join(f'{full[t, s, 1.0][3] / full[t, s, 1.0][0]:.1f}' for s in ('rr', 'sbt'))}"
            for t in EVERY
        )
        + (f"; not below CL is {', '.join(others)}" if others else ""),
        "sim, RR and SBT as printed at all loads, at 1.0 with Table 7's eight VLs, in which BE and BK share theirs; the paper gives no factor for 'slightly'",
        QUICK if LOADED.size() == "quick" else None,
    )


@row("opa-163", "cause: BE and BK share VLs")
def _():
    if LOADED.size() == "full":
        holds(EIGHT_VLS.size() == "full", "shared VLs in networks of full size")
        made, load = FULL_CHANGED, 1.0
        with short_window():  # as those with shared VLs
            both = {t: (run_of(t, "rr", 1.0), EIGHT_VLS[f"{t} rr"]) for t in EVERY}
    else:
        made, load = CHANGED, 0.9
        both = {K2: (small_of(K2, "rr", load), made[f"{K2} rr, BE and BK share VLs {load}"])}
    rises = {t: latencies(shared)[3] / latencies(own)[3] for t, (own, shared) in both.items()}
    one_size = f"{K2} rr, all messages of 128 bytes"
    own, shared, short, short_shared = (
        latencies(run)[3] / latencies(run)[0]
        for run in (*both[K2], made[f"{one_size} {load}"], made[f"{one_size}, BE and BK share VLs {load}"])
    )
    return decided(
        own <= 1.05 < shared,
        f"BE over VO under RR at {load}, {K2}, own VLs and shared ones: {own:.2f} and {shared:.2f} times, with messages of 128 bytes in all SLs {short:.2f} and {short_shared:.2f}; "
        f"sharing raises BE's latency by {', '.join(f'{100 * (x - 1):.0f} % ({t})' for t, x in rises.items())}",
        "sim" + (", hierarchical switches, the eight VLs of Table 7 against ten" if load == 1.0 else ", CIOQ switches"),
        (
            "sharing is the smaller part of it: BE and BK wait as the paper says with VLs of their own, too, and with messages of one size as the one change no longer than VO: most of it is their 1,024 bytes"
            if own > 1.05 >= short
            else None
        ),
    )


def weighted(run):
    return sum(float(wish) * x for wish, x in zip(WISHES, latencies(run), strict=True))


@flits_row("opa-164", "DTable does not lower the overall latency")
def _():
    found = {
        t: weighted(run_of(t, "dtable", carried(t, SCHEDULERS))) / weighted(run_of(t, "rr", carried(t, SCHEDULERS)))
        for t in EVERY
    }
    return decided(
        all(x >= 0.85 for x in found.values()),
        "mean weighted with flits, DTable over RR: " + ", ".join(f"{t} {x:.2f}" for t, x in found.items()),
        "sim, below saturation; RR sends packets of 128 bytes, 15 % less are allowed. Against RR of whole messages, where 5 % are, nothing was run below saturation",
    )


def against(name, sign):
    last = {t: carried(t, SCHEDULERS) for t in EVERY}
    found = {
        t: [
            run_of(t, "dtable", last[t]).mean(f"{name}.message_latency.mean")
            / run_of(t, s, last[t]).mean(f"{name}.message_latency.mean")
            for s in ("sbt", "rr")
        ]
        for t in EVERY
    }
    good = all((x > 1) == (sign > 0) for pair in found.values() for x in pair)
    return good, "DTable over SBT and RR at the last load that all carry: " + ", ".join(
        f"{t} {a:.2f} and {b:.2f} at {last[t]}" for t, (a, b) in found.items()
    )


@flits_row("opa-165", "VO: DTable above SBT and RR")
def _():
    return decided(*against("VO", 1), "sim")


@flits_row("opa-166", "CL: DTable below SBT and RR")
def _():
    return decided(*against("CL", -1), "sim")


paper.needs(
    "opa-167",
    "what an arbitration without a hit is: sim asks an arbiter when a packet can go, so each one here is a hit; a rate below 1 needs a switch that chooses before it knows of room, which the paper does not describe",
)


FEW_LINKS = "links on the way: the small 3-D torus (8 x 4 x 2) has as few as the small 3-level tree"


def lower_in_tori(runs):
    """(load, SL) of which not both tori wait longer than both trees; runs: by topology and load."""
    return [
        (load, place)
        for load in dict.fromkeys(load for _, load in runs)
        for place in range(len(NAMES))
        if min(latencies(runs[t, load])[place] for t in TORI) <= max(latencies(runs[t, load])[place] for t in TREES)
    ]


TORI_LOADS = (0.3, 0.6, 0.9)  # at which rows compare tori with trees


def tori_above_trees(more):
    """opa-169 and opa-210, of which the second asks what the first does."""
    bad = lower_in_tori({(t, load): run_of(t, "dtable", load) for t in EVERY for load in TORI_LOADS})
    mean = {t: weighted(run_of(t, "dtable", 0.6)) for t in EVERY}
    return decided(
        not bad,
        f"in {len(NAMES) * len(TORI_LOADS) - len(bad)} of {len(NAMES) * len(TORI_LOADS)} SLs and loads; weighted mean at 0.6: "
        + ", ".join(f"{t} {x:.0f} ns" for t, x in mean.items()),
        f"sim, DTable, each SL at {', '.join(map(str, TORI_LOADS))}; {more()}",
        FEW_LINKS if LOADED.size() == "quick" else None,
    )


def at_1():
    """Of which SLs it is not so at 1.0."""
    bad = lower_in_tori({(t, 1.0): run_of(t, "dtable", 1.0) for t in EVERY})
    return ", ".join(NAMES[place] for _, place in bad) or "no SL"


def beyond_what_is_carried():
    """What opa-169 says of the load that is not asked."""
    if LOADED.size() == "quick":
        return "1.0 is not asked"
    longer = at_1()
    with short_window():
        early = at_1()
    with flits_of_8_bytes():
        eights = at_1()
    return (
        f"at 0.9 the 3-D torus is beyond what it carries. At 1.0, which is not asked and which trees nearly carry, trees are not below in {longer} {in_window(LONGER)}, "
        f"{early} {in_window()}, and there in flits of 8 bytes {eights}"
    )


@windows_row("opa-169", "tori have higher latencies than trees")
def _():
    holds(carried(T3, ["dtable"]) < TORI_LOADS[-1], "the 3-D torus beyond what it carries")
    return tori_above_trees(beyond_what_is_carried)


def by_one(seed):
    """The numbers of one seed as a run."""
    return Run({name: [value] for name, value in seed.items()})


def below(lower, higher, found):
    """What the first two topologies have is below what the others have."""
    return max(found[t] for t in lower) < min(found[t] for t in higher)


def penalty(run):
    x = latencies(run)
    return (x[3] + x[4]) / 2 / (sum(x[:3]) / 3)


def after_saturation(number):
    """Of each topology at 1.0, trees less tori, which has to be so in the longer window, too; the same with the 2-D torus beyond what it
    carries, as the 3-D torus is; and of all at 1.25."""
    runs = {t: saturated(t, "dtable") for t in EVERY}
    found = {t: run.each(lambda seed: number(by_one(seed))) for t, run in runs.items()}
    less = Comparisons(
        {
            (tree, torus): paired(runs[tree], runs[torus], lambda a, b: number(by_one(a)) - number(by_one(b)))
            for tree in TREES
            for torus in TORI
        }
    )
    one_side = {
        **{t: number(small_of(t, "dtable", 1.0)) for t in EVERY},
        T2: number(BEYOND["2-D torus dtable, ties up 1.0"]),
    }
    beyond = {t: number(BEYOND[f"{t} dtable 1.25"]) for t in EVERY}
    longer = {t: number(run_of(t, "dtable", 1.0)) for t in EVERY}
    cause = (
        "the 2-D torus hardly passes what it carries at 1.0 here, the 3-D torus by 25 % (opa-152): with ties to one side in the 2-D torus too, the one change, "
        f"{told(one_side)}; at 1.25, where trees are beyond what they carry as well, {told(beyond)}"
    )
    return (
        less if less.open or below(TORI, TREES, longer) else False,
        ", ".join(f"{t} {longer[t]:.2f}" if longer_read() else f"{t} {x.text(2)}" for t, x in found.items()),
        cause if below(TORI, TREES, one_side) else None,
    )


@flits_row("opa-170", "after saturation tori penalize best effort less")
def _():
    found, measured, cause = after_saturation(penalty)
    note = f"sim, DTable; by intervals{judged_where()}"
    return by_comparisons(found, f"best effort over the rest at 1.0: {measured}", note, cause)


@row("opa-171", "best effort rises before the others do")
def _():
    rises = {}
    for t in TREES:
        for load in (0.3, 0.6):
            low, high = latencies(run_of(t, "dtable", load)), latencies(run_of(t, "dtable", 0.9))
            rises[t, load] = [b - a for a, b in zip(low, high, strict=True)]
    return decided(
        all(min(x[3:]) > max(x[:3]) for x in rises.values()),
        "rise to 0.9: "
        + ", ".join(f"{t} from {load} " + "/".join(f"{y:.0f}" for y in x) + " ns" for (t, load), x in rises.items()),
        "sim, trees, DTable; 0.5 and 0.8, between which a rise was proposed, are no loads of these runs",
    )


@flits_row("opa-172", "most visible in the 3-D torus")
def _():
    found = {t: penalty(run_of(t, "dtable", 1.0)) for t in EVERY}
    return decided(
        found[T3] == min(found.values()), ", ".join(f"{t} {x:.1f}" for t, x in found.items()), "sim, DTable at 1.0"
    )


def spread_of(run):
    x = latencies(run, ["VO", "VI", "CL"])
    return (max(x) - min(x)) / (sum(x) / 3)


@flits_row("opa-173", "trees keep VO, VI and CL closer together than tori")
def _():
    loads = (0.9, 1.0) if flit_bytes[-1] == 64 else (1.0,)
    found = {load: {t: spread_of(run_of(t, "dtable", load)) for t in EVERY} for load in loads}

    def text(found):
        return "; ".join(f"at {load} " + ", ".join(f"{t} {x:.2f}" for t, x in of.items()) for load, of in found.items())

    measured = f"spread over mean: {text(found)}"

    def closer(of):
        return below(TREES, TORI, of)

    if all(closer(of) for of in found.values()):
        return agrees(measured, "sim, DTable")
    if LOADED.size() == "quick":
        return shown_or_lacking(measured, "sim, DTable", None, "no change was tried")
    cioq = {load: {t: spread_of(with_cioq(t, load)) for t in EVERY} for load in (0.9, 1.0)}
    return shown_or_lacking(
        measured,
        f"sim, DTable; {' and '.join(str(load) for load, of in found.items() if not closer(of))} contradicts it",
        (
            f"{INSIDE}: with CIOQ switches, the one change, trees are closer"
            if all(closer(of) for of in cioq.values())
            else None
        ),
        f"with CIOQ switches as the one change {text(cioq)}",
    )


@flits_row("opa-174", "trees separate traffic better than tori")
def _():
    found, measured, cause = after_saturation(lambda run: latencies(run)[3] / latencies(run)[0])
    return by_comparisons(found, f"BE over VO at 1.0: {measured}", f"sim, DTable; by intervals{judged_where()}", cause)


@flits_row("opa-179", "DTable: VO < VI < CL < BE and BK")
def _():
    good = {t: [load for load in loads_of(t, 0.6) if ordered(run_of(t, "dtable", load))] for t in EVERY}
    measured = "holds: " + ", ".join(
        f"{t} at {'/'.join(map(str, x)) or 'none'} of {'/'.join(map(str, loads_of(t, 0.6)))}" for t, x in good.items()
    )
    note = "sim; at 0.9 and 1.0; neighbours within 5 % tie; ten VLs, two an SL"
    if LOADED.size() == "full":
        eight = {t: EIGHT_VLS[f"{t} dtable"] for t in EVERY}
        note += f"; with the eight of Table 7 at 1.0, {in_window()}, it holds in {', '.join(t for t, run in eight.items() if ordered(run)) or 'none'}"
    if all(load in x for t, x in good.items() for load in loads_of(t, 0.9)):
        return agrees(measured, note)
    return wished_order(measured, note, itertools.product(EVERY, (0.9, 1.0)), ordered)


@flits_row("opa-180", "DTable's latencies follow the distances")
def _():
    found = {t: latencies(last_carried(t)) for t in EVERY}
    measured = "BE over VO, distances 16 and 2: " + ", ".join(f"{t} {x[3] / x[0]:.1f}" for t, x in found.items())
    note = "sim; no inversions, 5 % slack, not proportional"
    if all(ordered(last_carried(t)) for t in EVERY):
        return agrees(measured, note)
    return wished_order(measured, note, LAST_CARRIED.items(), ordered)


@windows_row("opa-181", "differences are larger after saturation")
def _():
    def pairs(low, high):
        """Before and after saturation: BE less VO, CL less VO, BE over VO."""
        return [[x[3] - x[0], x[2] - x[0], x[3] / x[0]] for x in map(latencies, (low, high))]

    def grow(found):
        return all(b > a for before, after in found.values() for a, b in zip(before, after, strict=True))

    def text(found):
        return ", ".join(
            f"{t} {a[0]:.0f} and {b[0]:.0f} ns, {a[1]:.0f} and {b[1]:.0f} ns, {a[2]:.1f} and {b[2]:.1f}"
            for t, (a, b) in found.items()
        )

    found = {t: pairs(run_of(t, "dtable", 0.6), run_of(t, "dtable", 1.0)) for t in EVERY}
    measured = f"BE less VO, CL less VO, BE over VO: {text(found)}"
    note = "sim, 0.6 and 1.0"
    if grow(found):
        return agrees(measured, note)
    note += "; contradicting is " + " and ".join(
        f"{what} in the {' and '.join(falling)}"
        for place, what in enumerate(("BE less VO", "CL less VO", "BE over VO"))
        if (falling := [t for t, (a, b) in found.items() if b[place] <= a[place]])
    )
    if LOADED.size() == "quick":
        return shown_or_lacking(measured, note, None, "no change was tried")
    cioq = {t: pairs(with_cioq(t, 0.6), with_cioq(t, 1.0)) for t in EVERY}
    return shown_or_lacking(
        measured,
        note,
        f"{INSIDE}: with CIOQ switches, the one change, {text(cioq)}" if grow(cioq) else None,
        f"with CIOQ switches as the one change {text(cioq)}",
    )


@row("opa-182", "before saturation SBT and RR are practically the same")
def _():
    def far(pairs):
        """How far SBT's mean latencies are off RR's, and the SL where this is most."""
        return max(
            (abs(a / b - 1), name)
            for sbt_run, rr_run in pairs
            for name, a, b in zip(NAMES, latencies(sbt_run), latencies(rr_run), strict=True)
        )

    low = {load: far([(run_of(t, "sbt", load), run_of(t, "rr", load)) for t in EVERY])[0] for load in (0.3, 0.6)}
    alike = max(shares_apart(run_of(t, "sbt", load), run_of(t, "rr", load)) for t in EVERY for load in (0.3, 0.6))
    measured = f"mean latencies within {100 * low[0.3]:.0f} % at 0.3, {100 * low[0.6]:.0f} % at 0.6, shares within {alike:.2f} points"
    holds(alike <= 0.5, "shares before saturation")
    if LOADED.size() == "quick" or max(low.values()) > 0.1:
        return decided(max(low.values()) <= 0.1, measured, "sim, SBT as printed")
    near_most = {t: far([[FULL_OTHER[f"{t} {s} {load}"] for s in ("sbt", "rr")]]) for t, load in NEAR_MOST.items()}
    with flits_of_8_bytes():
        eights = {t: far([[run_of(t, s, CARRIED_IN_8[t]) for s in ("sbt", "rr")]]) for t in EVERY}

    def text(found, loads):
        return ", ".join(f"{t} {100 * x:.0f} % ({name}, {loads[t]})" for t, (x, name) in found.items())

    measured += f"; just below saturation {text(near_most, NEAR_MOST)}"
    note = f"sim, SBT as printed; in flits of 8 bytes {text(eights, CARRIED_IN_8)}"
    if max(x for x, _ in [*near_most.values(), *eights.values()]) <= 0.1:
        return agrees(measured, note)
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}: needs the plot, which is lost, as the text has no number: up to 0.6 they are alike, the nearer to saturation the less, BE and BK most, as SBT's weights are restored whenever five VLs are busy and spent (opa-d19)",
    )


@windows_row("opa-210", "trees have slightly better latency than tori")
def _():
    return tori_above_trees(lambda: "asked as of opa-169, which tells of 1.0")


@row("opa-d15", "links on the way order the idle latencies")
def _():
    found = {t: run_of(t, "rr", 0.3).mean("VO.network_latency.mean") for t in (K2, K3, T2, T3)}
    values = list(found.values())
    links = {t: mean_links(TOPOLOGIES["full"][t]) for t in found}
    same([f"{x:.2f}" for x in links.values()], ["1.92", "3.73", "4.01", "5.00"], "mean links between switches")
    return decided(
        values == sorted(values),
        ", ".join(f"{t} {links[t]:.2f} links, {x:.0f} ns" for t, x in found.items()),
        "arithmetic, counted by routes; sim, VO under RR at 0.3, the lowest load that was run",
        (
            "the small 3-D torus (8 x 4 x 2) has fewer links on the way than 8 x 8: 3.5 against 4; the order of the others is as derived"
            if LOADED.size() == "quick" and values[:3] == sorted(values[:3])
            else None
        ),
    )


@row("opa-d16", "beyond saturation latency grows with the time measured")
def _():
    def pair(name, load=1.0):
        return [
            CHANGED[f"24-ary 2-tree rr{name}{longer} {load}"].mean("CL.message_latency.mean")
            for longer in ("", ", twice as long")
        ]

    found, eights, over = pair(", hierarchical"), pair(", hierarchical, flits of 8 bytes"), pair("", 1.25)
    cioq = [
        run.mean("CL.message_latency.mean")
        for run in (small_of(K2, "rr", 1.0), CHANGED["24-ary 2-tree rr, twice as long 1.0"])
    ]
    return decided(
        all(double > 1.5 * short for short, double in (found, eights, over)),
        f"CL under RR at 1.0: {found[0]:.0f} ns, in twice the time {found[1]:.0f} ns",
        f"sim, small 24-ary 2-tree of hierarchical switches; in flits of 8 bytes {eights[0]:.0f} and {eights[1]:.0f} ns; with CIOQ switches, which carry 98.8 % of 1.0, {cioq[0]:.0f} and {cioq[1]:.0f}, at 1.25 "
        f"{over[0]:.0f} and {over[1]:.0f}",
    )
