"""The dragonfly paper's jobs of Table III: rows on what they send and until when (Sect. IV-F), and what rows of latency and of rates compare of their runs."""

import dataclasses
import functools
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
from dragonfly_networks import CYCLE_NS, hosts
from dragonfly_sizes import Points, row
from experiment import paired
from rows import decided, same

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


LATE_US = 60  # after the last call


@dataclasses.dataclass
class Stopped:
    """Uniform jobs on few nodes that stop with the last of two calls: what a node of each offers of its link until then; of a run that a call much later
    keeps going when the last call is done, when the last slice ends in which anything of theirs comes, how many packets they send and how many come, all in
    us; that late call and the same in an idle system, ns."""

    offered: list
    last_call: float
    last_got: float
    sent: int
    came: int
    late: float
    idle: float

    def holds(self, loads):
        return (
            all(abs(part - load) < 0.005 for part, load in zip(self.offered, loads, strict=True))
            and self.came == self.sent
            and self.last_call < self.last_got < self.last_call + LATE_US
            and self.late == self.idle
        )

    def drained(self):
        return f"the last of them come {self.last_got - self.last_call:.1f} us later and nothing until {LATE_US} us, when a call takes {self.late:.0f} ns, {self.idle:.0f} in an idle system"


@functools.cache
def stopped_with_class_0(loads):
    scenario = in_turn("quick", 2)["QoS"]
    uniform = {f"UR-{number}": load for number, load in enumerate(loads, 1)}
    nodes = dict(zip(uniform, UNIFORM["quick"], strict=True))
    calls = [item for item in scenario["traffic"] if item["name"] not in uniform]
    background = [{**item, "load": uniform[item["name"]]} for item in scenario["traffic"] if item["name"] in uniform]

    def ends(report):
        return {trace["name"]: max(trace["rank_finish_ns"]) for trace in report["traces"]}

    until = q.sim({**scenario, "traffic": calls + background})
    last = max(ends(until).values())
    offered = [
        item["offered"] * hosts("quick") / nodes[item["name"]] for item in until["classes"] if item["name"] in nodes
    ]

    messages = {name: int(load * last / (20 * CYCLE_NS)) for name, load in uniform.items()}
    begins = round(last + LATE_US * 1000)
    late = {**calls[0], "name": "late", "iterations": 1, "calculate_ns": begins}
    capped = [{**item, "messages": messages[item["name"]]} for item in background]
    report, tables = q.sim_tables({**scenario, "traffic": [*calls, *capped, late]}, "series")
    found = ends(report)
    same(max(end for name, end in found.items() if name != "late"), last, "the last call")
    alone = ends(q.sim({**scenario, "traffic": [late]}))
    return Stopped(
        offered,
        last / 1000,
        max(
            float(line["end_ns"]) for line in tables["series"] if line["class"] in uniform and float(line["got"] or 0) > 0
        )
        / 1000,
        sum(4 * messages[name] * nodes[name] for name in uniform),
        sum(item["packets"] for item in report["classes"] if item["name"] in uniform),
        found["late"] - begins,
        alone["late"] - begins,
    )


def stops_with_class_0(row_id, what, loads):
    @paper.row(row_id, what)
    def _():
        found = stopped_with_class_0(loads)
        return decided(
            found.holds(loads),
            f"uniform jobs offer {'/'.join(f'{100 * part:.1f}' for part in found.offered)} % of their links until the last call is done, at {found.last_call:.1f} us; "
            f"of {found.sent:,} packets {found.came:,} come; {found.drained()}",
            "sim, 144 nodes, two calls, one after another, and a late one, which keeps the run going. That the uniform jobs stop is their number of messages, which a run without end tells; "
            "in the runs of other rows they send to the end",
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
