"""Waits and shares of SLs at one port and in one switch of eight, seed by seed: rows of the Omni-Path paper on latency that need no network."""

import functools
import itertools
from fractions import Fraction

import command as q
from experiment import Comparisons, interval, simultaneous
from omni_path import (
    MESSAGES,
    NAMES,
    OWN,
    SIZES,
    WEIGHTS,
    WISHES,
    by_wish,
    deficit_table,
    dtable,
    entries_9,
    exact,
    floats,
    one_port,
    paper,
    rr,
    sbt,
)
from rows import agrees, by_comparisons, decided, holds, near, percent, same

row = paper.row


def gaps(k):
    _, report = exact(deficit_table(k, 4 * k), "--packets", SIZES)
    return [queue["longest_gap_flits"] for queue in report["queues"]]


@row("opa-d12", "largest gap of VO for k = 2, 4, 8")
def _():
    found = [gaps(k) for k in (2, 4, 8)]
    same([g[0] for g in found], [136, 264, 520], "VO")
    same([g[3] for g in found], [508, 996, 1968], "BE")
    return agrees("VO 136, 264, 520 credits; BE 508, 996, 1968", "analyze, w = 4 k, all backlogged")


def of_switch(config, load, measure, *options, number="mean"):
    """Latencies of the SLs in one switch of eight hosts that send to each other, Poisson."""
    run = q.sim(one_port(config, by_wish(load, arrival="poisson"), ports=8, measure=measure), *options)
    return [item["packet_latency_ns"][number] for item in run["classes"]]


def of_ports(k, load, seeds, number="mean"):
    """Latencies of the SLs, seed by seed, of the switch under the table made with k and w = 4k."""
    runs = [
        of_switch(deficit_table(k, 4 * k), load, 400, "--seed", seed, number=number) for seed in range(1, seeds + 1)
    ]
    return list(zip(*runs, strict=True))


@row("opa-63", "w and k move shares, not latency")
def _():
    same(entries_9(2, 16), entries_9(2, 8), "w alone changes no entry")
    found = [gaps(k) for k in (2, 4, 8)]
    holds(found[1][0] > 1.8 * found[0][0] and found[2][0] > 1.8 * found[1][0], "gaps double with k")
    for k in (2, 4, 8):
        near(floats(exact(deficit_table(k, 4 * k), "--packets", SIZES)[0]), floats(WISHES), 0.004, f"shares, k = {k}")

    def moves(load):
        """By how much mean latencies are other than with k = 2, by SL and k."""
        two, *others = (of_ports(k, load, 6) for k in (2, 4, 8))
        return {
            (name, k): interval([b / a - 1 for a, b in zip(two[sl], other[sl], strict=True)]).mean
            for sl, name in enumerate(NAMES)
            for k, other in zip((4, 8), others, strict=True)
        }

    at = {load: moves(load) for load in (0.5, 0.8, 0.9)}
    most = {load: max(map(abs, moved.values())) for load, moved in at.items()}
    return decided(
        max(most[0.5], most[0.8]) <= 0.15,
        "mean latencies at 0.9 with k = 4 and 8 instead of 2: "
        + ", ".join(f"{name} {100 * at[0.9][name, 4]:+.0f}/{100 * at[0.9][name, 8]:+.0f} %" for name in NAMES)
        + f"; at 0.8 within {100 * most[0.8]:.0f} %, at 0.5 within {100 * most[0.5]:.1f} %",
        "sim, one switch of 8 ports, Poisson, 6 seeds, w = 4k; 15 % of means are allowed up to 0.8; w alone changes no entry (plan). At 0.9 more turns are used up, and with k entries and turns grow: "
        f"VO's largest gap is {', '.join(str(gap[0]) for gap in found)} credits (analyze, all backlogged), and Sect. 4.2.2 itself wants k small for the sake of latency (opa-64)",
    )


