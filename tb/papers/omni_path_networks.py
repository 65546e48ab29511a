"""The Omni-Path paper's networks: four topologies under three schedulers (Figs. 3 and 4), programs with background (Figs. 5 and 6)."""

from experiment import hosts_of, of_classes
from omni_path import MESSAGES, NAMES, OWN, WEIGHTS, by_wish, deficit_table, entries_9, paper, rr, sbt

LOADS = [0.3, 0.6, 0.9, 1.0]
# Full size is what is printed: 512, 1,024, 512 and 576 hosts, hierarchical switches, tori with trunks. The small ones have CIOQ
# switches, and their tori one host at a switch and one link between neighbours: the loads on the links of the 3-D torus are the
# same, those of the 2-D torus with ties split are those of the paper's with ties to one side.
TOPOLOGIES = {
    "full": {
        "2-D torus": {"kind": "torus", "dims": [8, 8], "hosts_per_switch": 8, "trunk": 10, "ties": "up"},
        "3-D torus": {"kind": "torus", "dims": [8, 8, 4], "hosts_per_switch": 4, "trunk": 4, "ties": "up"},
        "8-ary 3-tree": {"kind": "kary-ntree", "k": 8, "n": 3},
        "24-ary 2-tree": {"kind": "kary-ntree", "k": 24, "n": 2},
    },
    "quick": {
        "2-D torus": {"kind": "torus", "dims": [8, 8], "hosts_per_switch": 1, "ties": "split"},
        "3-D torus": {"kind": "torus", "dims": [8, 4, 2], "hosts_per_switch": 1, "ties": "up"},
        "8-ary 3-tree": {"kind": "kary-ntree", "k": 4, "n": 3},
        "24-ary 2-tree": {"kind": "kary-ntree", "k": 8, "n": 2},
    },
}


def lanes(topology, shared=False):
    """VLs of each SL and stage: two of its own, or as in Table 7 those of BE for BK too."""
    firsts = [0, 2, 4, 6, 6 if shared else 8]
    if topology["kind"] == "torus":
        return [[[first], [first + 1]] for first in firsts]
    return [[[first, first + 1]] for first in firsts]


def arbiter_of(scheduler, shared=False):
    """DTable sends whole messages, RR and SBT base packets of 128 bytes, two credits."""
    owners = OWN[:8] if shared else OWN
    if scheduler == "dtable":
        if not shared:
            return deficit_table(queue_sl=owners)
        config = deficit_table(queue_sl=owners)
        return {
            **config,
            "sl_mtu": MESSAGES[:4],
            "table": [{"sl": min(sl, 3), "weight": weight} for sl, weight in entries_9()],
        }
    if scheduler == "rr":
        return rr(len(owners), 2)
    if scheduler == "rr, messages":
        return rr(len(owners), 16)
    weights = WEIGHTS[:3] + [10] if shared else WEIGHTS
    return sbt(
        weights, owners, "printed" if scheduler == "sbt" else "corrected", 16 if scheduler.endswith("messages") else 2
    )


def network_of(topology, shared=False):
    """Credits of 64 bytes at 12.5 GB/s; buffers of 128 credits a VL, 1,024 a port of eight; crossbars three times as fast."""
    return {
        "topology": topology,
        "virtual_channels": lanes(topology, shared),
        "link": {"gbps": 100, "delay_ns": 25},
        "flit_bytes": 64,
        "switch": {
            "input_queue_flits": 128,
            "output_queue_flits": 128,
            "crossbar_speedup": 3,
            "flow_control": "credit",
            "pipeline": {"input": 0, "crossbar": 1, "output": 0},
        },
    }


def scenario(topology, scheduler, load, window=(20, 50), shared=False, messages=MESSAGES):
    """Table 10's injection, scaled to `load` flits a cycle and NIC; messages of Table 8, evenly spaced, uniform destinations."""
    return {
        "arbiter": arbiter_of(scheduler, shared),
        "network": network_of(topology, shared),
        "traffic": by_wish(load, messages),
        "run": {"warmup_us": window[0], "measure_us": window[1], "seed": 1},
    }


