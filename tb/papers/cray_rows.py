"""Rows of the Cray paper that the experiments of cray_networks.py decide, and small networks."""

import csv
import functools
import itertools
import pathlib
import random
import tempfile
from fractions import Fraction

import command as q
import cray_networks as nets
import plots
from cray import (
    creation_shares,
    decided_again,
    machine,
    of,
    paper,
    plain_line,
    ring_hops,
    ring_loads,
    seastar,
    shown,
    table_5_rest,
    torus,
)
from cray_networks import LINES, LINES_LOCKSTEP, PERIODS
from rows import agrees, decided, differs, holds, near, same

row = paper.row
LINE = "experiment lines"


def shares(point):
    return LINES[point].series("shares")


# Small networks.
def network(dims, traffic, run, kind="torus", arbiter=None, **keys):
    topology = {"kind": kind, "dims": dims, "hosts_per_switch": 1, **({"ties": "split"} if kind == "torus" else {})}
    routing = {"routing": "dateline"} if kind == "torus" else {}
    return nets.network(topology, arbiter or nets.round_robin(1 + 2 * len(dims)), traffic, run, **routing, **keys)


def one(source, to, flits=9):
    return [
        {
            "name": "one",
            "queue": 0,
            "pattern": "hot-spot",
            "to": to,
            "hosts": [source],
            "message_bytes": 8 * flits,
            "burst": {"bytes": 8 * flits, "period_us": 1000},
        }
    ]


def with_tables(scenario, *tables):
    with tempfile.TemporaryDirectory() as directory:
        report = q.sim(scenario, "--csv", directory)
        found = {}
        for table in tables:
            with open(pathlib.Path(directory) / f"{table}.csv", newline="") as file:
                found[table] = list(csv.DictReader(file))
    return report, found


def idle_latency(dims, source, to, kind="torus", flits=9):
    """Cycles."""
    report = q.sim(network(dims, one(source, to, flits), {"warmup_us": 0, "measure_us": 5}, kind))
    return report["classes"][0]["network_latency_ns"]["mean"] / nets.CYCLE_NS


@row("cray-1", "largest network")
def _():
    same(q.plan_refused("seastar-age", dimensions=[{"radix": 32, "kind": "torus"}] * 3), None, "32 x 32 x 32")
    nodes = 8 * 4096
    farthest = 16 + 16 * 32 + 16 * 32**2
    report = q.sim(network([32, 32, 32], one(0, farthest), {"warmup_us": 0, "measure_us": 5}))
    same((32**3, len(report["hosts"])), (nodes, nodes), "nodes")
    cycles = report["classes"][0]["network_latency_ns"]["mean"] / nets.CYCLE_NS
    same(cycles, idle_latency([8], 0, 1) + 25 * (3 * 16 - 1), "cycles over 48 hops")
    return agrees(
        f"32 x 32 x 32 = 8 x 4096 = {nodes:,} nodes; a packet over its longest way, 48 hops, takes {cycles:,.0f} cycles, 25 a hop",
        "plan seastar-age; sim, idle; the largest torus with traffic here is Table 5's, of 2,112 nodes",
    )


@row("cray-18", "six network ports and one to the processor")
def _():
    same(q.refused(seastar(ports=7)), None, "7 x 4 queues")
    traffic = [{"name": "a", "queue": 0, "pattern": "uniform", "load": 0.5, "messages": 20, "message_bytes": 72}]
    _, tables = with_tables(network([3, 3, 3], traffic, {"warmup_us": 0, "measure_us": 10}), "links")
    ends, busy = {}, {}
    for line in tables["links"]:
        if float(line["utilization"]) > 0:
            for end, found in (("from", ends), ("to", busy)):
                found.setdefault(line[end].partition(".")[0], []).append(line["from"])
    routers = [f"switch{number}" for number in range(27)]
    same({(len(ends[router]), len(busy[router])) for router in routers}, {(7, 7)}, "links out of a router and into it")
    return agrees(
        "7 ports x 4 VCs = 28 queues; a router of a 3 x 3 x 3 torus sends on 7 links and receives on 7",
        "decide and sim; 28 is the RTL's default number of queues",
    )


def folded(k):
    """Places along a row of cabinets of the nodes of a ring: those that go out, and between them those that come back."""
    return [2 * node if 2 * node < k else 2 * (k - node) - 1 for node in range(k)]


@row("cray-4", "the wrap link is not longer")
def _():
    found = [idle_latency([8], 7, 0), idle_latency([8], 0, 1)]
    same(found[0], found[1], "latency over the wrap link")
    longest = {}
    for k in nets.MACHINE["full"]:
        places = folded(k)
        same(sorted(places), list(range(k)), "a place for each node")
        longest[k] = [max(abs(at[node] - at[(node + 1) % k]) for node in range(k)) for at in (places, range(k))]
    same({cables[0] for cables in longest.values()}, {2}, "places that the longest cable bridges")
    return agrees(
        "no cable is longer than 2 places with "
        + ", ".join(map(str, longest))
        + " nodes, not folded "
        + ", ".join(str(cables[1]) for cables in longest.values())
        + f"; {found[0]:.0f} cycles over the wrap link and over another one",
        "arithmetic on a folded ring; so all links have one delay in sim",
    )


