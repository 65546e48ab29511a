"""Table 5 and Fig. 5 of the Cray paper on a torus, and what waits add up to."""

import functools
import math

import command as q
import plots
from cray import TABLE_5, paper
from cray_networks import (
    CARRIED,
    CARRIED_LOAD,
    CYCLE_NS,
    FEW_NODES,
    FEW_NODES_CARRIED,
    FEW_NODES_LOADS,
    MACHINE,
    OTHER_LOADS,
    OTHERS,
    SWEEP,
    SWEPT,
    TABLE_5_NAMES,
    TABLE_6,
    TORUS,
    TORUS_LOCKSTEP,
    TRIED,
    VARIANTS,
    age,
    name_of,
    network,
)
from experiment import Comparisons, Run, interval, paired, ratio, simultaneous, spearman
from rows import Verdict, NOT_TESTABLE, agrees, decided, holds, near

row = paper.row
NOTE = "experiment torus"
PAIRS = {"x": (1, 4), "y": (0, 5), "z": (2, 3)}  # columns of Table 5's stalls


class Load:
    """The seven configurations of Table 5 under one load, or in a smaller torus."""

    def __init__(self, variant=None):
        self.variant = variant

    def __getitem__(self, name):
        if self.variant == FEW:
            return with_hops(FEW_NODES[name], "quick")
        if self.variant == LIGHT:
            return CARRIED[name]
        if self.variant == FEW_LIGHT:
            return with_hops(FEW_NODES_CARRIED[name], "quick")
        if self.variant in TRIED:
            return with_hops(FEW_NODES_LOADS[f"{self.variant}: {name}"], "quick")
        return OTHER_LOADS[f"{self.variant}: {name}"] if self.variant else TORUS[name]


def with_hops(run, size):
    """A run in a torus of another size than TORUS may have."""
    return Run({**run.samples, "hops": [hops(MACHINE[size]) for _ in run.seeds()]})


FEW = "6 x 6 x 8 nodes"
LIGHT = "a load that is carried"
FEW_LIGHT = f"{LIGHT} and {FEW}"
FULL = Load()
LOADS = {variant: Load(variant) for variant in VARIANTS}


def changes():
    """What is run with one assumption changed, the load and, where the torus is the machine's, its size, and with both."""
    one = {**LOADS, LIGHT: Load(LIGHT), **({FEW: Load(FEW)} if TORUS.size() == "full" else {})}
    return {
        **{f"{name} as the one change": load for name, load in one.items()},
        **({f"{FEW_LIGHT} as the two changes": Load(FEW_LIGHT)} if TORUS.size() == "full" else {}),
    }


def tried(predicate):
    """What other loads in few nodes say, each of which changes two things, of what holds with none on the machine."""
    good, asked = [], 0
    for load in TRIED:
        try:
            good += [load] if Comparisons(predicate(Load(load))[0]) else []
            asked += 1
        except KeyError:
            pass  # none of its packets that were made in the window came in it
    return (
        f"in {FEW} with {' and with '.join(good)}, of {asked} others, it does"
        if good
        else f"nor with any of {asked} others in {FEW}"
    )


def claim(row_id, what, predicate, note=NOTE):
    """A row of the machine, whose load is not given. predicate(load) returns intervals that must be above 0 together, and what was
    measured. One that is below 0 with all sources full contradicts the row: a load with which all are above is the cause, and
    where there is none, the machine's is missing. An interval that contains 0 decides nothing."""

    @row(row_id, what)
    def _():
        def asked(load):
            intervals, told = predicate(load)
            return Comparisons(intervals), told

        found, measured = asked(FULL)
        other = {name: asked(load) for name, load in changes().items()}
        if found:
            against = [name.partition(" as the ")[0] for name, (too, _) in other.items() if not too]
            return agrees(
                measured,
                note
                + (
                    f"; not, or not beyond the intervals, with {', '.join(against)}"
                    if against
                    else "; so with the other loads"
                ),
            )
        mended = [f"with {name} it holds ({text})" for name, (too, text) in other.items() if too]
        if found.turned and mended:
            return decided(False, measured, note, "; ".join(mended))
        if found.turned:
            return Verdict(
                NOT_TESTABLE,
                measured,
                f"{note}: needs the machine's load, which is not given; with none of the {len(changes()) + 1} that were run it holds beyond the intervals, {tried(predicate)}",
            )
        return Verdict(
            NOT_TESTABLE,
            measured,
            "; ".join(
                [
                    f"{note}: {found.left_open()}" + ("" if TORUS.size() == "full" else ", or the full size"),
                    *mended,
                ]
            ),
        )