def hierarchical(scenario):
    """The same with the switch of Sect. 2.2: two central buffers at each four ports, of as many credits a VL as a port has."""
    switch = {
        **scenario["network"]["switch"],
        "architecture": "hierarchical",
        "mport_ports": 4,
        "central_queue_flits": 128,
        "central_speedup": 4,
    }
    switch["pipeline"] = {**switch["pipeline"], "central": 1}
    return {**scenario, "network": {**scenario["network"], "switch": switch}}


TORI, TREES = ["2-D torus", "3-D torus"], ["8-ary 3-tree", "24-ary 2-tree"]
T2, T3, K3, K2 = EVERY = TORI + TREES
SCHEDULERS = ["rr", "sbt", "dtable"]


def small(topology, scheduler, load=1.0, window=(20, 50), shared=False, messages=MESSAGES, **changed):
    """One of the small networks, its topology changed in these keys."""
    return scenario({**TOPOLOGIES["quick"][topology], **changed}, scheduler, load, window, shared, messages)


WINDOW, LONGER = (10, 20), (60, 60)  # warm-up and what is measured, us


def full_size_cioq(topology, scheduler, load=1.0, window=WINDOW, shared=False, messages=MESSAGES, **changed):
    """One of full size with CIOQ switches, its topology changed in these keys."""
    return scenario({**TOPOLOGIES["full"][topology], **changed}, scheduler, load, window, shared, messages)


def full_size(topology, scheduler, load=1.0, **keys):
    """One of full size."""
    return hierarchical(full_size_cioq(topology, scheduler, load, **keys))


def kept(report, tables):
    found = of_classes(report, ("offered", "accepted", "share"))
    found["accepted"] = sum(item["accepted"] for item in report["classes"])
    found["lost"] = report["flits_lost"]
    return found


def loads(name, what, points, quick=3, full=3):
    """An experiment of networks under load; quick, full: how many seeds."""
    return paper.experiment(name, what, points, {"quick": quick, "full": full}, keep=kept)


def full_size_loads(name, what, points, **seeds):
    """Of full size; --quick has none."""
    return loads(name, what, lambda size: points() if size == "full" else {}, **seeds)


def load_points(size):
    network = full_size if size == "full" else small
    return {
        f"{topology} {scheduler} {load}": network(topology, scheduler, load)
        for topology in EVERY
        for scheduler in SCHEDULERS
        for load in LOADS
    }


LOADED = loads("loads", "Networks of switches with {measure_us} us measured.", load_points, full=30)
# What one changed assumption is compared with, whatever the size of the others.
SMALL = loads("loads-small", "The small networks with {measure_us} us measured.", lambda size: load_points("quick"))


def in_flits_of_8_bytes(scenario):
    """The same in flits of 8 bytes, the paper's, and cycles of 0.64 ns, with the switch's latencies as long in ns. A crossbar is held for whole cycles
    (omni_path_switch.held): in flits of 64 bytes for multiples of eight of the paper's.
    """
    arbiter, network = scenario["arbiter"], scenario["network"]
    eight = {"max_packet_flits": 8 * arbiter["max_packet_flits"]}
    if arbiter["policy"] == "dtable":
        eight |= {
            "sl_mtu": [8 * credits for credits in arbiter["sl_mtu"]],
            "table": [{**entry, "weight": 8 * entry["weight"]} for entry in arbiter["table"]],
        }
    switch = {
        **network["switch"],
        **{name: 1024 for name in ("input_queue_flits", "output_queue_flits", "central_queue_flits")},
        "pipeline": {stage: 8 * cycles for stage, cycles in network["switch"]["pipeline"].items()},
    }
    return {**scenario, "arbiter": {**arbiter, **eight}, "network": {**network, "flit_bytes": 8, "switch": switch}}


