"""Rows of the dragonfly paper on what classes get of links and how they stall (Figs. 9, 10 and 12), and on how to choose their rates (Sects. V to VII)."""

import functools
import itertools
import statistics

import command as q
import dragonfly_latency_networks as networks
from dragonfly import TABLE_4, at_loads, coloured, paper, stalls, trtcm
from dragonfly_jobs import LATENCY, TURN, early, got, got_1, slower, stalls_1, stopped_with_class_0
from dragonfly_latency_networks import HALF, MACHINE_LINKS, QUARTER, UNASSURED, with_class
from dragonfly_shaping import SHAPING, busy, shares_text
from dragonfly_sizes import NotRun, Points, at_most, beyond, off_one, percent, row, where_run
from experiment import Comparisons, paired, ratio
from rows import by_comparisons, decided, near

ON_LINKS = Points(networks.ON_LINKS, MACHINE_LINKS)


@row("dfly-78", "class 0's load is two orders of magnitude below all others'")
def _():
    part = LATENCY["QoS"].each(lambda a: a["UR-3.share"] / a["class 0.share"])
    turn = TURN["QoS"].each(
        lambda a: a["UR-3.accepted"]
        / sum(value for name, value in a.items() if name.startswith("job") and name.endswith(".accepted"))
    )
    return decided(
        beyond(part, 100) and turn.mean > 100,
        f"class 3 gets {part.text(0)} times the flits of class 0, {turn.text(0)} if calls follow one another; {part.mean / 5:.0f} and {turn.mean / 5:.0f} if messages of 8 bytes took 160 as the others' packets do",
        f"{LATENCY}, calls {networks.GAP_US} us apart, messages of 8 bytes in packets of one flit of 32. What the paper counts is not told; by payload the factors are 4 times as large",
    )


@row("dfly-79", "class 0 is within its assured 5 %")
def _():
    most = LATENCY["QoS"].each(lambda a: max(a["class 0.got"]))
    colours = LATENCY["QoS"].each(lambda a: a["stalls.yellow.0"] + a["stalls.red.0"])
    port = ON_LINKS["QoS"]["zero.most"]
    return decided(
        most.mean < 0.05 and port.mean < 0.05,
        f"at most {percent(most, 3)} of the hosts' links together in any window; on no link more than {percent(port, 2)} of what it carries in 10 us",
        f"{LATENCY}; {ON_LINKS}: of each link all that class 0 sends there in {'14' if Points.machine else '84'} us, three and more calls, is held against 10 us; {colours.mean:.0f} stalls of yellow or red packets of class 0",
    )


@row("dfly-80", "rates differ by class")
def _():
    got = [LATENCY["QoS"][f"UR-{i}.share"] for i in (1, 2, 3)]
    zero = LATENCY["QoS"]["class 0.share"]
    stopped = stopped_with_class_0(networks.L_LOADS)
    return decided(
        got[0].mean > got[1].mean > got[2].mean > zero.mean and stopped.holds(networks.L_LOADS),
        "classes 1, 2, 3, 0 get "
        + "/".join(f"{200 * value.mean:.1f}" for value in (*got, zero))
        + " % of the global bandwidth",
        f"{LATENCY}; offered "
        + "/".join(f"{200 * LATENCY['QoS'].mean(f'UR-{i}.offered'):.1f}" for i in (1, 2, 3))
        + " %. These runs end at a fixed time"
        + ("" if Points.machine else f"; where the uniform jobs stop with the last call (dfly-88), {stopped.drained()}"),
    )


