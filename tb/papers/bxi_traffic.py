"""Rows of the BXIv3 paper's metrics and of the traffic that hosts offer (Sect. 4.1 and 4.2, Tables 5 to 7)."""

import itertools
from fractions import Fraction

import command as q
from bxi_claims import ALL, NAMES, claim, key
from bxi_networks import BASE, SMALL_NETWORK, VARIANTS, flow, on_one_switch, one_switch, pgft_under_rr
from bxi_tables import LOADS, ROUND_ROBIN, SIZES, WEIGHTS, due, plain, row, table
from experiment import Comparisons, difference, simultaneous
from rows import agrees, decided, differs, holds, near, percent, same

# --- metrics --------------------------------------------------------------------------------------


@row("bxi-091", "packet latency = injection latency + network latency")
def _():
    runs = [BASE[point] for point in BASE.points(BASE.size())]
    holds(
        all(
            run.mean(key(sl, "packet_latency.mean")) >= run.mean(key(sl, "network_latency.mean"))
            for run in runs
            for sl in ALL
        ),
        "no negative injection latency",
    )

    def latencies(packets):
        """Mean packet and network latency in cycles of so many packets of 16 flits that one host makes at once."""
        burst = {"bytes": 1024 * packets, "period_us": 100, "offset_us": 1}
        to_63 = {"name": "a", "queue": 0, "pattern": "hot-spot", "to": 63, "hosts": [0], "message_bytes": 1024, "burst": burst}
        report = q.sim(pgft_under_rr("quick", [to_63], 50))
        (one,) = report["classes"]
        same(one["packets"], packets, "packets")
        return [one[f"{kind}_latency_ns"]["mean"] / report["cycle_ns"] for kind in ("packet", "network")]

    alone, ten = latencies(1), latencies(10)
    near(alone[0], alone[1], 1e-6, "one packet: nothing waits at the source")
    near(ten[1], alone[1], 1e-6, "on their way ten do not wait")
    near(ten[0] - ten[1], 16 * (0 + 9) / 2, 1e-6, "at the source each waits for those before it")
    return agrees(
        f"ten packets of 16 flits at once in an idle network: {ten[0]:.0f} cycles from generation, {ten[1]:.0f} from injection, {ten[0] - ten[1]:.0f} in between; one alone 0",
        "sim: packet latency from generation, network latency from the grant at the NIC, both to the last flit; nine packets wait for up to nine before them, 72 cycles in the mean; means, not packet by packet",
    )


@row("bxi-092", "FCT of a one-packet message is its packet's latency")
def _():
    for point in BASE.points(BASE.size()):
        for sl in ALL:
            same(
                BASE[point].samples[key(sl, "message_latency.mean")],
                BASE[point].samples[key(sl, "packet_latency.mean")],
                f"{point}, SL {sl}",
            )
    return agrees("equal in all 15 runs of each seed", "sim, PGFT: messages of 1 to 5 KiB are one packet; means, not packet by packet")


claim(
    "bxi-093",
    "injection can be the largest part of packet latency",
    lambda runs: (
        Comparisons(
            [
                runs[f"{name}.rr"]
                .each(lambda s: s["sl0.network_latency.mean"] / s["sl0.packet_latency.mean"])
                .under(0.5)
                for name in ("step", "2powers")
            ]
        ),
        "SL 0 under RR: "
        + ", ".join(
            f"{name} {runs[f'{name}.rr'].each(lambda s: 100 * (1 - s['sl0.network_latency.mean'] / s['sl0.packet_latency.mean'])).text(0)} %"
            for name in ("step", "2powers")
        ),
    ),
)


@row("bxi-097", "throughput as a percentage")
def _():
    run = on_one_switch("2powers")
    accepted = [c["accepted"] for c in run["classes"]]
    holds(sum(accepted) <= 1, "sum")
    near(
        [c["share"] for c in run["classes"]], [a / sum(accepted) for a in accepted], 1e-9, "shares of what is delivered"
    )
    return agrees(
        f"2powers on one switch: {percent(accepted, 1)} of a link, {100 * sum(accepted):.1f} in all",
        "sim reports parts of the links' rate and of what is delivered; the paper does not say which it means",
    )


