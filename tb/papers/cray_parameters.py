"""Rows of the Cray paper's choice of parameters (Sects. 3 to 3.2, Table 3): who competes for an output, biases, the period of the age clock."""

import functools
import itertools
from fractions import Fraction

import command as q
import cray_networks as nets
from cray_machine import machine, of, paper, ring, ring_hops, row, torus
from cray_small import network
from rows import agrees, differs, holds, near, same


@functools.cache
def competing(orders=((0, 1, 2),)):
    """Input ports seen at each output of a 6 x 6 x 8 torus, over the routes of all pairs; `orders`: of the dimensions."""
    radices = (6, 6, 8)
    seen = {}
    for offset in itertools.product(*(range(k) for k in radices)):
        ways = []
        for dimension, (k, distance) in enumerate(zip(radices, offset, strict=True)):
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


@row("cray-143", "ticks left to queueing")
def _():
    same(128 - machine()["bias_age"], 109, "ticks")
    return agrees("128 - 19 = 109", "plan seastar-age")


@row("cray-144", "ticks per hop")
def _():
    same(machine()["ticks_per_hop"], 11, "ticks")
    near((128 - machine()["bias_age"]) / machine()["average_hops"], 10.9, 1e-9, "before rounding")
    return agrees("109 / 10 ~ 11", "plan seastar-age")


planned("cray-145", "packets queued ahead", "queued_packets", 11, "10 + 1 = 11")


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


planned("cray-147", "queueing per hop", "queueing_cycles_per_hop", 198, "11 x 18 = 198 cycles")
planned("cray-148", "age clock period", "age_clock_period", 18, "198 / 11 = 18")


@paper.section("The predicted period of 18 and the best one of 8")
def _():
    ticks, wait = (128 - 19) / 10, 198
    return (
        f"Section 3.2 lets the age with which a packet arrives at its destination be 128 in the middle: (128 - 19) / 10 = {ticks} ticks a hop, and {wait} cycles a hop "
        f"give a period of {wait / ticks:.1f}. But arbiters see a packet on its way, on average at half of its final age. To centre what they see asks for twice the "
        f"ticks and a period of {wait / (2 * ticks):.1f}; to let the final age just fill the range, (256 - 19) / 10 ticks, for {wait / ((256 - 19) / 10):.1f}. Both are near the "
        "measured 8. This is arithmetic; what periods do on the torus stands with Table 5."
    )
