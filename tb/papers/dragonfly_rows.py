"""Rows of the dragonfly paper that the experiments of dragonfly_networks.py decide.

A row whose points were run on the paper's nodes, too, is decided twice by the same function: from several seeds on few nodes
and from fewer on the machine. Where the two disagree the machine has the last word.
"""

import dataclasses
import functools
import random
import statistics

import command as q
import plots
from dragonfly import TABLE_2, TABLE_4, coloured, paper, stalls, trtcm
from dragonfly_networks import (
    ALLREDUCE,
    CALLS,
    CONGESTION,
    HALF,
    IN_TURN,
    QUARTER,
    LATENCY_LOCKSTEP,
    MACHINE,
    MACHINE_CALLS,
    MACHINE_CHANGED,
    MACHINE_LIGHTER,
    MACHINE_IN_TURN,
    MACHINE_LINKS,
    MACHINE_OVERSUBSCRIBED,
    MACHINE_PAIRS,
    MACHINE_PLACED,
    MACHINE_PLACEMENTS,
    MACHINE_RATES,
    MACHINE_ROTATED,
    MACHINE_SEEDS,
    MACHINE_SHAPING,
    MACHINE_SHARES,
    MACHINE_THRESHOLDS,
    MACHINE_UNASSURED,
    MACHINE_UNASSURED_MINIMAL,
    PLACEMENTS_LOCKSTEP,
    UNASSURED,
    UNASSURED_MINIMAL,
    classes,
    network,
)
import dragonfly_networks as networks
from experiment import Comparisons, Interval, difference, paired, quantile, ratio, simultaneous
from rows import NOT_TESTABLE, Verdict, agrees, by_comparisons, decided, differs, holds, near

HOT = "experiment congestion"
CONFIGURATIONS = ["Standalone", "QoS", "no-QoS"]


class NotRun(Exception):
    """The machine has no run of a point, or none that decides."""


class Points:
    """Points of an experiment on few nodes and of those that have them on the paper's; `Points.machine` says which are looked up, `Points.asked` the
    experiments of the machine that were."""

    machine, asked = False, []

    @staticmethod
    def seeds():
        """Of the experiments that were asked, in words."""
        counts = sorted({experiment.stored()["seeds"] for experiment in Points.asked})
        return "one seed" if counts == [1] else " and ".join(map(str, counts)) + " seeds"

    def __init__(self, few, *large):
        self.few, self.large = few, large

    def __getitem__(self, point):
        if not Points.machine:
            return self.few[point]
        for experiment in self.large:
            if experiment.size() == "full" and point in experiment.stored()["points"]:
                Points.asked.append(experiment)
                return experiment[point]
        raise NotRun(point)

    def __str__(self):
        return "experiment " + (
            (
                " and ".join(experiment.name for experiment in self.large if experiment in Points.asked)
                + f", 8,320 nodes, {Points.seeds()}"
            )
            if Points.machine
            else self.few.name
        )


SHAPING = Points(networks.SHAPING, MACHINE_SHAPING, MACHINE_SHARES, MACHINE_PLACEMENTS)
PLACEMENTS = Points(networks.SHAPING, MACHINE_PLACEMENTS, MACHINE_SHARES)
TOGETHER = Points(networks.TOGETHER, MACHINE_SHARES)
LATENCY = Points(
    networks.LATENCY,
    MACHINE,
    MACHINE_CHANGED,
    MACHINE_RATES,
    MACHINE_OVERSUBSCRIBED,
    MACHINE_UNASSURED,
    MACHINE_UNASSURED_MINIMAL,
    MACHINE_LIGHTER,
)
THRESHOLD = Points(networks.THRESHOLDS, MACHINE_THRESHOLDS)
PLACED = Points(networks.LATENCY, MACHINE_PLACED)
SEEDS = Points(networks.LATENCY, MACHINE_SEEDS)
ON_LINKS = Points(networks.ON_LINKS, MACHINE_LINKS)
PAIRS = Points(networks.PAIRS, MACHINE_PAIRS)
TURN = Points(networks.IN_TURN, MACHINE_IN_TURN)


def on_the_machine(function):
    """The verdict from the runs on the paper's nodes; None where a point is missing there or the row has no such runs."""
    Points.machine, Points.asked = True, []
    try:
        verdict = function()
        return dataclasses.replace(verdict, note=str(verdict.note)) if Points.asked else None
    except NotRun:
        return None
    finally:
        Points.machine = False


def where_run(cause):
    """What needs points of which the machine may have no run, a cause or more of a text: none then, and few nodes show it."""

    def told():
        try:
            return cause()
        except NotRun:
            return None

    return told


BOTH = {}  # row: its function, of all that few nodes decide


def row(row_id, what):
    """Decorator: the function decides this row, on few nodes and on the machine."""

    def register(function):
        BOTH[row_id] = function
        paper.row(row_id, what)(lambda: settled(function))
        return function

    return register


def same_verdict(few, machine):
    """Whether both sizes say the same: a cause that few nodes show and the machine does not is none."""
    return few.verdict == machine.verdict and few.explained and machine.explained


def settled(function):
    few, machine = function(), on_the_machine(function)
    few = dataclasses.replace(few, note=str(few.note))
    if machine is None:
        return few
    if same_verdict(few, machine):
        return dataclasses.replace(
            few,
            note=f"{few.note}. On the paper's nodes, {Points.seeds()}: {machine.measured}"
            + (f" ({machine.cause})" if machine.cause else ""),
        )
    verdict = (
        machine
        if machine.explained
        else Verdict(
            NOT_TESTABLE, machine.measured, f"{machine.note}: needs the run on the paper's nodes that shows it"
        )
    )
    return dataclasses.replace(
        verdict,
        measured=f"{machine.measured}; on 144 nodes {few.measured}",
        note=f"{verdict.note}. 144 nodes would say {few.verdict}: {few.note}",
    )


def beyond(found, bound=0, sign=1):
    """Whether it is above the bound by more than its interval, with -1 below; one run on the machine stands for itself."""
    return sign * (found.mean - bound) > (found.reach if found.seeds > 1 else 0)


def quiet_jobs(run=None):
    """Names of the allreduce jobs: three on few nodes, six on the machine."""
    return [
        name.removesuffix(".median")
        for name in (run or LATENCY["Standalone"]).samples
        if name.startswith("job") and name.endswith(".median")
    ]


def ranks():
    return ALLREDUCE["full" if Points.machine else "quick"]


def sizes():
    """Of the allreduce jobs, in words."""
    return f"jobs of {', '.join(map(str, ranks()))} ranks"


def percent(found, digits=1):
    return found.text(digits, 100, "%")


def at_most(bounds, measured, note, cause=None):
    """A verdict by intervals and the bound that each has: agrees if all means are within theirs, differs if one is beyond by more than
    its interval as one of so many, and else open."""
    over = simultaneous([found.over(bound) for found, bound in bounds])
    if any(found.mean > 0 for found in over) and not any(beyond(found) for found in over):
        return Verdict(NOT_TESTABLE, measured, f"{note}: within its 95 % interval, needs more seeds")
    return decided(all(found.mean <= 0 for found in over), measured, note, cause)


@row("dfly-13", "separate buffers of the classes")
def _():
    apart = difference(CONGESTION["light beside a full class"], CONGESTION["light alone"], "light.mean")
    together = difference(CONGESTION["light in one class"], CONGESTION["light alone"], "light.mean")
    return decided(
        abs(apart.mean) < 6.4 * 4,
        f"a light class waits {apart.text(1)} ns more beside a class whose buffers are full",
        f"{HOT}: at most a packet time of 6.4 ns at each of four hops; {together.text(0)} ns more if both share a class",
    )


@row("dfly-25", "adaptive routing helps against intermediate, not endpoint congestion")
def _():
    pair = ratio(CONGESTION["pair, adaptive"], CONGESTION["pair, minimal"], "hot.accepted")
    incast = ratio(CONGESTION["incast, adaptive"], CONGESTION["incast, minimal"], "hot.accepted")
    used = ratio(CONGESTION["incast, adaptive"], CONGESTION["incast, minimal"], "global.mean")
    return decided(
        Comparisons([pair.over(1), used.over(1)]) and abs(incast.mean - 1) < 0.02,
        f"pairs of groups {pair.text(2)} times the throughput of minimal routes, incast {incast.text(2)} times",
        f"{HOT}; the incast's backlog takes {used.text(1)} times as much of the global links",
    )


@row("dfly-26", "QoS heals neither kind of congestion")
def _():
    pair = ratio(CONGESTION["pair, adaptive"], CONGESTION["pair, one class"], "hot.accepted")
    incast = ratio(CONGESTION["incast, adaptive"], CONGESTION["incast, one class"], "hot.accepted")
    return decided(
        abs(pair.mean - 1) < 0.02 and abs(incast.mean - 1) < 0.02,
        f"throughput with four classes over that with one: {pair.text(3)} for pairs of groups, {incast.text(3)} for an incast",
        HOT,
    )


@row("dfly-27", "head-of-line blocking is what slows victims")
def _():
    alone, together = CONGESTION["light alone"], CONGESTION["light in one class"]
    above, below = (
        difference(CONGESTION[f"light {where} a full class"], alone, "light.mean") for where in ("beside", "below")
    )
    slower = difference(together, alone, "light.mean")
    return decided(
        above.below(slower.mean / 2) and below.below(slower.mean / 2),
        f"beside an incast in the same class a light job's packets take {slower.text(0)} ns more than alone, in a class of their own with the same rates "
        f"{above.text(1)}, if that has the highest priority, and {below.text(1)}, if the lowest",
        f"{HOT}: so it is what waits ahead in the same queue, and not for the link, that slows them; main is read as more than half",
    )


