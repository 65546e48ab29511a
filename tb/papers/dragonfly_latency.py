"""Rows of the dragonfly paper on how long an allreduce takes beside uniform traffic (Figs. 7, 8 and 11, abstract, Sect. VII), and the page of Figs. 7 to 12."""

import statistics

import dragonfly_latency_networks as networks
import plots
from dragonfly import paper
from dragonfly_jobs import (
    LATENCY,
    TURN,
    got,
    got_1,
    idle_of,
    latency_table,
    over_idle,
    quiet_jobs,
    ranks,
    runs_of,
    slower,
    stalls_1,
)
from dragonfly_latency_networks import (
    ALLREDUCE,
    CALLS,
    IN_TURN,
    MACHINE,
    MACHINE_ANY_DIFFERENCE,
    MACHINE_CALLS,
    MACHINE_CHANGED,
    MACHINE_IN_TURN,
    MACHINE_OVERSUBSCRIBED,
    MACHINE_PAIRS,
    MACHINE_RATES,
    MACHINE_ROTATED,
    MACHINE_SEEDS,
    MACHINE_UNASSURED,
    UNASSURED,
)
from dragonfly_lockstep import LATENCY_LOCKSTEP
from dragonfly_sizes import (
    NotRun,
    Points,
    at_most,
    beyond,
    figures_twice,
    large_points,
    off_one,
    over_time,
    percent,
    row,
    stalls_plot,
    where_run,
)
from experiment import difference, paired, quantile, ratio
from rows import NOT_TESTABLE, Verdict, decided, holds

CONFIGURATIONS = ["Standalone", "QoS", "no-QoS"]
SEEDS = Points(networks.LATENCY, MACHINE_SEEDS)
PAIRS = Points(networks.PAIRS, MACHINE_PAIRS)


def sizes():
    """Of the allreduce jobs, in words."""
    return f"jobs of {', '.join(map(str, ranks()))} ranks"


def call_by_call():
    """By minimal routes, the worst job's median of what a call takes at a rank over what the same takes in the idle system."""
    run, idle = PAIRS["QoS, minimal routes"], PAIRS["Standalone, minimal routes"]
    names = [name for name in run.samples if name.endswith(".calls")]
    return paired(
        run, idle, lambda a, b: max(statistics.median(x / y for x, y in zip(a[name], b[name], strict=True)) for name in names)
    )


NEAR_MEAN, NEAR_MOST = 1.05, 1.25
NEAR = "near is read as 5 % in the mean and 25 % in the maximum. Proposed was 5 % in the median: idle medians stand in steps of a hop, 300 + 10 ns"


def median_told(point):
    """The worst job's median, and how many jobs are beyond what was proposed for it."""
    beyond_it = sum(slower(point, "median", [job]).mean > NEAR_MEAN for job in quiet_jobs())
    told = f"median {slower(point, 'median').text(3)}"
    return f"{told} (beyond {NEAR_MEAN} in {beyond_it} of them)" if beyond_it else told


def by_routes(point):
    """The cause of what is not near, if it is near by minimal routes: detours."""
    mean, middle, most = (slower(f"{point}, minimal routes", what) for what in ("mean", "median", "max"))
    if mean.mean > NEAR_MEAN or most.mean > NEAR_MOST:
        return None
    return detours(f"mean {mean.text(3)}, median {middle.text(3)}, maximum {most.text(2)}")


HANGS = "hangs on the threshold, which the paper does not give: where routing diverts at any difference of queues, the one change,"


def hangs(point):
    """For the note of what is near, which few nodes have: that it is not where routing diverts at any difference of queues."""
    if Points.machine:
        return ""
    mean, middle, most = (slower(f"{point}, {networks.ANY}", what) for what in ("mean", "median", "max"))
    near = mean.mean <= NEAR_MEAN and most.mean <= NEAR_MOST
    return "" if near else f"; {HANGS} mean {mean.text(3)}, median {middle.text(3)}, maximum {most.text(2)}"


def detours(minimal):
    return f"detours: by minimal routes, the one change, {minimal}"


def with_each_call():
    cause, each = by_routes("QoS"), where_run(call_by_call)()
    return f"{cause}, and {each.text(3)} the median of each call at each rank over itself" if cause and each else cause


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
        f"worst of {len(quiet_jobs())} jobs: mean {middle.text(3)}, {median_told('QoS')}, maximum {most.text(2)} of Standalone; no-QoS {without[0].text(2)} in the mean and {without[1].text(2)} in the maximum",
        f"{LATENCY}; {NEAR}{hangs('QoS')}",
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
    equal = [job for job, size in zip(quiet_jobs(run), job_ranks, strict=True) if size == min(job_ranks)]
    return run.each(lambda a: max(a[f"{job}.median"] for job in equal) / min(a[f"{job}.median"] for job in equal) - 1)


