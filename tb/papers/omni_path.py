"""The Omni-Path paper (simple bandwidth table and deficit table), row by row: what one arbiter and one port decide."""

import functools
import itertools
import random
import re
from fractions import Fraction

import command as q
from experiment import interval
from rows import NOT_TESTABLE, Paper, Verdict, agrees, decided, differs, holds, near, percent, same

paper = Paper("omni-path", "Omni-Path: simple bandwidth table and deficit table")
row = paper.row

NAMES = ["VO", "VI", "CL", "BE", "BK"]
WISHES = [Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1, 20), Fraction(1, 20)]
MESSAGES = [2, 4, 8, 16, 16]  # of Table 8, in credits of 64 bytes
OWN = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]  # SL of each VL, two VLs an SL
EIGHT = [0, 0, 1, 1, 2, 2, 3, 4]  # the same with one VL for BE and one for BK
WEIGHTS = [10, 30, 50, 5, 5]  # Table 10 as its text and total demand


def sbt(weights, queue_sl=None, variant="corrected", packet=1):
    queue_sl = queue_sl or list(range(len(weights)))
    return {
        "policy": "sbt",
        "variant": variant,
        "queues": len(queue_sl),
        "max_packet_flits": packet,
        "queue_sl": queue_sl,
        "table": [{"sl": sl, "weight": weight} for sl, weight in enumerate(weights)],
    }


def dtable(entries, sl_mtu, queue_sl=None, variant="corrected", packet=None):
    queue_sl = queue_sl or list(range(len(sl_mtu)))
    return {
        "policy": "dtable",
        "variant": variant,
        "queues": len(queue_sl),
        "max_packet_flits": packet or max(sl_mtu),
        "queue_sl": queue_sl,
        "sl_mtu": sl_mtu,
        "table": [{"sl": sl, "weight": weight} for sl, weight in entries],
    }


def rr(queues, packet=1):
    return {"policy": "rr", "queues": queues, "max_packet_flits": packet}


def exact(config, *options):
    report = q.analyze(config, "--max-decisions", 1048576, *options)
    holds(report["exact"], "the state repeats")
    return [Fraction(x["share_exact"]) for x in report["queues"]], report


def floats(values):
    return [float(value) for value in values]


# --- plans ---------------------------------------------------------------------------------------------------


def levels(shares, mtus, distances):
    return [
        {"sl": sl, "mtu": mtu, "distance": distance, "share": str(share)}
        for sl, (share, mtu, distance) in enumerate(zip(shares, mtus, distances, strict=True))
    ]


T9 = dict(entries=128, gmtu=16, w=8, k=2)
T9_LEVELS = levels(WISHES, MESSAGES, [2, 4, 8, 16, 16])


@functools.cache
def table_9(k=2, w=8):
    return q.plan("dtable", **{**T9, "k": k, "w": w}, service_levels=T9_LEVELS)


def column(plan, key):
    return [level[key] for level in plan["service_levels"]]


def entries_of(text):
    """(sl, weight) of the entries in an `arbiter` section."""
    return [(int(sl), int(weight)) for sl, weight in re.findall(r"\{sl: (\d+), weight: (\d+)\}", text)]


@functools.cache
def entries_9(k=2, w=8):
    return entries_of(q.plan_table("dtable", **{**T9, "k": k, "w": w}, service_levels=T9_LEVELS))


def deficit_table(k=2, w=8, queue_sl=None, variant="corrected"):
    return dtable(entries_9(k, w), MESSAGES, queue_sl, variant)


SIZES = ",".join(map(str, MESSAGES))


# --- rates and constants -------------------------------------------------------------------------------------


def one_port(config, traffic, ports=2, measure=100, gbps=100, flit=64, **switch):
    return {
        "arbiter": config,
        "network": {
            "topology": {"kind": "single-switch", "ports": ports},
            "link": {"gbps": gbps, "delay_ns": 0},
            "flit_bytes": flit,
            "switch": {
                "input_queue_flits": 1024,
                "output_queue_flits": 1024,
                "crossbar_speedup": 3,
                "flow_control": "pfc",
                **switch,
            },
        },
        "traffic": traffic,
        "run": {"warmup_us": 50, "measure_us": measure, "seed": 1},
    }


def source(queue, load, size, name=None, **keys):
    return {
        "name": name or f"q{queue}",
        "queue": queue,
        "pattern": "hot-spot",
        "to": 1,
        "hosts": [0],
        "load": load,
        "message_bytes": size,
        **keys,
    }


def by_wish(load, messages=MESSAGES, **keys):
    """Table 10's injection, scaled to `load` flits a cycle and NIC, to uniform destinations."""
    return [
        {
            "name": name,
            "queue": sl,
            "pattern": "uniform",
            "load": round(float(WISHES[sl]) * load, 6),
            "message_bytes": 64 * messages[sl],
            **keys,
        }
        for sl, name in enumerate(NAMES)
    ]


def mixed(total, config=None, loads=WISHES, sizes=None, measure=200):
    sizes = sizes or [64 * n for n in MESSAGES]
    return one_port(
        config or rr(5, 16),
        [source(i, round(float(total * load), 6), size, NAMES[i]) for i, (load, size) in enumerate(zip(loads, sizes, strict=True))],
        measure=measure,
    )