@row("dfly-81", "no warm-up is needed")
def _():
    def windows(point, number):
        """Means over 10 us each, the second to the sixth."""
        run = LATENCY[point]
        got, ends = run.series(f"UR-{number}.got"), run.series("ends_us")
        tens = [[value for value, end in zip(got, ends, strict=True) if 10 * i < end <= 10 * i + 10] for i in range(1, 6)]
        return [sum(values) / len(values) for values in tens if values]

    def furthest(point):
        """How far a window is from the mean of a class's windows, at most; the class and which window it is, from 0 on."""
        found = []
        for number in (1, 2, 3):
            means = windows(point, number)
            found += [(abs(mean / statistics.mean(means) - 1), number, place) for place, mean in enumerate(means)]
        return max(found)

    def unsteadiness(point):
        return furthest(point)[0]

    worst, number, place = furthest("QoS")
    minimal = unsteadiness("QoS, minimal routes")
    told = "; ".join(f"class {i} " + "/".join(f"{200 * mean:.1f}" for mean in windows("QoS", i)) for i in (1, 2, 3))

    def carried(point):
        """Of what is offered from 10 us on."""
        run = LATENCY[point]
        on = [10 < end <= 60 for end in run.series("ends_us")]
        got = sum(value for i in (1, 2, 3) for value, inside in zip(run.series(f"UR-{i}.got"), on, strict=True) if inside) / sum(on)
        return got / sum(run.mean(f"UR-{i}.offered") for i in (1, 2, 3))

    def cause():
        half, quarter = unsteadiness(HALF), unsteadiness(QUARTER)
        return (
            f"more is offered than the network carries, {100 * carried('QoS'):.0f} % of it, so queues fill as long as the run lasts; with a quarter of the loads, the one change, {100 * carried(QUARTER):.0f} % are carried "
            f"and windows are within {100 * quarter:.1f} %, with half {100 * carried(HALF):.0f} % and {100 * half:.1f} %"
            if quarter < 0.05 and carried(QUARTER) > 0.99
            else None
        )

    return decided(
        worst < 0.05,
        f"windows of 10 us from the second to the sixth: {told} % of the global bandwidth, up to {100 * worst:.1f} % from a class's mean, class {number} in the {('second', 'third', 'fourth', 'fifth', 'sixth')[place]}; "
        f"with minimal routes {100 * minimal:.1f} %",
        f"{LATENCY}, classes 1 to 3",
        where_run(cause),
    )


@row("dfly-82", "class 0 has negligible stalls")
def _():
    part = LATENCY["QoS"].each(
        lambda a: sum(a[f"stalls.{c}.0"] for c in ("green", "yellow", "red"))
        / sum(a[f"stalls.{c}.{i}"] for c in ("green", "yellow", "red") for i in range(4))
    )
    own = paired(
        LATENCY["QoS"],
        LATENCY["Standalone"],
        lambda a, b: sum(a[f"stalls.{c}.0"] for c in ("green", "yellow", "red")) / b["delivered"],
    )
    return decided(
        part.mean < 0.01 and own.mean < 0.05,
        f"{percent(part, 4)} of all stalls; {own.text(4)} cycles of stall a packet of its own",
        f"{LATENCY}: near 0 is read as below 0.05 a packet",
    )


def red_part(point):
    return LATENCY[point].each(
        lambda a: sum(a[f"stalls.red.{i}"] for i in range(4))
        / sum(a[f"stalls.{c}.{i}"] for c in ("green", "yellow", "red") for i in range(4))
    )


@row("dfly-83", "negligible red stalls of all classes")
def _():
    part, minimal = red_part("QoS"), red_part("QoS, minimal routes")

    def cause():
        large = red_part("QoS, bursts of 64 packets")
        return (
            f"buckets, whose size the paper does not give: with bursts of 64 packets instead of 4, the one change, {percent(large, 2)}"
            if large.mean < 0.01
            else None
        )

    return decided(
        part.mean < 0.01,
        f"{percent(part, 2)} of all stalls are red",
        f"{LATENCY}; with minimal routes {percent(minimal, 2)}",
        where_run(cause),
    )


