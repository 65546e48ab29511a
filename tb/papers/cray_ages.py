"""Rows of the Cray paper's ages and epochs (Sects. 2.2 and 2.3, Tables 1 and 2, Procedures 1 to 3): how a router counts time."""

import functools
import random
import re

import command as q
from cray_machine import ALL_AGE, ALL_RR, by_procedure_2, random_log, row, seastar
from rows import agrees, differs, holds, near, same


@functools.cache
def stamps():
    """(age with bias, timestamp, field, epoch) of arrivals at many moments."""
    rng, events = random.Random(100), []
    for cycle in range(1200):
        events += [q.arrive(rng.randrange(8), 1, cycle, rng.randint(0, 255))] + q.arbs(1, cycle)
    found = []
    for d in q.decide(seastar(period=1, req=0, rsp=0, select=ALL_RR), events, explain=True):
        for line_ in d.told:
            m = re.match(
                r"queue \d+: age \d+ \+ bias \d+ = (\d+).*field (\d+) at timestamp (\d+), in_epoch (\d)", line_
            )
            if m:
                found.append(tuple(map(int, m.groups())))
    holds(len(found) >= 1200 and len({f[1] for f in found}) > 300, "many fields")
    return found


@row("cray-69", "Table 1: age in bits 7:0")
def _():
    holds(all((field + timestamp) % 256 == age for age, field, timestamp, _ in stamps()), "bits 7:0")
    return agrees("bits 7:0 of the field give the age back", f"decide --explain, {len(stamps())} arrivals")


@row("cray-70", "Table 1: carry in bit 8")
def _():
    holds(all((field >> 8) == (age < timestamp) for age, field, timestamp, _ in stamps()), "bit 8")
    holds({field >> 8 for _, field, _, _ in stamps()} == {0, 1}, "both values occur")
    return agrees("1 exactly when age < timestamp at arrival", f"decide --explain, {len(stamps())} arrivals")


@row("cray-71", "Table 1: in_epoch")
def _():
    same({epoch for *_, epoch in stamps()}, {0, 1}, "epochs")
    first = q.decide(seastar(period=1), [q.arrive(0, 1, 300), *q.arbs(1, 300)], explain=True)[0]
    holds("in_epoch 1" in " ".join(first.told), "epoch 1 after one roll")
    return agrees("the epoch in force at arrival", "decide --explain")


EXPLAINED = re.compile(r"field (\d+), in_epoch (\d): new age (\d+)")


@row("cray-72", "Table 1: bit 10")
def _():
    ages = []
    for d in q.decide(seastar(period=1), random_log(random.Random(72), range(8), 800), explain=True):
        now = next((found for line in d.told if (found := re.match(r"timestamp (\d+), epoch (\d)", line))), None)
        for field, in_epoch, age in (map(int, found.groups()) for line in d.told if (found := EXPLAINED.search(line))):
            holds(field < 512, "the field has 9 bits")
            ages.append((age, by_procedure_2(field, in_epoch, *map(int, now.groups()))))
    same([age for age, _ in ages], [expected for _, expected in ages], "ages")
    holds(len(ages) > 500 and len(set(ages)) > 50, f"{len(ages)} ages")
    return agrees(
        f"{len(ages)} ages are what bits 8:0 and the epoch make of them",
        "decide --explain, 800 cycles of random traffic at period 1 (seed 72), each age computed again from these ten bits, timestamp and epoch; of an eleventh a log knows nothing, it refuses an age of 256 (cray-78)",
    )


@row("cray-73", "age field of 11 bits, values 0 to 255")
def _():
    ages = [d.age for d in q.decide(seastar(period=1, req=7, rsp=7), random_log(random.Random(73), range(8), 800))]
    same((min(ages) >= 0, max(ages)), (True, 255), "ages")
    return agrees("8 + 1 + 1 + 1 bits; no age above 255 in 800 arbitrations", "decide (seed 73)")


