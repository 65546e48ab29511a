"""Rows of the Cray paper's arbiter and its parameters (Sects. 2.1, 2.3 and 2.3.2): age clock and biases, who competes, by age or round robin."""

import itertools
import random
import re
from fractions import Fraction

import command as q
import cray_networks as nets
from cray_machine import ALL_RR, merged, random_log, row, seastar
from cray_small import groups_by_first_bias, network, one, with_tables
from rows import NOT_TESTABLE, Verdict, agrees, holds, near, same


@row("cray-54", "AGE_CLOCK_PERIOD")
def _():
    same(q.refused(seastar(period=1)), None, "1")
    same(q.refused(seastar(period=2**32 - 1)), None, "2^32 - 1")
    holds(q.refused(seastar(period=2**32)) and q.refused(seastar(period=0)), "2^32 and 0 are refused")
    at_once = [q.arrive(queue) for queue in range(28)] + q.arbs(28, 1000)
    same({d.age for d in q.decide(seastar(7, req=0, rsp=0, period=100), at_once)}, {10}, "ages after ten ticks")
    return agrees(
        "1 to 2^32 - 1; the heads of all 28 queues are 10 after ten ticks of one clock",
        "decide; 0 and 2^32 are refused",
    )


@row("cray-55", "range of the age step")
def _():
    near((2**32 - 1) * 2e-9, 8.59, 0.005, "s")
    same([q.refused(seastar(period=period)) for period in (1, 2**32 - 1)], [None, None], "accepted")
    return agrees("2 ns to 8.59 s at 500 MHz", "arithmetic; decide accepts both ends")


@row("cray-58", "biases by class of VC")
def _():
    ages = [q.decide(seastar(req=3, rsp=6), [q.arrive(vc, 1, 0, 10)] + q.arbs(1))[0].age for vc in range(4)]
    same(ages, [13, 13, 16, 16], "ages")
    return agrees("age 10 becomes 13, 13, 16, 16 on VC 0 to 3", "decide, biases 3 and 6")


@row("cray-59", "default bias")
def _():
    config = {key: value for key, value in seastar(7).items() if not key.endswith("_bias")}
    ages = [
        q.decide(config, [q.arrive(4 * port + vc, 1, 0, 10)] + q.arbs(1))[0].age for port in range(7) for vc in (0, 2)
    ]
    same(ages, [11] * 14, "ages")
    return agrees(
        "1 on every port, for requests and responses",
        "decide with no bias given; the register AGE_BIAS is 0 until a configuration is written, and nothing is decided before",
    )


@row("cray-60", "bias per port")
def _():
    config = seastar(7, req=range(7), rsp=[6 - i for i in range(7)])
    ages = [q.decide(config, [q.arrive(4 * port + vc, 1)] + q.arbs(1))[0].age for port in range(7) for vc in (0, 2)]
    same(ages, [value for port in range(7) for value in (port, 6 - port)], "ages")
    return agrees("7 pairs, each its own", "decide")


@row("cray-61", "AGE_RR_SELECT all zeros")
def _():
    log = random_log(random.Random(61), range(8), 500, rate=1.0)
    found = q.decide(seastar(select=ALL_RR, period=10**6), log)
    plain = q.decide({"policy": "rr", "queues": 8, "max_packet_flits": 9}, log)
    same([d.queue for d in found], [d.queue for d in plain], "decisions")
    by_age = q.decide(seastar(period=10**6), log)
    others = sum(a.queue != b.queue for a, b in zip(found, by_age, strict=True))
    holds(others > 100, f"by age {others} are others")
    return agrees(
        f"as rr in {len(found)} arbitrations, of which {others} go elsewhere by age",
        "decide, random log (seed 61), period above its length",
    )


def heads(decision):
    """New ages of the candidates that a decision by age looked at."""
    return {
        int(m.group(1)): int(m.group(2))
        for line in decision.told
        for m in [re.match(r"queue (\d+) \(.*new age (\d+)", line)]
        if m
    }


