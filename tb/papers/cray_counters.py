"""Rows of the Cray paper's counters (Table 4, Eq. 17)."""

import functools
from fractions import Fraction

import cray_networks as nets
from cray_machine import row, torus
from cray_small import groups_by_first_bias, network, with_tables
from rows import NOT_TESTABLE, Verdict, agrees, holds, near, same


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
    # The next packet of 9 flits has room in the staging buffer of 16 when 2 of those before it have gone, and comes to its
    # head by 4 cycles of the crossbar: until then nobody waits, and from then on it is blocked.
    near(
        waits[20] + 2 + 4,
        cycles / counted["vc_packets", 0],
        0.1,
        "cycles between packets: six until the next one is at the head, which is blocked in the others",
    )
    near(waits[40] - waits[20], 20, 0.1, "cycles more with 10 more on each wire")
    same(sum(blocked_port(20, input_flits=96)[1]["vc_blocked", vc] for vc in range(4)), 0, "with a queue of 96 entries")
    return agrees(
        f"VC 0: {waits[20]:.1f} cycles a packet, {waits[40]:.1f} with 10 cycles more on each wire; the other VCs 0, and all 0 with queues of 96 entries",
        f"sim, counters: with a queue of 9 entries in the next router a packet goes every {cycles / counted['vc_packets', 0]:.1f} cycles, six of them until it is at the head; cycles at the head of a staging buffer without room behind",
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


@row("cray-155", "Eq. 17: occupancy")
def _():
    _, counted = blocked_port(20, both=True)
    packets = [counted["vc_packets", vc] for vc in (0, 2)]
    readings = {"STALLED": counted["age_stalled", 0], "BLOCKED": sum(counted["vc_blocked", vc] for vc in (0, 2))}
    found = {
        name: float(
            Fraction(
                torus(8, measured={"stalled_cycles": cycles, "vc0_packets": packets[0], "vc1_packets": packets[1]})[
                    "occupancy_exact"
                ]
            )
        )
        for name, cycles in readings.items()
    }
    near(list(found.values()), [cycles / sum(packets) for cycles in readings.values()], 1e-6, "cycles a packet")
    holds(found["BLOCKED"] > 1.5 * found["STALLED"], "the two readings are apart")
    return Verdict(
        NOT_TESTABLE,
        ", ".join(f"{value:.1f} cycles a packet by {name}" for name, value in found.items()),
        f"sim, counters of a port with two VCs, as cray-150, and plan seastar-age, which divides {', '.join(f'{cycles:,}' for cycles in readings.values())} by {packets[0]:,} + {packets[1]:,}: needs which counter of Table 4 T_stall is. "
        "Which of the two has the shape of Table 5, as was proposed to report, needs the machine's load, and runs of the torus keep what inputs stall, neither of these",
    )
