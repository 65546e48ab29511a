"""The Cray paper's networks: the line and the ring of Fig. 4, the torus of Table 5 and Fig. 5."""

import json

from cray_machine import paper
from experiment import Run

CYCLE_NS = 2  # a flit of 8 bytes at 4 GB/s; the true link is 9.4 % slower (row cray-20)
ALL_AGE = 0xFFFFFFFFFFFFFFFF
STAGING = 16


def age(ports, period, biases=None, variant="corrected"):
    """`biases` of the input ports; 1 everywhere unless said."""
    biases = biases or [1] * ports
    return {
        "policy": "seastar-age",
        "variant": variant,
        "queues": ports * 4,
        "vcs": 4,
        "max_packet_flits": 9,
        "req_age_bias": biases,
        "rsp_age_bias": biases,
        "age_clock_period": period,
        "age_rr_select": ALL_AGE,
    }


def round_robin(ports):
    return {"policy": "rr", "queues": ports * 4, "max_packet_flits": 9}


def network(topology, arbiter, traffic, run, input_flits=96, staging=STAGING, delay_ns=20, ejection=None, **keys):
    """Sect. 1.2: 96 entries for each VC of an input, staging of 16, 15 cycles a router and 10 a wire."""
    return {
        "arbiter": arbiter,
        "network": {
            "topology": topology,
            "link": {"gbps": 32, "delay_ns": delay_ns},
            "flit_bytes": 8,
            "switch": {
                "architecture": "seastar",
                "vcs": 4,
                "input_queue_flits": input_flits,
                "output_queue_flits": staging,
                "flow_control": "credit",
                **({"ejection_rate": ejection} if ejection else {}),
                "pipeline": {"input": 0, "crossbar": 4, "output": 10},
            },
            **keys,
        },
        "traffic": traffic,
        "run": run,
    }


# Fig. 4: all send to the last node.
def all_to_last(nodes, load=1.0, flits=9):
    return [
        {"name": "all", "queue": 0, "pattern": "hot-spot", "to": nodes - 1, "load": load, "message_bytes": 8 * flits}
    ]


PERIODS = [1, 2, 4, 8, 18, 32]


def lines(size="quick"):
    run = {"warmup_us": 100, "measure_us": 300}

    def line(arbiter, nodes=8, run=run, load=1.0, flits=9, **keys):
        return network(
            {"kind": "mesh", "dims": [nodes], "hosts_per_switch": 1},
            arbiter,
            all_to_last(nodes, load, flits),
            run,
            **keys,
        )

    def ring(arbiter, ties="up"):
        return network(
            {"kind": "torus", "dims": [8], "hosts_per_switch": 1, "ties": ties},
            arbiter,
            all_to_last(8),
            run,
            routing="dateline",
        )

    long = {"warmup_us": 500, "measure_us": 3000}
    points = {
        "RR": line(round_robin(3)),
        "RR, one-flit packets": line(round_robin(3), flits=1),
        "RR, 4 nodes": line(round_robin(3), 4),
        "RR, 12 nodes": line(round_robin(3), 12, {"warmup_us": 800, "measure_us": 1500}, 0.52),
    }
    for period in PERIODS:
        points[f"age, period {period}"] = line(age(3, period))
    points["age, period 4096"] = line(age(3, 4096), run=long)
    points["age, no tick, bias 0"] = line(age(3, 2**20, [0, 0, 0]))
    points["age, period 4096, bias 0"] = line(age(3, 4096, [0, 0, 0]), run=long)
    for period in (4, 8, 16):
        points[f"printed, period {period}"] = line(age(3, period, variant="printed"))
    points["printed, period 4096"] = line(age(3, 4096, variant="printed"), run=long)
    # From cycle 0 on, so that latencies are of all packets that arrive, whatever their source's backlog.
    everything = {"warmup_us": 0, "measure_us": 1200}
    points["RR, 4 nodes, all packets"] = line(round_robin(3), 4, everything)
    points["RR, all packets"] = line(round_robin(3), 8, everything)
    points["RR, 12 nodes, all packets"] = line(round_robin(3), 12, {"warmup_us": 0, "measure_us": 2400}, 0.52)
    points["age, period 8, all packets"] = line(age(3, 8), 8, everything)
    points["age, period 4096, all packets"] = line(age(3, 4096), 8, {"warmup_us": 0, "measure_us": 6000})
    points["ring, RR"] = ring(round_robin(3))
    points["ring, age, period 8"] = ring(age(3, 8))
    return points