@row("cray-62", "AGE_RR_SELECT all ones")
def _():
    looked = 0
    for d in q.decide(seastar(period=3), random_log(random.Random(62), range(8), 500, rate=1.0), explain=True):
        ages = heads(d)
        if d.before.get("inhibit") == "false" and ages:
            same(d.age, max(ages.values()), f"cycle {d.cycle}")
            looked += len(ages) > 1
    holds(looked > 200, "decisions with a choice")
    return agrees(
        f"the greatest new age in all of {looked} decisions with a choice", "decide --explain, random log (seed 62)"
    )


@row("cray-63", "AGE_RR_SELECT 0101...")
def _():
    config = seastar(select="0x5555555555555555", period=10**6)
    events = [q.arrive(queue, 1, 0, 200 if queue == 3 else 10) for queue in range(8) for _ in range(64)] + q.arbs(64)
    decisions = q.decide(config, events, explain=True)
    kinds = ["by age" in " ".join(d.told) for d in decisions]
    same(kinds, [True, False] * 32, "kinds")
    same({d.queue for d, by_age in zip(decisions, kinds, strict=True) if by_age}, {3}, "the oldest, at every turn of age")
    same([d.queue for d, by_age in zip(decisions, kinds, strict=True) if not by_age], list(range(8)) * 4, "the others go round")
    return agrees("32 of 64 by age, in turn, bit 0 first", "decide --explain")


@row("cray-64", "a staging buffer for each input and VC: no allocation")
def _():
    def latencies(architecture, heavy):
        every_us = {"burst": {"bytes": 72, "period_us": 1}}
        traffic = [{**one(1, to)[0], "name": f"to {to}", **every_us} for to in (2, 0)]
        if heavy:
            traffic.append({**nets.all_to_last(3)[0], "hosts": [0]})
        scenario = network([3], traffic, {"warmup_us": 10, "measure_us": 50}, "mesh")
        if architecture != "seastar":
            scenario["network"]["switch"]["architecture"] = architecture
            for key in ("vcs", "output_queue_flits"):
                del scenario["network"]["switch"][key]
            scenario["arbiter"]["queues"] = 1
        report, tables = with_tables(scenario, "counters")
        stalled = [
            int(line["value"])
            for line in tables["counters"]
            if (line["port"], line["counter"]) == ("switch1.port0", "input_stalled")
        ]
        return [item["network_latency_ns"]["mean"] for item in report["classes"][:2]], stalled

    (alone, _), (beside, stalled) = (latencies("seastar", heavy) for heavy in (False, True))
    crossbar = [latencies("input-queued", heavy)[0][1] for heavy in (False, True)]
    holds(beside[0] > alone[0], "the two inputs do meet at the output")
    same((beside[1], stalled), (alone[1], [0]), "latency of the second packet, cycles in which its input had to wait")
    holds(crossbar[1] > crossbar[0] + 4, f"a crossbar that is allocated makes it wait: {crossbar}")
    return agrees(
        f"{beside[1]:.0f} ns with and without another input that fills the output of the packet before it, and its input waits 0 cycles",
        f"sim, line of three: two packets of one input, the first to an output that another input fills, the second to a free one; the first waits for its turn in its staging buffer ({alone[0]:.0f} and {beside[0]:.0f} ns). "
        f"In a crossbar with allocation, the one change, the second waits, too: {crossbar[0]:.0f} and {crossbar[1]:.0f} ns",
    )


def at_once(hosts, to):
    """A packet from each host at the same time."""
    return [{**one(host, to)[0], "name": f"host{host}", "hosts": [host]} for host in hosts]


