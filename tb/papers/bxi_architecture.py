"""Rows of the BXIv3 paper's architecture (Sect. 2 and 3.1): links, queues, the PGFT and its routes, flow control."""

import functools

import command as q
from bxi_networks import (
    BASE,
    OTHER_BURSTS,
    RTL,
    SEARCHES,
    flow,
    on_one_switch,
    one_switch,
    overloaded,
    pgft_under_rr,
    searched,
    with_tables,
)
from bxi_tables import SIZES, WEIGHTS, plain, row, table
from rows import agrees, differs, holds, near, same

# --- links, queues and packets of one switch ------------------------------------------------------


@functools.cache
def incast():
    config = table(plain("fair", 1280), 80)
    return q.sim(one_switch(config, [flow(s, 0.2, SIZES[s], pattern="hot-spot", to=0) for s in range(5)], measure=50))


@row("bxi-001", "rate of a link")
def _():
    one = q.sim(
        one_switch(
            {"policy": "rr", "queues": 1, "max_packet_flits": 16},
            [flow(0, 1.0, 16, pattern="hot-spot", to=1, hosts=[0])],
            ports=2,
        )
    )
    same(one["cycle_ns"], 1.28, "a flit of 64 bytes")
    accepted = 2 * one["classes"][0]["accepted"]
    same(accepted, 1.0, "a saturated link")
    return agrees(
        "400 Gb/s: a flit every 1.28 ns, accepted 1.000 of the rate", "sim, one flow of load 1 from host to host"
    )


@row("bxi-002", "delay of 5 m of fibre")
def _():
    def latency(delay):
        run = q.sim(
            one_switch(
                {"policy": "rr", "queues": 1, "max_packet_flits": 16},
                [flow(0, 0.01, 16)],
                delay=delay,
                gbps=512,
                measure=50,
            )
        )
        return run["classes"][0]["network_latency_ns"]["p50"]

    near(latency(25) - latency(0), 2 * 25, 1e-6, "two links")
    return agrees(
        "25 ns a link",
        "sim at 1 ns a cycle: two links of 25 ns add 50 ns to an idle network's latency; at 1.28 ns "
        "a cycle delays round up to 25.6",
    )


@row("bxi-003", "64 ports, queues at inputs and outputs")
def _():
    run = on_one_switch("fair", ports=64, measure=10)
    holds(run["max_input_queue_flits"] > 0 and run["max_output_queue_flits"] > 0, "both stages are used")
    return agrees("64 ports, both stages used", "sim, one switch of 64 ports")


@row("bxi-004", "five queues of 768 flits a port")
def _():
    for name in WEIGHTS:
        holds(on_one_switch(name)["max_input_queue_flits"] <= 768, f"{name}: input queues")
        holds(on_one_switch(name)["max_output_queue_flits"] <= 768, f"{name}: output queues")
    same(on_one_switch("2powers")["max_output_queue_flits"], 768, "2powers fills them")
    return agrees(
        "5 queues, at most 768 flits in any",
        "sim of fair, step and 2powers on 8 ports; 2powers fills output queues to " "the last flit, none exceeds",
    )


@row("bxi-006", "peak bandwidth of 512 links")
def _():
    run = on_one_switch("2powers")
    total = sum(c["accepted"] for c in run["classes"])
    holds(0.95 < total <= 1, "an overloaded network carries at most its links' rate")
    flit_gbps = 64 * 8 / run["cycle_ns"]
    same(round(512 * flit_gbps / 1000, 6), 204.8, "Tb/s")
    most = max(
        sum(seed[f"sl{sl}.accepted"] for sl in range(5))
        for point in BASE.points(BASE.size())
        for seed in BASE[point].seeds()
    )
    holds(most <= 1, "nor does the PGFT")
    return agrees(
        f"512 x 400 Gb/s = 204.8 Tb/s; accepted at most {total:.4f} of the links",
        f"arithmetic; sim of 2powers on one switch; on the PGFT, Figs. 11 to 19, at most {most:.4f}",
    )


@row("bxi-008", "limit of growth")
def _():
    same(512 * 512, 262144, "nodes")
    return agrees(
        "512 x 512 = 262,144",
        "arithmetic; it needs direct links from group to group: the 512 uplinks of a PGFT as "
        "a third tree level of 64-port switches join only 64 groups, 32,768 nodes",
    )


