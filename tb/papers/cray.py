"""The Cray XT paper (age-based arbitration in the SeaStar router), row by row."""

import functools
import itertools
import random
import re
import tempfile
from fractions import Fraction

import command as q
from rows import NOT_TESTABLE, Paper, Verdict, agrees, differs, holds, near, not_testable, percent, same

paper = Paper("cray", "Cray XT: age-based arbitration in the SeaStar router")
row = paper.row

ALL_AGE, ALL_RR = "0xffffffffffffffff", "0x0"


def seastar(ports=2, vcs=4, req=1, rsp=1, period=1000, select=ALL_AGE, variant="corrected", packet=9):
    def per_port(bias):
        return [bias] * ports if isinstance(bias, int) else list(bias)

    return {
        "policy": "seastar-age",
        "variant": variant,
        "queues": ports * vcs,
        "vcs": vcs,
        "max_packet_flits": packet,
        "req_age_bias": per_port(req),
        "rsp_age_bias": per_port(rsp),
        "age_clock_period": period,
        "age_rr_select": select,
    }


def torus(*radices, kind="torus", **keys):
    return q.plan("seastar-age", dimensions=[{"radix": k, "kind": kind} for k in radices], **keys)


@functools.cache
def machine():
    return torus(11, 12, 16)


def of(plan, key):
    return [dimension[key] for dimension in plan["dimensions"]]


# --- counting routes: dimension order, one dimension at a time ---------------------------------------------


def ring(k, source, to):
    """Steps (+1, -1) of a shortest way round; both with half the weight when it is a tie."""
    forward = (to - source) % k
    if 2 * forward == k:
        return [(1, Fraction(1, 2)), (-1, Fraction(1, 2))], forward
    return ([(1, Fraction(1))], forward) if 2 * forward < k else ([(-1, Fraction(1))], k - forward)


@functools.cache
def ring_loads(k):
    """Load of each channel (node, direction) when each node sends one packet to a uniform destination."""
    loads = {(node, step): Fraction(0) for node in range(k) for step in (1, -1)}
    for source in range(k):
        for to in range(k):
            ways, hops = ring(k, source, to)
            for step, weight in ways:
                for i in range(hops):
                    loads[(source + step * i) % k, step] += weight / k
    return loads


@functools.cache
def line_loads(k):
    loads = {(node, step): Fraction(0) for node in range(k) for step in (1, -1)}
    for source in range(k):
        for to in range(k):
            step = 1 if to > source else -1
            for node in range(source, to, step):
                loads[node, step] += Fraction(1, k)
    return loads


def ring_hops(k):
    return sum(Fraction(ring(k, 0, to)[1], k) for to in range(k))


def line_hops(k):
    return sum(Fraction(abs(a - b), k * k) for a in range(k) for b in range(k))


# --- A. topology, router, packet --------------------------------------------------------------------------------


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


@row("cray-8", "VCs 0 and 1 carry requests, 2 and 3 responses")
def _():
    ages = {}
    for vc in range(4):
        ages[vc] = q.decide(seastar(req=2, rsp=5), [q.arrive(vc, 1)] + q.arbs(1))[0].age
    same(ages, {0: 2, 1: 2, 2: 5, 3: 5}, "ages")
    return agrees("VC 0, 1: request bias, VC 2, 3: response bias", "decide with biases 2 and 5")


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


@row("cray-15", "longest packet")
def _():
    config = seastar()
    same(q.decide(config, [q.arrive(0, 9)] + q.arbs(1))[0].flits, 9, "9 flits")
    holds(q.refused(config, q.arrive(0, 10)), "10 flits are refused")
    return agrees("1 + 8 = 9 flits; 10 refused", "decide")


@row("cray-17", "nodes that a destination names")
def _():
    same(2**3 * 2**12, 2**15, "nodes")
    return agrees("2^3 x 2^12 = 2^15", "arithmetic; table lookup is not modelled, routes must equal dimension order")


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


def random_log(rng, queues, cycles, rate=0.3, packet=9, ages=True):
    events = []
    for cycle in range(cycles):
        events += [
            q.arrive(queue, rng.randint(1, packet), cycle, rng.randint(0, 255) if ages else 0)
            for queue in queues
            if rng.random() < rate / len(queues) * 2
        ]
        events += q.arbs(1, cycle)
    return events


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


@row("cray-25", "least depth of a staging buffer")
def _():
    fault = q.plan_refused("seastar-age", dimensions=[{"radix": 8, "kind": "torus"}], staging_flits=8)
    holds(fault, "8 entries are refused")
    same(q.plan_refused("seastar-age", dimensions=[{"radix": 8, "kind": "torus"}], staging_flits=9), None, "9 entries")
    return agrees("9 accepted, 8 refused", "plan seastar-age")


# --- B. delay, unfairness, hops, loads -------------------------------------------------------------------------

# Table 5: stalls of +y, +x, +z, -z, -x, -y; queueing in x, y, z; latency in ns.
TABLE_5 = {
    "RR": ((18.6, 43.0, 13.2, 12.7, 43.1, 19.2), (737, 227, 169), 7301),
    "4/1,1,1": ((20.0, 36.9, 11.7, 11.2, 37.0, 19.9), (607, 246, 153), 6585),
    "4/3,2,1": ((17.4, 31.4, 11.7, 11.5, 31.6, 17.8), (421, 247, 189), 5844),
    "8/1,1,1": ((21.4, 44.1, 13.2, 13.0, 44.1, 20.5), (611, 255, 167), 6771),
    "8/3,2,1": ((15.8, 24.6, 11.6, 11.4, 24.7, 15.7), (357, 209, 156), 5007),
    "16/1,1,1": ((24.7, 41.2, 14.5, 14.3, 41.5, 24.6), (554, 322, 240), 7443),
    "16/3,2,1": ((17.2, 30.5, 10.9, 10.8, 30.6, 17.1), (378, 217, 148), 5101),
}


def table_5_rest():
    """Of each latency in Table 5 what queueing leaves, ns: the least and the largest constant that serves all rows, as Q is rounded."""
    hops = [Fraction(x) for x in of(machine(), "average_hops_exact")]
    rest = [
        latency - float(2 * sum(h * qd for h, qd in zip(hops, queueing))) for _, queueing, latency in TABLE_5.values()
    ]
    same(rest, [533.5, 546.5, 534.5, 544.5, 541.5, 544.0, 536.0], "what is left")
    slack = float(2 * sum(hops) / 2)
    return max(r - slack for r in rest), min(r + slack for r in rest)


@row("cray-28", "how Table 5's latencies were obtained")
def _():
    hops = [Fraction(x) for x in of(machine(), "average_hops_exact")]
    low, high = table_5_rest()
    holds(low <= 537.5 <= high, "one constant")
    near(50 * (float(sum(hops)) + 1), 537.5, 1e-9, "50 ns a hop and one more")
    return agrees(
        f"one constant, {low:.2f} to {high:.2f} ns, serves all 7 rows; 537.5 = 50 x 10.75",
        "plan's hops (2.75, 3, 4) and the printed Q in cycles of 2 ns: the column is Eq. 1, not a measurement",
    )


def one_port(load, measure, message_bytes=72, packet=9):
    """Mean time of a packet in a port fed by Poisson arrivals and empty otherwise, with its wait, cycles; `message_bytes` may be a list of sizes in a file."""
    scenario = {
        "arbiter": {"policy": "rr", "queues": 1, "max_packet_flits": packet},
        "network": {
            "topology": {"kind": "single-switch", "ports": 2},
            "link": {"gbps": 64, "delay_ns": 0},
            "flit_bytes": 8,
            "switch": {
                "input_queue_flits": max(768, 4 * packet),
                "output_queue_flits": max(768, 4 * packet),
                "crossbar_speedup": 2,
                "flow_control": "pfc",
            },
        },
        "traffic": [
            {
                "name": "a",
                "queue": 0,
                "pattern": "hot-spot",
                "to": 1,
                "hosts": [0],
                "load": load,
                "message_bytes": message_bytes,
                "arrival": "poisson",
            }
        ],
        "run": {"warmup_us": 20, "measure_us": measure, "seed": 1},
    }
    return q.sim(scenario)["classes"][0]["packet_latency_ns"]


@functools.cache
def single_queue(load):
    """Mean wait in packet times of packets of 9 flits."""
    return (one_port(load, 8000)["mean"] - one_port(0.0001, 2000)["p50"]) / 9


EXPONENTIAL = 64  # flits on average


@functools.cache
def single_queue_of_lengths(load):
    """Mean time in mean packet times where lengths are geometric, as good as exponential, up to 1,000 flits."""
    below = [1 - (1 - 1 / EXPONENTIAL) ** flits for flits in range(1000)] + [1]
    mean = sum(8 * flits * (below[flits] - below[flits - 1]) for flits in range(1, 1001))
    with tempfile.TemporaryDirectory() as directory:
        sizes = q.in_file(
            directory,
            "sizes.txt",
            f"{mean}\n" + "".join(f"{8 * flits} {below[flits]:.12f}\n" for flits in range(1, 1001)),
        )
        busy = one_port(load, 20_000, {"file": str(sizes)}, 1000)["mean"]
    wires = one_port(0.0001, 2000)["p50"] - 9  # beside the packet's flits
    return (busy - wires) / (mean / 8)


@row("cray-29", "Eq. 2: queueing delay of M/D/1")
def _():
    loads = (0.25, 0.5, 0.75)
    true = [load / (2 * (1 - load)) for load in loads]
    printed = [1 / (1 - load) for load in loads]
    found = [single_queue(load) for load in loads]
    by_length = [single_queue_of_lengths(load) for load in loads]
    for got, wanted in zip([*found, *by_length], [*true, *printed]):
        near(got / wanted, 1, 0.02, "wait, or time")
    return differs(
        "waits of " + ", ".join(f"{w:.3f}" for w in found) + " packet times at loads 0.25, 0.5, 0.75",
        "sim (seed 1) with Poisson arrivals and equal packets follows lambda / (2 (1 - lambda)) within 2 %; 1 / (1 - lambda) = "
        + ", ".join(f"{p:.2f}" for p in printed)
        + " is the time in an M/M/1 system: with lengths that are exponential, the one change, wait and service together take "
        + ", ".join(f"{t:.2f}" for t in by_length),
    )