@row("dfly-28", "uniform traffic makes no hot spots, a permutation does")
def _():
    even = CONGESTION["uniform 20 %"].each(lambda a: a["global.max"] / a["global.mean"])
    uneven = CONGESTION["permutation 20 %"].each(lambda a: a["global.max"] / a["global.mean"])
    return decided(
        even.mean < 1.3 and uneven.mean > 2,
        f"busiest over mean global link: {even.text(2)} and {uneven.text(2)}",
        f"{HOT}, 20 % load, minimal routes",
    )


@row("dfly-23", "low limits help the class's own packets by less competition inside it")
def _():
    base, light = SHAPING["Table II"]["job0.longest.median"], SHAPING["job 0 at 5 %"]["job0.longest.median"]
    holds(light.mean < 0.5 * base.mean, "its own load decides")
    higher = ""
    if not Points.machine:  # whose run with that limit tells of shares alone
        most = SHAPING["60 % for class 0"]["job0.longest.median"]
        holds(most.mean + most.half < base.mean - base.half, "shorter with a higher limit")
        higher = f"; with a limit of 60 % {most.text(1, 0.001)} us at full load"
    return differs(
        f"longest packets of class 0, limit 10 % in both: {base.text(1, 0.001)} us at full load, {light.text(1, 0.001)} us at 5 %{higher}",
        f"{SHAPING}: limits colour and do not police, so a lower one keeps nobody out and makes packets wait longer; with the load at 5 %, the one change, they are fast",
    )


@row("dfly-36", "random allocation improves the throughput of jobs")
def _():
    def over(scattered, contiguous):
        return paired(
            scattered,
            contiguous,
            lambda a, b: sum(a[f"job{job}.share"] for job in range(4)) / sum(b[f"job{job}.share"] for job in range(4)),
        )

    change = over(SHAPING["Table II"], SHAPING["contiguous"])

    def cause():
        minimal = over(SHAPING["minimal"], TOGETHER["contiguous, minimal"])
        return (
            (
                "adaptive routing takes a job that stands together over all groups' links, too, and keeps its traffic within a group off them; by minimal routes, the one change, it has "
                f"only the few between its own groups, and random over contiguous nodes is {minimal.text(2)}"
            )
            if beyond(minimal, 1)
            else None
        )

    return decided(beyond(change, 1), f"random over contiguous nodes {change.text(2)}", SHAPING, where_run(cause))


def shares(point, scale=2):
    """Of the global bandwidth."""
    return [SHAPING[point][f"job{job}.share"] for job in range(4)]


def shares_text(point):
    return "/".join(f"{200 * share.mean:.1f}" for share in shares(point)) + " %"


@row("dfly-52", "class 1 has the highest throughput")
def _():
    run = SHAPING["Table II"]
    got = {job: run.series(f"job{job}.got") for job in range(4)}
    ends = run.series("ends_us")
    led = [got[1][i] > max(got[0][i], got[2][i], got[3][i]) for i, end in enumerate(ends) if 10 <= end <= 22]
    return decided(
        all(led),
        f"classes 0 to 3 get {shares_text('Table II')} of the global bandwidth; class 1 leads in {sum(led)} of {len(led)} windows",
        f"{SHAPING}, 5 to 22 us, all jobs active"
        + ("" if Points.machine else f"; with minimal routes {shares_text('minimal')}"),
    )


@row("dfly-53", "the reason is the largest allocation")
def _():
    lead = SHAPING["1 and 2 swapped"].each(lambda a: a["job2.share"] - a["job1.share"])
    return decided(
        beyond(lead),
        f"with the rates of classes 1 and 2 swapped: {shares_text('1 and 2 swapped')}",
        f"{SHAPING}: class 2 leads",
    )


def ahead(run, job, other):
    """How much more of the global bandwidth a job gets than another."""
    return run.each(lambda a: a[f"job{job}.share"] / a[f"job{other}.share"] - 1)


def apart_by_detours():
    """Why classes 0 and 3 are apart."""
    least = SHAPING["minimal"].each(lambda a: abs(a["job0.share"] / a["job3.share"] - 1))
    return (
        (
            f"detours: class 3's red packets wait longest, so its queues divert most; with minimal routes, the one change, {percent(least)} "
            f"apart ({shares_text('minimal')})"
        )
        if least.mean < 0.05
        else None
    )


@row("dfly-54", "classes 0 and 3 have similar throughput")
def _():
    apart = SHAPING["Table II"].each(lambda a: abs(a["job0.share"] / a["job3.share"] - 1))
    return decided(
        apart.mean < 0.05,
        f"{percent(apart)} apart ({shares_text('Table II')})",
        f"{SHAPING}; no number is published",
        where_run(apart_by_detours),
    )


@row("dfly-55", "their small difference comes from placement and priority")
def _():
    scattered = {p: ahead(PLACEMENTS[p], 0, 3) for p in ("Table II", "placement 2", "placement 3")}
    scattered["nodes of the two exchanged"] = ahead(PLACEMENTS["jobs 0 and 3 swapped"], 3, 0)
    contiguous = ahead(PLACEMENTS["contiguous"], 0, 3)
    measured = "class 0 gets more than class 3 by " + ", ".join(
        f"{x.text(1, 100)} % ({p})" for p, x in {**scattered, "contiguous": contiguous}.items()
    )
    note = f"{PLACEMENTS}: small is below 5 %, as in dfly-54"
    if not (all(0 < x.mean < 0.05 for x in scattered.values()) and abs(contiguous.mean) < 0.05):
        return decided(False, measured, note, where_run(apart_by_detours))
    base = PLACEMENTS["Table II"]

    def part(run, high=0, low=3):
        """How much more the difference is than with Table II's nodes, on either side."""
        found = paired(
            run, base, lambda a, b: a[f"job{high}.share"] / a[f"job{low}.share"] - b["job0.share"] / b["job3.share"]
        )
        return dataclasses.replace(found, mean=abs(found.mean))

    placement = [
        part(PLACEMENTS["placement 2"]),
        part(PLACEMENTS["placement 3"]),
        part(PLACEMENTS["jobs 0 and 3 swapped"], 3, 0),
    ]
    among = Comparisons([*scattered.values(), *placement])
    note += "; priority is part of it, as on the same nodes with the classes exchanged the other job is ahead"
    if not Comparisons(list(scattered.values()), len(among)):
        return Verdict(NOT_TESTABLE, measured, f"{note}; within its 95 % interval, needs more seeds")
    if any(found.above() for found in simultaneous(placement, len(among))):
        return agrees(measured, f"{note}, and so is placement")
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}; of placement nothing is seen: "
        + "/".join(x.text(1, 100) for x in placement)
        + f" points from one to another, {Comparisons(placement, len(among)).left_open()}",
    )


def most_of(got, ends):
    """When 99 % of what comes at all has come, slice by slice."""
    return next(end for place, end in enumerate(ends) if sum(got[: place + 1]) >= 0.99 * sum(got))


@row("dfly-56", "throughput changes as classes finish their equal volume")
def _():
    run = SHAPING["Table II, 400 messages"]
    ends = [run.each(lambda a, job=job: most_of(a[f"job{job}.got"], a["ends_us"])) for job in range(4)]
    last = [run[f"job{job}.end_us"] for job in range(4)]
    flits = {run.mean(f"job{job}.flits") for job in range(4)}
    ordered = ends[1].mean < ends[2].mean < min(ends[0].mean, ends[3].mean)

    def rate(a, job, first, last):
        return statistics.mean(got for got, end in zip(a[f"job{job}.got"], a["ends_us"]) if first < end <= last)

    def raised(job):
        """What a class gets once class 1 has 99 % of its volume and before class 2 has, over what it had from 5 us on."""

        def of(a):
            first, last = (most_of(a[f"job{other}.got"], a["ends_us"]) for other in (1, 2))
            return rate(a, job, first, last) / rate(a, job, 5, first - 2)

        return run.each(of)

    more = {job: raised(job) for job in (0, 2, 3)}
    return decided(
        ordered
        and Comparisons([found.over(1) for found in more.values()])
        and max(flits) / min(flits) < 1.001
        and run.mean("delivered") == 1,
        "99 % of the equal volumes of classes 0 to 3 have come by "
        + "/".join(f"{end.mean:.1f}" for end in ends)
        + " us, the last packets by "
        + "/".join(f"{end.mean:.1f}" for end in last)
        + "; without class 1 classes 0, 2, 3 get "
        + "/".join(found.text(2) for found in more.values())
        + " times as much",
        f"{SHAPING}, 400 messages a rank; of thousands of ranks one may be late whatever its class",
    )


def busy(point, colour, number):
    return SHAPING[point][f"busy.{colour}.{number}"]


@row("dfly-62", "of two classes with equal rates the lower has more green stalls")
def _():
    high, low = busy("Table II", "green", 0), busy("Table II", "green", 3)
    return decided(
        low.mean > 10 * high.mean,
        f"cycles of green stall of classes 0 and 3: {high.mean / 1e6:.2f} and {low.mean / 1e6:.2f} million",
        f"{SHAPING}, all switches, 5 to 22 us; class 0's are those in which it waits for the end of a packet on the wire (at arbitrations: dfly-61)",
    )


@row("dfly-64", "class 0 has many red stalls")
def _():
    part = SHAPING["Table II"].each(
        lambda a: a["busy.red.0"] / (a["busy.red.0"] + a["busy.green.0"] + a["busy.yellow.0"])
    )
    more = SHAPING["Table II"].each(lambda a: a["busy.red.0"] / max(a[f"busy.red.{i}"] for i in (1, 2, 3)))
    return decided(
        all(map(beyond, simultaneous([part.over(0.5), more.over(1)]))),
        f"{percent(part)} of its stalls, {more.text(2)} times those of the next class",
        f"{SHAPING}, all switches, 5 to 22 us",
    )


@row("dfly-65", "red stalls mean that a class is above its peak rate")
def _():
    change = ratio(SHAPING["job 0 at 5 %"], SHAPING["Table II"], "busy.red.0")
    return decided(
        change.mean < 0.1,
        f"with job 0 at 5 % its red stalls fall to {percent(change)}",
        f"{SHAPING}; not to 0: a second message finds the bucket empty",
    )