def hops(dims):
    return [k / 4 for k in dims]


def by_equation_1(seed):
    """ns, as Table 5's last column is made (cray-28), with the hops of the run's torus."""
    ways = seed.get("hops") or hops(MACHINE[TORUS.size()])
    return CYCLE_NS * sum(way * seed[f"waits.{dim}"] for way, dim in zip(ways, "xyz")) + 50 * (sum(ways) + 1)


def change(load, name, what):
    """Interval of the ratio to round robin."""
    if what == "latency":
        return paired(load[name], load["RR"], lambda a, b: by_equation_1(a) / by_equation_1(b))
    return ratio(load[name], load["RR"], what)


def falling(load, name, what):
    """Intervals of x less y and of y less z, and the three."""
    steps = [load[name].each(lambda seed, a=a, b=b: seed[f"{what}.{a}"] - seed[f"{what}.{b}"]) for a, b in ("xy", "yz")]
    return steps, "/".join(load[name][f"{what}.{dim}"].text(1) for dim in "xyz")


def less(interval, sign=1):
    """How far a ratio is below 1, or above it."""
    return interval.under(1) if sign > 0 else interval.over(1)


def table_rows(first, name):
    """The three rows of Table 5 of one configuration: stalls, queueing, latency."""
    stalls, queueing, latency = TABLE_5[name]
    base_stalls, _, base_latency = TABLE_5["RR"]
    printed = {dim: (stalls[a] + stalls[b]) / (base_stalls[a] + base_stalls[b]) for dim, (a, b) in PAIRS.items()}
    waited = {dim: own / base for dim, own, base in zip("xyz", queueing, TABLE_5["RR"][1])}

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
            f"{found.text(4)} of RR's by Eq. 1, as the table's is made, while it carries {change(load, name, 'accepted').text(3)} of what RR does; printed {latency / base_latency:.3f}"
        )

    claim(f"cray-{first}", f"stalled cycles per packet, {name}", stall_signs, f"{NOTE}: the sign in {judged(printed)}")
    claim(
        f"cray-{first + 1}",
        f"queueing delay, {name}",
        order,
        f"{NOTE}: the order in x, y, z, and whether it is more or less than RR's in {judged(waited)}",
    )
    claim(f"cray-{first + 2}", f"average latency, {name}", sooner, f"{NOTE}: the sign")


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
        TORUS["RR"].each(by_equation_1).text(0) + " ns by Eq. 1",
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


def beyond_bounds(load):
    """Configurations in which + and - are farther apart than printed, those in which the intervals leave it open, and how far in each."""
    far = simultaneous(
        {
            (name, dim): load[name].each(lambda seed, dim=dim: seed[f"stalled.+{dim}"] - seed[f"stalled.-{dim}"])
            for name in TABLE_5_NAMES
            for dim in "xyz"
        }
    )
    beyond = [
        name
        for name in TABLE_5_NAMES
        if any(far[name, dim].above(BOUNDS[dim]) or far[name, dim].below(-BOUNDS[dim]) for dim in "xyz")
    ]
    unsure = [
        name
        for name in TABLE_5_NAMES
        if name not in beyond
        and not all(far[name, dim].below(BOUNDS[dim]) and far[name, dim].above(-BOUNDS[dim]) for dim in "xyz")
    ]
    by_age = "/".join(f"{max(abs(far[name, dim].mean) for name in TABLE_5_NAMES[1:]):.2f}" for dim in "xyz")
    return (
        beyond,
        unsure,
        f"at most {by_age} cycles apart in x/y/z by age, "
        + "/".join(f"{abs(far['RR', dim].mean):.2f}" for dim in "xyz")
        + " under round robin",
    )