def merged(streams, slots):
    """What leaves a round-robin port whose queues always have a packet; streams[q] is an iterator of tags."""
    order = q.winners(
        {"policy": "rr", "queues": len(streams), "max_packet_flits": 1}, q.backlog([1] * len(streams), slots)
    )
    return [next(streams[queue]) for queue in order]


@functools.cache
def line(nodes, slots):
    """Sources of successive packets at the sink of a line of `nodes`, round robin, all backlogged."""
    sources = nodes - 1
    stream = itertools.repeat(0)
    for source in range(1, sources):
        needed = (slots >> (sources - 1 - source)) + 2
        stream = iter(merged([stream, itertools.repeat(source)], needed))
    return list(itertools.islice(stream, slots))


def line_shares(nodes):
    period = 2 ** (nodes - 2)
    order = line(nodes, 12 * period)[2 * period :]
    return [Fraction(order.count(source), len(order)) for source in range(nodes - 1)]


HALVES = [
    Fraction(1, 64),
    Fraction(1, 64),
    Fraction(1, 32),
    Fraction(1, 16),
    Fraction(1, 8),
    Fraction(1, 4),
    Fraction(1, 2),
]


def off_halves():
    """How far a share of the simulated line is from these at most, as a part of it."""
    import cray_networks as nets  # needs what stands here

    off = max(abs(got / share - 1) for got, share in zip(nets.LINES["RR"].series("shares"), HALVES))
    holds(off < 0.005, f"shares in the network are off by {off}")
    return off


def line_row(row_id, what, function, shown):
    @row(row_id, what)
    def _():
        shares = line_shares(8)
        same(shares, HALVES, "shares")
        function(shares)
        return agrees(
            shown,
            "decide rr, node after node: each port merges what the node before sent and its own source; the network of experiment lines, queues, wires and all, "
            f"has these shares to {100 * off_halves():.1f} %",
        )


line_row(
    "cray-33",
    "bandwidth falls geometrically with distance",
    lambda s: same([s[i] / s[i + 1] for i in range(1, 6)], [Fraction(1, 2)] * 5),
    "ratio 1/2 from node to node, P1 = P0",
)
line_row("cray-34", "share of P6", lambda s: same(s[6], Fraction(1, 2)), "1/2")
line_row("cray-35", "share of P5", lambda s: same(s[5], Fraction(1, 4)), "1/4")
line_row(
    "cray-36",
    "shares of P4, P3, P2",
    lambda s: same(s[4:1:-1], [Fraction(1, 8), Fraction(1, 16), Fraction(1, 32)]),
    "1/8, 1/16, 1/32",
)
line_row("cray-37", "shares of P1 and P0", lambda s: same(sum(s), 1), "1/64 each; all add to 1")
line_row("cray-38", "ratio of nearest to farthest", lambda s: same(s[6] / s[0], 32), "32")


@row("cray-39", "how often P7 receives from P6 and P5")
def _():
    order = line(8, 768)[128:]
    for source, gap in ((6, 2), (5, 4)):
        places = [i for i, s in enumerate(order) if s == source]
        same({b - a for a, b in zip(places, places[1:])}, {gap}, f"gaps of P{source}")
    return agrees("every 2nd and every 4th slot, always", "decide rr, node after node")


@row("cray-40", "Eq. 3: worst case over H hops")
def _():
    shares = line_shares(8)
    same([shares[7 - h] for h in range(1, 7)], [Fraction(1, 2**h) for h in range(1, 7)], "(1/2)^H for H = 1 to 6")
    order = line(8, 768)[128:]
    for h in range(1, 7):
        places = [i for i, source in enumerate(order) if source == 7 - h]
        same({b - a for a, b in zip(places, places[1:])}, {2**h}, f"slots between packets from {h} hops away")
    return differs(
        "a share of (1/2)^H",
        "L / (2n)^H falls with H, so it is a part of the bandwidth, not a time; inverted, L (2n)^H, the one change, it is the time that L packets take: "
        "the sources of the line, 1 to 6 hops away, have a packet through every 2, 4, 8, 16, 32, 64 slots, always (decide rr)",
    )


@row("cray-41", "share of P0, seven hops away")
def _():
    shares = line_shares(8)
    same(shares[0], Fraction(1, 64), "P0")
    same(line_shares(9)[1], Fraction(1, 128), "P0 with another source behind it")
    return differs(
        "1/64, not 1/128",
        "Eq. 3 with H = 7 gives 1/128, the text 1/64: the farthest source meets no merge at its own router, so the exponent is H - 1; "
        "with another source behind it, the one change, P0 has 1/128 (decide rr)",
    )


@row("cray-42", "inputs that a packet merges with")
def _():
    seen = competing()
    same({len(seen[o]) for o in ("+x", "-x")}, {2}, "x")
    same({len(seen[o]) for o in ("+y", "-y")}, {4}, "y")
    same({len(seen[o]) for o in ("+z", "-z")}, {6}, "z")
    free = competing(tuple(itertools.permutations(range(3))))
    same({len(free[sign + dim]) for sign in "+-" for dim in "xyz"}, {6}, "any order of dimensions")
    return differs(
        "2, 4 and 6 inputs at x, y and z outputs",
        "2n = 6 counts the inputs of an output in all, the packet's own among them; with dimension order they are "
        "2, 4, 6, so the bound is 2^Hx 4^Hy 6^Hz (routes of a 6 x 6 x 8 torus enumerated). With the dimensions in any order, the one change, each output "
        "has 6 (enumerated, too)",
    )


def ring_shares(p3):
    """Shares of P0..P6 on the 8-node ring; P3 (a tie) goes '+', '-' or to both in turn."""

    def branch(sources, slots):
        stream = itertools.repeat(sources[0])
        for i, source in enumerate(sources[1:], 1):
            stream = iter(merged([stream, itertools.repeat(source)], (slots >> (len(sources) - 1 - i)) + 2))
        return stream

    slots = 640
    plus = ([3] if p3 in "+both" else []) + [4, 5, 6]
    minus = ([3] if p3 in ("-", "both") else []) + [2, 1, 0]
    order = merged([branch(plus, slots), branch(minus, slots)], slots)[64:]
    return [Fraction(order.count(source), len(order)) for source in range(7)]


@row("cray-44", "a torus suffers less than a mesh")
def _():
    for p3 in ("+", "-", "both"):
        shares = ring_shares(p3)
        same(max(shares) / min(shares), 4, f"P3 {p3}")
    line_ = line_shares(8)
    same(max(line_) / min(line_), 32, "line")
    same([max(hops) for hops in zip(*((ring(8, 7, node)[1], 7 - node) for node in range(8)))], [4, 7], "most hops to P7")
    return agrees(
        "largest over least share 4 on the ring, 32 on the line; the farthest is 4 and 7 hops away",
        "decide rr, node after node; whatever P3 does",
    )


@row("cray-45", "shares on the ring")
def _():
    found = {p3: ring_shares(p3) for p3 in ("+", "-", "both")}
    return not_testable(
        "the picture is lost and no number is in the text; decide rr gives P0..P6, P3 going +: "
        + " ".join(map(str, found["+"]))
        + ", -: "
        + " ".join(map(str, found["-"]))
        + ", both ways: "
        + " ".join(map(str, found["both"]))
    )


@row("cray-47", "Eq. 4: mean hops of a torus")
def _():
    for k in (8, 12, 16):
        same(Fraction(torus(k)["dimensions"][0]["average_hops_exact"]), ring_hops(k), f"k = {k}")
        same(ring_hops(k), Fraction(k, 4), f"k = {k}")
    near(float(ring_hops(8) * 8 / 7), 2.286, 0.0005, "without self")
    same(sum(Fraction(h) for h in of(torus(8, 8, 8), "average_hops_exact")), 3 * ring_hops(8), "8 x 8 x 8")
    return agrees(
        f"k / 4: 2, 3, 4 for k = 8, 12, 16; n k / 4 = {3 * ring_hops(8)} for 8 x 8 x 8",
        "plan seastar-age and counted routes; destinations include the sender, else 16/7 for k = 8",
    )


@row("cray-49", "Eq. 6: mean hops of a mesh")
def _():
    same(Fraction(torus(8, kind="mesh")["dimensions"][0]["average_hops_exact"]), 3, "planned")
    same(line_hops(8) * 8 / 7, 3, "8-ary line, without self")
    same(2 * line_hops(8), Fraction(21, 4), "8 x 8, counted")
    near(float(2 * line_hops(8) * 64 / 63), 5.333, 0.0005, "8 x 8, without self")
    return differs(
        "8 x 8: 5.25 counted, 6 by the formula",
        "n (k + 1) / 3 holds for one dimension with the sender excluded (3 for k = 8, plan and counted); in two "
        "dimensions, the one change, 5.25 with and 5.33 without the sender",
    )


@row("cray-50", "Eq. 7: mean hops of a mixed mesh")
def _():
    planned = sum(Fraction(h) for h in of(torus(11, 12, 16, kind="mesh"), "average_hops_exact"))
    same(planned, 14, "planned")
    counted = line_hops(11) + line_hops(12) + line_hops(16)
    near(float(counted), 12.921, 0.0005, "counted")
    same(sum(line_hops(k) * k / (k - 1) for k in (11, 12, 16)), 14, "counted, without the sender's ordinate in each dimension")
    return differs(
        "14 by the formula, 12.921 counted",
        "(k + 1) / 3 excludes the sender's ordinate in each dimension by itself, so that every packet moves in all three: with that, the one change, 14 is counted. "
        "Over all routes, sender included, as Eqs. 4 and 5 have it, a dimension has (k^2 - 1) / 3k",
    )


@row("cray-51", "channel load: traversals when each node sends one packet")
def _():
    loads = ring_loads(8)
    same(sum(loads.values()), 8 * ring_hops(8), "traversals")
    same(set(loads.values()), {Fraction(1)}, "each channel")
    return agrees("8-ary ring: 16 traversals over 16 channels", "all routes counted")