@row("cray-74", "a packet belongs to the epoch of its arrival")
def _():
    d = q.decide(seastar(period=1), [q.arrive(0, 1, 200), q.arrive(4, 1, 290)] + q.arbs(1, 295), explain=True)[0]
    found = [m.groups() for text in d.told if (m := re.match(r"queue (\d): age .* in_epoch (\d)", text))]
    same(found, [("0", "0"), ("4", "1")], "queue and epoch")
    return agrees("arrivals in cycles 200 and 290 have epochs 0 and 1", "decide --explain, period 1")


def epoch_log(stuck):
    events = ([q.arrive(0, 1, 100), q.stop(0, 100)] if stuck else []) + [q.arrive(4, 1, 400), q.arrive(5, 1, 410)]
    events += q.arbs(2, 500) + [q.arrive(4, 1, 1490)]
    return events + ([q.start(0, 1500)] if stuck else []) + q.arbs(8, 1501)


@row("cray-75", "the epoch switches only if no packet of the other one is left")
def _():
    free = q.decide(seastar(period=1), epoch_log(False), explain=True)
    stuck = q.decide(seastar(period=1), epoch_log(True), explain=True)
    same((stuck[0].before["epoch"], stuck[0].before["inhibit"]), ("1", "false"), "one switch past the stuck packet")
    same(
        (stuck[2].before["epoch"], stuck[2].before["inhibit"], stuck[2].before["timestamp"]),
        ("1", "true", "255"),
        "no second",
    )
    holds(free[2].before["inhibit"] == "false", "without a stuck packet time goes on")
    return agrees(
        "timestamp stays at 255 while an old packet waits",
        "decide --explain: a packet of epoch 0 stopped for two rolls",
    )


@row("cray-76", "while waiting, old packets drain by round robin")
def _():
    old = (0, 0, 1, 5, 6)
    log = [q.arrive(4, 1, 90)] + q.arbs(1, 95)  # by age: its pointer goes to 4, that of round robin stays
    log += [q.arrive(queue, 1, 100, age) for age, queue in enumerate(old)] + [q.stop(queue, 100) for queue in set(old)]
    log += [q.arrive(2, 1, 700, 255)] + [q.start(queue, 800) for queue in set(old)] + q.arbs(6, 801)
    first, *decisions = q.decide(seastar(period=1), log, explain=True)
    same((first.queue, decisions[0].before["last_age"], decisions[0].before["last_rr"]), (4, "4", "7"), "pointers")
    same(
        [d.before["inhibit"] for d in decisions if d.before],
        ["true"] * len([d for d in decisions if d.before]),
        "inhibited",
    )
    same([d.queue for d in decisions], [0, 1, 5, 6, 0, 2], "in turn, from round robin's pointer on, then the young one")
    return agrees(
        "five old packets leave in the turn 0, 1, 5, 6, 0, then the young one",
        "decide --explain, inhibited at period 1: the turn begins at the pointer of round robin, 7; that of age, 4, with which equal ages would go, would begin with 5, and the young packet came with an age of 255",
    )


@row("cray-77", "old packets leave before packets of the new epoch are accepted")
def _():
    log = [q.arrive(0, 1, 100), q.stop(0, 100)] + [q.arrive(4, 1, cycle) for cycle in range(700, 760)]
    decisions = q.decide(seastar(period=1), log + q.arbs(20, 720) + [q.start(0, 740)] + q.arbs(20, 740), explain=True)
    same(decisions[0].before["inhibit"], "true", "inhibited")
    same([d.queue for d in decisions[:21]], [4] * 20 + [0], "what leaves, until the old packet may")
    booked = [
        int(m[1]) for d in decisions for text in d.told if (m := re.match(r"queue 4: age .* in_epoch (\d)", text))
    ]
    first = 700 + booked.index(0)
    same(
        (len(booked), set(booked[: first - 700]), set(booked[first - 700 :])), (60, {1}, {0}), "epochs of the arrivals"
    )
    out = decisions[20].cycle
    holds(first > out, f"the new epoch begins in cycle {first}, the old packet leaves in {out}")
    return agrees(
        f"an old packet leaves in cycle {out}, the first of the new epoch is accepted in {first}",
        f"decide --explain, period 1: a packet of epoch 0 stopped past the second roll. All {first - 700} that arrive until then are booked in epoch 1, the current one; they are not held up, "
        "and with the old one stopped 20 of them leave before it, so the sentence is true of epochs and not of all arrivals",
    )


