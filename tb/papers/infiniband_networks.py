"""The InfiniBand paper's k-ary n-trees (Fig. 5), row by row."""

import json
import math
import tempfile

import command
import plots
from experiment import Interval, Run, hosts_of, interval, paired, quantile, simultaneous
from infiniband import CONFIGURATIONS, TOOL, arbiter, exact_shares, one_switch, paper
from rows import DIFFERS, NOT_TESTABLE, Verdict, agrees, decided, holds, same

SLS = range(4)
PUBLISHED_BOUND = 0.045  # points, of Fig. 5
PUBLISHED = [(k, n) for n in (2, 3) for k in (2, 4, 6, 8, 10, 12, 14)]


def systems(size):
    return PUBLISHED if size == "full" else [(k, n) for k, n in PUBLISHED if k**n <= 64]


def tree(k, n, loads=(0.6, 0.45, 0.35, 0.2), queue_flits=1792, routing="random-up", speedup=2, gbps=100, cycles=75_000, warmup=15_000):
    """Configuration A at every port of a k-ary n-tree; packets of 4 flits of 16 bytes, 7,168 flits a port over four VLs."""
    cycle_us = 16 * 8 / gbps / 1000
    return {
        "arbiter": arbiter(packet=4, flit_bytes=16),
        "network": {
            "topology": {"kind": "kary-ntree", "k": k, "n": n},
            "routing": routing,
            "link": {"gbps": gbps, "delay_ns": 10},
            "flit_bytes": 16,
            "switch": {
                "input_queue_flits": queue_flits,
                "output_queue_flits": queue_flits,
                "crossbar_speedup": speedup,
                "flow_control": "credit",
            },
        },
        "traffic": [
            {"name": f"sl{sl}", "queue": sl, "pattern": "uniform", "load": loads[sl], "message_bytes": 64} for sl in SLS
        ],
        "run": {"warmup_us": round(warmup * cycle_us, 3), "measure_us": round(cycles * cycle_us, 3), "seed": 1},
    }


def kept(report, tables):
    """Shares of what is delivered, what is offered and accepted, and how evenly the links up are used."""
    found = {f"sl{sl}.{name}": report["classes"][sl][name] for sl in SLS for name in ("share", "offered", "accepted")}
    found["max_input_queue_flits"] = report["max_input_queue_flits"]
    found["max_output_queue_flits"] = report["max_output_queue_flits"]
    found["lost"] = report["flits_lost"]
    links = tables.get("links", [])
    down = sum(line["from"].startswith("switch0.") and line["to"].startswith("host") for line in links)  # k
    per_level = sum(line["from"].startswith("host") for line in links) // down if down else 1
    levels = {}
    for line in links:
        switch, _, port = line["from"].partition(".port")
        if switch.startswith("switch") and int(port) >= down:
            levels.setdefault(int(switch.removeprefix("switch")) // per_level, []).append(float(line["utilization"]))
    if levels:
        found["up.deviation"] = max(deviation(up) for up in levels.values())
    return found


def deviation(values):
    """Standard deviation over the mean."""
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)) / mean


TREES = paper.experiment(
    "trees",
    "k-ary n-trees, configuration A, every SL offers more than its share at every NIC, 1.6 flits a cycle in all; window of {measure_us} us.",
    lambda size: {f"{k}-ary {n}-tree": tree(k, n) for k, n in systems(size)},
    {"quick": 3, "full": 2},
    keep=kept,
    tables=("links",),
)
# One assumption changed each, in one tree.
CHANGED = paper.experiment(
    "trees-changed",
    "The 4-ary 2-tree with one assumption changed.",
    lambda size: {
        "one flit a cycle in all": tree(4, 2, loads=(0.25,) * 4),
        "one flit a cycle of each SL": tree(4, 2, loads=(1.0,) * 4),
        "D-mod-K": tree(4, 2, routing="d-mod-k"),
        "crossbar speedup 1": tree(4, 2, speedup=1),
        "a quarter of the buffers": tree(4, 2, queue_flits=448),
        "link rate x 64/66": tree(4, 2, gbps=96.97),
    },
    {"quick": 3, "full": 3},
    keep=kept,
)
# With the loads of the trees above the sources of the largest would leave more packets waiting than the simulator holds, after the longer warm-up.
LOWER = (0.55, 0.33, 0.22, 0.11)
WARM_UPS = {"of 15,000 cycles": 15_000, "of 240,000 cycles": 240_000}  # that of the trees above, and sixteen times it