LAST_CARRIED = {T2: 0.9, T3: 0.6, K3: 0.9, K2: 0.9}  # of the loads, by DTable


def full_changed_points():
    """One assumption changed each in the networks of full size."""
    points = {}
    for topology in (T2, K2):
        for scheduler in ("rr", "dtable"):
            points[f"{topology} {scheduler}, CIOQ 1.0"] = full_size_cioq(topology, scheduler)
        for scheduler in ("rr, messages", "sbt corrected"):
            points[f"{topology} {scheduler} 1.0"] = full_size(topology, scheduler)
        for scheduler in ("rr", "sbt"):
            over = full_size(topology, scheduler, 1.25)
            points[f"{topology} {scheduler} 1.25"] = over
            points[f"{topology} {scheduler}, CIOQ 1.25"] = full_size_cioq(topology, scheduler, 1.25)
            points[f"{topology} {scheduler}, flits of 8 bytes 1.25"] = in_flits_of_8_bytes(over)
    for topology in EVERY:
        for load in (0.6, 0.9, 1.0):
            points[f"{topology} dtable, CIOQ {load}"] = full_size_cioq(topology, "dtable", load)
        for scheduler in SCHEDULERS:
            points[f"{topology} {scheduler}, flits of 8 bytes 1.0"] = in_flits_of_8_bytes(
                full_size(topology, scheduler)
            )
    one_size = f"{K2} rr, all messages of 128 bytes"
    points[f"{one_size} 1.0"] = full_size(K2, "rr", messages=[2] * 5)
    points[f"{one_size}, BE and BK share VLs 1.0"] = full_size(K2, "rr", shared=True, messages=[2] * 5)
    points[f"{T3} dtable, ties split 1.0"] = full_size(T3, "dtable", ties="split")
    return points


FULL_CHANGED = full_size_loads(
    "loads-changed", "The networks of full size with one assumption changed.", full_changed_points
)

# The last of the loads that all three schedulers carry in flits of 8 bytes.
CARRIED_IN_8 = {T2: 0.9, T3: 0.6, K3: 0.9, K2: 0.9}
IN_8 = full_size_loads(
    "loads-carried",
    "The networks of full size in flits of 8 bytes at the last load that all schedulers carry.",
    lambda: {
        f"{topology} {scheduler} {load}": in_flits_of_8_bytes(full_size(topology, scheduler, load))
        for topology, load in CARRIED_IN_8.items()
        for scheduler in SCHEDULERS
    },
    quick=2,
    full=2,
)

def of_packets(scenario):
    """The same under DTable with base packets of 128 bytes as its unit, those of RR and SBT: a message of more is several packets."""
    return {**scenario, "arbiter": {**scenario["arbiter"], "sl_mtu": [2] * len(NAMES)}}


def packet_points():
    """At the loads that the text speaks of in flits of 8 bytes; in those of 64, in which no 0.9 is carried so, at 0.6."""
    points = {}
    for topology in EVERY:
        for load in sorted({LAST_CARRIED[topology], 0.9, 1.0}):
            made = of_packets(full_size(topology, "dtable", load))
            points[f"{topology} dtable, packets, flits of 8 bytes {load}"] = in_flits_of_8_bytes(made)
        points[f"{topology} dtable, packets 0.6"] = of_packets(full_size(topology, "dtable", 0.6))
    return points


PACKETS = full_size_loads(
    "loads-packets",
    "The networks of full size under DTable that serves base packets of 128 bytes.",
    packet_points,
    quick=5,
    full=5,
)

