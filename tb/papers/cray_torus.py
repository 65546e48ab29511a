"""Table 5 and Fig. 5 of the Cray paper on a torus, and what waits add up to."""

import dataclasses
import functools
import math

import command as q
import plots
from cray import TABLE_5, paper
from cray_networks import (
    CARRIED,
    CARRIED_LOAD,
    CYCLE_NS,
    DEFAULT,
    FEW_NODES,
    FEW_NODES_CARRIED,
    FEW_NODES_LOADS,
    FILLED,
    FILLED_UNTIL,
    LINES,
    LINK_RATE,
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
    TURNED,
    VARIANTS,
    age,
    between,
    name_of,
    network,
)
from experiment import Comparisons, Run, interval, paired, ratio, simultaneous, spearman
from rows import AGREES, NOT_TESTABLE, Verdict, agrees, decided, differs, holds, near

row = paper.row
NOTE = "experiment torus-filled and other loads"
PAIRS = {"x": (1, 4), "y": (0, 5), "z": (2, 3)}  # columns of Table 5's stalls


class Load:
    """The seven configurations of Table 5 under one load, or in a smaller torus."""

    def __init__(self, variant):
        self.variant = variant

    def __getitem__(self, name):
        if self.variant == FULL_SOURCES:
            return between(FILLED_UNTIL[name], FILLED[name])
        if self.variant == FROM_EMPTY:
            return TORUS[name]
        if self.variant == FEW:
            return with_hops(FEW_NODES[name], "quick")
        if self.variant == LIGHT:
            return CARRIED[name]
        if self.variant == FEW_LIGHT:
            return with_hops(FEW_NODES_CARRIED[name], "quick")
        if self.variant in TRIED:
            return with_hops(FEW_NODES_LOADS[f"{self.variant}: {name}"], "quick")
        return OTHER_LOADS[f"{self.variant}: {name}"]

    @property
    def carried(self):
        """Whether all that is sent comes through, so that latencies are of all packets."""
        return self.variant in (LIGHT, FEW_LIGHT)


def with_hops(run, size):
    """A run in a torus of another size than TORUS may have."""
    return Run({**run.samples, "hops": [hops(MACHINE[size]) for _ in run.seeds()]})


FULL_SOURCES, FROM_EMPTY = "all sources full", "all sources full, from an empty network on"
FEW = "6 x 6 x 8 nodes"
LIGHT = "nine tenths of what round robin carries"
FEW_LIGHT = f"{LIGHT} in {FEW}"
FULL = Load(FULL_SOURCES)
OPEN_LOADS = [variant for variant in VARIANTS if variant != LINK_RATE]  # the paper gives Ep
LOADS = {variant: Load(variant) for variant in (FULL_SOURCES, *OPEN_LOADS, LIGHT)}
SATURATED = {variant: load for variant, load in LOADS.items() if variant != LIGHT}


def beside():
    """What decides no row: with the load another assumption is not the paper's."""
    few = [FEW, FEW_LIGHT] if FILLED.size() == "full" else []
    return {variant: Load(variant) for variant in (LINK_RATE, *few)}


RULE = (
    "The paper does not give the machine's load. So a claim on Table 5's settings is judged alike with each load that was run on the machine: "
    + ", ".join(LOADS)
    + " (neighbours: the next node up in x, y or z). It agrees where it holds beyond the intervals with all of them. Where it holds with some of them only, or intervals leave it open, it is not testable without the load. "
    "So it is where all contradict it, for the load may be yet another one. The ejection at a link's rate, "
    "which the paper gives otherwise, and the smaller torus decide nothing. A claim that names its load is judged at that."
)


@dataclasses.dataclass
class Found:
    """What one load says of a claim: HOLDS, AGAINST or OPEN; what was measured, and what could decide it where intervals leave it open."""

    state: str
    told: str
    left_open: str = ""


HOLDS, AGAINST, OPEN = "holds", "against", "open"


