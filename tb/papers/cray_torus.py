"""Rows of the Cray paper's Table 5 on the torus (Sect. 4): stalls, queueing and latency by period and biases; its page and the finding."""

import math

import plots
from cray_claims import (
    AGAINST,
    FEW_LIGHT,
    FROM_EMPTY,
    FULL,
    FULL_SOURCES,
    HOLDS,
    LIGHT,
    LOADS,
    NOTE,
    OPEN,
    PAIRS,
    RULE,
    Found,
    Load,
    by_equation_1,
    by_load,
    change,
    claim,
    claims_by_load,
    compared,
    less,
    nearest,
    with_hops,
)
from cray_histograms import AGES, LOWER, groups
from cray_machine import TABLE_5, paper, row
from cray_networks import (
    CARRIED,
    CARRIED_LOAD,
    CYCLE_NS,
    DEFAULT,
    FEW_NODES,
    FEW_NODES_CARRIED,
    FEW_NODES_LOADS,
    FILLED,
    MACHINE,
    OTHER_LOADS,
    SWEEP,
    SWEPT,
    TABLE_5_NAMES,
    TORUS,
    TORUS_LOCKSTEP,
    TRIED,
    TURNED,
    VARIANTS,
    name_of,
)
from experiment import Comparisons, interval, paired, ratio, simultaneous
from rows import NOT_TESTABLE, Verdict, agrees, holds


def falling(load, name, what):
    """Intervals of x less y and of y less z, and the three."""
    steps = [load[name].each(lambda seed, a=a, b=b: seed[f"{what}.{a}"] - seed[f"{what}.{b}"]) for a, b in ("xy", "yz")]
    return steps, "/".join(load[name][f"{what}.{dim}"].text(1) for dim in "xyz")


def table_rows(first, name):
    """The three rows of Table 5 of one configuration: stalls, queueing, latency."""
    stalls, queueing, latency = TABLE_5[name]
    base_stalls, _, base_latency = TABLE_5["RR"]
    printed = {dim: (stalls[a] + stalls[b]) / (base_stalls[a] + base_stalls[b]) for dim, (a, b) in PAIRS.items()}
    waited = {dim: own / base for dim, own, base in zip("xyz", queueing, TABLE_5["RR"][1], strict=True)}

    def clear(part):
        return abs(part - 1) > 0.03

    def judged(wanted):
        return ", ".join(dim for dim in "xyz" if clear(wanted[dim]))

    def signs(found, wanted):
        return [less(found[dim], 1 if wanted[dim] < 1 else -1) for dim in "xyz" if clear(wanted[dim])]

    def stall_signs(load):
        found = {dim: change(load, name, f"stalled.{dim}") for dim in "xyz"}
        return (
            signs(found, printed),
            "/".join(value.text(2) for value in found.values())
            + " of RR's in x, y, z; printed "
            + "/".join(f"{value:.2f}" for value in printed.values()),
        )

    def order(load):
        steps, told = falling(load, name, "waits")
        found = {dim: change(load, name, f"waits.{dim}") for dim in "xyz"}
        return (
            [*steps, *signs(found, waited)],
            f"{told} cycles in x, y, z; printed {queueing[0]}/{queueing[1]}/{queueing[2]} ("
            + "/".join(value.text(2) for value in found.values())
            + " of RR's; printed "
            + "/".join(f"{value:.2f}" for value in waited.values())
            + ")",
        )

    def sooner(load):
        found = change(load, name, "latency")
        return [less(found, 1 if latency < base_latency else -1)], (
            f"{found.text(4)} of RR's, throughput {change(load, name, 'accepted').text(3)}; printed {latency / base_latency:.3f}"
        )

    claim(f"cray-{first}", f"stalled cycles per packet, {name}", stall_signs, f"{NOTE}: the sign in {judged(printed)}")
    claim(
        f"cray-{first + 1}",
        f"queueing delay, {name}",
        order,
        f"{NOTE}: the order in x, y, z, and whether it is more or less than RR's in {judged(waited)}",
    )
    claim(
        f"cray-{first + 2}", f"average latency, {name}", sooner, f"{NOTE}, by Eq. 1, as the table's is made: the sign"
    )