@row("opa-64", "k as small as possible for latency")
def _():
    found = [gaps(k)[0] for k in (2, 4, 8)]
    same(found, sorted(found), "gaps")
    tails = {k: of_ports(k, 0.9, 6, "p99") for k in (2, 4, 8)}
    grows = Comparisons(
        {
            (NAMES[sl], k): interval([sign * (b - a) for a, b in zip(tails[2][sl], tails[k][sl], strict=True)])
            for sl, sign in ((0, 1), (1, 1), (3, -1), (4, -1))
            for k in (4, 8)
        }
    )
    further = interval([b - a for a, b in zip(tails[4][0], tails[8][0], strict=True)])
    return by_comparisons(
        grows,
        f"largest gap of VO {' < '.join(map(str, found))} credits; 99th percentiles at 0.9, k = 2, 4, 8: "
        + ", ".join(f"{NAMES[sl]} " + "/".join(interval(tails[k][sl]).text(0) for k in tails) for sl in (0, 1, 3, 4))
        + " ns",
        "analyze; sim, one switch of 8 ports, Poisson, 6 seeds, w = 4k: with k = 4 and with 8 VO's and VI's 99th percentile is above that with 2, BE's and BK's, for which a small k is not good, "
        f"below it, each beyond its interval; from 4 to 8 VO's changes by {further.text(0)} ns. Means: opa-63",
    )


@row("opa-30", "RR makes no differences among equal SLs")
def _():
    same(exact(rr(5))[0], [Fraction(1, 5)] * 5, "shares, all backlogged")
    traffic = [
        {
            "name": f"sl{sl}",
            "queue": sl,
            "pattern": "uniform",
            "load": 0.18,
            "arrival": "poisson",
            "message_bytes": 128,
        }
        for sl in range(5)
    ]
    equal = one_port(rr(5, 2), traffic, ports=8, measure=500)
    runs = [
        [item["packet_latency_ns"]["mean"] for item in q.sim(equal, "--seed", seed)["classes"]] for seed in range(1, 9)
    ]
    apart = simultaneous([interval([5 * run[sl] / sum(run) - 1 for run in runs]) for sl in range(5)])
    holds(all(x.above(-0.02) and x.below(0.02) for x in apart), f"mean latencies within 2 %: {apart}")
    return agrees(
        f"20 % each; mean latencies {'/'.join(x.text(1, 100) for x in apart)} % off that of all",
        "analyze, all backlogged; sim, eight ports at 0.9, Poisson, messages of 128 bytes, 8 seeds: each within 2 % by its interval",
    )


@row("opa-54", "the distance of entries bounds latency")
def _():
    # Every second entry of VO gives its weight to the one before, and leaves the table.
    entries, seen = [], 0
    for sl, weight in entries_9():
        if sl == 0:
            seen += 1
            if seen % 2 == 0:
                continue
            weight = 13
        entries.append((sl, weight))
    gaps, latencies, distances = [], [], []
    for table in (entries_9(), entries):
        places = [place for place, (sl, _) in enumerate(table) if sl == 0]
        distances.append(max(b - a for a, b in zip(places, places[1:] + [places[0] + len(table)], strict=True)))
        config = dtable(table, MESSAGES)
        found, report = exact(config, "--packets", SIZES)
        same(found, WISHES, "shares")
        gaps.append(report["queues"][0]["longest_gap_flits"])
        latencies.append(
            [[of_switch(config, 0.9, 200, "--seed", seed, number=number)[0] for seed in range(1, 9)] for number in ("mean", "p99")]
        )
    means, tails = zip(*latencies, strict=True)
    longer, tail = (interval([far / close - 1 for close, far in zip(*each, strict=True)]) for each in (means, tails))
    holds(gaps[0] < gaps[1], "the gap grows with the distance")
    holds(longer.above(), f"the mean grows with the distance: {longer}")
    holds(not tail.below(), f"the tail does not fall with the distance: {tail}")
    return agrees(
        f"VO: largest gap {gaps[0]} and {gaps[1]} credits for distances {' and '.join(map(str, distances))}, mean latency at 0.9 {' and '.join(interval(x).text(0) for x in means)} ns, {longer.text(1, 100)} % more, 99th percentile {tail.text(1, 100)} % more",
        f"analyze; sim, one switch of 8 ports, Poisson, 8 seeds, seed by seed; the same shares, but tables of {len(entries_9())} and {len(entries)} entries, as VO's that go leave the other distances as they are. "
        f"That the 99th percentile hardly moves was proposed, too: it {'grows as well, beyond its interval, which is what a bound is about' if tail.above() else 'does not grow beyond its interval'}",
    )