def groups_of(report):
    return report.get("counters", {}).get("switches", {}).get("age_group", [])


def keep_line(report, tables):
    got = [host["delivered_from"] for host in report["hosts"]][:-1]
    kept = {"shares": [value / sum(got) for value in got], "total": sum(got)}
    latency = report["classes"][0]["network_latency_ns"]
    if latency["mean"] is not None:
        kept.update({f"latency.{what}": latency[what] for what in ("mean", "p99", "max")})
    groups = groups_of(report)
    if groups:
        kept["groups"] = [value / sum(groups) for value in groups]
    return kept


LINES = paper.experiment(
    "lines",
    "Fig. 4: nodes of a line, or of a ring, all send to the last one, packets of 9 flits, all queues full.",
    lambda size: lines(),
    {"quick": 2, "full": 3},
    keep=keep_line,
)
LINE = "experiment lines"  # in notes of rows


def shares(point):
    return LINES[point].series("shares")


# Table 5 and Fig. 5.
MACHINE = {"quick": [6, 6, 8], "full": [11, 12, 16]}
EJECTION = 0.417  # flits a cycle: 2 of 4.8 GB/s (Sect. 3.1)
TABLE_5 = [(4, (1, 1, 1)), (4, (3, 2, 1)), (8, (1, 1, 1)), (8, (3, 2, 1)), (16, (1, 1, 1)), (16, (3, 2, 1))]
SWEPT = [1, 2, 4, 8, 16, 18, 32]  # periods with biases 3, 2, 1


def name_of(period, biases):
    return f"{period}/{','.join(map(str, biases))}"


def uniform(load):
    return [{"name": "all", "queue": 0, "pattern": "uniform", "load": load, "message_bytes": 72}]


def partly_near(load, dims, part):
    """Some of it to the next node in x, y or z, the rest uniform."""
    strides = [1, dims[0], dims[0] * dims[1]]
    return [
        {**uniform(round(load * (1 - part), 4))[0], "name": "far"},
        *(
            {
                "name": f"next in {dim}",
                "queue": 0,
                "pattern": "permutation",
                "permutation": "shift",
                "shift": stride,
                "load": round(load * part / 3, 4),
                "message_bytes": 72,
            }
            for dim, stride in zip("xyz", strides, strict=True)
        ),
    ]


def half_near(load, dims):
    """The next node up in x, y and z, so links up have more to carry than links down."""
    return partly_near(load, dims, 0.5)


def in_jobs(load, dims, planes):
    """Jobs of so many whole planes in x and y, uniform inside each."""
    nodes, count = dims[0] * dims[1] * planes, dims[0] * dims[1] * dims[2]
    return [
        {
            **uniform(load)[0],
            "name": f"job{first // nodes}",
            "hosts": list(range(first, first + nodes)),
            "destinations": "senders",
        }
        for first in range(0, count, nodes)
    ]


FILLING = {"warmup_us": 10, "measure_us": 12}  # from an empty network on
WINDOW = {"warmup_us": 22, "measure_us": 28}  # from the end of FILLING on