@row("dfly-66", "class 0 has a high tail latency in spite of its priority")
def _():
    run = SHAPING["Table II"]
    longest = [run[f"job{job}.longest.median"] for job in range(4)]
    return decided(
        longest[0].mean >= longest[1].mean and longest[0].mean > 13500,
        "median over nodes of the longest packet, classes 0 to 3: "
        + "/".join(f"{value.mean / 1000:.1f}" for value in longest)
        + " us",
        f"{SHAPING}; 1.35 us when idle",
    )


@row("dfly-67", "the reason is a heavy flow in the low-latency class")
def _():
    run = SHAPING["job 0 at 5 %"]
    longest = [run[f"job{job}.longest.median"] for job in range(4)]
    return decided(
        longest[0].mean < min(value.mean for value in longest[1:]),
        "with job 0 at 5 %: " + "/".join(f"{value.mean / 1000:.1f}" for value in longest) + " us",
        f"{SHAPING}, median over nodes of the longest packet",
    )


@row("dfly-106", "priority alone starves low classes")
def _():
    low = SHAPING["priority alone"].each(lambda a: 2 * a["job3.share"])
    base = SHAPING["Table II"].each(lambda a: 2 * a["job3.share"])
    return decided(
        low.mean < base.mean / 3,
        f"class 3 gets {percent(low)} of the global bandwidth, {percent(base)} with Table II",
        f"{SHAPING}, all rates 100 %: {shares_text('priority alone')}",
    )


@row("dfly-107", "most bandwidth for the class that needs little hurts when a heavy job comes into it")
def _():
    change = paired(SHAPING["60 % for class 0"], SHAPING["Table II"], lambda a, b: a["job1.share"] / b["job1.share"])
    return decided(
        beyond(change, 1, -1),
        f"class 1's job gets {percent(change)} of its throughput with 60 % for class 0 and 10 for class 1",
        SHAPING,
    )


# Low latency.
def idle_of(point):
    """The idle system with the same routes."""
    routes = [found for found in (", minimal routes", ", threshold") if found in point]
    return "Standalone" + "".join(routes)


def runs_of(point):
    return THRESHOLD if "threshold" in point else LATENCY


def slower(point, what, jobs=None):
    """The worst job's factor over the idle system with the same routes."""
    jobs, runs = jobs or quiet_jobs(), runs_of(point)
    return paired(
        runs[point],
        runs[idle_of(point)],
        lambda a, b: max(a[f"{job}.{what}"] / b[f"{job}.{what}"] for job in jobs),
    )


def call_by_call():
    """By minimal routes, the worst job's median of what a call takes at a rank over what the same takes in the idle system."""
    run, idle = PAIRS["QoS, minimal routes"], PAIRS["Standalone, minimal routes"]
    names = [name for name in run.samples if name.endswith(".calls")]
    return paired(
        run, idle, lambda a, b: max(statistics.median(x / y for x, y in zip(a[name], b[name])) for name in names)
    )


NEAR_MEAN, NEAR_MOST = 1.05, 1.25
NEAR = (
    "near is read as 5 % in the mean and 25 % in the maximum, and not in the median: idle medians stand in steps of a hop, 300 + 10 ns"
)


def by_routes(point):
    """The cause of what is not near: that adaptive routing diverts whatever has a little more waiting."""

    def near_with(routes):
        """What it is with these routes, if that is near."""
        mean, middle, most = (slower(f"{point}, {routes}", what) for what in ("mean", "median", "max"))
        if mean.mean > NEAR_MEAN or most.mean > NEAR_MOST:
            return None
        return f"mean {mean.text(3)}, median {middle.text(3)}, maximum {most.text(2)}"

    limited, minimal = (where_run(lambda: near_with(routes))() for routes in ("threshold", "minimal routes"))
    return detours(limited, minimal)


def detours(limited, minimal):
    """The same in words, from what is measured with a threshold and by minimal routes; None where neither shows it."""
    if limited:
        return (
            f"detours at any difference of queues, as the paper gives no threshold: with one of 1,024 bytes, the one change, {limited}"
            + (f"; by minimal routes {minimal}" if minimal else "")
        )
    return f"detours: by minimal routes, the one change, {minimal}" if minimal else None


def with_each_call():
    cause, each = by_routes("QoS"), where_run(call_by_call)()
    return f"{cause}, and {each.text(3)} the median of each call at each rank over itself" if cause and each else cause


def over_idle(run, idle):
    """Of an allreduce's mean, as a part of the idle system's."""
    return paired(run, idle, lambda a, b: a["allreduce.mean"] / b["allreduce.mean"] - 1)


def table(what, points):
    return (
        "; ".join(
            f"{point}: " + "/".join(f"{LATENCY[point].mean(f'{job}.{what}') / 1000:.2f}" for job in quiet_jobs())
            for point in points
        )
        + " us"
    )


@row("dfly-68", "allreduce with QoS is near Standalone, without it not")
def _():
    middle, most, without = (
        slower("QoS", "mean"),
        slower("QoS", "max"),
        [slower("no-QoS", what) for what in ("mean", "max")],
    )
    holds(without[0].mean > 1.05 and without[1].mean > most.mean, "slower without QoS")
    return at_most(
        [(middle, NEAR_MEAN), (most, NEAR_MOST)],
        f"worst of {len(quiet_jobs())} jobs: mean {middle.text(3)}, median {slower('QoS', 'median').text(3)}, maximum {most.text(2)} of Standalone; no-QoS {without[0].text(2)} in the mean and {without[1].text(2)} in the maximum",
        f"{LATENCY}; {NEAR}",
        where_run(with_each_call),
    )


def rise_without():
    """Of each job, by how many ns the maximum rises without QoS, and where from. On the machine a call takes longer than those runs, so of the first
    call of the longer one, which begins as theirs does: no more than what all its ranks would show."""
    if not Points.machine:
        runs, name = [LATENCY[point] for point in ("no-QoS", "Standalone")], "{job}.max"
    elif MACHINE_CALLS.size() == "full":
        runs, name = [MACHINE_CALLS[point] for point in ("no-QoS", "Standalone")], "{job}.call0.max"
    else:
        raise NotRun("no-QoS")
    rise = {job: paired(*runs, lambda a, b, of=name.format(job=job): a[of] - b[of]) for job in quiet_jobs()}
    if not Points.machine:
        return rise, ""
    waiting = sum(runs[0].mean(f"{job}.call0.unfinished") for job in rise)
    return (
        rise,
        f" (the first call of machine-calls, {waiting:.0f} of {sum(ranks())} ranks not done in 150 us: no less in all)",
    )


@row("dfly-69", "QoS removes the rise of the maximum that no-QoS has")
def _():
    rise = {job: difference(LATENCY["QoS"], LATENCY["Standalone"], f"{job}.max") for job in quiet_jobs()}
    without, where = rise_without()

    def told(found):
        return "/".join(value.text(0) for value in found.values()) + " ns"

    return at_most(
        [(rise[job], 0.1 * without[job].mean) for job in rise],
        f"{sizes()}: the maximum rises by {told(rise)} with QoS, by {told(without)} without{where}",
        f"{LATENCY}: at most a tenth in each job. Maxima {table('max', CONFIGURATIONS)}",
    )


@row("dfly-70", "latencies of an allreduce, Standalone")
def _():
    fewer, more = (LATENCY["Standalone"][f"{job}.median"] for job in (quiet_jobs()[0], quiet_jobs()[-1]))
    holds(more.mean > fewer.mean, "more ranks take longer")
    return Verdict(
        NOT_TESTABLE,
        f"{fewer.text(0)} ns for {ranks()[0]} ranks, {more.text(0)} for {ranks()[-1]}",
        f"{LATENCY}: the plot is lost, and no number or order is told in words. A round is up to 1.35 us, less within a group",
    )


def spread(point, job):
    return LATENCY[point].each(lambda a: (a[f"{job}.max"] - a[f"{job}.min"]) / a[f"{job}.median"])


def equal_apart(run, job_ranks):
    """How far the medians of the jobs of the least size are apart, a part of the least."""
    equal = [job for job, size in zip(quiet_jobs(run), job_ranks) if size == min(job_ranks)]
    return run.each(lambda a: max(a[f"{job}.median"] for job in equal) / min(a[f"{job}.median"] for job in equal) - 1)


def apart_on_the_machine():
    """dfly-71 of the paper's nodes, where calls without QoS are cut off by the end of the run: the bound with QoS."""
    idle, full = (equal_apart(LATENCY[point], ranks()) for point in ("Standalone", "QoS"))
    ranges = "/".join(spread("QoS", job).text(2) for job in quiet_jobs())
    bound = 0.03

    other = [equal_apart(PLACED[f"Standalone, placement {number}"], ranks()) for number in range(2, networks.ALIKE + 1)]
    placed = equal_apart(PLACED[f"QoS, placement {networks.ALIKE}"], ranks())
    both = equal_apart(PLACED[f"QoS, minimal routes, placement {networks.ALIKE}"], ranks())
    drawn = sorted([idle.mean, *(x.mean for x in other)])
    if MACHINE_ROTATED.size() != "full":
        raise NotRun("QoS")
    alike_idle, alike = (equal_apart(MACHINE_ROTATED[point], ranks()) for point in ("Standalone", "QoS"))
    tried = (
        f"in the {len(drawn)} placements drawn the idle system's medians are {100 * drawn[0]:.1f} to {100 * drawn[-1]:.1f} % apart, by steps of a hop; where it is {percent(other[-1], 2)}, QoS has {percent(placed)}, "
        f"by minimal routes {percent(both)} (machine-placed, one seed)"
    )
    nodes = f"with the same nodes in other groups for each of these jobs {percent(alike, 2)} with QoS, {percent(alike_idle, 2)} Standalone (machine-rotated, {MACHINE_ROTATED.stored()['seeds']} seeds, the first {networks.EARLY_CALLS} calls)"
    shown = alike.mean < bound
    return by_comparisons(
        Comparisons([full.under(bound)]),
        f"medians of the jobs of {min(ranks())} ranks {percent(full)} apart with QoS, {percent(idle)} Standalone; ranges with QoS {ranges} of the median",
        f"{LATENCY}, {CALLS} calls: the bound with QoS is {100 * bound:.0f} %; calls without are cut off by the end of the run"
        + ("" if shown else f"; {nodes}; {tried}"),
        f"distances between the ranks, as the paper does not give where jobs stand: {nodes}, the one change; {tried}" if shown else None,
    )