@row("bxi-098", "a message below the MTU is one packet")
def _():
    found = []
    for sl, size in enumerate(SIZES):
        run = q.sim(one_switch(table(plain("fair", 1280), 80), [flow(sl, 0.1, size, messages=50)], warmup=0))
        (one,) = run["classes"]
        same((one["messages"], one["packets"]), (8 * 50, 8 * 50), f"SL {sl}: messages, packets")
        found.append(run["flits_delivered"] // one["packets"])
        same(found[-1] * one["packets"], run["flits_delivered"], f"SL {sl}: whole packets")
    same(found, SIZES, "flits a packet")
    return agrees(
        "/".join(map(str, found)) + " flits a packet", "sim: 50 messages of each of 8 hosts, SL by SL, make 400 packets of the messages' size"
    )


# --- what hosts generate --------------------------------------------------------------------------


@row("bxi-094", "the offered load is the most that the network can carry")
def _():
    sums = {name: sum(c["offered"] for c in on_one_switch(name)["classes"]) for name in WEIGHTS}
    near([sums[name] for name in WEIGHTS], [1.00, 1.07, 1.24], 0.003, "offered")
    return differs(
        ", ".join(f"{name} {100 * sums[name]:.0f} %" for name in WEIGHTS),
        "Tables 5 to 7 themselves, as measured at the sources (sim): only fair is " "what links can carry",
    )


@row("bxi-095", "messages come evenly: period = size / load")
def _():
    expected = {
        "fair": [102.4, 204.8, 307.2, 409.6, 512],
        "step": [58.5, 146.3, 292.6, 546.1, 1280],
        "2powers": [32, 128, 384, 1024, 2560],
    }
    told = []
    for name, periods in expected.items():
        found = [s * 1.28 / c["offered"] for s, c in zip(SIZES, on_one_switch(name)["classes"], strict=True)]
        for got, wanted in zip(found, periods, strict=True):
            near(got / wanted, 1, 0.01, name)
        told.append(f"{name} {'/'.join(f'{period:.1f}' for period in found)}")
    return agrees(
        ", ".join(told) + " ns", "sim: size over offered load in a window of 100 us, within 1 % of what is due; even arrivals"
    )


@row("bxi-096", "larger messages are rarer")
def _():
    for name in WEIGHTS:
        found = [s / c["offered"] for s, c in zip(SIZES, on_one_switch(name)["classes"], strict=True)]
        same(found, sorted(found), name)
    return agrees("periods rise with the SL in all three", "sim")


@row("bxi-099", "a host generates as its load says")
def _():
    furthest = 0
    for name in WEIGHTS:
        for sl, load in enumerate(LOADS[name]):
            run = q.sim(one_switch(ROUND_ROBIN, [flow(sl, load / 100, SIZES[sl])]))
            window = 100_000 / run["cycle_ns"]
            for host in run["hosts"]:
                off = abs(host["offered"] - load / 100) * window / SIZES[sl]
                holds(off <= 1, f"{name}, SL {sl}: {off} messages")
                furthest = max(furthest, off)
    return agrees(
        f"each host within {furthest:.2f} messages of its load", "sim, SL by SL: offered of each of 8 hosts over 100 us, the loads of fair, step and 2powers"
    )


@row("bxi-100", "the timing of arrivals changes what arbiters give")
def _():
    poisson = VARIANTS["Poisson arrivals"]

    def moved(kind):
        """Parts of what is delivered, as Poisson arrivals deliver less in all."""
        return simultaneous(
            [
                difference(poisson[f"{name}.{kind}"], SMALL_NETWORK[f"{name}.{kind}"], key(sl, "share"))
                for name in WEIGHTS
                for sl in ALL
            ]
        )

    text = [
        f"{NAMES[kind]} {sum(x.above() or x.below() for x in moved(kind))} of 15 (sum {sum(abs(100 * x.mean) for x in moved(kind)):.2f} points)"
        for kind in ("basic", "deficit")
    ]
    return decided(
        any(x.above() or x.below() for x in moved("basic")),
        "shares that change beyond their interval from even to Poisson arrivals: " + ", ".join(text),
        "sim, PGFT of 64 hosts, shares of what is delivered; that deficits are touched less, as was proposed besides, does not hold. All hosts start at random phases here, so that what is changed is how far apart arrivals are",
    )


def generation(row_id, name):
    @row(row_id, f"{name}: generation")
    def _():
        found = [c["offered"] for c in on_one_switch(name)["classes"]]
        near(found, [load / 100 for load in LOADS[name]], 0.001, "offered")
        return agrees(percent(found, 1), "sim: offered at the sources of one switch")


generation("bxi-103", "fair")
generation("bxi-107", "step")
generation("bxi-111", "2powers")


@row("bxi-104", "message sizes")
def _():
    run = on_one_switch("fair")
    unloaded = q.sim(one_switch(table(plain("fair", 1280), 80), [flow(s, 0.001, SIZES[s]) for s in range(5)], measure=200))
    latency = [c["network_latency_ns"]["p50"] / run["cycle_ns"] for c in unloaded["classes"]]
    near([later - first for first, later in itertools.pairwise(latency)], [16] * 4, 1e-6, "cycles between sizes")
    return agrees("16, 32, 48, 64, 80 flits of 64 bytes", "sim: in an idle network each KiB takes 16 cycles more")


def over_share(row_id, name, expected, tolerance):
    @row(row_id, f"{name}: generation / bandwidth")
    def _():
        exact = [Fraction(load, 100) / share for load, share in zip(LOADS[name], due(name), strict=True)]
        same(exact, list(map(Fraction, expected)), "load over share")
        found = [c["offered"] / float(d) for c, d in zip(on_one_switch(name)["classes"], due(name), strict=True)]
        near(found, list(map(float, exact)), tolerance, "ratios")
        return agrees(
            percent(list(map(float, exact)), 1),
            f"load over weight over sum of weights, exactly; what sim offers over that {percent(found, 1)}, in a window of 100 us, within {100 * tolerance:.1f} points",
        )


over_share("bxi-108", "step", ["1.05", "1.05", "1.05", "1.125", "1.2"], 0.005)
over_share("bxi-112", "2powers", ["1.24"] * 5, 0.006)
