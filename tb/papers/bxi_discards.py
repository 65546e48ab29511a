"""Rows of the BXIv3 paper on what the arbiter of one port discards in fair and step (Sect. 4.2.1 and 4.2.2)."""

import functools
import itertools
import random
import re

import command as q
from bxi_claims import ALL, key
from bxi_networks import CAUSES, SMALL_NETWORK, arbiter_of
from bxi_tables import K, LOADS, SIZES, row, table
from experiment import Comparisons, paired, spearman
from rows import decided, holds, same

WARM_UP, COUNTED = 10_000, 20_000  # decisions


@functools.cache
def port_log(name, kind, k=K, load=1):
    """What COUNTED decisions of a port lose, behind WARM_UP of them: at the start queues are empty, and turns end that do not later. Its queues hold
    768 flits and are refilled from sources without bound, as a NIC's, as the classes of `name` send, `load` times, evenly: the log is made
    beside a plain model of the arbiter, and the reference decides it again and says what each turn loses."""
    config = arbiter_of(name, kind, k)
    entries = [(entry["queue"], entry["weight"]) for entry in config["table"]]
    keeps = kind.startswith("deficit")
    rng = random.Random(7)
    every = [100 * SIZES[sl] / LOADS[name][sl] / load for sl in ALL]
    due_at = [rng.random() * gap for gap in every]
    waiting, level, heads = [0] * 5, [0] * 5, [[] for _ in ALL]
    events, winners, free = [], [], [0] * 5  # free: when the packet before a queue's head had gone
    current, left, saved, now = 0, entries[0][1], [0] * len(entries), 0
    while len(winners) < WARM_UP + COUNTED:
        for sl in ALL:
            while due_at[sl] <= now:
                waiting[sl] += 1
                due_at[sl] += every[sl]
            while waiting[sl] and level[sl] + SIZES[sl] <= 768:
                waiting[sl] -= 1
                level[sl] += SIZES[sl]
                heads[sl].append(now)
                events.append(q.arrive(sl, SIZES[sl], now))
        if not any(level):
            now += 1
            continue
        for _ in range(len(entries) + 1):
            sl = entries[current][0]
            if level[sl] and SIZES[sl] <= left:
                break
            saved[current] = left if level[sl] and keeps else 0
            current = (current + 1) % len(entries)
            left, saved[current] = entries[current][1] + saved[current], 0
        events.append((now, "arb", "", "", ""))
        arrived = heads[sl].pop(0)
        winners.append((now, sl, now - arrived, now - max(arrived, free[sl])))
        free[sl] = now + SIZES[sl]
        left -= SIZES[sl]
        level[sl] -= SIZES[sl]
        if left == 0:
            current = (current + 1) % len(entries)
            left, saved[current] = entries[current][1] + saved[current], 0
        now += SIZES[sl]
    decided_again = q.decide(config, events, explain=True)
    same([d.queue for d in decided_again], [sl for _, sl, _, _ in winners], "the reference on the model's log")
    counts = {what: [0] * 5 for what in ("visits", "idle", "misfits", "flits idle", "flits misfit", "saved")}
    counts["sent"] = [0] * 5
    counts["waits"] = {True: [], False: []}  # of SL 4's packets, in the queue and at its head, by whether they did not fit a turn
    met = False
    for decision, (_, _, *wait) in itertools.islice(zip(decided_again, winners, strict=True), WARM_UP, None):
        counts["sent"][decision.queue] += decision.flits
        met |= any("queue 4," in line and "does not fit" in line for line in decision.told)
        if decision.queue == 4:
            counts["waits"][met].append(wait)
            met = False
        for line in decision.told:
            found = re.match(
                r"entry \d+ \(queue (\d+), (\d+) flits? left\): (the head|.*?), ?.*?(\d+) (lost|saved)", line
            )
            if not found:
                granted = re.match(r"entry \d+ \(queue (\d+),.*granted", line)
                if granted:
                    counts["visits"][int(granted.group(1))] += 1
                continue
            sl, flits = int(found.group(1)), int(found.group(2))
            counts["visits"][sl] += 1
            if "does not fit" in line:
                counts["misfits"][sl] += 1
                counts["saved" if found.group(5) == "saved" else "flits misfit"][sl] += flits
            else:
                counts["idle"][sl] += 1
                counts["flits idle"][sl] += flits
    counts["cycles"] = now - winners[WARM_UP][0]
    return counts


