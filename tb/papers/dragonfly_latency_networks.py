"""The dragonfly paper's networks of low latency, allreduce beside uniform jobs: Tables III and IV, Figs. 7 to 12."""

import random

from dragonfly import TABLE_4, paper
from dragonfly_networks import (
    CYCLE_NS,
    NETWORK,
    ONE_CLASS,
    classes,
    counted,
    ends_of,
    global_port,
    hosts,
    longest_of,
    network,
    placed,
    series_of,
    slice_of,
    stall_series,
    stalls_of,
    uniform,
)

ALLREDUCE = {"quick": [8, 8, 16], "full": [32, 32, 32, 32, 256, 256]}
UNIFORM = {"quick": [72, 20, 20], "full": [4160, 1760, 1760]}


def rotated(size, sizes, placement=1):
    """Hosts of jobs of these sizes, at random, but the jobs that are as small as the first one on nodes that are its own some groups further:
    what is between its ranks is between theirs, as any group has its links to the next ones in the same order."""
    shape = NETWORK[size]
    group, count = shape["switches"] * shape["hosts_per_switch"], sizes.count(sizes[0])
    step = shape["groups"] // count * group
    order = list(range(hosts(size)))
    random.Random(placement).shuffle(order)
    taken, first = set(), []
    for host in order:
        images = {(host + step * number) % hosts(size) for number in range(count)}
        if len(first) < sizes[0] and len(images) == count and not images & taken:
            first.append(host)
            taken |= images
    jobs = [[(host + step * number) % hosts(size) for host in sorted(first)] for number in range(count)]
    free = [host for host in order if host not in taken]
    for number in sizes[count:]:
        jobs.append(sorted(free[:number]))
        free = free[number:]
    return jobs


# Each call of an allreduce starts at a time of its own.
CALLS, GAP_US = 10, 6


def latency_traffic(size, loads, queue_of=lambda number: number, gap_us=GAP_US, calls=CALLS, placement=1, nodes=placed):
    """`loads` of the three uniform jobs, or None for an idle system."""
    ranks = nodes(size, ALLREDUCE[size] + UNIFORM[size], placement)
    traffic = []
    for job, members in enumerate(ranks[: len(ALLREDUCE[size])]):
        for call in range(calls):
            traffic.append(
                {
                    "name": f"job{job}.call{call}",
                    "queue": queue_of(0),
                    "application": "allreduce",
                    "hosts": members,
                    "message_bytes": 8,
                    "calculate_ns": call * gap_us * 1000 + 1,
                }
            )
    return traffic + background(ranks[len(ALLREDUCE[size]) :], loads, queue_of)


def background(ranks, loads, queue_of):
    """The uniform jobs, if there are loads."""
    return [
        uniform(f"UR-{number}", queue_of(number), members, load)
        for number, (members, load) in enumerate(zip(ranks, loads, strict=True) if loads else (), 1)
    ]


L_LOADS, H_LOADS = (0.8, 0.6, 0.2), (0.8, 0.8, 0.8)
HALF, QUARTER = "QoS, half of the loads", "QoS, a quarter of the loads"


def latency_point(
    size,
    rates=TABLE_4,
    loads=L_LOADS,
    one_class=False,
    gap_us=GAP_US,
    calls=CALLS,
    bursts=None,
    placement=1,
    nodes=placed,
    **keys,
):
    run = {"warmup_us": 0, "measure_us": (calls + 4) * gap_us}
    queue_of = (lambda number: 0) if one_class else (lambda number: number)
    arbiter = ONE_CLASS if one_class else classes(rates, bursts)
    return network(size, arbiter, latency_traffic(size, loads, queue_of, gap_us, calls, placement, nodes), run, **keys)


def with_class(number, assured, peak):
    rates = list(TABLE_4)
    rates[number] = (assured, peak)
    return rates


UNASSURED = "class 0 without assured rate"