# Loads that SBT and RR carry, just below the largest that they do, in flits of 64 bytes.
NEAR_MOST = {T2: 0.75, T3: 0.65, K3: 0.8, K2: 0.75}
# What two sentences of the text need: trunks and hosts of the tori, and SBT and RR just below saturation.
FULL_OTHER = full_size_loads(
    "loads-other",
    "The networks of full size with other trunks, hosts and loads.",
    lambda: {
        f"{T2} dtable, trunks of 8 1.0": full_size(T2, "dtable", trunk=8),
        f"{T3} dtable, trunks of 5 1.0": full_size(T3, "dtable", trunk=5),
        f"{T3} dtable, 512 hosts 1.0": full_size(T3, "dtable", hosts_per_switch=2),
        f"{T3} dtable, ties split, flits of 8 bytes 1.0": in_flits_of_8_bytes(full_size(T3, "dtable", ties="split")),
        **{
            f"{topology} {scheduler} {load}": full_size(topology, scheduler, load)
            for topology, load in NEAR_MOST.items()
            for scheduler in ("rr", "sbt")
        },
    },
)

SATURATED = full_size_loads(
    "loads-saturated",
    "Networks of full size at 1.0 with the seeds that comparisons of them take.",
    lambda: {
        **{f"{topology} dtable 1.0": full_size(topology, "dtable") for topology in (T2, K3)},
        **{
            f"{topology} {scheduler}, flits of 8 bytes 1.0": in_flits_of_8_bytes(full_size(topology, scheduler))
            for topology, schedulers in ((T2, ["dtable"]), (K3, ["dtable", "sbt"]), (K2, ["dtable", "sbt"]))
            for scheduler in schedulers
        },
    },
    quick=6,
    full=6,
)


# Tori beyond what they carry do not settle in the window of `loads`: the same behind a longer warm-up, in a longer window.
LONGER_LOADS = [0.65, 0.75, 0.8, 0.9, 1.0]


def longer_points():
    """RR and SBT carry 0.75 in the 2-D torus and less in the 3-D torus, whose runs are the longest: SBT has fewer loads there."""
    loads_of = {(T3, "rr"): LONGER_LOADS, (T3, "sbt"): [0.65, 0.9, 1.0]}
    return {
        f"{topology} {scheduler} {load}": full_size(topology, scheduler, load, window=LONGER)
        for topology in TORI
        for scheduler in reversed(SCHEDULERS)
        for load in loads_of.get((topology, scheduler), LONGER_LOADS[1:])
    }


def longer_changed_points():
    """What is compared with these at 1.0: the trees, and tori with other ties, switches and schedulers. The 2-D torus of hierarchical
    switches comes to a standstill in this window with ties split: central buffers, which all directions share, wait for each other.
    """
    return {
        f"{T3} dtable, ties split 1.0": full_size(T3, "dtable", window=LONGER, ties="split"),
        f"{T2} dtable, ties split, CIOQ 1.0": full_size_cioq(T2, "dtable", window=LONGER, ties="split"),
        **{f"{topology} dtable 1.0": full_size(topology, "dtable", window=LONGER) for topology in TREES},
        **{f"{t} dtable, CIOQ 1.0": full_size_cioq(t, "dtable", window=LONGER) for t in TORI},
        **{f"{T2} {s} 1.0": full_size(T2, s, window=LONGER) for s in ("rr, messages", "sbt corrected")},
        f"{T2} rr, CIOQ 1.0": full_size_cioq(T2, "rr", window=LONGER),
    }


LONG = full_size_loads(
    "loads-longer",
    "The tori of full size near and beyond saturation, {measure_us} us measured behind {warmup_us}.",
    longer_points,
    full=2,
)
LONG_CHANGED = full_size_loads(
    "loads-longer-changed",
    "Trees, and tori with one assumption changed, {measure_us} us measured behind {warmup_us}.",
    longer_changed_points,
    full=1,
)
# As long as was proposed for all, to see how the 3-D torus goes on.
LONGEST = full_size_loads(
    "loads-longest",
    "The 3-D torus of full size, {measure_us} us measured behind {warmup_us}.",
    lambda: {f"{T3} dtable 1.0": full_size(T3, "dtable", window=(100, 200))},
    full=1,
)