@row("cray-186", "stalls of + and - alike")
def _():
    beyond, unsure, told = beyond_bounds(FULL)
    if not beyond and unsure:
        return Verdict(
            NOT_TESTABLE,
            told,
            f"{NOTE}: bounds as printed, within the 95 % intervals of {', '.join(unsure)}; needs more seeds",
        )
    causes = (
        ["round robin, which takes ports in their order: by age, the one change, all six are within the bounds"]
        if beyond == ["RR"] and not unsure
        else []
    )
    for name, load in changes().items():
        other = beyond_bounds(load)
        if not other[0] and not other[1]:
            causes.append(f"with {name} it holds ({other[2]})")
    return decided(not beyond, told, f"{NOTE}: bounds as printed", "; ".join(causes) or None)


def apart(load, first, second):
    """Interval of the first latency by Eq. 1 less the second."""
    return paired(load[first], load[second], lambda a, b: by_equation_1(a) - by_equation_1(b))


def best_first(load):
    mean = {name: load[name].each(by_equation_1).mean for name in TABLE_5_NAMES}
    biased = ["4/3,2,1", "8/3,2,1", "16/3,2,1"]
    steps = [apart(load, other, name) for name in biased for other in TABLE_5_NAMES if other not in biased] + [
        apart(load, "4/3,2,1", name) for name in biased[1:]
    ]
    return steps, " < ".join(f"{name} ({mean[name]:.0f})" for name in sorted(mean, key=mean.get)) + " ns"


claim("cray-178", "biases 3, 2, 1 are best, of them 4 is behind", best_first)