def warm_ups(name, hosts, systems, seeds, warm_ups=tuple(WARM_UPS)):
    """Some of the trees with the warm-up of those above and with a longer one, and nothing else changed between the two."""
    return paper.experiment(
        name,
        f"Trees of {hosts} hosts, every SL offers a fifth more than its share or a little above that; the warm-up is {' or '.join(warm_ups)}.",
        lambda size: {
            f"{k}-ary {n}-tree, warm-up {warm_up}": tree(k, n, loads=LOWER, warmup=WARM_UPS[warm_up])
            for k, n in systems[size]
            for warm_up in warm_ups
        },
        seeds,
        keep=kept,
    )


# The fewer hosts, the more seeds: the scatter of a share falls with both.
LARGEST = {"quick": [(6, 3)], "full": [(8, 3), (10, 3), (12, 3), (14, 3)]}
SHORT = {"quick": [(6, 3)], "full": [(8, 3), (10, 3), (12, 3)]}
WARMED = [
    warm_ups(
        "trees-warm-up-small",
        "up to 36",
        {"quick": [(2, 2), (4, 2), (2, 3)], "full": [(2, 2), (4, 2), (6, 2), (2, 3)]},
        {"quick": 40, "full": 40},
    ),
    warm_ups(
        "trees-warm-up",
        "64 to 216",
        {"quick": [(8, 2), (4, 3)], "full": [(8, 2), (10, 2), (12, 2), (14, 2), (4, 3), (6, 3)]},
        {"quick": 4, "full": 4},
    ),
    warm_ups("trees-warm-up-largest", "512 and more", LARGEST, {"quick": 2, "full": 2}, ["of 240,000 cycles"]),
    warm_ups("trees-short-warm-up-largest", "512 and more", SHORT, {"quick": 1, "full": 2}, ["of 15,000 cycles"]),
]


def each(name, speedup, seeds):
    """Small trees with the load that the paper's sentence may mean, once queues are full."""
    return paper.experiment(
        name,
        f"Trees of up to 36 hosts, a flit a cycle of each SL, a crossbar speedup of {speedup}; the warm-up is of 240,000 cycles.",
        lambda size: {
            f"{k}-ary {n}-tree": tree(k, n, loads=(1.0,) * 4, speedup=speedup, warmup=WARM_UPS["of 240,000 cycles"])
            for k, n in ((2, 2), (2, 3), (4, 2), (6, 2))
        },
        {"quick": seeds, "full": seeds},
        keep=kept,
    )


EACH, EACH_SLOW = each("trees-each", 2, 40), each("trees-each-speedup-1", 1, 5)
LOCKSTEP = paper.in_lockstep(
    "trees-lockstep",
    TREES,
    "Fig. 5",
    without=lambda point: point in ("10-ary 3-tree", "12-ary 3-tree", "14-ary 3-tree"),
)


def off(run, sl):
    """Tool less simulated, in points."""
    return run.each(lambda seed: 100 * (float(TOOL["A"][sl]) - seed[f"sl{sl}.share"]))


def all_off(run, digits=3):
    return "/".join(off(run, sl).text(digits) for sl in SLS)


def largest(run):
    return max(abs(off(run, sl).mean) for sl in SLS)


def trees():
    """Name, hosts and results of the trees that were run."""
    points = TREES.points(TREES.size())
    return [(name, hosts_of(scenario["network"]["topology"]), TREES[name]) for name, scenario in points.items()]