@row("dfly-71", "small spread over calls, ranks and equal jobs")
def _():
    if Points.machine:
        return apart_on_the_machine()
    found = [{job: spread(point, job) for job in quiet_jobs()} for point in CONFIGURATIONS]
    apart = [equal_apart(LATENCY[point], ranks()) for point in CONFIGURATIONS]
    return decided(
        all(found[1][job].mean < found[2][job].mean for job in quiet_jobs())
        and apart[1].below(0.03)
        and apart[2].mean > apart[1].mean,
        f"range over median, {sizes()}: "
        + "; ".join(
            f"{point} " + "/".join(f"{found[i][job].mean:.2f}" for job in quiet_jobs())
            for i, point in enumerate(CONFIGURATIONS)
        ),
        f"{LATENCY}, {CALLS} calls; medians of the two equal jobs apart by {'/'.join(percent(x) for x in apart)}, the bound with QoS is 3 %",
    )


@row("dfly-72", "maximum packet latency of class 0 is far below the others'")
def _():
    run = LATENCY["QoS"]
    zero, others = run["class 0.longest.median"], [run[f"UR-{i}.longest.median"] for i in (1, 2, 3)]
    return decided(
        2 * zero.mean < min(other.mean for other in others),
        f"median over nodes: class 0 {zero.mean / 1000:.2f} us, the others "
        + "/".join(f"{other.mean / 1000:.1f}" for other in others)
        + " us",
        LATENCY,
    )


def in_turn_over(*points):
    """Means of allreduce over Standalone's where each call follows the one before, on few nodes."""
    return (
        " and ".join(ratio(IN_TURN[point], IN_TURN["Standalone"], "allreduce.mean").text(2) for point in points)
        + " times Standalone (in-turn)"
    )


@row("dfly-20", "separate buffers and high priority lower latency")
def _():
    change = ratio(LATENCY["QoS"], LATENCY["no-QoS"], "allreduce.mean")
    turn = ratio(IN_TURN["QoS"], IN_TURN["no-QoS"], "allreduce.mean")
    return decided(
        beyond(change, 1, -1),
        f"mean of an allreduce with QoS: {percent(change)} of that without",
        f"{LATENCY}; one call after another, 144 nodes: {percent(turn)} (in-turn)",
    )


@row("dfly-78", "class 0's load is two orders of magnitude below all others'")
def _():
    part = LATENCY["QoS"].each(lambda a: a["UR-3.share"] / a["class 0.share"])
    turn = TURN["QoS"].each(
        lambda a: a["UR-3.accepted"] / sum(value for name, value in a.items() if name.startswith("job") and name.endswith(".accepted"))
    )
    return decided(
        beyond(part, 100) and turn.mean > 100,
        f"class 3 gets {part.text(0)} times the flits of class 0, {turn.text(0)} if calls follow one another; {part.mean / 5:.0f} and {turn.mean / 5:.0f} if messages of 8 bytes took 160 as the others' packets do",
        f"{LATENCY}, calls {networks.GAP_US} us apart, messages of 8 bytes in packets of one flit of 32. What the paper counts is not told; by payload the factors are 4 times as large",
    )


@row("dfly-79", "class 0 is within its assured 5 %")
def _():
    most = LATENCY["QoS"].each(lambda a: max(a["class 0.got"]))
    colours = LATENCY["QoS"].each(lambda a: a["stalls.yellow.0"] + a["stalls.red.0"])
    port = ON_LINKS["QoS"]["zero.most"]
    return decided(
        most.mean < 0.05 and port.mean < 0.05,
        f"at most {percent(most, 3)} of the hosts' links together in any window; on no link more than {percent(port, 2)} of what it carries in 10 us",
        f"{LATENCY}; {ON_LINKS}: of each link all that class 0 sends there in {'14' if Points.machine else '84'} us, three and more calls, is held against 10 us; {colours.mean:.0f} stalls of yellow or red packets of class 0",
    )


@row("dfly-80", "rates differ by class")
def _():
    got = [LATENCY["QoS"][f"UR-{i}.share"] for i in (1, 2, 3)]
    zero = LATENCY["QoS"]["class 0.share"]
    return decided(
        got[0].mean > got[1].mean > got[2].mean > zero.mean,
        "classes 1, 2, 3, 0 get "
        + "/".join(f"{200 * value.mean:.1f}" for value in (*got, zero))
        + " % of the global bandwidth",
        f"{LATENCY}; offered "
        + "/".join(f"{200 * LATENCY['QoS'].mean(f'UR-{i}.offered'):.1f}" for i in (1, 2, 3))
        + " %",
    )


@row("dfly-81", "no warm-up is needed")
def _():
    def unsteadiness(point, first):
        run = LATENCY[point]
        ends, worst = run.series("ends_us"), 0
        for number in (1, 2, 3):
            got = run.series(f"UR-{number}.got")
            tens = [[value for value, end in zip(got, ends) if 10 * i < end <= 10 * i + 10] for i in range(first, 6)]
            means = [sum(values) / len(values) for values in tens if values]
            worst = max(worst, max(abs(mean / (sum(means) / len(means)) - 1) for mean in means))
        return worst

    worst, minimal = unsteadiness("QoS", 1), unsteadiness("QoS, minimal routes", 1)

    def carried(point):
        """Of what is offered from 10 us on."""
        run = LATENCY[point]
        on = [10 < end <= 60 for end in run.series("ends_us")]
        got = sum(value for i in (1, 2, 3) for value, inside in zip(run.series(f"UR-{i}.got"), on) if inside) / sum(on)
        return got / sum(run.mean(f"UR-{i}.offered") for i in (1, 2, 3))

    def cause():
        half, quarter = unsteadiness(HALF, 1), unsteadiness(QUARTER, 1)
        return (
            f"more is offered than the network carries, {100 * carried('QoS'):.0f} % of it, so queues fill as long as the run lasts; with a quarter of the loads, the one change, {100 * carried(QUARTER):.0f} % are carried "
            f"and windows are within {100 * quarter:.1f} % from the second on, with half {100 * carried(HALF):.0f} % and {100 * half:.1f} %"
            if quarter < 0.05 and carried(QUARTER) > 0.99
            else None
        )

    return decided(
        worst < 0.05,
        f"windows of 10 us from the second on are within {100 * worst:.1f} % of their mean, from the fourth on within {100 * unsteadiness('QoS', 3):.1f} %; with minimal routes {100 * minimal:.1f} % from the second on",
        f"{LATENCY}, classes 1 to 3",
        where_run(cause),
    )


@row("dfly-82", "class 0 has negligible stalls")
def _():
    part = LATENCY["QoS"].each(
        lambda a: sum(a[f"stalls.{c}.0"] for c in ("green", "yellow", "red"))
        / sum(a[f"stalls.{c}.{i}"] for c in ("green", "yellow", "red") for i in range(4))
    )
    own = paired(
        LATENCY["QoS"],
        LATENCY["Standalone"],
        lambda a, b: sum(a[f"stalls.{c}.0"] for c in ("green", "yellow", "red")) / b["delivered"],
    )
    return decided(
        part.mean < 0.01 and own.mean < 0.05,
        f"{percent(part, 4)} of all stalls; {own.text(4)} cycles of stall a packet of its own",
        f"{LATENCY}: near 0 is read as below 0.05 a packet",
    )


def red_part(point):
    return LATENCY[point].each(
        lambda a: sum(a[f"stalls.red.{i}"] for i in range(4))
        / sum(a[f"stalls.{c}.{i}"] for c in ("green", "yellow", "red") for i in range(4))
    )


@row("dfly-83", "negligible red stalls of all classes")
def _():
    part, minimal = red_part("QoS"), red_part("QoS, minimal routes")

    def cause():
        large = red_part("QoS, bursts of 64 packets")
        return (
            f"buckets, whose size the paper does not give: with bursts of 64 packets instead of 4, the one change, {percent(large, 2)}"
            if large.mean < 0.01
            else None
        )

    return decided(
        part.mean < 0.01,
        f"{percent(part, 2)} of all stalls are red",
        f"{LATENCY}; with minimal routes {percent(minimal, 2)}",
        where_run(cause),
    )


def early(numbers, name):
    """Slices of 10 to 28 us, which the machine's runs with other rates end with."""
    return [value for value, end in zip(numbers[name], numbers["ends_us"]) if 10 <= end <= 28]


def stalls_1(run, colour):
    return run.each(lambda a: sum(early(a, f"series.{colour}.1")))


def got(run, number):
    return run.each(lambda a: statistics.mean(early(a, f"UR-{number}.got")))


def got_1(run):
    return got(run, 1)