for number, name in enumerate(TABLE_5_NAMES[1:]):
    table_rows(160 + 3 * number, name)


def shown_order(what, unit, printed):
    def predicate(load):
        steps, told = falling(load, "RR", what)
        return steps, f"{told} {unit} in x, y, z; printed {printed}"

    return predicate


claim(
    "cray-157",
    "stalled cycles per packet, round robin",
    shown_order("stalled", "cycles a packet", "43.0/18.9/13.0"),
    f"{NOTE}: the order",
)
claim("cray-158", "queueing delay, round robin", shown_order("waits", "cycles", "737/227/169"), f"{NOTE}: the order")


@row("cray-159", "average latency, round robin")
def _():
    return Verdict(
        NOT_TESTABLE,
        FULL["RR"].each(by_equation_1).text(0) + " ns by Eq. 1",
        f"{NOTE}: the base of the other rows; needs the machine's load, which is not given",
    )


def all_in_order(what):
    def predicate(load):
        steps = {name: falling(load, name, what)[0] for name in TABLE_5_NAMES}
        held = [name for name, of_name in steps.items() if all(step.mean > 0 for step in of_name)]
        return [
            step for of_name in steps.values() for step in of_name
        ], f"the means in {len(held)} of {len(steps)} configurations: {' '.join(held)}"

    return predicate


claim("cray-184", "queueing by dimension: x > y > z in every row", all_in_order("waits"))
claim("cray-185", "stalls by dimension: x > y > z in every row", all_in_order("stalled"))
BOUNDS = {"x": 0.3, "y": 0.9, "z": 0.5}  # cycles a packet, as printed


def apart_by_way(load):
    """By configuration and dimension: intervals of + less -, seed by seed."""
    return {
        (name, dim): load[name].each(lambda seed, dim=dim: seed[f"stalled.+{dim}"] - seed[f"stalled.-{dim}"])
        for name in TABLE_5_NAMES
        for dim in "xyz"
    }


def alike(load):
    """+ and - of all configurations: whether their differences are within the printed bounds, intervals and all."""
    far = apart_by_way(load)
    told = (
        "means of + and - are at most "
        + "/".join(f"{max(abs(far[name, dim].mean) for name in TABLE_5_NAMES[1:]):.2f}" for dim in "xyz")
        + " cycles apart in x/y/z by age, "
        + "/".join(far["RR", dim].text(2) for dim in "xyz")
        + f" under round robin; within the printed bounds in {sum(abs(value.mean) <= BOUNDS[dim] for (_, dim), value in far.items())} of {len(far)}, "
        f"with their intervals in {sum(value.under(BOUNDS[dim]).above() and value.over(-BOUNDS[dim]).above() for (_, dim), value in far.items())}"
    )
    return [
        side for (_, dim), value in far.items() for side in (value.under(BOUNDS[dim]), value.over(-BOUNDS[dim]))
    ], told


@row("cray-186", "stalls of + and - alike")
def _():
    uneven = "half of it to neighbours"  # to those up, so + has more to carry than -
    even = {variant: load for variant, load in LOADS.items() if variant != uneven}
    beyond = [found for load in even.values() for found in simultaneous(list(apart_by_way(load).values()))]
    clear = sum(found.above() or found.below() for found in beyond)
    return by_load(
        compared(alike),
        f"{NOTE}, but for {uneven}, which here are those up: differences within {'/'.join(map(str, BOUNDS.values()))} cycles, as printed ones are. That the intervals of + and - overlap, as was proposed, "
        f"would show nothing where they are wide; {clear} of {len(beyond)} differences leave 0 outside, as one of {len(beyond) // len(even)}",
        even,
    )


def apart(load, first, second):
    """Interval of the first latency by Eq. 1 less the second."""
    return paired(load[first], load[second], lambda a, b: by_equation_1(a) - by_equation_1(b))