def bias_gain(load):
    gains = {
        period: [
            100 * (1 - by_equation_1(a) / by_equation_1(b))
            for a, b in zip(load[f"{period}/3,2,1"].seeds(), load[f"{period}/1,1,1"].seeds())
        ]
        for period in (4, 8, 16)
    }
    steps = [interval(gains[period]) for period in gains] + [
        interval([b - a for a, b in zip(gains[p], gains[q])]) for p, q in ((4, 8), (8, 16))
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


@row("cray-187", "18 was predicted, 8 is best: quite close")
def _():
    found = swept()
    best = min(found, key=lambda period: found[period].mean)
    away = {
        period: paired(
            SWEEP[name_of(period, (3, 2, 1))],
            SWEEP[name_of(8, (3, 2, 1))],
            lambda a, b: 100 * (by_equation_1(a) / by_equation_1(b) - 1),
        )
        for period in sorted({18, best} - {8})
    }
    told = (
        " and ".join(f"{period} takes {value.text(1)} %" for period, value in away.items())
        + " more than 8; "
        + ", ".join(f"{period}: {value.text(0)}" for period, value in found.items())
        + f" ns, least at {best}"
    )
    away = simultaneous(away)
    if best == 8 and away[18].above() and away[18].below(10):
        return agrees(told, f"{NOTE}, biases 3, 2, 1")
    return Verdict(
        NOT_TESTABLE,
        told,
        (
            f"{NOTE}, biases 3, 2, 1: needs the machine's load; with all sources full latencies do not compare, as one setting carries more than another (cray-209), and what is between periods is within the 95 % intervals"
            if not any(value.above() or value.below() for value in away.values())
            else f"{NOTE}, biases 3, 2, 1: needs the machine's load; with all sources full latencies do not compare, as one setting carries more than another (cray-209)"
        ),
    )


SATURATED = "with all sources full one carries less than the other, and what it carries is sooner there for that"
ROLL = "needs the machine's load and runs of many rolls of the default clock, 2.1 ms each: in these ages are hops"


def little_by_default(load):
    """Intervals of what a period of 8 gains on round robin, and of a quarter of that less what the default gains."""
    gain = {name: less(change(load, name, "latency")) for name in ("4096/1,1,1", "8/3,2,1")}
    more = interval(
        [
            (1 - by_equation_1(a) / by_equation_1(rr)) / 4 - (1 - by_equation_1(b) / by_equation_1(rr))
            for a, b, rr in zip(*(load[name].seeds() for name in ("8/3,2,1", "4096/1,1,1", "RR")))
        ]
    )
    return [gain["8/3,2,1"], more], "latency by Eq. 1 less than RR's by " + ", ".join(
        f"{value.text(1, 100)} % with {name}" for name, value in gain.items()
    )


def with_default(row_id, what, predicate):
    """A row on the default period, which of the loads only LIGHT has."""

    @row(row_id, what)
    def _():
        intervals, told = predicate(FULL)
        found = Comparisons(intervals)
        if found:
            return agrees(told, NOTE)
        lighter = {name: predicate(load) for name, load in changes().items() if name.startswith(LIGHT)}
        mended = [f"with {name} it holds ({text})" for name, (too, text) in lighter.items() if Comparisons(too)]
        if found.turned and mended:
            return decided(False, told, NOTE, "; ".join([SATURATED, *mended]))
        return Verdict(NOT_TESTABLE, told, f"{NOTE}: {ROLL}")


with_default("cray-189", "the default period of 4096 brings little", little_by_default)


def better_than_default(load):
    """Intervals of what a period of 8 saves of the default's latency, and of its throughput over nearly all of the default's."""
    latency = paired(load["8/3,2,1"], load["4096/1,1,1"], lambda a, b: by_equation_1(a) / by_equation_1(b))
    tail, got = (ratio(load["8/3,2,1"], load["4096/1,1,1"], what) for what in ("latency.p99", "accepted"))
    return (
        [less(latency), got.over(0.98)],
        f"latency by Eq. 1 {latency.text(4)}, 99th percentile {tail.text(3)}, throughput {got.text(3)} of the default's",
    )


with_default("cray-190", "from the default to a period of 8: less latency, no less bandwidth", better_than_default)


# Waits and utilization.
@functools.cache
def accounted():
    """Of a run to its end: mean latency of all packets, routers and waits of each; cycles."""
    topology = {"kind": "torus", "dims": [4, 4, 4], "hosts_per_switch": 1, "ties": "split"}
    traffic = [{"name": "a", "queue": 0, "pattern": "uniform", "load": 0.6, "messages": 60, "message_bytes": 72}]
    report = q.sim(network(topology, age(7, 8), traffic, {"warmup_us": 0, "measure_us": 40}, routing="dateline"))
    item = report["classes"][0]
    holds(
        item["packets"]
        == 64 * 60
        == report["counters"]["switches"]["input_packets"][0] * item["packets"] / report["packet_hops"],
        "all packets are in",
    )
    return (
        item["network_latency_ns"]["mean"] / CYCLE_NS,
        report["packet_hops"] / item["packets"],
        report["counters"]["switches"]["input_waits"][0] / item["packets"],
    )


def by_parts(routers, waits):
    """Cycles: from an input's head to the grant is among the waits; 11 from there to the wire, 10 on each wire, nine flits."""
    return waits + 11 * routers + 10 * (routers + 1) + 9


@row("cray-27", "Eq. 1: delay over H hops")
def _():
    latency, routers, waits = accounted()
    near(latency, by_parts(routers, waits), 0.01, "mean latency")
    return agrees(
        f"{latency:.1f} cycles = {waits:.1f} of waits + {by_parts(routers, waits) - waits:.1f} of routers, wires and flits",
        "sim, 4 x 4 x 4 torus to its end; the waits at the source and at the ejection are among them, which Eq. 1 lacks; slope of an idle network: cray-26",
    )


@row("cray-d12", "latency from waits")
def _():
    latency, routers, waits = accounted()
    near(latency, by_parts(routers, waits), 1, "mean latency")
    return agrees(
        f"{latency:.2f} cycles, by {waits / routers:.2f} of wait in each of {routers:.3f} routers {by_parts(routers, waits):.2f}",
        "sim, as cray-27",
    )


def queueing(load):
    def a_hop(seed):
        ways = seed.get("hops") or hops(MACHINE[TORUS.size()])
        return sum(way * seed[f"waits.{dim}"] for way, dim in zip(ways, "xyz")) / sum(ways)

    mean = load["RR"].each(a_hop)
    return [mean.over(25)], (
        f"{mean.text(0)} cycles a hop, of them "
        + "/".join(load["RR"][f"waits.{dim}"].text(0) for dim in "xyz")
        + " in x, y, z; t_r is 25"
    )


OWN_ROWS = [
    sum(way * wait for way, wait in zip(hops(MACHINE["full"]), waits)) / sum(hops(MACHINE["full"]))
    for _, waits, _ in TABLE_5.values()
]
claim(
    "cray-32",
    "near saturation queueing dominates",
    queueing,
    f"{NOTE}, RR: mean over the hops of a route, as Table 5's rows make {min(OWN_ROWS):.0f} to {max(OWN_ROWS):.0f}",
)


def utilization(load):
    used = [load["RR"].mean(f"used.{dim}") for dim in "zyx"]
    return [
        load["RR"].each(lambda seed, dim=dim: seed["used.z"] - seed[f"used.{dim}"]) for dim in "xy"
    ], "links in z, y, x are busy for " + "/".join(f"{100 * value:.1f}" for value in used) + " %"


claim("cray-136", "z is used best", utilization, f"{NOTE}, RR")


def correlation(load, what, names):
    """Interval of the rank correlation with the latency, seed by seed."""
    of_seeds = zip(*(load[name].seeds() for name in names))
    return interval(
        [
            spearman(
                [sum(seed[f"{what}.{dim}"] for dim in "xyz") for seed in seeds], [by_equation_1(seed) for seed in seeds]
            )
            for seeds in of_seeds
        ]
    )


def occupancy(load):
    found = correlation(load, "stalled", TABLE_5_NAMES)
    return [found.over(0.8)], f"rank correlation of stalls and latency {found.text(2)}; 0.964 in Table 5"


claim("cray-156", "higher occupancy, more latency", occupancy, f"{NOTE}, seven configurations")
claim("cray-210", "occupancy suffices to judge a setting", occupancy, f"{NOTE}, seven configurations")


def steadier(load):
    found = {what: change(load, "8/3,2,1", f"latency.{what}") for what in ("mean", "p99", "max")}
    return [less(value) for value in found.values()], "mean, 99th percentile, maximum " + ", ".join(
        value.text(4) for value in found.values()
    ) + " of RR's"


claim("cray-209", "age lowers latency and its variance", steadier)


# Fig. 5.
def groups(point):
    return (SWEEP if point.startswith("load") else TORUS)[point].series("groups")


def groups_text(point):
    return "/".join(f"{100 * part:.2f}" for part in groups(point)) + " %"


@row("cray-204", "Fig. 5(a), default clock: 0 to 63 has 10^5 times the packets of 64 to 127")
def _():
    points = ["4096/1,1,1", "load 0.3, 4096/1,1,1"]
    return decided(
        all(groups(point)[1] * 1e4 <= groups(point)[0] for point in points),
        "; ".join(f"{point}: {groups_text(point)}" for point in points),
        f"{NOTE}, all sources full and load 0.3",
    )


def evenness(point):
    return max(groups(point)) / max(min(groups(point)), 1e-9)


@row("cray-205", "Fig. 5(b), period 8: groups differ by one order, 0 to 63 is the largest")
def _():
    full, light = groups("8/3,2,1"), groups("load 0.3, 8/3,2,1")
    told = f"largest over least {evenness('8/3,2,1'):.1f}: {groups_text('8/3,2,1')}; at load 0.3 {groups_text('load 0.3, 8/3,2,1')}"
    if evenness("8/3,2,1") <= 30 and full[0] == max(full):
        return agrees(told, f"{NOTE}, all sources full")
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{NOTE}: needs the machine's load; between load 0.3 and full sources it passes from one group to {4 if light[0] > 0.99 else 3}",
    )