@row("dfly-84", "the reason is that the peak rate is at least the load")
def _():
    def part(point):
        return LATENCY[point].each(
            lambda a: sum(early(a, "series.red.1"))
            / sum(sum(early(a, f"series.{colour}.1")) for colour in ("green", "yellow", "red"))
        )

    base, light, low = part("QoS"), part("UR-1 at 70 %"), part("class 1 peak 60")

    def bursts():
        return (
            f"; with bursts of 64 packets instead of 4 {percent(part('QoS, bursts of 64 packets'))} at its load of 80 %"
        )

    def cause():
        quarter = part(QUARTER)
        return (
            f"what comes to single links of few nodes for a while is more than the peak rate and its bucket let pass: with a quarter of the loads, the one change, {percent(quarter)}"
            if quarter.mean < 0.01
            else None
        )

    return decided(
        low.mean > 0.3 and base.mean < 0.01 and light.mean < 0.01,
        f"red part of class 1's stalls: {percent(base)}; with its load at 70 % {percent(light)}; with a peak of 60 % {percent(low)}",
        f"{LATENCY}, 10 to 28 us" + (where_run(bursts)() or ""),
        None if Points.machine else cause,
    )


@row("dfly-85", "many yellow stalls")
def _():
    parts = [
        LATENCY["QoS"].each(lambda a, c=c: sum(a[f"stalls.{c}.{i}"] for i in range(4)))
        for c in ("green", "yellow", "red")
    ]
    return decided(
        parts[1].mean > max(parts[0].mean, parts[2].mean),
        "green/yellow/red: " + "/".join(f"{part.mean / 1e6:.2f}" for part in parts) + " million",
        LATENCY,
    )


@row("dfly-93", "classes 0 and 1 hardly notice the heavier background")
def _():
    one, zero = ratio(LATENCY["heavy"], LATENCY["QoS"], "UR-1.share"), ratio(
        LATENCY["heavy"], LATENCY["QoS"], "allreduce.mean"
    )

    def cause():
        unassured = ratio(LATENCY["heavy, class 3 assured 0"], LATENCY["QoS"], "UR-1.share")
        return (
            (
                "the lower classes take their assured rates, which the lighter background leaves unused on many links, from class 1: with no assured rate "
                f"for class 3, the one change, class 1 has {unassured.text(3)}"
            )
            if unassured.mean > 0.99
            else None
        )

    return at_most(
        [(off_one(found), 0.02) for found in (one, zero)],
        f"class 1's throughput {one.text(3)}, class 0's latency {zero.text(3)} of the lighter background's",
        LATENCY,
        where_run(cause),
    )


@row("dfly-94", "class 1 keeps a high throughput")
def _():
    one = ratio(LATENCY["heavy"], LATENCY["QoS"], "UR-1.share")
    others = [ratio(LATENCY["heavy"], LATENCY["QoS"], f"UR-{i}.share") for i in (2, 3)]
    of_global = LATENCY["heavy"].each(lambda a: 2 * a["UR-1.share"])
    before = [[200 * LATENCY["QoS"].mean(f"UR-{i}.{what}") for what in ("share", "offered")] for i in (2, 3)]
    return decided(
        one.mean >= 0.9 and of_global.mean >= 0.3 and all(found.mean <= 1.02 for found in others),
        f"{percent(of_global)} of the global bandwidth, {one.text(3)} of before; classes 2 and 3 {' and '.join(found.text(3) for found in others)} of before",
        f"{LATENCY}: that classes 2 and 3 gain nothing is read as 2 % at most. Before they had "
        + " and ".join(f"{share:.1f} of {offered:.1f} % offered" for share, offered in before),
    )


@row("dfly-99", "peak rate = expected load is a good first choice")
def _():
    found = [got_1(LATENCY[point]) for point in ("class 1 peak 40", "class 1 peak 60", "QoS", "class 1 peak 100")]
    return decided(
        abs(found[3].mean / found[2].mean - 1) < 0.02 and found[0].mean <= found[2].mean,
        "class 1 with peaks of 40, 60, 80, 100 %: "
        + "/".join(f"{200 * value.mean:.1f}" for value in found)
        + " % of the global bandwidth",
        f"{LATENCY}, 10 to 28 us: no gain above its load",
    )