def latency(size="quick"):
    return {
        "Standalone": latency_point(size, loads=None),
        "QoS": latency_point(size),
        "no-QoS": latency_point(size, one_class=True),
        "no-QoS, four buffers in one": latency_point(size, one_class=True, buffers=2048),
        "QoS, all classes counted": latency_point(size, congestion="all-classes"),
        "QoS, minimal routes": latency_point(size, routing="minimal"),
        "Standalone, minimal routes": latency_point(size, loads=None, routing="minimal"),
        "QoS, bursts of 64 packets": latency_point(size, bursts=320),
        "heavy": latency_point(size, loads=H_LOADS),
        "heavy, minimal routes": latency_point(size, loads=H_LOADS, routing="minimal"),
        UNASSURED: latency_point(size, rates=with_class(0, 0, 10)),
        "UR-1 at 70 %": latency_point(size, loads=(0.7, 0.6, 0.2)),
        "class 1 peak 40": latency_point(size, rates=with_class(1, 30, 40)),
        "class 1 peak 60": latency_point(size, rates=with_class(1, 30, 60)),
        "class 1 peak 100": latency_point(size, rates=with_class(1, 30, 100)),
        HALF: latency_point(size, loads=[load / 2 for load in L_LOADS]),
        QUARTER: latency_point(size, loads=[load / 4 for load in L_LOADS]),
        "heavy, class 3 assured 0": latency_point(size, rates=with_class(3, 0, 20), loads=H_LOADS),
        "heavy, class 3 assured 10": latency_point(size, rates=with_class(3, 10, 20), loads=H_LOADS),
        "heavy, class 3 assured 20": latency_point(size, rates=with_class(3, 20, 20), loads=H_LOADS),
    }