def on_like_nodes():
    """In words, of the machine: how far the medians of the jobs of the least size are apart where these stand alike."""
    if MACHINE_ROTATED.size() != "full":
        raise NotRun("QoS")
    idle, apart = (percent(equal_apart(MACHINE_ROTATED[point], ranks()), 2) for point in ("Standalone", "QoS"))
    return f"; with the same nodes in other groups for each of these jobs {apart} with QoS, {idle} Standalone (machine-rotated, {MACHINE_ROTATED.stored()['seeds']} seeds, the first {networks.EARLY_CALLS} calls)"


@row("dfly-71", "small spread over calls, ranks and equal jobs")
def _():
    points = CONFIGURATIONS[:2] if Points.machine else CONFIGURATIONS  # there calls without QoS are cut off by the end of the run
    apart = {point: equal_apart(LATENCY[point], ranks()) for point in points}
    proposed = 0.03
    holds(apart["Standalone"].mean > proposed, "the idle system does not keep to what was proposed")
    return Verdict(
        NOT_TESTABLE,
        f"range over median, {sizes()}: "
        + "; ".join(
            f"{point} " + "/".join(f"{spread(point, job).mean:.2f}" for job in quiet_jobs()) for point in points
        )
        + f"; medians of the jobs of {min(ranks())} ranks apart by "
        + ", ".join(f"{percent(found)} ({point})" for point, found in apart.items())
        + (on_like_nodes() if Points.machine else ""),
        f"{LATENCY}, {CALLS} calls: the plot is lost, and of the spread no number is told; the words on Fig. 11's whiskers: dfly-92. Proposed was that medians of equal jobs are within "
        f"{100 * proposed:.0f} %: needs "
        "the nodes on which these stand, whose distances alone part them by more",
    )