def by_load(find, note, loads=None, others=None):
    """The verdict of a claim by RULE. find(load) returns Found."""
    loads = LOADS if loads is None else loads
    found = {name: find(load) for name, load in loads.items()}
    others = {name: find(load) for name, load in (beside() if others is None else others).items()}

    def having(state, of=found):
        return [name for name, one in of.items() if one.state == state]

    def listed(names):
        return "; ".join(f"{name} ({found[name].told.partition('; printed')[0]})" for name in names)

    first = next(iter(found))
    measured, more = found[first].told, [name for name in having(HOLDS) if name != first]
    aside = [
        f"{word} with {', '.join(names)}"
        for word, names in (("holds", having(HOLDS, others)), ("does not", having(AGAINST, others)))
        if names
    ]
    aside = f"; beside these it {', '.join(aside)}" if aside else ""
    if len(having(HOLDS)) == len(found):
        return agrees(measured, f"{note}; with {' and with '.join(found)}{aside}")
    size = "" if FILLED.size() == "full" else ", and the full size"
    if len(having(AGAINST)) == len(found):
        text = f"contradicted with {' and with '.join(found)}{tried(find) if loads is LOADS else ''}"
    else:
        held = ([first] if found[first].state == HOLDS else []) + ([listed(more)] if more else [])
        parts = [f"it holds with {'; '.join(held)}"] if held else []
        parts += [f"not with {', '.join(having(AGAINST))}"] if having(AGAINST) else []
        unsure = ", ".join(f"{name} ({found[name].left_open})" for name in having(OPEN))
        parts += [f"open within the 95 % intervals with {unsure}"] if unsure else []
        text = "; ".join(parts)
    return Verdict(NOT_TESTABLE, measured, f"{note}: needs the machine's load{size}; {text}{aside}")


def tried(find):
    """What other loads in few nodes say of what holds with none on the machine."""
    good = [load for load in TRIED if find(Load(load)).state == HOLDS]
    if good:
        return f"; in {FEW} it holds with {' and with '.join(good)}, of {len(TRIED)} others"
    return f", nor does it hold with any of {len(TRIED)} others in {FEW}"


def compared(predicate):
    """predicate(load) returns intervals that must be above 0 together, and what was measured."""

    def find(load):
        intervals, told = predicate(load)
        asked = Comparisons(intervals)
        if asked:
            return Found(HOLDS, told)
        return Found(AGAINST, told) if asked.turned else Found(OPEN, told, seeds_wanted(asked))

    return find


def seeds_wanted(asked):
    """Of Comparisons that are open, in a few words."""
    return "needs " + asked.left_open().partition("needs ")[2].partition(", should")[0]


def claim(row_id, what, predicate, note=NOTE, loads=None):
    """A row of the machine, whose load is not given."""

    @row(row_id, what)
    def _():
        return by_load(compared(predicate), note, loads)


def hops(dims):
    return [k / 4 for k in dims]


def by_equation_1(seed):
    """ns, as Table 5's last column is made (cray-28), with the hops of the run's torus."""
    ways = seed.get("hops") or hops(MACHINE[FILLED.size()])
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
            f"{found.text(4)} of RR's, throughput {change(load, name, 'accepted').text(3)}; printed {latency / base_latency:.3f}"
        )

    claim(f"cray-{first}", f"stalled cycles per packet, {name}", stall_signs, f"{NOTE}: the sign in {judged(printed)}")
    claim(
        f"cray-{first + 1}",
        f"queueing delay, {name}",
        order,
        f"{NOTE}: the order in x, y, z, and whether it is more or less than RR's in {judged(waited)}",
    )
    claim(f"cray-{first + 2}", f"average latency, {name}", sooner, f"{NOTE}, by Eq. 1, as the table's is made: the sign")


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