@row("cray-65", "arbitration per packet")
def _():
    def latencies(hosts):
        report = q.sim(network([3], at_once(hosts, 1), {"warmup_us": 0, "measure_us": 5}, "mesh"))
        return sorted(item["network_latency_ns"]["mean"] / nets.CYCLE_NS for item in report["classes"])

    alone, both = latencies([0]), latencies([0, 2])
    same(latencies([2]), alone, "the other side")
    same(both, [alone[0], alone[0] + 9], "latencies of two packets that come to an output in the same cycle")
    return agrees(
        f"of two packets that come in the same cycle one takes {both[0]:.0f} cycles, as alone, the other 9 more",
        "sim, line of three, both ends send to the middle; flit by flit in turn the first would take 8 more",
    )


@row("cray-66", "4-to-1 by VC with 7-to-1 by port")
def _():
    config = seastar(7, select=ALL_RR, period=10**6)
    same(q.winners(config, q.backlog([1] * 28, 28)), list(range(28)), "one round of 28")
    slots = 800
    flat = q.winners(config, q.backlog([1] * 5 + [None] * 23, slots))

    def port():
        return itertools.repeat("busy")

    by_port = merged([iter(merged([port()] * 4, slots)), itertools.repeat("other")], slots)
    of_vc_0 = iter(merged([port(), itertools.repeat("other")], slots))
    by_vc = merged([of_vc_0, port(), port(), port()], slots)
    found = [
        Fraction(sum(queue < 4 for queue in flat), slots),
        *(Fraction(order.count("busy"), slots) for order in (by_port, by_vc)),
    ]
    same(found, [Fraction(4, 5), Fraction(1, 2), Fraction(7, 8)], "the busy port's part")
    return Verdict(
        NOT_TESTABLE,
        "28 candidates, one flat round",
        "decide; needs the order of the two stages and their pointers. By age any order finds the oldest (cray-62). By round robin a port with four busy VCs beside a port with one gets "
        f"{found[0]} in the flat round that is built here, {found[1]} if each port chooses a VC first, {found[2]} if each VC chooses a port first (decide rr, stage after stage)",
    )


@row("cray-67", "two independent pointers")
def _():
    config = seastar(select="0x5555555555555555", period=10**6)
    decisions = q.decide(config, q.backlog([1] * 8, 40), explain=True)
    for d in decisions:
        used, other = ("last_age", "last_rr") if "by age" in " ".join(d.told) else ("last_rr", "last_age")
        same((d.state[used], d.state[other]), (str(d.queue), d.before[other]), f"grant {d.cycle}")
    return agrees(
        "in 40 grants of both kinds the pointer used goes to the winner and the other stays", "decide --explain"
    )


@row("cray-68", "6-bit counter of grants")
def _():
    decisions = q.decide(seastar(period=1), [q.arrive(0, 1) for _ in range(200)] + q.arbs(200, 0, 5), explain=True)
    same([int(d.state["grants"]) for d in decisions], [(g + 1) % 64 for g in range(200)], "counter")
    holds(any(d.before["inhibit"] == "true" for d in decisions), "inhibited grants among them")
    return agrees("grants mod 64, inhibited ones too", "decide --explain, 200 grants")


@row("cray-86", "new packets start at age 0")
def _():
    same(q.decide(seastar(req=1), [q.arrive(0, 1)] + q.arbs(1))[0].age, 1, "age")
    ages, counted = groups_by_first_bias()[0]
    same((ages[9], counted[0]), (63, 10), "the tenth router's grant is the last one in the group of 0 to 63")
    return agrees(
        "with biases of 0 at the source and 7 behind a packet is 63 old at the tenth router, not 64",
        "sim, 30 idle routers, by their counters of ages (cray-151); by the default a packet leaves the source with the bias of the processor port, 1 (decide)",
    )