@row("cray-53", "Eq. 9: channel load of a mesh, called the average")
def _():
    loads = line_loads(8)
    same(Fraction(torus(8, kind="mesh")["dimensions"][0]["channel_load_exact"]), 2, "planned")
    same(max(loads.values()), 2, "largest")
    used = [load for load in loads.values() if load]
    same(sum(used) / len(used), Fraction(3, 2), "mean")
    near(float(max(line_loads(11).values())), 2.727, 0.0005, "k = 11")
    for k in (8, 12, 16):
        used = [load for load in line_loads(k).values() if load]
        same((max(used), sum(used) / len(used)), (Fraction(k, 4), Fraction(k + 1, 6)), f"largest and mean, k = {k}")
    return differs(
        "k = 8: 2.0 at the bisection, 1.5 on average",
        "the average over channels is (k + 1) / 6; of the largest, the one change, k / 4 is right for k = 8, 12, 16 (plan, counted), odd k have a little less, 2.727 and not 2.75 for 11",
    )


# --- C. parameters and choice -------------------------------------------------------------------------------


@row("cray-54", "AGE_CLOCK_PERIOD")
def _():
    same(q.refused(seastar(period=1)), None, "1")
    same(q.refused(seastar(period=2**32 - 1)), None, "2^32 - 1")
    holds(q.refused(seastar(period=2**32)) and q.refused(seastar(period=0)), "2^32 and 0 are refused")
    at_once = [q.arrive(queue) for queue in range(28)] + q.arbs(28, 1000)
    same({d.age for d in q.decide(seastar(7, req=0, rsp=0, period=100), at_once)}, {10}, "ages after ten ticks")
    return agrees(
        "1 to 2^32 - 1; the heads of all 28 queues are 10 after ten ticks of one clock", "decide; 0 and 2^32 are refused"
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
    others = sum(a.queue != b.queue for a, b in zip(found, by_age))
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
    same({d.queue for d, by_age in zip(decisions, kinds) if by_age}, {3}, "the oldest, at every turn of age")
    same([d.queue for d, by_age in zip(decisions, kinds) if not by_age], list(range(8)) * 4, "the others go round")
    return agrees("32 of 64 by age, in turn, bit 0 first", "decide --explain")


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
    return agrees("in 40 grants of both kinds the pointer used goes to the winner and the other stays", "decide --explain")


@row("cray-68", "6-bit counter of grants")
def _():
    decisions = q.decide(seastar(period=1), [q.arrive(0, 1) for _ in range(200)] + q.arbs(200, 0, 5), explain=True)
    same([int(d.state["grants"]) for d in decisions], [(g + 1) % 64 for g in range(200)], "counter")
    holds(any(d.before["inhibit"] == "true" for d in decisions), "inhibited grants among them")
    return agrees("grants mod 64, inhibited ones too", "decide --explain, 200 grants")


@functools.cache
def stamps():
    """(age with bias, timestamp, field, epoch) of arrivals at many moments."""
    rng, events = random.Random(100), []
    for cycle in range(1200):
        events += [q.arrive(rng.randrange(8), 1, cycle, rng.randint(0, 255))] + q.arbs(1, cycle)
    found = []
    for d in q.decide(seastar(period=1, req=0, rsp=0, select=ALL_RR), events, explain=True):
        for line_ in d.told:
            m = re.match(
                r"queue \d+: age \d+ \+ bias \d+ = (\d+).*field (\d+) at timestamp (\d+), in_epoch (\d)", line_
            )
            if m:
                found.append(tuple(map(int, m.groups())))
    holds(len(found) >= 1200 and len({f[1] for f in found}) > 300, "many fields")
    return found


def by_procedure_2(field, in_epoch, timestamp, epoch):
    """The new age, in the corrected variant."""
    total = field + 256 * (in_epoch != epoch) + timestamp
    return 255 if total & 256 or (total & 512 and not field & 256) else total % 256


@row("cray-69", "Table 1: age in bits 7:0")
def _():
    holds(all((field + timestamp) % 256 == age for age, field, timestamp, _ in stamps()), "bits 7:0")
    return agrees("bits 7:0 of the field give the age back", f"decide --explain, {len(stamps())} arrivals")


@row("cray-70", "Table 1: carry in bit 8")
def _():
    holds(all((field >> 8) == (age < timestamp) for age, field, timestamp, _ in stamps()), "bit 8")
    holds({field >> 8 for _, field, _, _ in stamps()} == {0, 1}, "both values occur")
    return agrees("1 exactly when age < timestamp at arrival", f"decide --explain, {len(stamps())} arrivals")


@row("cray-71", "Table 1: in_epoch")
def _():
    same({epoch for *_, epoch in stamps()}, {0, 1}, "epochs")
    first = q.decide(seastar(period=1), [q.arrive(0, 1, 300), *q.arbs(1, 300)], explain=True)[0]
    holds("in_epoch 1" in " ".join(first.told), "epoch 1 after one roll")
    return agrees("the epoch in force at arrival", "decide --explain")


EXPLAINED = re.compile(r"field (\d+), in_epoch (\d): new age (\d+)")


@row("cray-72", "Table 1: bit 10")
def _():
    ages = []
    for d in q.decide(seastar(period=1), random_log(random.Random(72), range(8), 800), explain=True):
        now = next((found for line in d.told if (found := re.match(r"timestamp (\d+), epoch (\d)", line))), None)
        for field, in_epoch, age in (map(int, found.groups()) for line in d.told if (found := EXPLAINED.search(line))):
            holds(field < 512, "the field has 9 bits")
            ages.append((age, by_procedure_2(field, in_epoch, *map(int, now.groups()))))
    same([age for age, _ in ages], [expected for _, expected in ages], "ages")
    holds(len(ages) > 500 and len(set(ages)) > 50, f"{len(ages)} ages")
    return agrees(
        f"{len(ages)} ages are what bits 8:0 and the epoch make of them",
        "decide --explain, 800 cycles of random traffic at period 1 (seed 72), each age computed again from these ten bits, timestamp and epoch; of an eleventh a log knows nothing, it refuses an age of 256 (cray-78)",
    )


@row("cray-73", "age field of 11 bits, values 0 to 255")
def _():
    ages = [d.age for d in q.decide(seastar(period=1, req=7, rsp=7), random_log(random.Random(73), range(8), 800))]
    same((min(ages) >= 0, max(ages)), (True, 255), "ages")
    return agrees("8 + 1 + 1 + 1 bits; no age above 255 in 800 arbitrations", "decide (seed 73)")


@row("cray-74", "a packet belongs to the epoch of its arrival")
def _():
    d = q.decide(seastar(period=1), [q.arrive(0, 1, 200), q.arrive(4, 1, 290)] + q.arbs(1, 295), explain=True)[0]
    found = [m.groups() for text in d.told if (m := re.match(r"queue (\d): age .* in_epoch (\d)", text))]
    same(found, [("0", "0"), ("4", "1")], "queue and epoch")
    return agrees("arrivals in cycles 200 and 290 have epochs 0 and 1", "decide --explain, period 1")


def epoch_log(stuck):
    events = ([q.arrive(0, 1, 100), q.stop(0, 100)] if stuck else []) + [q.arrive(4, 1, 400), q.arrive(5, 1, 410)]
    events += q.arbs(2, 500) + [q.arrive(4, 1, 1490)]
    return events + ([q.start(0, 1500)] if stuck else []) + q.arbs(8, 1501)


@row("cray-75", "the epoch switches only if no packet of the other one is left")
def _():
    free = q.decide(seastar(period=1), epoch_log(False), explain=True)
    stuck = q.decide(seastar(period=1), epoch_log(True), explain=True)
    same((stuck[0].before["epoch"], stuck[0].before["inhibit"]), ("1", "false"), "one switch past the stuck packet")
    same(
        (stuck[2].before["epoch"], stuck[2].before["inhibit"], stuck[2].before["timestamp"]),
        ("1", "true", "255"),
        "no second",
    )
    holds(free[2].before["inhibit"] == "false", "without a stuck packet time goes on")
    return agrees(
        "timestamp stays at 255 while an old packet waits",
        "decide --explain: a packet of epoch 0 stopped for two rolls",
    )


@row("cray-76", "while waiting, old packets drain by round robin")
def _():
    old = (0, 0, 1, 5, 6)
    log = [q.arrive(4, 1, 90)] + q.arbs(1, 95)  # by age: its pointer goes to 4, that of round robin stays
    log += [q.arrive(queue, 1, 100, age) for age, queue in enumerate(old)] + [q.stop(queue, 100) for queue in set(old)]
    log += [q.arrive(2, 1, 700, 255)] + [q.start(queue, 800) for queue in set(old)] + q.arbs(6, 801)
    first, *decisions = q.decide(seastar(period=1), log, explain=True)
    same((first.queue, decisions[0].before["last_age"], decisions[0].before["last_rr"]), (4, "4", "7"), "pointers")
    same(
        [d.before["inhibit"] for d in decisions if d.before],
        ["true"] * len([d for d in decisions if d.before]),
        "inhibited",
    )
    same([d.queue for d in decisions], [0, 1, 5, 6, 0, 2], "in turn, from round robin's pointer on, then the young one")
    return agrees(
        "five old packets leave in the turn 0, 1, 5, 6, 0, then the young one",
        "decide --explain, inhibited at period 1: the turn begins at the pointer of round robin, 7; that of age, 4, with which equal ages would go, would begin with 5, and the young packet came with an age of 255",
    )


@row("cray-77", "old packets leave before packets of the new epoch are accepted")
def _():
    log = [q.arrive(0, 1, 100), q.stop(0, 100)] + [q.arrive(4, 1, cycle) for cycle in range(700, 760)]
    decisions = q.decide(seastar(period=1), log + q.arbs(20, 720) + [q.start(0, 740)] + q.arbs(20, 740), explain=True)
    same(decisions[0].before["inhibit"], "true", "inhibited")
    same([d.queue for d in decisions[:21]], [4] * 20 + [0], "what leaves, until the old packet may")
    booked = [int(m[1]) for d in decisions for text in d.told if (m := re.match(r"queue 4: age .* in_epoch (\d)", text))]
    first = 700 + booked.index(0)
    same((len(booked), set(booked[: first - 700]), set(booked[first - 700 :])), (60, {1}, {0}), "epochs of the arrivals")
    out = decisions[20].cycle
    holds(first > out, f"the new epoch begins in cycle {first}, the old packet leaves in {out}")
    return agrees(
        f"an old packet leaves in cycle {out}, the first of the new epoch is accepted in {first}",
        f"decide --explain, period 1: a packet of epoch 0 stopped past the second roll. All {first - 700} that arrive until then are booked in epoch 1, the current one; they are not held up, "
        "and with the old one stopped 20 of them leave before it, so the sentence is true of epochs and not of all arrivals",
    )


def ranges(row_id, what, key, allowed, shown):
    @row(row_id, what)
    def _():
        states = [
            d.before
            for d in q.decide(seastar(period=1), random_log(random.Random(78), range(8), 700), explain=True)
            if d.before
        ]
        found = {int(state[key]) for state in states}
        holds(found <= set(allowed) and {min(allowed), max(allowed)} <= found, f"{key}: {min(found)} to {max(found)}")
        return agrees(shown, "decide --explain, 700 cycles of random traffic at period 1 (seed 78)")


@row("cray-78", "Table 2: age")
def _():
    config = seastar(req=0, rsp=0)
    same([q.decide(config, [q.arrive(0, 1, 0, age)] + q.arbs(1))[0].age for age in (0, 255)], [0, 255], "ages")
    holds(q.refused(config, q.arrive(0, 1, 0, 256)), "256 is refused")
    return agrees("0..255; 256 refused", "decide")


ranges("cray-79", "Table 2: timestamp", "timestamp", range(256), "0..255")
ranges("cray-80", "Table 2: epoch", "epoch", range(2), "0, 1")


@row("cray-81", "Table 2: new_age")
def _():
    holds(max(field for _, field, _, _ in stamps()) + 255 > 511, "the sum needs ten bits")
    ages = [d.age for d in q.decide(seastar(period=1), random_log(random.Random(81), range(8), 600))]
    holds(0 <= min(ages) and max(ages) <= 255, "range")
    return agrees(
        "0..255 after saturation",
        "decide (seed 81); the sum itself needs 10 bits: a field of up to 511 and a timestamp of up to 255",
    )


@row("cray-82", "Table 2: saturation flag")
def _():
    log = [q.arrive(0, 1, 0, 200)]
    ages = [q.decide(seastar(period=1, req=0), log + q.arbs(1, now))[0].age for now in (54, 55, 56, 100)]
    same(ages, [254, 255, 255, 255], "ages")
    return agrees(
        "200 + 54 ticks make 254, 200 + 56 and + 100 make 255",
        "decide; the flag of Procedure 2, line 9 shows in the age alone and is never read by itself",
    )


@row("cray-83", "Table 2: rollover flag")
def _():
    config = seastar(period=1, req=0)
    d = q.decide(config, [q.arrive(0, 1, 200)] + q.arbs(1, 300), explain=True)[0]
    same((d.before["epoch"], d.age), ("1", 100), "100 ticks across a roll")
    return agrees("in_epoch != epoch: age 100 after 100 ticks across a roll", "decide --explain")


@row("cray-84", "Table 2: packet_count 0..2047")
def _():
    def counted(flits):
        events = [q.arrive(queue, flits) for queue in range(28) for _ in range(96 // flits)] + q.arbs(1)
        return q.numbers(q.decide(seastar(7), events, explain=True)[0].before["packet_count"])[0]

    same([counted(1), counted(2)], [2688, 1344], "packets of one flit and of two")
    return differs(
        "2,688 packets of one flit in the input queues",
        f"11 bits end at 2,047, the chip's own 28 queues of 96 entries hold more, those of the six network ports alone {24 * 96:,}; with packets of two flits, the one "
        "change, 1,344 fit (decide --explain)",
    )


@row("cray-85", "Table 2: age_clock_period_reg")
def _():
    for period in (1, 3, 8):
        register, ticks, taken, timestamps, registers = period, 0, {period}, [], []
        for _ in range(60):
            timestamps.append(ticks)
            registers.append(register)
            register -= 1  # Procedure 3, lines 7 to 9 and 19
            taken.add(register)
            if register == 0:
                register, ticks = period, ticks + 1
        same(taken, set(range(period + 1)), f"values with a period of {period}")
        states = [d.before for d in q.decide(seastar(period=period), q.backlog([1], 60), explain=True)]
        same([int(state["timestamp"]) for state in states], timestamps, f"ticks with a period of {period}")
        same([int(state["countdown"]) for state in states], registers, f"countdown with a period of {period}")
    same(q.refused(seastar(period=2**32 - 1)), None, "2^32 - 1")
    holds(q.refused(seastar(period=0)), "0 is refused")
    return agrees(
        "p, ..., 1, 0 with a period of p up to 2^32 - 1",
        "lines 7 to 9 of Procedure 3 as printed, for p = 1, 3, 8, tick by tick as decide --explain has them: 0 is taken before the reload. As a period 0 is of no use, "
        "its countdown would begin below zero; decide refuses it",
    )


# --- D. properties ----------------------------------------------------------------------------------------


@row("cray-90", "16 x 12 x 8: load of x over z")
def _():
    loads = [Fraction(x) for x in of(torus(16, 12, 8), "channel_load_exact")]
    same(loads[0] / loads[2], 2, "ratio")
    return agrees("2 / 1 = 2", "plan seastar-age")


@row("cray-91", "biases suggested there: x 2, z 1")
def _():
    same(of(torus(16, 12, 8), "age_bias"), [3, 2, 1], "planned")
    loads = [Fraction(x) for x in of(machine(), "channel_load_exact")]
    holds(loads[0] < loads[1] < loads[2], "on 11 x 12 x 16 the rule by load would give x the least")
    here = [Fraction(x) for x in of(torus(16, 12, 8), "channel_load_exact")]
    same(here, [2, Fraction(3, 2), 1], "loads on 16 x 12 x 8")
    return differs(
        "planned 3, 2, 1",
        "the paper has two rules: here biases go by channel load, in Sect. 3.1, which the planner follows, by order of routing. By load, the one change, they are "
        f"{' : '.join(str(float(load)) for load in here)}, x 2 and z 1 as suggested. On the paper's own 11 x 12 x 16 loads are {' < '.join(str(float(load)) for load in loads)}, "
        "which would turn its 3, 2, 1 around (plan)",
    )


@row("cray-92", "a mesh's links carry twice a torus's load")
def _():
    ratio = Fraction(torus(8, kind="mesh")["dimensions"][0]["channel_load_exact"]) / Fraction(
        torus(8)["dimensions"][0]["channel_load_exact"]
    )
    same(ratio, 2, "ratio")
    mesh, ring_ = [load for load in line_loads(8).values() if load], list(ring_loads(8).values())
    same(max(mesh) / max(ring_), 2, "counted, at the bisection")
    mean = sum(mesh) / len(mesh) / (sum(ring_) / len(ring_))
    return agrees(
        "2 at the bisection",
        f"plan seastar-age, (k/4) / (k/8), and routes counted for k = 8; averaged over links it is {float(mean)}",
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


# --- E. procedures --------------------------------------------------------------------------------------------


@row("cray-97", "biases of three bits")
def _():
    same(q.refused(seastar(req=7, rsp=7)), None, "7")
    holds(q.refused(seastar(req=8)) and q.refused(seastar(rsp=8)), "8 is refused")
    return agrees("0..7; 8 refused", "decide")


@row("cray-98", "saturation on arrival")
def _():
    ages = [q.decide(seastar(req=7), [q.arrive(0, 1, 0, age)] + q.arbs(1))[0].age for age in (247, 248, 249, 250)]
    same(ages, [254, 255, 255, 255], "ages")
    return agrees("250 + 7 = 255", "decide")


@row("cray-99", "packet_count of the current epoch")
def _():
    log = random_log(random.Random(99), range(8), 800, rate=0.6)
    inside, epochs, seen = [0, 0], {queue: [] for queue in range(8)}, set()
    decisions = q.decide(seastar(period=1), log, explain=True)
    for d in decisions:
        for text in d.told:
            if m := re.match(r"queue (\d): age .* bias .* in_epoch (\d)", text):
                queue, epoch = map(int, m.groups())
                epochs[queue].append(epoch)
                inside[epoch] += 1
        before = d.before or {"epoch": "0", "packet_count": "[0 0]"}  # none to tell while nothing has come
        same(q.numbers(before["packet_count"]), inside, f"before the decision of cycle {d.cycle}")
        seen.add((before["epoch"], inside[0] > 0, inside[1] > 0))
        if d.queue >= 0:
            inside[epochs[d.queue].pop(0)] -= 1
            same(q.numbers(d.state["packet_count"]), inside, f"after the decision of cycle {d.cycle}")
    holds({("0", True, True), ("1", True, True)} <= seen, "packets of both epochs, whichever is current")
    return agrees(
        f"both counts are right in {len(decisions)} cycles",
        "decide --explain, period 1: counted along, each packet by the epoch of its arrival (seed 99)",
    )


@row("cray-100", "bits 8:0 = age - timestamp")
def _():
    holds(all(field == (age - timestamp) % 512 for age, field, timestamp, _ in stamps()), "fields")
    return agrees(f"(age - timestamp) mod 512 in {len(stamps())} arrivals", "decide --explain")


@row("cray-101", "age is taken from head_flit[10:0]")
def _():
    holds(q.refused(seastar(), q.arrive(0, 1, 0, 2047)), "an age of 11 bits is refused")
    marked = sum(bool(field >> 8 or epoch) for _, field, _, epoch in stamps())
    return differs(
        "8 bits are taken",
        "the text says [10:0], the pseudocode and Table 1 [7:0]; bits 8 and 9 are the router before's bookkeeping, as Procedure 2, line 13, writes bits 7:0 only. "
        f"With them {marked:,} of {len(stamps()):,} drawn packets (seed 100) would come with more than 255 to the next router and be 255 there; with 8 bits, the one change, none (decide refuses 2,047)",
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


@row("cray-104", "rollover adds 256")
def _():
    config = seastar(period=1, req=0)
    for arrival, now in ((200, 300), (0, 255), (255, 300), (10, 400)):
        d = q.decide(config, [q.arrive(0, 1, arrival)] + q.arbs(1, now), explain=True)[0]
        same(d.age, min(255, now - arrival), f"{arrival} to {now}")
    return agrees("ages of 100, 255, 45, 255 after as many ticks", "decide, period 1, across a roll and within one")


@row("cray-105", "a 10-bit sum")
def _():
    rng, seen = random.Random(105), 0
    for _ in range(6):
        arrivals = sorted(rng.sample(range(1, 400), 8))
        ages = {queue: rng.randint(0, 255) for queue in range(8)}
        events = [q.arrive(queue, 1, arrivals[queue], ages[queue]) for queue in range(8)] + q.arbs(8, 401)
        for d in q.decide(seastar(period=1, req=0, rsp=0, select=ALL_RR), events):
            same(d.age, min(255, ages[d.queue] + d.cycle - arrivals[d.queue]), f"queue {d.queue}")
            seen += 1
    return agrees(
        f"age at arrival + ticks since, up to 255, in {seen} cases",
        "decide, random ages and arrivals over two epochs (seed 105)",
    )


def overflow_counts(printed):
    """Over all ages, arrivals and later moments of the same and the next epoch: (cases, wrongly 255, wrapped)."""
    cases = saturated = wrapped = 0
    for age in range(256):
        for arrived in range(256):
            field = (age - arrived) % 512
            carry = field >> 8
            for roll, low, high in ((0, arrived, 255), (1, 0, 255)):
                first, last = field + 256 * roll + low, field + 256 * roll + high
                cases += high - low + 1
                block = first >> 8
                while block <= last >> 8:
                    begin, end = max(first, 256 * block), min(last, 256 * block + 255)
                    bit_8, bit_9 = block & 1, block >> 1 & 1
                    to_255 = bit_8 or (bit_9 and (carry if printed else not carry))
                    # begin - 512 carry .. end - 512 carry are the true ages.
                    true_begin, true_end = begin - 512 * carry, end - 512 * carry
                    if to_255:
                        saturated += max(0, min(true_end, 254) - true_begin + 1)
                    else:
                        wrong = max(0, true_end - max(true_begin, 256) + 1)
                        if wrong and end == 256 * block + 255:
                            wrong -= 1  # 255 itself is right
                        wrapped += wrong
                    block += 1
    return cases, saturated, wrapped


@row("cray-106", "Procedure 2, line 8: overflow")
def _():
    same(overflow_counts(False), (25_198_592, 0, 0), "corrected")
    same(overflow_counts(True), (25_198_592, 5_559_680, 2_796_160), "printed")
    config = seastar(period=1, req=0)
    events = [q.arrive(0, 1, 50, 20)] + q.arbs(1, 60)
    same(
        [q.decide({**config, "variant": v}, events)[0].age for v in ("corrected", "printed")],
        [30, 255],
        "younger than the timestamp",
    )
    late = [q.arrive(0, 1, 0, 200)] + q.arbs(1, 312)
    same([q.decide({**config, "variant": v}, late)[0].age for v in ("corrected", "printed")], [255, 0], "wrapped")
    return differs(
        "needs NOT head_flit[8]",
        "of 25,198,592 cases 5,559,680 are 255 too early and 2,796,160 wrap to young ages as printed, none with the NOT, the one change (all "
        "counted; decide shows one of each: 30 becomes 255, 255 becomes 0)",
    )


@row("cray-108", "the winner leaves with its new age and is counted off")
def _():
    decisions = q.decide(
        seastar(period=10, req=2), [q.arrive(0, 1, 0, 5), q.arrive(4, 1, 0, 5)] + q.arbs(2, 50), explain=True
    )
    same([d.age for d in decisions], [12, 12], "ages")
    same(q.numbers(decisions[1].state["packet_count"]), [0, 0], "counts")
    return agrees("5 + 2 + 5 ticks = 12; counts back to 0", "decide --explain")


@row("cray-109", "Procedure 2, line 12 always goes by age")
def _():
    config = seastar(period=10**6, select="0x1")
    order = q.winners(
        config, [q.arrive(queue, 1, 0, age) for queue, age in ((0, 9), (0, 9), (1, 5), (2, 200))] + q.arbs(3)
    )
    same(order, [2, 0, 1], "one grant by age, then round robin")
    always = q.winners(
        {**config, "age_rr_select": ALL_AGE},
        [q.arrive(queue, 1, 0, age) for queue, age in ((0, 9), (0, 9), (1, 5), (2, 200))] + q.arbs(3),
    )
    same(always, [2, 0, 0], "by age")
    return differs(
        "AGE_RR_SELECT and inhibition decide who chooses",
        "the procedure mentions neither, Sects. 2.1 and 2.2 have both: heads of 200, 9, 5 and a second one of 9 in the queue of the first leave by AGE_RR_SELECT 1 as 200, 9, 5, "
        "with all bits set, the one change, by age as line 12 has it, 200, 9, 9 (decide)",
    )


@row("cray-110", "the timer: one tick every p cycles")
def _():
    for period in (1, 3, 8):
        events = q.arbs(40, 0, 7)
        for d in q.decide(seastar(period=period), events, explain=True):
            if d.before:
                same(int(d.before["timestamp"]), d.cycle // period % 256, f"period {period}, cycle {d.cycle}")
    return agrees("floor(n / p) mod 256 for p = 1, 3, 8", "decide --explain")


@row("cray-111", "at 255 the timestamp rolls and the epoch changes")
def _():
    for period in (4, 8, 16, 18, 4096):
        d = q.decide(seastar(period=period), q.arbs(1, 256 * period - 1) + q.arbs(1, 256 * period), explain=True)
        same([(x.before["timestamp"], x.before["epoch"]) for x in d], [("255", "0"), ("0", "1")], f"period {period}")
    near([256 * p * 2e-3 for p in (4, 8, 16, 18, 4096)], [2.05, 4.1, 8.2, 9.2, 2097], 0.2, "us")
    return agrees("every 256 p cycles: 2.05, 4.1, 8.2, 9.2 us and 2.1 ms at p = 4, 8, 16, 18, 4096", "decide --explain")


@row("cray-112", "otherwise inhibited, and the timer stands still")
def _():
    decisions = q.decide(
        seastar(period=3),
        [q.arrive(0, 1, 100), q.stop(0, 100), q.arrive(4, 1, 1550)] + q.arbs(3, 1600, 100),
        explain=True,
    )
    same(
        [tuple(d.before[key] for key in ("inhibit", "timestamp", "countdown")) for d in decisions],
        [("true", "255", "3")] * 3,
        "cycles 1600, 1700, 1800",
    )
    return agrees(
        "timestamp 255 and countdown 3 in cycles 1600, 1700 and 1800",
        "decide --explain, period 3: one old packet stopped",
    )


@row("cray-113", "after the drain the timestamp is still 255")
def _():
    for period in (1, 5, 20):
        # The old packet leaves at `out`, long after the roll was due.
        out = 256 * period * 3
        events = [
            q.arrive(0, 1, 10),
            q.stop(0, 10),
            q.arrive(4, 1, 256 * period + 5),
            q.stop(4, 256 * period + 5),
            q.start(0, out),
        ]
        events += q.arbs(3 * period + 6, out)
        decisions = q.decide(seastar(period=period), events, explain=True)
        same(decisions[0].queue, 0, "drained")
        flipped = next(d.cycle for d in decisions if d.before["epoch"] != decisions[0].before["epoch"])
        # The counts of the drain's cycle take effect in the next: then period + 1 cycles.
        same(flipped - (out + 1), period + 1, f"period {period}")
    return agrees("the epoch changes p + 1 cycles after the old one is empty, p = 1, 5, 20", "decide --explain")


# --- F. choosing parameters --------------------------------------------------------------------------------------


@row("cray-116", "ages should centre on 128")
def _():
    plan = machine()
    same(plan["bias_age"] + plan["ticks_per_hop"] * plan["average_hops"], 129, "age on arrival, with ticks rounded")
    for k in (4, 8, 16, 32, 64):
        ring_ = torus(k)
        same(ring_["bias_age"] + ring_["ticks_per_hop"] * ring_["average_hops"], 128, f"ring of {k}")
    return agrees(
        "1 + 1 x 127 = 2 + 2 x 63 = ... = 16 + 16 x 7 = 128 on rings of 4 to 64 nodes",
        "plan seastar-age: age from biases and hops times ticks a hop, where these need no rounding; on 11 x 12 x 16 19 + 10 x 11 = 129, 10.9 ticks being rounded",
    )


@functools.cache
def competing(orders=((0, 1, 2),)):
    """Input ports seen at each output of a 6 x 6 x 8 torus, over the routes of all pairs; `orders`: of the dimensions."""
    radices = (6, 6, 8)
    seen = {}
    for offset in itertools.product(*(range(k) for k in radices)):
        ways = []
        for dimension, (k, distance) in enumerate(zip(radices, offset)):
            steps, hops = ring(k, 0, distance)
            ways.append([("+-"[step < 0] + "xyz"[dimension], hops) for step, _ in steps] if hops else [(None, 0)])
        for way, order in itertools.product(itertools.product(*ways), orders):
            came = "proc"
            for direction, hops in (way[dimension] for dimension in order):
                for _ in range(hops):
                    seen.setdefault(direction, set()).add(came)
                    came = ("-" if direction[0] == "+" else "+") + direction[1]
            if came != "proc":
                seen.setdefault("proc", set()).add(came)
    return seen


def table_3(row_id, output, expected):
    @row(row_id, f"Table 3: inputs that compete for {output}")
    def _():
        found = competing()[output]
        same(found, set(expected.split()), output)
        return agrees(
            f"{expected.replace(' ', ', ')}: {len(found)}", "routes of a 6 x 6 x 8 torus, dimension order, enumerated"
        )


table_3("cray-118", "+x", "proc -x")
table_3("cray-119", "-x", "proc +x")
table_3("cray-120", "+y", "proc +x -x -y")
table_3("cray-121", "-y", "proc +x -x +y")
table_3("cray-122", "+z", "proc +x -x +y -y -z")
table_3("cray-124", "proc", "+x -x +y -y +z -z")


@row("cray-123", "Table 3: inputs that compete for -z")
def _():
    same(competing()["-z"], {"proc", "+x", "-x", "+y", "-y", "+z"}, "-z")
    return differs(
        "proc, +x, -x, +y, -y, +z: 6",
        "a slip: the printed list repeats that of +z; a packet that goes -z comes in by +z, as in the rows of x and y, and -z would be a turn back "
        "(routes enumerated); the count is right",
    )


def probability(row_id, what, dimension, exact, shown):
    @row(row_id, what)
    def _():
        same(Fraction(machine()["dimensions"][dimension]["ejection_probability_exact"]), exact, "probability")
        same(leaving()[dimension], exact, "pairs of nodes whose last hop is in this dimension")
        return agrees(shown, "plan seastar-age, and the last hops of all pairs of nodes counted")


probability("cray-125", "Eq. 10: leaving from x", 0, Fraction(10, 2112), "10/2112 = 0.47348 %")
probability("cray-126", "Eq. 11: leaving from y", 1, Fraction(11, 192), "11/192 = 5.72917 %")


def leaving():
    """Of all pairs of nodes of 11 x 12 x 16 those whose last hop is in x, y and z."""
    last = [0, 0, 0]
    for to in range(1, 2112):  # from node 0; a torus looks alike from everywhere
        ordinates = (to % 11, to // 11 % 12, to // 132)
        last[max(dim for dim in range(3) if ordinates[dim])] += 1
    return [Fraction(count, 2112) for count in last]


@row("cray-127", "Eq. 12: leaving from z")
def _():
    planned = Fraction(machine()["dimensions"][2]["ejection_probability_exact"])
    same(planned, 1 - Fraction(10, 2112) - Fraction(11, 192), "1 - Px - Py")
    direct = Fraction(15, 16)
    same(planned - direct, Fraction(1, 2112), "difference from (k - 1) / k")
    same(leaving(), [Fraction(10, 2112), Fraction(11, 192), direct], "counted")
    return agrees(
        "93.79735 %",
        "arithmetic, by plan seastar-age and by counting the pairs: "
        f"{100 * float(leaving()[2]):.5f} % of the pairs have their last hop in z, without traffic to oneself {100 * float(leaving()[2] * 2112 / 2111):.5f} %; the 1/2112 between is traffic to oneself, booked as z. "
        "No counter has where packets came from that leave, so no run shows it",
    )


@row("cray-129", "probability that all dimensions are used")
def _():
    product = Fraction(1)
    for k in of(machine(), "radix"):
        product *= 1 - Fraction(1, k)
    same(product, Fraction(25, 32), "product")
    routes = sum(all((to % 11, to // 11 % 12, to // 132)) for to in range(2112))
    same(Fraction(routes, 2112), product, "routes with hops in x, y and z")
    return agrees(
        "25/32 = 0.78125", f"arithmetic on the planned radices, and counted: {routes:,} of 2,112 destinations of a node"
    )


def ejection(row_id, what, dimension, formula):
    """Bounds of Eqs. 14 to 16 in GB/s: of the channels, of the processor, of the dimensions behind."""

    @row(row_id, what)
    def _():
        def bound(processor):
            return min([Fraction(48, 10) * 8 / k for k in (11, 12, 16)[dimension:]] + [processor])

        for processor in (2, 100):
            plan = torus(11, 12, 16, ejection_gbytes=processor)
            same(Fraction(plan["dimensions"][dimension]["ejection_gbytes_exact"]), bound(processor), "GB/s")
        same(Fraction(machine()["dimensions"][dimension]["ejection_gbytes_exact"]), bound(2), "GB/s by default")
        return agrees(
            f"{formula} = {float(bound(2)):.1f} GB/s",
            f"arithmetic, and plan seastar-age, whose default of 2 GB/s is the processor's; without it {float(bound(100)):.3f}. {neither_is_full()}",
        )


def neither_is_full():
    """Of the two bounds of Eq. 14 in the runs of Table 5."""
    import cray_networks as nets  # needs what stands here

    runs = [nets.between(nets.FILLED_UNTIL[name], nets.FILLED[name]) for name in nets.TABLE_5_NAMES]
    got, used = ([run.mean(what) for run in runs] for what in ("accepted", "used.z"))
    holds(max(got) < 0.95 * nets.EJECTION and max(used) < 0.95, f"{got} {used}")
    return (
        f"That a run ends at such a bound no run shows: with all sources full input queues block before (experiment torus-filled: "
        f"processors take {min(got):.2f} to {max(got):.2f} of {nets.EJECTION} flits a cycle, links in z are busy for {100 * min(used):.0f} to {100 * max(used):.0f} %)"
    )


ejection("cray-130", "Eq. 14: ejection from z", 2, "min(2.4, 2.0)")
ejection("cray-131", "Eq. 15: ejection from y", 1, "min(3.2, 2.0)")
ejection("cray-132", "Eq. 16: ejection from x", 0, "min(3.491, 2.0)")


@row("cray-133", "a mesh has 4/k for 8/k")
def _():
    found = of(torus(11, 12, 16, kind="mesh"), "ejection_gbytes_exact")
    same(found, ["6/5"] * 3, "GB/s")
    same(Fraction(48, 10) / max(line_loads(16).values()), Fraction(6, 5), "by the counted load of z")
    return agrees(
        "1.2 GB/s for all three",
        "plan seastar-age, 11 x 12 x 16 mesh: 4.8 x 4 / 16; the routes of a line of 16 counted, its middle channel has a load of 4, k/4",
    )


@row("cray-134", "a mesh's load is k/4 at the bisection, less outside")
def _():
    loads = [float(line_loads(8)[node, 1]) for node in range(7)]
    same(loads, [0.875, 1.5, 1.875, 2.0, 1.875, 1.5, 0.875], "loads")
    return agrees("0.875, 1.5, 1.875, 2.0, 1.875, 1.5, 0.875 for k = 8", "routes of a line counted, sender included")


@row("cray-135", "worst-case traffic doubles the load")
def _():
    k = 8

    def shifted(by):
        loads = {(node, step): Fraction(0) for node in range(k) for step in (1, -1)}
        for source in range(k):
            ways, hops = ring(k, source, (source + by) % k)
            for step, weight in ways:
                for i in range(hops):
                    loads[(source + step * i) % k, step] += weight
        return loads.values()

    same(set(shifted(k // 2)), {Fraction(k, 4)}, "half-way shift on a ring")
    mean = [sum(shifted(by)) / (2 * k) for by in range(k)]
    same(max(mean), mean[k // 2], "mean load of all shifts")
    busiest = max(shifted(k // 2 - 1))
    holds(busiest > Fraction(k, 4), f"the busiest channel of a shift by {k // 2 - 1}: {busiest}")
    mirror = sum(1 for source in range(k // 2) for node in range(source, k - 1 - source) if node == k // 2 - 1)
    same(mirror, k // 2, "mirror on a line, across the bisection")
    return agrees(
        "k/4 = 2 on the ring, k/2 = 4 on the line, k = 8",
        "routes counted: half-way shift, mirror, in which all traffic crosses the bisection. On the ring no shift has a larger mean over the channels; one channel can have more: "
        f"a shift by {k // 2 - 1} loads those one way with {busiest} and the others with none",
    )


@row("cray-137", "order of the biases")
def _():
    biases = of(machine(), "age_bias")
    holds(biases[0] > biases[1] > biases[2], "order")
    return agrees("x > y > z", "plan seastar-age")


@row("cray-138", "biases for 11, 12, 16")
def _():
    same(of(machine(), "age_bias"), [3, 2, 1], "biases")
    return agrees("3, 2, 1", "plan seastar-age")


@row("cray-139", "packets in x have more hops left than in y and z")
def _():
    def left(k):  # hops left in a ring on entering an output, its own included, over all entries
        total, entries = Fraction(0), 0
        for to in range(1, k):
            hops = ring(k, 0, to)[1]
            total += Fraction(hops * (hops + 1), 2)
            entries += hops
        return total / entries

    x, y, z = left(11) + ring_hops(12) + ring_hops(16), left(12) + ring_hops(16), left(16)
    near([float(x), float(y), float(z)], [9.33, 6.53, 3.19], 0.01, "hops")
    return agrees(
        f"{float(x):.2f}, {float(y):.2f}, {float(z):.2f} hops left", "routes counted, the hop about to be made included"
    )


def planned(row_id, what, key, value, shown):
    @row(row_id, what)
    def _():
        same(machine()[key], value, key)
        return agrees(shown, "plan seastar-age")


planned(
    "cray-141",
    "mean hops of 11, 12, 16",
    "average_hops",
    10,
    "3 + 3 + 4 = 10 (2.75 rounded; 9.75 by Eq. 5, which is meant)",
)
planned("cray-142", "age from the biases", "bias_age", 19, "3 x 3 + 3 x 2 + 4 x 1 = 19")
planned("cray-145", "packets queued ahead", "queued_packets", 11, "10 + 1 = 11")
planned("cray-147", "queueing per hop", "queueing_cycles_per_hop", 198, "11 x 18 = 198 cycles")
planned("cray-148", "age clock period", "age_clock_period", 18, "198 / 11 = 18")


@row("cray-143", "ticks left to queueing")
def _():
    same(128 - machine()["bias_age"], 109, "ticks")
    return agrees("128 - 19 = 109", "plan seastar-age")


@row("cray-144", "ticks per hop")
def _():
    same(machine()["ticks_per_hop"], 11, "ticks")
    near((128 - machine()["bias_age"]) / machine()["average_hops"], 10.9, 1e-9, "before rounding")
    return agrees("109 / 10 ~ 11", "plan seastar-age")


# --- G, H, I ---------------------------------------------------------------------------------------------------


@row("cray-155", "Eq. 17: occupancy")
def _():
    plan = torus(8, measured={"stalled_cycles": 1000, "vc0_packets": 60, "vc1_packets": 40})
    same(plan["occupancy_exact"], "10", "cycles a packet")
    return agrees(
        "1000 / (60 + 40) = 10 cycles a packet",
        "plan seastar-age; whether T_stall is Table 4's BLOCKED or STALLED the paper leaves open",
    )


def stall(name):
    """Mean stalls of x, y, z in Table 5."""
    py, px, pz, mz, mx, my = TABLE_5[name][0]
    return (px + mx) / 2, (py + my) / 2, (pz + mz) / 2


def variance(values):
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / len(values)


@row("cray-179", "the best configuration has the least latency and the highest throughput")
def _():
    best, other = "8/3,2,1", "16/3,2,1"
    mean = {name: sum(stalls) / 6 for name, (stalls, _, _) in TABLE_5.items()}
    same([min(TABLE_5, key=lambda n: TABLE_5[n][2]), min(mean, key=mean.get)], [best] * 2, "latency, mean stall")
    columns = [min(TABLE_5, key=lambda n: TABLE_5[n][0][column]) for column in range(6)]
    same(columns, [best, best, other, other, best, best], "stalls of +y, +x, +z, -z, -x, -y")
    same(min(TABLE_5, key=lambda n: TABLE_5[n][1][2]), other, "Qz")
    return agrees(
        f"{best}: {TABLE_5[best][2]} ns and {mean[best]:.1f} stalled cycles a packet, the least of both; {other} {TABLE_5[other][2]} and {mean[other]:.1f}",
        "the paper's own Table 5, which has no throughput: less occupancy is more of it, as the paper says, here its mean over six directions. Best in every column it is not: z stalls least, and Qz is least, at "
        + other,
    )


@row("cray-183", "age is always better than round robin")
def _():
    holds(TABLE_5["16/1,1,1"][2] > TABLE_5["RR"][2], "latency")
    worse = sum(a > b for a, b in zip(TABLE_5["8/1,1,1"][0], TABLE_5["RR"][0]))
    same(worse, 5, "directions in which 8/1,1,1 stalls more")
    holds(
        all(TABLE_5[f"{period}/3,2,1"][2] < TABLE_5["RR"][2] for period in (4, 8, 16)), "biases 3, 2, 1: less latency"
    )
    return differs(
        "16/1,1,1: 7443 > 7301 ns; 8/1,1,1 stalls more in 5 of 6 directions",
        "the paper's own Table 5; with biases 3, 2, 1, the one change, all three periods gain",
    )


@row("cray-188", "16 against 8 with 3, 2, 1")
def _():
    same(TABLE_5["16/3,2,1"][2] - TABLE_5["8/3,2,1"][2], 94, "ns")
    return agrees("5101 - 5007 = 94 ns", "Table 5")


@row("cray-192", "utilization of z")
def _():
    part = 9 / (9 + stall("8/3,2,1")[2])
    near(part, 0.4390, 0.0001, "utilization")
    return agrees("9 / (9 + 11.5) = 0.439", "Table 5")


@row("cray-193", "bandwidth of z, about E_p, as Eq. 14 predicts")
def _():
    rates = {name: 9 / (9 + stall(name)[2]) * 4.8 for name in ("RR", "8/3,2,1")}
    near(rates["8/3,2,1"], 2.107, 0.001, "GB/s")
    nodes = {name: rate / machine()["dimensions"][2]["channel_load"] for name, rate in rates.items()}
    near(nodes["8/3,2,1"], 1.05, 0.005, "GB/s a node")
    return differs(
        f"0.439 x 4.8 = {rates['8/3,2,1']:.3f} GB/s of a channel, {nodes['8/3,2,1']:.2f} of a node",
        "the paper's own numbers: the product is right, but a channel's rate, and E_p and Eq. 14, whose 4.8 x 8 / k is a channel's rate over its load k / 8, are of a node. Over z's load of 2, the one change, "
        f"a node ejects {nodes['8/3,2,1']:.2f} GB/s, half of E_p. That a channel's rate is near 2 says nothing of E_p: round robin's is {rates['RR']:.2f}",
    )


@row("cray-195", "the variance of occupancy comes down")
def _():
    found = {name: variance(TABLE_5[name][0]) for name in TABLE_5}
    near(list(found.values()), [169.5, 112.4, 69.5, 173.2, 30.0, 123.4, 67.5], 0.06, "variances")
    same([name for name in found if found[name] > found["RR"]], ["8/1,1,1"], "up")
    same(min(found, key=found.get), "8/3,2,1", "least")
    return differs(
        "169.5 under RR; 112.4, 69.5, 173.2, 30.0, 123.4, 67.5",
        "the paper's own Table 5, over the six directions: down in 5 of 6, up at 8/1,1,1; with biases 3, 2, 1, the one "
        "change, always down, most at 8/3,2,1, of which the text has just spoken",
    )


@row("cray-196", "reduction of latency")
def _():
    saved = TABLE_5["RR"][2] - TABLE_5["8/3,2,1"][2]
    same((saved, round(100 * saved / TABLE_5["RR"][2], 1)), (2294, 31.4), "ns and percent")
    return agrees("2294 ns, 31.4 %", "Table 5")


@row("cray-201", "gain of MPI_Alltoall")
def _():
    gain = round(100 * (194 / 142 - 1), 2)
    same(gain, 36.62, "percent")
    return differs("36.62 %", "the table's 36.6 is 194 / 142, the text's 36.3 is not: the paper's own numbers")


@row("cray-13", "content of the sideband")
def _():
    return not_testable(
        "link layer (sequence numbers, CRC): below what is modelled; 34 - 12 = 22 bits are left beside the CRC"
    )


@row("cray-14", "sliding window and go-back-N")
def _():
    return not_testable("link layer: links here are free of errors")


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


@row("cray-46", "other work on the effect")
def _():
    return not_testable("a citation, nothing to check")


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


@row("cray-198", "conditions of the measurement")
def _():
    return not_testable("production jobs over days: not repeatable")


@row("cray-208", "number of figures")
def _():
    return not_testable(
        "typography: Fig. 5's caption is lost in the text at hand, and nothing refers to a sixth figure"
    )


paper.needs("cray-30", "the curve is lost; Eq. 2 beside a simulated port: cray-29")


@row("cray-114", "a write of AGE_CLK_PERIOD loads the countdown at once")
def _():
    test = "APeriodOf0StopsTheClockAndANewOneRestartsTheCountdown"
    fault = "a-period-waits-for-the-old-one"
    holds(test in (q.TOP / "tb/ages/seastar_lockstep_test.cpp").read_text(), "the test is there")
    holds(f'"{fault}"' in (q.TOP / "tb/ages/faults.toml").read_text(), "the fault that it has to find is there")
    return agrees(
        "a period of 100 written at a countdown of 2 makes it 100, and the timestamp stays",
        f"shown by tests of the RTL's age clock, not by a run of the command, in whose logs the period stays: SeastarRtl.{test} of tb/ages, and "
        f"ages.fault.{fault}, in which it has to fail; ctest runs them, here it is only seen that they are there. A port's register brings the period to the clock with a commit",
    )


class Router:
    """Procedures 1 to 3 for a node of the line whose output merges its own source (queue 0) and what comes along the line (queue 2)."""

    def __init__(self, period, bias, epochs=True):
        self.period, self.bias, self.epochs = period, bias, epochs
        self.waiting, self.longest, self.inhibited = {0: [], 2: []}, 0, 0
        self.timestamp, self.epoch, self.inhibit, self.countdown, self.count = 0, 0, False, period, [0, 0]
        self.last = {"age": 3, "rr": 3}
        self.heads = {0: [], 2: []}
        self.events, self.winners, self.free_at = [], [], 0

    def arrive(self, now, queue, age):
        self.events.append(q.arrive(queue, 9, now, age))
        self.waiting[queue].append(now)
        self.heads[queue].append(((min(255, age + self.bias) - self.timestamp) % 512, self.epoch))
        self.count[self.epoch] += 1

    def age(self, queue):
        field, in_epoch = self.heads[queue][0]
        return by_procedure_2(field, in_epoch, self.timestamp, self.epoch)

    def grant(self, now):
        """The age with which the winner leaves."""
        by = "rr" if self.inhibit else "age"
        order = [(self.last[by] + step) % 4 for step in range(1, 5)]
        order = [queue for queue in order if self.heads.get(queue)]
        old = [queue for queue in order if self.heads[queue][0][1] != self.epoch]
        winner = (old or order)[0] if self.inhibit else max(order, key=self.age)
        age = self.age(winner)
        self.last[by] = winner
        self.count[self.heads[winner].pop(0)[1]] -= 1
        self.longest = max(self.longest, now - self.waiting[winner].pop(0))
        self.inhibited += self.inhibit
        self.events.append((now, "arb", "", "", ""))
        self.winners.append((winner, 9, age))
        self.free_at = now + 9
        return age

    def tick(self, count):
        """The end of a cycle; `count`: the packets of each epoch at its start."""
        others = count[1 - self.epoch] > 0
        if self.inhibit:
            self.inhibit = others
            return
        self.countdown -= 1
        if self.countdown == 0:
            self.countdown = self.period
            if self.timestamp < 255:
                self.timestamp += 1
            elif others and self.epochs:
                self.inhibit = True
            else:
                self.timestamp, self.epoch = 0, 1 - self.epoch


def plain_line(period, bias, cycles=20_000, depth=10, epochs=True, refill=0):
    """The routers of a line of eight nodes, all queues full, after so many cycles. Without epochs a roll of the timestamp waits for nobody.
    refill: cycles until a place of a source has its next packet."""
    nodes, under_way, coming = [Router(period, bias, epochs) for _ in range(7)], [], [[] for _ in range(7)]
    for now in range(cycles):
        counts = [list(node.count) for node in nodes]
        for _, place, age in (packet for packet in under_way if packet[0] == now):
            nodes[place].arrive(now, 2, age)
        under_way = [packet for packet in under_way if packet[0] > now]
        for place, node in enumerate(nodes):
            coming[place] += [now + refill] * (depth - len(node.heads[0]) - len(coming[place]))
            while coming[place] and coming[place][0] <= now:
                coming[place].pop(0)
                node.arrive(now, 0, 0)
            room = (
                place == 6
                or len(nodes[place + 1].heads[2]) + sum(packet[1] == place + 1 for packet in under_way) < depth
            )
            if now >= node.free_at and room and any(node.heads.values()):
                age = node.grant(now)
                if place < 6:
                    under_way.append((now + 9, place + 1, age))
        for node, count in zip(nodes, counts):
            node.tick(count)
    for node in nodes:
        node.longest = max([node.longest, *(cycles - waiting[0] for waiting in node.waiting.values() if waiting)])
    return nodes


def decided_again(node, period, bias):
    """By the reference, which has to repeat each grant of the plain model."""
    found = q.decide(seastar(vcs=2, req=bias, rsp=bias, period=period), node.events, explain=True)
    same([(d.queue, d.flits, d.age) for d in found], node.winners, "the reference on the model's log")
    return found


def tied(period, bias):
    """Of the grants by age to one of two candidates on a line of eight nodes, all queues full: the part in which both are as old. A plain model of the
    line makes each node's log, and the reference decides it again and tells the ages."""
    ties = grants = 0
    for node in plain_line(period, bias)[1:]:
        found = decided_again(node, period, bias)
        for decision in found[len(found) // 2 :]:
            ages = [int(age[1]) for line in decision.told if (age := re.search(r"new age (\d+)", line))]
            if len(ages) == 2:
                grants += 1
                ties += ages[0] == ages[1]
    return ties / grants


@row("cray-93", "epochs prevent starvation")
def _():
    period = 2
    by_epochs, without = (plain_line(period, 1, epochs=epochs) for epochs in (True, False))
    found = [decided_again(node, period, 1) for node in by_epochs]
    inhibited, grants = sum(node.inhibited for node in by_epochs), sum(map(len, found))
    same(
        sum("inhibited" in " ".join(d.told) for decisions in found for d in decisions),
        inhibited,
        "grants by round robin while the reference is inhibited",
    )
    longest = [max(node.longest for node in nodes) for nodes in (by_epochs, without)]
    least = [min(sum(queue == 0 for queue, *_ in node.winners) for node in nodes) for nodes in (by_epochs, without)]
    holds(inhibited > 100 and longest[1] > 1.3 * longest[0] and least[0] > 1.3 * least[1], f"{longest} {least}")
    slower = {p: sum(node.inhibited for node in plain_line(p, 1)) for p in (4, 8, 18)}
    same(set(slower.values()), {0}, "inhibited grants from a period of 4 on")
    import cray_networks as nets  # needs what stands here

    ticks = nets.LINES["age, period 4096, all packets"]["latency.max"].mean / nets.CYCLE_NS / 4096
    holds(ticks < 256, "no packet is in the network for a roll")
    return agrees(
        f"{inhibited} of {grants:,} grants while age is inhibited; longest wait in a router {longest[0]:,} cycles, without epochs {longest[1]:,}; "
        f"a source gets at least {least[0]} packets off, without {least[1]}",
        f"decide --explain, the line of Fig. 4 with full queues, period {period}, 20,000 cycles: a plain model of its routers, which the reference repeats grant by grant, and the same model without epochs, the one change. "
        f"Epochs end waits sooner; for good nobody waits without them either, in these cycles. With periods of {', '.join(map(str, slower))} no grant is inhibited, and at the default of 4,096 no packet is in the network "
        f"for more than {ticks:.0f} ticks (experiment lines), where a roll takes 256",
    )


@row("cray-115", "equal ages cost the benefit: fewer of them with a clock of 8 to 18 than with a fast or a slow one")
def _():
    found = {
        name: tied(*setting)
        for name, setting in {"period 8": (8, 1), "18": (18, 1), "1": (1, 1), "4096 without bias": (4096, 0)}.items()
    }
    holds(max(found["period 8"], found["18"]) < min(found["1"], found["4096 without bias"]), f"{found}")
    return agrees(
        "both of two candidates as old in "
        + ", ".join(f"{100 * part:.0f} % with {name}" for name, part in found.items()),
        "decide --explain, the line of Fig. 4 with full queues, node by node: the logs come from a plain model of its routers, which the reference repeats grant by grant",
    )


@row("cray-31", "at low load queueing is negligible")
def _():
    wait = single_queue(0.05)
    holds(wait < 0.05, f"wait {wait}")
    return agrees(
        f"{wait:.3f} packet times at load 0.05",
        "sim (seed 1), one port, Poisson arrivals; Eq. 2 itself is 1 there, so its wait is meant",
    )


def shown(values):
    return " ".join(f"{value:.4f}" for value in values)


def by_creation(streams, slots):
    """What a port sends of streams of (cycle, source, age since creation), with the greatest age seen."""
    events = [
        q.arrive(4 * number, cycle=cycle, age=age)
        for number, stream in enumerate(streams)
        for cycle, _, age in stream
    ]
    waiting = {4 * number: iter(stream) for number, stream in enumerate(streams)}
    return [
        (d.cycle + 1, next(waiting[d.queue])[1], d.age)
        for d in q.decide(seastar(2, req=0, rsp=0, period=16, packet=1), events + q.arbs(slots))
        if d.queue >= 0
    ]


@functools.cache
def creation_shares(branches=((0, 1, 2, 3, 4, 5, 6),)):
    """Of P0 to P6 at P7 when age counts from creation: node after node, open loop, load 0.2 of each. Two branches of a ring meet at P7."""
    slots, ends = 8000, []
    for branch in branches:
        arriving = []
        for node in branch:
            own = [(cycle, node, 0) for cycle in range(node % 5, slots, 5)]
            arriving = [packet for packet in by_creation([arriving, own], slots) if packet[0] < slots]
        ends.append(arriving)
    served = [packet for packet in (by_creation(ends, slots) if len(ends) > 1 else ends[0]) if packet[0] < slots]
    holds(max(age for _, _, age in served) < 255, "no age reaches 255")
    counted = [sum(cycle > slots // 4 and source == node for cycle, source, _ in served) for node in range(7)]
    return [count / sum(counted) for count in counted]


@row("cray-d9", "line and ring, age from creation")
def _():
    found = [creation_shares(), creation_shares(((3, 4, 5, 6), (2, 1, 0)))]
    for shares in found:
        near(shares, [1 / 7] * 7, 0.02 / 7, "shares")
    return agrees(
        f"line {shown(found[0])}; ring, P3 goes +, {shown(found[1])}",
        "decide, node after node, open loop at load 0.2 each; no age reaches 255 with a period of 16",
    )


@row("cray-191", "z ejects a packet every 11.5 clocks")
def _():
    waits = stall("8/3,2,1")[2]
    near(waits, 11.5, 1e-9, "stall of z")
    near(9 / (9 + waits), 0.44, 0.005, "utilization")
    return differs(
        f"every {9 + waits:.1f}",
        f"Table 5's own numbers: {waits:.1f} is the stall of 8/3,2,1 in z; with the nine cycles of the packet added, the one change, it is {9 + waits:.1f}, and 9 / {9 + waits:.1f} = {9 / (9 + waits):.2f} as printed",
    )


@row("cray-197", "what 2.3 us and 31 % compare")
def _():
    near(TABLE_5["RR"][2] - TABLE_5["8/3,2,1"][2], 2300, 10, "ns")
    return differs(
        "round robin and 8/3,2,1",
        "Table 5's own numbers: 7301 - 5007 ns are round robin's and the best row's; the text names the default clock and biases, which have no row; "
        "with round robin in its place, the one change, 2.3 us and 31 % are right",
    )


@row("cray-d6", "ring under round robin, three choices for P3")
def _():
    expected = {
        "+": "1/4 1/8 1/8 1/16 1/16 1/8 1/4",
        "-": "1/4 1/8 1/16 1/16 1/8 1/8 1/4",
        "both": "1/4 1/8 1/16 1/8 1/16 1/8 1/4",
    }
    for p3, shares in expected.items():
        same(ring_shares(p3), [Fraction(s) for s in shares.split()], f"P3 {p3}")
    return agrees(
        "; ".join(f"P3 {p3}: {shares}" for p3, shares in expected.items()), "decide rr, node after node, P0 to P6"
    )


@row("cray-d11", "line of 8 sources under round robin")
def _():
    shares = line_shares(9)
    same(shares, [Fraction(1, 128)] * 2 + [Fraction(1, 2 ** (7 - i)) for i in range(1, 7)], "shares")
    return agrees("1/2 ... 1/128, 1/128", "decide rr, node after node")


@paper.section("Equations 4 to 16 for 11 x 12 x 16, planned and counted")
def _():
    lines = [
        "| dimension | radix | hops, Eq. 5 | counted | load, Eq. 8 | counted | leaves here, Eqs. 10-12 | GB/s, Eqs. 14-16 | bias |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, d in zip("xyz", machine()["dimensions"]):
        k = d["radix"]
        lines.append(
            f"| {name} | {k} | {d['average_hops']} | {float(ring_hops(k)):.3f} | {d['channel_load']} | {float(max(ring_loads(k).values())):.3f} | "
            f"{100 * d['ejection_probability']:.4f} % | {d['ejection_gbytes']} | {d['age_bias']} |"
        )
    return "\n".join(lines)


@paper.section("Table 5's latencies by Eq. 1")
def _():
    lines = [
        "| period / biases | Qx, Qy, Qz printed, cycles | latency printed, ns | 2 ns x (2.75 Qx + 3 Qy + 4 Qz) + 537.5 ns |",
        "| --- | --- | --- | --- |",
    ]
    for name, (_, queueing, latency) in TABLE_5.items():
        ours = 2 * (2.75 * queueing[0] + 3 * queueing[1] + 4 * queueing[2]) + 537.5
        lines.append(f"| {name} | {queueing[0]}, {queueing[1]}, {queueing[2]} | {latency} | {ours:.0f} |")
    return "\n".join(lines)


@paper.section("The predicted period of 18 and the best one of 8")
def _():
    ticks, wait = (128 - 19) / 10, 198
    return (
        f"Section 3.2 lets the age with which a packet arrives at its destination be 128 in the middle: (128 - 19) / 10 = {ticks} ticks a hop, and {wait} cycles a hop "
        f"give a period of {wait / ticks:.1f}. But arbiters see a packet on its way, on average at half of its final age. To centre what they see asks for twice the "
        f"ticks and a period of {wait / (2 * ticks):.1f}; to let the final age just fill the range, (256 - 19) / 10 ticks, for {wait / ((256 - 19) / 10):.1f}. Both are near the "
        "measured 8. This is arithmetic; what periods do on the torus stands with Table 5."
    )


import cray_rows  # noqa: E402,F401  the rows that networks decide
import cray_torus  # noqa: E402,F401
