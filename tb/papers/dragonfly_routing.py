"""Rows of the dragonfly paper on congestion, buffers and routing (Sects. II, III-A, IV-C and VI), and what adaptive routing has to count."""

import command as q
import dragonfly_latency_networks as networks
from dragonfly import TABLE_2, paper
from dragonfly_congestion_networks import CONGESTION
from dragonfly_jobs import LATENCY, idle_of, latency_table, over_idle
from dragonfly_latency_networks import MACHINE, MACHINE_ANY_DIFFERENCE, MACHINE_CHANGED
from dragonfly_networks import classes, network
from dragonfly_sizes import large_points, percent, row
from experiment import Comparisons, difference, ratio
from rows import agrees, decided, holds, near

HOT = "experiment congestion"


@row("dfly-13", "separate buffers of the classes")
def _():
    apart = difference(CONGESTION["light beside a full class"], CONGESTION["light alone"], "light.mean")
    together = difference(CONGESTION["light in one class"], CONGESTION["light alone"], "light.mean")
    return decided(
        abs(apart.mean) < 6.4 * 4,
        f"a light class waits {apart.text(1)} ns more beside a class whose buffers are full",
        f"{HOT}: at most a packet time of 6.4 ns at each of four hops; {together.text(0)} ns more if both share a class",
    )


@row("dfly-25", "adaptive routing helps against intermediate, not endpoint congestion")
def _():
    pair = ratio(CONGESTION["pair, adaptive"], CONGESTION["pair, minimal"], "hot.accepted")
    incast = ratio(CONGESTION["incast, adaptive"], CONGESTION["incast, minimal"], "hot.accepted")
    used = ratio(CONGESTION["incast, adaptive"], CONGESTION["incast, minimal"], "global.mean")
    return decided(
        Comparisons([pair.over(1), used.over(1)]) and abs(incast.mean - 1) < 0.02,
        f"pairs of groups {pair.text(2)} times the throughput of minimal routes, incast {incast.text(2)} times",
        f"{HOT}; the incast's backlog takes {used.text(1)} times as much of the global links",
    )


@row("dfly-26", "QoS heals neither kind of congestion")
def _():
    pair = ratio(CONGESTION["pair, adaptive"], CONGESTION["pair, one class"], "hot.accepted")
    incast = ratio(CONGESTION["incast, adaptive"], CONGESTION["incast, one class"], "hot.accepted")
    return decided(
        abs(pair.mean - 1) < 0.02 and abs(incast.mean - 1) < 0.02,
        f"throughput with four classes over that with one: {pair.text(3)} for pairs of groups, {incast.text(3)} for an incast",
        HOT,
    )


@row("dfly-27", "head-of-line blocking is what slows victims")
def _():
    alone, together = CONGESTION["light alone"], CONGESTION["light in one class"]
    above, below = (
        difference(CONGESTION[f"light {where} a full class"], alone, "light.mean") for where in ("beside", "below")
    )
    slower = difference(together, alone, "light.mean")
    return decided(
        above.below(slower.mean / 2) and below.below(slower.mean / 2),
        f"beside an incast in the same class a light job's packets take {slower.text(0)} ns more than alone, in a class of their own with the same rates "
        f"{above.text(1)}, if that has the highest priority, and {below.text(1)}, if the lowest",
        f"{HOT}: so it is what waits ahead in the same queue, and not for the link, that slows them; main is read as more than half",
    )


@row("dfly-28", "uniform traffic makes no hot spots, a permutation does")
def _():
    even = CONGESTION["uniform 20 %"].each(lambda a: a["global.max"] / a["global.mean"])
    uneven = CONGESTION["permutation 20 %"].each(lambda a: a["global.max"] / a["global.mean"])
    return decided(
        even.mean < 1.3 and uneven.mean > 2,
        f"busiest over mean global link: {even.text(2)} and {uneven.text(2)}",
        f"{HOT}, 20 % load, minimal routes",
    )


def hops_in_class(number, routing):
    """Routers a packet, where each group sends to the next one in one class; all of it arrives."""
    traffic = [
        {
            "name": "a",
            "queue": number,
            "pattern": "permutation",
            "permutation": "shift",
            "shift": 8,
            "load": 0.6,
            "messages": 10,
            "message_bytes": 640,
        }
    ]
    scenario = network("quick", classes(TABLE_2), traffic, {"warmup_us": 0, "measure_us": 40}, routing)
    scenario["network"]["topology"].update(groups=4, switches=4, hosts_per_switch=2, global_links=1)
    report = q.sim(scenario)
    near(report["flits_delivered"], 32 * 10 * 20, 0, "flits delivered")
    return report["packet_hops"] / (report["flits_delivered"] / 5)


@row("dfly-105", "any class can take any traffic, unlike classes that route minimally")
def _():
    found = [hops_in_class(number, "adaptive") for number in range(4)]
    least = hops_in_class(0, "minimal")
    holds(min(found) > 1.1 * least, f"detours in each class: {found} against {least}")
    return agrees(
        "from group to next group, in classes 0 to 3: "
        + "/".join(f"{hops:.2f}" for hops in found)
        + f" routers a packet with adaptive routes, {least:.2f} with minimal ones",
        "sim, 32 hosts, classes of Table II: all is delivered by detours in each class",
    )


# --- the page -------------------------------------------------------------------------------------


@paper.section("What adaptive routing has to count")
def _():
    points = [
        "Standalone",
        "QoS",
        "QoS, all classes counted",
        "QoS, minimal routes",
        "heavy",
        "no-QoS",
        "no-QoS, four buffers in one",
    ]
    lines = [LATENCY.few.told(), "", *latency_table({point: LATENCY[point] for point in points})]
    own, everything = (
        over_idle(LATENCY[point], LATENCY["Standalone"]) for point in ("QoS", "QoS, all classes counted")
    )
    lines += [
        "",
        f"A switch that counts only what waits in the packet's own class keeps class 0 within {percent(own)} of an idle system's mean; one that counts all "
        f"classes sends class 0 around the load of the others, {percent(everything)} above it. The paper does not say which; only the first keeps its classes apart.",
    ]
    large = large_points(MACHINE, MACHINE_CHANGED)
    if "QoS" in large and "QoS, minimal routes" in large:
        slow = [over_idle(large[point], large[idle_of(point)]) for point in ("QoS", "QoS, minimal routes")]
        lines += [
            "",
            f"On the paper's nodes the first is {percent(slow[0])} above, and minimal routes {percent(slow[1])}; classes 1 to 3 get "
            + " and ".join(
                "/".join(f"{200 * large[point].mean(f'UR-{i}.share'):.1f}" for i in (1, 2, 3))
                for point in ("QoS", "QoS, minimal routes")
            )
            + " % of the global bandwidth: a detour takes two global links.",
        ]
    for experiment in (networks.ANY_DIFFERENCE, MACHINE_ANY_DIFFERENCE):
        if experiment is networks.ANY_DIFFERENCE or experiment.size() == "full":
            lines += [
                "",
                experiment.told(),
                "",
                *latency_table({point: experiment[point] for point in experiment.stored()["points"]}),
            ]
    return "\n".join(lines)