def best_first(load):
    """The three of the biases 3, 2, 1 before the other four, 8 and 16 within 5 % of each other, 4 behind both."""
    mean = {name: load[name].each(by_equation_1).mean for name in TABLE_5_NAMES}
    biased = ["4/3,2,1", "8/3,2,1", "16/3,2,1"]
    steps = [apart(load, other, name) for name in biased for other in TABLE_5_NAMES if other not in biased] + [
        apart(load, "4/3,2,1", name) for name in biased[1:]
    ]
    near_by = paired(load["16/3,2,1"], load["8/3,2,1"], lambda a, b: by_equation_1(a) / by_equation_1(b))
    return [*steps, near_by.over(0.95), near_by.under(1.05)], " < ".join(
        f"{name} ({mean[name]:.0f})" for name in sorted(mean, key=mean.get)
    ) + " ns"


claim(
    "cray-178",
    "biases 3, 2, 1 are best, of them 8 and 16 are close and 4 is behind",
    best_first,
    f"{NOTE}: biases 3, 2, 1 before all others, 8 and 16 within 5 %, 4 behind",
)


def bias_gain(load):
    gains = {
        period: [
            100 * (1 - by_equation_1(a) / by_equation_1(b))
            for a, b in zip(load[f"{period}/3,2,1"].seeds(), load[f"{period}/1,1,1"].seeds(), strict=True)
        ]
        for period in (4, 8, 16)
    }
    steps = [interval(gains[period]) for period in gains] + [
        interval([b - a for a, b in zip(gains[p], gains[q], strict=True)]) for p, q in ((4, 8), (8, 16))
    ]
    return (
        steps,
        ", ".join(f"{interval(gain).text(1)} % at {period}" for period, gain in gains.items())
        + "; printed 11.3, 26.1, 31.5 %",
    )


claim("cray-180", "biases 3, 2, 1 gain, more with a longer period", bias_gain)


def by_period(biases, steps):
    def predicate(load):
        return [apart(load, f"{a}/{biases}", f"{b}/{biases}") for a, b in steps], "/".join(
            load[f"{period}/{biases}"].each(by_equation_1).text(1) for period in (4, 8, 16)
        ) + " ns at 4, 8, 16"

    return predicate


claim("cray-181", "with biases 1, 1, 1 latency rises with the period", by_period("1,1,1", [(8, 4), (16, 8)]))
claim("cray-182", "with biases 3, 2, 1 latency is least inside 4 to 16", by_period("3,2,1", [(4, 8), (16, 8)]))


def swept():
    return {period: SWEEP[name_of(period, (3, 2, 1))].each(by_equation_1) for period in SWEPT}


def longer_than_8(load, periods):
    """By period, intervals of what latency by Eq. 1 is above that of 8, percent."""
    return {
        period: paired(
            load[name_of(period, (3, 2, 1))],
            load["8/3,2,1"],
            lambda a, b: 100 * (by_equation_1(a) / by_equation_1(b) - 1),
        )
        for period in periods
    }


@row("cray-187", "18 was predicted, 8 is best: quite close")
def _():
    def best_at_8(periods):
        def find(load):
            away = simultaneous(longer_than_8(load, periods))
            told = ", ".join(f"{period} {value.text(2)} %" for period, value in away.items()) + " more than 8"
            if all(value.above() for value in away.values()) and away.get(18, away[16]).below(10):
                return Found(HOLDS, told)
            turned = [period for period, value in away.items() if value.below()]
            return Found(AGAINST, told) if turned else Found(OPEN, told, "within its 95 % interval")

        return find

    full, light = best_at_8((4, 16))(FULL), best_at_8((4, 16, 18))(LOADS[LIGHT])
    swept = longer_than_8(SWEEP, [period for period in SWEPT if period != 8])
    told = f"{FULL_SOURCES}: {full.told}; {LIGHT}: {light.told}"
    note = f"{NOTE}, biases 3, 2, 1, latency by Eq. 1"
    if (full.state, light.state) == (HOLDS, HOLDS):
        return agrees(told, note)
    word = {HOLDS: "is", AGAINST: "is not", OPEN: "may be"}
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{note}: needs the machine's load; 8 {word[full.state]} best with {FULL_SOURCES} (where one setting carries more than another), and {word[light.state]} with {LIGHT}. "
        f"{SWEEP.stored()['seeds']} seeds with all sources full, the filling of the network among them: "
        + ", ".join(f"{period} {value.text(1)} %" for period, value in swept.items())
        + " more than 8",
    )


