"""Rows of the BXIv3 paper's spread entries (Sect. 3.4, Table 2) and of the tables of fair, step and 2powers (Tables 5 to 7)."""

from fractions import Fraction

import command as q
from bxi_claims import ALL
from bxi_networks import arbiter_of, flow, one_switch
from bxi_tables import (
    ENTRIES,
    RULER,
    SIZES,
    SIZE_MIX,
    WEIGHTS,
    due,
    exact_shares,
    of,
    paper,
    plain,
    planned,
    row,
    spread,
    table,
)
from experiment import Comparisons, interval
from rows import agrees, by_comparisons, differs, holds, near, percent, same


@row("bxi-057", "strides of the entries")
def _():
    strides = of("step", "max_distance", 320)
    same(strides, [2, 4, 8, 16, 31], "strides")
    longer = planned((16, 8, 4, 2, 1, 1), entries=32)
    same(longer[4]["max_distance"], 32, "with a 32nd entry")
    return differs(
        "2, 4, 8, 16, 31",
        "with 31 entries the last SL's only one comes again after 31; with one entry more the same "
        "planner gives 32 (plan bxi)",
    )


@row("bxi-058", "Table 2: entries per SL")
def _():
    same(of("step", "entries", 320), ENTRIES, "entries")
    return agrees("16, 8, 4, 2, 1", "plan bxi")


@row("bxi-059", "Table 2: flits per SL")
def _():
    totals = of("step", "total_flits", 320)
    same(totals, [5120, 4096, 3072, 2048, 1024], "flits")
    return agrees("5120, 4096, 3072, 2048, 1024", "plan bxi for 5:4:3:2:1 and packets up to 320 flits: k = 1024")


@row("bxi-060", "Table 2: flits per entry")
def _():
    same(of("step", "flits_per_entry", 320), [320, 512, 768, 1024, 1024], "flits an entry")
    return agrees(
        "320, 512, 768, 1024, 1024",
        "plan bxi for 5:4:3:2:1 and packets up to 320 flits: 320 is what it was told, the others follow",
    )


@row("bxi-061", "Table 2: share of entries")
def _():
    found = of("step", "entry_share", 320)
    same([f"{100 * x:.2f}" for x in found], ["51.61", "25.81", "12.90", "6.45", "3.23"], "entries")
    return agrees(percent(found), "plan bxi")


@row("bxi-062", "Table 2: share of bandwidth")
def _():
    found = exact_shares(table(spread("step"), 80), SIZE_MIX)
    near(found, list(map(float, due("step"))), 0.0005, "deficits")
    printed = exact_shares(table(spread("step"), 80, variant="printed"), SIZE_MIX)
    near(printed, [0.3347, 0.2678, 0.2008, 0.1339, 0.0628], 0.0001, "printed")
    return agrees(
        percent(found), "analyze, deficits, packets of 1 to 5 KiB; Algorithm 2 as printed gives " + percent(printed)
    )


@row("bxi-063", "spreading keeps the bandwidth")
def _():
    worst = 0
    for name in WEIGHTS:
        first = exact_shares(table(plain(name), 80), SIZE_MIX)
        second = exact_shares(table(spread(name), 80, strict=False), SIZE_MIX)
        near(second, first, 0.001, name)
        worst = max(worst, *(abs(a - b) for a, b in zip(first, second, strict=True)))
    basic = [
        exact_shares(table(t, 80, "bxi-basic", strict=False), SIZE_MIX)[2] for t in (plain("fair"), spread("fair"))
    ]
    near(basic, [0.2000, 0.1923], 0.0001, "basic, fair, SL 2")
    return agrees(
        f"within {100 * worst:.3f} points in fair, step, 2powers",
        "analyze, deficits; basic does not keep it: SL 2 of fair " + percent(basic),
    )


@row("bxi-064", "the same arbiter runs longer tables")
def _():
    for entries in (plain("step", 256), spread("step", 256)):
        same(q.refused(table(entries, 80)), None, f"{len(entries)} entries")
    return agrees("5 and 31 entries", "decide: one reference, two configurations")


@row("bxi-065", "entries of high shares are looked at more often")
def _():
    def visits(entries):
        report = q.analyze(table(entries, 80), "--packets", SIZE_MIX)
        queues = report["queues"]
        return [round(report["period_decisions"] and 1 / x["mean_distance"], 4) for x in queues]

    looks = visits(spread("2powers"))
    near([a / looks[4] for a in looks], ENTRIES, 0.05, "spread")
    near(visits(plain("2powers")), [0.2] * 5, 0.001, "plain")
    return agrees("16:8:4:2:1 turns a round when spread, 1:1:1:1:1 when not", "analyze: turns apart")