def with_one_vl(scenario):
    """The same in a tree, where every SL has one VL."""
    arbiter = {**scenario["arbiter"], "queues": len(NAMES)}
    if "queue_sl" in arbiter:
        arbiter["queue_sl"] = list(range(len(NAMES)))
    return {
        **scenario,
        "arbiter": arbiter,
        "network": {**scenario["network"], "virtual_channels": [[[sl]] for sl in range(len(NAMES))]},
    }


ONE_VL = full_size_loads(
    "loads-one-vl",
    "The trees of full size at 1.0 with one VL for each SL.",
    lambda: {
        f"{topology} {scheduler}, flits of {flit} bytes": in_flits(with_one_vl(full_size(topology, scheduler)))
        for topology in TREES
        for scheduler in ("rr", "sbt")
        for flit, in_flits in ((64, lambda made: made), (8, in_flits_of_8_bytes))
    },
)


def changed_points(size):
    """One assumption changed each, in the small 2-D torus and the small 2-tree."""
    points = {}
    for topology in (T2, K2):
        for scheduler in ("rr, messages", "sbt, messages", "sbt corrected"):
            points[f"{topology} {scheduler} 1.0"] = small(topology, scheduler)
        for scheduler in ("rr", "sbt", "sbt corrected"):
            points[f"{topology} {scheduler} 1.25"] = small(topology, scheduler, 1.25)
        points[f"{topology} dtable, BE and BK share VLs 1.0"] = small(topology, "dtable", shared=True)
    points[f"{T3} dtable, ties split 1.0"] = small(T3, "dtable", ties="split")
    one_size = f"{K2} rr, all messages of 128 bytes"
    points[f"{one_size} 0.9"] = small(K2, "rr", 0.9, messages=[2] * 5)
    points[f"{K2} rr, BE and BK share VLs 0.9"] = small(K2, "rr", 0.9, shared=True)
    points[f"{one_size}, BE and BK share VLs 0.9"] = small(K2, "rr", 0.9, shared=True, messages=[2] * 5)
    long = (40, 100)
    for load in (1.0, 1.25):
        points[f"{K2} rr, twice as long {load}"] = small(K2, "rr", load, long)
    for longer, window in (("", (20, 50)), (", twice as long", long)):
        inside = hierarchical(small(K2, "rr", 1.0, window))
        points[f"{K2} rr, hierarchical{longer} 1.0"] = inside
        points[f"{K2} rr, hierarchical, flits of 8 bytes{longer} 1.0"] = in_flits_of_8_bytes(inside)
    return points


CHANGED = loads("changed", "The small networks with one assumption changed.", changed_points)
BEYOND = loads(
    "beyond",
    "The small 2-D torus with ties to one side, which carries 0.8 then, and all at 1.25.",
    lambda size: {
        f"{T2} dtable, ties up 1.0": small(T2, "dtable", ties="up"),
        **{f"{topology} dtable 1.25": small(topology, "dtable", 1.25) for topology in EVERY},
    },
)
# As many VLs as the RTL that is built has queues: BE and BK share theirs, as in Table 7.
EIGHT_VLS = loads(
    "loads-8-vls",
    "The four networks at 1.0 with the eight VLs of Table 7, SBT corrected.",
    lambda size: {
        f"{topology} {scheduler}": (full_size if size == "full" else small)(topology, scheduler, shared=True)
        for topology in EVERY
        for scheduler in ("rr", "sbt corrected", "dtable")
    },
)
# SBT as printed with them, in flits of either size, and RR, which it is compared with.
PRINTED_8_VLS = full_size_loads(
    "loads-8-vls-printed",
    "The networks of full size at 1.0 with the eight VLs of Table 7, SBT as printed.",
    lambda: {
        **{f"{topology} sbt": full_size(topology, "sbt", shared=True) for topology in EVERY},
        **{
            f"{topology} {scheduler}, flits of 8 bytes": in_flits_of_8_bytes(full_size(topology, scheduler, shared=True))
            for topology in EVERY
            for scheduler in ("rr", "sbt")
        },
    },
)
LOCKSTEP = paper.in_lockstep("loads-8-vls-lockstep", EIGHT_VLS, "Figs. 3 and 4 at 1.0, with Table 7's VLs")