def alike(load):
    """+ and - of all configurations, held against the bounds as printed."""
    far = simultaneous(
        {
            (name, dim): load[name].each(lambda seed, dim=dim: seed[f"stalled.+{dim}"] - seed[f"stalled.-{dim}"])
            for name in TABLE_5_NAMES
            for dim in "xyz"
        }
    )
    told = (
        "at most "
        + "/".join(f"{max(abs(far[name, dim].mean) for name in TABLE_5_NAMES[1:]):.2f}" for dim in "xyz")
        + " cycles apart in x/y/z by age, "
        + "/".join(f"{abs(far['RR', dim].mean):.2f}" for dim in "xyz")
        + " under round robin"
    )
    if any(value.above(BOUNDS[dim]) or value.below(-BOUNDS[dim]) for (_, dim), value in far.items()):
        return Found(AGAINST, told)
    if all(value.below(BOUNDS[dim]) and value.above(-BOUNDS[dim]) for (_, dim), value in far.items()):
        return Found(HOLDS, told)
    return Found(OPEN, told, "needs more seeds")


@row("cray-186", "stalls of + and - alike")
def _():
    uneven = "half of it to neighbours"  # to those up, so + has more to carry than -
    return by_load(
        alike,
        f"{NOTE}, but for {uneven}, which here are those up: bounds as printed",
        {variant: load for variant, load in LOADS.items() if variant != uneven},
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


def swept():
    return {period: SWEEP[name_of(period, (3, 2, 1))].each(by_equation_1) for period in SWEPT}


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
        ways = seed.get("hops") or hops(MACHINE[FILLED.size()])
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
    f"{NOTE}, RR: mean over the hops of a route, as Table 5's rows make {min(OWN_ROWS):.0f} to {max(OWN_ROWS):.0f}. The claim is of saturation, so the three saturated loads decide it; at {LIGHT} waits do not dominate",
    SATURATED,
)


def utilization(load):
    used = [load["RR"].mean(f"used.{dim}") for dim in "zyx"]
    return [
        load["RR"].each(lambda seed, dim=dim: seed["used.z"] - seed[f"used.{dim}"]) for dim in "xy"
    ], "links in z, y, x are busy for " + "/".join(f"{100 * value:.1f}" for value in used) + " %"


@row("cray-136", "z is used best, for it is least constrained")
def _():
    found = by_load(compared(utilization), f"{NOTE}, RR")
    turned = TURNED["RR"]
    first = [turned.each(lambda seed, dim=dim: seed["used.x"] - seed[f"used.{dim}"]) for dim in "yz"]
    first += [TORUS["RR"].each(lambda seed, dim=dim: seed["used.z"] - seed[f"used.{dim}"]) for dim in "xy"]
    if found.verdict != AGREES or not Comparisons(first):
        return found
    dims = " x ".join(map(str, MACHINE[TURNED.size()][::-1]))
    return differs(
        f"{found.measured}, with the dimensions turned around for {'/'.join(turned[f'used.{dim}'].text(1, 100) for dim in 'zyx')} %",
        f"z is used best on the paper's nodes, but as the longest dimension, not as the last one that is routed: on {dims}, the one change, x is used best. "
        f"Experiments torus and torus-turned, all sources full, RR; on the paper's nodes z is best with {' and with '.join(LOADS)}",
    )


def moving(seed, dim):
    """The part of the time in which a packet moves, as the paper makes it of the stalls."""
    return 9 / (9 + seed[f"stalled.{dim}"])


def gains(load):
    """Of that from round robin to the best setting."""

    def interval_of(function):
        return paired(load["8/3,2,1"], load["RR"], function)

    def gain(a, b, dim):
        return moving(a, dim) / moving(b, dim) - 1

    steps = [
        interval_of(lambda a, b, one=one, other=other: gain(a, b, one) - gain(a, b, other)) for one, other in ("xy", "yz")
    ]
    found = [interval_of(lambda a, b, dim=dim: gain(a, b, dim)) for dim in "xyz"]
    return [*steps, found[2]], "/".join(value.text(1, 100) for value in found) + " % more in x, y, z"


