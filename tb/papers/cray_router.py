"""Rows of the Cray paper's torus and router (Sect. 1, Figs. 1 and 2): nodes and routes, VCs, flits and packets, links and buffers."""

import functools
import itertools
import random
from fractions import Fraction

import command as q
import cray_networks as nets
from cray_machine import ALL_AGE, ALL_RR, machine, of, random_log, row, seastar, torus
from cray_networks import LINE, LINES
from cray_small import idle_latency, network, one, with_tables
from rows import agrees, decided, differs, holds, near, not_testable, same


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


@row("cray-3", "the worked machine")
def _():
    nodes = 1
    for k in of(machine(), "radix"):
        nodes *= k
    same(nodes, 2112, "nodes")
    same(
        Fraction(machine()["dimensions"][0]["ejection_probability_exact"]),
        Fraction(10, nodes),
        "10 of 2112 leave from x",
    )
    return agrees("11 x 12 x 16 = 2112", "plan seastar-age")


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


@row("cray-5", "one packet a cycle and input")
def _():
    total = LINES["RR, one-flit packets"]["total"]
    return decided(total.mean > 0.99, f"{total.text(3)} one-flit packets a cycle through the last router's input", LINE)


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
    for dim, (size, stride) in enumerate(zip(dims, strides, strict=True)):
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
        ends = [at, [(place + far) % k for place, far, k in zip(at, distance, dims, strict=True)]]
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
    return agrees(f"{routes_checked()} routes are x*, y*, z*", "sim: the links that a message uses, as cray-6")


@row("cray-8", "VCs 0 and 1 carry requests, 2 and 3 responses")
def _():
    ages = {}
    for vc in range(4):
        ages[vc] = q.decide(seastar(req=2, rsp=5), [q.arrive(vc, 1)] + q.arbs(1))[0].age
    same(ages, {0: 2, 1: 2, 2: 5, 3: 5}, "ages")
    return agrees("VC 0, 1: request bias, VC 2, 3: response bias", "decide with biases 2 and 5")


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


@row("cray-10", "virtual cut-through")
def _():
    first = idle_latency([8], 0, 7, "mesh") - idle_latency([8], 0, 7, "mesh", flits=1)
    near(first, 8, 1e-6, "cycles that 8 more flits cost over 8 routers")
    fault = q.sim_refused(network([8], one(0, 7), {"warmup_us": 0, "measure_us": 5}, "mesh", input_flits=8))
    holds(fault is not None and "8 flits cannot hold a packet of 9" in fault, str(fault))
    return agrees("8 more flits cost 8 cycles over eight routers; a queue of 8 flits is refused", "sim")


@row("cray-11", "bits of a flit")
def _():
    same(64 + 1 + 3, 68, "bits")
    return agrees("64 + 1 + 3 = 68", "arithmetic; the model counts flits")


@row("cray-12", "bits of a micropacket")
def _():
    same(2 * 68, 136, "two flits")
    same((134 + 34) % 12, 0, "the printed numbers fill 12 lanes")
    holds((136 + 34) % 12 != 0, "two flits of 68 bits do not")
    same(2 * 67, 134, "two flits of 67 bits")
    return differs(
        "136, not 134",
        "the paper's own numbers: two flits of 68 bits are 136; 134 + 34 = 168 are 14 times of 12 lanes, 170 are not: flits of 67 "
        "bits, the one change, fit",
    )


@row("cray-13", "content of the sideband")
def _():
    return not_testable(
        "link layer (sequence numbers, CRC): below what is modelled; 34 - 12 = 22 bits are left beside the CRC"
    )


@row("cray-14", "sliding window and go-back-N")
def _():
    return not_testable("link layer: links here are free of errors")


@row("cray-15", "longest packet")
def _():
    config = seastar()
    same(q.decide(config, [q.arrive(0, 9)] + q.arbs(1))[0].flits, 9, "9 flits")
    holds(q.refused(config, q.arrive(0, 10)), "10 flits are refused")
    return agrees("1 + 8 = 9 flits; 10 refused", "decide")