PORT = f"decide --explain, one port whose queues of 768 flits are filled from sources without bound, as a NIC's, decisions {WARM_UP + 1:,} to {WARM_UP + COUNTED:,}"


def per(counts, what, of_what):
    return [a / max(b, 1) for a, b in zip(counts[what], counts[of_what], strict=True)]


def discarded(counts):
    """Flits that each SL's turns lose, empty and as a head did not fit."""
    return [a + b for a, b in zip(counts["flits idle"], counts["flits misfit"], strict=True)]


def discards(counts):
    """How often each SL's turns lose some."""
    return [a + b for a, b in zip(counts["idle"], counts["misfits"], strict=True)]


def told(spread_and_plain, digits):
    spread, plain = ("/".join(f"{x:.{digits}f}" for x in found) for found in spread_and_plain)
    return f"spread {spread}, plain {plain}"


@row("bxi-120", "fair, basic: SL 4's turns end empty with quantum left")
def _():
    own, more, divided = (
        port_log("fair", "basic"),
        port_log("fair", "basic", load=1.01),
        port_log("fair", "basic", 1280, 1.01),
    )
    part = [lost / (lost + sent) for lost, sent in zip(discarded(own), own["sent"], strict=True)]

    def behind(seed):
        """How much less SL 4 gets than the least of the others."""
        return min(seed[key(sl, "hosts.median")] for sl in range(4)) - seed["sl4.hosts.median"]

    runs = SMALL_NETWORK["fair.basic"], CAUSES["k = 1280"]["fair.basic"]
    with_1024, with_1280 = (run.each(behind) for run in runs)
    empty, misfit = more["flits idle"][4], more["flits misfit"][4]
    shown = (
        misfit > 2 * max(discarded(more)[:4])
        and empty == 0
        and discarded(divided)[4] == 0
        and Comparisons([with_1024, paired(*runs, lambda a, b: behind(a) - behind(b))])
    )
    return decided(
        part[4] == max(part) and min(part) < 0.9 * part[4] and empty > misfit,
        "at the paper's load of 1.00 nobody waits and turns lose "
        + "/".join(f"{100 * x:.0f}" for x in part)
        + " % of their quantum, what is not used of the link; at 1.01 they lose "
        + "/".join(f"{x:,}" for x in discarded(more))
        + f" flits, SL 4's {misfit:,} as a head did not fit and {empty:,} empty",
        PORT,
        (
            "SL 4 does lose most, but not by the timing of its packets: a turn of 1,024 flits leaves 64 that its packets of 80 do not fill, and a turn that ends empty costs nobody anything as long as nobody waits. "
            f"With k = 1280, which 80 divides, as the one change it loses {discarded(divided)[4]} flits at 1.01, and on 64 hosts its median is {with_1280.text(2, 100)} points below the next instead of "
            f"{with_1024.text(2, 100)}. All SLs of the plain table have a single entry"
            if shown
            else None
        ),
    )


@row("bxi-122", "fair, basic: spreading discards quantum in smaller pieces")
def _():
    def pieces(load):
        return [
            [lost / max(times, 1) for lost, times in zip(discarded(found), discards(found), strict=True)]
            for found in (port_log("fair", kind, load=load) for kind in ("basic-spread", "basic"))
        ]

    def smaller(found):
        return all(a < b for a, b in list(zip(*found, strict=True))[:4])

    own, more = pieces(1), pieces(1.01)
    return decided(
        smaller(more),
        "flits a discard at 1.01 times the paper's load: " + told(more, 0),
        f"{PORT}; judged where queues are backlogged, as bxi-120: elsewhere what is discarded costs nobody anything",
        (
            "a backlogged turn ends as a head does not fit, and that leaves less than a packet whatever the turn; at the paper's load of 1.00 as the one change, where turns end empty and nobody waits, "
            f"it holds ({told(own, 0)})"
            if smaller(own)
            else None
        ),
    )