# Sect. 4.3: a parallel program in one SL, evenly spaced background in the other. The four traces are not published;
# three kinds of programs stand for them, and only what the paper says of all traces is judged.
PROGRAMS = {
    "halo": {"application": "halo", "message_bytes": 16384, "iterations": 10, "calculate_ns": 4000},
    "allreduce": {"application": "allreduce", "message_bytes": 16384, "iterations": 8, "calculate_ns": 2000},
    "all-to-all": {"application": "all-to-all", "message_bytes": 4096, "iterations": 2, "calculate_ns": 1000},
}
SMALL_SYSTEMS = {
    "4 x 4 torus": {"kind": "torus", "dims": [4, 4], "hosts_per_switch": 1, "ties": "split"},
    "8-ary 2-tree": {"kind": "kary-ntree", "k": 8, "n": 2},
}
SAME_HOSTS = {"4-ary 2-tree": {"kind": "kary-ntree", "k": 4, "n": 2}}  # as many hosts as that torus has
PRINTED_SYSTEMS = {
    "4 x 4 torus": {"kind": "torus", "dims": [4, 4], "hosts_per_switch": 8, "trunk": 10, "ties": "up"},
    "8-ary 2-tree": SMALL_SYSTEMS["8-ary 2-tree"],
}
SAME_HOSTS_PRINTED = {
    "4 x 4 torus of 64": {**PRINTED_SYSTEMS["4 x 4 torus"], "hosts_per_switch": 4}
}  # as many as that tree has
SMALL_RATES, RATES = [0.05, 0.2], [0.01, 0.05, 0.1, 0.2]
LOW = 0.05  # the largest of the low rates that the paper speaks of


def background(sl, rate):
    return {"name": "background", "queue": sl, "pattern": "uniform", "load": rate, "message_bytes": 64 * MESSAGES[sl]}


