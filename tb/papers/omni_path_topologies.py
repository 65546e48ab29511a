"""Topologies of the Omni-Path paper (Sects. 4.1 and 4.3), the channels and lanes of SLs on their links (Fig. 1, Table 7), buffers and destinations, row by row."""

import csv
import functools
import itertools
import json
import pathlib
import tempfile

import command as q
from experiment import hosts_of
from omni_path import NAMES, one_port, paper, rr
from omni_path_flits import shares
from omni_path_networks import CHANGED, EVERY, K2, SCHEDULERS, full_size, hierarchical, lanes, small
from rows import agrees, differs, holds, same

row = paper.row


def tree_row(row_id, k, n, expected):
    @row(row_id, f"{k}-ary {n}-tree: switches, NICs, ports")
    def _():
        same(q.counted({"kind": "kary-ntree", "k": k, "n": n}), expected, "switches, hosts, ports")
        return agrees(
            f"{expected[0]} switches, {expected[1]} hosts; {expected[2][1]} ports in use, {expected[2][0]} at the roots",
            "sim --csv: counted in links.csv",
        )


tree_row("opa-94", 8, 3, (192, 512, [8, 16]))
tree_row("opa-95", 24, 2, (48, 576, [24, 48]))


def torus_row(row_id, dims, hosts, trunk, expected):
    @row(row_id, f"{' x '.join(map(str, dims))} torus: switches, NICs, ports")
    def _():
        topology = {"kind": "torus", "dims": dims, "hosts_per_switch": hosts, "trunk": trunk}
        same(q.counted(topology, 40), expected, "switches, hosts, ports")
        return agrees(
            f"{expected[0]} switches, {expected[1]} hosts; {expected[2][0]} ports in use at each: {hosts} + {2 * len(dims)} x {trunk}",
            "sim --csv: counted in links.csv",
        )


torus_row("opa-92", [8, 8], 8, 10, (64, 512, [48]))
torus_row("opa-93", [8, 8, 4], 4, 4, (256, 1024, [28]))
torus_row("opa-187", [4, 4], 8, 10, (16, 128, [48]))
tree_row("opa-188", 8, 2, (16, 64, [8, 16]))


def links_from_one(dims, ties):
    """Links on the shortest ways, dimension by dimension, from one switch of a torus to all: by dimension and direction."""
    used = {}
    for other in itertools.product(*map(range, dims)):
        for place, (away, size) in enumerate(zip(other, dims, strict=True)):
            tied = 2 * away == size and ties == "split"
            for way in (1, -1) if tied else (1,) if 2 * away <= size else (-1,):
                used[place, way] = used.get((place, way), 0) + min(away, size - away) / (1 + tied)
    return used


def trunk_bound(topology, ties):
    """What each host of a torus may send, in flits a cycle, to all others alike until a trunk is full; all switches are alike."""
    hosts = topology["hosts_per_switch"]
    to_each = hosts / (hosts_of(topology) - 1)  # of what a host sends, to a switch
    return topology["trunk"] / max(hosts * to_each * links for links in links_from_one(topology["dims"], ties).values())


def mean_links(topology):
    """Between switches, on the way to a host that is any of the others."""
    others = hosts_of(topology) - 1
    if topology["kind"] == "torus":
        return topology["hosts_per_switch"] * sum(links_from_one(topology["dims"], "up").values()) / others
    k, n = topology["k"], topology["n"]
    return sum(2 * level * (k ** (level + 1) - k**level) for level in range(1, n)) / others


@row("opa-203", "cause given: smaller radix, more NICs")
def _():
    torus, tree = (16 * 8, 8 + 4 * 10), (8 * 8, 8 + 8)
    holds(torus[0] > tree[0], "more NICs")
    holds(torus[1] > tree[1], "and a larger radix")
    return differs(
        "128 > 64 NICs, but 48 > 16 ports",
        "the paper's own counts: the 4 x 4 torus has the larger radix, 8 + 4 x 10 ports against 8 + 8",
    )


paper.needs("opa-4", "traffic classes are names for groups of SLs, which nothing in a switch reads; sim has none")


def over_seven_links(mapped):
    """The scenario of these."""
    return q.ring(
        mapped,
        [
            {
                "name": f"sl{sl}",
                "queue": sl,
                "pattern": "hot-spot",
                "to": 2,
                "hosts": [9],
                "load": 0.1,
                "messages": sl + 1,
                "message_bytes": 256,
            }
            for sl in range(len(mapped))
        ],
    )