def ranges(row_id, what, key, allowed, shown):
    @row(row_id, what)
    def _():
        states = [
            d.before
            for d in q.decide(seastar(period=1), random_log(random.Random(78), range(8), 700), explain=True)
            if d.before
        ]
        found = {int(state[key]) for state in states}
        holds(found <= set(allowed) and {min(allowed), max(allowed)} <= found, f"{key}: {min(found)} to {max(found)}")
        return agrees(shown, "decide --explain, 700 cycles of random traffic at period 1 (seed 78)")


@row("cray-78", "Table 2: age")
def _():
    config = seastar(req=0, rsp=0)
    same([q.decide(config, [q.arrive(0, 1, 0, age)] + q.arbs(1))[0].age for age in (0, 255)], [0, 255], "ages")
    holds(q.refused(config, q.arrive(0, 1, 0, 256)), "256 is refused")
    return agrees("0..255; 256 refused", "decide")


ranges("cray-79", "Table 2: timestamp", "timestamp", range(256), "0..255")
ranges("cray-80", "Table 2: epoch", "epoch", range(2), "0, 1")


@row("cray-81", "Table 2: new_age")
def _():
    holds(max(field for _, field, _, _ in stamps()) + 255 > 511, "the sum needs ten bits")
    ages = [d.age for d in q.decide(seastar(period=1), random_log(random.Random(81), range(8), 600))]
    holds(0 <= min(ages) and max(ages) <= 255, "range")
    return agrees(
        "0..255 after saturation",
        "decide (seed 81); the sum itself needs 10 bits: a field of up to 511 and a timestamp of up to 255",
    )


@row("cray-82", "Table 2: saturation flag")
def _():
    log = [q.arrive(0, 1, 0, 200)]
    ages = [q.decide(seastar(period=1, req=0), log + q.arbs(1, now))[0].age for now in (54, 55, 56, 100)]
    same(ages, [254, 255, 255, 255], "ages")
    return agrees(
        "200 + 54 ticks make 254, 200 + 56 and + 100 make 255",
        "decide; the flag of Procedure 2, line 9 shows in the age alone and is never read by itself",
    )


@row("cray-83", "Table 2: rollover flag")
def _():
    config = seastar(period=1, req=0)
    d = q.decide(config, [q.arrive(0, 1, 200)] + q.arbs(1, 300), explain=True)[0]
    same((d.before["epoch"], d.age), ("1", 100), "100 ticks across a roll")
    return agrees("in_epoch != epoch: age 100 after 100 ticks across a roll", "decide --explain")