ANY_NUMBER = (
    "cause: 32 is the architecture's limit, which no configuration here has: a queue or an SL is a number to an arbiter, and one more is taken as the others are"
)


@row("opa-1", "virtual lanes")
def _():
    same(q.refused(sbt([1] * 32)), None, "32 queues")
    same(q.refused(sbt([1] * 33)), None, "33 queues")
    return differs("32 queues accepted, 33 not refused", f"decide; {ANY_NUMBER}")


@row("opa-2", "service channels; SC15 is set apart")
def _():
    config = dtable([(0, 1)], [1], [0] * 32)
    same(q.refused(config), None, "32 channels of one SL")
    same(q.winners(config, [q.arrive(15)] + q.arbs(1)), [15], "data on channel 15")

    apart = dtable([(0, 1)], [1, 1], [0] * 15 + [1] + [0] * 16)
    holds(q.refused(apart), "a channel whose SL has no entry is refused")
    events = [q.arrive(15), q.arrive(0)] + q.arbs(2)
    same(q.winners({**apart, "strict": False}, events), [0, -1], "beside data on channel 0")
    return differs(
        "32 channels accepted; data on SC 15 is sent as any other",
        "decide: a channel is a queue, and neither of the paper's two algorithms knows one of management; with an SL of its own for SC 15 that has no entry, the one change, "
        "the table is refused, and with `strict: false` data on it is never sent",
    )


@row("opa-7", "a packet carries its SC alone, and the SL follows from it")
def _():
    def served(queue_sl):
        found = [0] * 6
        for decision in q.decide(dtable([(0, 1), (1, 2), (2, 3)], [1, 1, 1], queue_sl), q.backlog([1] * 6, 600)):
            found[decision.queue] += 1
        return found

    same(served([0, 0, 1, 1, 2, 2]), [50, 50, 100, 100, 150, 150], "packets by SC with Fig. 1's pairs")
    same(served([2, 2, 1, 1, 0, 0]), [150, 150, 100, 100, 50, 50], "packets by SC with the SLs of the pairs exchanged")
    return agrees(
        "SCs 0 to 5 get 50/50/100/100/150/150 of 600 packets, with the pairs' SLs exchanged 150/150/100/100/50/50",
        "decide: of what tells packets apart the log has the SC alone; `queue_sl` is SC2SL. sim has no header",
    )


@row("opa-3", "service levels")
def _():
    for count in (32, 33):
        same(q.refused(dtable([(sl, 1) for sl in range(count)], [1] * count)), None, f"{count} SLs, dtable")
        same(q.refused(sbt([1] * count)), None, f"{count} SLs, sbt")
    return differs("32 SLs accepted, 33 not refused, sbt and dtable", f"decide; {ANY_NUMBER}")


@row("opa-9", "a flit a cycle on every port")
def _():
    full = [{**source(0, 1.0, 1024, f"host {host}"), "hosts": [host]} for host in (0, 2)]
    run = q.sim(one_port(rr(1, 128), full, ports=3, flit=8))
    accepted = 3 * sum(item["accepted"] for item in run["classes"])
    same(run["cycle_ns"], 0.64, "cycle")
    near(accepted, 1, 1e-9, "a port that two full streams go to")
    return agrees(
        f"8 bytes every 0.64 ns; a port that two full streams go to delivers {accepted:.3f} flits a cycle",
        "sim, flits of 8 bytes at 100 Gb/s",
    )


@row("opa-19", "a chosen packet goes to its end")
def _():
    config = dtable([(0, 16), (1, 16)], [16, 16])
    events = [q.arrive(0, 16), q.arrive(1, 16), q.stop(0, 1)] + q.arbs(2)
    same(q.winners(config, events), [0, 1], "a queue without credit is not chosen")
    run = q.sim(one_port(rr(2, 16), [source(0, 0.6, 1024), source(1, 0.6, 1024)]))
    same(run["flits_lost"], 0, "lost")
    return agrees(
        "no queue without room for its packet wins; no two packets on a wire",
        "decide; sim ends with status 1 if a wire carries " "two packets at once",
    )


@row("opa-20", "cut-through: the body follows a flit behind")
def _():
    latency = [
        q.sim(one_port(rr(1, 128), [source(0, 0.01, 8 * n)], flit=8))["classes"][0]["network_latency_ns"]["p50"] / 0.64
        for n in (1, 16, 128)
    ]
    near([latency[1] - latency[0], latency[2] - latency[0]], [15, 127], 0.01, "cycles for L flits more over two links")
    return agrees("L - 1 cycles more for L flits, not 2 L, over two links", "sim at low load")


@row("opa-22", "no preemption")
def _():
    table, bursts = dtable([(0, 2), (1, 16)], [2, 16]), {"period_us": 1000}
    long = {**source(1, 1, 1024, "long"), "burst": {"bytes": 1024, **bursts}}
    short = {**source(0, 1, 128, "short"), "hosts": [2], "burst": {"bytes": 128, "offset_us": 0.02, **bursts}}
    for item in (long, short):
        del item["load"]

    def latency(*traffic):
        scenario = one_port(table, list(traffic), ports=3, measure=5)
        run = q.sim({**scenario, "run": {**scenario["run"], "warmup_us": 0}})
        return [round(item["packet_latency_ns"]["mean"], 2) for item in run["classes"]]

    (whole,), (alone,), both = latency(long), latency(short), latency(long, short)
    same(both[0], whole, "the packet under way")
    holds(both[1] > alone, "the other one waits")
    return agrees(
        f"a packet of 1,024 bytes under way takes {both[0]:.0f} ns with and without one of 128 bytes that comes meanwhile from another port and waits: {both[1]:.0f} ns instead of {alone:.0f}",
        "sim, dtable",
    )