@functools.cache
def seven_links(mapped):
    """SLs with two service channels each, mapped to VLs, over the seven links from node 9 to node 2 of a ring of 12, one packet of four flits
    of the first, two of the second and so on. By link in order: packets by VL, flits by SL; the NIC's link has no count of VLs.
    """
    by_vl, by_sl = q.lanes_of(over_seven_links(mapped))
    links = ["host9.nic", *(f"switch{switch}.port1" for switch in (9, 10, 11, 0, 1)), "switch2.port0"]
    same(sorted(by_sl), sorted(links), "links in use")
    return [by_vl.get(link) for link in links], [by_sl[link] for link in links]


FIGURE_1 = (((0,), (1,)), ((2,), (3,)), ((4,), (5,)))  # service channels 0 to 5, each with a VL of its own
RING = "sim, ring of 12 with a dateline, over its wrap link; counters of packets by VL, flits of each link by SL"


@row("opa-5", "an SC has one VL, a VL may have several SCs")
def _():
    by_vl, _ = seven_links((((0,), (1,)), ((2,), (3,)), ((2,), (3,))))
    same(
        [link[2] for link in by_vl if link and 2 in link] + [link[3] for link in by_vl if link and 3 in link],
        [5] * 6,
        "packets of both SLs",
    )
    same(q.sim_refused(over_seven_links((((0, 1), (2, 3)),))), None, "an SC on two VLs")
    return differs(
        "of three SLs with two SCs each the last two share VL 2 and 3: 5 of their packets on either; an SC on two VLs is not refused",
        RING
        + "; Table 7's SC6 and SC8 on VL 6: opa-97; cause: what sim has for a stage of an SL is a list of VLs, of which its SCs are the members: with lists of one, the one change, each SC has one VL",
    )


@row("opa-6", "an SC has one SL, an SL may have several SCs")
def _():
    by_vl, _ = seven_links(FIGURE_1)
    for sl in range(3):
        same(
            {vl for link in by_vl if link for vl, packets in link.items() if packets == sl + 1},
            {2 * sl, 2 * sl + 1},
            f"channels of SL {sl}",
        )
    return agrees(
        "SL 0, 1, 2 use channels 0 and 1, 2 and 3, 4 and 5, nobody else's",
        RING
        + ": one, two and three packets. The classes above SLs, an SL in one, are names that no switch reads (opa-4)",
    )


@row("opa-8", "Fig. 1: SCs change link by link, the SL never")
def _():
    by_vl, by_sl = seven_links(FIGURE_1)
    same(by_sl, [{0: 4, 1: 8, 2: 12}] * 7, "flits by SL on each of seven links")
    first, second = {0: 1, 2: 2, 4: 3}, {1: 1, 3: 2, 5: 3}
    same(by_vl[1:], [first, first, second, second, second, first], "packets by channel")
    return agrees(
        "three SLs over seven links: channels 0, 2, 4, from the wrap link on 1, 3, 5, at the end 0, 2, 4; flits by SL are the same on all seven",
        RING,
    )


paper.needs("opa-21", "needs VLs that share the space of a buffer: here each has its own, so none can take another's")
TABLE_7 = tuple(((2 * sl,), (2 * sl + 1,)) for sl in range(len(NAMES)))  # the SCs of each SL, by stage of a ring
TABLE_7_VLS = TABLE_7[:4] + TABLE_7[3:4]  # SC 8 and 9 on the VLs of SC 6 and 7


def packets_by_vl(mapped):
    """How many packets a link has of each VL that it carries: the same on each link that carries the VL."""
    found = {}
    for link in seven_links(mapped)[0]:
        for vl, packets in (link or {}).items():
            same(found.setdefault(vl, packets), packets, f"packets of VL {vl}")
    return found


@row("opa-96", "two SCs for each SL")
def _():
    same(packets_by_vl(TABLE_7), {2 * sl + stage: sl + 1 for sl in range(5) for stage in (0, 1)}, "packets by SC")
    same(lanes({"kind": "torus"}), [[list(stage) for stage in sl] for sl in TABLE_7], "lanes of Figs. 3 and 4")
    return agrees(
        "of one to five packets of VO to BK SC 0 and 1, 2 and 3 and so on to 8 and 9 have as many, ten in all",
        RING
        + ", each SC with a VL of its own: an SL's two are the two stages of a torus' rings; in trees both are in use",
    )