@row("dfly-100", "assured rate: the least with acceptable service under oversubscription")
def _():
    """Of full links, as rates are assured at ports: of what arrives detours take a part for their second global link."""
    points = ("heavy, class 3 assured 0", "heavy", "heavy, class 3 assured 10", "heavy, class 3 assured 20")
    assured = (0, 5, 10, 20)
    found = [got(LATENCY[point], 3) for point in points]
    links = {rate: part for rate, point in zip(assured, points, strict=True) if (part := where_run(part_of(point, 3))())}
    one = [100 * one_port(rate) for rate in assured]
    near(one, assured, 1, "class 3 at one port")
    if not links:
        raise NotRun("heavy")
    at_port = "/".join(f"{part:.1f}" for part in one)
    return decided(
        all(abs(100 * part.mean - rate) <= 1 for rate, part in links.items())
        and all(a.mean < b.mean for a, b in itertools.pairwise(found)),
        "class 3 assured "
        + ", ".join(map(str, links))
        + " %: "
        + "/".join(f"{100 * part.mean:.1f}" for part in links.values())
        + " % of what full global links carry; assured 0, 5, 10, 20 %: what arrives is "
        + "/".join(f"{200 * value.mean:.1f}" for value in found)
        + " % of the global bandwidth",
        f"{ON_LINKS} and {LATENCY}, heavy background, what arrives from 10 to 28 us"
        + (
            f": a detour takes two global links, so of an assured rate up to half arrives. One port at these loads (decide): {at_port} %"
            if Points.machine
            else ""
        ),
        f"few nodes load links unevenly, and where the others leave something class 3 gets it: at one port, the one change, {at_port} % (decide)",
    )


def part_of(point, number):
    return lambda: ON_LINKS[point][f"{number}.mean"]


@functools.cache
def one_port(assured, cycles=4000):
    """What class 3 gets of one port at the heavy loads of global links."""
    events = at_loads((0.001, 0.8, 0.338, 0.338), cycles, 100)
    return q.winners(trtcm(with_class(3, assured, 20)), events).count(3) / cycles


@functools.cache
def yellow_of_3(assured):
    """Yellow stalls of class 3 at one port at the loads of global links."""
    events = at_loads((0.001, 0.8, 0.254, 0.085), 4000, 101)
    return stalls(coloured(trtcm(with_class(3, assured, 20)), events), 4)[3][1]


@row("dfly-101", "yellow and red stalls tell of rate limits")
def _():
    points = ("class 1 peak 40", "class 1 peak 60", "QoS", "class 1 peak 100")
    red = [stalls_1(LATENCY[point], "red").mean / 1e6 for point in points]
    assured = (0, 5, 8, 10)
    yellow = [yellow_of_3(rate) for rate in assured]
    return decided(
        all(a > b for a, b in itertools.pairwise(red)) and all(a > b for a, b in itertools.pairwise(yellow)),
        "class 1's red stalls with peaks of 40, 60, 80, 100 %: "
        + "/".join(f"{value:.2f}" for value in red)
        + f" million; class 3's yellow ones with {', '.join(map(str, assured))} % assured: {'/'.join(map(str, yellow))} of 4,000",
        f"{LATENCY}, 10 to 28 us; red ones turn yellow: "
        + "/".join(f"{stalls_1(LATENCY[point], 'yellow').mean / 1e6:.2f}" for point in points)
        + ". Yellow ones: one port at the loads of global links (decide)",
    )


@row("dfly-102", "green stalls tell of too low a priority")
def _():
    before, after = (
        [busy(point, "green", i).mean / 1e6 for i in range(4)] for point in ("Table II", "1 and 2 swapped")
    )
    return decided(
        after[2] > before[1] and after[1] < before[2],
        f"one priority down the 60 % class goes from {before[1]:.2f} to {after[2]:.2f} million, one up the 20 % class from {before[2]:.2f} to {after[1]:.2f}",
        f"{SHAPING}: shares stay, {shares_text('Table II')} and {shares_text('1 and 2 swapped')}",
    )