@row("bxi-013", "no packet is discarded")
def _():
    for run in (incast(), *(on_one_switch(name) for name in WEIGHTS)):
        same(run["flits_lost"], 0, "flits lost")
    holds(incast()["pause_frames"] > 0, "PFC is needed")
    same(
        sum(sum(searched(name).samples["lost"]) for runs in (SEARCHES, OTHER_BURSTS) for name in runs.points("quick")),
        0,
        "flits lost in the PGFT",
    )
    return agrees(
        f"0 flits lost, {incast()['pause_frames']} PFC frames under incast",
        "sim: seven hosts to one, and fair, step, 2powers, on one switch; none is lost in the PGFT beside the bursts of Sect. 4.3 either, in all or from each host (Figs. 20 to 22)",
    )


@row("bxi-014", "one flit at a time on each port")
def _():
    run, links = with_tables(overloaded("2powers"), "links")
    used = [float(line["utilization"]) for line in links]
    # A packet counts whole at its grant, so the last one may reach beyond the end.
    holds(max(used) <= 1 + 80 / run["cycles"], "no more than one flit a cycle on any wire")
    holds(max(used) > 0.999, "a wire that is full")
    return agrees(
        f"{max(used):.3f} flits a cycle on the busiest of {len(used)} wires",
        "sim of 2powers on 8 ports, the flits of each wire counted; a run ends with status 1 if a wire carries two packets at once",
    )


@row("bxi-016", "a queue is a service level")
def _():
    for sl in range(5):
        scenario = one_switch(
            table(plain("fair", 1280), 80),
            [
                flow(other, load, SIZES[other], pattern="hot-spot", to=0, hosts=list(range(1, 8)))
                for other, load in enumerate(0.3 if other == sl else 0.02 for other in range(5))
            ],
            measure=20,
        )
        _, pauses = with_tables(scenario, "pauses")
        stopped = {int(line["queue"]) for line in pauses if int(line["pauses"])}
        same(stopped, {sl}, f"queues that an incast of SL {sl} stops")
    return agrees(
        "queue = SL, 0 to 4", "sim: an incast of one SL beside a little of all others stops that SL's queue and no other, for each of the five"
    )


@row("bxi-017", "packets of any length up to the MTU")
def _():
    config = table([(0, 144), (1, 144)], 144)
    lengths = [1, 16, 80, 143, 144]
    same([d.flits for d in q.decide(config, [q.arrive(0, n) for n in lengths] + q.arbs(5))], lengths, "lengths")
    holds(q.refused(config, q.arrive(0, 145)), "145 flits are refused")
    return agrees("1 to 144 flits sent whole, 145 refused", "decide, MTU of 9,216 bytes")


@row("bxi-018", "aim of 100,000 endpoints")
def _():
    holds(512 * 512 >= 100_000, "nodes")
    return agrees("262,144 >= 100,000", "arithmetic (bxi-008)")


# --- the PGFT -------------------------------------------------------------------------------------


@functools.cache
def full_size():
    """Hosts, and of each switch how many of its ports lead to hosts and how many to switches."""
    _, lines = with_tables(pgft_under_rr("full", [flow(0, 0.01, 1)], 0.5), "links")
    ports = {}
    for line in lines:
        switch, _, port = line["from"].partition(".port")
        if port:
            ports.setdefault(switch, [0, 0])[not line["to"].startswith("host")] += 1
    return sum(line["from"].startswith("host") for line in lines), ports


@row("bxi-005", "512 nodes, PGFT, D-Mod-K")
def _():
    hosts, ports = full_size()
    same((hosts, len(ports)), (512, 32), "hosts, switches")
    return agrees(
        "512 hosts, 16 leaves and 16 switches above them, d-mod-k",
        "sim builds PGFT(2; 32, 16; 1, 16; 1, 2); its parameters are not in the paper",
    )


@row("bxi-007", "leaves: 32 ports down, 32 up")
def _():
    _, ports = full_size()
    same(sorted(map(tuple, ports.values())), [(0, 32)] * 16 + [(32, 32)] * 16, "ports to hosts, to switches")
    return agrees(
        "16 leaves have 32 ports to hosts and 32 to switches; the 16 switches above use 32 of 64",
        "sim --csv: counted in links.csv",
    )