@row("cray-206", "Fig. 5(c), period 4: about as (b)")
def _():
    found = [evenness("8/3,2,1"), evenness("4/3,2,1")]
    told = f"largest over least {found[0]:.1f} at 8, {found[1]:.1f} at 4 ({groups_text('4/3,2,1')})"
    if max(found) <= 3 * min(found):
        return agrees(told, f"{NOTE}, all sources full: within a factor of 3")
    return Verdict(NOT_TESTABLE, told, f"{NOTE}: needs the machine's load")


@row("cray-207", "0 to 63 is the largest group even at 8 and 4")
def _():
    points = ["8/3,2,1", "4/3,2,1", "load 0.3, 8/3,2,1", "load 0.3, 4/3,2,1"]
    not_so = [point for point in points if groups(point)[0] < max(groups(point))]
    return decided(
        not not_so,
        "; ".join(f"{point}: {groups_text(point)}" for point in points),
        f"{NOTE}, all sources full and load 0.3",
        (
            f"the load: with 0.3 flits a cycle instead of full sources as the one change it holds at both periods; with full sources not at {', '.join(not_so)}"
            if not_so and not any(point.startswith("load") for point in not_so)
            else None
        ),
    )


@row("cray-117", "the ideal distribution of ages is uniform")
def _():
    far = {point: sum(abs(part - 0.25) for part in groups(point)) / 2 for point in TABLE_5_NAMES[1:]}
    best = min(far, key=far.get)
    return Verdict(
        NOT_TESTABLE,
        f"parts that would have to change their group: "
        + ", ".join(f"{point} {100 * value:.0f} %" for point, value in far.items())
        + f"; least at {best}",
        f"{NOTE}: a wish of the paper, no number or order that a run could contradict",
    )