@row("opa-209", "DTable's order of latencies can be chosen")
def _():
    # VO and CL exchange their entries: CL has 64 at distance 2, VO 16 at distance 8, shares stay.
    swapped = [({0: 2, 2: 0}.get(sl, sl), weight) for sl, weight in entries_9()]
    weights = {0: 26, 1: 39, 2: 33, 3: 26, 4: 26}

    def waits(entries, seed):
        return of_switch(dtable(entries, MESSAGES), 0.95, 200, "--seed", seed)

    tables = entries_9(), [(sl, weights[sl]) for sl, _ in swapped]
    before, after = (
        interval([wait[0] / wait[2] for wait in (waits(table, seed) for seed in range(1, 7))]) for table in tables
    )
    return by_comparisons(
        Comparisons([before.under(1), after.over(1)]),
        f"VO over CL {before.text()} before, {after.text()} with entries exchanged",
        "sim, one switch of 8 ports at 0.95, Poisson, 6 seeds; VO then has 16 entries of 26, CL 64 of 33",
    )


PORT_SEEDS = range(1, 25)


@functools.cache
def port_run(kind, load, poisson=True, messages=False, seed=1):
    """One output port that eight hosts send to; RR and SBT in packets of 128 bytes or whole messages. Shares and waits of the SLs."""
    packet = 16 if messages else 2
    config = {
        "rr": rr(5, packet),
        "printed": sbt(WEIGHTS, list(range(5)), "printed", packet),
        "dtable": deficit_table(),
        "four": sbt(WEIGHTS, list(range(4)), "printed", packet),
        "four rr": rr(4, packet),
        "two": sbt(WEIGHTS, OWN, "printed", packet),
        "two rr": rr(10, packet),
    }[kind]
    lanes_of = 2 if kind.startswith("two") else 1
    traffic = []
    for sl, name in enumerate(NAMES):
        for lane in range(lanes_of):
            traffic.append(
                {
                    "name": f"{name}{lane}",
                    "queue": min(sl * lanes_of + lane, config["queues"] - 1),
                    "pattern": "hot-spot",
                    "to": 0,
                    "hosts": list(range(1, 9)),
                    "load": round(load * float(WISHES[sl]) / 8 / lanes_of, 6),
                    "message_bytes": 64 * MESSAGES[sl],
                    **({"arrival": "poisson"} if poisson else {}),
                }
            )
    report = q.sim(one_port(config, traffic, ports=9, measure=300), "--seed", seed)
    shares_of = [sum(item["share"] for item in report["classes"] if item["name"].startswith(name)) for name in NAMES]
    waits = [report["classes"][sl * lanes_of]["message_latency_ns"]["mean"] / 5.12 for sl in range(5)]
    return shares_of, waits


def port_waits(kind, load, messages=False):
    """Of each seed the waits of the SLs."""
    return [port_run(kind, load, messages=messages, seed=seed)[1] for seed in PORT_SEEDS]


def differences(waits, pairs):
    """Of SLs, (higher, lower): what the first waits longer, over the seeds."""
    return {(NAMES[a], NAMES[b]): interval([wait[a] - wait[b] for wait in waits]) for a, b in pairs}


def in_credits(waits):
    return "/".join(interval(list(of)).text(0) for of in zip(*waits, strict=True))


@row("opa-d09", "which unit fits the text")
def _():
    base, whole = (port_waits("rr", 0.98, messages) for messages in (False, True))
    as_told = [(1, 0), (2, 1), (3, 0), (4, 0), (2, 3), (2, 4)]
    holds(Comparisons(differences(base, as_told)), "packets: VO < VI < CL, BE and BK between VO and CL")
    against = Comparisons(differences(whole, as_told)).turned
    holds(("CL", "VI") in against and ("BE", "VO") in against, "messages contradict twice")
    return agrees(
        f"waits in credits, packets of 128 bytes: {in_credits(base)}; whole messages: {in_credits(whole)}",
        f"sim, one port at 0.98, RR, Poisson, {len(base)} seeds, signs alone, beyond the intervals: with messages as the unit CL waits less than VI and BE and BK less than VO, which the text rules out",
    )