@row("cray-84", "Table 2: packet_count 0..2047")
def _():
    def counted(flits):
        events = [q.arrive(queue, flits) for queue in range(28) for _ in range(96 // flits)] + q.arbs(1)
        return q.numbers(q.decide(seastar(7), events, explain=True)[0].before["packet_count"])[0]

    same([counted(1), counted(2)], [2688, 1344], "packets of one flit and of two")
    return differs(
        "2,688 packets of one flit in the input queues",
        f"11 bits end at 2,047, the chip's own 28 queues of 96 entries hold more, those of the six network ports alone {24 * 96:,}; with packets of two flits, the one "
        "change, 1,344 fit (decide --explain)",
    )


@row("cray-85", "Table 2: age_clock_period_reg")
def _():
    for period in (1, 3, 8):
        register, ticks, taken, timestamps, registers = period, 0, {period}, [], []
        for _ in range(60):
            timestamps.append(ticks)
            registers.append(register)
            register -= 1  # Procedure 3, lines 7 to 9 and 19
            taken.add(register)
            if register == 0:
                register, ticks = period, ticks + 1
        same(taken, set(range(period + 1)), f"values with a period of {period}")
        states = [d.before for d in q.decide(seastar(period=period), q.backlog([1], 60), explain=True)]
        same([int(state["timestamp"]) for state in states], timestamps, f"ticks with a period of {period}")
        same([int(state["countdown"]) for state in states], registers, f"countdown with a period of {period}")
    same(q.refused(seastar(period=2**32 - 1)), None, "2^32 - 1")
    holds(q.refused(seastar(period=0)), "0 is refused")
    return agrees(
        "p, ..., 1, 0 with a period of p up to 2^32 - 1",
        "lines 7 to 9 of Procedure 3 as printed, for p = 1, 3, 8, tick by tick as decide --explain has them: 0 is taken before the reload. As a period 0 is of no use, "
        "its countdown would begin below zero; decide refuses it",
    )


@row("cray-97", "biases of three bits")
def _():
    same(q.refused(seastar(req=7, rsp=7)), None, "7")
    holds(q.refused(seastar(req=8)) and q.refused(seastar(rsp=8)), "8 is refused")
    return agrees("0..7; 8 refused", "decide")


@row("cray-98", "saturation on arrival")
def _():
    ages = [q.decide(seastar(req=7), [q.arrive(0, 1, 0, age)] + q.arbs(1))[0].age for age in (247, 248, 249, 250)]
    same(ages, [254, 255, 255, 255], "ages")
    return agrees("250 + 7 = 255", "decide")


@row("cray-99", "packet_count of the current epoch")
def _():
    log = random_log(random.Random(99), range(8), 800, rate=0.6)
    inside, epochs, seen = [0, 0], {queue: [] for queue in range(8)}, set()
    decisions = q.decide(seastar(period=1), log, explain=True)
    for d in decisions:
        for text in d.told:
            if m := re.match(r"queue (\d): age .* bias .* in_epoch (\d)", text):
                queue, epoch = map(int, m.groups())
                epochs[queue].append(epoch)
                inside[epoch] += 1
        before = d.before or {"epoch": "0", "packet_count": "[0 0]"}  # none to tell while nothing has come
        same(q.numbers(before["packet_count"]), inside, f"before the decision of cycle {d.cycle}")
        seen.add((before["epoch"], inside[0] > 0, inside[1] > 0))
        if d.queue >= 0:
            inside[epochs[d.queue].pop(0)] -= 1
            same(q.numbers(d.state["packet_count"]), inside, f"after the decision of cycle {d.cycle}")
    holds({("0", True, True), ("1", True, True)} <= seen, "packets of both epochs, whichever is current")
    return agrees(
        f"both counts are right in {len(decisions)} cycles",
        "decide --explain, period 1: counted along, each packet by the epoch of its arrival (seed 99)",
    )


@row("cray-100", "bits 8:0 = age - timestamp")
def _():
    holds(all(field == (age - timestamp) % 512 for age, field, timestamp, _ in stamps()), "fields")
    return agrees(
        f"(age - timestamp) mod 512 in {len(stamps())} arrivals, drawn from the 65,536 pairs",
        "decide --explain",
    )


@row("cray-101", "age is taken from head_flit[10:0]")
def _():
    holds(q.refused(seastar(), q.arrive(0, 1, 0, 2047)), "an age of 11 bits is refused")
    marked = sum(bool(field >> 8 or epoch) for _, field, _, epoch in stamps())
    return differs(
        "8 bits are taken",
        "the text says [10:0], the pseudocode and Table 1 [7:0]; bits 8 and 9 are the router before's bookkeeping, as Procedure 2, line 13, writes bits 7:0 only. "
        f"With them {marked:,} of {len(stamps()):,} drawn packets (seed 100) would come with more than 255 to the next router and be 255 there; with 8 bits, the one change, none (decide refuses 2,047)",
    )


@row("cray-104", "rollover adds 256")
def _():
    config = seastar(period=1, req=0)
    for arrival, now in ((200, 300), (0, 255), (255, 300), (10, 400)):
        d = q.decide(config, [q.arrive(0, 1, arrival)] + q.arbs(1, now), explain=True)[0]
        same(d.age, min(255, now - arrival), f"{arrival} to {now}")
    return agrees("ages of 100, 255, 45, 255 after as many ticks", "decide, period 1, across a roll and within one")


@row("cray-105", "a 10-bit sum")
def _():
    rng, seen = random.Random(105), 0
    for _ in range(6):
        arrivals = sorted(rng.sample(range(1, 400), 8))
        ages = {queue: rng.randint(0, 255) for queue in range(8)}
        events = [q.arrive(queue, 1, arrivals[queue], ages[queue]) for queue in range(8)] + q.arbs(8, 401)
        for d in q.decide(seastar(period=1, req=0, rsp=0, select=ALL_RR), events):
            same(d.age, min(255, ages[d.queue] + d.cycle - arrivals[d.queue]), f"queue {d.queue}")
            seen += 1
    return agrees(
        f"age at arrival + ticks since, up to 255, in {seen} cases",
        "decide, random ages and arrivals over two epochs (seed 105); over all ages, arrivals and moments of two epochs SeastarAgeErratum.Procedure2Line8OverAllCases of tb/unit has it",
    )


def overflow_counts(printed):
    """Over all ages, arrivals and later moments of the same and the next epoch: (cases, wrongly 255, wrapped)."""
    cases = saturated = wrapped = 0
    for age in range(256):
        for arrived in range(256):
            field = (age - arrived) % 512
            carry = field >> 8
            for roll, low, high in ((0, arrived, 255), (1, 0, 255)):
                first, last = field + 256 * roll + low, field + 256 * roll + high
                cases += high - low + 1
                block = first >> 8
                while block <= last >> 8:
                    begin, end = max(first, 256 * block), min(last, 256 * block + 255)
                    bit_8, bit_9 = block & 1, block >> 1 & 1
                    to_255 = bit_8 or (bit_9 and (carry if printed else not carry))
                    # begin - 512 carry .. end - 512 carry are the true ages.
                    true_begin, true_end = begin - 512 * carry, end - 512 * carry
                    if to_255:
                        saturated += max(0, min(true_end, 254) - true_begin + 1)
                    else:
                        wrong = max(0, true_end - max(true_begin, 256) + 1)
                        if wrong and end == 256 * block + 255:
                            wrong -= 1  # 255 itself is right
                        wrapped += wrong
                    block += 1
    return cases, saturated, wrapped


@row("cray-106", "Procedure 2, line 8: overflow")
def _():
    same(overflow_counts(False), (25_198_592, 0, 0), "corrected")
    same(overflow_counts(True), (25_198_592, 5_559_680, 2_796_160), "printed")
    config = seastar(period=1, req=0)
    events = [q.arrive(0, 1, 50, 20)] + q.arbs(1, 60)
    same(
        [q.decide({**config, "variant": v}, events)[0].age for v in ("corrected", "printed")],
        [30, 255],
        "younger than the timestamp",
    )
    late = [q.arrive(0, 1, 0, 200)] + q.arbs(1, 312)
    same([q.decide({**config, "variant": v}, late)[0].age for v in ("corrected", "printed")], [255, 0], "wrapped")
    return differs(
        "needs NOT head_flit[8]",
        "of 25,198,592 cases 5,559,680 are 255 too early and 2,796,160 wrap to young ages as printed, none with the NOT, the one change (all "
        "counted; decide shows one of each: 30 becomes 255, 255 becomes 0)",
    )


@row("cray-108", "the winner leaves with its new age and is counted off")
def _():
    decisions = q.decide(
        seastar(period=10, req=2), [q.arrive(0, 1, 0, 5), q.arrive(4, 1, 0, 5)] + q.arbs(2, 50), explain=True
    )
    same([d.age for d in decisions], [12, 12], "ages")
    same(q.numbers(decisions[1].state["packet_count"]), [0, 0], "counts")
    return agrees("5 + 2 + 5 ticks = 12; counts back to 0", "decide --explain")


@row("cray-109", "Procedure 2, line 12 always goes by age")
def _():
    config = seastar(period=10**6, select="0x1")
    order = q.winners(
        config, [q.arrive(queue, 1, 0, age) for queue, age in ((0, 9), (0, 9), (1, 5), (2, 200))] + q.arbs(3)
    )
    same(order, [2, 0, 1], "one grant by age, then round robin")
    always = q.winners(
        {**config, "age_rr_select": ALL_AGE},
        [q.arrive(queue, 1, 0, age) for queue, age in ((0, 9), (0, 9), (1, 5), (2, 200))] + q.arbs(3),
    )
    same(always, [2, 0, 0], "by age")
    return differs(
        "AGE_RR_SELECT and inhibition decide who chooses",
        "the procedure mentions neither, Sects. 2.1 and 2.2 have both: heads of 200, 9, 5 and a second one of 9 in the queue of the first leave by AGE_RR_SELECT 1 as 200, 9, 5, "
        "with all bits set, the one change, by age as line 12 has it, 200, 9, 9 (decide)",
    )


@row("cray-110", "the timer: one tick every p cycles")
def _():
    for period in (1, 3, 8):
        events = q.arbs(40, 0, 7)
        for d in q.decide(seastar(period=period), events, explain=True):
            if d.before:
                same(int(d.before["timestamp"]), d.cycle // period % 256, f"period {period}, cycle {d.cycle}")
    return agrees("floor(n / p) mod 256 for p = 1, 3, 8", "decide --explain")


@row("cray-111", "at 255 the timestamp rolls and the epoch changes")
def _():
    for period in (4, 8, 16, 18, 4096):
        d = q.decide(seastar(period=period), q.arbs(1, 256 * period - 1) + q.arbs(1, 256 * period), explain=True)
        same([(x.before["timestamp"], x.before["epoch"]) for x in d], [("255", "0"), ("0", "1")], f"period {period}")
    near([256 * p * 2e-3 for p in (4, 8, 16, 18, 4096)], [2.05, 4.1, 8.2, 9.2, 2097], 0.2, "us")
    return agrees("every 256 p cycles: 2.05, 4.1, 8.2, 9.2 us and 2.1 ms at p = 4, 8, 16, 18, 4096", "decide --explain")


@row("cray-112", "otherwise inhibited, and the timer stands still")
def _():
    decisions = q.decide(
        seastar(period=3),
        [q.arrive(0, 1, 100), q.stop(0, 100), q.arrive(4, 1, 1550)] + q.arbs(3, 1600, 100),
        explain=True,
    )
    same(
        [tuple(d.before[key] for key in ("inhibit", "timestamp", "countdown")) for d in decisions],
        [("true", "255", "3")] * 3,
        "cycles 1600, 1700, 1800",
    )
    return agrees(
        "timestamp 255 and countdown 3 in cycles 1600, 1700 and 1800",
        "decide --explain, period 3: one old packet stopped",
    )


@row("cray-113", "after the drain the timestamp is still 255")
def _():
    for period in (1, 5, 20):
        # The old packet leaves at `out`, long after the roll was due.
        out = 256 * period * 3
        events = [
            q.arrive(0, 1, 10),
            q.stop(0, 10),
            q.arrive(4, 1, 256 * period + 5),
            q.stop(4, 256 * period + 5),
            q.start(0, out),
        ]
        events += q.arbs(3 * period + 6, out)
        decisions = q.decide(seastar(period=period), events, explain=True)
        same(decisions[0].queue, 0, "drained")
        flipped = next(d.cycle for d in decisions if d.before["epoch"] != decisions[0].before["epoch"])
        # The counts of the drain's cycle take effect in the next: then period + 1 cycles.
        same(flipped - (out + 1), period + 1, f"period {period}")
    return agrees("the epoch changes p + 1 cycles after the old one is empty, p = 1, 5, 20", "decide --explain")


@row("cray-114", "a write of AGE_CLK_PERIOD loads the countdown at once")
def _():
    test = "APeriodOf0StopsTheClockAndANewOneRestartsTheCountdown"
    fault = "a-period-waits-for-the-old-one"
    holds(test in (q.TOP / "tb/ages/seastar_lockstep_test.cpp").read_text(), "the test is there")
    holds(f'"{fault}"' in (q.TOP / "tb/ages/faults.toml").read_text(), "the fault that it has to find is there")
    return agrees(
        "a period of 100 written at a countdown of 2 makes it 100, and the timestamp stays",
        f"shown by tests of the RTL's age clock, not by a run of the command, in whose logs the period stays: SeastarRtl.{test} of tb/ages, and "
        f"ages.fault.{fault}, in which it has to fail; ctest runs them, here it is only seen that they are there. A port's register brings the period to the clock with a commit",
    )