def torus(size, name, traffic=None, ejection=EJECTION, run=FILLING, dims=None):
    """`name` is RR, or a period and the biases of x, y and z."""
    if name == "RR":
        arbiter = round_robin(7)
    else:
        period, biases = name.split("/")
        x, y, z = map(int, biases.split(","))
        arbiter = age(7, int(period), [1, x, x, y, y, z, z])
    return network(
        {"kind": "torus", "dims": dims or MACHINE[size], "hosts_per_switch": 1, "ties": "split"},
        arbiter,
        traffic or uniform(1.0),
        dict(run),
        ejection=ejection,
        routing="dateline",
    )


TABLE_5_NAMES = ["RR", *(name_of(period, biases) for period, biases in TABLE_5)]


def sweep_points(size):
    points = {name: torus(size, name) for name in (name_of(period, (3, 2, 1)) for period in SWEPT)}
    for name in ("4096/1,1,1", "8/3,2,1", "4/3,2,1"):
        points[f"load 0.3, {name}"] = torus(size, name, uniform(0.3))
    return points


# What the paper does not give of the machine's load, changed.
LINK_RATE = "ejection at a link's rate"
VARIANTS = {
    "load 0.4": lambda size, name: torus(size, name, uniform(0.4)),
    "half of it to neighbours": lambda size, name: torus(size, name, half_near(1.0, MACHINE[size])),
    LINK_RATE: lambda size, name: torus(size, name, ejection=None),
}


# What else it could have been, tried in few nodes.
TRIED = {
    **{f"uniform {load}": lambda dims, load=load: uniform(load) for load in (0.5, 0.6, 0.8)},
    **{
        f"{100 * part:.0f} % to neighbours, load {load}": lambda dims, part=part, load=load: partly_near(
            load, dims, part
        )
        for part in (0.5, 0.7, 0.8, 0.9)
        for load in (1.0, 0.6)
    },
    **{
        f"jobs of {planes} planes, load {load}": lambda dims, planes=planes, load=load: in_jobs(load, dims, planes)
        for planes in (2, 4)
        for load in (1.0, 0.5)
    },
}

PORTS = ["proc", "+x", "-x", "+y", "-y", "+z", "-z"]
IDLE_WAIT = 4  # cycles from an input's head to the grant where nobody is in the way: the crossbar


def sums_of(tables):
    """By counter and input port, over all routers and the whole run: the simulator counts from cycle 0 on."""
    sums = {}
    for line in tables["counters"]:
        place, _, port = line["port"].partition(".port")
        if place.startswith("switch"):
            key = line["counter"], int(port)
            sums[key] = sums.get(key, 0) + int(line["value"])
    return sums


def a_packet(sums):
    """What packets wait and stall, by input port and dimension."""

    def mean(counter, ports):
        return sum(sums[counter, port] for port in ports) / sum(sums["input_packets", port] for port in ports)

    kept = {f"stalled.{port}": mean("input_stalled", [number]) for number, port in enumerate(PORTS)}
    for dim in "xyz":
        both = [number for number, port in enumerate(PORTS) if port.endswith(dim)]
        kept[f"stalled.{dim}"] = mean("input_stalled", both)
        kept[f"waits.{dim}"] = mean("input_waits", both) - IDLE_WAIT
    kept["waits.proc"] = mean("input_waits", [0]) - IDLE_WAIT
    return kept


def links_in_use(tables):
    used = {}
    for line in tables["links"]:
        place, _, port = line["from"].partition(".port")
        if place.startswith("switch") and port != "0":
            used.setdefault(PORTS[int(port)][1], []).append(float(line["utilization"]))
    return {f"used.{dim}": sum(values) / len(values) for dim, values in used.items()}


def keep_torus(report, tables):
    """Waits and stalls are of the whole run, which begins with an empty network; latency from the entry into the network on."""
    kept = {"accepted": sum(item["accepted"] for item in report["classes"])}
    latency = report["classes"][0]["network_latency_ns"]
    kept.update(
        {f"latency.{what}": latency[what] for what in ("mean", "p99", "max") if latency[what] is not None}
    )  # of packets made and received in the window
    kept.update(a_packet(sums_of(tables)))
    groups = groups_of(report)
    if groups:
        kept["groups"] = [value / sum(groups) for value in groups]
    return {**kept, **links_in_use(tables)}