@row("dfly-84", "the reason is that the peak rate is at least the load")
def _():
    def part(point):
        return LATENCY[point].each(
            lambda a: sum(early(a, "series.red.1"))
            / sum(sum(early(a, f"series.{colour}.1")) for colour in ("green", "yellow", "red"))
        )

    base, light, low = part("QoS"), part("UR-1 at 70 %"), part("class 1 peak 60")

    def bursts():
        return f"; with bursts of 64 packets instead of 4 {percent(part('QoS, bursts of 64 packets'))} at its load of 80 %"

    def cause():
        quarter = part(QUARTER)
        return (
            f"what comes to single links of few nodes for a while is more than the peak rate and its bucket let pass: with a quarter of the loads, the one change, {percent(quarter)}"
            if quarter.mean < 0.01
            else None
        )

    return decided(
        low.mean > 0.3 and base.mean < 0.01 and light.mean < 0.01,
        f"red part of class 1's stalls: {percent(base)}; with its load at 70 % {percent(light)}; with a peak of 60 % {percent(low)}",
        f"{LATENCY}, 10 to 28 us" + (where_run(bursts)() or ""),
        None if Points.machine else cause,
    )


@row("dfly-85", "many yellow stalls")
def _():
    parts = [
        LATENCY["QoS"].each(lambda a, c=c: sum(a[f"stalls.{c}.{i}"] for i in range(4)))
        for c in ("green", "yellow", "red")
    ]
    return decided(
        parts[1].mean > max(parts[0].mean, parts[2].mean),
        "green/yellow/red: " + "/".join(f"{part.mean / 1e6:.2f}" for part in parts) + " million",
        LATENCY,
    )


@paper.row("dfly-87", "small jobs potentially suffer more")
def _():
    def less(point):
        """By how much less the means of the two small jobs grow than that of the larger one, one call after another on few nodes."""
        return paired(
            IN_TURN[point],
            IN_TURN["Standalone"],
            lambda a, b: a["job2.mean"] / b["job2.mean"] - max(a[f"{job}.mean"] / b[f"{job}.mean"] for job in ("job0", "job1")),
        )

    def grown(point):
        return "/".join(
            ratio(IN_TURN[point], IN_TURN["Standalone"], f"{job}.mean").text(2) for job in ("job0", "job1", "job2")
        )

    on_few = f"on 144 nodes, one call after another, jobs of 8, 8, 16 ranks take {grown('no-QoS')} times Standalone's mean, the larger one {less('no-QoS').text(2)} more than the others; with half of the loads {grown('no-QoS, half of the loads')}"
    needs = "The sentence compares them with the uniform jobs, and not by what: needs a measure for both"
    if MACHINE_CALLS.size() != "full":
        return Verdict(NOT_TESTABLE, on_few, f"experiment in-turn. {needs}")
    without, idle = MACHINE_CALLS["no-QoS"], MACHINE_CALLS["Standalone"]
    jobs = range(len(ALLREDUCE["full"]))

    def told(call):
        """By how much the call's maximum grows in the 32-rank jobs and in the 256-rank ones, and how many ranks are not done."""
        over = [without.mean(f"job{job}.call{call}.max") / idle.mean(f"job{job}.call{call}.max") for job in jobs]
        open_ranks = sum(without.mean(f"job{job}.call{call}.unfinished") for job in jobs)
        return (
            "/".join(f"{value:.1f}" for value in over[:4])
            + " and "
            + "/".join(f"{value:.1f}" for value in over[4:])
            + f" ({open_ranks:.0f} of {sum(ALLREDUCE['full'])} ranks not done)"
        )

    return Verdict(
        NOT_TESTABLE,
        f"without QoS the small allreduce jobs do not suffer more: maximum of the first call over Standalone's, four jobs of 32 ranks and two of 256, {told(0)}",
        f"experiment machine-calls, seeds: {MACHINE_CALLS.stored()['seeds']}; of the second call, 25 us later, too few are done to tell, {told(1)}; {on_few}. The one class is offered more than the network carries (dfly-77), and larger jobs have more rounds that wait. {needs}",
    )


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
    scenario = networks.in_turn("quick", 2)["QoS"]
    for item in scenario["traffic"]:
        if item["name"].startswith("UR"):
            item["load"] = loads[int(item["name"].removeprefix("UR-")) - 1]
    report = q.sim(scenario)
    nodes = dict(zip(("UR-1", "UR-2", "UR-3"), networks.UNIFORM["quick"]))
    offered = [
        item["offered"] * networks.hosts("quick") / nodes[item["name"]]
        for item in report["classes"]
        if item["name"] in nodes
    ]
    near(offered, loads, 0.005, "offered by a node")
    after = report["cycles"] * report["cycle_ns"] - max(end for trace in report["traces"] for end in trace["rank_finish_ns"])
    holds(0 <= after < 10, f"the run ends {after} ns after the last call")
    return offered, after


def stops_with_class_0(row_id, what, loads):
    @paper.row(row_id, what)
    def _():
        offered, after = until_the_last_call(loads)
        return agrees(
            f"uniform jobs offer {'/'.join(f'{100 * part:.1f}' for part in offered)} % of their links up to {after:.1f} ns after the last call, and no more",
            "sim, 144 nodes, two calls, one after another: the run ends there, so what is under way is not drained",
        )


stops_with_class_0("dfly-88", "uniform jobs send until every allreduce is done", networks.L_LOADS)
stops_with_class_0("dfly-96", "all injection ends with class 0", networks.H_LOADS)


@row("dfly-91", "with heavier background allreduce is still near Standalone")
def _():
    middle, most = slower("heavy", "mean"), slower("heavy", "max")
    against = ratio(LATENCY["heavy"], LATENCY["QoS"], "allreduce.mean")

    return at_most(
        [(middle, NEAR_MEAN), (most, NEAR_MOST)],
        f"worst of {len(quiet_jobs())} jobs: mean {middle.text(3)}, median {slower('heavy', 'median').text(3)}, maximum {most.text(2)} of Standalone; mean {against.text(3)} of the lighter background's",
        f"{LATENCY}; near is read as for dfly-68",
        where_run(lambda: by_routes("heavy")),
    )


@row("dfly-92", "short whiskers")
def _():
    def whisker(point):
        return runs_of(point)[point].each(lambda a: max(a[f"{job}.p99"] / a[f"{job}.median"] for job in quiet_jobs()))

    def short(found, idle):
        return found.mean < 1.25 * idle.mean and found.mean < without.mean

    def cause():
        def short_with(routes):
            found, base = (whisker(f"{name}, {routes}") for name in ("heavy", "Standalone"))
            return f"{found.text(2)}, Standalone {base.text(2)}" if short(found, base) else None

        return detours(*(where_run(lambda: short_with(routes))() for routes in ("threshold", "minimal routes")))

    tail, idle, without = (whisker(point) for point in ("heavy", "Standalone", "no-QoS"))
    return decided(
        short(tail, idle),
        f"99th percentile over median at most {tail.text(2)}; Standalone {idle.text(2)}, no-QoS {without.text(2)}",
        (
            f"{LATENCY}: most of the spread is the idle system's, from the ranks' distances. No number is published"
            if short(tail, idle)
            else f"{LATENCY}: within 25 % of the idle system's, whose spread is that of the ranks' distances, is read as short. No number is published"
        ),
        where_run(cause),
    )


@row("dfly-93", "classes 0 and 1 hardly notice the heavier background")
def _():
    one, zero = ratio(LATENCY["heavy"], LATENCY["QoS"], "UR-1.share"), ratio(
        LATENCY["heavy"], LATENCY["QoS"], "allreduce.mean"
    )

    def cause():
        unassured = ratio(LATENCY["heavy, class 3 assured 0"], LATENCY["QoS"], "UR-1.share")
        return (
            (
                "the lower classes take their assured rates, which the lighter background leaves unused on many links, from class 1: with no assured rate "
                f"for class 3, the one change, class 1 has {unassured.text(3)}"
            )
            if unassured.mean > 0.99
            else None
        )

    return at_most(
        [(Interval(abs(found.mean - 1), found.half, found.seeds), 0.02) for found in (one, zero)],
        f"class 1's throughput {one.text(3)}, class 0's latency {zero.text(3)} of the lighter background's",
        LATENCY,
        where_run(cause),
    )


@row("dfly-94", "class 1 keeps a high throughput")
def _():
    one = ratio(LATENCY["heavy"], LATENCY["QoS"], "UR-1.share")
    of_global = LATENCY["heavy"].each(lambda a: 2 * a["UR-1.share"])
    return decided(
        one.mean >= 0.9 and of_global.mean >= 0.3,
        f"{percent(of_global)} of the global bandwidth, {one.text(3)} of before",
        LATENCY,
    )


@row("dfly-97", "slow-down of high-priority traffic practically vanishes")
def _():
    def slowed(point):
        return over_idle(runs_of(point)[point], runs_of(point)[idle_of(point)])

    with_qos, without, minimal = (slowed(point) for point in ("QoS", "no-QoS", "QoS, minimal routes"))

    def cause():
        limited = slowed("QoS, threshold")
        return (
            f"detours at any difference of queues: with a threshold of 1,024 bytes, which the paper does not give, the one change, calls {networks.GAP_US} us apart are {percent(limited)} above Standalone"
            if limited.mean < 0.05
            else None
        )

    turn = over_idle(TURN["QoS"], TURN["Standalone"])
    measured = f"mean of an allreduce {percent(turn)} above Standalone one call after another; with calls {networks.GAP_US} us apart {percent(with_qos)}, by minimal routes {percent(minimal)}, without QoS {percent(without)}"
    note = (
        f"{TURN}, {LATENCY}, adaptive routing by what waits of a packet's own class; vanishes is read as below 5 %, of calls that follow one another as the paper's do"
        + (
            ""
            if Points.machine
            else f"; where routing counts all classes, {percent(slowed('QoS, all classes counted'))} with calls {networks.GAP_US} us apart"
        )
    )
    if turn.seeds == 1:
        scatter, runs = deviation(LATENCY["QoS"].samples["allreduce.mean"])
        off = (1 + turn.mean) * scatter * quantile(runs)
        if abs(turn.mean - 0.05) < off:
            return Verdict(
                NOT_TESTABLE,
                measured,
                f"{note}: one run, which may be {100 * off:.1f} points off if such runs differ as those with calls {networks.GAP_US} us apart do; needs more seeds. By minimal routes these are within the bound",
            )
    return decided(
        turn.mean < 0.05 and turn.mean < without.mean / 5,
        measured,
        note,
        where_run(cause),
    )