@row("opa-23", "patterns")
def _():
    def partners(**keys):
        """To whom each of eight hosts sends, by the links that carry something while it alone does."""
        found = []
        for host in range(8):
            scenario = one_port(rr(1, 16), [], ports=8, measure=50)
            scenario["traffic"] = [
                {"name": "a", "queue": 0, "load": 0.5, "message_bytes": 1024, "hosts": [host], **keys}
            ]
            links = q.lanes_of(scenario)[1]
            found.append([other for other in range(8) if f"switch0.port{other}" in links])
        return found

    def permuted(name):
        return partners(pattern="permutation", permutation=name)

    def by_bits(image):
        return [[] if image(host) == host else [image(host)] for host in range(8)]

    same(partners(pattern="uniform"), [[other for other in range(8) if other != host] for host in range(8)], "uniform")
    same(sorted(permuted("random")), [[host] for host in range(8)], "random: one partner for each host")
    same(permuted("bit-complement"), by_bits(lambda host: 7 - host), "bit-complement")
    same(permuted("bit-reverse"), by_bits(lambda host: int(f"{host:03b}"[::-1], 2)), "bit-reversal")
    return agrees(
        "uniform, random, bit-reversal, bit-complement",
        "sim, eight hosts one by one: who sends to whom is as the pattern says; random is a permutation, and a host that would send to itself sends nothing",
    )


@row("opa-24", "rates and MTUs by SL")
def _():
    run = q.sim(one_port(dtable([(0, 2), (1, 16)], [2, 16]), [source(0, 0.1, 128), source(1, 0.3, 1024)]))
    near([2 * c["offered"] for c in run["classes"]], [0.1, 0.3], 0.002, "offered")
    return agrees("loads 0.1 and 0.3, MTUs of 2 and 16 credits", "sim")