COUNTED = ("input_waits", "input_stalled", "input_packets")


def keep_sums(report, tables):
    """What counters have from cycle 0 on: of two runs of one seed that end at different times the difference is what came between."""
    sums = sums_of(tables)
    kept = {counter: [sums[counter, port] for port in range(len(PORTS))] for counter in COUNTED}
    groups = groups_of(report)
    if groups:
        kept["age_group"] = list(groups)
    return kept


def keep_window(report, tables):
    return {
        **keep_sums(report, tables),
        "accepted": sum(item["accepted"] for item in report["classes"]),
        **links_in_use(tables),
    }


def between(filling, whole):
    """Run of a window: what `whole` has beyond what it had when `filling` ended, seed by seed."""
    seeds = []
    for before, after in zip(filling.seeds(), whole.seeds(), strict=True):
        kept = {name: value for name, value in after.items() if name not in (*COUNTED, "age_group")}
        kept.update(
            a_packet(
                {
                    (counter, port): b - a
                    for counter in COUNTED
                    for port, (a, b) in enumerate(zip(before[counter], after[counter], strict=True))
                }
            )
        )
        if "age_group" in after:
            groups = [b - a for a, b in zip(before["age_group"], after["age_group"], strict=True)]
            kept["groups"] = [value / sum(groups) for value in groups]
        seeds.append(kept)
    return Run({name: [kept[name] for kept in seeds] for name in seeds[0]})


TORUS = paper.experiment(
    "torus",
    "The same torus from an empty network on, {warmup_us} us and {measure_us} us.",
    lambda size: {name: torus(size, name) for name in (*TABLE_5_NAMES, "4096/1,1,1")},
    {"quick": 5, "full": 5},
    keep=keep_torus,
    tables=("counters", "links"),
)
FILLED_UNTIL = paper.experiment(
    "torus-filling",
    "The same runs: what their counters have at the end.",
    lambda size: {name: torus(size, name) for name in TABLE_5_NAMES},
    {"quick": 3, "full": 3},
    keep=keep_sums,
    tables=("counters", "links"),
)
FILLED = paper.experiment(
    "torus-filled",
    "A {hosts}-node torus, uniform requests of 9 flits, all sources full, 0.417 flits a cycle to a processor; {measure_us} us behind the {warmup_us} us in which the network fills.",
    lambda size: {name: torus(size, name, run=WINDOW) for name in TABLE_5_NAMES},
    {"quick": 3, "full": 3},
    keep=keep_window,
    tables=("counters", "links"),
)
TURNED = paper.experiment(
    "torus-turned",
    "The torus of all sources full with its dimensions turned around, {hosts} nodes, x the longest, z the shortest.",
    lambda size: {"RR": torus(size, "RR", dims=MACHINE[size][::-1])},
    {"quick": 5, "full": 3},
    keep=keep_torus,
    tables=("counters", "links"),
)
DEFAULT = paper.experiment(
    "torus-default",
    "The torus of all sources full under the default clock, from an empty network on for {measure_us} us, 61 ticks.",
    lambda size: {"4096/1,1,1": torus(size, "4096/1,1,1", run={"warmup_us": 0, "measure_us": 500})},
    {"quick": 2, "full": 1},
    keep=keep_torus,
    tables=("counters", "links"),
)
FEW_NODES = paper.experiment(
    "torus-few-nodes",
    "The same torus with {hosts} nodes, whatever the size of the others.",
    lambda size: {name: torus("quick", name) for name in TABLE_5_NAMES},
    {"quick": 5, "full": 5},
    keep=keep_torus,
    tables=("counters", "links"),
)
SWEEP = paper.experiment(
    "torus-sweep",
    "The same torus, other periods and a lower load.",
    sweep_points,
    {"quick": 2, "full": 3},
    keep=keep_torus,
    tables=("counters", "links"),
)
OTHER_LOADS = paper.experiment(
    "torus-loads",
    "The same torus with another load.",
    lambda size: {
        f"{variant}: {name}": make(size, name) for variant, make in VARIANTS.items() for name in TABLE_5_NAMES
    },
    {"quick": 3, "full": 3},
    keep=keep_torus,
    tables=("counters", "links"),
)