OWN_GAINS = "/".join(
    f"{100 * ((18 + sum(TABLE_5['RR'][0][way] for way in ways)) / (18 + sum(TABLE_5['8/3,2,1'][0][way] for way in ways)) - 1):.0f}"
    for ways in PAIRS.values()
)
claim(
    "cray-194",
    "9 / (9 + stall) gains most in x, least in z",
    gains,
    f"{NOTE}, 8/3,2,1 over RR; the paper prints none, its stalls make {OWN_GAINS} %: the order, and that z gains",
)


def correlation(load, names, first, second):
    """Interval of a rank correlation over settings, seed by seed."""
    of_seeds = zip(*(load[name].seeds() for name in names))
    return interval([spearman(list(map(first, seeds)), list(map(second, seeds))) for seeds in of_seeds])


def stalls(seed):
    return sum(seed[f"stalled.{dim}"] for dim in "xyz")


def unevenness(seed):
    """The part of the packets that is in another group than it would be if ages were uniform."""
    return sum(abs(part - 0.25) for part in seed["groups"]) / 2


def occupancy(load):
    found = correlation(load, TABLE_5_NAMES, stalls, by_equation_1)
    told = f"rank correlation of stalls and latency {found.text(2)}"
    if load.carried:
        return [found.over(0.8)], f"{told}; printed 0.964"
    throughput = correlation(load, TABLE_5_NAMES, stalls, lambda seed: seed["accepted"])
    return [found.over(0.8), throughput.under()], f"{told}, and throughput {throughput.text(2)}; printed 0.964"


claim(
    "cray-156",
    "higher occupancy, less bandwidth and more latency",
    occupancy,
    f"{NOTE}, seven configurations: above 0.8, and for throughput, where it is not given by the load, below 0",
)


def both_counters(load):
    found = correlation(load, TABLE_5_NAMES, stalls, by_equation_1)
    ages = correlation(load, TABLE_5_NAMES[1:], unevenness, by_equation_1)
    return [found.over(0.8), ages.over(0.8)], (
        f"rank correlation of latency with stalls {found.text(2)}, with the unevenness of ages {ages.text(2)}; printed 0.964 with stalls"
    )


claim(
    "cray-210",
    "occupancy and histograms suffice to judge a setting",
    both_counters,
    f"{NOTE}, seven configurations, six have ages; unevenness: the part in another group than if all four were alike; both above 0.8",
)


def steadier(load):
    """With full sources the packets that are made and received in a window are few, and the sooner ones: there only Eq. 1 counts."""
    found = {"mean by Eq. 1": change(load, "8/3,2,1", "latency")}
    if load.carried:
        found |= {
            what: change(load, "8/3,2,1", f"latency.{key}")
            for what, key in (("99th percentile", "p99"), ("maximum", "max"))
        }
    return [less(value) for value in found.values()], ", ".join(
        f"{what} {value.text(4)}" for what, value in found.items()
    ) + " of RR's"


claim(
    "cray-209",
    "age lowers latency and its variance",
    steadier,
    f"{NOTE}: tails only where all that is sent comes through",
)