@row("cray-89", "bias stands for router latency, clock for queueing")
def _():
    found = {}
    for bias in (6, 7):
        report = q.sim(
            network([12], one(0, 11), {"warmup_us": 0, "measure_us": 5}, "mesh", arbiter=nets.age(3, 2**20, [bias] * 3))
        )
        found[bias] = report["counters"]["switches"]["age_group"]
    same(found, {6: [10, 2, 0, 0], 7: [9, 3, 0, 0]}, "grants with ages 0-63, 64-127")
    waited = [
        q.decide(seastar(req=bias, period=period), [q.arrive(0)] + q.arbs(1, 100))[0].age
        for bias, period in ((6, 1000), (0, 10), (6, 10))
    ]
    same(waited, [6, 10, 16], "ages after a wait of 100 cycles")
    return agrees(
        "ages 6k and 7k after k routers: 10 and 9 of 12 below 64; a wait of 100 cycles adds 10 with a period of 10, 6 + 10 with a bias of 6",
        "sim, idle line of 12 nodes, no tick; decide; waits of any length: cray-105",
    )


@row("cray-94", "no urgent injection")
def _():
    traffic = {**one(0, 2)[0], "age": 5}
    fault = q.sim_refused(network([3], [traffic], {"warmup_us": 0, "measure_us": 5}, "mesh"))
    holds(fault is not None and "unknown key 'age'" in fault, str(fault))
    groups_by_first_bias()
    return agrees(
        "0 from the NIC, whose traffic has no age to set",
        "sim, as cray-86, and it refuses an age in a scenario's traffic; an event log of decide may bring other ages, as a neighbour does",
    )


@row("cray-95", "processor bias of 0 or 1")
def _():
    ages = [q.decide(seastar(req=[bias, 3]), [q.arrive(0, 1)] + q.arbs(1))[0].age for bias in (0, 1)]
    same(ages, [0, 1], "ages")
    return agrees("0 and 1", "decide: the bias of one port")


@row("cray-96", "requests and responses age at different rates")
def _():
    config = seastar(req=1, rsp=4, period=10)
    d = q.decide(config, [q.arrive(0, 1, 0, 20), q.arrive(2, 1, 0, 20)] + q.arbs(2, 100))
    same([(x.queue, x.age) for x in d], [(2, 34), (0, 31)], "both")
    return agrees("the response leads by 3", "decide: equal ages, biases 1 and 4")


@row("cray-102", "only VCs with credit for a largest packet compete")
def _():
    found = {
        flits: q.sim(
            network(
                [2],
                [
                    {
                        "name": "a",
                        "queue": 0,
                        "pattern": "hot-spot",
                        "to": 1,
                        "hosts": [0],
                        "load": 1,
                        "message_bytes": 8,
                    }
                ],
                {"warmup_us": 4, "measure_us": 10},
                "mesh",
                input_flits=flits,
            )
        )["hosts"][0]["delivered_from"]
        for flits in (9, 96)
    }
    holds(found[9] < 1.05 / 20 and found[96] > 0.99, f"throughput {found}")
    return agrees(
        f"one-flit packets get {100 * found[9]:.1f} % of the link with queues of 9 entries, {100 * found[96]:.1f} % with 96",
        "sim: with 9 entries each waits until all credits are back, as a largest packet would",
    )


@row("cray-103", "largest new age, ties by round robin")
def _():
    ties = q.winners(seastar(period=10**6), q.backlog([1] * 8, 16))
    same(ties, list(range(8)) * 2, "ties go round")
    looked = 0
    for d in q.decide(seastar(period=4), random_log(random.Random(103), range(8), 600, rate=1.2), explain=True):
        ages = heads(d)
        if len(ages) > 1 and d.before["inhibit"] == "false":
            last = int(d.before["last_age"])
            best = max(ages.values())
            winner = next((last + i) % 8 for i in range(1, 9) if ages.get((last + i) % 8) == best)
            same(d.queue, winner, f"cycle {d.cycle}")
            looked += 1
    return agrees(f"as a linear scan finds it in {looked} decisions", "decide --explain (seed 103)")