ROLL = (
    "needs the machine's load and runs of many rolls of the default clock, 2.1 ms each: in these of 22 us ages are hops"
)


def little_by_default(load):
    """Intervals of what a period of 8 gains on round robin, and of a quarter of that less what the default gains."""
    gain = {name: less(change(load, name, "latency")) for name in ("4096/1,1,1", "8/3,2,1")}
    more = interval(
        [
            (1 - by_equation_1(a) / by_equation_1(rr)) / 4 - (1 - by_equation_1(b) / by_equation_1(rr))
            for a, b, rr in zip(*(load[name].seeds() for name in ("8/3,2,1", "4096/1,1,1", "RR")), strict=True)
        ]
    )
    return [gain["8/3,2,1"], more], "latency by Eq. 1 less than RR's by " + ", ".join(
        f"{value.text(1, 100)} % with {name}" for name, value in gain.items()
    )


def with_default(row_id, what, predicate):
    """A row on the default period, which two of the loads have."""

    @row(row_id, what)
    def _():
        verdict = by_load(
            compared(predicate),
            "experiments torus and torus-carried",
            {FROM_EMPTY: Load(FROM_EMPTY), LIGHT: LOADS[LIGHT]},
            {FEW_LIGHT: Load(FEW_LIGHT)} if FILLED.size() == "full" else {},
        )
        if verdict.verdict == NOT_TESTABLE:
            return Verdict(NOT_TESTABLE, verdict.measured, verdict.note.replace("needs the machine's load", ROLL))
        return verdict


with_default("cray-189", "the default period of 4096 brings little", little_by_default)


def better_than_default(load):
    """Intervals of what a period of 8 saves of the default's latency, and of its throughput over nearly all of the default's."""
    latency = paired(load["8/3,2,1"], load["4096/1,1,1"], lambda a, b: by_equation_1(a) / by_equation_1(b))
    got = ratio(load["8/3,2,1"], load["4096/1,1,1"], "accepted")
    return (
        [less(latency), got.over(0.98)],
        f"latency by Eq. 1 {latency.text(4)}, throughput {got.text(3)} of the default's",
    )


with_default("cray-190", "from the default to a period of 8: less latency, no less bandwidth", better_than_default)


def in_a_row(run, digits=1):
    """Cells: stalls, waits, Eq. 1, throughput."""
    return (
        "/".join(f"{run.mean(f'stalled.{dim}'):.{digits}f}" for dim in "xyz")
        + " | "
        + "/".join(f"{run.mean(f'waits.{dim}'):.{digits - 1}f}" for dim in "xyz")
        + f" | {run.each(by_equation_1).text(0)} | {run['accepted'].text(3)}"
    )


def table_5():
    lines = [
        "| period / biases | stalled a packet in x, y, z | printed | waits in x, y, z, cycles | printed | ns by Eq. 1 | printed | accepted |",
        "| --- |" + " --- |" * 7,
    ]
    for name in TABLE_5_NAMES:
        run, (stalls, waits, latency) = FULL[name], TABLE_5[name]
        lines.append(
            f"| {name} | "
            + "/".join(run[f"stalled.{dim}"].text(1) for dim in "xyz")
            + " | "
            + "/".join(f"{(stalls[a] + stalls[b]) / 2:.1f}" for a, b in PAIRS.values())
            + " | "
            + "/".join(run[f"waits.{dim}"].text(0) for dim in "xyz")
            + f" | {'/'.join(map(str, waits))} | {run.each(by_equation_1).text(0)} | {latency} | {run['accepted'].text(3)} |"
        )
    return lines