@row("dfly-72", "maximum packet latency of class 0 is far below the others'")
def _():
    run = LATENCY["QoS"]
    zero, others = run["class 0.longest.median"], [run[f"UR-{i}.longest.median"] for i in (1, 2, 3)]
    return decided(
        2 * zero.mean < min(other.mean for other in others),
        f"longest packet of any node in a call of class 0, median over jobs and calls: {zero.mean / 1000:.2f} us; longest packet of a node of the others, median over nodes: "
        + "/".join(f"{other.mean / 1000:.1f}" for other in others)
        + " us",
        f"{LATENCY}. Proposed was the median over nodes for class 0, too: its longest packets are not kept by node",
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


@paper.row("dfly-87", "small jobs potentially suffer more")
def _():
    def less(point):
        """By how much less the means of the two small jobs grow than that of the larger one, one call after another on few nodes."""
        return paired(
            IN_TURN[point],
            IN_TURN["Standalone"],
            lambda a, b: a["job2.mean"] / b["job2.mean"]
            - max(a[f"{job}.mean"] / b[f"{job}.mean"] for job in ("job0", "job1")),
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


@row("dfly-91", "with heavier background allreduce is still near Standalone")
def _():
    middle, most = slower("heavy", "mean"), slower("heavy", "max")
    against = ratio(LATENCY["heavy"], LATENCY["QoS"], "allreduce.mean")
    medians = [ratio(LATENCY["heavy"], LATENCY["QoS"], f"{job}.median") for job in quiet_jobs()]

    return at_most(
        [(middle, NEAR_MEAN), (most, NEAR_MOST), *((off_one(found), 0.02) for found in medians)],
        f"worst of {len(quiet_jobs())} jobs: mean {middle.text(3)}, {median_told('heavy')}, maximum {most.text(2)} of Standalone; mean {against.text(3)} and medians {'/'.join(found.text(3) for found in medians)} of the lighter background's",
        f"{LATENCY}; near is read as for dfly-68, and medians are within 2 % of the lighter background's{hangs('heavy')}",
        where_run(lambda: by_routes("heavy")),
    )


@row("dfly-92", "short whiskers")
def _():
    def whisker(point):
        return runs_of(point)[point].each(lambda a: max(a[f"{job}.p99"] / a[f"{job}.median"] for job in quiet_jobs()))

    proposed = 1.1

    def short(found, idle):
        return found.mean < 1.25 * idle.mean and found.mean < without.mean

    def at_any_difference():
        found = whisker(f"heavy, {networks.ANY}")
        return "" if short(found, idle) else f"; {HANGS} {found.text(2)}"

    def cause():
        found, base = (whisker(f"{name}, minimal routes") for name in ("heavy", "Standalone"))
        return detours(f"{found.text(2)}, Standalone {base.text(2)}") if short(found, base) else None

    tail, idle, without = (whisker(point) for point in ("heavy", "Standalone", "no-QoS"))
    return decided(
        short(tail, idle),
        f"99th percentile over median at most {tail.text(2)}; Standalone {idle.text(2)}, no-QoS {without.text(2)}",
        f"{LATENCY}: short is read as within 25 % of the idle system's, whose spread is that of the ranks' distances, and less than without QoS. No number is published; "
        + (f"{proposed}, as was proposed, the idle system does not keep to" if idle.mean > proposed else f"proposed was {proposed}")
        + ("" if Points.machine else at_any_difference()),
        where_run(cause),
    )


@row("dfly-97", "slow-down of high-priority traffic practically vanishes")
def _():
    def slowed(point):
        return over_idle(LATENCY[point], LATENCY[idle_of(point)])

    with_qos, without, minimal = (slowed(point) for point in ("QoS", "no-QoS", "QoS, minimal routes"))

    def cause():
        return (
            f"detours: by minimal routes, the one change, calls {networks.GAP_US} us apart are {percent(minimal)} above Standalone"
            if minimal.mean < 0.05
            else None
        )

    def at_any_difference():
        """Few nodes do not show it."""
        if MACHINE_ANY_DIFFERENCE.size() != "full":
            return ""
        other = over_idle(*(MACHINE_ANY_DIFFERENCE[f"{point}, {networks.ANY}"] for point in ("QoS", "Standalone")))
        return (
            ""
            if other.mean < 0.05
            else f"; {HANGS} calls {networks.GAP_US} us apart are {percent(other)} above Standalone on the paper's nodes"
        )

    turn = over_idle(TURN["QoS"], TURN["Standalone"])
    measured = f"mean of an allreduce {percent(turn)} above Standalone one call after another; with calls {networks.GAP_US} us apart {percent(with_qos)}, by minimal routes {percent(minimal)}, without QoS {percent(without)}"
    note = (
        f"{TURN}, {LATENCY}, adaptive routing by what waits of a packet's own class; vanishes is read as below 5 %, of calls that follow one another as the paper's do"
        + (
            ""
            if Points.machine
            else f"; where routing counts all classes, {percent(slowed('QoS, all classes counted'))} with calls {networks.GAP_US} us apart{at_any_difference()}"
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
    mean_of = f"the first call's mean in the jobs of {min(ranks())} ranks" if Points.machine else "a run's mean"
    measured = f"deviation of {mean_of}: {100 * with_qos:.2f} % with QoS, {100 * without:.2f} % without, {100 * idle:.2f} % Standalone{' of all calls and jobs' if Points.machine else ''}; without over with {without / with_qos:.1f}, of which chance makes {beyond_chance:.1f} of equal ones once in 40"
    note = (
        f"{SEEDS}, {runs} runs of each on one placement. "
        "Less than without is claimed, and not as little as in an idle system, which has nothing to vary but ties between routes: of that it is "
        + ("many times as much" if idle == 0 else f"{with_qos / idle:.0f} times as much")
        + ". The paper shows calls and ranks of one run"
    )
    if with_qos < without < beyond_chance * with_qos:
        return Verdict(NOT_TESTABLE, measured, f"{note}: within chance, needs more seeds")
    return decided(with_qos < without, measured, note)


@row("dfly-108", "consistent for different sizes and placements")
def _():
    def factors(point, what):
        return [slower(point, what, [job]) for job in quiet_jobs()]

    def told(point):
        return "; ".join(
            f"{what} {'/'.join(factor.text(digits) for factor in factors(point, of))}"
            for what, of, digits in (("mean", "mean", 3), ("median", "median", 3), ("maximum", "max", 2))
        )

    def cause():
        means, most = worst("QoS, minimal routes")
        return (
            detours(f"mean at most {means.text(3)} and maximum at most {most.text(2)} in each")
            if means.mean <= NEAR_MEAN and most.mean <= NEAR_MOST
            else None
        )

    def at_any_difference():
        means, most = worst(f"QoS, {networks.ANY}")
        near = means.mean <= NEAR_MEAN and most.mean <= NEAR_MOST
        return "" if near else f"; {HANGS} mean up to {means.text(3)}, maximum up to {most.text(2)}"

    def worst(point):
        return [max(factors(point, what), key=lambda factor: factor.mean) for what in ("mean", "max")]

    means, most = (factors("QoS", what) for what in ("mean", "max"))
    without = [factor.mean for factor in factors("no-QoS", "mean")]
    return at_most(
        [*((factor, NEAR_MEAN) for factor in means), *((factor, NEAR_MOST) for factor in most)],
        f"over Standalone, {sizes()}: {told('QoS')}; without QoS mean at least {min(without):.1f}",
        f"{LATENCY}: what dfly-68 asks of the worst job asked of each{'' if Points.machine else at_any_difference()}",
        where_run(cause),
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


# --- the page -------------------------------------------------------------------------------------


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


BOXES = [*CONFIGURATIONS, "heavy"]


def boxes(runs, title):
    names = [f"{job} {what}" for job in quiet_jobs(next(iter(runs.values()))) for what in ("median", "max")]
    return plots.bars(
        title,
        "ns",
        [name.removeprefix("job") for name in names],
        {point: [run[name.replace(" ", ".")] for name in names] for point, run in runs.items()},
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
