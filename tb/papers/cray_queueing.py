"""Rows of the Cray paper's delay (Sect. 2, Eqs. 1 and 2, Fig. 3): routers, wires and waits of a packet, and Table 5's latencies by Eq. 1."""

import functools
import itertools
import tempfile
from fractions import Fraction

import command as q
from cray_machine import TABLE_5, machine, of, paper, row
from cray_networks import CYCLE_NS, age, network
from cray_small import idle_latency
from rows import NOT_TESTABLE, Verdict, agrees, differs, holds, near, same


def table_5_rest():
    """Of each latency in Table 5 what queueing leaves, ns: the least and the largest constant that serves all rows, as Q is rounded."""
    hops = [Fraction(x) for x in of(machine(), "average_hops_exact")]
    rest = [
        latency - float(2 * sum(h * qd for h, qd in zip(hops, queueing, strict=True))) for _, queueing, latency in TABLE_5.values()
    ]
    same(rest, [533.5, 546.5, 534.5, 544.5, 541.5, 544.0, 536.0], "what is left")
    slack = float(2 * sum(hops) / 2)
    return max(r - slack for r in rest), min(r + slack for r in rest)


@row("cray-26", "router delay of a hop")
def _():
    found = [idle_latency([8], 0, to, "mesh") for to in range(1, 8)]
    steps = {b - a for a, b in itertools.pairwise(found)}
    near(max(steps), 25, 1e-6, "cycles a hop")
    near(min(steps), 25, 1e-6, "cycles a hop")
    low, high = table_5_rest()
    hops = float(sum(Fraction(x) for x in of(machine(), "average_hops_exact")))
    a_router = [rest / (hops + 1) for rest in (low, high)]
    return Verdict(
        NOT_TESTABLE,
        f"Table 5's latencies leave {a_router[0]:.1f} to {a_router[1]:.1f} ns for each of {hops + 1} routers beside queueing (cray-28), {low / hops:.1f} to {high / hops:.1f} for each of H = {hops} hops",
        "needs the router. Table 5's latencies are the paper's by Eq. 1, whose t_r is this number, and that a packet passes a router more than H is read from it, too. The model's "
        f"{max(steps):.0f} cycles a hop, 15 in the router and 10 on the wire, are chosen so",
    )


@functools.cache
def accounted():
    """Of a run to its end: mean latency of all packets, routers and waits of each; cycles."""
    topology = {"kind": "torus", "dims": [4, 4, 4], "hosts_per_switch": 1, "ties": "split"}
    traffic = [{"name": "a", "queue": 0, "pattern": "uniform", "load": 0.6, "messages": 60, "message_bytes": 72}]
    report = q.sim(network(topology, age(7, 8), traffic, {"warmup_us": 0, "measure_us": 40}, routing="dateline"))
    item = report["classes"][0]
    holds(
        item["packets"]
        == 64 * 60
        == report["counters"]["switches"]["input_packets"][0] * item["packets"] / report["packet_hops"],
        "all packets are in",
    )
    return (
        item["network_latency_ns"]["mean"] / CYCLE_NS,
        report["packet_hops"] / item["packets"],
        report["counters"]["switches"]["input_waits"][0] / item["packets"],
    )


def by_parts(routers, waits):
    """Cycles: from an input's head to the grant is among the waits; 11 from there to the wire, 10 on each wire, nine flits."""
    return waits + 11 * routers + 10 * (routers + 1) + 9


@row("cray-27", "Eq. 1: delay over H hops")
def _():
    latency, routers, waits = accounted()
    near(latency, by_parts(routers, waits), 0.01, "mean latency")
    return agrees(
        f"{latency:.1f} cycles = {waits:.1f} of waits + {by_parts(routers, waits) - waits:.1f} of routers, wires and flits",
        "sim, 4 x 4 x 4 torus to its end; the waits at the source and at the ejection are among them, which Eq. 1 lacks; slope of an idle network: cray-26",
    )


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
    for got, wanted in zip([*found, *by_length], [*true, *printed], strict=True):
        near(got / wanted, 1, 0.02, "wait, or time")
    return differs(
        "waits of " + ", ".join(f"{w:.3f}" for w in found) + " packet times at loads 0.25, 0.5, 0.75",
        "sim (seed 1) with Poisson arrivals and equal packets follows lambda / (2 (1 - lambda)) within 2 %; 1 / (1 - lambda) = "
        + ", ".join(f"{p:.2f}" for p in printed)
        + " is the time in an M/M/1 system: with lengths that are exponential, the one change, wait and service together take "
        + ", ".join(f"{t:.2f}" for t in by_length),
    )


paper.needs("cray-30", "the curve is lost; Eq. 2 beside a simulated port: cray-29")


@row("cray-31", "at low load queueing is negligible")
def _():
    wait = single_queue(0.05)
    holds(wait < 0.05, f"wait {wait}")
    return agrees(
        f"{wait:.3f} packet times at load 0.05",
        "sim (seed 1), one port, Poisson arrivals; Eq. 2 itself is 1 there, so its wait is meant",
    )


@row("cray-d12", "latency from waits")
def _():
    latency, routers, waits = accounted()
    near(latency, by_parts(routers, waits), 1, "mean latency")
    return agrees(
        f"{latency:.2f} cycles, by {waits / routers:.2f} of wait in each of {routers:.3f} routers {by_parts(routers, waits):.2f}",
        "sim, as cray-27",
    )


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