def after(warm_up):
    """Name, hosts and results of the trees that were run with this warm-up, all with the same loads and window."""
    found = []
    for experiment in WARMED:
        for name, scenario in experiment.points(experiment.size()).items():
            tree_name, _, which = name.partition(", warm-up ")
            if which == warm_up:
                found.append((tree_name, hosts_of(scenario["network"]["topology"]), experiment[name]))
    return sorted(found, key=lambda item: item[1])


def warmed():
    """The largest difference of all trees with either warm-up."""
    return [max(largest(run) for _, _, run in after(warm_up)) for warm_up in WARM_UPS]


def told_by_warm_up():
    """What is measured with full queues, as the rows ask, and how far off it is while they still fill."""
    (short, long), (few, all_of_them) = warmed(), [len(after(warm_up)) for warm_up in WARM_UPS]
    filling = max(largest(run) for _, _, run in trees())
    return (
        f"{long:.3f} points in {all_of_them} trees; from 15,000 cycles on, while queues of the switches still fill, {short:.3f} in {few} of them, and {filling:.3f} in {len(trees())} that are offered 1.6 flits a cycle"
    )


def of_each(experiment):
    """The largest difference in each tree where each SL is offered a flit a cycle and queues are full."""
    return {point: largest(experiment[point]) for point in experiment.stored()["points"]}


def each_told():
    double, single = of_each(EACH), of_each(EACH_SLOW)
    worst = max(single, key=single.get)
    outputs = max(EACH_SLOW[worst].samples["max_output_queue_flits"])
    few = EACH_SLOW.stored()["seeds"]
    first = max(
        largest(Run({name: values[:few] for name, values in EACH[point].samples.items()})) for point in double
    )
    holds(outputs < 10 and worst == "2-ary 2-tree", "without speedup the crossbar is what is short in the smallest tree")
    return (
        f"with a flit a cycle of each SL, as proposed, {max(double.values()):.3f} in {len(double)} trees of up to 36 hosts from 240,000 cycles on ({EACH.stored()['seeds']} seeds; the first {few} have {first:.3f}), without crossbar speedup ({few} seeds) "
        + ", ".join(f"{value:.2f} in the {name}" for name, value in single.items())
        + f", where in the {worst} turns of the crossbar decide, no output queue ever holding more than {outputs:.0f} flits"
    )


def how_sure():
    """In words: seeds of the longer warm-up, and how many of the values leave the bound within their interval."""
    values = [off(run, sl) for _, _, run in after("of 240,000 cycles") for sl in SLS]
    open_ones = sum(abs(found.mean) + found.half >= PUBLISHED_BOUND for found in values)
    seeds = ", ".join(
        f"{experiment.stored()['seeds']} with {hosts} hosts"
        for experiment, hosts in zip(WARMED[:3], ("up to 36", "64 to 216", "512 and more"), strict=True)
    )
    return f"means decide; seeds are {seeds} where 5 were proposed, and of the {len(values)} intervals {open_ones} reach beyond the bound"


FILLED = "sim against the exact shares of analyze, from 240,000 cycles on, each SL being offered a little more than its share, 0.55/0.33/0.22/0.11"


def by_speedup(judged, bound):
    """What is judged of trees with a crossbar speedup of 2; not testable where it holds and is off by more points than the bound without:
    the paper gives no speedup, and both were proposed."""
    off_by = max(of_each(EACH_SLOW).values())
    if judged.verdict == DIFFERS or off_by < bound:
        return judged
    missing = f"needs the crossbar's speedup: with 2 it holds, with 1, which was proposed, too, shares are off by {off_by:.0f} points in one tree of {len(of_each(EACH_SLOW))}"
    return Verdict(NOT_TESTABLE, judged.measured, f"{judged.note}; {missing} (ib-71)")