# Table 6.
STAND_INS = "experiment kernels: stands for a benchmark whose sizes, placement of 2048 processes and other load are not given; period 8, biases 3, 2, 1"


def sooner_by_age(kernel, load):
    """Interval of the part of the time under round robin that age saves."""
    return less(ratio(TABLE_6[f"{kernel} {load} 8/3,2,1"], TABLE_6[f"{kernel} {load} RR"], "finish_us"))


def kernel_row(row_id, kernel, printed, bound=0):
    @row(row_id, f"Table 6: {kernel} under age")
    def _():
        light, full = (sooner_by_age(kernel, load) for load in OTHERS)
        told = f"{full.text(1, 100)} % less time; printed {printed} %"
        beside = f"{STAND_INS}; beside uniform traffic of {OTHERS[1]}, at {OTHERS[0]} {light.text(1, 100)} %"
        if full.above(bound):
            return agrees(told, beside + (f"; more than {100 * bound:.0f} %" if bound else ""))
        return Verdict(NOT_TESTABLE, told, beside)


kernel_row("cray-199", "three transposes", f"{100 * (1 - 451 / 507):.1f}")
kernel_row("cray-200", "all-to-all", f"{100 * (1 - 142 / 194):.1f}", 0.1)
kernel_row("cray-202", "allreduce", f"{100 * (1 - 532 / 607):.1f}")