@row("cray-88", "reduces the maximum latency")
def _():
    tails = ("max", "p99")
    line = {
        what: ratio(LINES["age, period 8, all packets"], LINES["RR, all packets"], f"latency.{what}") for what in tails
    }
    torus = {(name, what): change(CARRIED, name, f"latency.{what}") for name in TABLE_5_NAMES[1:] for what in tails}
    told = "line: " + ", ".join(
        f"{name} {line[what].text(1, 100)} %" for what, name in (("max", "maximum"), ("p99", "99th percentile"))
    )
    for what, name in (("max", "maximum"), ("p99", "99th percentile")):
        of_torus = [torus[setting, what].mean for setting in TABLE_5_NAMES[1:]]
        told += f"; torus, {name} {100 * min(of_torus):.1f} to {100 * max(of_torus):.1f} %"
    found = Comparisons([less(value) for value in [*line.values(), *torus.values()]])
    note = (
        f"of RR's; experiments lines, period 8, and torus-carried, Table 5's six settings at {LIGHT}, {CARRIED.stored()['seeds']} seeds, {len(line) + len(torus)} comparisons; with full sources a window of the torus "
        "has latencies of few packets, the sooner ones, so tails are not judged there"
    )
    if found:
        return agrees(told, note)
    if not found.turned:
        largest = Comparisons(
            [less(value) for value in [line["max"], line["p99"], *(torus[name, "p99"] for name in TABLE_5_NAMES[1:])]]
        )
        return Verdict(
            NOT_TESTABLE,
            told,
            f"{note}: maximum and 99th percentile on the line{' and the percentile on the torus are' if largest else ' are'} less, "
            f"the torus's maximum is {found.left_open()}",
        )
    return decided(False, told, note)


# Fig. 5.
LOWER = "load 0.3"
ONE_ORDER = (10**0.5, 10**1.5)


class Lower(Load):
    def __getitem__(self, name):
        return SWEEP[f"{self.variant}, {name}"]


AGES = {**LOADS, LOWER: Lower(LOWER)}
FIG_5 = "torus-filled and other loads, new ages at the grants"


def groups(load, name):
    return load[name].series("groups")


def groups_text(load, name):
    return "/".join(f"{100 * part:.2f}" for part in groups(load, name)) + " %"


def evenness(load, name):
    return max(groups(load, name)) / max(min(groups(load, name)), 1e-9)


def all_evenness(name):
    return ", ".join(
        f"{evenness(load, name):.1f} with {told}" if evenness(load, name) < 1000 else f"more than 1,000 with {told}"
        for told, load in AGES.items()
    )


def ages_told(load, *names):
    return "; ".join(f"{name}: {groups_text(load, name)}" for name in names)


def first_is_largest(load, name):
    """Intervals of what 0 to 63 has beyond each other group."""
    return [
        load[name].each(lambda seed, group=group: seed["groups"][0] - seed["groups"][group]) for group in range(1, 4)
    ]


def orders(seed):
    """Of magnitude, between the largest and the least group."""
    return math.log10(max(seed["groups"]) / max(min(seed["groups"]), 1e-9))


def one_order(load, name):
    """About 10 times: intervals of how far it is from the halves of the orders below and above."""
    found = load[name].each(orders)
    return [found.over(math.log10(ONE_ORDER[0])), found.under(math.log10(ONE_ORDER[1]))]