@row("cray-16", "fields of the header")
def _():
    legible = {"destination": 15, "source": 15, "TransactionID": 12, "age": 11, "vc": 3, "tail": 1}
    same(sum(legible.values()), 57, "bits that can be read")
    holds(
        sum(legible.values()) <= 68
        and 2 ** legible["destination"] == 8 * 4096
        and 2 ** legible["vc"] >= 4
        and legible["age"] >= 9 + 1,
        "a flit holds them, a destination names 8 partitions of 4,096 nodes, a VC one of four, an age the 9-bit field and its epoch",
    )
    return agrees(
        "57 of a flit's 68 bits; 11 are left for the six fields whose widths are lost",
        "arithmetic on the printed widths: 15 bits name the 32K nodes of Sect. 1.2, 3 the four VCs, 11 hold Procedure 1's 9-bit field and the epoch; "
        "sim has the fields and no layout",
    )


@row("cray-17", "nodes that a destination names")
def _():
    same(2**3 * 2**12, 2**15, "nodes")
    return agrees("2^3 x 2^12 = 2^15", "arithmetic; table lookup is not modelled, routes must equal dimension order")


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


@row("cray-19", "rate of a link")
def _():
    same(round(3.2 * 12 / 8, 9), 4.8, "GB/s")
    same(
        torus(64)["dimensions"][0]["ejection_gbytes_exact"],
        str(Fraction(48, 10) * 8 / 64),
        "B_c x 8 / k with the default B_c",
    )
    return agrees("3.2 x 12 / 8 = 4.8 GB/s", "arithmetic; the planner's default")


@row("cray-20", "flits a cycle of a link")
def _():
    ns = 168 / 38.4 / 2
    same(ns, 2.1875, "ns a flit")
    near(2 / ns, 0.914, 0.0005, "flits a cycle of 2 ns")
    return agrees(
        "2.1875 ns a flit, 0.914 flits a cycle",
        "arithmetic from the printed widths and rates; a model with 1 is 9.4 % fast",
    )


@row("cray-21", "entries of the input queues")
def _():
    per_hop = machine()["queued_packets"]
    same(per_hop, 96 // 9 + 16 // 9, "packets of 9 flits in 96 and 16 entries")
    same(7 * 4 * 96, 2688, "flits in a chip")
    return agrees("7 x 4 x 96 = 2,688 flits; 10 packets of 9 flits in each", "plan seastar-age, arithmetic")


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


@row("cray-23", "24 staging buffers at each output")
def _():
    rng = random.Random(23)
    for select in (ALL_AGE, ALL_RR, "0x5555555555555555"):
        small = random_log(rng, range(24), 400)
        first = q.decide(seastar(6, select=select), small)
        for own in range(7):
            place = {queue: queue + 4 * (queue >= 4 * own) for queue in range(24)} | {-1: -1}
            log = [(cycle, event, place.get(queue, queue), *rest) for cycle, event, queue, *rest in small]
            second = q.decide(seastar(7, select=select), log)
            same([(place[d.queue], d.age) for d in first], [(d.queue, d.age) for d in second], f"own port {own}")
    return agrees(
        "24 and 28 queues decide alike when the output's own port is silent, each of the seven",
        "decide, random logs by age, round robin and both (seed 23); 7-to-1 of Sect. 2.1 makes 28",
    )


@row("cray-24", "16 entries of staging cover the crossbar")
def _():
    found = {staging: single_stream(20, staging=staging) for staging in (9, 16)}
    holds(found[16] >= 0.99, f"throughput {found}")
    return agrees(
        f"{100 * found[16]:.1f} % of the link; with 9 entries {100 * found[9]:.1f} %",
        "sim, one stream, 4 cycles of crossbar",
    )


@row("cray-25", "least depth of a staging buffer")
def _():
    fault = q.plan_refused("seastar-age", dimensions=[{"radix": 8, "kind": "torus"}], staging_flits=8)
    holds(fault, "8 entries are refused")
    same(q.plan_refused("seastar-age", dimensions=[{"radix": 8, "kind": "torus"}], staging_flits=9), None, "9 entries")
    return agrees("9 accepted, 8 refused", "plan seastar-age")