@row("cray-26", "router delay of a hop")
def _():
    found = [idle_latency([8], 0, to, "mesh") for to in range(1, 8)]
    steps = {b - a for a, b in zip(found, found[1:])}
    near(max(steps), 25, 1e-6, "cycles a hop")
    near(min(steps), 25, 1e-6, "cycles a hop")
    low, high = table_5_rest()
    hops = float(sum(Fraction(x) for x in of(machine(), "average_hops_exact")))
    a_router = [rest / (hops + 1) for rest in (low, high)]
    holds(all(abs(ns - 50) < 1 for ns in a_router), f"ns a router {a_router}")
    return agrees(
        f"Table 5's latencies leave {a_router[0]:.1f} to {a_router[1]:.1f} ns for each of {hops + 1} routers beside queueing (cray-28)",
        f"arithmetic on Table 5, whose latencies are the paper's by Eq. 1; by its H of {hops} hops it would be {low / hops:.1f} to {high / hops:.1f} ns. The model's 25 cycles a hop, 15 in the router and 10 on the wire, are chosen so and show nothing",
    )


@row("cray-10", "virtual cut-through")
def _():
    first = idle_latency([8], 0, 7, "mesh") - idle_latency([8], 0, 7, "mesh", flits=1)
    near(first, 8, 1e-6, "cycles that 8 more flits cost over 8 routers")
    fault = q.sim_refused(network([8], one(0, 7), {"warmup_us": 0, "measure_us": 5}, "mesh", input_flits=8))
    holds(fault is not None and "8 flits cannot hold a packet of 9" in fault, str(fault))
    return agrees("8 more flits cost 8 cycles over eight routers; a queue of 8 flits is refused", "sim")