def in_trees(bound, measured, note):
    """Of all trees, once queues are full, and with either load: within so many points."""
    return by_speedup(decided(max(warmed()[1], *of_each(EACH).values()) < bound, measured, note), bound)




@paper.row("ib-17", "VL from SL, output and input port; it may change on the way")
def _():
    by_vl, by_sl = command.lanes_of(
        command.ring(
            [[[0], [1]], [[2], [3]]],
            [
                {
                    "name": f"from {host} in sl{sl}",
                    "queue": sl,
                    "pattern": "hot-spot",
                    "to": 2,
                    "hosts": [host],
                    "load": 0.1,
                    "messages": messages + sl,
                    "message_bytes": 256,
                }
                for host, messages in ((9, 2), (0, 5))
                for sl in (0, 1)
            ],
        )
    )
    before, behind, merged, end = {0: 2, 2: 3}, {1: 2, 3: 3}, {1: 2, 3: 3, 0: 5, 2: 6}, {0: 7, 2: 9}
    same(
        {
            name: by_vl.get(name)
            for name in (
                "switch9.port1",
                "switch10.port1",
                "switch11.port1",
                "switch0.port1",
                "switch1.port1",
                "switch2.port0",
            )
        },
        {
            "switch9.port1": before,
            "switch10.port1": before,
            "switch11.port1": behind,
            "switch0.port1": merged,
            "switch1.port1": merged,
            "switch2.port0": end,
        },
        "packets by VL",
    )
    same([by_sl["switch11.port1"], by_sl["switch0.port1"]], [{0: 8, 1: 12}, {0: 28, 1: 36}], "flits by SL")
    return agrees(
        "SL 0 and 1 on VL 0 and 2 at the first switches, on 1 and 3 from the one before the wrap link; behind it what comes in over that link stays on 1 and 3 and what a host sends takes 0 and 2 to the same output; "
        "SLs stay",
        "sim, ring of 12 with a dateline: packets by VL and flits by SL of each hop, as computed by hand. Its map differs by switch and by input port; maps of a user's own are not there, and all other runs have "
        "a VL for each SL",
    )


def across(load, traffic):
    """A tree of four hosts, beside what is asked for uniform traffic of the same SL."""
    scenario = tree(2, 2, cycles=400_000)
    others = {"name": "others", "queue": 0, "pattern": "uniform", "load": load, "message_bytes": 64}
    return {**scenario, "traffic": [*traffic, *([others] if load else [])]}


def ping_pong(load, seed, rounds=2000):
    """ns: half a round trip of a message of 64 bytes that goes there and back `rounds` times across a tree."""
    there = "".join(
        f"s{i}: send 64b to 3 tag {i}\nr{i}: recv 64b from 3 tag {i}\nr{i} requires s{i}\n"
        + (f"s{i} requires r{i - 1}\n" if i else "")
        for i in range(rounds)
    )
    back = "".join(
        f"r{i}: recv 64b from 0 tag {i}\ns{i}: send 64b to 0 tag {i}\ns{i} requires r{i}\n" for i in range(rounds)
    )
    scenario = across(load, [{"name": "ping-pong", "queue": 0, "trace": "ping-pong.goal"}])
    del scenario["run"]
    with tempfile.TemporaryDirectory() as directory:
        command.in_file(
            directory,
            "ping-pong.goal",
            f"num_ranks 4\nrank 0 {{\n{there}}}\nrank 1 {{}}\nrank 2 {{}}\nrank 3 {{\n{back}}}\n",
        )
        path = command.in_file(directory, "scenario.yaml", json.dumps(scenario))
        report = json.loads(command.succeed("sim", path, "--json", "--engine", "model", "--seed", seed))
    return report["traces"][0]["finish_ns"] / rounds / 2