@row("opa-25", "base packet")
def _():
    base = {**source(0, 1, 128), "messages": 1}
    scenario = one_port(rr(1, 16), [base], flit=8, measure=5)
    run = q.sim({**scenario, "run": {**scenario["run"], "warmup_us": 0}})
    same((run["flits_delivered"], 128 * 8 // 64), (16, 16), "flits of one packet")
    return agrees("128 bytes = 16 flits of 64 bits", "arithmetic; sim, one packet")


@row("opa-26", "time of a cycle")
def _():
    same(q.sim(one_port(rr(1, 16), [source(0, 0.1, 128)], flit=8, measure=5))["cycle_ns"], 0.64, "cycle")
    same(int(4500 / 0.64), 7031, "cycles of 4,500 ns")
    return agrees("0.64 ns; 4,500 ns are 7,031 cycles", "sim, 8 bytes at 12.5 GB/s")


@row("opa-98", "GMTU")
def _():
    same(1024 // 64, 16, "credits")
    same(table_9()["pool"], 128 * 16 * 2, "pool")
    return agrees("1024 / 64 = 16 credits", "plan dtable with gmtu 16")


@row("opa-100", "NIC buffer")
def _():
    same(32 * 1024, 32768, "bytes of 32 GMTU")
    return agrees(
        "32,768 bytes = 32 x 1024",
        "arithmetic on the two printed numbers alone: sim's NICs have no buffer of a size, they send from queues without bound, as the application's are from which the paper's buffer is filled",
    )


@row("opa-102", "nothing is dropped")
def _():
    run = q.sim(one_port(sbt([1, 1], packet=16), [source(0, 0.8, 1024), source(1, 0.8, 1024)]))
    same((run["flits_lost"], run["flits_injected"] - run["flits_delivered"]), (0, run["flits_in_flight"]), "flits")
    return agrees("0 lost; injected = delivered + in flight", "sim at 1.6 of a link, one switch")


@row("opa-103", "scheduling by SL, flow control by VL")
def _():
    config = dtable([(0, 2), (1, 2)], [1, 1], [0, 0, 1])
    events = [q.arrive(queue, 1) for queue in (0, 1, 2) for _ in range(6)] + [q.stop(0)] + q.arbs(8)
    same(q.winners(config, events), [1, 1, 2, 2] * 2, "VL 0 stopped")
    return agrees("the SL's other VL takes its whole turn", "decide, dtable: one of an SL's two VLs stopped")


# --- RR and SBT ----------------------------------------------------------------------------------------------


@row("opa-27", "share of an SL under RR")
def _():
    same(exact(rr(5))[0], [Fraction(1, 5)] * 5, "shares")
    return agrees("20.0 % each", "analyze, five SLs, equal packets")


def both_variants(weights):
    corrected, _ = exact(sbt(weights))
    printed = q.shares(sbt(weights, variant="printed"), [1] * len(weights), 40 * (sum(weights) + 1))
    return corrected, printed


def sbt_shares(row_id, what, weights, wanted, printed_wanted):
    @row(row_id, what)
    def _():
        corrected, printed = both_variants(weights)
        near(floats(corrected), wanted, 1e-9, "corrected")
        near(printed, printed_wanted, 0.002, "printed")
        return agrees(
            percent(floats(corrected)),
            "analyze, corrected; Algorithm 1 as printed, whose restoring packet is not charged, gives "
            + percent(printed),
        )


sbt_shares("opa-28", "Table 1: RR as a bandwidth table", [50, 50], [0.5, 0.5], [51 / 101, 50 / 101])
sbt_shares("opa-31", "Table 2: shares", [55, 45], [0.55, 0.45], [56 / 101, 45 / 101])


@row("opa-29", "equal weights: their size does not matter")
def _():
    for weight in (1, 20, 50):
        near(floats(exact(sbt([weight] * 5))[0]), [0.2] * 5, 1e-9, f"corrected, {weight}")
        printed = q.shares(sbt([weight] * 5, variant="printed"), [1] * 5, 5 * (5 * weight + 1))
        near(printed, [0.2] * 5, 1e-9, f"printed, {weight}")
    two = [q.shares(sbt([w, w], variant="printed"), [1, 1], 100 * (2 * w + 1))[0] for w in (1, 20, 50)]
    near(two, [2 / 3, 21 / 41, 51 / 101], 1e-9, "printed, two SLs, whole rounds")
    runs = [longest_runs(q.winners(sbt([w] * 5), q.backlog([1] * 5, 500)), [1] * 5, [0])[0] for w in (1, 20, 50)]
    same(runs, [1, 20, 50], "packets of one SL in a row")
    return agrees(
        "20 % each of five SLs for weights 1, 20, 50",
        "analyze, corrected; decide, as printed, where the packet that is not charged is each SL's in turn. Of two SLs as printed it is always the same one's: SL 0 gets "
        + percent(two, 1)
        + ". What the size does change is how many packets of an SL follow each other: "
        + ", ".join(map(str, runs))
        + " corrected",
    )


@row("opa-207", "SBT gives bandwidth differences on a port, and no latency differences")
def _():
    table = sbt([55, 45], packet=2)
    shares, _ = exact(sbt([55, 45]))

    def first_over_second(config, seed):
        """Mean latencies of two SLs that offer 0.9 of a port in these parts."""
        traffic = [
            {
                "name": f"sl{sl}",
                "queue": sl,
                "pattern": "hot-spot",
                "to": 0,
                "hosts": list(range(1, 9)),
                "load": round(0.9 * float(part) / 8, 6),
                "arrival": "poisson",
                "message_bytes": 128,
            }
            for sl, part in enumerate(shares)
        ]
        waits = [item["packet_latency_ns"]["mean"] for item in q.sim(one_port(config, traffic, ports=9, measure=300), "--seed", seed)["classes"]]
        return waits[0] / waits[1]

    own, base = (interval([first_over_second(config, seed) for seed in range(1, 9)]) for config in (table, rr(2, 2)))
    return decided(
        all(abs(got - wanted) <= 0.005 for got, wanted in zip(floats(shares), [0.55, 0.45], strict=True))
        and own.above(0.9)
        and own.below(1.1),
        f"{percent(floats(shares))}; mean latency of the first over the second at 0.9 {own.text()}, under RR {base.text()}",
        "analyze, one port, corrected; sim, one port of eight senders, Poisson, messages of 128 bytes, 8 seeds: within 10 % by the interval is our own bar. In a network and as printed opa-208, latencies opa-46, 160",
    )


@row("opa-32", "weight left after three packets")
def _():
    state = q.decide(sbt([55, 45], variant="printed"), q.backlog([1, 1], 3), explain=True)[2].state
    same(q.numbers(state["weights_left"]), [52, 45], "weights left")
    return agrees("52", "decide --explain")


@row("opa-33", "share = weight / sum of weights")
def _():
    rng = random.Random(33)
    for _ in range(20):
        weights = [rng.randint(1, 60) for _ in range(rng.randint(2, 5))]
        same(exact(sbt(weights))[0], [Fraction(w, sum(weights)) for w in weights], str(weights))
    return agrees("exactly, in 20 random tables", "analyze, corrected, equal packets (seed 33)")


@row("opa-34", "weights add to 100")
def _():
    same(exact(sbt([11, 9]))[0], exact(sbt([55, 45]))[0], "shares")
    same([50 + 50, 55 + 45, 10 + 30 + 50 + 5 + 5], [100, 100, 100], "sums")
    return agrees(
        "50 + 50 = 55 + 45 = 10 + 30 + 50 + 5 + 5 = 100",
        "arithmetic on Tables 1, 2 and 10, with 30 for VI (opa-127); not needed by the arbiter: 11:9 gives the same shares (analyze)",
    )


@row("opa-35", "the table moves on at weight 0 or when nothing is to send")
def _():
    events = [q.arrive(0) for _ in range(5)] + [q.arrive(1)] + [q.arrive(2) for _ in range(5)] + q.arbs(8)
    same(q.winners(sbt([2, 3, 2]), events), [0, 0, 1, 2, 2, 0, 0, 2], "order")
    same(q.winners(sbt([2, 3, 2], variant="printed"), events)[:5], [0, 0, 1, 2, 2], "order as printed")
    return agrees("0 0 1 2 2", "decide, both variants: weights 2, 3, 2, SL 1 with one packet")


@row("opa-36", "weights are restored when all are zero")
def _():
    decisions = q.decide(sbt([2, 1]), q.backlog([1, 1], 4), explain=True)
    same([q.numbers(d.state["weights_left"]) for d in decisions], [[1, 1], [0, 1], [0, 0], [1, 1]], "weights left")
    idle = q.decide(sbt([2, 1]), [q.arrive(0) for _ in range(4)] + q.arbs(4), explain=True)
    same(
        [q.numbers(d.state["weights_left"]) for d in idle],
        [[1, 1], [0, 1], [1, 1], [0, 1]],
        "weights left beside an idle SL that has some",
    )
    eight = q.decide(sbt(WEIGHTS, EIGHT, "printed"), q.backlog([1] * 8, 400), explain=True)
    last = q.numbers(eight[-1].state["weights_left"])
    same(last, [0, 0, 0, 0, 0], "as printed, eight busy VLs: never restored")
    return agrees(
        "2 1 | 1 1 | 0 1 | 0 0 | restored",
        "decide --explain, corrected, which restores as soon as no active SL has weight left, beside an idle SL that has some, too; "
        "Algorithm 1's own test never holds with eight busy VLs and five entries, though all weights are zero (opa-d03)",
    )


@row("opa-37", "an SL without weight may send alone")
def _():
    for variant in ("corrected", "printed"):
        same(q.winners(sbt([2, 1], variant=variant), [q.arrive(0) for _ in range(20)] + q.arbs(20)), [0] * 20, variant)
    return agrees("20 of 20 arbitrations", "decide, both variants")


@row("opa-38", "weights by VL instead of SL")
def _():
    by_vl, _ = exact(rr(3))
    near([float(by_vl[0] + by_vl[1]), float(by_vl[2])], [2 / 3, 1 / 3], 1e-9, "by VL")
    by_sl, _ = exact(sbt([1, 1], [0, 0, 1]))
    near([float(by_sl[0] + by_sl[1]), float(by_sl[2])], [0.5, 0.5], 1e-9, "by SL")
    printed = q.shares(sbt([1, 1], [0, 0, 1], "printed"), [1] * 3, 9000)
    near([printed[0] + printed[1], printed[2]], [2 / 3, 1 / 3], 0.001, "by SL, as printed")
    return agrees(
        "66.7 and 33.3 %",
        "analyze: SL 0 with two VLs, SL 1 with one; by SL, corrected, 50 and 50; Algorithm 1 as printed, which has weights by SL, gives "
        f"{percent([printed[0] + printed[1], printed[2]], 1)} all the same (decide)",
    )


@row("opa-39", "Algorithm 1 line by line")
def _():
    config = sbt([2, 1], variant="printed")
    same(q.winners(config, q.backlog([1, 1], 9)), [0, 0, 1, 0] + [0, 0, 1, 0, 0], "decisions")
    near(q.shares(sbt([55, 45], variant="printed"), [1, 1], 10100), [56 / 101, 45 / 101], 1e-3, "55:45")
    idle = q.shares(sbt([60, 30, 10], variant="printed"), [1, 1, None], 9000)
    near(idle[:2], [0.5, 0.5], 0.01, "beside an idle SL")
    near(q.shares(sbt([60, 30, 10]), [1, 1, None], 9000)[:2], [2 / 3, 1 / 3], 0.01, "corrected")
    return agrees(
        "0 0 1 (0) 0 0 1 (0); 55:45 becomes 55.45:44.55, 60:30 beside an idle SL 50:50",
        "decide, variant printed; the packet in brackets restores and is not charged. Line 11 is read as a test of the VL: as printed, of the SL, it would choose a VL without a packet",
    )


@row("opa-40", "only headers are arbitrated")
def _():
    traffic = [{**source(queue, 1, 1024), "messages": 100} for queue in (0, 1)]
    run = q.sim(one_port(sbt([1, 1], packet=16), traffic, measure=50))
    same((run["flits_delivered"], run["decisions"]), (2 * 100 * 16, 2 * 2 * 100), "flits and decisions")
    return agrees(
        f"{run['decisions']} decisions for 200 packets of 16 flits, one of the NIC and one of the switch for each",
        "sim, SBT",
    )


@row("opa-41", "entries and the longest search")
def _():
    def last_alone(entries, engine):
        """One entry after the other has its SL, the last one alone: who wins in four cycles after each other."""
        return q.winners(sbt([1] * entries), [q.arrive(entries - 1) for _ in range(4)] + q.arbs(4), engine)

    same(last_alone(32, "model"), [31] * 4, "the last of 32 entries")
    same(last_alone(8, "lockstep"), [7] * 4, "the last of 8 entries, RTL and reference")
    test = "FindsTheOnlySenderOf32InEveryCycle"
    holds(f"TEST(SbtRtl, {test})" in (q.TOP / "tb/rtl/sbt_32_test.cpp").read_text(), "the test is there")
    return agrees(
        "by RTL and reference the only active SL is found behind 31 others in every cycle",
        f"the reference by decide; the RTL with 32 entries by SbtRtl.{test} of tb/rtl, which ctest runs, here it is only seen that it is there; the RTL that decide has serves 8 SLs, and finds the last one behind 7",
    )


@row("opa-43", "Table 3: size of the switch's table")
def _():
    left = q.numbers(q.decide(sbt([1] * 32), q.backlog([1] * 32, 1), explain=True)[0].state["weights_left"])
    same(len(left), 32, "weights left of one port")
    same((48 + 2) * 32, 48 * len(left) + 2 * 32, "cells")
    return agrees(
        "48 x 32 weights left + 2 x 32 = 1600 = (48 + 2) x 32",
        "decide --explain: a port's column is the 32 weights left",
    )


@row("opa-44", "a port's column is restored by itself")
def _():
    busy = q.decide(sbt([2, 1]), q.backlog([1, 1], 4), explain=True)[-1]
    other = q.decide(sbt([2, 1]), q.backlog([1, 1], 1), explain=True)[-1]
    same([q.numbers(d.state["weights_left"]) for d in (busy, other)], [[1, 1], [1, 1]], "weights left")
    third = q.decide(sbt([2, 1]), q.backlog([1, 1], 3), explain=True)[-1]
    same(q.numbers(third.state["weights_left"]), [0, 0], "restored at the decision after all are 0")
    return differs(
        "restored when what is left is all 0",
        "the text sums x_i, the weights themselves, which are never 0; summing what is left, the "
        "one change, gives the algorithm's rule (decide --explain); each port has an arbiter of its own",
    )


# --- what arbiters cost --------------------------------------------------------------------------------------


@row("opa-42", "cost: RR, then SBT, then DTable")
def _():
    area = [q.mapped(name)[1] for name in ("rr", "sbt", "dtable-128")]
    return decided(
        area == sorted(area),
        " < ".join(f"{value:,.0f}" for value in area) + " um2",
        "docs/area-and-timing.md, sky130, memories of tables apart: rr over 8, sbt with an entry for each of 8 queues, dtable with 128 entries over as many. "
        f"SBT is {area[1] / area[0]:.0f} times RR and DTable {area[2] / area[1]:.1f} times SBT; whether that is very low and reasonable is not judged",
    )


@row("opa-45", "a decision takes less than a packet")
def _():
    period, _ = q.mapped("dtable-128")
    return decided(
        period < 10.24,
        f"{period} ns against 10.24 ns for 128 bytes",
        "docs/area-and-timing.md, sky130: dtable with 128 entries, one decision a cycle",
    )


# --- DTable --------------------------------------------------------------------------------------------------


@row("opa-47", "share = own entry weights / all")
def _():
    shares, _ = exact(deficit_table(), "--packets", SIZES)
    near(floats(shares), floats(WISHES), 1e-9, "shares")
    return agrees(
        "416/4160, 1248/4160, 2080/4160, 208/4160, 208/4160: " + percent(floats(shares)),
        "analyze, Table 10's table, one queue an SL",
    )


@row("opa-48", "deficits start at 0")
def _():
    decision = q.decide(dtable([(0, 7), (1, 4)], [2, 4]), q.backlog([2, 4], 1), explain=True)[0]
    same(decision.state["deficits"], "[0 0]", "deficits")
    same(decision.state["accumulated_weight"], "5", "first turn: 0 + 7 - 2")
    return agrees("0", "decide --explain: the first turn has its entry's weight and no more")


@row("opa-49", "an SL turns inactive: the rest of its turn is lost")
def _():
    config = dtable([(0, 7), (1, 4)], [2, 4])
    events = (
        [q.arrive(0, 2), q.arrive(1, 4), q.arrive(1, 4, 1)]
        + q.arbs(2)
        + [q.arrive(0, 2, 2) for _ in range(9)]
        + q.arbs(6, 2)
    )
    decisions = q.decide(config, events, explain=True)
    same([d.queue for d in decisions], [0, 1, 0, 0, 0, 1, 0, 0], "order")
    same(decisions[2].state["accumulated_weight"], "5", "the next turn begins with 7")
    return agrees("5 of 7 lost, deficit 0", "decide --explain")


@row("opa-50", "a head that does not fit: the rest is saved for the SL's next entry")
def _():
    decisions = q.decide(dtable([(0, 7), (1, 4)], [2, 4]), q.backlog([2, 4], 9), explain=True)
    runs = [(sl, len(list(group))) for sl, group in itertools.groupby(d.queue for d in decisions)]
    same(runs[:4], [(0, 3), (1, 1), (0, 4), (1, 1)], "messages a turn")
    same(q.numbers(decisions[3].state["deficits"])[0], 1, "saved")
    return agrees("entry of 7, MTU 2: 3 messages, 1 kept, then 4", "decide --explain")


@row("opa-51", "Algorithm 2 line by line")
def _():
    config = dtable([(0, 5), (1, 4)], [2, 4], variant="printed")
    decisions = q.decide(config, q.backlog([1, 4], 7))
    same([d.queue for d in decisions], [0, 0, 1, 0, 0, 0, 1], "a packet of 1 flit costs its SL's MTU of 2")
    corrected = q.winners({**config, "variant": "corrected"}, q.backlog([1, 4], 7))
    same(corrected, [0, 0, 0, 0, 0, 1, 0], "and its flits in the corrected variant")
    return agrees(
        "5 credits send 2 messages, then 3 (deficit 1)",
        "decide, variant printed; the -1 of lines 3 and 10-12 is read as no SL yet",
    )


@row("opa-52", "the SCs of an SL take turns")
def _():
    config = dtable([(0, 2), (1, 2)], [2, 2], [0, 0, 0, 1])
    order = [v for v in q.winners(config, q.backlog([2] * 4, 14)) if v < 3]
    same(order, [0, 1, 2, 0, 1, 2, 0], "order")
    wide = q.winners(dtable([(0, 8), (1, 2)], [2, 2], [0, 0, 0, 1]), q.backlog([2] * 4, 300))
    near([wide.count(v) for v in range(3)], [80] * 3, 1, "a third each")
    return agrees(
        "0 1 2 0 1 2",
        "decide; weight of one message an entry. With more, this reference moves on at each grant, the paper at each turn: a "
        "third each either way",
    )


@row("opa-53", "lengths of the table")
def _():
    for length in (1, 5, 32, 64, 100, 128):
        same(q.refused(dtable([(0, 2)] * length, [2])), None, f"{length} entries")
    return agrees("1, 5, 32, 64, 100, 128 accepted", "decide")


@row("opa-55", "MTUs and weights of one packet never use the deficit")
def _():
    rng = random.Random(55)
    events = []
    for cycle in range(400):
        events += [q.arrive(queue, 1, cycle) for queue in range(3) if rng.random() < 0.4] + q.arbs(1, cycle)
    states = [d.state for d in q.decide(dtable([(0, 1), (1, 1), (0, 1), (2, 1)], [1, 1, 1]), events, explain=True)]
    same({s["deficits"] for s in states}, {"[0 0 0]"}, "deficits")
    return agrees("0 in 400 arbitrations", "decide --explain, random arrivals (seed 55)")


@row("opa-56", "a message goes only if all of it may")
def _():
    config = dtable([(0, 3), (1, 3)], [3, 3])
    order = q.winners(config, [q.arrive(0, 3), q.arrive(1, 3), q.stop(0)] + q.arbs(1))
    same(order, [1], "no room for a message of SL 0")
    left = q.decide(dtable([(0, 4), (1, 3)], [3, 3]), q.backlog([3, 3], 3), explain=True)
    same([d.queue for d in left], [0, 1, 0], "1 left of 4 does not start a message")
    holds(q.refused(dtable([(0, 2), (1, 3)], [3, 3])), "an entry below its SL's MTU is refused")
    return agrees(
        "not without room, not with less weight than the message",
        "decide; room for a message is the queue's stop and start here, credits to come",
    )


@row("opa-57", "an SL with an MTU of three packets sends three in a row")
def _():
    decisions = q.decide(dtable([(0, 3), (1, 1)], [3, 1]), q.backlog([3, 1], 6))
    same([(d.queue, d.flits) for d in decisions], [(0, 3), (1, 1)] * 3, "order")
    return agrees("3 flits in one grant", "decide: a message is one packet of its SL's MTU, so it is so by construction")


@row("opa-58", "a VL's buffer holds the largest MTU")
def _():
    def fits(flits):
        scenario = one_port(dtable([(0, 16)], [16]), [source(0, 0.5, 1024)], output_queue_flits=flits)
        return q.sim_refused(scenario) is None

    same((fits(16), fits(15)), (True, False), "accepted")
    return agrees("16 credits accepted, 15 refused", "sim")


@row("opa-168", "DTable avoids long bursts")
def _():
    runs = [(d.queue, d.flits) for d in q.decide(deficit_table(), q.backlog(MESSAGES, 806))]
    longest = max(sum(flits for _, flits in group) for _, group in itertools.groupby(runs, key=lambda item: item[0]))
    base = max(
        sum(flits for _, flits in group)
        for _, group in itertools.groupby(
            [(d.queue, d.flits) for d in q.decide(rr(5, 2), q.backlog([2] * 5, 500))], key=lambda item: item[0]
        )
    )
    holds(longest > 10 * base, "DTable's bursts are longer")
    return differs(
        f"longest run of one SL: {longest} credits under DTable, {base} under RR",
        "decide, all backlogged: a turn of CL is 130 credits, RR changes the SL after each base packet. That is an error of the "
        "paper by its own Table 10: a turn's weight is what the wire then carries of one SL. What DTable saves are the units that are served (opa-151)",
    )


@row("opa-198", "DTable limits BK")
def _():
    config = deficit_table()
    got = q.shares(config, [None, None, 8, None, 16], 20000)
    near([got[2], got[4]], [10 / 11, 1 / 11], 0.002, "CL and BK")
    return Verdict(
        NOT_TESTABLE,
        f"at one port that both want, CL {percent(got[2])}, BK {percent(got[4])}",
        "decide, Table 10, both backlogged: 50 against 5. Needs what a link gives while both wait for it in a run of a program in CL beside a background in BK of 0.2, which sim does not count; what that costs programs: opa-191, 192",
    )


# --- derived -------------------------------------------------------------------------------------------------


@row("opa-d03", "SBT as printed with eight busy VLs")
def _():
    config = sbt(WEIGHTS, EIGHT, "printed")
    decisions = q.decide(config, q.backlog([1] * 8, 8000, [0.2] * 8), explain=False)[2000:]
    counts = [sum(d.queue == v for d in decisions) / len(decisions) for v in range(8)]
    by_sl = [counts[0] + counts[1], counts[2] + counts[3], counts[4] + counts[5], counts[6], counts[7]]
    near(by_sl, [0.25, 0.25, 0.25, 0.125, 0.125], 0.001, "shares")
    mended = q.shares(sbt(WEIGHTS, EIGHT), [1] * 8, 4000)
    near([mended[4] + mended[5]], [0.5], 0.01, "corrected")
    return agrees(
        percent(by_sl),
        "decide, printed: no restore, round robin over VLs; corrected gives CL " + percent(mended[4] + mended[5]),
    )


@row("opa-d04", "SBT as printed with one VL an SL")
def _():
    printed = q.shares(sbt(WEIGHTS, variant="printed"), [1] * 5, 101 * 60)
    near(printed, [0.1010, 0.2990, 0.4970, 0.0515, 0.0515], 0.0001, "printed")
    same(exact(sbt(WEIGHTS))[0], WISHES, "corrected")
    return agrees(percent(printed), "decide, printed; corrected 10/30/50/5/5")


@row("opa-d05", "SBT weights counted in messages")
def _():
    shares = floats(exact(sbt(WEIGHTS, packet=16), "--packets", SIZES)[0])
    near(shares, [0.0286, 0.1714, 0.5714, 0.1143, 0.1143], 0.0001, "shares")
    return agrees(percent(shares), "analyze, corrected, messages of Table 8")


@row("opa-d06", "RR counted in messages")
def _():
    shares = floats(exact(rr(5, 16), "--packets", SIZES)[0])
    near(shares, [2 / 46, 4 / 46, 8 / 46, 16 / 46, 16 / 46], 1e-9, "shares")
    return agrees(percent(shares), "analyze; 20 % each only with equal packets")


@row("opa-d07", "RR at 1.25 of a link")
def _():
    packets = q.sim(mixed(1.25, rr(5, 2), sizes=[128] * 5))
    messages = q.sim(mixed(1.25, rr(5, 16)))
    found = [[c["share"] for c in run["classes"]] for run in (packets, messages)]
    near(found[0], [0.125, 0.375, 0.375, 0.0625, 0.0625], 0.004, "packets of 128 bytes")
    near(found[1], [0.125, 0.25, 0.50, 0.0625, 0.0625], 0.004, "messages")
    return agrees("128 B " + percent(found[0]) + "; messages " + percent(found[1]), "sim, one port")


def longest_runs(order, lengths, names):
    best = {}
    for queue, group in itertools.groupby(order):
        best[queue] = max(best.get(queue, 0), len(list(group)) * lengths[queue])
    return [best[i] for i in names]


@row("opa-d13", "longest run of one SL")
def _():
    dt = longest_runs(q.winners(deficit_table(), q.backlog(MESSAGES, 1612)), MESSAGES, [2])[0]
    rounds = longest_runs(q.winners(rr(5), q.backlog([1] * 5, 100)), [2] * 5, [2])[0]
    corrected = longest_runs(q.winners(sbt(WEIGHTS), q.backlog([1] * 5, 400)), [2] * 5, [2])[0]
    order = q.winners(sbt(WEIGHTS, EIGHT, "printed"), q.backlog([1] * 8, 2000))[1000:]
    printed = longest_runs([EIGHT[v] for v in order], [2] * 5, [2])[0]
    same((dt, rounds, corrected, printed), (136, 2, 100, 4), "credits")
    return agrees(
        "DTable 136 credits, RR 2, SBT corrected 100, SBT printed with eight busy VLs 4",
        "decide: CL's longest run, backlogged",
    )


@row("opa-d17", "CL against BK alone")
def _():
    order = q.decide(deficit_table(), q.backlog([None, None, 8, None, 16], 3000))
    won = [d.queue for d in order]
    period = next(size for size in range(1, len(won) // 2) if won[size:] == won[:-size])
    sent = [sum(d.flits for d in order[:period] if d.queue == queue) for queue in (2, 4)]
    near(sent[0] / sum(sent), 10 / 11, 1e-9, "share of CL")
    return agrees(
        percent([part / sum(sent) for part in sent]),
        f"decide, only CL and BK backlogged, one period of {period} decisions, {sent[0]:,} and {sent[1]:,} credits",
    )


@row("opa-d18", "what Algorithm 1 costs")
def _():
    first = q.shares(sbt([55, 45], variant="printed"), [1, 1], 10100)
    near(first, [56 / 101, 45 / 101], 0.001, "55:45")
    beside = q.shares(sbt([60, 30, 10], variant="printed"), [1, 1, None], 9000)[:2]
    near(beside, [0.5, 0.5], 0.01, "60:30")
    two_vls = q.shares(sbt([60, 30], [0, 0, 1, 1], "printed"), [1] * 4, 9000)
    near(two_vls, [0.25] * 4, 0.01, "two VLs an SL")
    return agrees("55.45:44.55; 50:50; 25 % each of four VLs", "decide, variant printed")


import omni_path_tables  # noqa: E402,F401  the other rows, which need what stands here; sections of the page in this order
import omni_path_port  # noqa: E402,F401
import omni_path_switch  # noqa: E402,F401
import omni_path_topologies  # noqa: E402,F401
import omni_path_throughput  # noqa: E402,F401
import omni_path_latency  # noqa: E402,F401
import omni_path_programs  # noqa: E402,F401