@row("cray-203", "Table 6: order of gains")
def _():
    found = {
        kernel: sooner_by_age(kernel, 0.3)
        for kernel in ("all-to-all", "three transposes", "allreduce", "three transposes, calculating")
    }
    told = ", ".join(f"{kernel} {value.text(1, 100)} %" for kernel, value in found.items())

    def first_by(others):
        return Comparisons([paired_gain(other) for other in others])

    calculating = first_by(("allreduce", "three transposes, calculating"))
    if first_by(("allreduce", "three transposes")):
        return agrees(told, STAND_INS)
    if calculating:
        return decided(
            False,
            told,
            STAND_INS,
            "an FFT calculates between its transposes, and age saves nothing of that: with 0.3 ms of it before each, the one change, the all-to-all gains most, as printed. That the other two gain alike, "
            f"{100 * (1 - 451 / 507):.1f} and {100 * (1 - 532 / 607):.1f} % in print, hangs on their sizes, which are not given: here they gain {found['three transposes, calculating'].text(1, 100)} and {found['allreduce'].text(1, 100)} %",
        )
    return Verdict(NOT_TESTABLE, told, f"{STAND_INS}; the order hangs on sizes and load")


def paired_gain(other):
    """Interval of how much more of the time age saves in the all-to-all, beside uniform traffic of 0.3."""

    def of(kernel):
        return [
            a["finish_us"] / b["finish_us"]
            for a, b in zip(TABLE_6[f"{kernel} 0.3 8/3,2,1"].seeds(), TABLE_6[f"{kernel} 0.3 RR"].seeds())
        ]

    return interval([a - b for a, b in zip(of(other), of("all-to-all"))])


@paper.section("Table 5: periods and biases on the torus")
def _():
    lines = [
        f"{TORUS.told()} {TORUS_LOCKSTEP.told()} What Table 5 does not have: {SWEEP.stored()['seeds']} seeds.",
        "",
        "| period / biases | stalled a packet in x, y, z | printed | waits in x, y, z, cycles | printed | ns by Eq. 1 | printed | latency: mean, ns | p99 | accepted |",
        "| --- |" + " --- |" * 9,
    ]
    for point, run in [(name, TORUS[name]) for name in TORUS.stored()["points"]] + [
        (name, SWEEP[name]) for name in SWEEP.stored()["points"] if name not in TORUS.stored()["points"]
    ]:
        printed = TABLE_5.get(point)
        lines.append(
            f"| {point} | "
            + "/".join(run[f"stalled.{dim}"].text(1) for dim in "xyz")
            + " | "
            + ("/".join(f"{(printed[0][a] + printed[0][b]) / 2:.1f}" for a, b in PAIRS.values()) if printed else "")
            + " | "
            + "/".join(run[f"waits.{dim}"].text(0) for dim in "xyz")
            + " | "
            + ("/".join(map(str, printed[1])) if printed else "")
            + " | "
            + run.each(by_equation_1).text(0)
            + " | "
            + (str(printed[2]) if printed else "")
            + f" | {run['latency.mean'].text(0)} | {run['latency.p99'].text(0)} | {run['accepted'].text(3)} |"
        )
    lines += [
        "",
        FEW_NODES.told(),
        "",
        "| period / biases | stalled a packet in x, y, z | waits in x, y, z, cycles | ns by Eq. 1 | accepted | links in use in x, y, z |",
        "| --- |" + " --- |" * 5,
    ]
    for name in TABLE_5_NAMES:
        run = with_hops(FEW_NODES[name], "quick")
        lines.append(
            f"| {name} | "
            + "/".join(f"{run.mean(f'stalled.{dim}'):.1f}" for dim in "xyz")
            + " | "
            + "/".join(f"{run.mean(f'waits.{dim}'):.0f}" for dim in "xyz")
            + f" | {run.each(by_equation_1).text(0)} | {run.mean('accepted'):.3f} | "
            + "/".join(f"{100 * run.mean(f'used.{dim}'):.0f}" for dim in "xyz")
            + " % |"
        )
    lines += [
        "",
        "What the machine's load was the paper does not say. The same seven with another one:",
        "",
        "| load | period / biases | stalled a packet in x, y, z | waits in x, y, z, cycles | ns by Eq. 1 | accepted |",
        "| --- |" + " --- |" * 5,
    ]
    for variant, load in LOADS.items():
        for name in TABLE_5_NAMES:
            run = load[name]
            lines.append(
                f"| {variant} | {name} | "
                + "/".join(f"{run.mean(f'stalled.{dim}'):.1f}" for dim in "xyz")
                + " | "
                + "/".join(f"{run.mean(f'waits.{dim}'):.0f}" for dim in "xyz")
                + f" | {run.each(by_equation_1).text(0)} | {run['accepted'].text(3)} |"
            )
    few = {name: with_hops(FEW_NODES_CARRIED[name], "quick") for name in FEW_NODES_CARRIED.points("quick")}
    lines += [
        "",
        f"{FEW_NODES_CARRIED.told()} Latency by Eq. 1, 99th percentile and maximum over round robin's: "
        + "; ".join(
            f"{name} " + "/".join(change(few, name, what).text(3) for what in ("latency", "latency.p99", "latency.max"))
            for name in few
            if name != "RR"
        )
        + f". {CARRIED.told()} "
        + "; ".join(
            f"{name} "
            + "/".join(change(CARRIED, name, what).text(3) for what in ("latency", "latency.p99", "latency.max"))
            for name in few
            if name != "RR"
        )
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
                    point: [100 * value for value in groups(point)]
                    for point in ("4096/1,1,1", "8/3,2,1", "4/3,2,1", "load 0.3, 8/3,2,1")
                },
            ),
        ),
    ]
    return "\n".join(lines)