@row("cray-204", "Fig. 5(a), default clock: 0 to 63 has 10^5 times the packets of 64 to 127")
def _():
    name = "4096/1,1,1"
    runs = {f"{FULL_SOURCES}, from an empty network on": DEFAULT[name], LIGHT: CARRIED[name]}
    window = DEFAULT.points(DEFAULT.size())[name]["run"]["measure_us"]
    most = sum(k // 2 for k in MACHINE[DEFAULT.size()]) + 1
    needed = (64 - most) * 4096 * CYCLE_NS / 1000
    holds(window > needed, f"{window} us are less than the {needed:.0f} in which an age comes to 64")
    longest = {load: max(run.samples["latency.max"]) / 1000 for load, run in runs.items()}
    apart = all(seed["groups"][1] * 1e4 <= seed["groups"][0] for run in runs.values() for seed in run.seeds())
    first = next(iter(runs.values()))
    told = "/".join(f"{100 * part:.2f}" for part in first.series("groups"))
    note = (
        f"experiments torus-default, {window} us, {DEFAULT.stored()['seeds']} seed{'s' * (DEFAULT.stored()['seeds'] > 1)}, and torus-carried; at least 10^4 times, new ages at the grants. A route adds at most {most}, so an age of 64 takes {64 - most} ticks or more, "
        f"{needed:.0f} us; the packet that was longest in the network had "
        + ", ".join(f"{time:.1f} us with {load}" for load, time in longest.items())
    )
    if apart:
        return agrees(f"{name}: {told} %", note)
    return Verdict(NOT_TESTABLE, f"{name}: {told} %", f"{note}: needs the machine's load")


@row("cray-205", "Fig. 5(b), period 8: groups differ by one order, 0 to 63 is the largest")
def _():
    name = "8/3,2,1"
    return by_load(
        compared(lambda load: ([*one_order(load, name), *first_is_largest(load, name)], ages_told(load, name))),
        f"{FIG_5}: largest over least {ONE_ORDER[0]:.1f} to {ONE_ORDER[1]:.0f}, " + all_evenness(name),
        AGES,
        {},
    )


@row("cray-206", "Fig. 5(c), period 4: about as (b)")
def _():
    b, c = "8/3,2,1", "4/3,2,1"

    def about(load):
        away = paired(load[b], load[c], lambda first, second: orders(first) - orders(second))
        return [*one_order(load, c), away.over(-math.log10(3)), away.under(math.log10(3))], ages_told(load, c)

    return by_load(
        compared(about),
        f"{FIG_5}: within a factor of 3 of (b), and like it {ONE_ORDER[0]:.1f} to {ONE_ORDER[1]:.0f} between largest and least, "
        + all_evenness(c),
        AGES,
        {},
    )


@row("cray-207", "0 to 63 is the largest group even at 8 and 4")
def _():
    names = ("8/3,2,1", "4/3,2,1")
    return by_load(
        compared(
            lambda load: (
                [step for name in names for step in first_is_largest(load, name)],
                ages_told(load, *names),
            )
        ),
        FIG_5,
        AGES,
        {},
    )


@row("cray-117", "the ideal distribution of ages is uniform")
def _():
    far = {name: sum(abs(part - 0.25) for part in groups(FULL, name)) / 2 for name in TABLE_5_NAMES[1:]}
    best = min(far, key=far.get)
    return Verdict(
        NOT_TESTABLE,
        f"parts that would have to change their group: "
        + ", ".join(f"{name} {100 * value:.0f} %" for name, value in far.items())
        + f"; least at {best}",
        "experiment torus-filled, all sources full: a wish of the paper, no number or order that a run could contradict",
    )


# Table 6.
STAND_INS = "experiment kernels: stands for a benchmark whose sizes, placement of 2048 processes and other load are not given; on 64 nodes, 4 x 4 x 4; period 8, biases 3, 2, 1"


def sooner_by_age(kernel, load):
    """Interval of the part of the time under round robin that age saves."""
    return less(ratio(TABLE_6[f"{kernel} {load} 8/3,2,1"], TABLE_6[f"{kernel} {load} RR"], "finish_us"))


def by_other_load(kernel):
    """What age saves of the time, in words, and the Intervals."""
    found = {load: sooner_by_age(kernel, load) for load in OTHERS[::-1]}
    return found, ", ".join(
        f"{value.text(1, 100)} % beside {load}" if load else f"{100 * value.mean:.1f} % alone"
        for load, value in found.items()
    )


def kernel_row(row_id, kernel, printed, bound=0):
    @row(row_id, f"Table 6: {kernel} under age")
    def _():
        found, told = by_other_load(kernel)
        told = f"less time: {told}; printed {printed} %"
        at_least = f"; asked is more than {100 * bound:.0f} %" if bound else ""
        beside = Comparisons([value for load, value in found.items() if load])
        if Comparisons([value.over(bound) for value in found.values()]):
            return agrees(told, STAND_INS + at_least)
        return Verdict(
            NOT_TESTABLE,
            told,
            f"needs the load beside the benchmark: {'beside uniform traffic age saves time, alone it does not' if beside and found[0].mean <= 0 else 'age does not save as much with each'}{at_least}. {STAND_INS}",
        )


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

    alike = 2 / 3 < found["three transposes"].mean / found["allreduce"].mean < 3 / 2
    if first_by(("allreduce", "three transposes")) and alike:
        return agrees(told, STAND_INS)
    calculating = first_by(("allreduce", "three transposes, calculating"))
    alone = ", ".join(f"{kernel} {100 * sooner_by_age(kernel, 0).mean:.1f} %" for kernel in list(found)[:3])
    return Verdict(
        NOT_TESTABLE,
        told,
        f"needs sizes and load, on which the order hangs: beside uniform traffic of 0.3 this, alone {alone}"
        + (
            ". An FFT calculates between its transposes, and age saves nothing of that: with 0.3 ms of it before each, the one change, the all-to-all gains most, as printed, but the other two do not gain alike, "
            f"printed {100 * (1 - 451 / 507):.1f} and {100 * (1 - 532 / 607):.1f} %"
            if calculating
            else ""
        )
        + f". {STAND_INS}",
    )


def paired_gain(other):
    """Interval of how much more of the time age saves in the all-to-all, beside uniform traffic of 0.3."""

    def of(kernel):
        return [
            a["finish_us"] / b["finish_us"]
            for a, b in zip(TABLE_6[f"{kernel} 0.3 8/3,2,1"].seeds(), TABLE_6[f"{kernel} 0.3 RR"].seeds())
        ]

    return interval([a - b for a, b in zip(of(other), of("all-to-all"))])


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
        f"{RULE} The seven under other loads, from an empty network on; {OTHER_LOADS.stored()['seeds']} seeds, {CARRIED.stored()['seeds']} of the last, {CARRIED_LOAD[CARRIED.size()]} flits a cycle:",
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


@paper.section("Table 6: kernels beside other traffic")
def _():
    lines = [
        f"{TABLE_6.told()} Sizes, placement and the other load are not given; the paper's machine has 2,048 processes. Period 8, biases 3, 2, 1, over round robin, seed by seed.",
        "",
        "| kernel | other load | round robin, us | age, us | less time | printed |",
        "| --- |" + " --- |" * 5,
    ]
    printed = {"three transposes": 1 - 451 / 507, "all-to-all": 1 - 142 / 194, "allreduce": 1 - 532 / 607}
    for point in TABLE_6.stored()["points"]:
        if point.endswith(" RR"):
            kernel, load = point.removesuffix(" RR").rsplit(" ", 1)
            runs = [TABLE_6[f"{kernel} {load} {name}"] for name in ("RR", "8/3,2,1")]
            lines.append(
                f"| {kernel} | {load} | "
                + " | ".join(run["finish_us"].text(1) for run in runs)
                + f" | {sooner_by_age(kernel, load).text(1, 100)} % | "
                + (f"{100 * printed[kernel]:.1f} %" if kernel in printed else "")
                + " |"
            )
    return "\n".join(lines)


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
        f"**Age-based arbitration carries more than round robin where sources are full, so latencies compare only at a load that both carry**, and the paper does not give its load. On the {math.prod(MACHINE['full']):,} nodes a period of 8 with biases 3, 2, 1 "
        f"carries {100 * (more.mean - 1):.0f} % more of uniform traffic than round robin, and {times.mean:.1f} times as much if half of it goes to neighbours; by Eq. 1 what comes through of uniform traffic is "
        f"{100 * (slower.mean - 1):.0f} % slower. At nine tenths of what round robin carries Table 5's six settings are {span(sooner, 0, 1)} faster on {math.prod(MACHINE['quick'])} nodes, their 99th percentile {span(tails)} lower; on the {math.prod(MACHINE['full']):,} "
        f"{span(machine, 0, 1)} and {span(ends)}. The paper has up to {100 * max(printed):.0f} %. So most of what it says of Table 5's settings is not testable without its load ([cray-156 to 190, 209](cray.md))."
    )