def variation(point):
    """Standard deviation over mean and the number of runs, over the seeds; on the machine of the first call of the jobs of 32 ranks, all of which
    are done in the window."""
    run = SEEDS[point]
    if Points.machine:
        holds(run.mean("first.unfinished") == 0, f"{point}: all ranks of the smaller jobs are done")
    return deviation(run.samples["first.mean" if Points.machine else "allreduce.mean"])


def deviation(values):
    return statistics.stdev(values) / statistics.mean(values), len(values)


# What the ratio of two variances is beyond with a probability of 2.5 %, by degrees of freedom of both (Fisher's F).
F_975 = {1: 647.8, 2: 39.00, 3: 15.44, 4: 9.60, 5: 7.15, 6: 5.82, 7: 4.99, 8: 4.43, 9: 4.03}


@row("dfly-98", "less variability from run to run")
def _():
    (with_qos, runs), (without, _) = variation("QoS"), variation("no-QoS")
    idle, _ = deviation(LATENCY["Standalone"].samples["allreduce.mean"])
    beyond_chance = F_975.get(runs - 1, F_975[9]) ** 0.5
    measured = f"deviation of a run's mean: {100 * with_qos:.2f} % with QoS, {100 * without:.2f} % without, {100 * idle:.2f} % Standalone; without over with {without / with_qos:.1f}, of which chance makes {beyond_chance:.1f} of equal ones once in 40"
    note = (
        f"{SEEDS}, {runs} runs of each on one placement. "
        "Less than without is claimed, and not as little as in an idle system, which has nothing to vary but ties between routes: of that it is "
        + ("many times as much" if idle == 0 else f"{with_qos / idle:.0f} times as much")
        + ". The paper shows calls and ranks of one run"
    )
    if with_qos < without < beyond_chance * with_qos:
        return Verdict(NOT_TESTABLE, measured, f"{note}: within chance, needs more seeds")
    return decided(with_qos < without, measured, note)


@row("dfly-99", "peak rate = expected load is a good first choice")
def _():
    found = [got_1(LATENCY[point]) for point in ("class 1 peak 40", "class 1 peak 60", "QoS", "class 1 peak 100")]
    return decided(
        abs(found[3].mean / found[2].mean - 1) < 0.02 and found[0].mean <= found[2].mean,
        "class 1 with peaks of 40, 60, 80, 100 %: "
        + "/".join(f"{200 * value.mean:.1f}" for value in found)
        + " % of the global bandwidth",
        f"{LATENCY}, 10 to 28 us: no gain above its load",
    )


@row("dfly-100", "assured rate: the least with acceptable service under oversubscription")
def _():
    """Of full links, as rates are assured at ports: of what arrives detours take a part for their second global link."""
    points = ("heavy, class 3 assured 0", "heavy", "heavy, class 3 assured 10", "heavy, class 3 assured 20")
    assured = (0, 5, 10, 20)
    found = [got(LATENCY[point], 3) for point in points]
    links = {rate: part for rate, point in zip(assured, points) if (part := where_run(part_of(point, 3))())}
    one = [100 * one_port(rate) for rate in assured]
    near(one, assured, 1, "class 3 at one port")
    if not links:
        raise NotRun("heavy")
    at_port = "/".join(f"{part:.1f}" for part in one)
    return decided(
        all(abs(100 * part.mean - rate) <= 1 for rate, part in links.items())
        and all(a.mean < b.mean for a, b in zip(found, found[1:])),
        "class 3 assured "
        + ", ".join(map(str, links))
        + " %: "
        + "/".join(f"{100 * part.mean:.1f}" for part in links.values())
        + " % of what full global links carry; assured 0, 5, 10, 20 %: what arrives is "
        + "/".join(f"{200 * value.mean:.1f}" for value in found)
        + " % of the global bandwidth",
        f"{ON_LINKS} and {LATENCY}, heavy background, what arrives from 10 to 28 us"
        + (
            f": a detour takes two global links, so of an assured rate up to half arrives. One port at these loads (decide): {at_port} %"
            if Points.machine
            else ""
        ),
        f"few nodes load links unevenly, and where the others leave something class 3 gets it: at one port, the one change, {at_port} % (decide)",
    )


def part_of(point, number):
    return lambda: ON_LINKS[point][f"{number}.mean"]


def at_loads(loads, cycles, seed):
    """Packets of each class at a steady load from a phase of their own on, and as many arbitrations as cycles."""
    rng, events = random.Random(seed), []
    due = [rng.random() for _ in loads]
    for cycle in range(cycles):
        for number, load in enumerate(loads):
            due[number] += load
            if due[number] >= 1:
                due[number] -= 1
                events.append(q.arrive(number, 1, cycle))
        events += q.arbs(1, cycle)
    return events


@functools.cache
def one_port(assured, cycles=4000):
    """What class 3 gets of one port at the heavy loads of global links."""
    events = at_loads((0.001, 0.8, 0.338, 0.338), cycles, 100)
    return q.winners(trtcm(networks.with_class(3, assured, 20)), events).count(3) / cycles


@functools.cache
def yellow_of_3(assured):
    """Yellow stalls of class 3 at one port at the loads of global links."""
    events = at_loads((0.001, 0.8, 0.254, 0.085), 4000, 101)
    return stalls(coloured(trtcm(networks.with_class(3, assured, 20)), events), 4)[3][1]


@row("dfly-101", "yellow and red stalls tell of rate limits")
def _():
    points = ("class 1 peak 40", "class 1 peak 60", "QoS", "class 1 peak 100")
    red = [stalls_1(LATENCY[point], "red").mean / 1e6 for point in points]
    assured = (0, 5, 8, 10)
    yellow = [yellow_of_3(rate) for rate in assured]
    return decided(
        all(a > b for a, b in zip(red, red[1:])) and all(a > b for a, b in zip(yellow, yellow[1:])),
        "class 1's red stalls with peaks of 40, 60, 80, 100 %: "
        + "/".join(f"{value:.2f}" for value in red)
        + f" million; class 3's yellow ones with {', '.join(map(str, assured))} % assured: {'/'.join(map(str, yellow))} of 4,000",
        f"{LATENCY}, 10 to 28 us; red ones turn yellow: "
        + "/".join(f"{stalls_1(LATENCY[point], 'yellow').mean / 1e6:.2f}" for point in points)
        + ". Yellow ones: one port at the loads of global links (decide)",
    )


@row("dfly-102", "green stalls tell of too low a priority")
def _():
    before, after = (
        [busy(point, "green", i).mean / 1e6 for i in range(4)] for point in ("Table II", "1 and 2 swapped")
    )
    return decided(
        after[2] > before[1] and after[1] < before[2],
        f"one priority down the 60 % class goes from {before[1]:.2f} to {after[2]:.2f} million, one up the 20 % class from {before[2]:.2f} to {after[1]:.2f}",
        f"{SHAPING}: shares stay, {shares_text('Table II')} and {shares_text('1 and 2 swapped')}",
    )


@row("dfly-103", "counters expose a wrong assignment of jobs to classes")
def _():
    heavy = SHAPING["Table II"].each(lambda a: a["stalls.red.0"]).mean
    quiet = LATENCY["QoS"].each(lambda a: a["stalls.red.0"]).mean
    return decided(
        heavy > 100 * max(quiet, 1),
        f"red stalls of class 0: {heavy:.0f} with a heavy job in it, {quiet:.0f} with allreduce",
        f"{SHAPING}; {LATENCY}",
    )


@row("dfly-104", "a low-latency class can be good without an assured rate")
def _():
    with_rate, without = slower("QoS", "mean"), slower(UNASSURED, "mean")
    most = slower(UNASSURED, "max")

    def cause():
        early = [
            paired(
                LATENCY[point],
                LATENCY[idle_of(point)],
                lambda a, b: max(a[f"{job}.early"] / b[f"{job}.mean"] for job in quiet_jobs()),
            )
            for point in (UNASSURED, UNASSURED_MINIMAL)
        ]
        both = slower("QoS, minimal routes", "mean")
        return (
            (
                f"two that add up, yellow packets behind green ones and detours: with 5 %, one change, mean {with_rate.text(3)}; with minimal routes, one change, over the first {networks.EARLY_CALLS} calls "
                f"at least {early[1].text(3)} instead of {early[0].text(3)} (machine-unassured-minimal); with both {both.text(3)}"
            )
            if both.mean < 1.1 <= min(with_rate.mean, early[1].mean) and early[1].mean < early[0].mean
            else None
        )

    return decided(
        without.mean < 1.1,
        f"mean {without.text(3)}, maximum {most.text(2)} of Standalone; {with_rate.text(3)} with 5 %",
        f"{LATENCY}; all its packets are yellow then, behind every green one",
        where_run(cause) if Points.machine else None,
    )


def hops_in_class(number, routing):
    """Routers a packet, where each group sends to the next one in one class; all of it arrives."""
    traffic = [
        {
            "name": "a",
            "queue": number,
            "pattern": "permutation",
            "permutation": "shift",
            "shift": 8,
            "load": 0.6,
            "messages": 10,
            "message_bytes": 640,
        }
    ]
    scenario = network("quick", classes(TABLE_2), traffic, {"warmup_us": 0, "measure_us": 40}, routing)
    scenario["network"]["topology"].update(groups=4, switches=4, hosts_per_switch=2, global_links=1)
    report = q.sim(scenario)
    near(report["flits_delivered"], 32 * 10 * 20, 0, "flits delivered")
    return report["packet_hops"] / (report["flits_delivered"] / 5)