@paper.finding(2)
def _():
    ages, near_by, light = TABLE_5_NAMES[1:], LOADS["half of it to neighbours"], Load(FEW_LIGHT)
    more, slower = ([change(FULL, name, what) for name in ages] for what in ("accepted", "latency"))
    sooner, tails = ([less(change(light, name, what)) for name in ages] for what in ("latency", "latency.p99"))
    machine, ends = ([less(change(CARRIED, name, what)) for name in ages] for what in ("latency", "latency.p99"))
    times = change(near_by, "8/3,2,1", "accepted")
    holds(
        TORUS.size() == CARRIED.size() == "full"
        and Comparisons([value.over(1) for value in more + slower])
        and Comparisons(sooner + tails)
        and Comparisons(machine + ends)
        and times.above(2),
        "more throughput, and less latency where the load is carried",
    )

    def span(values, base=0, digits=0):
        return f"{100 * (min(value.mean for value in values) - base):.{digits}f} to {100 * (max(value.mean for value in values) - base):.{digits}f} %"

    printed = [1 - TABLE_5[name][2] / TABLE_5["RR"][2] for name in ages]
    return (
        f"**Age-based arbitration carries more than round robin where sources are full, so latencies compare only at a load that both carry**, and the paper does not give its load. On the {math.prod(MACHINE['full']):,} nodes Table 5's settings "
        f"carry {span(more, 1)} more of uniform traffic than round robin, and with half of it to neighbours a period of 8 with biases 3, 2, 1 carries {times.mean:.1f} times as much; by Eq. 1 what comes through is "
        f"{span(slower, 1)} slower under uniform traffic. At nine tenths of what round robin carries the settings are {span(sooner, 0, 1)} faster on {math.prod(MACHINE['quick'])} nodes, their 99th percentile {span(tails)} lower; on the {math.prod(MACHINE['full']):,} "
        f"{span(machine, 0, 1)} and {span(ends)}. The paper has up to {100 * max(printed):.0f} % ([cray-162 to 177, 209](cray.md))."
    )