@row("bxi-124", "fair, basic, spread: queues of long packets are found empty more often")
def _():
    found = port_log("fair", "basic-spread")
    idle = per(found, "idle", "visits")
    alone = per(port_log("fair", "basic"), "idle", "visits")
    return decided(
        spearman(list(ALL), idle) >= 0.8,
        "at the paper's load of 1.00 visits that find the queue inactive " + "/".join(f"{100 * x:.0f}" for x in idle) + " %",
        PORT,
        (
            "an SL with more entries is looked at more often and has the same flits to send; with one entry for each, the plain table as the one change, it holds ("
            + "/".join(f"{100 * x:.0f}" for x in alone)
            + " %)"
            if spearman(list(ALL), alone) >= 0.8
            else None
        ),
    )


@row("bxi-131", "fair, basic: a head that does not fit waits for all other turns")
def _():
    decisions = q.decide(
        table([(0, 1024), (1, 1024), (2, 1024), (3, 1024), (4, 1024)], 80, "bxi-basic"),
        q.backlog(SIZES, 1000),
        explain=True,
    )
    now, missed, waits = 0, None, []
    for decision in decisions:
        if any("queue 4" in line and "does not fit" in line for line in decision.told):
            missed = now
        if decision.queue == 4 and missed is not None:
            waits.append(now - missed)
            missed = None
        now += decision.flits
    holds(len(waits) > 3 and all(wait == waits[0] for wait in waits), "the same wait each time")
    others = sum(K // size * size for size in SIZES[:4])
    same(waits[0], others, "flits of the others' turns")
    load = 1.01
    met, fitted = (port_log("fair", "basic", load=load)["waits"][whether] for whether in (True, False))
    in_queue, at_head = (sum(x) / len(met) - sum(y) / len(fitted) for x, y in zip(zip(*met, strict=True), zip(*fitted, strict=True), strict=True))
    def close(wait):
        return abs(wait - others) <= 0.2 * others

    return decided(
        close(in_queue),
        f"{waits[0]} flits, the sum of the others' turns; at {load} times the paper's load {len(met)} such packets wait {in_queue:.0f} flits longer than {len(fitted):,} others",
        f"decide --explain, all backlogged; {PORT}: asked is that sum within 20 %",
        (
            f"the head itself does wait so much longer, {at_head:.0f} flits at the head of the queue; in whole waits, from a packet's arrival, the difference is less, as the packets behind such a head wait for the same turns"
            if close(at_head)
            else None
        ),
    )


@row("bxi-158", "step: shorter turns make all SLs discard more often")
def _():
    def often(k):
        return [
            [1000 * times / found["cycles"] for times in discards(found)]
            for found in (port_log("step", kind, k) for kind in ("basic-spread", "basic"))
        ]

    long, short = often(1024), often(300)
    return decided(
        all(a > b for a, b in zip(*long, strict=True)),
        "at the paper's load, 1.07 of the link, discards in 1,000 cycles: " + told(long, 2),
        PORT,
        (
            "queues are backlogged and packets of SL 0 to 3 divide their quanta at k = 1024 in either table, so only SL 4 discards, as often with its one entry in either; "
            f"with k = 300, with which the shares of basic in step come out, too (bxi-145, 146, 154), as the one change it holds (discards in 1,000 cycles: {told(short, 2)})"
            if all(a > b for a, b in zip(*short, strict=True))
            else None
        ),
    )


@row("bxi-160", "step: deficits use the quantum that is thrown away otherwise")
def _():
    basic, deficit = port_log("step", "basic"), port_log("step", "deficit")
    lost, kept = sum(discarded(basic)), sum(discarded(deficit))
    return decided(
        kept < 0.1 * lost,
        f"at the paper's load, 1.07 of the link, {kept:,} flits discarded against {lost:,}, of those {sum(basic['flits misfit']):,} as a head did not fit",
        f"{PORT}; basic loses {100 * lost / (lost + basic['cycles']):.2f} % of its quanta",
    )