@row("cray-2", "each dimension is a mesh or a torus on its own")
def _():
    traffic = [{"name": "a", "queue": 0, "pattern": "uniform", "load": 0.6, "messages": 20, "message_bytes": 72}]
    told = []
    for mesh_dims in ([], [1], [0, 2], [0, 1, 2]):
        scenario = network([4, 4, 4], traffic, {"warmup_us": 0, "measure_us": 30})
        if mesh_dims:
            scenario["network"]["topology"]["mesh_dims"] = mesh_dims
        report, tables = with_tables(scenario, "links")
        same(
            (report["flits_delivered"], report["reordered"]), (64 * 20 * 9, 0), "flits delivered, packets out of order"
        )
        links = [0, 0, 0]
        for line in tables["links"]:
            switch, _, port = line["from"].partition(".port")
            if port not in ("", "0") and float(line["utilization"]) > 0:
                links[(int(port) - 1) // 2] += 1
        same(links, [2 * 16 * (3 if dim in mesh_dims else 4) for dim in range(3)], "links of a dimension")
        told.append("/".join(map(str, links)))
    return agrees(
        f"4 x 4 x 4 with {'; '.join(told)} links in x/y/z, all traffic through",
        "sim: no, one, two and three dimensions without wrap links; that no ring of channels is left: tb/unit/networks_test.cpp",
    )


def route(dims, source, to):
    """Links that one message uses, as (switch, port)."""
    _, tables = with_tables(network(dims, one(source, to), {"warmup_us": 0, "measure_us": 5}), "links")
    return {line["from"] for line in tables["links"] if float(line["utilization"]) > 0}


def dimension_order(dims, source, to):
    """x, then y, then z; the shorter way; None where two ways are as long."""
    strides = [1]
    for size in dims[:-1]:
        strides.append(strides[-1] * size)
    used, at = {f"host{source}.nic"}, source
    for dim, (size, stride) in enumerate(zip(dims, strides)):
        way = (to // stride - at // stride) % size
        if 2 * way == size:
            return None
        up = 2 * way < size
        while at // stride % size != to // stride % size:
            used.add(f"switch{at}.port{1 + 2 * dim + (0 if up else 1)}")
            here = at // stride % size
            at += ((here + (1 if up else -1)) % size - here) * stride
    used.add(f"switch{at}.port0")
    return used


@functools.cache
def routes_checked():
    """How many: one for each distance of a torus, from a drawn node."""
    draw, dims = random.Random(6), [5, 3, 3]
    distances = [found for found in itertools.product(*map(range, dims)) if any(found)]
    for distance in distances:
        at = [draw.randrange(k) for k in dims]
        ends = [at, [(place + far) % k for place, far, k in zip(at, distance, dims)]]
        source, to = (x + dims[0] * (y + dims[1] * z) for x, y, z in ends)
        same(route(dims, source, to), dimension_order(dims, source, to), f"links from {source} to {to}")
    return len(distances)


@row("cray-6", "x, then y, then z, in order")
def _():
    checked = routes_checked()
    report = q.sim(
        network(
            [4, 4, 4],
            [{"name": "a", "queue": 0, "pattern": "uniform", "load": 0.4, "message_bytes": 72}],
            {"warmup_us": 0, "measure_us": 6},
        )
    )
    same(report["reordered"], 0, "reordered packets")
    return agrees(
        f"{checked} routes of a 5 x 3 x 3 torus; 0 packets out of order",
        "sim: the links that a message uses, every distance once, from drawn nodes (seed 6); order is checked of every packet of 4 x 4 x 4 nodes",
    )


@row("cray-7", "a packet stays in a dimension until it reaches that ordinate")
def _():
    return agrees(
        f"{routes_checked()} routes are x*, y*, z*", "sim: the links that a message uses, as cray-6"
    )


def vcs_on_way(source, to, queue=0, dims=(8,), kind="torus"):
    """(switch, port, VC) of each grant to one message; `queue`: 0 is a request and 1 a response on a torus, the VC itself on a mesh."""
    traffic = [{**one(source, to)[0], "queue": queue}]
    arbiter = nets.age(1 + 2 * len(dims), 8)
    _, tables = with_tables(
        network(list(dims), traffic, {"warmup_us": 0, "measure_us": 5}, kind, arbiter=arbiter), "counters"
    )
    return {
        (line["port"], int(line["of"]))
        for line in tables["counters"]
        if line["counter"] == "vc_packets" and int(line["value"]) and line["port"].startswith("switch")
    }


@row("cray-9", "dateline rule")
def _():
    for queue, (even, odd) in enumerate([(0, 1), (2, 3)]):
        same(
            vcs_on_way(6, 1, queue),
            {("switch6.port1", even), ("switch7.port1", odd), ("switch0.port1", odd), ("switch1.port0", even)},
            "VCs across the wrap link",
        )
        same(
            vcs_on_way(1, 3, queue),
            {("switch1.port1", even), ("switch2.port1", even), ("switch3.port0", even)},
            "VCs elsewhere",
        )
        same(
            vcs_on_way(3, 4, queue, (4, 4)),
            {("switch3.port1", odd), ("switch0.port3", even), ("switch4.port0", even)},
            "VCs over the wrap link in x and one in y",
        )
        same({vc for _, vc in vcs_on_way(6, 1, even, kind="mesh")}, {even}, "VCs of a mesh")
    return agrees(
        "VC 0 up to the wrap link, VC 1 on it and behind, VC 0 in the next dimension and elsewhere; of responses VC 2 and 3",
        "sim, counters of packets by VC, 8 and 4 x 4 nodes; a mesh stays on VC 0 and 2. That no ring of channels is left: tb/unit/networks_test.cpp",
    )


def single_stream(delay_ns, **keys):
    report = q.sim(
        network(
            [2],
            [{"name": "a", "queue": 0, "pattern": "hot-spot", "to": 1, "hosts": [0], "load": 1, "message_bytes": 72}],
            {"warmup_us": 4, "measure_us": 10},
            "mesh",
            delay_ns=delay_ns,
            **keys,
        )
    )
    return report["hosts"][0]["delivered_from"]


@row("cray-22", "96 entries cover the round trip of a link")
def _():
    found = {wire: single_stream(2 * wire) for wire in (10, 30, 36, 40, 48, 60)}
    full = [wire for wire, got in found.items() if got >= 0.99]
    holds(10 in full and 30 in full and 60 not in full, f"throughput by wire delay {found}")
    return agrees(
        "/".join(f"{100 * got:.1f}" for got in found.values())
        + " % of the link with wires of "
        + "/".join(map(str, found))
        + " cycles",
        f"sim, one stream of 9-flit packets: full up to {max(full)} cycles of wire each way. The cables' length is not given, but a hop takes some 25 cycles in all (fn. 4), of which a wire can be but a part",
    )


@row("cray-24", "16 entries of staging cover the crossbar")
def _():
    found = {staging: single_stream(20, staging=staging) for staging in (9, 16)}
    holds(found[16] >= 0.99, f"throughput {found}")
    return agrees(
        f"{100 * found[16]:.1f} % of the link; with 9 entries {100 * found[9]:.1f} %",
        "sim, one stream, 4 cycles of crossbar",
    )


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


def at_once(hosts, to):
    """A packet from each host at the same time."""
    return [{**one(host, to)[0], "name": f"host{host}", "hosts": [host]} for host in hosts]


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


@row("cray-146", "service interval of an input queue")
def _():
    def intervals(ways):
        traffic = [
            {**nets.all_to_last(3, 1 / len(ways))[0], "name": f"to {to}", "queue": queue, "to": to, "hosts": [0]}
            for to, queue in ways
        ]
        report = q.sim(network([3], traffic, {"warmup_us": 3.6, "measure_us": 36}, "mesh", arbiter=nets.age(3, 8)))
        return [9 / (3 * item["accepted"]) for item in report["classes"]]

    both, alone = intervals([(1, 0), (2, 2)]), intervals([(1, 0)])
    near([*both, *alone], [18, 18, 9], 0.01, "cycles a packet")
    return agrees(
        f"2 x 9 = 18: a packet every {both[0]:.1f} and {both[1]:.1f} cycles on VC 0 and 2, on one VC alone every {alone[0]:.1f}",
        "sim, line of three: both queues of one input always have packets, for two outputs that nobody else uses",
    )


@functools.cache
def uniform_hops():
    """On the machine's torus: hops a packet makes in +x, -x, +y, -y, +z, -z, and how many packets there were."""
    traffic = [{**nets.uniform(0.1)[0], "messages": 60}]
    report, tables = with_tables(network([11, 12, 16], traffic, {"warmup_us": 0, "measure_us": 20}), "counters")
    came = [0] * 7
    for line in tables["counters"]:
        switch, _, port = line["port"].partition(".port")
        if switch.startswith("switch") and line["counter"] == "input_packets":
            came[int(port)] += int(line["value"])
    same((came[0], report["flits_delivered"]), (2112 * 60, 2112 * 60 * 9), "packets and flits")
    return [came[port] / came[0] for port in (2, 1, 4, 3, 6, 5)], came[
        0
    ]  # who goes up comes in by the port that faces down


@row("cray-48", "Eq. 5: mean hops of a mixed torus")
def _():
    planned = sum(Fraction(h) for h in of(machine(), "average_hops_exact"))
    same(float(planned), 9.75, "planned")
    counted = sum(map(ring_hops, nets.MACHINE["full"]))
    near(float(counted), 9.727, 0.0005, "counted")
    same(sum(map(ring_hops, (12, 12, 16))), Fraction(12 + 12 + 16, 4), "with 12 in the place of 11")
    hops, packets = uniform_hops()
    near(sum(hops) / float(counted * 2112 / 2111), 1, 0.005, "hops of simulated packets")
    return differs(
        f"9.75 by the formula, {float(counted):.3f} counted",
        "odd rings have (k^2 - 1) / 4k, so 2.727 for 11 instead of 2.75; with 12 instead of 11, the one change, it is exact (plan, and all routes counted). "
        f"{packets:,} uniform packets on the machine (sim) make {sum(hops):.3f} hops, by count {float(counted * 2112 / 2111):.3f} without those to oneself",
    )


@row("cray-52", "Eq. 8: channel load of a torus")
def _():
    for k, load in ((8, 1), (12, Fraction(3, 2)), (16, 2)):
        same(Fraction(torus(k)["dimensions"][0]["channel_load_exact"]), load, "planned")
        same(set(ring_loads(k).values()), {load}, "counted")
    counted = [float(ring_loads(k)[0, 1]) for k in (11, 12, 16)]
    near(counted, [1.364, 1.5, 2], 0.0005, "counted")
    hops, packets = uniform_hops()
    loads = [sum(hops[2 * dim : 2 * dim + 2]) / 2 * 2111 / 2112 for dim in range(3)]
    for load, expected in zip(loads, counted):
        near(load / expected, 1, 0.01, "channel load")
    return differs(
        "k / 8 = 1, 1.5, 2 for k = 8, 12, 16, but 1.364 for the machine's 11, not 1.375",
        "odd rings have (k^2 - 1) / 8k, as in cray-48; for even radices, the one change, it is exact (plan, and every channel counted, ties split). "
        f"Of {packets:,} uniform packets on the machine (sim, times 2111 / 2112 for those to oneself) channels in x, y, z have "
        + "/".join(f"{load:.3f}" for load in loads),
    )


@row("cray-128", "Eq. 13: both directions alike")
def _():
    found = [100 * float(Fraction(part)) for part in of(machine(), "port_ejection_probability_exact")]
    near(found, [0.23674, 2.86458, 46.89867], 0.000005, "percent")
    for k in (11, 12, 16):
        up, down = (sum(load for (_, way), load in ring_loads(k).items() if way == step) for step in (1, -1))
        same(up, down, f"k = {k}")
    hops, packets = uniform_hops()
    apart = [hops[2 * dim] / hops[2 * dim + 1] for dim in range(3)]
    near(apart[1:], [1, 1], 0.01, "hops up over hops down in y and z")
    near(apart[0], 1, 0.02, "in x")
    return agrees(
        "0.23674, 2.86458, 46.89867 %",
        "arithmetic: half of Eqs. 10 to 12, and routes counted with ties split, which even radices need. Of a run there are hops, not last hops: "
        f"of {packets:,} uniform packets on the machine (sim) those up over those down in x, y, z "
        + "/".join(f"{part:.3f}" for part in apart),
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


@row("cray-86", "new packets start at age 0")
def _():
    same(q.decide(seastar(req=1), [q.arrive(0, 1)] + q.arbs(1))[0].age, 1, "age")
    ages, counted = groups_by_first_bias()[0]
    same((ages[9], counted[0]), (63, 10), "the tenth router's grant is the last one in the group of 0 to 63")
    return agrees(
        "with biases of 0 at the source and 7 behind a packet is 63 old at the tenth router, not 64",
        "sim, 30 idle routers, by their counters of ages (cray-151); by the default a packet leaves the source with the bias of the processor port, 1 (decide)",
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


# The line and the ring.
@row("cray-5", "one packet a cycle and input")
def _():
    total = LINES["RR, one-flit packets"]["total"]
    return decided(total.mean > 0.99, f"{total.text(3)} one-flit packets a cycle through the last router's input", LINE)


def deviation(point):
    """Standard deviation of the latency between sources, us, in a run from cycle 0 on with all packets."""
    scenario = nets.lines()[point]
    nodes = scenario["network"]["topology"]["dims"][0]
    (everything,) = scenario["traffic"]
    scenario["traffic"] = [{**everything, "name": f"P{source}", "hosts": [source]} for source in range(nodes - 1)]
    classes = [item for item in q.sim(scenario)["classes"] if item["packets"]]
    packets = sum(item["packets"] for item in classes)
    mean = sum(item["packets"] * item["network_latency_ns"]["mean"] for item in classes) / packets
    return (
        sum(item["packets"] * (item["network_latency_ns"]["mean"] - mean) ** 2 for item in classes) / packets
    ) ** 0.5 / 1000


@row("cray-43", "larger diameter, larger variance")
def _():
    points = ("RR, 4 nodes", "RR", "RR, 12 nodes")
    spread = [max(shares(point)) / min(shares(point)) for point in points]
    tails = [[LINES[f"{point}, all packets"][f"latency.{what}"].mean / 1000 for point in points] for what in ("p99", "max")]
    around = [deviation(f"{point}, all packets") for point in points]
    return decided(
        all(values == sorted(values) for values in (spread, around, *tails)),
        "standard deviation of the latency between sources on 4, 8, 12 nodes: "
        + ", ".join(f"{d:.1f}" for d in around)
        + " us; 99th percentile "
        + ", ".join(f"{p:.0f}" for p in tails[0])
        + ", longest "
        + ", ".join(f"{m:.0f}" for m in tails[1])
        + " us; largest over least share "
        + ", ".join(f"{s:.1f}" for s in spread),
        f"{LINE}, RR, and sim (seed 1) of the same lines source by source",
    )


@row("cray-56", "too slow a clock: all look equally old")
def _():
    found, base = shares("age, no tick, bias 0"), shares("RR")
    return decided(
        all(abs(a / b - 1) < 0.01 for a, b in zip(found, base)),
        f"{shown(found)}; RR {shown(base)}",
        f"{LINE}, biases 0 and no tick; with bias 1 ages are hops, and the farthest goes first (cray-d3)",
    )


@row("cray-57", "too fast a clock: ages reach 255 after a few hops")
def _():
    groups = LINES["age, period 1"].series("groups")
    at_255 = []
    for node in plain_line(1, 1):
        decisions = decided_again(node, 1, 1)
        at_255.append(sum(d.age == 255 for d in decisions) / len(decisions))
    return decided(
        groups[3] > 0.99
        and at_255 == sorted(at_255)
        and at_255[2] > 0.9
        and shares("age, period 1")[6] > 2 / 7,
        f"{100 * groups[3]:.1f} % of grants at 192 to 255, shares {shown(shares('age, period 1'))}; at 255 itself "
        + "/".join(f"{100 * part:.0f}" for part in at_255)
        + " % from P0's router to P6's",
        f"{LINE}, period 1: back towards RR; those at 255 by decide, logs as cray-115's",
    )


@row("cray-87", "older packets first make up for local unfairness")
def _():
    spread = [max(values) / min(values) for values in (shares("RR"), shares("age, period 8"), creation_shares())]
    return decided(
        spread[0] > 30 and spread[1] < spread[0] / 5 and spread[2] < 1.1,
        f"largest over least share: RR {spread[0]:.1f}, age from entry {spread[1]:.2f}, age from creation {spread[2]:.2f}",
        f"{LINE} and decide: only an age that counts from creation makes shares equal",
    )


@row("cray-107", "as printed, whoever arrives younger than the timestamp is 255")
def _():
    printed = [LINES[f"printed, period {p}"].series("groups")[3] for p in (4, 8, 16)]
    right = [LINES[f"age, period {p}"].series("groups")[3] for p in (4, 8, 18)]
    return decided(
        min(printed) > 0.95,
        "grants at 192 to 255 as printed: "
        + "/".join(f"{100 * part:.1f}" for part in printed)
        + " % at periods 4, 8, 16",
        f"{LINE}; with the NOT "
        + "/".join(f"{100 * part:.1f}" for part in right)
        + " % at 4, 8, 18. Fig. 5 shows most at 0 to 63, so the silicon has it",
    )


@row("cray-140", "clock too slow: none old; too fast: all in the oldest group")
def _():
    old = [LINES[f"age, period {p}"].series("groups")[3] for p in PERIODS]
    young = [LINES[f"age, period {p}"].series("groups")[0] for p in PERIODS]
    return decided(
        all(a >= b - 0.002 for a, b in zip(old, old[1:])) and all(a <= b + 0.002 for a, b in zip(young, young[1:])),
        "192 to 255: "
        + "/".join(f"{100 * part:.1f}" for part in old)
        + " %, 0 to 63: "
        + "/".join(f"{100 * part:.1f}" for part in young)
        + " %",
        f"{LINE}, periods " + ", ".join(map(str, PERIODS)),
    )


RHO_1 = [1024, 512, 384, 320, 280, 252, 231]


def within(found, expected, part):
    return all(abs(a / b - 1) <= part for a, b in zip(found, expected))


@row("cray-d1", "line by the age since entry")
def _():
    expected = [value / sum(RHO_1) for value in RHO_1]
    told, off = [], []
    for period, bias in ((25, 1), (12, 2), (8, 3)):
        runs = []
        for seed in (1, 2, 3):
            report = q.sim(
                nets.network(
                    {"kind": "mesh", "dims": [8], "hosts_per_switch": 1},
                    nets.age(3, period, [bias] * 3),
                    nets.all_to_last(8),
                    {"warmup_us": 100, "measure_us": 200, "seed": seed},
                )
            )
            found = nets.keep_line(report, {})
            same(found["groups"][3], 0, "grants at ages of 192 or more")
            holds(within(found["shares"], expected, 0.1), f"shares {found['shares']}")
            runs.append(found["shares"])
        off.append([max(abs(a / b - 1) for a, b in zip(shares, expected)) for shares in runs])
        told.append(f"{shown([sum(of) / 3 for of in zip(*runs)])} with a tick of {period} cycles")
    holds(max(off[1] + off[2]) < min(off[0]), f"ticks of 12 and 8 cycles are nearer than one of 25: {off}")
    return agrees(
        "; ".join(told),
        "sim, 3 seeds, 8-bit ages that count 24 or 25 cycles a hop, as it takes, and never reach 192, so a wider age would be the same; "
        f"expected {shown(expected)} within 10 %, off by at most "
        + ", ".join(f"{100 * max(values):.1f}" for values in off)
        + " %: a finer clock than 25 cycles is nearer",
    )


@row("cray-d2", "line by age, periods 8 and 18")
def _():
    expected = [value / sum(RHO_1) for value in RHO_1]
    found = [shares(f"age, period {p}") for p in (8, 18)]
    return decided(
        all(within(values, expected, 0.15) and values == sorted(values, reverse=True) for values in found),
        "; ".join(shown(values) for values in found),
        f"{LINE}; expected {shown(expected)} within 15 %",
    )


@row("cray-d3", "line by age, period 4096")
def _():
    found = shares("age, period 4096")
    return decided(
        abs(found[0] / 0.94 - 1) < 0.02 and abs(found[1] / 0.0235 - 1) < 0.1,
        shown(found),
        f"{LINE}: the farthest starves the others until ticks and epochs help",
    )


@row("cray-d4", "line by age without bias, no tick and period 4096")
def _():
    first, second = shares("age, no tick, bias 0"), shares("age, period 4096, bias 0")
    slots = [0.081, 0.057, 0.068, 0.088, 0.128, 0.209, 0.369]
    return decided(
        within(first, shares("RR"), 0.01) and within(second, slots, 0.03),
        f"{shown(first)}; {shown(second)}",
        f"{LINE}; expected RR's shares within 1 %, and with ticks those of a model of packet slots, {shown(slots)}, within 3 %",
    )


@row("cray-d5", "line by age, floor by saturation")
def _():
    expected = {period: 11 * 9 / (255 * period) for period in (2, 4)}
    found = {period: shares(f"age, period {period}") for period in (2, 4)}
    near(found[2][3:], [found[2][6]] * 4, 0.001, "a floor for P3 to P6 at 2")
    near(found[4][5:], [found[4][6]] * 2, 0.001, "a floor for P5 and P6 at 4")
    holds(all(found[period][6] < 0.98 * expected[period] for period in (2, 4)), "beyond 2 %")

    def of_nearest(period, refill):
        """Its share in a plain model of the line whose last router the reference repeats."""
        last = plain_line(period, 1, 30_000, 11, refill=refill)[6]
        decided_again(last, period, 1)
        sent = last.winners[len(last.winners) // 2 :]
        return sum(queue == 0 for queue, *_ in sent) / len(sent)

    late = 29  # two wires of 10 cycles and the packet's nine flits
    plain = {refill: {period: of_nearest(period, refill) for period in (2, 4)} for refill in (0, late)}
    holds(all(abs(plain[0][period] / expected[period] - 1) < 0.02 for period in (2, 4)), f"refilled at once: {plain[0]}")
    near([plain[late][period] / found[period][6] for period in (2, 4)], [1, 1], 0.02, "refilled late, as in the network")

    def told(of):
        return " and ".join(f"{of[period]:.4f}" for period in (2, 4))

    return differs(
        "; ".join(
            f"{found[period][6]:.4f} at {period} for {'P3' if period == 2 else 'P5'} to P6, expected {expected[period]:.4f}"
            for period in (2, 4)
        ),
        f"{LINE}; the expected floor has the 11 places of a source always full, but a place has its next packet after two wires and nine flits, {late} cycles, in which nothing there ages. "
        f"A plain model of the line, whose last router the reference repeats grant by grant, has {told(plain[late])} with {late} cycles and, the one change, {told(plain[0])} if it has it at once, within 2 %",
    )


@row("cray-d10", "line by age: packets of all sources are as old at delivery")
def _():
    told = []
    for period in (8, 18):
        traffic = [{**nets.all_to_last(8)[0], "name": f"P{source}", "hosts": [source]} for source in range(7)]
        report = q.sim(
            nets.network(
                {"kind": "mesh", "dims": [8], "hosts_per_switch": 1},
                nets.age(3, period),
                traffic,
                {"warmup_us": 0, "measure_us": 600},
            )
        )
        ages = []
        for source, item in enumerate(report["classes"]):
            routers = (
                8 - source
            )  # each adds 11 cycles and a bias, each wire 10, the packet nine: what is left waited and aged
            ages.append(
                item["network_latency_ns"]["mean"] / nets.CYCLE_NS
                - 11 * routers
                - 10 * (routers + 1)
                - 9
                + period * routers
            )
        holds(max(ages) / min(ages) < 1.08, f"ages {ages}")
        told.append(f"{min(ages):.0f} to {max(ages):.0f} cycles at {period}")
    return agrees(", ".join(told), "sim, period times the age of each source's packets, from their latencies")


@row("cray-d7", "ring by age, branches")
def _():
    found = shares("ring, age, period 8")
    up = sum(found[3:])
    return decided(
        abs(up / (4 / 7) - 1) < 0.02, f"{up:.4f} and {1 - up:.4f}: 4 to 3, as their sources",
        f"{LINE}, P3 goes +; expected 0.5714 and 0.4286 within 2 %. That P3 goes both ways in turn no run has: ties are split by pairs of nodes, so all of its packets go one way",
    )


@row("cray-d8", "ring by age, shares")
def _():
    found = shares("ring, age, period 8")
    expected = [0.0857, 0.1143, 0.2286, 0.2612, 0.1306, 0.0980, 0.0816]
    return decided(within(found, expected, 0.08), shown(found), f"{LINE}; expected {shown(expected)} within 8 %")


def counters_of_port(streams=("long", "short")):
    """Of a stream of packets of 9 and of 1 flit that share an output, all delivered."""
    traffic = [
        {
            "name": "long",
            "queue": 0,
            "pattern": "hot-spot",
            "to": 2,
            "hosts": [0],
            "load": 1,
            "messages": 50,
            "message_bytes": 72,
        },
        {
            "name": "short",
            "queue": 2,
            "pattern": "hot-spot",
            "to": 2,
            "hosts": [1],
            "load": 0.1,
            "messages": 30,
            "message_bytes": 8,
        },
    ]
    traffic = [item for item in traffic if item["name"] in streams]
    _, tables = with_tables(
        network([3], traffic, {"warmup_us": 0, "measure_us": 20}, "mesh", arbiter=nets.age(3, 8)), "counters"
    )
    return {(line["port"], line["counter"], int(line["of"])): int(line["value"]) for line in tables["counters"]}


@functools.cache
def groups_by_first_bias():
    """Of a packet over 30 idle routers, without ticks: its ages and the counters, by the bias of the first router; the others add 7."""
    found = {}
    for first in range(4):
        arbiter = nets.age(3, 2**20, [first, 7, 7])
        report = q.sim(network([30], one(0, 29), {"warmup_us": 0, "measure_us": 5}, "mesh", arbiter=arbiter))
        ages = [first + 7 * router for router in range(30)]
        counted = report["counters"]["switches"]["age_group"]
        same(counted, [sum(age // 64 == group for age in ages) for group in range(4)], "grants by age")
        found[first] = ages, counted
    seen = {age for ages, _ in found.values() for age in ages}
    holds({63, 64, 127, 128, 191, 192} <= seen, "both sides of each boundary")
    return found


def boundaries(row_id, what, shown_as):
    @row(row_id, what)
    def _():
        found = groups_by_first_bias()
        return agrees(
            f"{shown_as}: " + "; ".join("/".join(map(str, counted)) for _, counted in found.values()),
            "sim, counters of 30 idle routers, biases of 0, 1, 2, 3 in the first and 7 behind; counted with the new age at the grant, and each grant once",
        )


boundaries(
    "cray-151",
    "Table 4: RTR_AGE_GROUP0, ages 0 to 63 and 64 to 127",
    "63 is in the first group, 64 and 127 in the second",
)
boundaries(
    "cray-152",
    "Table 4: RTR_AGE_GROUP1, ages 128 to 191 and 192 to 255",
    "128 and 191 are in the third group, 192 in the fourth",
)


@row("cray-153", "Table 4: RTR_PERF_VCv_PKTS")
def _():
    counters = counters_of_port()
    same([counters["switch1.port1", "vc_packets", vc] for vc in range(4)], [50, 0, 30, 0], "packets by VC")
    same(
        [counters["switch2.port0", "vc_packets", vc] for vc in range(4)], [50, 0, 30, 0], "packets by VC one router on"
    )
    same(
        [
            counters_of_port(streams)["switch2.port2", "input_packets", 0]
            for streams in (("long", "short"), ("long",), ("short",))
        ],
        [80, 50, 30],
        "packets received one router on, of both VCs and of either alone",
    )
    return agrees(
        "50 and 30 packets leave for VC 0 and 2, and the next router receives 80; 50 and 30, if there is but one of the two streams",
        "sim, counters: those by VC count packets that leave, those of inputs what they receive on all VCs",
    )


@row("cray-154", "Table 4: RTR_PERF_VCv_FLITS")
def _():
    counters = counters_of_port()
    for port in ("switch1.port1", "switch2.port0"):
        same([counters[port, "vc_flits", vc] for vc in range(4)], [450, 0, 30, 0], f"flits by VC of {port}")
    return agrees(
        "450 and 30 flits, 9 and 1 a packet, leave for VC 0 and 2, and the next router sends as many on",
        "sim, counters: those by VC count flits that leave; what leaves for a VC of the next router is what is received there (cray-153)",
    )


@functools.cache
def blocked_port(delay_ns, both=False, input_flits=9):
    """Cycles and the counters of a port whose next router holds so many flits of a VC: a stream on VC 0, or one on each of VC 0 and 2."""
    stream = {"name": "a", "queue": 0, "pattern": "hot-spot", "to": 1, "hosts": [0], "load": 1, "message_bytes": 72}
    traffic = [stream]
    if both:
        traffic = [{**stream, "load": 0.4}, {**stream, "name": "b", "queue": 2, "load": 0.4}]
    scenario = network(
        [2],
        traffic,
        {"warmup_us": 0, "measure_us": 200},
        "mesh",
        arbiter=nets.age(3, 8),
        input_flits=input_flits,
        delay_ns=delay_ns,
    )
    report, tables = with_tables(scenario, "counters")
    counted = {
        (line["counter"], int(line["of"])): int(line["value"])
        for line in tables["counters"]
        if line["port"] == "switch0.port1"
    }
    return report["cycles"], counted


@row("cray-149", "Table 4: RTR_PERF_VCv_BLOCKED")
def _():
    waits = {}
    for delay in (20, 40):
        cycles, counted = blocked_port(delay)
        same([counted["vc_blocked", vc] for vc in (1, 2, 3)], [0] * 3, "the other VCs")
        waits[delay] = counted["vc_blocked", 0] / counted["vc_packets", 0]
    cycles, counted = blocked_port(20)
    near(waits[20] + 9, cycles / counted["vc_packets", 0], 0.1, "cycles between packets: nine to send, the others blocked")
    near(waits[40] - waits[20], 20, 0.1, "cycles more with 10 more on each wire")
    same(sum(blocked_port(20, input_flits=96)[1]["vc_blocked", vc] for vc in range(4)), 0, "with a queue of 96 entries")
    return agrees(
        f"VC 0: {waits[20]:.1f} cycles a packet, {waits[40]:.1f} with 10 cycles more on each wire; the other VCs 0, and all 0 with queues of 96 entries",
        f"sim, counters: with a queue of 9 entries in the next router a packet goes every {cycles / counted['vc_packets', 0]:.1f} cycles, nine of them to send it; cycles at the head of a staging buffer without room behind",
    )


@row("cray-150", "Table 4: RTR_PERF_STALLED")
def _():
    _, one = blocked_port(20)
    same(one["age_stalled", 0], one["vc_blocked", 0], "stalled, of one VC")
    _, two = blocked_port(20, both=True)
    stalled, first, second = two["age_stalled", 0], two["vc_blocked", 0], two["vc_blocked", 2]
    holds(max(first, second) <= stalled < 0.6 * (first + second), f"once for the port: {stalled}, {first}, {second}")
    same(blocked_port(20, input_flits=96)[1]["age_stalled", 0], 0, "with a queue of 96 entries")
    return agrees(
        f"{one['age_stalled', 0]} cycles, those in which the only VC is blocked; with two VCs {stalled}, where VC 0 is blocked for {first} and VC 2 for {second}; 0 with queues of 96 entries",
        "sim, counters, as cray-149: cycles in which packets wait and none of them has the credits, once for a port",
    )


# Figures.
@paper.section("Fig. 4: line and ring")
def _():
    lines = [
        LINES.told() + " Latencies from the entry into the network, where all packets of a run count.",
        "",
        "| configuration | P0 | P1 | P2 | P3 | P4 | P5 | P6 | latency: mean, us | p99 | maximum |",
        "| --- |" + " --- |" * 10,
    ]
    for point in LINES.stored()["points"]:
        run = LINES[point]
        if len(run.series("shares")) == 7:
            lines.append(
                f"| {point} | "
                + " | ".join(f"{100 * value:.2f} %" for value in run.series("shares"))
                + " | "
                + (
                    " | ".join(run[f"latency.{what}"].text(1, 0.001) for what in ("mean", "p99", "max"))
                    if "all packets" in point
                    else "| |"
                )
                + " |"
            )
    found = creation_shares()
    lines.append(
        "| age from creation (decide, open loop) | "
        + " | ".join(f"{100 * value:.2f} %" for value in found)
        + " | | | |"
    )
    lines += [
        "",
        f"Which age makes age-based arbitration globally fair: one that counts from creation, before the network. SeaStar's counts from the entry, so "
        "what stands in shared queues is older and the farthest source ends ahead.",
        "",
        LINES_LOCKSTEP.told(),
        "",
        paper.figure(
            "fig4",
            "Shares on the line",
            plots.bars(
                "Shares of the last link (Fig. 4(a))",
                "%",
                [f"P{i}" for i in range(7)],
                {
                    point: [100 * value for value in shares(point)]
                    for point in ("RR", "age, period 8", "age, period 18", "age, period 4096")
                },
            ),
        ),
    ]
    return "\n".join(lines)