@row("dfly-103", "counters expose a wrong assignment of jobs to classes")
def _():
    heavy = SHAPING["Table II"].each(lambda a: a["stalls.red.0"]).mean
    quiet = LATENCY["QoS"].each(lambda a: a["stalls.red.0"]).mean
    return decided(
        heavy > 100 * max(quiet, 1),
        f"red stalls of class 0: {heavy:.0f} with a heavy job in it, {quiet:.0f} with allreduce",
        f"{SHAPING}; {LATENCY}",
    )


@row("dfly-104", "a low-latency class can be good without an assured rate")
def _():
    with_rate, without = slower("QoS", "mean"), slower(UNASSURED, "mean")
    most, good = slower(UNASSURED, "max"), 1.1

    def cause():
        if with_rate.mean >= good:
            return None
        return f"the paper's own rule of colours (Sect. III-A), by which such a class comes behind every green packet: with 5 % assured, the one change, mean {with_rate.text(3)}"

    return by_comparisons(
        Comparisons([without.under(good)]),
        f"mean {without.text(3)}, maximum {most.text(2)} of Standalone; {with_rate.text(3)} with 5 %",
        f"{LATENCY}; good is read as less than {good} in the mean, of calls that end within the run; all its packets are yellow then, behind every green one",
        where_run(cause),
    )


@row("dfly-109", "best effort keeps its throughput, the others are limited yet progress")
def _():
    """At full global links: there rates are assured."""
    points, numbers = ("QoS", "heavy"), (1, 2, 3)
    assured = [rate / 100 for rate, _ in TABLE_4[1:]]
    parts, least, below = (
        {point: [ON_LINKS[point][f"{i}.{what}"] for i in numbers] for point in points}
        for what in ("mean", "least", "below")
    )
    arrived = {point: [LATENCY[point].each(lambda a, i=i: 2 * a[f"UR-{i}.share"]) for i in numbers] for point in points}
    full = " and ".join(f"{ON_LINKS[point].mean('links'):,.0f}" for point in points)

    def told(found):
        return "; ".join(
            f"{point} " + "/".join(f"{100 * value.mean:.1f}" for value in values) for point, values in found.items()
        )

    return decided(
        all(part.mean >= rate for values in parts.values() for part, rate in zip(values, assured, strict=True)),
        f"classes 1 to 3 have of what {full} full global links carry, in the mean {told(parts)} %, the least on any {told(least)} %; in {told(below)} % of them a class has less than is assured; what arrives is {told(arrived)} % of the global bandwidth",
        f"{ON_LINKS}, {LATENCY}: assured are 30/20/5 %, and the mean over the links decides. Proposed was each link, or all that the class offers there where that is less: what is offered to a link is not kept, so that of the links with less it is not told which ones offer less. A detour takes two global links, so up to half arrives",
    )


# --- the page -------------------------------------------------------------------------------------


def links_table(experiment):
    """What classes have of full global links."""
    return [
        experiment.told()
        + f" Full is above {networks.FULL:.0%} of a link's rate, from the first cycle on.".replace("%", " %"),
        "",
        "| configuration | full links | classes 1/2/3, % of what they carry | least | most | most of class 0 on any link, % of 10 us |",
        "| --- |" + " --- |" * 5,
        *(
            f"| {point} | {run['links'].text(0)} | "
            + " | ".join(
                "/".join(run[f"{number}.{what}"].text(1, 100) for number in (1, 2, 3))
                for what in ("mean", "least", "most")
            )
            + f" | {run['zero.most'].text(2, 100)} |"
            for point, run in ((point, experiment[point]) for point in experiment.stored()["points"])
        ),
    ]


@paper.section("What classes have of full links")
def _():
    return "\n".join(
        [
            *links_table(networks.ON_LINKS),
            *(["", *links_table(MACHINE_LINKS)] if MACHINE_LINKS.size() == "full" else []),
        ]
    )