def quantile(values, part):
    """Nearest rank."""
    values = sorted(values)
    return values[max(0, -(-len(values) * part // 100) - 1)]


def keep_latency(report, tables, gap_us=GAP_US):
    """Calls of all ranks by job in ns; what the uniform jobs get from 10 us on, in shares of all hosts' links."""
    gap = gap_us * 1000
    kept = {"delivered": report["flits_delivered"], **stalls_of(report)}
    calls = {}
    for trace in report["traces"]:
        job, _, call = trace["name"].partition(".call")
        ends = [end for end in trace["rank_finish_ns"] if end is not None]
        calls.setdefault(job, []).extend(end - int(call) * gap - 1 for end in ends)
    kept["unfinished"] = sum(end is None for trace in report["traces"] for end in trace["rank_finish_ns"])
    everything = []
    for job, values in calls.items():
        everything += values
        for what, part in (("min", 0), ("median", 50), ("p99", 99), ("max", 100)):
            kept[f"{job}.{what}"] = quantile(values, part)
        kept[f"{job}.mean"] = sum(values) / len(values)
    kept["allreduce.median"], kept["allreduce.p99"], kept["allreduce.max"] = (
        quantile(everything, part) for part in (50, 99, 100)
    )
    mean = sum(everything) / len(everything)
    kept["allreduce.mean"] = mean
    ends, got = ends_of(tables), series_of(tables)
    steady = [10 <= end <= 56 for end in ends]
    zero = [sum(values) for values in zip(*(values for name, values in got.items() if name.startswith("job")), strict=True)]
    kept["ends_us"], kept["class 0.got"] = ends, zero
    kept["class 0.share"] = sum(value for value, on in zip(zero, steady, strict=True) if on) / sum(steady)
    packets = [item for item in report["classes"] if item["name"].startswith("job") and item["packets"]]
    longest = [item["over_hosts"]["longest_packet_latency_ns"]["max"] for item in packets]
    kept["class 0.longest.median"] = quantile(longest, 50)
    for item in report["classes"]:
        name = item["name"]
        if name.startswith("UR"):
            kept[f"{name}.got"] = got[name]
            kept[f"{name}.share"] = sum(value for value, on in zip(got[name], steady, strict=True) if on) / sum(steady)
            kept[f"{name}.offered"] = item["offered"]
            kept.update(longest_of(item))
    return {**kept, **stall_series(tables)}


LATENCY = paper.experiment(
    "latency",
    "Allreduce jobs (8 bytes, 10 calls 6 us apart) beside uniform jobs on a {hosts}-node dragonfly, in the "
    "proportions of Table III, classes of Table IV, progressive adaptive routing unless said otherwise.",
    lambda size: latency(),
    {"quick": 2, "full": 6},
    keep=keep_latency,
    tables=("series", "counter-series"),
)


# Fig. 7's three configurations on the paper's machine.
MACHINE = paper.experiment(
    "machine",
    "Table III's jobs on {hosts:,} nodes.",
    lambda size: {
        "Standalone": latency_point(size, loads=None),
        "QoS": latency_point(size),
        "no-QoS": latency_point(size, one_class=True),
    },
    {"quick": 1, "full": 3},
    keep=keep_latency,
    tables=("series", "counter-series"),
)


# What is changed of it.
MACHINE_CHANGED = paper.experiment(
    "machine-changed",
    "The same with one thing changed.",
    lambda size: {
        "QoS, minimal routes": latency_point(size, routing="minimal"),
        "Standalone, minimal routes": latency_point(size, loads=None, routing="minimal"),
        "heavy": latency_point(size, loads=H_LOADS),
        "heavy, minimal routes": latency_point(size, loads=H_LOADS, routing="minimal"),
    },
    {"quick": 1, "full": 3},
    keep=keep_latency,
    tables=("series", "counter-series"),
)


# The same where routing diverts at any difference.
ANY = "any difference"


def at_any_difference(size):
    return {
        f"{name}, {ANY}": latency_point(size, loads=loads, above=0)
        for name, loads in (("Standalone", None), ("QoS", L_LOADS), ("heavy", H_LOADS))
    }


ANY_DIFFERENCE = paper.experiment(
    "any-difference",
    "The same jobs on {hosts} nodes where routing diverts at any difference of queues.",
    lambda size: at_any_difference("quick"),
    {"quick": 6, "full": 6},
    keep=keep_latency,
    tables=("series", "counter-series"),
)
MACHINE_ANY_DIFFERENCE = paper.experiment(
    "machine-any-difference",
    "The same jobs on {hosts:,} nodes where routing diverts at any difference of queues.",
    lambda size: {
        point: scenario for point, scenario in at_any_difference(size).items() if not point.startswith("heavy")
    },
    {"quick": 1, "full": 2},
    keep=keep_latency,
    tables=("series", "counter-series"),
)


EARLY_CALLS = 4


MACHINE_UNASSURED = paper.experiment(
    "machine-unassured",
    "Table III's jobs on {hosts:,} nodes, Table IV without an assured rate of class 0.",
    lambda size: {UNASSURED: latency(size)[UNASSURED]},
    {"quick": 1, "full": 3},
    keep=keep_latency,
    tables=("series", "counter-series"),
)


def machine_rates(size):
    """Points of which rows need only class 1's throughput and stalls of 10 to 28 us: the run ends there, after a third of the others' time."""
    points = latency(size)
    return {
        point: {**points[point], "run": {"warmup_us": 0, "measure_us": 28}}
        for point in ("class 1 peak 60", "class 1 peak 40", "class 1 peak 100", "UR-1 at 70 %")
    }


def in_long_slices(tables):
    """Ends of slices as long as those of a longer run, and a function that gives of numbers by slice what is in each of these, a list."""
    ends = ends_of(tables)
    places = sorted({slice_of(end) for end in ends})
    return places, lambda values: [
        [value for value, end in zip(values, ends, strict=True) if slice_of(end) == place] for place in places
    ]


def keep_rates(report, tables):
    """Series of class 1."""
    places, merged = in_long_slices(tables)
    kept = {"ends_us": places, "UR-1.got": [sum(values) / len(values) for values in merged(series_of(tables)["UR-1"])]}
    for colour in ("green", "yellow", "red"):
        kept[f"series.{colour}.1"] = [sum(values) for values in merged(counted(tables, colour, 1))]
    return kept


MACHINE_RATES = paper.experiment(
    "machine-rates",
    "Table III's jobs on {hosts:,} nodes, Table IV with another peak rate of class 1, the first {measure_us} us.",
    machine_rates,
    {"quick": 1, "full": 3},
    keep=keep_rates,
    tables=("series", "counter-series"),
)


# Other assured rates of class 3 than Table IV's.
OTHERS_OF_3 = [f"heavy, class 3 assured {assured}" for assured in (0, 10, 20)]


def machine_oversubscribed(size):
    """Points of which rows need only the uniform jobs' throughput of 10 to 28 us."""
    points = latency(size)
    return {
        point: {**points[point], "run": {"warmup_us": 0, "measure_us": 28}}
        for point in OTHERS_OF_3
    }


def keep_got(report, tables):
    places, merged = in_long_slices(tables)
    got = series_of(tables)
    return {
        "ends_us": places,
        **{f"UR-{i}.got": [sum(values) / len(values) for values in merged(got[f"UR-{i}"])] for i in (1, 2, 3)},
    }


MACHINE_OVERSUBSCRIBED = paper.experiment(
    "machine-oversubscribed",
    "Table III's jobs on {hosts:,} nodes, the uniform ones at 80 %, Table IV with another assured rate of class 3, the first {measure_us} us.",
    machine_oversubscribed,
    {"quick": 1, "full": 3},
    keep=keep_got,
    tables=("series",),
)


def machine_seeds(size):
    """One call: without QoS those of the larger jobs take longer than this."""
    return {
        point: {**latency_point(size, calls=1, one_class=point == "no-QoS"), "run": {"warmup_us": 0, "measure_us": 70}}
        for point in ("QoS", "no-QoS")
    }


def first_calls(report):
    """Mean of the first call in ns over the ranks of the jobs that are as small as the first, and how many of these are not done."""
    traces = [trace for trace in report["traces"] if trace["name"].endswith(".call0")]
    ends = [
        end
        for trace in traces
        if len(trace["rank_finish_ns"]) == len(traces[0]["rank_finish_ns"])
        for end in trace["rank_finish_ns"]
    ]
    done = [end - 1 for end in ends if end is not None]
    return {"first.mean": sum(done) / len(done), "first.unfinished": len(ends) - len(done)}


MACHINE_SEEDS = paper.experiment(
    "machine-seeds",
    "One call beside Table III's uniform jobs on {hosts:,} nodes, {measure_us} us.",
    machine_seeds,
    {"quick": 3, "full": 3},
    keep=lambda report, tables: first_calls(report),
)
CALLS_APART = {"calls": 2, "gap_us": 25}


def keep_calls(report, tables):
    """The same, and of each job's ranks that are done in each call the last, as `JOB.callN.max`."""
    kept = keep_latency(report, tables, CALLS_APART["gap_us"])
    for trace in report["traces"]:
        ends = [end for end in trace["rank_finish_ns"] if end is not None]
        call = int(trace["name"].partition(".call")[2])
        kept[f"{trace['name']}.max"] = max(ends) - call * CALLS_APART["gap_us"] * 1000 - 1
        kept[f"{trace['name']}.unfinished"] = len(trace["rank_finish_ns"]) - len(ends)
    return kept


# Without QoS a call takes longer than those runs; the second one is not done when this one ends.
MACHINE_CALLS = paper.experiment(
    "machine-calls",
    "Two calls, 25 us apart, beside Table III's uniform jobs on {hosts:,} nodes, 150 us in all.",
    lambda size: {
        "Standalone": latency_point(size, loads=None, **CALLS_APART),
        "no-QoS": latency_point(size, one_class=True, **CALLS_APART),
    },
    {"quick": 1, "full": 3},
    keep=keep_calls,
    tables=("series", "counter-series"),
)


def early_medians(report):
    """Median of each job's first calls in ns as `JOB.median`, over its ranks, and how many are not done."""
    kept, unfinished, values = {}, 0, {}
    for trace in report["traces"]:
        job, _, call = trace["name"].partition(".call")
        ends = [end for end in trace["rank_finish_ns"] if end is not None]
        unfinished += len(trace["rank_finish_ns"]) - len(ends)
        values.setdefault(job, []).extend(end - int(call) * GAP_US * 1000 - 1 for end in ends)
    for job, found in values.items():
        kept[f"{job}.median"], kept[f"{job}.mean"] = quantile(found, 50), sum(found) / len(found)
    return {**kept, "early.unfinished": unfinished}


def machine_rotated(size):
    """The first calls: they are done in less than half of the time."""
    return {
        point: {
            **latency_point(size, loads=loads, nodes=rotated, calls=EARLY_CALLS),
            "run": {"warmup_us": 0, "measure_us": 34},
        }
        for point, loads in (("Standalone", None), ("QoS", L_LOADS))
    }


# The same nodes for the jobs of 32 ranks, groups apart.
MACHINE_ROTATED = paper.experiment(
    "machine-rotated",
    f"The first {EARLY_CALLS} calls of Table III's jobs on {{hosts:,}} nodes, those of 32 ranks on the same nodes of other groups.",
    machine_rotated,
    {"quick": 1, "full": 3},
    keep=lambda report, tables: early_medians(report),
)


def calls_paired(size):
    """The first calls by minimal routes: in less than half of the time, and call by call and rank by rank."""
    run = {"warmup_us": 0, "measure_us": 34}
    return {
        point: {**latency_point(size, loads=loads, routing="minimal", calls=EARLY_CALLS), "run": run}
        for point, loads in (("Standalone, minimal routes", None), ("QoS, minimal routes", L_LOADS))
    }


def keep_each_call(report, tables):
    """`JOB.calls`: of each call and rank, ns."""
    kept = {}
    for trace in report["traces"]:
        job, _, call = trace["name"].partition(".call")
        kept.setdefault(f"{job}.calls", []).extend(
            round(end - int(call) * GAP_US * 1000 - 1) for end in trace["rank_finish_ns"]
        )
    return kept


PAIRS = paper.experiment(
    "pairs",
    f"The first {EARLY_CALLS} calls on {{hosts}} nodes by minimal routes, idle and with QoS.",
    lambda size: calls_paired("quick"),
    {"quick": 6, "full": 6},
    keep=keep_each_call,
)
MACHINE_PAIRS = paper.experiment(
    "machine-pairs",
    f"The first {EARLY_CALLS} calls on {{hosts:,}} nodes by minimal routes, idle and with QoS.",
    calls_paired,
    {"quick": 1, "full": 3},
    keep=keep_each_call,
)


# Down to loads that the network carries.
MACHINE_LIGHTER = paper.experiment(
    "machine-lighter",
    "Table III's jobs on {hosts:,} nodes, the uniform ones at a part of their loads, {measure_us} us.",
    lambda size: {
        point: {**latency(size)[point], "run": {"warmup_us": 0, "measure_us": 60}} for point in (HALF, QUARTER)
    },
    {"quick": 1, "full": 3},
    keep=lambda report, tables: {
        "ends_us": ends_of(tables),
        **{f"{name}.got": got for name, got in series_of(tables).items() if name.startswith("UR")},
        **{f"{item['name']}.offered": item["offered"] for item in report["classes"] if item["name"].startswith("UR")},
    },
    tables=("series",),
)


# What of a link each class has, from the first cycle on.
FULL = 0.9  # of a link's rate


def on_links(size, points, us):
    everything = latency(size)
    return {point: {**everything[point], "run": {"warmup_us": 0, "measure_us": us}} for point in points}


def keep_links(size):
    def keep(report, tables):
        """Of global links that are full: how many, each class's part of what they carry, and in how many it is less than what is assured; the most
        flits of class 0 on any link, a part of what it carries in 10 us."""
        flits = {}
        for line in tables["link-flits"]:
            flits.setdefault(line["from"], {})[int(line["service_level"])] = int(line["flits"])
        full = [
            levels
            for name, levels in flits.items()
            if global_port(size, name) and sum(levels.values()) > FULL * report["cycles"]
        ]
        kept = {"links": len(full), "zero.most": max(levels[0] for levels in flits.values()) * CYCLE_NS / 10_000}
        for number in (1, 2, 3):
            parts = [levels[number] / sum(levels.values()) for levels in full]
            kept[f"{number}.mean"] = sum(parts) / len(parts)
            kept[f"{number}.least"], kept[f"{number}.most"] = min(parts), max(parts)
            kept[f"{number}.below"] = sum(part < TABLE_4[number][0] / 100 for part in parts) / len(parts)
        return kept

    return keep


ON_LINKS = paper.experiment(
    "links",
    "What each class has of the global links of {hosts} nodes that are full, {measure_us} us.",
    lambda size: on_links("quick", ("QoS", "heavy", *OTHERS_OF_3), 84),
    {"quick": 6, "full": 6},
    keep=keep_links("quick"),
    tables=("link-flits",),
)
MACHINE_LINKS = paper.experiment(
    "machine-links",
    "What each class has of the global links of {hosts:,} nodes that are full, {measure_us} us.",
    lambda size: on_links(size, ("heavy", "QoS", *OTHERS_OF_3), 14),
    {"quick": 1, "full": 3},
    keep=lambda report, tables: keep_links("full" if len(report["hosts"]) > hosts("quick") else "quick")(
        report, tables
    ),
    tables=("link-flits",),
)


# Calls one after another, a pause of 1 us before each: where one takes longer than 6 us, those above overlap.
PAUSE_NS = 1000


def in_turn(size, calls=CALLS):
    def point(loads=L_LOADS, one_class=False, **keys):
        ranks = placed(size, ALLREDUCE[size] + UNIFORM[size])
        queue_of = (lambda number: 0) if one_class else (lambda number: number)
        jobs = [
            {
                "name": f"job{job}",
                "queue": 0,
                "application": "allreduce",
                "hosts": members,
                "message_bytes": 8,
                "iterations": calls,
                "calculate_ns": PAUSE_NS,
            }
            for job, members in enumerate(ranks[: len(ALLREDUCE[size])])
        ]
        traffic = jobs + background(ranks[len(jobs) :], loads, queue_of)
        scenario = network(size, ONE_CLASS if one_class else classes(TABLE_4), traffic, None, **keys)
        del scenario["run"]
        return scenario

    return {
        "Standalone": point(None),
        "QoS": point(),
        "no-QoS": point(one_class=True),
        "no-QoS, half of the loads": point([load / 2 for load in L_LOADS], one_class=True),
        "Standalone, minimal routes": point(None, routing="minimal"),
        "QoS, minimal routes": point(routing="minimal"),
    }


def keep_in_turn(report, tables):
    """Of each job the mean over its calls and ranks, and the most that a rank's calls take in the mean, ns."""
    kept = {}
    for trace in report["traces"]:
        calls = [end / CALLS - PAUSE_NS for end in trace["rank_finish_ns"]]
        kept[f"{trace['name']}.mean"], kept[f"{trace['name']}.most"] = sum(calls) / len(calls), max(calls)
    means = [(kept[f"{trace['name']}.mean"], len(trace["rank_finish_ns"])) for trace in report["traces"]]
    kept["allreduce.mean"] = sum(mean * count for mean, count in means) / sum(count for _, count in means)
    for item in report["classes"]:
        kept[f"{item['name']}.accepted"] = item["accepted"]
    return kept


IN_TURN = paper.experiment(
    "in-turn",
    "The same jobs on {hosts} nodes with each call 1 us after the one before has ended.",
    lambda size: in_turn("quick"),
    {"quick": 6, "full": 6},
    keep=keep_in_turn,
)
MACHINE_IN_TURN = paper.experiment(
    "machine-in-turn",
    "The same jobs on {hosts:,} nodes with each call 1 us after the one before has ended.",
    lambda size: {point: scenario for point, scenario in in_turn(size).items() if point in ("Standalone", "QoS")},
    {"quick": 1, "full": 2},
    keep=keep_in_turn,
)