@row("dfly-105", "any class can take any traffic, unlike classes that route minimally")
def _():
    found = [hops_in_class(number, "adaptive") for number in range(4)]
    least = hops_in_class(0, "minimal")
    holds(min(found) > 1.1 * least, f"detours in each class: {found} against {least}")
    return agrees(
        "from group to next group, in classes 0 to 3: "
        + "/".join(f"{hops:.2f}" for hops in found)
        + f" routers a packet with adaptive routes, {least:.2f} with minimal ones",
        "sim, 32 hosts, classes of Table II: all is delivered by detours in each class",
    )


@row("dfly-108", "consistent for different sizes and placements")
def _():
    def factors(point, what):
        return [slower(point, what, [job]) for job in quiet_jobs()]

    def told(point):
        return "; ".join(
            f"{what} {'/'.join(factor.text(digits) for factor in factors(point, of))}"
            for what, of, digits in (("mean", "mean", 3), ("maximum", "max", 2))
        )

    def cause():
        means, most = (
            max(factors("QoS, threshold", what), key=lambda factor: factor.mean) for what in ("mean", "max")
        )
        return (
            f"detours at any difference of queues, as in dfly-68: with a threshold of 1,024 bytes, the one change, mean at most {means.text(3)} and maximum at most {most.text(2)} in each"
            if means.mean <= NEAR_MEAN and most.mean <= NEAR_MOST
            else None
        )

    means, most = (factors("QoS", what) for what in ("mean", "max"))
    without = [factor.mean for factor in factors("no-QoS", "mean")]
    return at_most(
        [*((factor, NEAR_MEAN) for factor in means), *((factor, NEAR_MOST) for factor in most)],
        f"over Standalone, {sizes()}: {told('QoS')}; without QoS mean at least {min(without):.1f}",
        f"{LATENCY}: what dfly-68 asks of the worst job asked of each",
        where_run(cause),
    )


@row("dfly-109", "best effort keeps its throughput, the others are limited yet progress")
def _():
    """At full global links: there rates are assured."""
    points, numbers = ("QoS", "heavy"), (1, 2, 3)
    assured = [rate / 100 for rate, _ in TABLE_4[1:]]
    parts, least, below = (
        {point: [ON_LINKS[point][f"{i}.{what}"] for i in numbers] for point in points}
        for what in ("mean", "least", "below")
    )
    arrived = {point: [LATENCY[point].each(lambda a, i=i: 2 * a[f"UR-{i}.share"]) for i in numbers] for point in points}
    full = " and ".join(f"{ON_LINKS[point].mean('links'):,.0f}" for point in points)

    def told(found):
        return "; ".join(
            f"{point} " + "/".join(f"{100 * value.mean:.1f}" for value in values) for point, values in found.items()
        )

    return decided(
        all(part.mean >= rate for values in parts.values() for part, rate in zip(values, assured)),
        f"classes 1 to 3 have of what {full} full global links carry, in the mean {told(parts)} %, the least on any {told(least)} %; what arrives is {told(arrived)} % of the global bandwidth",
        f"{ON_LINKS}, {LATENCY}: assured are 30/20/5 %, and the mean over the links decides; in {told(below)} % of them a class has less, where its load may be less. A detour takes two global links, so up to half arrives",
    )


@row("dfly-110", "collectives suffer without QoS")
def _():
    least = paired(
        LATENCY["no-QoS"],
        LATENCY["Standalone"],
        lambda a, b: min(a[f"{job}.median"] / b[f"{job}.median"] for job in quiet_jobs()),
    )
    return decided(
        beyond(least, 1),
        f"medians of all jobs are at least {least.text(2)} times Standalone",
        f"{LATENCY}; one call after another, 144 nodes: mean {in_turn_over('no-QoS')}",
    )


def both_sizes():
    """Verdicts on few nodes and on the machine by row, of the rows that have both."""
    found = {
        row_id: (function(), on_the_machine(function))
        for row_id, function in sorted(BOTH.items(), key=lambda item: int(item[0].partition("-")[2]))
    }
    return {row_id: pair for row_id, pair in found.items() if pair[1]}


def large_points(*experiments):
    """Runs on the paper's nodes by point."""
    return {
        point: experiment[point]
        for experiment in experiments
        if experiment.size() == "full"
        for point in experiment.stored()["points"]
    }


@paper.section("Size")
def _():
    both = both_sizes()
    changed = [
        f"{row_id} ({few.verdict} on 144 nodes, {machine.verdict} on 8,320{'' if machine.explained else ', where no run shows the cause'})"
        for row_id, (few, machine) in both.items()
        if not same_verdict(few, machine)
    ]
    lines = [
        "Most experiments below have networks of 144 nodes, in the proportions of the paper's 8,320 (4 terminal, 3 local, 2 global links a router, 9 groups, one link between any "
        "two): more of the traffic stays in its group, 11 % instead of 1.5, and jobs of 20 nodes load links less evenly than those of 1,760.",
        "",
    ]
    if both:
        large = [
            experiment
            for experiment in paper.experiments.values()
            if experiment.name.startswith("machine") and experiment.size() == "full"
        ]
        same = [
            row_id.removeprefix("dfly-") for row_id, (few, machine) in both.items() if same_verdict(few, machine)
        ]
        lines += [
            "The experiments "
            + ", ".join(f"{experiment.name} (seeds: {experiment.stored()['seeds']})" for experiment in large)
            + f" are of the paper's nodes. The {len(both)} rows whose points they have are decided on both sizes by the same rule; runs of machine-rates, machine-oversubscribed, machine-shares, machine-placements and machine-lighter end when the window does that their rows are of, those of machine-links after 14 us, of machine-threshold after 70, those of machine-unassured-minimal, machine-rotated and machine-pairs after {networks.EARLY_CALLS} calls. "
            f"{len(same)} have the same verdict on both, and their notes say what the machine gave: dfly-{', '.join(same)}. Where the two disagree the machine has the last word: "
            + (", ".join(changed) if changed else "nowhere")
            + ". dfly-87 has runs of its own there. The other rows of networks need points that were run on 144 nodes only."
        ]
    return "\n".join(lines)


def latency_table(runs):
    return [
        "| configuration | allreduce: mean, us | median | p99 | maximum | class 1, % of global | class 2 | class 3 |",
        "| --- |" + " --- |" * 7,
        *(latency_line(point, run) for point, run in runs.items()),
    ]


def machine_latency():
    """Table III's jobs on the paper's nodes."""
    runs, rates = large_points(MACHINE, MACHINE_CHANGED, MACHINE_UNASSURED), large_points(MACHINE_RATES)
    if not runs:
        return [MACHINE.told()]

    def worst(point, what):
        jobs = quiet_jobs(runs["QoS"])
        return paired(
            runs[point], runs[idle_of(point)], lambda a, b: max(a[f"{job}.{what}"] / b[f"{job}.{what}"] for job in jobs)
        ).text(2)

    return [
        "\n".join(
            [
                MACHINE.told(),
                "",
                *latency_table(runs),
                "",
                f"Of Standalone's with the same routes, the worst of {len(quiet_jobs(runs['QoS']))} jobs of each seed has "
                + "; ".join(
                    f"with {point} {worst(point, 'mean')} times the mean and {worst(point, 'max')} times the maximum"
                    for point in runs
                    if not point.startswith("Standalone")
                )
                + f". Without QoS {runs['no-QoS'].mean('unfinished'):,.0f} of {CALLS * sum(ALLREDUCE['full']):,} calls of ranks are not done when the run ends"
                + (
                    f", and {runs[UNASSURED].mean('unfinished'):,.0f} without an assured rate of class 0"
                    if UNASSURED in runs
                    else ""
                )
                + ": the numbers are of those that are, and all would make them larger.",
                "",
                MACHINE_CALLS.told(),
                "",
                *latency_table(large_points(MACHINE_CALLS)),
                *(rates_table({"QoS": runs["QoS"], **rates}) if rates else []),
                *oversubscribed_table(runs, large_points(MACHINE_OVERSUBSCRIBED)),
                *seeds_table(large_points(MACHINE_SEEDS)),
                *rotated_table(large_points(MACHINE_ROTATED)),
            ]
        )
    ]


def oversubscribed_table(runs, changed):
    if not changed:
        return []
    return [
        "",
        MACHINE_OVERSUBSCRIBED.told(),
        "",
        "| configuration | classes 1/2/3, % of global, 10 to 28 us |",
        "| --- | --- |",
        *(
            f"| {point} | " + "/".join(got(run, number).text(1, 200) for number in (1, 2, 3)) + " |"
            for point, run in {"heavy": runs["heavy"], **changed}.items()
        ),
    ]


def seeds_table(runs):
    """Of the first call, seed by seed."""
    if not runs:
        return []
    return [
        "",
        MACHINE_SEEDS.told(),
        "",
        "| configuration | mean of the jobs of 32 ranks, us | seed by seed | ranks of these not done |",
        "| --- | --- | --- | --- |",
        *(
            f"| {point} | {run['first.mean'].text(2, 0.001)} | "
            + ", ".join(f"{value / 1000:.2f}" for value in run.samples["first.mean"])
            + f" | {sum(run.samples['first.unfinished']):.0f} |"
            for point, run in runs.items()
        ),
    ]


def rotated_table(runs):
    if not runs:
        return []
    return [
        "",
        MACHINE_ROTATED.told(),
        "",
        "| configuration | medians of the jobs, us |",
        "| --- | --- |",
        *(
            f"| {point} | " + "/".join(run[f"{job}.median"].text(2, 0.001) for job in quiet_jobs(run)) + " |"
            for point, run in runs.items()
        ),
    ]


def links_table(experiment):
    """What classes have of full global links."""
    return [
        experiment.told() + f" Full is above {networks.FULL:.0%} of a link's rate, from the first cycle on.".replace("%", " %"),
        "",
        "| configuration | full links | classes 1/2/3, % of what they carry | least | most | most of class 0 on any link, % of 10 us |",
        "| --- |" + " --- |" * 5,
        *(
            f"| {point} | {run['links'].text(0)} | "
            + " | ".join(
                "/".join(run[f"{number}.{what}"].text(1, 100) for number in (1, 2, 3)) for what in ("mean", "least", "most")
            )
            + f" | {run['zero.most'].text(2, 100)} |"
            for point, run in ((point, experiment[point]) for point in experiment.stored()["points"])
        ),
    ]