def sums_of_gaps(entries):
    """The most flits of others between two entries of each queue, as the table's quanta say."""
    count, result = len(entries), []
    for queue in range(5):
        places = [i for i, (owner, _) in enumerate(entries) if owner == queue]
        gaps = []
        for place, following in zip(places, places[1:] + [places[0] + count], strict=True):
            between = range(place + 1, following)
            gaps.append((sum(entries[i % count][1] for i in between), len(between)))
        result.append(max(gaps))
    return result


def gap_row(row_id, name, plain_gaps, spread_gaps):
    @row(row_id, f"worst gap between turns, {name}")
    def _():
        found = []
        for entries, expected in ((plain(name), plain_gaps), (spread(name), spread_gaps)):
            gaps = sums_of_gaps(entries)
            same([flits for flits, _ in gaps], expected, "sums of the quanta between")
            for policy, extra in (("bxi-basic", 0), ("bxi-deficit", 79)):
                report = q.analyze(table(entries, 80, policy, strict=False), "--packets", SIZE_MIX)
                for (flits, between), queue in zip(gaps, report["queues"], strict=True):
                    holds(queue["longest_gap_flits"] <= flits + extra * between, f"{policy}: {queue['queue']}")
            found.append("/".join(map(str, expected)))
        return agrees(
            f"plain {found[0]}, spread {found[1]} flits",
            "sums of quanta; analyze never sees a longer gap under basic, nor one "
            "longer by more than a packet an entry with deficits. No number is published",
        )


gap_row("bxi-067", "step", [10240, 11264, 12288, 13312, 14336], [1024, 1664, 3328, 7168, 14336])
gap_row("bxi-068", "fair", [4096] * 5, [1024, 1152, 1536, 2560, 4096])
gap_row("bxi-069", "2powers", [15360, 23552, 27648, 29696, 30720], [1024, 3072, 7168, 15360, 30720])


@row("bxi-066", "the largest distance between entries sets the largest latency")
def _():
    worst = 0
    for name in WEIGHTS:
        for entries in (plain(name), spread(name)):
            report = q.analyze(table(entries, 80, strict=False), "--packets", SIZE_MIX)
            for (flits, between), queue in zip(sums_of_gaps(entries), report["queues"], strict=True):
                bound = flits + 79 * between
                holds(queue["longest_gap_flits"] <= bound, f"{name}: queue {queue['queue']}")
                worst = max(worst, queue["longest_gap_flits"] / bound)
    return agrees(
        f"largest gap at most {worst:.3f} of the sum of quanta between and a packet for each entry",
        "analyze, deficits, fair, step and 2powers, plain and spread",
    )


@row("bxi-070", "packets of SLs with more entries wait less")
def _():
    def probe(sl, spread_table, seed):
        one_port = {"pattern": "hot-spot", "to": 0}
        others = [flow(other, 0.05, SIZES[other], hosts=list(range(1, 8)), **one_port) for other in ALL if other != sl]
        lone = flow(sl, 0.002, SIZES[sl], hosts=[1], arrival="poisson", **one_port)
        config = arbiter_of("step", "deficit-spread" if spread_table else "deficit", 256)
        report = q.sim(one_switch(config, [*others, lone], warmup=30, measure=700), "--seed", seed)
        return report["classes"][-1]["network_latency_ns"]

    seeds = range(1, 6)
    found = {sl: [[probe(sl, table, seed) for seed in seeds] for table in (False, True)] for sl in ALL}

    def of(sl, what):
        return [[latency[what] for latency in times] for times in found[sl]]

    def told(what):
        return f"{what} of a lone packet, plain and spread: " + ", ".join(
            f"SL {sl} {' and '.join(interval(times).text(0) for times in of(sl, what))} ns" for sl in ALL
        )

    falls = [(sl, "mean") for sl in range(4)] + [(sl, "max") for sl in range(3)]
    stays = [sum(with_spread) / sum(with_plain) for with_plain, with_spread in (of(4, "mean"), of(4, "max"))]
    return by_comparisons(
        all(abs(change - 1) <= 0.1 for change in stays)
        and Comparisons([interval([a - b for a, b in zip(*of(*which), strict=True)]) for which in falls]),
        f"{told('mean')}; {told('max')}",
        f"sim, one port, the other four SLs backlogged, step with k = 256, {len(seeds)} seeds: means fall for SL 0 to 3, maxima for SL 0 to 2, and SL 4's, which has one entry in either table, stay within 10 % ("
        + " and ".join(f"{100 * (change - 1):+.0f}" for change in stays)
        + " %)",
    )