def from_empty():
    """What the counters of runs have that begin with an empty network."""
    lines = [
        "| period / biases | stalled a packet in x, y, z | waits in x, y, z, cycles | ns by Eq. 1 | accepted |",
        "| --- |" + " --- |" * 4,
    ]
    for name, run in [(name, TORUS[name]) for name in TORUS.stored()["points"]] + [
        (name, SWEEP[name]) for name in SWEEP.stored()["points"] if name not in TORUS.stored()["points"]
    ]:
        lines.append(f"| {name} | {in_a_row(run)} |")
    return lines


@paper.section("Table 5: periods and biases on the torus")
def _():
    window = next(iter(FILLED.points(FILLED.size()).values()))["run"]
    rolls = {
        period: (window["warmup_us"] + window["measure_us"]) * 1000 / (256 * period * CYCLE_NS) for period in (4, 16)
    }
    lines = [
        f"{FILLED.told()} The simulator's counters of ports count from cycle 0 on; waits, stalls and ages of the window are what a run of {window['warmup_us'] + window['measure_us']} us has beyond one of {window['warmup_us']} us "
        f"with the same seed. The catalogue asks for 50 us and four rolls of the timestamp before the window and for 200 us in it: a run sees {rolls[4]:.0f} rolls at a period of 4, {rolls[16]:.1f} at 16 and none at 4,096. "
        "Latencies are not in the table: the simulator takes those of packets made and received in the window, and with full sources these are few, and the sooner ones.",
        "",
        *table_5(),
        "",
        f"{TORUS.told()} {TORUS_LOCKSTEP.told()} What Table 5 does not have: {SWEEP.stored()['seeds']} seeds. Waits and stalls are of the whole run, so these have the filling among them, and ages with a period of 4,096 are hops.",
        "",
        *from_empty(),
        "",
        f"{FEW_NODES.told()} From an empty network on.",
        "",
        "| period / biases | stalled a packet in x, y, z | waits in x, y, z, cycles | ns by Eq. 1 | accepted | links in use in x, y, z |",
        "| --- |" + " --- |" * 5,
    ]
    for name in TABLE_5_NAMES:
        run = with_hops(FEW_NODES[name], "quick")
        lines.append(
            f"| {name} | {in_a_row(run)} | "
            + "/".join(f"{100 * run.mean(f'used.{dim}'):.0f}" for dim in "xyz")
            + " % |"
        )
    lines += [
        "",
        f"{TURNED.told()} Links in x, y, z are in use for {'/'.join(TURNED['RR'][f'used.{dim}'].text(1, 100) for dim in 'xyz')} % under round robin. "
        f"{DEFAULT.told()} The packet that was longest in the network had {max(DEFAULT['4096/1,1,1'].samples['latency.max']) / 1000:.1f} us.",
        "",
        f"The seven under other loads, from an empty network on; {OTHER_LOADS.stored()['seeds']} seeds, {CARRIED.stored()['seeds']} of the last, {CARRIED_LOAD[CARRIED.size()]} flits a cycle:",
        "",
        "| load | period / biases | stalled a packet in x, y, z | waits in x, y, z, cycles | ns by Eq. 1 | accepted |",
        "| --- |" + " --- |" * 5,
    ]
    for variant, load in {**{variant: Load(variant) for variant in VARIANTS}, LIGHT: LOADS[LIGHT]}.items():
        for name in TABLE_5_NAMES:
            lines.append(f"| {variant} | {name} | {in_a_row(load[name], 2 if variant == LIGHT else 1)} |")

    def to_round_robin(of):
        return "; ".join(
            f"{name} " + "/".join(change(of, name, what).text(3) for what in ("latency", "latency.p99", "latency.max"))
            for name in (*TABLE_5_NAMES[1:], "4096/1,1,1")
        )

    lines += [
        "",
        f"Where all that is sent comes through, nearly all packets are made and received in the window. {FEW_NODES_CARRIED.told()} Latency by Eq. 1, 99th percentile and maximum over round robin's: "
        + to_round_robin(Load(FEW_LIGHT))
        + f". {CARRIED.told()} "
        + to_round_robin(CARRIED)
        + ".",
    ]
    least = min(change(Load(load), name, "latency").mean for load in TRIED for name in TABLE_5_NAMES[1:])
    lines += [
        "",
        f"{FEW_NODES_LOADS.told()} They are {'; '.join(TRIED)}. By Eq. 1 the fastest of Table 5's six settings in any of them takes {least:.2f} of round robin's time.",
    ]
    lines += [
        "",
        paper.figure(
            "table5",
            "Latency by period",
            plots.curves(
                "Latency by age clock period, biases 3,2,1 (Table 5)",
                "period, cycles",
                "ns by Eq. 1",
                {"biases 3,2,1": list(swept().items())},
                log_x=True,
            ),
        ),
        "",
        paper.figure(
            "fig5",
            "Ages",
            plots.bars(
                "Packets by age at the grant (Fig. 5)",
                "%",
                ["0-63", "64-127", "128-191", "192-255"],
                {
                    told: [100 * value for value in groups(load, name)]
                    for told, load, name in (
                        ("4096/1,1,1", Load(FROM_EMPTY), "4096/1,1,1"),
                        ("8/3,2,1", FULL, "8/3,2,1"),
                        ("4/3,2,1", FULL, "4/3,2,1"),
                        ("load 0.3, 8/3,2,1", AGES[LOWER], "8/3,2,1"),
                    )
                },
            ),
        ),
    ]
    return "\n".join(lines)


