"""Rows of the dragonfly paper's system-wide shaping (Table II, Figs. 3 to 6), and what it says of placement, limits and priority elsewhere."""

import dataclasses
import statistics

import dragonfly_networks
import dragonfly_shaping_networks as networks
from dragonfly import paper
from dragonfly_lockstep import PLACEMENTS_LOCKSTEP
from dragonfly_shaping_networks import MACHINE_PLACEMENTS, MACHINE_SHAPING, MACHINE_SHARES
from dragonfly_sizes import Points, beyond, figures_twice, large_points, over_time, percent, row, stalls_plot, where_run
from experiment import Comparisons, paired, ratio, simultaneous
from rows import NOT_TESTABLE, Verdict, agrees, decided, differs, holds

SHAPING = Points(networks.SHAPING, MACHINE_SHAPING, MACHINE_SHARES, MACHINE_PLACEMENTS)
PLACEMENTS = Points(networks.SHAPING, MACHINE_PLACEMENTS, MACHINE_SHARES)
TOGETHER = Points(networks.TOGETHER, MACHINE_SHARES)


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
    minimal = over(SHAPING["minimal"], TOGETHER["contiguous, minimal"])
    runs = networks.SHAPING_THRESHOLDS
    found = simultaneous(
        {
            above: over(*(runs[networks.by_threshold(stand, above)] for stand in ("random", "contiguous")))
            for above in networks.THRESHOLDS
        }
    )
    measured = f"random over contiguous nodes {change.text(2)} where routing diverts at {32 * dragonfly_networks.DIVERT_ABOVE:,} bytes more, {minimal.text(2)} by minimal routes"
    if not Points.machine:
        measured += f"; with thresholds of {', '.join(f'{32 * above:,}' for above in found)} bytes {'/'.join(part.text(2) for part in found.values())}"
    needed = [f"{32 * above:,}" for above, part in found.items() if part.above(1)]
    return decided(
        beyond(change, 1),
        measured,
        f"{SHAPING}; a low threshold takes a job that stands together over all groups' links, too, and keeps its traffic within a group off them; with a high one it has, as by "
        "minimal routes, only the few between its own groups",
        f"the threshold, which the paper does not give: with {' and '.join(needed)} bytes, the one change, random allocation carries more ({runs.name}, {runs.stored()['seeds']} seeds)"
        if needed
        else None,
    )


def shares(point):
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
        f"{SHAPING}: shares of 5 to 22 us, all jobs active, and windows of {dragonfly_networks.SLICE_US:.2f} us from 10 to 22 us, where windows of 10 us were proposed"
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
    note = f"{PLACEMENTS}: small is below 5 %, as in dfly-54; 5 placements were proposed"
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
    moved = "/".join(x.text(2, 100) for x in placement) + " points from Table II's nodes to the others"
    if any(found.above() for found in simultaneous(placement, len(among))):
        return agrees(measured, f"{note}, and so is placement, {moved}")
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}; of placement nothing is seen: {moved}, {Comparisons(placement, len(among)).left_open()}",
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
        return statistics.mean(got for got, end in zip(a[f"job{job}.got"], a["ends_us"], strict=True) if first < end <= last)

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
        f"{SHAPING}, all switches, 5 to 22 us; class 0's are those in which it is green again and waits for the end of a packet on the wire (at arbitrations: dfly-61)",
    )


@row("dfly-64", "class 0 has many red stalls")
def _():
    part = SHAPING["Table II"].each(
        lambda a: a["busy.red.0"] / (a["busy.red.0"] + a["busy.green.0"] + a["busy.yellow.0"])
    )
    more = SHAPING["Table II"].each(lambda a: a["busy.red.0"] / max(a[f"busy.red.{i}"] for i in (1, 2, 3)))
    whole = SHAPING["Table II"].each(
        lambda a: a["stalls.red.0"] / sum(a[f"stalls.{colour}.0"] for colour in ("red", "green", "yellow"))
    )
    return decided(
        all(map(beyond, simultaneous([part.over(0.5), more.over(1)]))),
        f"{percent(part)} of the cycles in which it stalls, {more.text(2)} times those of the next class; {percent(whole)} of them over the whole run",
        f"{SHAPING}, all switches, 5 to 22 us: many is read as most of its own and more than of any other class. Proposed was all of its own, which one port with a backlog of packets of one flit has: here the rest are green ones, waits for the end of a packet on the wire (dfly-61); and more than half of its arbitrations at full global ports, which are not counted by themselves",
    )


@row("dfly-65", "red stalls mean that a class is above its peak rate")
def _():
    change = ratio(SHAPING["job 0 at 5 %"], SHAPING["Table II"], "busy.red.0")
    return decided(
        change.mean < 0.1,
        f"with job 0 at 5 % its red stalls fall to {percent(change)}",
        f"{SHAPING}; not to 0: a second message finds the bucket empty",
    )


def longest_packets(point):
    """Of each class: the median over its nodes of the longest packet, ns."""
    return [SHAPING[point][f"job{job}.longest.median"] for job in range(4)]


@row("dfly-66", "class 0 has a high tail latency in spite of its priority")
def _():
    longest = longest_packets("Table II")
    return decided(
        longest[0].mean >= longest[1].mean and longest[0].mean > 13500,
        "median over nodes of the longest packet, classes 0 to 3: "
        + "/".join(f"{value.mean / 1000:.1f}" for value in longest)
        + " us",
        f"{SHAPING}; 1.35 us when idle",
    )


@row("dfly-67", "the reason is a heavy flow in the low-latency class")
def _():
    longest = longest_packets("job 0 at 5 %")
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


# --- the page -------------------------------------------------------------------------------------


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


def diverting():
    """What the threshold does to these runs."""
    moved = [
        paired(SHAPING["any difference"], SHAPING["Table II"], lambda a, b, key=f"job{job}.share": a[key] / b[key])
        for job in range(4)
    ]
    return (
        "The paper gives no threshold of adaptive routing; a detour is taken here where 1,024 bytes less wait. "
        f"If it is at any difference of queues, on 144 nodes classes 0 to 3 get {'/'.join(percent(x, 0) for x in moved)} of these shares."
    )


@paper.section("Throughput and stalls under Table II (Figs. 3 to 6)")
def _():
    runs, machine = {point: SHAPING[point] for point in SHAPING.few.stored()["points"]}, large_points(MACHINE_SHAPING)

    def throughput(run, title):
        return over_time(run, [f"job{job}" for job in range(4)], title)

    return "\n\n".join(
        [
            "\n".join([SHAPING.few.told(), "", *shaping_table(runs)]),
            diverting(),
            "\n".join(
                [
                    networks.SHAPING_THRESHOLDS.told(),
                    "",
                    *shares_table({p: networks.SHAPING_THRESHOLDS[p] for p in networks.thresholds()}),
                ]
            ),
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