def by_the_clock(load, seed):
    """ns: mean latency of messages of 64 bytes that go either way across the same tree, none of which waits for another."""
    ways = [
        {"name": f"from {a}", "queue": 0, "pattern": "hot-spot", "to": b, "hosts": [a], "load": 0.01, "message_bytes": 64}
        for a, b in ((0, 3), (3, 0))
    ]
    classes = command.sim(across(load, ways), "--seed", seed)["classes"]
    return sum(found["message_latency_ns"]["mean"] for found in classes[:2]) / 2


@paper.row("ib-66", "message latency from half a round trip, without a common clock")
def _():
    found = {
        load: [interval([measured(load, seed) for seed in range(1, 9)]) for measured in (ping_pong, by_the_clock)]
        for load in (0, 0.8)
    }
    return decided(
        all(abs(half.mean / latency.mean - 1) < 0.05 for half, latency in found.values()),
        "; ".join(
            f"{half.text(1)} ns, messages {latency.text(1)} ns, beside a load of {load}"
            for load, (half, latency) in found.items()
        ),
        "sim, 2-ary 2-tree, 8 seeds: half a round trip of a trace of 2,000 rounds (GOAL) against the latency by the simulator's one clock, in runs of their own, of messages that do not wait for each other, to 5 %; "
        "what the cluster measured is not repeatable (ib-61)",
    )


@paper.row("ib-67", "the fourteen trees")
def _():
    ran = {name for name, _, _ in trees()}
    for n in (2, 3):
        for k in range(2, 16, 2):
            same(
                command.counted({"kind": "kary-ntree", "k": k, "n": n}),
                (n * k ** (n - 1), k**n, [k, 2 * k]),
                f"switches, hosts and ports of the {k}-ary {n}-tree",
            )
    return agrees(
        f"all 14 have n k^(n-1) switches and k^n hosts, up to 2,744; {len(ran)} run with traffic: {', '.join(sorted(ran))}",
        "sim builds each and counts its links; every host gets a packet from another one"
        + ("" if TREES.size() == "full" else "; --quick leaves out those with more than 64 hosts"),
    )


def moved_from(whole, changed):
    """By how many points each share moves with a change, seed by seed."""
    return [paired(changed, whole, lambda a, b: 100 * (a[f"sl{sl}.share"] - b[f"sl{sl}.share"])) for sl in SLS]


@paper.row("ib-69", "buffers of 7,168 flits a port")
def _():
    found = {
        side: max(run.mean(f"max_{side}_queue_flits") for _, _, run in trees()) for side in ("input", "output")
    }
    quarter, whole = CHANGED["a quarter of the buffers"], TREES["4-ary 2-tree"]
    filled = max(quarter.mean(f"max_{side}_queue_flits") for side in ("input", "output"))
    moved = moved_from(whole, quarter)
    holds(filled == 448, "a quarter of the buffers is filled")
    full = [run.mean("max_output_queue_flits") for _, _, run in after("of 240,000 cycles")]
    far = max(abs(each.mean) for each in moved)
    return Verdict(
        NOT_TESTABLE,
        f"of a VL's 1,792 flits at most {found['input']:.0f} are used at inputs and {found['output']:.0f} at outputs, {max(full):.0f} after the longer warm-up of ib-71; with a quarter of the buffers, of which an output fills all {filled:.0f}, shares move by "
        + "/".join(f"{each.mean:+.3f}" for each in moved)
        + " points",
        f"sim, four VLs of 1,792 flits, 4-ary 2-tree: shares move {'less' if far < PUBLISHED_BOUND else 'more'} than the bound of Fig. 5, {PUBLISHED_BOUND}, with those of the switches. Needs a NIC whose queues have a bound, for its 14,336 flits, which ours have not; "
        "the paper does not say whether 7,168 are a port's or a VL's",
    )


def by_host(scenario):
    """Of each SL: offered by a host, and what is accepted of the host of which least is and of that of which most is."""
    return [
        (found["offered"], found["over_hosts"]["accepted"]["min"], found["over_hosts"]["accepted"]["max"])
        for found in command.sim(scenario)["classes"]
    ]