@paper.section("What each load says of Table 5's claims")
def _():
    name, stalls, printed = nearest()
    return "\n".join(
        [
            f"{RULE} Proposed were full sources and the load whose stalls under round robin are nearest to the {'/'.join(f'{value:.1f}' for value in printed)} of Table 5: "
            f"of these {name}, {'/'.join(f'{value:.1f}' for value in stalls)}. What decides nothing stands in the last columns; `-`: the claim is of other loads.",
            "",
            *claims_by_load(),
        ]
    )


@paper.finding(2)
def _():
    ages, near_by, light = TABLE_5_NAMES[1:], Load("half of it to neighbours"), Load(FEW_LIGHT)
    more, slower = (change(FULL, "8/3,2,1", what) for what in ("accepted", "latency"))
    sooner, tails = ([less(change(light, name, what)) for name in ages] for what in ("latency", "latency.p99"))
    machine, ends = ([less(change(CARRIED, name, what)) for name in ages] for what in ("latency", "latency.p99"))
    times = change(near_by, "8/3,2,1", "accepted")
    holds(
        FILLED.size() == CARRIED.size() == "full"
        and Comparisons([more.over(1), slower.over(1)])
        and Comparisons(sooner + tails)
        and Comparisons(machine + ends)
        and times.above(2),
        "more throughput, and less latency where the load is carried",
    )

    def span(values, base=0, digits=0):
        return f"{100 * (min(value.mean for value in values) - base):.{digits}f} to {100 * (max(value.mean for value in values) - base):.{digits}f} %"

    printed = [1 - TABLE_5[name][2] / TABLE_5["RR"][2] for name in ages]
    return (
        f"**Age-based arbitration carries more than round robin where sources are full, so latencies compare only at a load that both carry**, and the paper does not give its load.\nOn the {math.prod(MACHINE['full']):,} nodes a period of 8 with biases 3, 2, 1 "
        f"carries {100 * (more.mean - 1):.0f} % more of uniform traffic than round robin, and {times.mean:.1f} times as much if half of it goes to neighbours; by Eq. 1 what comes through of uniform traffic is "
        f"{100 * (slower.mean - 1):.0f} % slower.\nAt nine tenths of what round robin carries Table 5's six settings are {span(sooner, 0, 1)} faster on {math.prod(MACHINE['quick'])} nodes, their 99th percentile {span(tails)} lower; on the {math.prod(MACHINE['full']):,} "
        f"{span(machine, 0, 1)} and {span(ends)}. The paper has up to {100 * max(printed):.0f} %.\nSo most of what the paper says of Table 5's settings is not testable without its load ([cray-156 to 190, 209](cray.md))."
    )