def program_points(systems, rates):
    points = {}
    for system, topology in systems.items():
        hosts = hosts_of(topology)
        for program, keys in PROGRAMS.items():
            own = {**keys, **({"dims": [4, hosts // 4]} if program == "halo" else {})}
            for level, sl, other in (("CL", 2, 4), ("BK", 4, 2)):
                for scheduler in ("rr", "dtable"):
                    for rate in [0, *rates]:
                        points[f"{system} {program} {level} {scheduler} {rate}"] = {
                            "arbiter": arbiter_of(scheduler),
                            "network": network_of(topology),
                            "traffic": [
                                {"name": "program", "queue": sl, **own},
                                *([background(other, rate)] if rate else []),
                            ],
                        }
    return points


def small_points(systems=SMALL_SYSTEMS):
    return program_points(systems, SMALL_RATES)


def printed_points(systems=PRINTED_SYSTEMS):
    """In hierarchical switches, as printed."""
    return {name: hierarchical(point) for name, point in program_points(systems, RATES).items()}


def in_messages(points):
    """Round robin that serves whole messages: each program alone and beside the largest background."""
    return {
        name: {**point, "arbiter": arbiter_of("rr, messages")}
        for name, point in points.items()
        if name.endswith((f"rr {RATES[-1]}", " rr 0"))
    }


def in_messages_of_cl(points):
    """Round robin that serves whole messages of CL's 512 bytes: each program alone in CL."""
    return {
        name: {**point, "arbiter": rr(len(OWN), MESSAGES[2])}
        for name, point in points.items()
        if name.endswith(" CL rr 0")
    }


def in_units_of_cl(points):
    """Under DTable, what is in BK in messages of 512 bytes, those of CL."""
    return {
        name: {**point, "arbiter": {**point["arbiter"], "sl_mtu": MESSAGES[:3] + [16, 8]}}
        for name, point in points.items()
        if " BK dtable " in name
    }


SPLIT = {"4 x 4 torus of 64, ties split": {**SAME_HOSTS_PRINTED["4 x 4 torus of 64"], "ties": "split"}}


def cioq_points():
    """In CIOQ switches, whose inside is no bottleneck: with the largest background, and CL and DTable with less."""
    points = program_points({**PRINTED_SYSTEMS, **SPLIT}, RATES[-1:])
    low = {
        name: point
        for name, point in program_points(PRINTED_SYSTEMS, RATES[:-1]).items()
        if " dtable " in name or " CL rr " in name
    }
    return {
        **points,
        **low,
        **{name.replace(" rr ", " rr, messages "): point for name, point in in_messages(points).items()},
    }


def finish(report, tables):
    return {"finish_us": report["traces"][0]["finish_ns"] / 1000}


def programs(name, what, points, quick=6, full=24):
    """An experiment of programs; quick, full: how many seeds."""
    return paper.experiment(name, what, points, {"quick": quick, "full": full}, keep=finish)


def printed(name, what, points, **seeds):
    """Of the paper's size; --quick has none."""
    return programs(name, what, lambda size: points() if size == "full" else {}, **seeds)


PROGRAM_RUNS = programs(
    "programs",
    "Parallel programs with background, {hosts} hosts in the torus and 64 in the tree, CIOQ switches.",
    lambda size: small_points(),
)
SAME_HOSTS_RUNS = programs("programs-16", "The same in a tree of 16 hosts.", lambda size: small_points(SAME_HOSTS))
MESSAGE_RUNS = programs(
    "programs-messages",
    "The same with whole messages as the unit of round robin.",
    lambda size: in_messages(small_points({**SMALL_SYSTEMS, **SAME_HOSTS})),
)
CL_MESSAGE_RUNS = programs(
    "programs-messages-cl",
    "Programs alone in CL under round robin with CL's messages as its unit, CIOQ switches.",
    lambda size: in_messages_of_cl(small_points()),
    quick=2,
    full=2,
)
UNIT_RUNS = programs(
    "programs-units", "The same with CL's messages in BK.", lambda size: in_units_of_cl(small_points())
)
PRINTED_RUNS = printed(
    "programs-printed",
    "The systems as printed, {hosts} hosts in the torus and 64 in the tree, hierarchical switches.",
    printed_points,
)
PRINTED_SAME_HOSTS_RUNS = printed(
    "programs-printed-64",
    "DTable in a torus of 64 hosts.",
    lambda: {
        name: point
        for name, point in printed_points(SAME_HOSTS_PRINTED).items()
        if name.endswith((" CL rr 0", f" dtable {RATES[-1]}"))
    },
)
PRINTED_MESSAGE_RUNS = printed(
    "programs-printed-messages",
    "The same with whole messages as the unit of round robin.",
    lambda: in_messages(printed_points()),
)
PRINTED_CL_MESSAGE_RUNS = printed(
    "programs-printed-messages-cl",
    "The same in hierarchical switches, the systems as printed.",
    lambda: in_messages_of_cl(printed_points()),
    quick=2,
    full=2,
)
PRINTED_CIOQ_RUNS = printed(
    "programs-printed-cioq",
    "The same with CIOQ switches, also in a torus of 64 hosts with ties split, and with whole messages as the unit of round robin.",
    cioq_points,
)
PRINTED_UNIT_RUNS = printed(
    "programs-printed-units", "The same with CL's messages in BK.", lambda: in_units_of_cl(printed_points())
)
PRINTED_PACKET_RUNS = printed(
    "programs-printed-packets",
    "The same under DTable that serves base packets of 128 bytes.",
    lambda: {
        name: of_packets(point)
        for name, point in printed_points().items()
        if " dtable " in name and not name.endswith(" 0")
    },
    quick=24,
    full=24,
)