@paper.row("ib-70", "a flit a cycle and NIC keeps the network full")
def _():
    loads = {"one flit a cycle in all": 0.25, "one flit a cycle of each SL": 1.0}  # "in all": split evenly
    full, accepted = {}, {}
    for name, load in loads.items():
        full[name] = all(most < 0.99 * offered for offered, _, most in by_host(tree(4, 2, loads=(load,) * 4)))
        accepted[name] = [CHANGED[name].mean(f"sl{sl}.accepted") / CHANGED[name].mean(f"sl{sl}.offered") for sl in SLS]
    told = "; ".join(
        f"{name}: of what SL 0/1/2/3 offers {'/'.join(f'{part:.3f}' for part in parts)} is accepted"
        for name, parts in accepted.items()
    )
    note = "sim, 4-ary 2-tree, in all: split evenly; to keep the network full for every SL, less than it offers has to be accepted of it at every NIC"
    if all(full.values()):
        return agrees(told, note)
    idle = {
        name: " and ".join(f"SL {sl}" for sl in SLS if accepted[name][sl] > 0.99) for name, whole in full.items() if not whole
    }
    without = "; ".join(f"with {name} {sls} have no backlog" for name, sls in idle.items())
    if not any(full.values()):
        return decided(False, told, note, without)
    return Verdict(
        NOT_TESTABLE,
        told,
        f"{note}: needs how the flit is split over the SLs; with {' and '.join(name for name in full if full[name])}, as was proposed, it is so; {without}",
    )


@paper.row("ib-71", "Fig. 5: tool less simulated share in every tree")
def _():
    even, slow, full = (CHANGED[name] for name in ("one flit a cycle in all", "crossbar speedup 1", "one flit a cycle of each SL"))
    return in_trees(
        PUBLISHED_BOUND,
        f"largest {told_by_warm_up()}; {each_told()}; from 15,000 cycles on, in the 4-ary 2-tree: a flit a cycle of each SL: {all_off(full)} points; in all, split evenly: {all_off(even, 1)}; a crossbar without speedup, which fills inputs: {all_off(slow)}",
        f"{FILLED}, which the paper's load is not if it is a sum (ib-70); {how_sure()}",
    )


@paper.row("ib-72", "the differences do not change with the size")
def _():
    found = {warm_up: after(warm_up) for warm_up in WARM_UPS}
    slopes = {warm_up: [slope_by_size(points, sl) for sl in SLS] for warm_up, points in found.items()}
    spreads = {warm_up: [spread(points, sl) for sl in SLS] for warm_up, points in found.items()}
    grows = {
        warm_up: max(spreads[warm_up]) >= 2 * PUBLISHED_BOUND or any(slope.above() for slope in simultaneous(of))
        for warm_up, of in slopes.items()
    }
    short, long = WARM_UPS

    def told(warm_up):
        return (
            "apart by "
            + "/".join(f"{each:.3f}" for each in spreads[warm_up])
            + " points, "
            + "/".join(f"{slope.mean:+.4f} ± {slope.half:.4f}" for slope in slopes[warm_up])
            + " for each e-fold of hosts"
        )

    judged = decided(
        not grows[long],
        f"{len(found[long])} trees: {told(long)}; from 15,000 cycles on, while queues of the switches still fill, the longer, the more hosts, {len(found[short])} trees: {told(short)}",
        f"{FILLED}, and one window: spread over the trees, and slope of the distance from the tool, of SL 0/1/2/3",
    )
    return by_speedup(judged, 2 * PUBLISHED_BOUND)


def spread(found, sl):
    means = [off(run, sl).mean for _, _, run in found]
    return max(means) - min(means)


def slope_by_size(found, sl):
    """Slope of an SL's distance from the tool over the logarithm of hosts, counted towards the side on which the trees are in the mean."""
    means = [off(run, sl).mean for _, _, run in found]
    side = math.copysign(1, sum(means))
    return slope_of([(math.log(hosts), side * mean) for (_, hosts, _), mean in zip(found, means, strict=True)])