@row("opa-d10", "DTable at 0.98 of one port")
def _():
    found, base = port_waits("dtable", 0.98), port_waits("rr", 0.98)
    found_of = Comparisons(
        {
            "VO above RR's": interval([a[0] - b[0] for a, b in zip(found, base, strict=True)]),
            "CL below RR's": interval([b[2] - a[2] for a, b in zip(found, base, strict=True)]),
            **differences(found, [*itertools.product((3, 4), range(3)), (1, 0), (2, 1)]),
        }
    )
    unsure = [name for name in found_of.of if name not in found_of.shown]
    return by_comparisons(
        found_of,
        f"waits in credits: DTable {in_credits(found)}, RR {in_credits(base)}",
        f"sim, one port, Poisson, a VL for each SL, {len(found)} seeds: signs, VO above RR's, CL below, and the order of the SLs; {len(found_of.shown)} of {len(found_of)} are shown, open are "
        + (" and ".join(f"{name[0]} above {name[1]}" for name in unsure) or "none"),
    )


@row("opa-d08", "SBT as printed is RR where an SL has one VL, BE and BK one together")
def _():
    loads, seeds = (0.9, 1.05, 1.25), PORT_SEEDS[:8]

    def of(kind, load):
        return [port_run(kind, load, seed=seed) for seed in seeds]

    def apart(load, other, place, function):
        """Means over the seeds, by SL, of function(SBT's, the other's)."""
        pairs = [(a[place], b[place]) for a, b in zip(of("four", load), of(other, load), strict=True)]
        return [sum(function(a[sl], b[sl]) for a, b in pairs) / len(pairs) for sl in range(len(NAMES))]

    def later(load, other):
        return apart(load, other, 1, lambda a, b: a / b - 1)

    shares_apart = max(
        abs(x) for load in loads for other in ("four rr", "rr") for x in apart(load, other, 0, lambda a, b: a - b)
    )
    same_vls = max(abs(x) for load in loads for x in later(load, "four rr"))
    sls = {load: later(load, "rr") for load in loads}
    five = [port_run(kind, loads[-1]) for kind in ("printed", "rr")]
    holds(shares_apart <= 0.0001 and same_vls <= 0.02, "equal shares, and waits as those of RR over the same VLs")
    return decided(
        max(abs(x) for of_load in sls.values() for x in of_load) <= 0.03,
        f"at {'/'.join(map(str, loads))} shares within {100 * shares_apart:.3f} points; mean latencies against RR over the SLs: VO, VI and CL within "
        f"{100 * max(abs(x) for of_load in sls.values() for x in of_load[:3]):.1f} %, BE and BK later by {'/'.join(f'{50 * (x[3] + x[4]):.0f}' for x in sls.values())} %",
        f"sim, one port, Poisson, four VLs, BE and BK in one, {len(seeds)} seeds; with a VL for each under SBT five can be busy and spent, weights are restored now and then, and at "
        f"{loads[-1]} shares are {100 * max(abs(x - y) for x, y in zip(five[0][0], five[1][0], strict=True)):.1f} points apart",
        f"BE and BK have one turn between them: against RR over the same four VLs, the one change, all are within {100 * same_vls:.1f} %",
    )


@row("opa-d19", "SBT as printed leaves RR where both VLs of an SL are in use")
def _():
    derived = {1.05: ((0.308, 0.481), (0.313, 0.476)), 1.25: ((0.300, 0.449), (0.373, 0.375))}
    told = []
    for load, expected in derived.items():
        found = []
        for kind, vi_and_cl in zip(("two", "two rr"), expected, strict=True):
            runs = [port_run(kind, load, poisson=False, seed=seed)[0] for seed in PORT_SEEDS[:3]]
            found.append([sum(of) / len(runs) for of in zip(*runs, strict=True)])
            near(found[-1][1:3], vi_and_cl, 0.01, f"VI and CL, {kind}, at {load}")
        told.append(f"at {load}: SBT {percent(found[0], 1)}, RR {percent(found[1], 1)}")
    return agrees(
        "; ".join(told),
        "sim, one port, ten VLs, 3 seeds, VI and CL within a point of what is derived: now and then exactly five are busy and spent, and weights are restored",
    )