def rates_table(runs):
    """Of class 1, with Table IV's peak rate and with others."""
    return [
        "",
        MACHINE_RATES.told(),
        "",
        "| configuration | class 1, % of global, 10 to 28 us | its stalls green/yellow/red, million cycles |",
        "| --- | --- | --- |",
        *(
            f"| {point} | {got_1(run).text(1, 200)} | "
            + "/".join(stalls_1(run, colour).text(2, 1e-6) for colour in ("green", "yellow", "red"))
            + " |"
            for point, run in runs.items()
        ),
    ]


def latency_line(point, run):
    return (
        f"| {point} | "
        + " | ".join(run[f"allreduce.{what}"].text(2, 0.001) for what in ("mean", "median", "p99", "max"))
        + " | "
        + (" | ".join(run[f"UR-{i}.share"].text(1, 200) for i in (1, 2, 3)) if "UR-1.share" in run else "| |")
        + " |"
    )


# Figures.
BOXES = [*CONFIGURATIONS, "heavy"]


def boxes(runs, title):
    names = [f"{job} {what}" for job in quiet_jobs(next(iter(runs.values()))) for what in ("median", "max")]
    return plots.bars(
        title,
        "ns",
        [name.removeprefix("job") for name in names],
        {point: [run[name.replace(" ", ".")] for name in names] for point, run in runs.items()},
    )


def over_time(run, names, title):
    ends = run.series("ends_us")
    return plots.curves(
        title,
        "us",
        "% of the global bandwidth",
        {name: [(end, 200 * value) for end, value in zip(ends, run.series(f"{name}.got"))] for name in names},
    )


def stalls_plot(run, title):
    ends = run.series("ends_us")
    series = {}
    for number in range(4):
        for colour in ("green", "yellow", "red"):
            values = run.series(f"series.{colour}.{number}")
            if sum(values) > 0 and len(series) < 8:
                series[f"{colour} {number}"] = [(end, value / 1000) for end, value in zip(ends, values)]
    return plots.curves(title, "us", "thousand stall cycles a slice", series)


@paper.section("What adaptive routing has to count")
def _():
    points = [
        "Standalone",
        "QoS",
        "QoS, all classes counted",
        "QoS, minimal routes",
        "heavy",
        "no-QoS",
        "no-QoS, four buffers in one",
    ]
    lines = [LATENCY.few.told(), "", *latency_table({point: LATENCY[point] for point in points})]
    own, everything = (
        over_idle(LATENCY[point], LATENCY["Standalone"]) for point in ("QoS", "QoS, all classes counted")
    )
    lines += [
        "",
        f"A switch that counts only what waits in the packet's own class keeps class 0 within {percent(own)} of an idle system's mean; one that counts all "
        f"classes sends class 0 around the load of the others, {percent(everything)} above it. The paper does not say which; only the first keeps its classes apart.",
    ]
    large = large_points(MACHINE, MACHINE_CHANGED)
    if "QoS" in large and "QoS, minimal routes" in large:
        slow = [over_idle(large[point], large[idle_of(point)]) for point in ("QoS", "QoS, minimal routes")]
        lines += [
            "",
            f"On the paper's nodes the first is {percent(slow[0])} above, and minimal routes {percent(slow[1])}; classes 1 to 3 get "
            + " and ".join(
                "/".join(f"{200 * large[point].mean(f'UR-{i}.share'):.1f}" for i in (1, 2, 3))
                for point in ("QoS", "QoS, minimal routes")
            )
            + " % of the global bandwidth: a detour takes two global links.",
        ]
    for experiment in (networks.THRESHOLDS, MACHINE_THRESHOLDS):
        if experiment is networks.THRESHOLDS or experiment.size() == "full":
            lines += ["", experiment.told(), "", *latency_table({point: experiment[point] for point in experiment.stored()["points"]})]
    return "\n".join(lines)


def shaping_table(runs):
    lines = [
        "| run | classes 0/1/2/3, % of the global bandwidth, 5 to 22 us | last packet, us | longest packet, median over nodes, us |",
        "| --- | --- | --- | --- |",
    ]
    for point, run in runs.items():
        lines.append(
            f"| {point} | {'/'.join(run[f'job{j}.share'].text(1, 200) for j in range(4))} | {'/'.join(run[f'job{j}.end_us'].text(1) for j in range(4))} | "
            f"{'/'.join(run[f'job{j}.longest.median'].text(1, 0.001) for j in range(4))} |"
        )
    return lines


def shares_table(runs):
    return [
        "| run | classes 0/1/2/3, % of the global bandwidth, 5 to 22 us |",
        "| --- | --- |",
        *(
            f"| {point} | {'/'.join(run[f'job{j}.share'].text(1, 200) for j in range(4))} |"
            for point, run in runs.items()
        ),
    ]


def figures_twice(name, alternative, title, curves, few, machine):
    """A figure of a run on 144 nodes and, where there is one, of that on the paper's."""
    figures = [paper.figure(name, f"{alternative}, 144 nodes", curves(few, f"{title}, 144 nodes"))]
    return figures + (
        [paper.figure(f"{name}-machine", f"{alternative}, 8,320 nodes", curves(machine, f"{title}, 8,320 nodes"))]
        if machine
        else []
    )


@paper.section("Throughput and stalls under Table II (Figs. 3 to 6)")
def _():
    runs, machine = {point: SHAPING[point] for point in SHAPING.few.stored()["points"]}, large_points(MACHINE_SHAPING)

    def throughput(run, title):
        return over_time(run, [f"job{job}" for job in range(4)], title)

    return "\n\n".join(
        [
            "\n".join([SHAPING.few.told(), "", *shaping_table(runs)]),
            *(["\n".join([MACHINE_SHAPING.told(), "", *shaping_table(machine)])] if machine else []),
            *(
                "\n".join([experiment.told(), "", *shares_table(large_points(experiment))])
                for experiment in (MACHINE_SHARES, MACHINE_PLACEMENTS)
                if large_points(experiment)
            ),
            PLACEMENTS_LOCKSTEP.told(),
            *figures_twice(
                "fig3",
                "Throughput over time",
                "Throughput, Table II (Fig. 3)",
                throughput,
                runs["Table II, 400 messages"],
                machine.get("Table II, 400 messages"),
            ),
            *figures_twice(
                "fig5",
                "Stalls over time",
                "Stalls, Table II (Figs. 4, 5)",
                stalls_plot,
                runs["Table II"],
                machine.get("Table II"),
            ),
        ]
    )


@paper.section("Allreduce beside uniform traffic (Figs. 7 to 12)")
def _():
    machine = large_points(MACHINE, MACHINE_CHANGED)

    def throughput(run, title):
        return over_time(run, [f"UR-{i}" for i in (1, 2, 3)], title)

    return "\n\n".join(
        [
            *machine_latency(),
            f"{LATENCY.few.told()} {LATENCY_LOCKSTEP.told()}",
            *figures_twice(
                "fig7",
                "Allreduce latencies",
                "Allreduce of each job, median and maximum over calls and ranks (Figs. 7, 11)",
                boxes,
                {point: LATENCY[point] for point in BOXES},
                {point: machine[point] for point in BOXES if point in machine},
            ),
            *figures_twice(
                "fig9",
                "Throughput over time",
                "Throughput, Table IV (Fig. 9)",
                throughput,
                LATENCY["QoS"],
                machine.get("QoS"),
            ),
            *figures_twice(
                "fig10",
                "Stalls over time",
                "Stalls, Table IV (Fig. 10)",
                stalls_plot,
                LATENCY["QoS"],
                machine.get("QoS"),
            ),
            *figures_twice(
                "fig12",
                "Throughput over time",
                "Throughput, UR-2 and UR-3 at 80 % (Fig. 12)",
                throughput,
                LATENCY["heavy"],
                machine.get("heavy"),
            ),
        ]
    )


@paper.section("Calls one after another")
def _():
    def over(runs, point):
        return ratio(runs[point], runs[idle_of(point)], "allreduce.mean").text(3)

    few = IN_TURN.stored()["points"]
    lines = [
        f"In the runs above a call begins every {networks.GAP_US} us, so that each has a beginning of its own that its latency counts from; the paper's calls follow one another. On 144 nodes an idle call takes less, "
        "on the paper's the 256 ranks of an idle system take longer, and without QoS none is done before the next begins: calls overlap there, though all of class 0 has less than a hundredth of class 3's load (dfly-78). "
        f"{IN_TURN.told()}",
        "",
        "| configuration | allreduce: mean, us | over Standalone with the same routes | as above |",
        "| --- | --- | --- | --- |",
        *(
            f"| {point} | {IN_TURN[point]['allreduce.mean'].text(2, 0.001)} | {over(IN_TURN, point)} | "
            + (over(LATENCY, point) if point in LATENCY.few.stored()["points"] else "")
            + " |"
            for point in few
        ),
    ]
    if MACHINE_IN_TURN.size() == "full":
        lines += [
            "",
            f"{MACHINE_IN_TURN.told()} QoS takes {over(MACHINE_IN_TURN, 'QoS')} times Standalone's mean, with calls {networks.GAP_US} us apart {over(MACHINE, 'QoS')} times. "
            "Without QoS calls one after another would take hundreds of us each, and were not run there: what a first call takes is in machine-seeds and machine-calls.",
        ]
    return "\n".join(lines)


@paper.section("What classes have of full links")
def _():
    return "\n".join(
        [
            *links_table(networks.ON_LINKS),
            *(["", *links_table(MACHINE_LINKS)] if MACHINE_LINKS.size() == "full" else []),
        ]
    )
