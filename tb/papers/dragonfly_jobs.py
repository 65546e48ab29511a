"""The dragonfly paper's jobs of Table III: rows on what they send and until when (Sect. IV-F), and what rows of latency and of rates compare of their runs."""

import statistics

import command as q
import dragonfly_latency_networks as networks
from dragonfly import paper
from dragonfly_latency_networks import (
    ALLREDUCE,
    CALLS,
    H_LOADS,
    L_LOADS,
    MACHINE,
    MACHINE_ANY_DIFFERENCE,
    MACHINE_CHANGED,
    MACHINE_IN_TURN,
    MACHINE_LIGHTER,
    MACHINE_OVERSUBSCRIBED,
    MACHINE_RATES,
    MACHINE_UNASSURED,
    UNIFORM,
    in_turn,
)
from dragonfly_networks import hosts
from dragonfly_sizes import Points, row
from experiment import paired
from rows import agrees, decided, holds, near

LATENCY = Points(
    networks.LATENCY,
    MACHINE,
    MACHINE_CHANGED,
    MACHINE_RATES,
    MACHINE_OVERSUBSCRIBED,
    MACHINE_UNASSURED,
    MACHINE_LIGHTER,
)
ANY_DIFFERENCE = Points(networks.ANY_DIFFERENCE, MACHINE_ANY_DIFFERENCE)
TURN = Points(networks.IN_TURN, MACHINE_IN_TURN)


def quiet_jobs(run=None):
    """Names of the allreduce jobs: three on few nodes, six on the machine."""
    return [
        name.removesuffix(".median")
        for name in (run or LATENCY["Standalone"]).samples
        if name.startswith("job") and name.endswith(".median")
    ]


def ranks():
    return ALLREDUCE["full" if Points.machine else "quick"]


@row("dfly-35", "allreduce reduces 8 bytes")
def _():
    rounds = {count: count.bit_length() - 1 for count in ranks()}
    delivered = LATENCY["Standalone"].mean("delivered")
    return decided(
        delivered == CALLS * sum(count * rounds[count] for count in ranks()),
        f"{delivered:.0f} messages of one flit",
        f"{LATENCY}: recursive doubling, {' and '.join(map(str, rounds.values()))} rounds of each rank in each of {CALLS} calls",
    )


@row("dfly-75", "10 calls of 8 bytes")
def _():
    return decided(LATENCY["QoS"].mean("unfinished") == 0, f"{CALLS} latencies recorded at each rank", LATENCY)


def until_the_last_call(loads):
    """Part of their links that the uniform jobs offer up to the end of a run on few nodes, and ns that the run goes on after the last of its two calls."""
    scenario = in_turn("quick", 2)["QoS"]
    for item in scenario["traffic"]:
        if item["name"].startswith("UR"):
            item["load"] = loads[int(item["name"].removeprefix("UR-")) - 1]
    report = q.sim(scenario)
    nodes = dict(zip(("UR-1", "UR-2", "UR-3"), UNIFORM["quick"], strict=True))
    offered = [
        item["offered"] * hosts("quick") / nodes[item["name"]] for item in report["classes"] if item["name"] in nodes
    ]
    near(offered, loads, 0.005, "offered by a node")
    after = report["cycles"] * report["cycle_ns"] - max(
        end for trace in report["traces"] for end in trace["rank_finish_ns"]
    )
    holds(0 <= after < 10, f"the run ends {after} ns after the last call")
    return offered, after


def stops_with_class_0(row_id, what, loads):
    @paper.row(row_id, what)
    def _():
        offered, after = until_the_last_call(loads)
        return agrees(
            f"uniform jobs offer {'/'.join(f'{100 * part:.1f}' for part in offered)} % of their links up to {after:.1f} ns after the last call",
            "sim, 144 nodes, two calls, one after another: until then they send. That they send nothing later is not tested, as the simulator ends the run there, and what is under way is not drained",
        )


stops_with_class_0("dfly-88", "uniform jobs send until every allreduce is done", L_LOADS)
stops_with_class_0("dfly-96", "all injection ends with class 0", H_LOADS)

# --- what rows compare ----------------------------------------------------------------------------


def idle_of(point):
    """The idle system with the same routes."""
    routes = [found for found in (", minimal routes", f", {networks.ANY}") if found in point]
    return "Standalone" + "".join(routes)


def runs_of(point):
    return ANY_DIFFERENCE if networks.ANY in point else LATENCY


def slower(point, what, jobs=None):
    """The worst job's factor over the idle system with the same routes."""
    jobs, runs = jobs or quiet_jobs(), runs_of(point)
    return paired(
        runs[point],
        runs[idle_of(point)],
        lambda a, b: max(a[f"{job}.{what}"] / b[f"{job}.{what}"] for job in jobs),
    )


def over_idle(run, idle):
    """Of an allreduce's mean, as a part of the idle system's."""
    return paired(run, idle, lambda a, b: a["allreduce.mean"] / b["allreduce.mean"] - 1)


def early(numbers, name):
    """Slices of 10 to 28 us, which the machine's runs with other rates end with."""
    return [value for value, end in zip(numbers[name], numbers["ends_us"], strict=True) if 10 <= end <= 28]


def stalls_1(run, colour):
    return run.each(lambda a: sum(early(a, f"series.{colour}.1")))


def got(run, number):
    return run.each(lambda a: statistics.mean(early(a, f"UR-{number}.got")))


def got_1(run):
    return got(run, 1)


def latency_table(runs):
    return [
        "| configuration | allreduce: mean, us | median | p99 | maximum | class 1, % of global | class 2 | class 3 |",
        "| --- |" + " --- |" * 7,
        *(latency_line(point, run) for point, run in runs.items()),
    ]


def latency_line(point, run):
    return (
        f"| {point} | "
        + " | ".join(run[f"allreduce.{what}"].text(2, 0.001) for what in ("mean", "median", "p99", "max"))
        + " | "
        + (" | ".join(run[f"UR-{i}.share"].text(1, 200) for i in (1, 2, 3)) if "UR-1.share" in run else "| |")
        + " |"
    )