@row("opa-97", "BE and BK share VLs 6 and 7")
def _():
    same(
        packets_by_vl(TABLE_7_VLS),
        {**{2 * sl + stage: sl + 1 for sl in range(3) for stage in (0, 1)}, 6: 4 + 5, 7: 4 + 5},
        "packets by VL",
    )
    same(lanes({"kind": "torus"}, True), [[list(stage) for stage in sl] for sl in TABLE_7_VLS], "lanes of networks")
    run = CHANGED["2-D torus dtable, BE and BK share VLs 1.0"]
    return agrees(
        "eight VLs; VL 6 and 7 have the four packets of BE and the five of BK",
        RING
        + f". The small 2-D torus at 1.0 under DTable accepts {shares(run)}; its scheduler then knows BE and BK as one SL",
    )


@row("opa-106", "destinations are uniform")
def _():
    hosts, messages = 16, 4000
    with tempfile.TemporaryDirectory() as folder:
        scenario_file = q.in_file(
            folder,
            "scenario.yaml",
            json.dumps(
                {
                    **one_port(
                        rr(1, 2),
                        [
                            {
                                "name": "one",
                                "queue": 0,
                                "pattern": "uniform",
                                "hosts": [0],
                                "load": 1.0,
                                "message_bytes": 128,
                            }
                        ],
                        ports=hosts,
                    ),
                    "run": {"warmup_us": 0, "measure_us": messages * 2 * 5.12 / 1000, "seed": 1},
                }
            ),
        )
        q.succeed("sim", scenario_file, "--json", "--engine", "model", "--csv", folder)
        with open(pathlib.Path(folder) / "links.csv", newline="") as file:
            counts = [
                round(float(line["utilization"]) * messages)
                for line in csv.DictReader(file)
                if line["to"].startswith("host") and line["to"] != "host0"
            ]
    expected = sum(counts) / (hosts - 1)
    chi = sum((count - expected) ** 2 / expected for count in counts)
    holds(chi < 29.14, f"chi-squared {chi:.1f} of 14 degrees of freedom, p > 0.01")
    return agrees(
        f"chi-squared {chi:.1f} with 14 degrees of freedom (p > 0.01 below 29.14)",
        "sim --csv: one of 16 hosts sends 4,000 messages; counted by what each host's link carried",
    )


@row("opa-99", "input and output buffers, never exceeded")
def _():
    vls, credits, size = 8, 128, 64
    most = {}
    for name in EVERY:
        for scheduler in SCHEDULERS:
            crowded = hierarchical(small(name, scheduler, 1.25, (5, 20), shared=True))
            switch = crowded["network"]["switch"]
            same(
                (crowded["arbiter"]["queues"], switch["input_queue_flits"], switch["output_queue_flits"]),
                (vls, credits, credits),
                "VLs and their buffers",
            )
            for item in crowded["traffic"]:
                item.update({"pattern": "hot-spot", "to": 0})
            report = q.sim(crowded)
            same(report["flits_lost"], 0, "flits lost")
            most[name, scheduler] = [report[f"max_{side}_queue_flits"] for side in ("input", "output")]
    holds(all(value <= credits for found in most.values() for value in found), "no VL's buffer holds more than it has")
    full = sum(value == credits for found in most.values() for value in found)
    same(vls * credits * size, 65536, "bytes of a port's buffer")
    return agrees(
        f"{vls * credits * size:,} bytes = 8 VLs of {credits} credits of {size}; of inputs and outputs in {len(most)} networks where all send to one host the fullest VL holds {credits} in {full} of {2 * len(most)}, never more",
        "sim, hierarchical switches, small networks with Table 7's VLs, RR, SBT and DTable at 1.25; the paper does not divide a port's bytes among its VLs, evenly is our reading. "
        f"Figs. 3 and 4 ran with as much a VL and 10 VLs, {10 * credits * size:,} bytes",
    )


@row("opa-101", "central buffer")
def _():
    def sizes(shared):
        """Bytes of the two central buffers of an MPort, and of the buffer of a port."""
        made = full_size(K2, "dtable", shared=shared)
        vls, switch = made["arbiter"]["queues"], made["network"]["switch"]
        return [
            vls * flits * made["network"]["flit_bytes"]
            for flits in (2 * switch["central_queue_flits"], switch["input_queue_flits"])
        ]

    eight, ten = sizes(True), sizes(False)
    same(eight[0], 128 * 1024, "bytes at an MPort with Table 7's VLs")
    return agrees(
        f"{eight[0]:,} bytes = 128 x 1024",
        "arithmetic on the scenarios: an MPort has two central buffers, each with 128 credits of 64 bytes for each of Table 7's 8 VLs, a number that was chosen to give this sum. "
        f"Figs. 3 and 4 ran with 10 VLs, {ten[0]:,} bytes, and {ten[1]:,} at a port",
    )