def slope_of(points):
    """Slope of the line of least squares through (x, y), with half of its 95 % confidence interval."""
    middle = sum(x for x, _ in points) / len(points)
    squares = sum((x - middle) ** 2 for x, _ in points)
    slope = sum((x - middle) * y for x, y in points) / squares
    low = sum(y for _, y in points) / len(points)
    rest = sum((y - low - slope * (x - middle)) ** 2 for x, y in points) / (len(points) - 2)
    free = len(points) - 1  # one more than the degrees of freedom, as of seeds
    return Interval(slope, quantile(free) * math.sqrt(rest / squares), free)


@paper.row("ib-73", "the tool predicts shares in systems of any size")
def _():
    return in_trees(
        PUBLISHED_BOUND,
        f"within {told_by_warm_up()}; with a flit a cycle of each SL {max(of_each(EACH).values()):.3f}, and without crossbar speedup up to {max(of_each(EACH_SLOW).values()):.0f} (ib-71)",
        f"{FILLED}; judged by the bound of ib-71, 0.045 points",
    )


@paper.row("ib-74", "Valiant's routing spreads flows evenly over the links up")
def _():
    worst = max(run.mean("up.deviation") for _, _, run in trees())
    moved = moved_from(TREES["4-ary 2-tree"], CHANGED["D-mod-K"])
    return decided(
        worst < 0.02 and max(abs(each.mean) for each in moved) < PUBLISHED_BOUND,
        f"standard deviation of the links up of a level {100 * worst:.2f} % of their mean; with D-mod-K shares move by "
        + "/".join(f"{each.mean:+.3f}" for each in moved)
        + " points",
        "sim, random-up: a random link at each hop up",
    )


@paper.row("ib-75", "nothing is dropped when a NIC is full")
def _():
    lost = sum(run.mean("lost") for _, _, run in trees())
    messages = 500

    def until(cycles):
        """Flits generated, injected and delivered of so many messages of each SL at each of four NICs."""
        scenario = tree(2, 2, cycles=cycles, warmup=0)
        for item in scenario["traffic"]:
            item["messages"] = messages
        report = command.sim(scenario)
        generated = sum(item["offered"] for item in report["classes"]) * report["cycles"] * len(report["hosts"])
        return round(generated), report["flits_injected"], report["flits_delivered"]

    early, late = until(2500), until(40_000)
    holds(early[1] < early[0], "packets wait at NICs")
    return decided(
        lost == 0 and late == (4 * 4 * messages * 4,) * 3,
        f"0 flits lost of all that were injected; of {late[0]:,} generated at four NICs, of which {early[0] - early[1]:,} of {early[0]:,} wait after 2,500 cycles, all {late[1]:,} are injected and {late[2]:,} delivered",
        f"sim, k-ary n-trees; the 2-ary 2-tree with {messages} messages of each SL at each NIC: what does not fit waits at the source, whose queue has no bound",
    )


@paper.row("ib-76", "a decision takes less than a packet's time")
def _():
    period = command.mapped("infiniband")[0]
    return decided(
        period < 5.12,
        f"a decision a cycle of {period} ns; 64 bytes take 5.12 ns at 100 Gb/s",
        "no run of qosarb: the table of docs/area-and-timing.md, measured of the RTL mapped to sky130",
    )


@paper.row("ib-77", "the tool is accurate")
def _():
    worst = max(*(largest(run) for _, _, run in trees()), *of_each(EACH).values())
    even, single = CHANGED["one flit a cycle in all"], of_each(EACH_SLOW).values()
    holds(worst < 0.5, "within half a point in all trees with speedup 2, queues full or not")
    return in_trees(
        0.5,
        f"within {worst:.3f} points in the trees, {one_switch():.3f} on one switch (ib-53)",
        "summary of ib-53 and ib-71; judged by 0.5 points, as the paper calls up to that on its machine negligible. So it is as long as every SL offers more than its share, as the tool assumes (ib-24), and the outputs are what is short: with a flit a cycle in "
        f"all, split evenly, it is off by {largest(even):.0f} points, and without crossbar speedup, which the paper does not give, by {min(single):.2f} to {max(single):.2f} (ib-71)",
    )