@row("bxi-009", "nodes of a PGFT")
def _():
    same(full_size()[0], 512, "hosts")
    return agrees("512", "sim --csv: counted in links.csv")


def by_link(destinations, messages=1):
    """Packets of one flit on each link that carries any, of the PGFT of 512 hosts: from host 0 so many to each destination."""
    traffic = [
        flow(0, 0.01, 1, name=f"to{to}", pattern="hot-spot", to=to, hosts=[0], messages=messages) for to in destinations
    ]
    report, links, flits = with_tables(pgft_under_rr("full", traffic, 20), "links", "link-flits")
    same(report["flits_delivered"], messages * len(destinations), "packets that came")
    receiver = {line["from"]: line["to"] for line in links}
    return {(line["from"], receiver[line["from"]]): int(line["flits"]) for line in flits if int(line["flits"])}


@row("bxi-010", "no detours, one path")
def _():
    every_pair = [flow(0, 0.001, 1, name=f"to{to}", pattern="hot-spot", to=to, messages=1) for to in range(512)]
    report = q.sim(pgft_under_rr("full", every_pair, 20))
    same((report["flits_delivered"], report["flits_lost"]), (512 * 511, 0), "one packet from each host to each other")
    # Of a host's 511 partners 31 are behind its leaf, one switch away, and 480 behind another, three at least.
    same(report["packet_hops"], 512 * (31 * 1 + 480 * 3), "switches on all paths")
    once, thrice = by_link(range(1, 512)), by_link(range(1, 512), 3)
    same(thrice, {link: 3 * count for link, count in once.items()}, "packets on each link")
    return agrees(
        f"{report['packet_hops']:,} switches on the paths of all {512 * 511:,} pairs, the least that there can be",
        f"sim, 512 hosts, one packet of each pair: no path is below its least, so none above. Three packets from host 0 to each of the others put three times as many on each of {len(once):,} links as one does",
    )


@row("bxi-011", "routes to different destinations always differ")
def _():
    def up_links(destinations):
        """Packets on each link up of host 0's leaf that carries any, one to each destination."""
        return [
            count
            for (sender, receiver), count in by_link(destinations).items()
            if sender.startswith("switch0.") and receiver.startswith("switch")
        ]

    same((up_links([40, 72]), up_links([40, 73])), ([2], [1, 1]), "packets on links up of the leaf")
    every = up_links(range(1, 512))
    same(set(every), {every[0]}, "as many on each link")
    sharing, others = every[0] - 1, sum(every) - 1
    return differs(
        "host 0 sends to 40 and 72 over one link up of its leaf, to 40 and 73 over two",
        f"D-Mod-K takes that link by the destination modulo {len(every)}: beside one destination {sharing} of {others} others behind other leaves, {100 * sharing / others:.1f} %, have the same, and "
        "with it the same switch above. From there on routes differ, as their last links always do (sim --csv on the 512-node PGFT, one packet to each host, the destination as the one change)",
    )


@row("bxi-012", "PFC stops one queue, not the others")
def _():
    to_0 = flow(1, 0.1, 32, name="incast", pattern="hot-spot", to=0, hosts=list(range(8, 64)))
    report = q.sim(pgft_under_rr("quick", [to_0, *(flow(sl, 0.05, SIZES[sl]) for sl in (0, 2, 3, 4))], 200))
    incast, *others = report["classes"]
    holds(report["pause_frames"] > 0 and incast["accepted"] < 0.5 * incast["offered"], "SL 1 is stopped")
    least = min(other["accepted"] / other["offered"] for other in others)
    holds(least >= 0.99, f"the others get what they offer: {least}")
    return agrees(
        f"SL 1 gets {100 * incast['accepted'] / incast['offered']:.0f} % of an incast, each of the four others {100 * least:.1f} % or more of what it offers; {report['pause_frames']} PFC frames",
        "sim, PGFT of 64 hosts",
    )


@row("bxi-015", "one constant table everywhere")
def _():
    holds(not RTL.faults(), "the RTL decides as the reference")
    return agrees(
        f"{RTL.decisions():,} decisions of all ports, NICs and switches, none differs",
        "sim --engine lockstep, experiment synthetic-lockstep: the RTL's tables, written once before the run, decide as the scenario's one table does, to the last decision",
    )