FEW_NODES_LOADS = paper.experiment(
    "torus-few-nodes-loads",
    "The torus with {hosts} nodes under other loads.",
    lambda size: {
        f"{load}: {name}": torus("quick", name, traffic(MACHINE["quick"]))
        for load, traffic in TRIED.items()
        for name in TABLE_5_NAMES
    },
    {"quick": 2, "full": 3},
    keep=keep_torus,
    tables=("counters", "links"),
)

# Nine tenths of what round robin carries of uniform traffic.
CARRIED_LOAD = {"quick": 0.3, "full": 0.23}


def carried(size, names):
    return {name: torus(size, name, uniform(CARRIED_LOAD[size])) for name in names}


FEW_NODES_CARRIED = paper.experiment(
    "torus-few-nodes-carried",
    "The torus with {hosts} nodes and a load that is carried, 0.3 flits a cycle, nine tenths of what round robin carries of uniform traffic there.",
    lambda size: carried("quick", (*TABLE_5_NAMES, "4096/1,1,1")),
    {"quick": 8, "full": 8},
    keep=keep_torus,
    tables=("counters", "links"),
)
CARRIED = paper.experiment(
    "torus-carried",
    "Nine tenths of what round robin carries on {hosts} nodes.",
    lambda size: carried(size, (*TABLE_5_NAMES, "4096/1,1,1", "18/3,2,1")),
    {"quick": 8, "full": 12},
    keep=keep_torus,
    tables=("counters", "links"),
)

# Table 6: kernels beside uniform traffic. Sizes, placement and the other load are not given.
KERNELS = {
    "all-to-all": {"application": "all-to-all", "message_bytes": 512, "iterations": 2, "calculate_ns": 500},
    "three transposes": {"application": "all-to-all", "message_bytes": 1024, "iterations": 3, "calculate_ns": 20_000},
    "allreduce": {"application": "allreduce", "message_bytes": 4096, "iterations": 5, "calculate_ns": 500},
}
OTHERS = [0, 0.2, 0.3]  # flits a cycle of each processor


def kernel_points(size):
    points = {}
    for load in OTHERS:
        for kernel, keys in KERNELS.items():
            for name in ("RR", "8/3,2,1"):
                beside = uniform(load) if load else []
                point = torus(size, name, [{"name": "kernel", "queue": 0, **keys}, *beside])
                del point["run"]
                point["network"]["topology"]["dims"] = [4, 4, 4]
                points[f"{kernel} {load} {name}"] = point
    for name in ("RR", "8/3,2,1"):  # a benchmark that is not communication alone
        point = json.loads(json.dumps(points[f"three transposes 0.3 {name}"]))
        point["traffic"][0]["calculate_ns"] = 300_000
        points[f"three transposes, calculating 0.3 {name}"] = point
    return points


TABLE_6 = paper.experiment(
    "kernels",
    "A {hosts}-node torus, a kernel on all nodes, alone and beside uniform traffic of 0.2 or 0.3 flits a cycle of each.",
    kernel_points,
    {"quick": 20, "full": 20},
    keep=lambda report, tables: {"finish_us": report["traces"][0]["finish_ns"] / 1000},
)

# The RTL is built of the corrected variant only.
LINES_LOCKSTEP = paper.in_lockstep("lines-lockstep", LINES, "Fig. 4", without=lambda point: point.startswith("printed"))
TORUS_LOCKSTEP = paper.in_lockstep("torus-lockstep", TORUS, "Table 5, Fig. 5")