@paper.section("Fig. 5: k-ary n-trees, tool less simulated share of configuration A")
def _():
    head = ["| tree | hosts | SL 0 | SL 1 | SL 2 | SL 3 |", "| --- | --- | --- | --- | --- | --- |"]

    def line(name, hosts, run):
        return f"| {name} | {hosts} | " + " | ".join(off(run, sl).text(3) for sl in SLS) + " |"

    lines = [*head, *(line(*each) for each in trees())]
    lines += [line(f"4-ary 2-tree, {name}", 16, CHANGED[name]) for name in CHANGED.points("quick")]
    warm_ups = [line(f"{name}, warm-up {warm_up}", hosts, run) for warm_up in WARM_UPS for name, hosts, run in after(warm_up)]
    each_line = [
        line(f"{name}, speedup {speedup}", hosts_of(scenario["network"]["topology"]), experiment[name])
        for speedup, experiment in ((2, EACH), (1, EACH_SLOW))
        for name, scenario in experiment.points(experiment.size()).items()
    ]
    svg = plots.bars(
        "Tool less simulated share",
        "points",
        [name.replace("-tree", "") for name, _, _ in trees()],
        {f"SL {sl}": [off(run, sl) for _, _, run in trees()] for sl in SLS},
    )
    return (
        "In points; the paper prints +-0.045 as the bound of its curves. "
        + TREES.told()
        + " One assumption changed each in the rows below, all of the 4-ary "
        f"2-tree. {LOCKSTEP.told()}\n\n"
        + paper.figure("fig5", "Tool less simulated share", svg)
        + "\n\n"
        + "\n".join(lines)
        + "\n\nWith either warm-up, and lower loads, of which less waits at the sources. "
        + " ".join(experiment.told() for experiment in WARMED)
        + "\n\n"
        + "\n".join([head[0], head[1], *warm_ups])
        + "\n\n"
        + " ".join(experiment.told() for experiment in (EACH, EACH_SLOW))
        + "\n\n"
        + "\n".join([*head, *each_line])
    )


@paper.finding(4)
def _():
    small, double, large = (
        100 * float(exact_shares(arbiter(CONFIGURATIONS["A"], packet))[0][3]) for packet in (1, 2, 64)
    )
    even, slow = largest(CHANGED["one flit a cycle in all"]), of_each(EACH_SLOW)
    filling, (short, long) = max(largest(run) for _, _, run in trees()), warmed()
    holds(
        f"{small:.2f}" == f"{double:.2f}" == "8.57"
        and long < PUBLISHED_BOUND < min(short, filling)
        and max(short, filling) < slow["4-ary 2-tree"] < 0.5 < even
        and slow["2-ary 2-tree"] > 20,
        "8.57 % from packets of 64 and 128 bytes, and the tool in trees",
    )
    return (
        f"**InfiniBand's {small:.2f} % needs packets of 64 or 128 bytes**; with the 4,096 bytes that the paper names it is {large:.0f} % ([ib-43, ib-44](infiniband.md)).\nAs long as every SL offers more than its share its tool holds in the {len(after(list(WARM_UPS)[1]))} trees "
        f"with a crossbar speedup of 2 to {long:.2f} points once queues are full, and while they still fill to {max(short, filling):.2f} ([ib-71](infiniband.md)).\nWithout speedup, which the paper does not give, it is off by {slow['4-ary 2-tree']:.2f} in a 4-ary 2-tree and by {slow['2-ary 2-tree']:.0f} in a 2-ary one, and with one flit a cycle "
        f"in all, split evenly, by {even:.0f} ([ib-70, ib-71](infiniband.md))."
    )