def shares_with(channels):
    """Of a full port with weights 4, 2 and 1 and packets of 1, 3 and 5 KiB, each SL with so many queues at every port."""
    report = q.sim(
        one_switch(
            table([(0, 512), (1, 256), (2, 128)], 80, queues=3, strict=False),
            [flow(sl, 0.5, size, pattern="hot-spot", to=0) for sl, size in enumerate((16, 48, 80))],
            warmup=100,
            measure=400,
            channels_per_queue=channels,
            virtual_channels=[[[channels * sl + i for i in range(channels)]] for sl in range(3)],
        )
    )
    return [item["share"] for item in report["classes"]]


@row("bxi-071", "several queues for an SL, round robin among them: the SLs' shares stay")
def _():
    found = {channels: shares_with(channels) for channels in (1, 2, 4)}
    for channels, shares in found.items():
        near(shares, [4 / 7, 2 / 7, 1 / 7], 0.002, f"shares with {channels} queues an SL")
    return agrees(
        "; ".join(
            f"{channels} queue{'s' * (channels > 1)} an SL: " + "/".join(f"{100 * share:.2f}" for share in shares) + " %"
            for channels, shares in found.items()
        ),
        "sim, one switch, weights 4:2:1 with deficits; entries stay one for each SL, whose queues take turns packet by packet (`channels_per_queue`)",
    )


# --- Tables 5 to 7 --------------------------------------------------------------------------------


def target(row_id, name, printed):
    @row(row_id, f"{name}: target bandwidth")
    def _():
        found = exact_shares(table(plain(name), 80), SIZE_MIX)
        near(found, [p / 100 for p in printed], 0.0001, "shares")
        return agrees(percent(found), "analyze: backlogged, deficits, packets of 1 to 5 KiB")


def entries_row(row_id, name):
    @row(row_id, f"{name}: entries and weights of the spread table")
    def _():
        same(of(name, "entries"), ENTRIES, "entries")
        total = of(name, "total_flits")
        same([Fraction(t, total[4]) for t in total], [Fraction(w, WEIGHTS[name][4]) for w in WEIGHTS[name]], "weights")
        return agrees(
            "16/8/4/2/1 entries; totals in proportion " + ":".join(map(str, WEIGHTS[name])),
            "plan bxi; the weight is an SL's, " "not an entry's (bxi-113)",
        )


entries_row("bxi-101", "fair")
target("bxi-102", "fair", [20] * 5)
entries_row("bxi-105", "step")
target("bxi-106", "step", [33.33, 26.67, 20, 13.33, 6.67])
entries_row("bxi-109", "2powers")
target("bxi-110", "2powers", [51.61, 25.81, 12.90, 6.45, 3.23])


@row("bxi-113", "the weight column is said to be each entry's")
def _():
    expected = {
        "fair": [0.516, 0.258, 0.129, 0.065, 0.032],
        "step": [0.620, 0.248, 0.093, 0.031, 0.008],
        "2powers": [0.751, 0.188, 0.047, 0.012, 0.003],
    }
    told = []
    for name in WEIGHTS:
        per_entry = exact_shares(table([(s, WEIGHTS[name][s]) for s in RULER], 80, scale=80), SIZE_MIX)
        told.append(f"{name} {'/'.join(f'{100 * share:.1f}' for share in per_entry)}")
        near(per_entry, expected[name], 0.0006, name)
        near(
            exact_shares(table(spread(name), 80, strict=False), SIZE_MIX), list(map(float, due(name))), 0.0005, name
        )
    return differs(
        f"per entry: {', '.join(told)} %",
        "none are the printed shares; with the weight as the SL's total over its entries, the one change, all three come "
        "out (analyze)",
    )


@row("bxi-114", "2powers: weights and entries form the same series")
def _():
    same(set(of("2powers", "flits_per_entry")), {of("2powers", "flits_per_entry")[0]}, "flits an entry")
    return agrees("all entries alike", "plan bxi")


@paper.section("Table 2 and the tables of fair, step and 2powers, planned and analyzed")
def _():
    lines = [
        "| table | SL | entries | flits an entry | flits | share due | deficits, plain | deficits, spread | basic, plain | "
        "basic, spread |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in WEIGHTS:
        columns = [
            exact_shares(table(entries, 80, policy, strict=False), SIZE_MIX)
            for policy in ("bxi-deficit", "bxi-basic")
            for entries in (plain(name), spread(name))
        ]
        for sl in range(5):
            quantum = dict(spread(name))[sl]
            lines.append(
                f"| {name} | {sl} | {ENTRIES[sl]} | {quantum} | {quantum * ENTRIES[sl]} | {100 * float(due(name)[sl]):.2f} % | "
                + " | ".join(f"{100 * column[sl]:.2f} %" for column in columns)
                + " |"
            )
    return (
        "All queues backlogged with packets of 1 to 5 KiB, k = 1024. The paper prints the shares due and, for step, "
        "entries and flits.\n\n" + "\n".join(lines)
    )
