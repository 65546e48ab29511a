"""The BXIv3 paper's networks: the scenarios of Sect. 4 on its PGFT, row by row."""

import csv
import dataclasses
import functools
import itertools
import json
import math
import pathlib
import random
import re
import tempfile

import command as q
import plots
import rows
from bxi import (
    ENTRIES,
    LOADS,
    RR,
    RULER,
    SIZE_MIX,
    SIZES,
    TABLE_9,
    TABLE_10,
    WEIGHTS,
    due,
    exact_shares,
    interval,
    paper,
    table,
)
from experiment import (
    WORKLOADS,
    Comparisons,
    Interval,
    difference,
    hosts_of,
    of_classes,
    paired,
    ratio,
    simultaneous,
    spearman,
)
from experiment import interval as interval_of
from rows import agrees, by_comparisons, decided, differs, holds, near, percent, same

ARBITERS = ["rr", "basic", "basic-spread", "deficit", "deficit-spread"]
SCALE = {"fair": 1024, "step": 1024, "2powers": 1024}  # flits of weight 1, as Table 2 has it
SMALL = {"fair": 320, "step": 256, "2powers": 80}  # turns that the queues of 768 flits can fill


def pgft(size):
    """PGFT(2; 32, 16; 1, 16; 1, 2) with 512 hosts, or a small one of the same shape with 64."""
    if size == "full":
        return {"kind": "pgft", "down": [32, 16], "up": [1, 16], "parallel": [1, 2]}
    return {"kind": "pgft", "down": [8, 8], "up": [1, 4], "parallel": [1, 2]}


def arbiter_of(name, kind, scale, variant="corrected"):
    if kind == "rr":
        return {"policy": "rr", "queues": 5, "max_packet_flits": 80}
    k = scale[name]
    entries = (
        [(queue, WEIGHTS[name][queue] * k // ENTRIES[queue]) for queue in RULER]
        if kind.endswith("spread")
        else [(queue, weight * k) for queue, weight in enumerate(WEIGHTS[name])]
    )
    return table(entries, 80, "bxi-" + kind.removesuffix("-spread"), variant=variant, queues=5, strict=False)


def network_of(size, queue_flits=768):
    return {
        "topology": pgft(size),
        "routing": "d-mod-k",
        "link": {"gbps": 400, "delay_ns": 25},
        "flit_bytes": 64,
        "switch": {
            "input_queue_flits": queue_flits,
            "output_queue_flits": queue_flits,
            "crossbar_speedup": 2,
            "flow_control": "pfc",
        },
    }


def window_of(size):
    return (
        {"warmup_us": 200, "measure_us": 1000, "seed": 1}
        if size == "full"
        else {"warmup_us": 40, "measure_us": 200, "seed": 1}
    )


def synthetic_points(size, scale=None, variant="corrected", kinds=None, queue_flits=768, window=None, **keys):
    """Figs. 11 to 19: three scenarios by five arbiters. `window`: of which size it is, if not that of the network."""
    return {
        f"{name}.{kind}": {
            "arbiter": arbiter_of(name, kind, scale or SCALE, variant),
            "network": network_of(size, queue_flits),
            "traffic": [
                {
                    "name": f"sl{sl}",
                    "queue": sl,
                    "pattern": "uniform",
                    "load": LOADS[name][sl] / 100,
                    "message_bytes": 64 * SIZES[sl],
                    **keys,
                }
                for sl in range(5)
            ],
            "run": window_of(window or size),
        }
        for name in WEIGHTS
        for kind in kinds or ARBITERS
    }


BASE = paper.experiment(
    "synthetic",
    "{hosts} hosts, {warmup_us} us before the window of {measure_us} us, k = 1024.",
    synthetic_points,
    {"quick": 22, "full": 3},
)


def chosen(points, *names):
    return {name: points[name] for name in names}


def heavier(points, factor):
    """The same with `factor` times the load, a number or the scenario's by name."""

    def of(name):
        return factor[name.partition(".")[0]] if isinstance(factor, dict) else factor

    return {
        name: {**point, "traffic": [{**item, "load": round(item["load"] * of(name), 6)} for item in point["traffic"]]}
        for name, point in points.items()
    }


def in_proportion(points):
    """The same with as much load, each SL's in proportion to its share."""
    return {
        name: {
            **point,
            "traffic": [
                {**item, "load": round(float(share) * sum(LOADS[name.partition(".")[0]]) / 100, 6)}
                for item, share in zip(point["traffic"], due(name.partition(".")[0]))
            ],
        }
        for name, point in points.items()
    }


def speedup(points, factor):
    return {
        name: {
            **point,
            "network": {**point["network"], "switch": {**point["network"]["switch"], "crossbar_speedup": factor}},
        }
        for name, point in points.items()
    }


def swapped(points, first, second):
    """The same with the entries of two SLs in each other's places, each with its own flits in all."""

    def table_of(point, name):
        weights = WEIGHTS[name.partition(".")[0]]
        places = {first: second, second: first}
        return [
            {"queue": sl, "weight": weights[sl] * 1024 // ENTRIES[places.get(sl, sl)]}
            for sl in (places.get(entry["queue"], entry["queue"]) for entry in point["arbiter"]["table"])
        ]

    return {
        name: {**point, "arbiter": {**point["arbiter"], "table": table_of(point, name)}}
        for name, point in points.items()
    }


# Some of them with more seeds, by which rows hang.
FAIR_BASIC = paper.experiment(
    "synthetic-fair-basic",
    "The same, basic in fair.",
    lambda size: chosen(synthetic_points(size), "fair.basic", "fair.basic-spread"),
    {"quick": 22, "full": 12},
)
STEP_BASIC = paper.experiment(
    "synthetic-step-basic",
    "The same, basic in step.",
    lambda size: chosen(synthetic_points(size), "step.basic", "step.basic-spread"),
    {"quick": 22, "full": 20},
)
TWO_POWERS_PLAIN = paper.experiment(
    "synthetic-2powers-plain",
    "The same, plain tables of 2powers.",
    lambda size: chosen(synthetic_points(size), "2powers.basic", "2powers.deficit"),
    {"quick": 22, "full": 6},
)
FAIR_DEFICIT = paper.experiment(
    "synthetic-fair-deficit",
    "The same, deficits in fair.",
    lambda size: chosen(synthetic_points(size), "fair.deficit", "fair.deficit-spread"),
    {"quick": 22, "full": 10},
)
# What is not changed, but the size of the network; and shorter turns in the network of that size.
SMALL_NETWORK = paper.experiment(
    "synthetic-64-hosts",
    "{hosts} hosts, {warmup_us} us before the window of {measure_us} us, k = 1024.",
    lambda size: synthetic_points("quick"),
    {"quick": 22, "full": 22},
)
SHORT_TURNS = paper.experiment(
    "synthetic-short-turns",
    "{hosts} hosts, k = 320, 256 and 80.",
    lambda size: synthetic_points(size, SMALL),
    {"quick": 3, "full": 3},
)
SHORT_WINDOW = paper.experiment(
    "synthetic-short-window",
    "{hosts} hosts, {warmup_us} us before the window of {measure_us} us, k = 1024.",
    lambda size: synthetic_points(size, window="quick"),
    {"quick": 3, "full": 3},
)
SHORT_WINDOW_2POWERS = paper.experiment(
    "synthetic-short-window-2powers",
    "The same, basic in 2powers.",
    lambda size: chosen(synthetic_points(size, window="quick"), "2powers.basic", "2powers.basic-spread"),
    {"quick": 22, "full": 20},
)
SHORT_WINDOW_300 = paper.experiment(
    "synthetic-short-window-k-300",
    "The same, k = 300.",
    lambda size: chosen(
        synthetic_points(size, dict.fromkeys(WEIGHTS, 300), window="quick"), "2powers.basic", "2powers.basic-spread"
    ),
    {"quick": 6, "full": 6},
)
FAIR_320 = paper.experiment(
    "synthetic-fair-k-320",
    "{hosts} hosts, basic in fair, k = 320.",
    lambda size: chosen(synthetic_points(size, SMALL), "fair.basic", "fair.basic-spread"),
    {"quick": 3, "full": 5},
)
MISFITS = paper.experiment(
    "synthetic-misfits",
    "{hosts} hosts, basic in step, k = 300.",
    lambda size: chosen(synthetic_points(size, dict.fromkeys(WEIGHTS, 300)), "step.basic", "step.basic-spread"),
    {"quick": 6, "full": 6},
)


def outliers_kept(report, tables):
    """Of each class, how many hosts get less than 1.5 quartile distances below the first quartile, or more than so far above the third."""
    kept = {}
    for item in report["classes"]:
        over = item["over_hosts"]["accepted"]
        far = 1.5 * (over["q3"] - over["q1"])
        got = [float(line["accepted"]) for line in tables["hosts"] if line["class"] == item["name"]]
        kept[f"{item['name']}.below"] = sum(share < over["q1"] - far for share in got)
        kept[f"{item['name']}.above"] = sum(share > over["q3"] + far for share in got)
    return kept


OUTLIERS = paper.experiment(
    "synthetic-outliers",
    "{hosts} hosts, outliers of basic.",
    lambda size: chosen(synthetic_points(size), "step.basic", "step.basic-spread", "2powers.basic-spread"),
    {"quick": 22, "full": 4},
    keep=outliers_kept,
    tables=("hosts",),
)

# One assumption changed each; always in the small network, with which they are compared.
VARIANTS = {
    "k smaller": paper.experiment(
        "synthetic-small-k",
        "k = 320, 256 and 80.",
        lambda size: synthetic_points("quick", SMALL),
        {"quick": 3, "full": 3},
    ),
    "Poisson arrivals": paper.experiment(
        "synthetic-poisson",
        "Poisson arrivals.",
        lambda size: synthetic_points("quick", arrival="poisson"),
        {"quick": 12, "full": 12},
    ),
    "queues of 8,192 flits": paper.experiment(
        "synthetic-deep",
        "Queues of 8,192 flits.",
        lambda size: synthetic_points("quick", queue_flits=8192),
        {"quick": 3, "full": 3},
    ),
    "Algorithm 2 as printed": paper.experiment(
        "synthetic-printed",
        "Algorithm 2 as printed.",
        lambda size: synthetic_points("quick", variant="printed", kinds=["deficit", "deficit-spread"]),
        {"quick": 3, "full": 3},
    ),
}
# The same, with the runs alone that a row's cause compares.
CAUSES = {
    "1.2 times the load": paper.experiment(
        "synthetic-heavier",
        "1.2 times the load.",
        lambda size: heavier(chosen(synthetic_points("quick"), "fair.rr", "step.rr", "step.basic"), 1.2),
        {"quick": 5, "full": 5},
    ),
    "loads scaled to 100 % (what Sect. 4.1 says that they are)": paper.experiment(
        "synthetic-scaled",
        "Loads of step and 2powers scaled to 100 %.",
        lambda size: heavier(
            {name: point for name, point in synthetic_points("quick").items() if not name.startswith("fair")},
            {name: 100 / sum(loads) for name, loads in LOADS.items()},
        ),
        {"quick": 5, "full": 5},
    ),
    "loads in proportion to the shares": paper.experiment(
        "synthetic-in-proportion",
        "Loads in proportion to the shares.",
        lambda size: in_proportion(chosen(synthetic_points("quick"), "step.basic", "step.deficit")),
        {"quick": 5, "full": 5},
    ),
    "a crossbar without speedup": paper.experiment(
        "synthetic-speedup-1",
        "A crossbar without speedup.",
        lambda size: speedup(
            chosen(
                synthetic_points("quick"),
                "step.deficit",
                "step.deficit-spread",
                "2powers.basic",
                "2powers.basic-spread",
            ),
            1,
        ),
        {"quick": 30, "full": 30},
    ),
    "k = 300": paper.experiment(
        "synthetic-k-300",
        "k = 300.",
        lambda size: synthetic_points("quick", dict.fromkeys(WEIGHTS, 300)),
        {"quick": 12, "full": 12},
    ),
    "k = 1280": paper.experiment(
        "synthetic-k-1280",
        "k = 1280.",
        lambda size: chosen(synthetic_points("quick", dict.fromkeys(WEIGHTS, 1280)), "fair.basic"),
        {"quick": 22, "full": 22},
    ),
    "k = 160": paper.experiment(
        "synthetic-k-160",
        "k = 160.",
        lambda size: chosen(
            synthetic_points("quick", dict.fromkeys(WEIGHTS, 160)),
            "2powers.basic",
            "2powers.deficit",
            "2powers.deficit-spread",
        ),
        {"quick": 12, "full": 12},
    ),
    "k = 155": paper.experiment(
        "synthetic-k-155",
        "k = 155.",
        lambda size: chosen(synthetic_points("quick", dict.fromkeys(WEIGHTS, 155)), "2powers.basic", "2powers.deficit"),
        {"quick": 12, "full": 12},
    ),
    "k = 100, as Table 1 has it,": paper.experiment(
        "synthetic-k-100",
        "k = 100.",
        lambda size: chosen(
            synthetic_points("quick", dict.fromkeys(WEIGHTS, 100)),
            "step.basic",
            "step.basic-spread",
            "step.deficit",
            "step.deficit-spread",
            "2powers.basic",
        ),
        {"quick": 12, "full": 12},
    ),
    "k = 420": paper.experiment(
        "synthetic-k-420",
        "k = 420.",
        lambda size: chosen(synthetic_points("quick", dict.fromkeys(WEIGHTS, 420)), "step.basic", "step.deficit"),
        {"quick": 12, "full": 12},
    ),
    "k = 20": paper.experiment(
        "synthetic-k-20",
        "k = 20.",
        lambda size: chosen(
            synthetic_points("quick", dict.fromkeys(WEIGHTS, 20), kinds=["deficit", "deficit-spread"]),
            *(f"{name}.{kind}" for name in ("step", "2powers") for kind in ("deficit", "deficit-spread")),
        ),
        {"quick": 5, "full": 5},
    ),
    "the entries of SL 0 and 1 in each other's places": paper.experiment(
        "synthetic-swapped",
        "SL 0 with 8 entries, SL 1 with 16.",
        lambda size: swapped(chosen(synthetic_points("quick"), "step.basic-spread", "step.deficit-spread"), 0, 1),
        {"quick": 12, "full": 12},
    ),
}

# Two assumptions changed, where one alone does not do.
TWO_CHANGES = {
    "a crossbar without speedup and k = 240": paper.experiment(
        "synthetic-speedup-1-k-240",
        "A crossbar without speedup, k = 240.",
        lambda size: speedup(
            chosen(
                synthetic_points("quick", dict.fromkeys(WEIGHTS, 240)),
                *(f"step.{kind}" for kind in ("basic", "basic-spread", "deficit", "deficit-spread")),
            ),
            1,
        ),
        {"quick": 10, "full": 10},
    ),
}


# Spread entries of fair have quanta below a packet, which the RTL refuses.
RTL = paper.in_lockstep(
    "synthetic-lockstep",
    BASE,
    "Figs. 11 to 19",
    without=lambda point: point in ("fair.basic-spread", "fair.deficit-spread"),
)

# --- Sect. 4.3: a search application, bursts to host 0 and noise ------------------------------------------

SHARES_8 = {"fair": [1, 1, 1], "step": [3, 2, 1], "2powers": [4, 2, 1]}  # Table 8
ENTRIES_8 = [4, 2, 1]
SEARCH = ["rr"] + [f"{name}.{kind}" for name in SHARES_8 for kind in ("basic", "deficit")]


def search_scenario(size, arbiter, each=False, burst=True):
    """SL 0: messages of the Homa paper's workload W2, Poisson, load 0.4; SL 1: from half of the hosts to host 0 every
    millisecond, 8 MiB in all or from each; SL 2: noise, 20 % in messages of 9,216 bytes."""
    if arbiter == "rr":
        config = {"policy": "rr", "queues": 3, "max_packet_flits": 144}
    else:
        name, kind = arbiter.split(".")
        config = table(
            [(sl, SHARES_8[name][sl] * 1024 // ENTRIES_8[sl]) for sl in (0, 1, 0, 2, 0, 1, 0)],
            144,
            "bxi-" + kind,
            queues=3,
        )
    network = network_of(size)
    if size == "quick":
        network["topology"] = {"kind": "pgft", "down": [4, 4], "up": [1, 2], "parallel": [1, 2]}
    hosts = hosts_of(network["topology"])
    senders = list(range(1, hosts, 2))
    bursts = [
        {
            "name": "bursts",
            "queue": 1,
            "pattern": "hot-spot",
            "to": 0,
            "hosts": senders,
            "message_bytes": 65536,
            "burst": {"bytes": 8 * 2**20 // (1 if each else len(senders)), "period_us": 1000, "offset_us": 400},
        }
    ]
    return {
        "arbiter": config,
        "network": network,
        "traffic": [
            {
                "name": "search",
                "queue": 0,
                "pattern": "uniform",
                "load": 0.4,
                "arrival": "poisson",
                "message_bytes": {"file": f"{WORKLOADS}/google-search-rpc.txt"},
            },
            *(bursts if burst else []),
            {"name": "noise", "queue": 2, "pattern": "uniform", "load": 0.2, "message_bytes": 9216},
        ],
        "run": {"warmup_us": 0, "measure_us": 1800, "seed": 1},
    }


def search_kept(report, tables):
    """Completion times of the search messages, and what they got over time."""
    found = {
        "mean": report["classes"][0]["message_latency_ns"]["mean"],
        "accepted": report["classes"][0]["accepted"],
        "lost": report["flits_lost"],
        "offered": report["classes"][0]["offered"],
        "noise": report["classes"][-1]["offered"],
    }
    curve = [
        (float(line["ns"]), float(line["share"]))
        for line in tables["cdf"]
        if line["class"] == "search" and line["of"] == "messages"
    ]
    for name, part in (("p25", 0.25), ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p99", 0.99), ("last", 1)):
        found[name] = next((ns for ns, share in curve if share >= part - 1e-12), curve[-1][0])
    found["within 10 us"] = max((share for ns, share in curve if ns <= 10_000), default=0)
    found["got"] = [float(line["got"]) for line in tables["series"] if line["class"] == "search"]
    ends = sorted({float(line["end_ns"]) for line in tables["series"]})
    found["total"] = [
        sum(float(line["got"]) for line in tables["series"] if float(line["end_ns"]) == end) for end in ends
    ]
    found["ends_us"] = [float(line["end_ns"]) / 1000 for line in tables["series"] if line["class"] == "search"]
    return found


SEARCHES = paper.experiment(
    "search",
    "{hosts} hosts; a stand-in for the application, whose trace is not published.",
    lambda size: {name: search_scenario(size, name) for name in SEARCH},
    {"quick": 3, "full": 8},
    keep=search_kept,
    tables=("cdf", "series"),
)
SEARCH_LOCKSTEP = paper.in_lockstep("search-lockstep", SEARCHES, "Figs. 1, 20 to 22")
OTHER_BURSTS = paper.experiment(
    "search-other-bursts",
    "The same without bursts and with 8 MiB from each of the senders.",
    lambda size: {
        f"{name}, {what}": search_scenario(size, name, **keys)
        for what, keys in (("no bursts", {"burst": False}), ("8 MiB from each", {"each": True}))
        for name in ("rr", "2powers.deficit")
    },
    {"quick": 3, "full": 2},
    keep=search_kept,
    tables=("cdf", "series"),
)


def searched(name):
    return (SEARCHES if name in SEARCH else OTHER_BURSTS)[name]


def ending_scenario(size, arbiter):
    """The same with 8 MiB from each host and an end: hosts send 57,500 messages at twice a link's rate. That number brings the end under RR on the
    16 hosts of `quick`, which takes longest, near Table 9's; the window is as long as it has to be."""
    scenario = search_scenario(size, arbiter, each=True)
    search, *others = scenario["traffic"]
    return {
        **scenario,
        "traffic": [{**search, "load": 2.0, "messages": 57_500}, *others],
        "run": {**scenario["run"], "measure_us": 9000 if arbiter == "rr" else 2500 if size == "full" else 2000},
    }


def ending_kept(report, tables):
    """When the application ended, and its messages' completion times. The end is in the last slice in which it got something: where that slice's
    part would have come, had it come as fast as the part of the slice before."""
    found = search_kept(report, tables)
    got, ends = found["got"], found["ends_us"]
    if any(got[-2:]):
        raise RuntimeError("the application does not end within the window")
    last = max(index for index, part in enumerate(got) if part > 0)
    slice_us = ends[1] - ends[0]
    return {
        "end_us": ends[last - 1] + slice_us * min(1, got[last] / got[last - 1]),
        "slice_us": slice_us,
        **{name: found[name] for name in ("mean", "p50", "p75", "p90", "p99", "last")},
    }


ENDINGS = paper.experiment(
    "search-end",
    "{hosts} hosts; the stand-in with an end: 57,500 messages of each host at twice a link's rate, 8 MiB from each host to host 0.",
    lambda size: {name: ending_scenario(size, name) for name in SEARCH},
    {"quick": 3, "full": 4},
    keep=ending_kept,
    tables=("cdf", "series"),
)


def long_scenario(size, name):
    """As many bytes in messages of 4,224, 66 flits. That length brings what fair with deficits saves of RR's time on 16 hosts near Table 9's 22.7 %;
    whole messages of it leave 23, 5 and 3 % of SL 0's quanta of 256, 768 and 1,024 flits."""
    scenario = ending_scenario(size, name)
    search, *others = scenario["traffic"]
    return {
        **scenario,
        "traffic": [{**search, "messages": 6540, "message_bytes": 4224}, *others],
        "run": {**scenario["run"], "measure_us": 2000},
    }


LONG = paper.experiment(
    "search-long",
    "The same bytes in messages of 4,224.",
    lambda size: {name: long_scenario(size, name) for name in SEARCH},
    {"quick": 20, "full": 10},
    keep=ending_kept,
    tables=("cdf", "series"),
)


def calibrated_scenario(size, size_of, arbiter):
    """The stand-in with an end, brought near two of Table 9's cells under RR on 16 hosts, the end and the median, by how much a host sends and
    how fast: in messages of W2, or of the 4,224 bytes of LONG."""
    scenario = ending_scenario(size, arbiter)
    search, *others = scenario["traffic"]
    keys = {
        "W2": {"load": 0.1, "messages": 36_000},
        "4,224 bytes": {"load": 0.48, "messages": 24_200, "message_bytes": 4224},
    }[size_of]
    window = 9000 if arbiter == "rr" else 7000 if size == "quick" else {"W2": 4000, "4,224 bytes": 6000}[size_of]
    return {**scenario, "traffic": [{**search, **keys}, *others], "run": {**scenario["run"], "measure_us": window}}


def calibrated_points(size):
    return {
        f"{size_of}, {name}": calibrated_scenario(size, size_of, name)
        for size_of in ("W2", "4,224 bytes")
        for name in SEARCH
    }


CALIBRATED = paper.experiment(
    "search-calibrated",
    "{hosts} hosts; of each host 36,000 messages of W2 at a load of 0.1, or 24,200 of 4,224 bytes at 0.48, 8 MiB from each host to host 0.",
    calibrated_points,
    {"quick": 5, "full": 2},
    keep=ending_kept,
    tables=("cdf", "series"),
)


def in_all_scenario(size, arbiter):
    """The messages of 4,224 bytes, four times as many, with bursts of 8 MiB in all instead of from each."""
    scenario = long_scenario(size, arbiter)
    search, bursts, noise = scenario["traffic"]
    bursts = {**bursts, "burst": {**bursts["burst"], "bytes": bursts["burst"]["bytes"] // len(bursts["hosts"])}}
    return {
        **scenario,
        "traffic": [{**search, "messages": 4 * search["messages"]}, bursts, noise],
        "run": {**scenario["run"], "measure_us": 6000},
    }


IN_ALL = paper.experiment(
    "search-in-all",
    "{hosts} hosts; four times as many messages of 4,224 bytes, 8 MiB in all to host 0.",
    lambda size: {name: in_all_scenario(size, name) for name in ("rr", "fair.deficit", "2powers.deficit")},
    {"quick": 3, "full": 2},
    keep=ending_kept,
    tables=("cdf", "series"),
)

# The 16 hosts on which the numbers, the loads and the length were chosen.
ENDINGS_16 = paper.experiment(
    "search-end-16-hosts",
    "{hosts} hosts.",
    lambda size: {name: ending_scenario("quick", name) for name in SEARCH},
    {"quick": 10, "full": 10},
    keep=ending_kept,
    tables=("cdf", "series"),
)
LONG_16 = paper.experiment(
    "search-long-16-hosts",
    "{hosts} hosts.",
    lambda size: {name: long_scenario("quick", name) for name in SEARCH},
    {"quick": 20, "full": 20},
    keep=ending_kept,
    tables=("cdf", "series"),
)
CALIBRATED_16 = paper.experiment(
    "search-calibrated-16-hosts",
    "{hosts} hosts.",
    lambda size: calibrated_points("quick"),
    {"quick": 5, "full": 5},
    keep=ending_kept,
    tables=("cdf", "series"),
)
# What Fig. 21 says of RR.
SLOW_16 = paper.experiment(
    "search-1-ms-16-hosts",
    "{hosts} hosts, RR.",
    lambda size: {name: point for name, point in calibrated_points("quick").items() if name.endswith(", rr")},
    {"quick": 5, "full": 5},
    keep=lambda report, tables: {
        **{name: search_kept(report, tables)[name] for name in ("p50", "p99")},
        "within 1 ms": max(
            float(line["share"])
            for line in tables["cdf"]
            if line["class"] == "search" and line["of"] == "messages" and float(line["ns"]) <= 1e6
        ),
    },
    tables=("cdf", "series"),
)


# --- what a figure is made of ------------------------------------------------------------------------

NAMES = {
    "rr": "RR",
    "basic": "basic",
    "basic-spread": "basic, spread",
    "deficit": "deficits",
    "deficit-spread": "deficits, spread",
}
ALL = range(5)


def key(sl, number):
    return f"sl{sl}.{number}"


def values(run, number, sls=ALL):
    """Means over the seeds, SL by SL."""
    return [run.mean(key(sl, number)) for sl in sls]


def points(run, number="hosts.median", sls=ALL, digits=2):
    return "/".join(f"{100 * value:.{digits}f}" for value in values(run, number, sls)) + " %"


def us(run, number, sls=ALL):
    return "/".join(f"{value / 1000:.2f}" for value in values(run, number, sls)) + " us"


def slope(seed, number, sls=ALL):
    """Least squares over the SL."""
    middle = sum(sls) / len(sls)
    return sum((sl - middle) * seed[key(sl, number)] for sl in sls) / sum((sl - middle) ** 2 for sl in sls)


def rank(run, number, sls=ALL):
    """Rank correlation with the SL, mean over the seeds."""
    return run.each(lambda seed: spearman(list(sls), [seed[key(sl, number)] for sl in sls])).mean


def error(run, name):
    """Sum over the SLs of what the median is off its share, in points."""
    return run.each(
        lambda seed: sum(abs(100 * seed[key(sl, "hosts.median")] - 100 * float(due(name)[sl])) for sl in ALL)
    )


def error_more(first, second, name):
    """Interval of the first sum of errors less the second, as a part of a link."""
    return paired(
        first,
        second,
        lambda a, b: sum(
            abs(a[key(sl, "hosts.median")] - due(name)[sl]) - abs(b[key(sl, "hosts.median")] - due(name)[sl])
            for sl in ALL
        ),
    )


def error_less(first, second, name, among=None):
    return Comparisons([error_more(first, second, name).under()], among)


def idle_ns(sl, hops=3):
    """An idle network's latency over `hops` switches: flits, wires, pipelines (docs/networks.md)."""
    return 1.28 * (SIZES[sl] + (hops + 1) * 20 + hops * 9)


CLAIMS = {}  # row: its predicate


def waits(held):
    """Whether what a predicate says of runs needs more seeds."""
    return isinstance(held, Comparisons) and held.open


def contradicted(held):
    return not held and not waits(held)


def claim(row_id, what, predicate, note="sim, PGFT", cause=None, base=BASE, needs=None, across=False, changes=None):
    """A row that the synthetic runs decide. predicate(runs) returns whether it holds, best as Comparisons, and what was measured; it is
    asked again of each run with one change, and a change that makes it hold is the cause that is named, beside `cause`, a text or a
    function that makes it from runs. What is changed in the small network is compared with that network.
    Comparisons that are open decide nothing, and the row waits for more seeds. base: the runs that decide, if some have more seeds than
    the others. needs: what would show the cause, a text or a function, if nothing that was run does. across: it compares scenarios, for which another k in each is more
    than one change. changes: the runs of base's size with one change, by its name, if base is of another window than most."""
    CLAIMS[row_id] = predicate

    @paper.row(row_id, what)
    def _():
        held, measured = predicate(base)
        full = base.size() == "full"
        small = predicate(SMALL_NETWORK)

        def asked(changes):
            """What the predicate says of runs, by the name of what is changed."""
            found = {}
            for name, runs in changes.items():
                if across and runs in (SHORT_TURNS, VARIANTS["k smaller"]):
                    continue
                try:
                    found[name] = predicate(runs)
                except KeyError:
                    continue  # not all runs are there
            return found

        larger = (
            asked(
                changes
                or {
                    "a window of 200 us behind 40": SHORT_WINDOW,
                    "k = 320, 256 and 80": SHORT_TURNS,
                    "k = 300": MISFITS,
                    "k = 320": FAIR_320,
                }
            )
            if full
            else {}
        )
        other = asked({**VARIANTS, **CAUSES})
        on_small = "on 64 hosts " if full else ""
        if held:
            against = [name for name, (holds_too, _) in larger.items() if contradicted(holds_too)]
            broken = [name for name, (holds_too, _) in other.items() if small[0] and contradicted(holds_too)]
            return decided(
                True,
                measured,
                note
                + "".join(
                    [
                        f"; not with {', nor with '.join(against)}" if against else "",
                        f"; {on_small}not with {', nor with '.join(broken)}" if broken else "",
                    ]
                ),
            )
        if waits(held):
            return rows.Verdict(
                rows.NOT_TESTABLE,
                measured,
                f"{note}: the difference is {held.left_open()}" + ("" if full else ", or full size"),
            )
        mended = [
            f"with {name} as the one change it holds ({text})"
            for name, (holds_too, text) in larger.items()
            if holds_too
        ]
        if contradicted(small[0]):
            smaller = {name: text for name, (holds_too, text) in other.items() if holds_too}
            if mended and smaller:
                mended.append("on 64 hosts also with " + ", ".join(name.rstrip(",") for name in smaller))
            else:
                mended += [
                    f"with {name} as the one change it holds{' on 64 hosts' if full else ''} ({text})"
                    for name, text in smaller.items()
                ]
        told = cause() if callable(cause) else cause
        causes = [*([told] if told else []), *mended]
        if not causes and (needs or isinstance(held, Comparisons)):
            wanted = needs() if callable(needs) else needs or "a run with one change that shows why"
            return rows.Verdict(
                rows.NOT_TESTABLE,
                measured,
                f"{note}: differs, cause not known; needs {wanted}",
            )
        return decided(False, measured, note, "; ".join(causes) or None)


def difference_of(run, first, second):
    """Interval of the difference of two numbers of one run."""
    return run.each(lambda seed: seed[first] - seed[second])


def unlike(found):
    """The Interval of a difference on whose side nothing depends: above 0 where it is on either."""
    return dataclasses.replace(found, mean=abs(found.mean))


def lost_of_turns(name, kind, k):
    """What a turn of each SL loses where its queue always has packets, as the last head does not fit, in percent."""
    turns = {entry["queue"]: entry["weight"] for entry in arbiter_of(name, kind, dict.fromkeys(WEIGHTS, k))["table"]}
    return "/".join(f"{100 * (turns[sl] % SIZES[sl]) / turns[sl]:.0f}" for sl in ALL)


# --- fair: Figs. 11 to 13 -----------------------------------------------------------------------------


def spread_of(run, number, sls=ALL):
    return run.each(lambda seed: max(seed[key(sl, number)] for sl in sls) - min(seed[key(sl, number)] for sl in sls))


claim(
    "bxi-115",
    "fair, RR: medians of SL 1 to 4 alike",
    lambda runs: (spread_of(runs["fair.rr"], "hosts.median", range(1, 5)).mean <= 0.01, points(runs["fair.rr"])),
)


def loaded_more():
    run = CAUSES["1.2 times the load"]["fair.rr"]
    return (
        "what one sample of Fig. 11 is, or the load at which SL 1 is short in some hosts alone. With 1.2 times the load on 64 hosts minima sink "
        f"({points(run, 'hosts.min')}; rank correlation {rank(run, 'hosts.min', range(1, 5)):.2f}), but medians are {100 * spread_of(run, 'hosts.median', range(1, 5)).mean:.2f} points apart, which the same sentence has alike"
    )


claim(
    "bxi-116",
    "fair, RR: least shares sink with the packets, medians of SL 1 to 4 alike",
    lambda runs: (
        rank(runs["fair.rr"], "hosts.min", range(1, 5)) >= 0.8
        and spread_of(runs["fair.rr"], "hosts.median", range(1, 5)).mean <= 0.01,
        f"minima {points(runs['fair.rr'], 'hosts.min')}; rank correlation with the SL {rank(runs['fair.rr'], 'hosts.min', range(1, 5)):.2f}",
    ),
    "sim, PGFT; SL 0 alone is short, and of SL 1 to 4 each host gets what it offers but for the few packets under way",
    needs=loaded_more,
)
claim(
    "bxi-117",
    "fair, RR: SL 0 gets least",
    lambda runs: (
        Comparisons(
            [
                runs["fair.rr"]
                .each(lambda s: s["sl0.hosts.median"] - min(s[key(sl, "hosts.median")] for sl in range(1, 5)))
                .under()
            ]
        ),
        points(runs["fair.rr"]),
    ),
)
claim(
    "bxi-118",
    "fair: RR favours long packets, basic short ones",
    lambda runs: (
        Comparisons(
            [
                runs["fair.rr"].each(lambda s: slope(s, "hosts.median")),
                runs["fair.basic"].each(lambda s: slope(s, "hosts.median")).under(),
            ]
        ),
        "points an SL: RR "
        + runs["fair.rr"].each(lambda s: 100 * slope(s, "hosts.median")).text(3)
        + ", basic "
        + runs["fair.basic"].each(lambda s: 100 * slope(s, "hosts.median")).text(3),
    ),
)
claim(
    "bxi-119",
    "fair, basic: SL 4 gets less than 20 %",
    lambda runs: (
        Comparisons(
            [
                runs["fair.basic"]
                .each(lambda s: s["sl4.hosts.median"] - min(0.2, *(s[key(sl, "hosts.median")] for sl in range(4))))
                .under()
            ]
        ),
        points(runs["fair.basic"]),
    ),
)


def on_64_hosts(runs, kind):
    """What spreading adds to SL 4's median there, if these are the runs that decide."""
    if runs not in (FAIR_BASIC, FAIR_DEFICIT) or runs.size() != "full":
        return ""
    few = difference(SMALL_NETWORK[f"fair.{kind}-spread"], SMALL_NETWORK[f"fair.{kind}"], "sl4.hosts.median")
    return f"; on 64 hosts spreading adds {few.text(3, 100)} to its median"


claim(
    "bxi-121",
    "fair, basic: spreading makes SL 4's loss smaller",
    lambda runs: (
        Comparisons([difference(runs["fair.basic-spread"], runs["fair.basic"], "sl4.hosts.median")]),
        "points that SL 4 is short of 20 %: "
        + ", ".join(
            f"{what} {runs[f'fair.{kind}'].each(lambda s: 20 - 100 * s['sl4.hosts.median']).text(3)}"
            for what, kind in (("spread", "basic-spread"), ("plain", "basic"))
        )
        + ", "
        + difference(runs["fair.basic-spread"], runs["fair.basic"], "sl4.hosts.median").text(3, 100)
        + " less"
        + on_64_hosts(runs, "basic"),
    ),
    "sim, PGFT, experiment synthetic-fair-basic",
    base=FAIR_BASIC,
)
claim(
    "bxi-123",
    "fair, basic: spreading makes shares vary more over hosts",
    lambda runs: (
        Comparisons([quartiles("fair", "basic")(runs)]),
        "quartiles apart, mean over SLs: "
        + " against ".join(
            runs[f"fair.{kind}"]
            .each(lambda s: 20 * sum(s[key(sl, "hosts.q3")] - s[key(sl, "hosts.q1")] for sl in ALL))
            .text(2, 1, "points")
            for kind in ("basic-spread", "basic")
        ),
    ),
    "sim, PGFT, experiment synthetic-fair-basic",
    base=FAIR_BASIC,
)
claim(
    "bxi-125",
    "fair, deficits: medians even",
    lambda runs: (
        Comparisons([runs["fair.deficit"].each(lambda s: seed_apart(s, "hosts.median") - 1).under(0.01)]),
        f"{points(runs['fair.deficit'])}; apart {spread_of(runs['fair.deficit'], 'hosts.median').text(2, 100, 'points')}, the largest over the least "
        + runs["fair.deficit"].each(lambda s: seed_apart(s, "hosts.median") - 1).text(2, 100, "%"),
    ),
)


def found_empty():
    """SL 4's turns with deficits; the note of the row rests on it."""
    counts = [port_log("fair", kind) for kind in ("deficit-spread", "deficit")]
    often = [1000 * found["idle"][4] / found["cycles"] for found in counts]
    holds(often[0] < often[1] and per(counts[0], "idle", "visits")[4] < per(counts[1], "idle", "visits")[4], "visits that find SL 4's queue empty")
    return f"; visits that find its queue empty, in 1,000 cycles of one port at the paper's load: spread {often[0]:.2f}, plain {often[1]:.2f}"


claim(
    "bxi-126",
    "fair, deficits: spreading lowers SL 4",
    lambda runs: (
        Comparisons([difference(runs["fair.deficit-spread"], runs["fair.deficit"], "sl4.hosts.median").under()]),
        "median of SL 4 "
        + difference(runs["fair.deficit-spread"], runs["fair.deficit"], "sl4.hosts.median").text(3, 100, "points")
        + on_64_hosts(runs, "deficit")
        + (found_empty() if runs is FAIR_DEFICIT else ""),
    ),
    "sim, PGFT, experiment synthetic-fair-deficit; the reason that the paper gives, that its queue is empty more often, does not show at a port (as bxi-124)",
    base=FAIR_DEFICIT,
)


def quartiles(name, kind):
    """Quartiles over hosts apart, spread less plain, sum over the SLs."""
    return lambda runs: paired(
        runs[f"{name}.{kind}-spread"],
        runs[f"{name}.{kind}"],
        lambda a, b: sum(
            a[key(sl, "hosts.q3")] - a[key(sl, "hosts.q1")] - b[key(sl, "hosts.q3")] + b[key(sl, "hosts.q1")]
            for sl in ALL
        ),
    )


def first_apart(run, number="packet_latency.mean"):
    found = values(run, number)
    return found[0] > 2 * max(found[1:]) and max(found[1:]) / min(found[1:]) < found[0] / max(found[1:])


claim(
    "bxi-127",
    "fair, RR: SL 0 waits longest, no such gap among the others",
    lambda runs: (first_apart(runs["fair.rr"]), us(runs["fair.rr"], "packet_latency.mean")),
)


def waiting(run, flits=False, number="packet_latency.mean"):
    """Little: packets (flits) of each SL under way, a host."""
    return [
        run.mean(key(sl, "accepted")) / 1.28 * run.mean(key(sl, number)) / (1 if flits else SIZES[sl]) for sl in ALL
    ]


claim(
    "bxi-128",
    "fair, RR: packets pile up in SL 0",
    lambda runs: (
        waiting(runs["fair.rr"])[0] >= 2 * max(waiting(runs["fair.rr"])[1:]),
        "packets a host "
        + "/".join(f"{x:.0f}" for x in waiting(runs["fair.rr"]))
        + ", flits "
        + "/".join(f"{x:.0f}" for x in waiting(runs["fair.rr"], True)),
    ),
    "sim, PGFT: accepted rate x mean latency (Little)",
)
claim(
    "bxi-129",
    "fair, basic: SL 4 waits longest",
    lambda runs: (
        rank(runs["fair.basic"], "packet_latency.mean") >= 0.8
        and max(values(runs["fair.basic"], "packet_latency.mean"))
        == runs["fair.basic"].mean("sl4.packet_latency.mean"),
        us(runs["fair.basic"], "packet_latency.mean"),
    ),
)
claim(
    "bxi-130",
    "fair, basic: short packets pile up less in the network",
    lambda runs: (
        Comparisons([difference(runs["fair.basic"], runs["fair.rr"], "sl0.network_latency.mean").under()]),
        f"SL 0's packets a host in the network: {waiting(runs['fair.basic'], number='network_latency.mean')[0]:.0f} against "
        f"{waiting(runs['fair.rr'], number='network_latency.mean')[0]:.0f}",
    ),
    "sim, PGFT: accepted rate x network latency (Little)",
)
claim(
    "bxi-132",
    "fair, basic: spreading takes SL 4's jump away, and means differ among all SLs",
    lambda runs: (
        Comparisons(
            [
                ratio(runs["fair.basic-spread"], runs["fair.basic"], "sl4.packet_latency.mean").under(0.7),
                *(
                    difference_of(runs["fair.basic"], "sl4.packet_latency.mean", key(sl, "packet_latency.mean"))
                    for sl in range(4)
                ),
                *(
                    unlike(difference_of(runs["fair.basic-spread"], *(key(sl, "packet_latency.mean") for sl in pair)))
                    for pair in itertools.combinations(ALL, 2)
                ),
            ]
        ),
        "SL 4 spread over plain "
        + ratio(runs["fair.basic-spread"], runs["fair.basic"], "sl4.packet_latency.mean").text(2)
        + f"; means plain {us(runs['fair.basic'], 'packet_latency.mean')}, spread {us(runs['fair.basic-spread'], 'packet_latency.mean')}",
    ),
    "sim, PGFT, experiment synthetic-fair-basic",
    cause=lambda: "SL 4 has one entry in either table. As heads do not fit turns of SL 0 to 4 lose "
    f"{lost_of_turns('fair', 'basic', 1024)} % at k = 1024, spread {lost_of_turns('fair', 'basic-spread', 1024)}, so SL 4's jump stays; with k = 300 {lost_of_turns('fair', 'basic', 300)} and {lost_of_turns('fair', 'basic-spread', 300)}",
    base=FAIR_BASIC,
)
claim(
    "bxi-133",
    "fair, p99: short packets are favoured with and without spreading",
    lambda runs: (
        all(rank(runs[f"fair.{kind}"], "packet_latency.p99") >= 0.8 for kind in ("basic", "basic-spread")),
        "; ".join(
            f"{NAMES[kind]} {us(runs[f'fair.{kind}'], 'packet_latency.p99')}" for kind in ("basic", "basic-spread")
        ),
    ),
    "sim, PGFT, by rank: SL 2, whose turns 48 flits do not divide, is above SL 3",
)
claim(
    "bxi-134",
    "fair, deficits: latency rises with the packets",
    lambda runs: (
        rank(runs["fair.deficit"], "packet_latency.mean") > 0.8,
        us(runs["fair.deficit"], "packet_latency.mean"),
    ),
)
claim(
    "bxi-135",
    "fair: waits in the network rise with the SL, more so with deficits than under RR",
    lambda runs: (
        Comparisons(
            [
                paired(
                    runs["fair.deficit"],
                    runs["fair.rr"],
                    lambda a, b: slope(a, "network_latency.mean") - slope(b, "network_latency.mean"),
                ),
                runs["fair.deficit"].each(lambda s: slope(s, "network_latency.mean") - 1.28 * 16),
            ]
        ),
        f"deficits {us(runs['fair.deficit'], 'network_latency.mean')}, RR {us(runs['fair.rr'], 'network_latency.mean')}",
    ),
    "sim, PGFT; under RR, which does not know sizes, it is short packets that stall",
)
claim(
    "bxi-136",
    "fair, deficits: spreading lowers the means of SL 0 to 2 most",
    lambda runs: (
        Comparisons(
            [
                *(
                    ratio(runs["fair.deficit-spread"], runs["fair.deficit"], key(sl, "packet_latency.mean")).under(1)
                    for sl in range(3)
                ),
                paired(
                    runs["fair.deficit-spread"],
                    runs["fair.deficit"],
                    lambda a, b: min(
                        a[key(sl, "packet_latency.mean")] / b[key(sl, "packet_latency.mean")] for sl in (3, 4)
                    )
                    - max(a[key(sl, "packet_latency.mean")] / b[key(sl, "packet_latency.mean")] for sl in range(3)),
                ),
            ]
        ),
        "spread over plain "
        + "/".join(
            ratio(runs["fair.deficit-spread"], runs["fair.deficit"], key(sl, "packet_latency.mean")).text(2)
            for sl in ALL
        ),
    ),
    "sim, PGFT, experiment synthetic-fair-deficit",
    base=FAIR_DEFICIT,
)


def drop(runs, name, kind, number, sl):
    return 1 - runs[f"{name}.{kind}-spread"].mean(key(sl, number)) / runs[f"{name}.{kind}"].mean(key(sl, number))


def dropped(runs, name, kind, number, sl):
    """Interval of the same."""
    return ratio(runs[f"{name}.{kind}-spread"], runs[f"{name}.{kind}"], key(sl, number)).under(1)


def same_side(first, second):
    """An Interval above 0 where two others are on the same side of 0, below it where they are on different ones: that of the two which is
    closer to 0 for how far it reaches."""
    closer = min(first, second, key=lambda found: abs(found.mean) / found.half if found.half else math.inf)
    sign = 1 if first.mean * second.mean > 0 else -1
    return dataclasses.replace(closer, mean=sign * abs(closer.mean))


def apart(run, number):
    found = values(run, number)
    return max(found) / min(found)


def seed_apart(seed, number):
    return max(seed[key(sl, number)] for sl in ALL) / min(seed[key(sl, number)] for sl in ALL)


def less_apart(first, second, number):
    """Interval of how much less the largest SL is over the least in the first."""
    return paired(first, second, lambda a, b: seed_apart(b, number) - seed_apart(a, number))


claim(
    "bxi-137",
    "fair, deficits: differences are larger at p99",
    lambda runs: (
        Comparisons(
            [
                runs[f"fair.{kind}"].each(
                    lambda s: seed_apart(s, "packet_latency.p99") - seed_apart(s, "packet_latency.mean")
                )
                for kind in ("deficit", "deficit-spread")
            ]
        ),
        "largest over least SL: "
        + ", ".join(
            f"{what} p99 {apart(runs[f'fair.{kind}'], 'packet_latency.p99'):.2f}, mean {apart(runs[f'fair.{kind}'], 'packet_latency.mean'):.2f}"
            for what, kind in (("plain", "deficit"), ("spread", "deficit-spread"))
        )
        + "; drop by spreading, SL 0 to 2: p99 "
        + "/".join(f"{100 * drop(runs, 'fair', 'deficit', 'packet_latency.p99', sl):.0f}" for sl in range(3))
        + " %, mean "
        + "/".join(f"{100 * drop(runs, 'fair', 'deficit', 'packet_latency.mean', sl):.0f}" for sl in range(3))
        + " %",
    ),
    "sim, PGFT, experiment synthetic-fair-deficit; by the ratio of the SLs, in either table; what spreading saves is a smaller part at p99, so read so it does not hold",
    base=FAIR_DEFICIT,
)
claim(
    "bxi-138",
    "fair: network latency follows packet latency",
    lambda runs: (
        all(
            spearman(
                values(runs[f"fair.{kind}"], "packet_latency.mean"),
                values(runs[f"fair.{kind}"], "network_latency.mean"),
            )
            >= 0.8
            for kind in ARBITERS
        ),
        "rank correlation "
        + ", ".join(
            f"{NAMES[kind]} "
            + format(
                spearman(
                    values(runs[f"fair.{kind}"], "packet_latency.mean"),
                    values(runs[f"fair.{kind}"], "network_latency.mean"),
                ),
                ".2f",
            )
            for kind in ARBITERS
        ),
    ),
)
claim(
    "bxi-139",
    "fair: network latency is mostly stalling",
    lambda runs: (
        all(
            runs[f"fair.{kind}"].mean(key(sl, "network_latency.mean")) >= 2 * idle_ns(sl)
            for kind in ARBITERS
            for sl in ALL
        ),
        f"least ratio to an idle network's {min(runs[f'fair.{kind}'].mean(key(sl, 'network_latency.mean')) / idle_ns(sl) for kind in ARBITERS for sl in ALL):.2f}",
    ),
)


def spread_orders(runs):
    """Rank correlation of the SLs' network latencies with basic and with deficits, spread."""
    return spearman(*(values(runs[f"fair.{kind}-spread"], "network_latency.mean") for kind in ("basic", "deficit")))


claim(
    "bxi-140",
    "fair: spread, basic and deficits behave alike",
    lambda runs: (
        all(
            abs(ratio(runs["fair.basic-spread"], runs["fair.deficit-spread"], key(sl, "network_latency.mean")).mean - 1)
            < 0.2
            for sl in ALL
        )
        and spread_orders(runs) >= 0.9,
        "basic over deficits "
        + "/".join(
            ratio(runs["fair.basic-spread"], runs["fair.deficit-spread"], key(sl, "network_latency.mean")).text(2)
            for sl in ALL
        )
        + f", rank correlation {spread_orders(runs):.2f}",
    ),
)


@paper.row("bxi-141", "fair, p99 of the network latency: spreading acts as on packet latency")
def _():
    runs = {
        f"fair.{kind}": found[f"fair.{kind}"]
        for found, kinds in ((FAIR_BASIC, ("basic", "basic-spread")), (FAIR_DEFICIT, ("deficit", "deficit-spread")))
        for kind in kinds
    }

    def drops(kind, what):
        return [dropped(runs, "fair", kind, f"{what}_latency.p99", sl) for sl in ALL]

    found = Comparisons(
        [
            same_side(*pair)
            for kind in ("basic", "deficit")
            for pair in zip(drops(kind, "network"), drops(kind, "packet"))
        ]
    )
    return open_or_unknown(
        found,
        "drops by spreading: "
        + "; ".join(
            f"{NAMES[kind]} "
            + ", ".join(
                f"{what} " + "/".join(x.text(0, 100) for x in drops(kind, what)) + " %" for what in ("network", "packet")
            )
            for kind in ("basic", "deficit")
        ),
        f"sim, PGFT, experiments synthetic-fair-basic and synthetic-fair-deficit; {len(found.shown)} of {len(found)} to the same side, {len(found.turned) or 'none'} to the other",
    )


# --- step: Figs. 14 to 16 -----------------------------------------------------------------------------


def served(run, sls):
    return all(abs(run.mean(key(sl, "accepted")) - run.mean(key(sl, "offered"))) <= 0.003 for sl in sls)


NO_MISFITS = "at k = 1024 turns of SL 0 to 3 lose nothing in either table, so spreading changes no shares, and SL 4's one turn a round comes later (bxi-067)"
claim(
    "bxi-142",
    "step, RR: SL 2 to 4 get what they generate",
    lambda runs: (served(runs["step.rr"], (2, 3, 4)), points(runs["step.rr"], "accepted", (2, 3, 4))),
)
claim(
    "bxi-143",
    "step, RR: SL 0 and SL 1 get less than they generate",
    lambda runs: (
        Comparisons(
            [
                runs["step.rr"].each(lambda s, sl=sl: s[key(sl, "accepted")] - s[key(sl, "offered")]).under(-0.003)
                for sl in (0, 1)
            ]
        ),
        f"{points(runs['step.rr'], 'accepted', (0, 1))} of {points(runs['step.rr'], 'offered', (0, 1), 0)}",
    ),
    cause="SL 0 alone is short: packets take turns, so whoever asks for less "
    "than the largest equal part gets it (max-min), and 28 % is less as long as the network carries 86 % or more",
)
claim(
    "bxi-144",
    "step: basic is more accurate than RR",
    lambda runs: (
        error_less(runs["step.basic"], runs["step.rr"], "step"),
        f"sum of errors {error(runs['step.basic'], 'step').text(2)} against {error(runs['step.rr'], 'step').text(2)} points",
    ),
)


def missing(run, name):
    return [1 - run.mean(key(sl, "accepted")) / float(due(name)[sl]) for sl in ALL]


def missing_median(seed, name, sl):
    return 1 - seed[key(sl, "hosts.median")] / float(due(name)[sl])


claim(
    "bxi-145",
    "step, basic: the longer the packets the more is lost",
    lambda runs: (
        Comparisons(
            [
                runs["step.basic"].each(
                    lambda s, sl=sl: missing_median(s, "step", sl + 1) - missing_median(s, "step", sl)
                )
                for sl in range(4)
            ]
        ),
        "medians missing "
        + "/".join(
            runs["step.basic"].each(lambda s, sl=sl: missing_median(s, "step", sl)).text(2, 100) for sl in ALL
        )
        + " % of the share",
    ),
    "sim, PGFT, experiment synthetic-step-basic: each SL more than the one before",
    base=STEP_BASIC,
)
claim(
    "bxi-146",
    "step, basic: spreading brings medians closer",
    lambda runs: (
        error_less(runs["step.basic-spread"], runs["step.basic"], "step"),
        f"sum of errors {error(runs['step.basic-spread'], 'step').text(2)} against {error(runs['step.basic'], 'step').text(2)} points",
    ),
)


def outliers(seed, sls=ALL):
    """Hosts whose share is an outlier, 1.5 quartile distances outside the quartiles, of some SLs together."""
    return sum(seed[key(sl, side)] for sl in sls for side in ("below", "above"))


@paper.row("bxi-147", "step, basic: spreading takes outliers in")
def _():
    plain, spread = OUTLIERS["step.basic"], OUTLIERS["step.basic-spread"]
    fewer = Comparisons([paired(plain, spread, lambda a, b: outliers(a) - outliers(b))])
    return open_or_unknown(
        fewer,
        f"outliers, shares of all SLs together: spread {spread.each(outliers).text(0)}, plain {plain.each(outliers).text(0)} of {5 * hosts_of(pgft(OUTLIERS.size())):,}",
        "sim, PGFT, experiment synthetic-outliers: 1.5 quartile distances outside the quartiles",
    )


def open_or_unknown(found, measured, note):
    """The verdict of Comparisons whose opposite nothing explains that was run."""
    if found:
        return agrees(measured, note)
    return rows.Verdict(
        rows.NOT_TESTABLE,
        measured,
        f"{note}: "
        + (
            f"the difference is {found.left_open()}"
            if found.open
            else "differs, cause not known; needs a run with one change that shows why"
        ),
    )


@paper.row("bxi-148", "step, deficits: more accurate than basic, whatever the packets")
def _():
    plain, basic = BASE["step.deficit"], BASE["step.basic"]
    accurate = error_less(plain, basic, "step") and all(
        abs(plain.mean(key(sl, "hosts.median")) - float(due("step")[sl])) <= 0.01 for sl in ALL
    )
    order = favour(plain, "step")
    measured = (
        f"sum of errors {error(plain, 'step').text(2)} against {error(basic, 'step').text(2)} points; missing "
        + "/".join(f"{100 * x:.1f}" for x in missing(plain, "step"))
        + f" % of the share, rank correlation with the packets {order.text(2)}"
    )
    note = "sim, PGFT: a smaller sum, each median within a point, and a rank correlation of less than 0.5"
    if accurate and abs(order.mean) < 0.5:
        return agrees(measured, note)
    return rows.Verdict(
        rows.NOT_TESTABLE,
        measured,
        f"{note}; {'it is more accurate, but' if accurate else 'and'} whether packet size still matters depends on a bound that the paper does not give: the order of five SLs decides, on 64 hosts "
        f"{favour(SMALL_NETWORK['step.deficit'], 'step').text(2)}",
    )


claim(
    "bxi-149",
    "step, deficits, spread: little variance",
    lambda runs: (
        all(
            runs["step.deficit-spread"].mean(key(sl, "hosts.q3"))
            - runs["step.deficit-spread"].mean(key(sl, "hosts.q1"))
            <= 0.01
            for sl in ALL
        ),
        "quartiles apart "
        + "/".join(
            f"{100 * (runs['step.deficit-spread'].mean(key(sl, 'hosts.q3')) - runs['step.deficit-spread'].mean(key(sl, 'hosts.q1'))):.2f}"
            for sl in ALL
        )
        + " points",
    ),
)
claim(
    "bxi-150",
    "step, deficits: spreading raises the largest shares",
    lambda runs: (
        Comparisons(
            [
                difference(runs["step.deficit-spread"], runs["step.deficit"], key(sl, "hosts.max")) for sl in ALL
            ]
        ),
        "maxima, spread less plain "
        + "/".join(
            difference(runs["step.deficit-spread"], runs["step.deficit"], key(sl, "hosts.max")).text(2, 100)
            for sl in ALL
        )
        + " points",
    ),
)


claim(
    "bxi-151",
    "step, RR: SL 0 waits longest",
    lambda runs: (
        Comparisons(
            [
                runs["step.rr"].each(lambda s, sl=sl: s["sl0.packet_latency.mean"] - s[key(sl, "packet_latency.mean")])
                for sl in range(1, 5)
            ]
        ),
        us(runs["step.rr"], "packet_latency.mean"),
    ),
)
claim(
    "bxi-152",
    "RR: SL 0 waits longer in step than in fair",
    lambda runs: (
        Comparisons([difference(runs["step.rr"], runs["fair.rr"], "sl0.packet_latency.mean")]),
        f"{runs['step.rr']['sl0.packet_latency.mean'].text(1, 0.001)} against {runs['fair.rr']['sl0.packet_latency.mean'].text(1, 0.001)} us",
    ),
)
claim(
    "bxi-153",
    "step, basic: SL 0 waits least",
    lambda runs: (
        Comparisons(
            [
                runs["step.basic"].each(
                    lambda s, sl=sl: s[key(sl, "packet_latency.mean")] - s["sl0.packet_latency.mean"]
                )
                for sl in range(1, 5)
            ]
        ),
        us(runs["step.basic"], "packet_latency.mean"),
    ),
)
claim(
    "bxi-154",
    "step, basic: SL 0 gains bandwidth that SL 2 to 4 lose",
    lambda runs: (
        Comparisons(
            [
                runs["step.basic"].each(
                    lambda s, sl=sl: (s[key(sl, "share")] - float(due("step")[sl])) * (1 if sl == 0 else -1)
                )
                for sl in (0, 2, 3, 4)
            ]
        ),
        f"shares of what is delivered {points(runs['step.basic'], 'share')}; of a link {points(runs['step.basic'], 'accepted')}",
    ),
    "sim, PGFT, experiment synthetic-step-basic",
    cause="packets of 16 to 64 flits divide their quanta at k = 1024, so SL 4 alone loses, to all others (backlogged 33.47/26.78/20.08/13.39/6.28 %, bxi-062); what SL 2 and 3 lack of a link is what the network does not carry",
    base=STEP_BASIC,
)
claim(
    "bxi-155",
    "step, basic: spreading brings means closer and raises SL 0's",
    lambda runs: (
        Comparisons(
            [
                less_apart(runs["step.basic-spread"], runs["step.basic"], "packet_latency.mean"),
                difference(runs["step.basic-spread"], runs["step.basic"], "sl0.packet_latency.mean"),
            ]
        ),
        f"plain {us(runs['step.basic'], 'packet_latency.mean')}, spread {us(runs['step.basic-spread'], 'packet_latency.mean')}",
    ),
    cause=NO_MISFITS,
)
claim(
    "bxi-156",
    "step, basic: spreading lowers the largest latency",
    lambda runs: (
        Comparisons(
            [
                paired(
                    runs["step.basic-spread"],
                    runs["step.basic"],
                    lambda a, b: max(b[key(sl, "packet_latency.mean")] for sl in ALL)
                    - max(a[key(sl, "packet_latency.mean")] for sl in ALL),
                )
            ]
        ),
        f"largest mean {max(values(runs['step.basic-spread'], 'packet_latency.mean')) / 1000:.1f} against "
        f"{max(values(runs['step.basic'], 'packet_latency.mean')) / 1000:.1f} us",
    ),
    cause=NO_MISFITS,
)
claim(
    "bxi-157",
    "step, basic: spreading lowers SL 0's lower quartile and minimum",
    lambda runs: (
        Comparisons(
            [
                difference(runs["step.basic-spread"], runs["step.basic"], f"sl0.hosts.{what}").under()
                for what in ("q1", "min")
            ]
        ),
        ", ".join(
            f"{what} {difference(runs['step.basic-spread'], runs['step.basic'], f'sl0.hosts.{what}').text(2, 100, 'points')}"
            for what in ("q1", "min")
        ),
    ),
    "sim, PGFT, experiment synthetic-step-basic",
    cause=NO_MISFITS,
    base=STEP_BASIC,
)


def width(run, number="packet_latency.mean"):
    return max(values(run, number)) - min(values(run, number))


claim(
    "bxi-159",
    "step: deficits make latencies differ ten times less",
    lambda runs: (
        width(runs["step.deficit"]) <= 0.1 * width(runs["step.basic"]),
        f"largest less least mean: {width(runs['step.deficit']) / 1000:.1f} against {width(runs['step.basic']) / 1000:.1f} us, {width(runs['step.deficit']) / width(runs['step.basic']):.2f} times",
    ),
    "sim, PGFT; the paper's window is not known, but both grow with it",
    cause=lambda: equal_overload(),
)


def equal_overload():
    """Why shares that are exact leave waits apart that no arbiter has ten times as far apart, by the paper's loads and shares."""
    grow = [1 - float(share) / (load / 100) for share, load in zip(due("step"), LOADS["step"])]
    far = max(grow) - min(grow)
    if 10 * far <= 1:
        return None
    return (
        "the paper's own loads: SL 0 to 4 offer 1.05/1.05/1.05/1.125/1.2 of their shares (Table 6), so with exact shares, which deficits give, their waits grow with "
        + "/".join(f"{100 * x:.1f}" for x in grow)
        + f" % of the time that passes, {100 * far:.1f} points apart; as no wait grows with more than 100 %, no arbiter's are more than {1 / far:.1f} times as far apart"
    )


def over_others(runs, kind):
    """What spreading makes of SL 0's mean latency over that of the others."""
    spread, plain = (values(runs[f"step.{table}"], "packet_latency.mean") for table in (f"{kind}-spread", kind))
    return (spread[0] / sum(spread[1:])) / (plain[0] / sum(plain[1:]))


claim(
    "bxi-161",
    "step: spreading does not help SL 0's latency",
    lambda runs: (
        all(over_others(runs, kind) >= 0.9 for kind in ("basic", "deficit")),
        "SL 0 over the others, spread over plain: "
        + ", ".join(f"{NAMES[kind]} {over_others(runs, kind):.2f}" for kind in ("basic", "deficit"))
        + "; SL 0 alone "
        + ", ".join(
            f"{NAMES[kind]} "
            + ratio(runs[f"step.{kind}-spread"], runs[f"step.{kind}"], "sl0.packet_latency.mean").text(2)
            for kind in ("basic", "deficit")
        ),
    ),
    cause="it does, as Sect. 3.4 says it should and the paper's own fair shows (bxi-136), the more so the longer the turns",
)
claim(
    "bxi-162",
    "step, spread: SL 0 behind SL 1 on average, not at p99",
    lambda runs: (
        Comparisons(
            [
                difference_of(runs[f"step.{kind}-spread"], *names)
                for kind in ("basic", "deficit")
                for names in (
                    ("sl0.packet_latency.mean", "sl1.packet_latency.mean"),
                    ("sl1.packet_latency.p99", "sl0.packet_latency.p99"),
                )
            ]
        ),
        "deficits: "
        + us(runs["step.deficit-spread"], "packet_latency.mean", (0, 1))
        + ", p99 "
        + us(runs["step.deficit-spread"], "packet_latency.p99", (0, 1)),
    ),
    cause="SL 0 and SL 1 offer 1.05 of their shares alike and SL 0's turns come twice as often, so its mean is lower, too",
)
claim(
    "bxi-163",
    "step: SL 0's network latency depends on the arbiter",
    lambda runs: (
        max(x := [runs[f"step.{kind}"].mean("sl0.network_latency.mean") for kind in ARBITERS]) - min(x)
        > 0.2 * sum(x) / 5,
        ", ".join(
            f"{NAMES[kind]} {runs[f'step.{kind}'].mean('sl0.network_latency.mean') / 1000:.2f} us" for kind in ARBITERS
        ),
    ),
)
claim(
    "bxi-164",
    "step, basic: lower network latency of SL 0 and 1 than under RR",
    lambda runs: (
        Comparisons(
            [difference(runs["step.basic"], runs["step.rr"], key(sl, "network_latency.mean")).under() for sl in (0, 1)]
        ),
        f"basic {us(runs['step.basic'], 'network_latency.mean', (0, 1))}, RR {us(runs['step.rr'], 'network_latency.mean', (0, 1))}",
    ),
    cause="under RR SL 1 gets all that it generates (bxi-143) and waits for nobody; a table that gives it 26.7 % of 28 % makes it wait",
)
claim(
    "bxi-165",
    "step: deficits hardly change the network latency of SL 2 to 4",
    lambda runs: (
        all(
            abs(ratio(runs["step.deficit"], runs["step.basic"], key(sl, "network_latency.mean")).mean - 1) < 0.2
            for sl in (2, 3, 4)
        ),
        "deficits over basic "
        + "/".join(
            ratio(runs["step.deficit"], runs["step.basic"], key(sl, "network_latency.mean")).text(2) for sl in (2, 3, 4)
        ),
    ),
)
claim(
    "bxi-166",
    "step, basic: spreading lessens the bias to short packets",
    lambda runs: (
        Comparisons(
            [
                paired(
                    runs["step.basic-spread"],
                    runs["step.basic"],
                    lambda a, b: slope(b, "network_latency.mean") - slope(a, "network_latency.mean"),
                )
            ]
        ),
        f"plain {us(runs['step.basic'], 'network_latency.mean')}, spread {us(runs['step.basic-spread'], 'network_latency.mean')}",
    ),
    cause="a turn of SL 0 comes every 1,024 flits instead of 10,240 and SL 4's no more often (bxi-067), so spreading adds to the bias",
)
claim(
    "bxi-167",
    "step, deficits: spreading raises SL 2 to 4 and gains SL 0 and 1 little or nothing",
    lambda runs: (
        Comparisons(
            [
                ratio(runs["step.deficit-spread"], runs["step.deficit"], key(sl, "network_latency.mean")).over(bound)
                for sl, bound in enumerate((0.9, 0.9, 1, 1, 1))
            ]
        ),
        "spread over plain "
        + "/".join(
            ratio(runs["step.deficit-spread"], runs["step.deficit"], key(sl, "network_latency.mean")).text(2)
            for sl in ALL
        ),
    ),
    "sim, PGFT: SL 0 and 1 gain less than a tenth, or lose, and SL 2 to 4 rise",
)


def tails_stay(runs):
    """Whether spreading changes no 99th percentile by a tenth, and by how much it does, with basic and with deficits."""
    found = {
        kind: [ratio(runs[f"step.{kind}-spread"], runs[f"step.{kind}"], key(sl, "network_latency.p99")) for sl in ALL]
        for kind in ("basic", "deficit")
    }
    return (
        all(abs(x.mean - 1) < 0.1 for changes in found.values() for x in changes),
        "spread over plain "
        + ", ".join(f"{NAMES[kind]} " + "/".join(x.text(2) for x in changes) for kind, changes in found.items()),
    )


claim(
    "bxi-168",
    "step, p99 of the network latency: spreading is irrelevant",
    tails_stay,
    "sim, PGFT; p99 follows the means, as the row says, and these change (bxi-167)",
    needs=lambda: "a run with one change in which spreading leaves it alone"
    + "".join(f"; on 64 hosts it takes two, {name}" for name, runs in TWO_CHANGES.items() if tails_stay(runs)[0]),
)


# --- 2powers: Figs. 17 to 19 --------------------------------------------------------------------------

claim(
    "bxi-169",
    "2powers, RR: more than 20 % only where the others leave it",
    lambda runs: (
        runs["2powers.rr"].mean("sl0.hosts.median") < 0.466 and served(runs["2powers.rr"], range(1, 5)),
        points(runs["2powers.rr"], "accepted"),
    ),
)
claim(
    "bxi-170",
    "2powers, basic: SL 0 and 1 above their shares, SL 2 to 4 below",
    lambda runs: (
        Comparisons(
            [
                runs["2powers.basic"].each(
                    lambda s, sl=sl: (s[key(sl, "share")] - float(due("2powers")[sl])) * (1 if sl < 2 else -1)
                )
                for sl in ALL
            ]
        ),
        "shares of what is delivered " + points(runs["2powers.basic"], "share"),
    ),
    "sim, PGFT, experiment synthetic-2powers-plain",
    cause=lambda: at_its_share(),
    base=TWO_POWERS_PLAIN,
)


def at_its_share():
    """Of SL 1, in a shorter window and in the small network."""
    asked = CLAIMS["bxi-170"]
    (short, shorter), (few, _), (held, measured) = (
        asked(runs) for runs in (SHORT_WINDOW, SMALL_NETWORK, CAUSES["k = 160"])
    )
    if not held or not short.shown == few.shown == [0, 2, 3, 4]:
        return None
    backlogged = exact_shares(arbiter_of("2powers", "basic", SCALE), SIZE_MIX)[0]
    return (
        f"two things. A plain turn of SL 0 is of {plain_turn('2powers', 0):,} flits, which costs it in a window of 1 ms behind 200 us (bxi-257): in one of 200 behind 40 it is above its share and SL 2 to 4 are below ({shorter}). "
        "SL 1 is at its share there and on 64 hosts, "
        + SMALL_NETWORK["2powers.basic"].each(lambda s: s["sl1.share"] - float(due("2powers")[1])).text(2, 100)
        + f" points off: of what SL 2 and 4 lose to misfits at k = 1024 it gains {100 * float(backlogged[1] - due('2powers')[1]):.2f} (backlogged {percent(list(map(float, backlogged)))}, analyze). With k = 160 as the one change on these all five hold ({measured})"
    )


def plain_turn(name, sl):
    return next(entry["weight"] for entry in arbiter_of(name, "basic", SCALE)["table"] if entry["queue"] == sl)


def long_less_short(runs):
    """How much more spreading changes what the less changed of SL 3 and 4 gets than the more changed of SL 0 and 1."""
    plain, spread = runs["2powers.basic"], runs["2powers.basic-spread"]
    change = {sl: ratio(spread, plain, key(sl, "hosts.median")).mean - 1 for sl in ALL}
    long, short = min((3, 4), key=lambda sl: abs(change[sl])), max((0, 1), key=lambda sl: abs(change[sl]))

    def size(a, b, sl):
        return (a[key(sl, "hosts.median")] / b[key(sl, "hosts.median")] - 1) * math.copysign(1, change[sl])

    return paired(spread, plain, lambda a, b: size(a, b, long) - size(a, b, short))


claim(
    "bxi-171",
    "2powers, basic: spreading changes long packets most",
    lambda runs: (
        Comparisons([long_less_short(runs)]),
        "medians, spread over plain "
        + "/".join(
            ratio(runs["2powers.basic-spread"], runs["2powers.basic"], key(sl, "hosts.median")).text(3) for sl in ALL
        ),
    ),
    "sim, PGFT, 200 us behind 40, experiment synthetic-short-window-2powers: in a window of 1 ms behind 200 us SL 0's plain turn of 16,384 flits costs it some of its share (bxi-257) and so makes up most of the change. "
    "SL 4 changes most, SL 3 no more than SL 1",
    base=SHORT_WINDOW_2POWERS,
    changes={"k = 300": SHORT_WINDOW_300},
)
claim(
    "bxi-173",
    "2powers: deficits are more accurate",
    lambda runs: (
        error_less(runs["2powers.deficit"], runs["2powers.basic"], "2powers"),
        f"sum of errors {error(runs['2powers.deficit'], '2powers').text(2)} against {error(runs['2powers.basic'], '2powers').text(2)} points",
    ),
    "sim, PGFT, experiment synthetic-2powers-plain",
    base=TWO_POWERS_PLAIN,
)
claim(
    "bxi-174",
    "2powers, deficits: spreading varies more and is no more accurate",
    lambda runs: (
        Comparisons([quartiles("2powers", "deficit")(runs)], among=2)
        and not error_less(runs["2powers.deficit-spread"], runs["2powers.deficit"], "2powers", among=2),
        "quartiles apart, sum: "
        + " against ".join(
            runs[f"2powers.{kind}"]
            .each(lambda s: 100 * sum(s[key(sl, "hosts.q3")] - s[key(sl, "hosts.q1")] for sl in ALL))
            .text(2)
            for kind in ("deficit-spread", "deficit")
        )
        + f" points; errors {error(runs['2powers.deficit-spread'], '2powers').text(2)} against {error(runs['2powers.deficit'], '2powers').text(2)}",
    ),
    cause="a plain round at k = 1024 is 31,744 flits, 40.6 us, and with 1.24 times what they can carry all links are full: a host's share depends on which turns fall in the window",
)


def misfits(k):
    """Parts of a plain turn of SL 2 to 4 in 2powers that basic discards."""
    return "/".join(
        f"{100 * (WEIGHTS['2powers'][sl] * k % SIZES[sl]) / (WEIGHTS['2powers'][sl] * k):.1f}" for sl in (2, 3, 4)
    )


claim(
    "bxi-175",
    "2powers, RR: SL 0 waits ten times longer or more",
    lambda runs: (
        Comparisons(
            [
                runs["2powers.rr"].each(
                    lambda s: s["sl0.packet_latency.mean"]
                    - 10 * max(s[key(sl, "packet_latency.mean")] for sl in range(1, 5))
                )
            ]
        ),
        f"{us(runs['2powers.rr'], 'packet_latency.mean')}: {values(runs['2powers.rr'], 'packet_latency.mean')[0] / max(values(runs['2powers.rr'], 'packet_latency.mean')[1:]):.0f} times",
    ),
    "sim, PGFT; the factor grows with the window, as SL 0 gets less than it offers (bxi-169)",
)
claim(
    "bxi-176",
    "2powers, basic: latencies of SL 2 to 4 above RR's",
    lambda runs: (
        Comparisons(
            [difference(runs["2powers.basic"], runs["2powers.rr"], key(sl, "packet_latency.mean")) for sl in (2, 3, 4)]
        ),
        us(runs["2powers.basic"], "packet_latency.mean", (2, 3, 4))
        + " against "
        + us(runs["2powers.rr"], "packet_latency.mean", (2, 3, 4)),
    ),
)
claim(
    "bxi-177",
    "2powers, deficits: packet latencies alike",
    lambda runs: (
        apart(runs["2powers.deficit"], "packet_latency.mean") <= 1.5,
        us(runs["2powers.deficit"], "packet_latency.mean"),
    ),
    "sim, PGFT; all SLs offer 1.24 of their shares, so all waits grow alike",
)


def alike(runs, name, number):
    return all(
        abs(
            ratio(runs[f"{name}.basic-spread"], runs[f"{name}.basic"], key(sl, number)).mean
            / ratio(runs[f"{name}.deficit-spread"], runs[f"{name}.deficit"], key(sl, number)).mean
            - 1
        )
        <= 0.2
        for sl in ALL
    )


claim(
    "bxi-178",
    "2powers: spreading does the same to both schedulers",
    lambda runs: (
        alike(runs, "2powers", "packet_latency.mean")
        and Comparisons(
            [
                same_side(
                    *(
                        ratio(
                            runs[f"2powers.{kind}-spread"], runs[f"2powers.{kind}"], key(sl, "packet_latency.mean")
                        ).over(1)
                        for kind in ("basic", "deficit")
                    )
                )
                for sl in ALL
            ]
        ),
        "; ".join(
            f"{NAMES[kind]} "
            + "/".join(
                ratio(runs[f"2powers.{kind}-spread"], runs[f"2powers.{kind}"], key(sl, "packet_latency.mean")).text(2)
                for sl in ALL
            )
            for kind in ("basic", "deficit")
        ),
    ),
    "sim, PGFT: within 20 % and to the same side, SL by SL",
)


@paper.row("bxi-179", "2powers, p99: differences between schedulers and between tables, relevant as printed or not")
def _():
    pairs = [
        ("deficits over basic, plain", "deficit", "basic"),
        ("spread", "deficit-spread", "basic-spread"),
        ("spread over plain, basic", "basic-spread", "basic"),
        ("deficits", "deficit-spread", "deficit"),
    ]
    found = {
        what: [ratio(BASE[f"2powers.{first}"], BASE[f"2powers.{second}"], key(sl, "packet_latency.p99")) for sl in ALL]
        for what, first, second in pairs
    }
    measured = "; ".join(f"{what} " + "/".join(x.text(2) for x in ratios) for what, ratios in found.items())
    relevant = [abs(x.mean - 1) > 0.2 for ratios in found.values() for x in ratios]
    note = "sim, PGFT, relevant being more than 20 %"
    if all(relevant) or not any(relevant):
        return agrees(measured, f"{note}: {'as printed' if all(relevant) else 'with the no that is missing'}")
    return rows.Verdict(
        rows.NOT_TESTABLE,
        measured,
        f"{note}: {sum(relevant)} of {len(relevant)} are, so it holds neither as printed, that each SL's differ, nor with a 'no', that none do. "
        "Which is meant, 'no' probably missing, and how much is relevant the paper does not say",
    )


claim(
    "bxi-180",
    "2powers, RR: SL 0 stalls most",
    lambda runs: (
        Comparisons(
            [
                difference_of(runs["2powers.rr"], "sl0.network_latency.mean", key(sl, "network_latency.mean"))
                for sl in range(1, 5)
            ]
        ),
        us(runs["2powers.rr"], "network_latency.mean"),
    ),
)
claim(
    "bxi-181",
    "2powers, basic: network latency rises with the SL",
    lambda runs: (
        rank(runs["2powers.basic"], "network_latency.mean") >= 0.9,
        us(runs["2powers.basic"], "network_latency.mean")
        + ", rank correlation "
        + runs["2powers.basic"]
        .each(lambda s: spearman(list(ALL), [s[key(sl, "network_latency.mean")] for sl in ALL]))
        .text(2),
    ),
    "sim, PGFT, experiment synthetic-2powers-plain: a rank correlation of 0.9 or more",
    base=TWO_POWERS_PLAIN,
)
claim(
    "bxi-182",
    "2powers, basic: spreading mitigates that",
    lambda runs: (
        Comparisons([less_apart(runs["2powers.basic-spread"], runs["2powers.basic"], "network_latency.mean")]),
        f"largest over least {apart(runs['2powers.basic-spread'], 'network_latency.mean'):.1f} against {apart(runs['2powers.basic'], 'network_latency.mean'):.1f}",
    ),
    cause="spreading gives SL 0 a turn every 1,024 flits and leaves SL 4 one every 30,720 (bxi-069): it makes the SLs differ, which is its purpose in Sect. 3.4",
)


def lowered(runs):
    """Comparisons of the latencies of SL 2 to 4, or False if all three are unchanged as the row reads it of SL 0 and 1: within 10 %."""
    found = Comparisons(
        [
            ratio(runs["2powers.deficit"], runs["2powers.basic"], key(sl, "network_latency.mean")).under(1)
            for sl in (2, 3, 4)
        ]
    )
    unchanged = all(x.above(-0.1) and x.below(0.1) and not x.above() for x in found.of)
    return found if not unchanged else False


claim(
    "bxi-183",
    "2powers: deficits lower the network latency of SL 2 to 4, not of SL 0 and 1",
    lambda runs: (
        lowered(runs)
        and all(
            abs(ratio(runs["2powers.deficit"], runs["2powers.basic"], key(sl, "network_latency.mean")).mean - 1) <= 0.1
            for sl in (0, 1)
        ),
        "deficits over basic "
        + "/".join(
            ratio(runs["2powers.deficit"], runs["2powers.basic"], key(sl, "network_latency.mean")).text(3) for sl in ALL
        ),
    ),
    "sim, PGFT, experiment synthetic-2powers-plain; unchanged is within 10 % by all intervals",
    cause=f"at k = 1024 basic loses {misfits(1024)} % of a turn of SL 2, 3 and 4 as heads do not fit, and a queue of 768 flits that stays full drains no slower for that; at 155 it loses {misfits(155)} %",
    base=TWO_POWERS_PLAIN,
)


def effect(runs, name):
    """By how much spreading changes a mean network latency, mean over SLs and schedulers, seed by seed."""
    of_seeds = zip(*(runs[f"{name}.{kind}"].seeds() for kind in ("basic-spread", "basic", "deficit-spread", "deficit")))
    return [
        sum(
            abs(spread[key(sl, "network_latency.mean")] / plain[key(sl, "network_latency.mean")] - 1)
            for spread, plain in (seeds[:2], seeds[2:])
            for sl in ALL
        )
        / 10
        for seeds in of_seeds
    ]


claim(
    "bxi-184",
    "2powers: spreading matters less than in fair and step",
    lambda runs: (
        Comparisons(
            [
                interval_of([a - b for a, b in zip(effect(runs, name), effect(runs, "2powers"))])
                for name in ("fair", "step")
            ]
        ),
        "mean change of the network latency: "
        + ", ".join(f"{name} {interval_of(effect(runs, name)).text(0, 100)} %" for name in WEIGHTS),
    ),
    needs=lambda: "a run with one change in which it does"
    + "".join(
        f"; with {what} ({', '.join(f'{name} {interval_of(effect(runs, name)).text(0, 100)}' for name in WEIGHTS)} %)"
        for what, runs in (
            ("one k for all, 300, on 64 hosts it does not", CAUSES["k = 300"]),
            ("k = 320, 256 and 80, three changes, it does", SHORT_TURNS),
        )
        if bool(CLAIMS["bxi-184"](runs)[0]) == what.endswith("it does")
    ),
    across=True,
)


# --- what the arbiter of one port discards ----------------------------------------------------------------


WARM_UP, COUNTED = 10_000, 20_000  # decisions


@functools.cache
def port_log(name, kind, k=1024, load=1):
    """What COUNTED decisions of a port lose, behind WARM_UP of them: at the start queues are empty, and turns end that do not later. Its queues hold
    768 flits and are refilled from sources without bound, as a NIC's, as the classes of `name` send, `load` times, evenly: the log is made
    beside a plain model of the arbiter, and the reference decides it again and says what each turn loses."""
    config = arbiter_of(name, kind, dict.fromkeys(WEIGHTS, k))
    entries = [(entry["queue"], entry["weight"]) for entry in config["table"]]
    keeps = kind.startswith("deficit")
    rng = random.Random(7)
    every = [100 * SIZES[sl] / LOADS[name][sl] / load for sl in ALL]
    due_at = [rng.random() * gap for gap in every]
    waiting, level, heads = [0] * 5, [0] * 5, [[] for _ in ALL]
    events, winners = [], []
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
        winners.append((now, sl, now - heads[sl].pop(0)))
        left -= SIZES[sl]
        level[sl] -= SIZES[sl]
        if left == 0:
            current = (current + 1) % len(entries)
            left, saved[current] = entries[current][1] + saved[current], 0
        now += SIZES[sl]
    decided_again = q.decide(config, events, explain=True)
    same([d.queue for d in decided_again], [sl for _, sl, _ in winners], "the reference on the model's log")
    counts = {what: [0] * 5 for what in ("visits", "idle", "misfits", "flits idle", "flits misfit", "saved")}
    counts["sent"] = [0] * 5
    for decision in decided_again[WARM_UP:]:
        counts["sent"][decision.queue] += decision.flits
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
    return [a / max(b, 1) for a, b in zip(counts[what], counts[of_what])]


def discarded(counts):
    """Flits that each SL's turns lose, empty and as a head did not fit."""
    return [a + b for a, b in zip(counts["flits idle"], counts["flits misfit"])]


@paper.row("bxi-120", "fair, basic: SL 4's turns end empty with quantum left")
def _():
    own, more, divided = (
        port_log("fair", "basic"),
        port_log("fair", "basic", load=1.01),
        port_log("fair", "basic", 1280, 1.01),
    )
    part = [lost / (lost + sent) for lost, sent in zip(discarded(own), own["sent"])]

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


@paper.row("bxi-122", "fair, basic: spreading discards quantum in smaller pieces")
def _():
    def pieces(load):
        return {
            kind: per(
                {"lost": discarded(found), "times": [a + b for a, b in zip(found["idle"], found["misfits"])]},
                "lost",
                "times",
            )
            for kind, found in ((kind, port_log("fair", kind, load=load)) for kind in ("basic", "basic-spread"))
        }

    def told(found):
        return (
            "spread "
            + "/".join(f"{x:.0f}" for x in found["basic-spread"])
            + ", plain "
            + "/".join(f"{x:.0f}" for x in found["basic"])
        )

    own, more = pieces(1), pieces(1.05)
    return decided(
        all(a < b for a, b in zip(own["basic-spread"][:4], own["basic"][:4])),
        "flits a discard at the paper's load of 1.00: " + told(own),
        f"{PORT}; not where queues are backlogged, at 1.05 times that load: there both lose what heads of SL 2 and 4 do not fill, {told(more)}",
    )


@paper.row("bxi-124", "fair, basic, spread: queues of long packets are found empty more often")
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


@paper.row("bxi-131", "fair, basic: a head that does not fit waits for all other turns")
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
    others = 1024 + 1024 + 1008 + 1024
    same(waits[0], others, "flits of the others' turns")
    return agrees(f"{waits[0]} flits, the sum of the others' turns", "decide --explain, all backlogged")


@paper.row("bxi-158", "step: shorter turns make all SLs discard more often")
def _():
    def often(k):
        return [
            [1000 * (idle + misfit) / found["cycles"] for idle, misfit in zip(found["idle"], found["misfits"])]
            for found in (port_log("step", kind, k) for kind in ("basic-spread", "basic"))
        ]

    def told(pair):
        return (
            "discards in 1,000 cycles: spread "
            + "/".join(f"{x:.2f}" for x in pair[0])
            + ", plain "
            + "/".join(f"{x:.2f}" for x in pair[1])
        )

    long, short = often(1024), often(300)
    return decided(
        all(a > b for a, b in zip(*long)),
        "at the paper's load, 1.07 of the link, " + told(long),
        PORT,
        (
            "queues are backlogged and packets of SL 0 to 3 divide their quanta at k = 1024 in either table, so only SL 4 discards, as often with its one entry in either; "
            f"with k = 300, with which the shares of basic in step come out, too (bxi-145, 146, 154), as the one change it holds ({told(short)})"
            if all(a > b for a, b in zip(*short))
            else None
        ),
    )


@paper.row("bxi-160", "step: deficits use the quantum that is thrown away otherwise")
def _():
    basic, deficit = port_log("step", "basic"), port_log("step", "deficit")
    lost, kept = sum(discarded(basic)), sum(discarded(deficit))
    return decided(
        kept < 0.1 * lost,
        f"at the paper's load, 1.07 of the link, {kept:,} flits discarded against {lost:,}, of those {sum(basic['flits misfit']):,} as a head did not fit",
        f"{PORT}; basic loses {100 * lost / (lost + basic['cycles']):.2f} % of its quanta",
    )


# --- definitions and structure ----------------------------------------------------------------------------


def links_of(topology, traffic, measure=0.5):
    """links.csv of a run, and its report."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = q.in_file(
            folder,
            "scenario.yaml",
            json.dumps(
                {
                    "arbiter": {"policy": "rr", "queues": 5, "max_packet_flits": 80},
                    "network": {**network_of("quick"), "topology": topology},
                    "traffic": traffic,
                    "run": {"warmup_us": 0, "measure_us": measure, "seed": 1},
                }
            ),
        )
        report = json.loads(q.succeed("sim", scenario, "--json", "--engine", "model", "--csv", folder))
        with open(pathlib.Path(folder) / "links.csv", newline="") as file:
            return list(csv.DictReader(file)), report


@functools.cache
def full_size():
    """Hosts, and of each switch how many of its ports lead to hosts and how many to switches."""
    lines, _ = links_of(
        pgft("full"), [{"name": "a", "queue": 0, "pattern": "uniform", "load": 0.01, "message_bytes": 64}]
    )
    ports = {}
    for line in lines:
        switch, _, port = line["from"].partition(".port")
        if port:
            ports.setdefault(switch, [0, 0])[not line["to"].startswith("host")] += 1
    return sum(line["from"].startswith("host") for line in lines), ports


@paper.row("bxi-005", "512 nodes, PGFT, D-Mod-K")
def _():
    hosts, ports = full_size()
    same((hosts, len(ports)), (512, 32), "hosts, switches")
    return agrees(
        "512 hosts, 16 leaves and 16 switches above them, d-mod-k",
        "sim builds PGFT(2; 32, 16; 1, 16; 1, 2); its parameters are not in the paper",
    )


@paper.row("bxi-007", "leaves: 32 ports down, 32 up")
def _():
    _, ports = full_size()
    same(sorted(map(tuple, ports.values())), [(0, 32)] * 16 + [(32, 32)] * 16, "ports to hosts, to switches")
    return agrees(
        "16 leaves have 32 ports to hosts and 32 to switches; the 16 switches above use 32 of 64",
        "sim --csv: counted in links.csv",
    )


@paper.row("bxi-009", "nodes of a PGFT")
def _():
    same(full_size()[0], 512, "hosts")
    return agrees("512", "sim --csv: counted in links.csv")


def by_link(destinations, messages=1):
    """Packets of one flit on each link that carries any, of the PGFT of 512 hosts: from host 0 so many to each destination."""
    with tempfile.TemporaryDirectory() as folder:
        report = q.sim(
            {
                "arbiter": {"policy": "rr", "queues": 5, "max_packet_flits": 80},
                "network": network_of("full"),
                "traffic": [
                    {
                        "name": f"to{to}",
                        "queue": 0,
                        "pattern": "hot-spot",
                        "to": to,
                        "hosts": [0],
                        "load": 0.01,
                        "messages": messages,
                        "message_bytes": 64,
                    }
                    for to in destinations
                ],
                "run": {"warmup_us": 0, "measure_us": 20, "seed": 1},
            },
            "--csv",
            folder,
        )
        tables = {}
        for name in ("links", "link-flits"):
            with open(pathlib.Path(folder) / f"{name}.csv", newline="") as file:
                tables[name] = list(csv.DictReader(file))
    same(report["flits_delivered"], messages * len(destinations), "packets that came")
    receiver = {line["from"]: line["to"] for line in tables["links"]}
    return {
        (line["from"], receiver[line["from"]]): int(line["flits"])
        for line in tables["link-flits"]
        if int(line["flits"])
    }


@paper.row("bxi-010", "no detours, one path")
def _():
    report = q.sim(
        {
            "arbiter": {"policy": "rr", "queues": 5, "max_packet_flits": 80},
            "network": network_of("full"),
            "traffic": [
                {
                    "name": f"to{host}",
                    "queue": 0,
                    "pattern": "hot-spot",
                    "to": host,
                    "load": 0.001,
                    "messages": 1,
                    "message_bytes": 64,
                }
                for host in range(512)
            ],
            "run": {"warmup_us": 0, "measure_us": 20, "seed": 1},
        }
    )
    same((report["flits_delivered"], report["flits_lost"]), (512 * 511, 0), "one packet from each host to each other")
    # Of a host's 511 partners 31 are behind its leaf, one switch away, and 480 behind another, three at least.
    same(report["packet_hops"], 512 * (31 * 1 + 480 * 3), "switches on all paths")
    once, thrice = by_link(range(1, 512)), by_link(range(1, 512), 3)
    same(thrice, {link: 3 * count for link, count in once.items()}, "packets on each link")
    return agrees(
        f"{report['packet_hops']:,} switches on the paths of all {512 * 511:,} pairs, the least that there can be",
        f"sim, 512 hosts, one packet of each pair: no path is below its least, so none above. Three packets from host 0 to each of the others put three times as many on each of {len(once):,} links as one does",
    )


@paper.row("bxi-015", "one constant table everywhere")
def _():
    holds(not RTL.faults(), "the RTL decides as the reference")
    return agrees(
        f"{RTL.decisions():,} decisions of all ports, NICs and switches, none differs",
        "sim --engine lockstep, experiment synthetic-lockstep: the RTL's tables, written once before the run, decide as the scenario's one table does, to the last decision",
    )


@paper.row("bxi-011", "routes to different destinations always differ")
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


@paper.row("bxi-012", "PFC stops one queue, not the others")
def _():
    _, report = links_of(
        pgft("quick"),
        [
            {
                "name": "incast",
                "queue": 1,
                "pattern": "hot-spot",
                "to": 0,
                "hosts": list(range(8, 64)),
                "load": 0.1,
                "message_bytes": 2048,
            },
            *(
                {
                    "name": f"sl{sl}",
                    "queue": sl,
                    "pattern": "uniform",
                    "load": 0.05,
                    "message_bytes": 64 * SIZES[sl],
                }
                for sl in (0, 2, 3, 4)
            ),
        ],
        200,
    )
    incast, *others = report["classes"]
    holds(report["pause_frames"] > 0 and incast["accepted"] < 0.5 * incast["offered"], "SL 1 is stopped")
    least = min(other["accepted"] / other["offered"] for other in others)
    holds(least >= 0.99, f"the others get what they offer: {least}")
    return agrees(
        f"SL 1 gets {100 * incast['accepted'] / incast['offered']:.0f} % of an incast, each of the four others {100 * least:.1f} % or more of what it offers; {report['pause_frames']} PFC frames",
        "sim, PGFT of 64 hosts",
    )


@paper.row("bxi-091", "packet latency = injection latency + network latency")
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
        _, report = links_of(
            pgft("quick"),
            [
                {
                    "name": "a",
                    "queue": 0,
                    "pattern": "hot-spot",
                    "to": 63,
                    "hosts": [0],
                    "message_bytes": 1024,
                    "burst": burst,
                }
            ],
            50,
        )
        (one,) = report["classes"]
        same(one["packets"], packets, "packets")
        return [one[f"{kind}_latency_ns"]["mean"] / report["cycle_ns"] for kind in ("packet", "network")]

    alone, ten = latencies(1), latencies(10)
    near(alone[0], alone[1], 1e-6, "one packet: nothing waits at the source")
    near(ten[1], alone[1], 1e-6, "on their way ten do not wait")
    near(ten[0] - ten[1], 16 * (0 + 9) / 2, 1e-6, "at the source each waits for those before it")
    return agrees(
        f"ten packets of 16 flits at once in an idle network: {ten[0]:.0f} cycles from generation, {ten[1]:.0f} from injection, {ten[0] - ten[1]:.0f} in between; one alone 0",
        "sim: packet latency from generation, network latency from the grant at the NIC, both to the last flit; nine packets wait for up to nine before them, 72 cycles in the mean",
    )


@paper.row("bxi-092", "FCT of a one-packet message is its packet's latency")
def _():
    for point in BASE.points(BASE.size()):
        for sl in ALL:
            same(
                BASE[point].samples[key(sl, "message_latency.mean")],
                BASE[point].samples[key(sl, "packet_latency.mean")],
                f"{point}, SL {sl}",
            )
    return agrees("equal in all 15 runs of each seed", "sim, PGFT: messages of 1 to 5 KiB are one packet")


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


@paper.row("bxi-100", "the timing of arrivals changes what arbiters give")
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
        "sim, PGFT of 64 hosts, shares of what is delivered; deficits are no less touched",
    )


@paper.row("bxi-070", "packets of SLs with more entries wait less")
def _():
    def probe(sl, spread_table, seed, k=256):
        config = arbiter_of("step", "deficit-spread" if spread_table else "deficit", dict.fromkeys(WEIGHTS, k))
        traffic = [
            {
                "name": f"sl{other}",
                "queue": other,
                "pattern": "hot-spot",
                "to": 0,
                "hosts": list(range(1, 8)),
                "load": 0.05,
                "message_bytes": 64 * SIZES[other],
            }
            for other in ALL
            if other != sl
        ]
        traffic.append(
            {
                "name": "probe",
                "queue": sl,
                "pattern": "hot-spot",
                "to": 0,
                "hosts": [1],
                "load": 0.002,
                "message_bytes": 64 * SIZES[sl],
                "arrival": "poisson",
            }
        )
        report = q.sim(
            {
                "arbiter": config,
                "network": {
                    **network_of("quick"),
                    "routing": "direct",
                    "topology": {"kind": "single-switch", "ports": 8},
                },
                "traffic": traffic,
                "run": {"warmup_us": 30, "measure_us": 700, "seed": seed},
            }
        )
        return report["classes"][-1]["network_latency_ns"]["mean"]

    seeds = range(1, 6)
    found = {sl: [[probe(sl, table, seed) for seed in seeds] for table in (False, True)] for sl in ALL}
    return by_comparisons(
        Comparisons([interval_of([a - b for a, b in zip(*found[sl])]) for sl in range(4)]),
        "mean of a lone packet, plain and spread: "
        + ", ".join(
            f"SL {sl} {' and '.join(interval_of(times).text(0) for times in both)} ns" for sl, both in found.items()
        ),
        f"sim, one port, the other four SLs backlogged, step with k = 256, {len(seeds)} seeds; of SL 4, which has one entry in either table, the paper says nothing",
    )


@paper.row("bxi-172", "2powers, basic, spread: shares of SL 3 and 4 vary most")
def _():
    run = OUTLIERS["2powers.basic-spread"]
    return open_or_unknown(
        Comparisons([run.each(lambda seed: outliers(seed, (3, 4)) - outliers(seed, (0, 1, 2)))]),
        "hosts that are outliers, SL 0 to 4: "
        + "/".join(run.each(lambda seed, sl=sl: outliers(seed, [sl])).text(0) for sl in ALL)
        + f" of {hosts_of(pgft(OUTLIERS.size()))}",
        "sim, PGFT, experiment synthetic-outliers: SL 3 and 4 more than half of all, 1.5 quartile distances outside the quartiles",
    )


claim(
    "bxi-257",
    "deficits give accurate bandwidth",
    lambda runs: (
        all(
            abs(runs[f"{name}.deficit"].mean(key(sl, "hosts.median")) - float(due(name)[sl])) <= 0.01
            for name in WEIGHTS
            for sl in ALL
        ),
        "largest error of a median "
        + ", ".join(
            f"{name} {max(abs(100 * runs[f'{name}.deficit'].mean(key(sl, 'hosts.median')) - 100 * float(due(name)[sl])) for sl in ALL):.2f}"
            for name in WEIGHTS
        )
        + " points",
    ),
)


def favour(run, name):
    """Interval of the rank correlation of the SL with what is missing of its share."""
    return run.each(
        lambda seed: spearman(list(ALL), [1 - seed[key(sl, "accepted")] / float(due(name)[sl]) for sl in ALL])
    )


def most_missing(runs, kind):
    return max(abs(part) for name in WEIGHTS for part in missing(runs[f"{name}.{kind}"], name))


claim(
    "bxi-258",
    "basic favours short packets, deficits do not",
    lambda runs: (
        all(abs(favour(runs[f"{name}.deficit"], name).mean) <= 0.5 for name in WEIGHTS)
        and Comparisons([favour(runs[f"{name}.basic"], name) for name in WEIGHTS]),
        "rank correlation of packet size and missing share: "
        + "; ".join(
            f"{NAMES[kind]} "
            + ", ".join(f"{name} {favour(runs[f'{name}.{kind}'], name).text(1)}" for name in WEIGHTS)
            + f", where at most {100 * most_missing(runs, kind):.1f} % of a share are missing or too many"
            for kind in ("basic", "deficit")
        ),
    ),
    "sim, PGFT: in each scenario above 0 for basic, within 0.5 for deficits",
    needs="a run with one change in which what deficits leave is in no order of the packets",
)
claim(
    "bxi-261",
    "nobody starves while SL 0 is favoured",
    lambda runs: (
        all(
            runs[f"{name}.{kind}"].mean(key(sl, "accepted")) >= 0.9 * min(float(due(name)[sl]), LOADS[name][sl] / 100)
            for name in WEIGHTS
            for kind in ("deficit", "deficit-spread")
            for sl in ALL
        ),
        f"least part of what is due {min(runs[f'{name}.{kind}'].mean(key(sl, 'accepted')) / min(float(due(name)[sl]), LOADS[name][sl] / 100) for name in WEIGHTS for kind in ('deficit', 'deficit-spread') for sl in ALL):.3f}",
    ),
)


# --- the search application: Figs. 1, 20 to 22, Tables 9 and 10 ------------------------------------------


# What is missing where the stand-ins do not say the same.
UNPUBLISHED = "the application's messages, their load and their volume are not published"


STAND_IN = "sim, stand-in: workload W2 at load 0.4, bursts, noise"


BURSTS = (400, 1400)  # us


def dip(seed, burst, series="got"):
    """The lowest slice of the 200 us behind a burst over the same run's mean in the 200 us before."""
    before = [x for end, x in zip(seed["ends_us"], seed[series]) if burst - 200 <= end <= burst]
    after = [x for end, x in zip(seed["ends_us"], seed[series]) if burst + 15 < end <= burst + 200]
    return min(after) * len(before) / sum(before)


def dips(name, series="got"):
    """Of each burst, mean over the seeds."""
    seeds = searched(name).seeds()
    return [sum(dip(seed, burst, series) for seed in seeds) / len(seeds) for burst in BURSTS]


@paper.row("bxi-188", "the burst application")
def _():
    drained = 8 * 2**20 / 50e9  # s, at 400 Gb/s
    for each in (False, True):
        scenario = search_scenario("quick", "rr", each)
        hosts = hosts_of(scenario["network"]["topology"])
        bursts = [item for item in scenario["traffic"] if item["name"] == "bursts"]
        same((len(bursts[0]["hosts"]), bursts[0]["queue"], bursts[0]["to"]), (hosts // 2, 1, 0), "half of the hosts, to 0")
        run = q.sim({**scenario, "traffic": bursts})
        got = run["classes"][0]["offered"] * hosts * 1000 * scenario["run"]["measure_us"] / run["cycle_ns"] * 64
        same((round(got / 2**20), run["flits_lost"]), (2 * 8 * (hosts // 2 if each else 1), 0), "MiB of two bursts, lost")
    in_all, from_each = (1 - runs["2powers.deficit"].mean("end_us") / runs["rr"].mean("end_us") for runs in (IN_ALL, LONG))
    holds(in_all < 0.2 < from_each, "8 MiB in all leave less to save than from each")
    return agrees(
        "half of the hosts to one, in 1.8 ms two bursts of 8 MiB in all, or from each",
        f"sim, the stand-in's SL 1 on 16 hosts, every flit counted. 8 MiB in all take {1e6 * drained:.0f} us of node 0's link, 8 MiB from each of 256 nodes {256e3 * drained:.1f} ms: the paper does not say which. In the stand-in with an end 2powers with deficits saves "
        f"{100 * in_all:.1f} % of RR's time with 8 MiB in all (experiment search-in-all) and with 8 MiB from each {100 * from_each:.1f} %, in messages of 4,224 bytes, beside Table 9's {TABLE_9['2powers', 'deficits'][0][1]} (bxi-231)",
    )


@paper.row("bxi-020", "Fig. 1: bursts hurt the search traffic and the whole network without QoS")
def _():
    with_bursts, without = (
        [dips(name, series) for series in ("got", "total")] for name in ("rr", "rr, no bursts")
    )

    def told(search, total):
        return f"search {'/'.join(f'{100 * x:.0f}' for x in search)} %, all traffic {'/'.join(f'{100 * x:.0f}' for x in total)} %"

    return decided(
        max(with_bursts[0]) < 0.7 and max(with_bursts[1]) < 0.9 and min(map(min, without)) > 0.8,
        f"lowest slice in the 200 us after each burst, of the mean of the 200 us before: {told(*with_bursts)}; in the same slices without bursts {told(*without)}",
        STAND_IN + ", RR",
    )


def shares_with(channels):
    """Of a full port with weights 4, 2 and 1 and packets of 1, 3 and 5 KiB, each SL with so many queues at every port."""
    network = {
        "topology": {"kind": "single-switch", "ports": 8},
        "link": {"gbps": 400, "delay_ns": 25},
        "flit_bytes": 64,
        "channels_per_queue": channels,
        "virtual_channels": [[[channels * sl + i for i in range(channels)]] for sl in range(3)],
        "switch": {"input_queue_flits": 768, "output_queue_flits": 768, "crossbar_speedup": 2, "flow_control": "pfc"},
    }
    report = q.sim(
        {
            "arbiter": table([(0, 512), (1, 256), (2, 128)], 80, "bxi-deficit", queues=3, strict=False),
            "network": network,
            "traffic": [
                {"name": f"sl{sl}", "queue": sl, "pattern": "hot-spot", "to": 0, "load": 0.5, "message_bytes": size}
                for sl, size in enumerate((1024, 3072, 5120))
            ],
            "run": {"warmup_us": 100, "measure_us": 400, "seed": 1},
        }
    )
    return [item["share"] for item in report["classes"]]


@paper.row("bxi-071", "several queues for an SL, round robin among them: the SLs' shares stay")
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


def hosts_behind(runs):
    """How many hosts a stored experiment has, in words."""
    return f"{runs.describe(runs.size())['hosts']} hosts"


@dataclasses.dataclass
class StandIn:
    """What takes the application's place, with an end: runs by arbiter, and those on the 16 hosts on which its numbers were chosen, which have more seeds."""

    runs: dict
    few: dict


def stand_ins(calibrated_ones=False):
    """The four, or the two of them with RR's end and median, by name."""
    found = {
        f"{size_of}, near RR's end and median": StandIn(of_size(CALIBRATED, size_of), of_size(CALIBRATED_16, size_of))
        for size_of in ("W2", "4,224 bytes")
    }
    if calibrated_ones:
        return found
    return {
        "W2": StandIn({name: ENDINGS[name] for name in SEARCH}, {name: ENDINGS_16[name] for name in SEARCH}),
        "4,224 bytes": StandIn({name: LONG[name] for name in SEARCH}, {name: LONG_16[name] for name in SEARCH}),
        **found,
    }


def of_application(held, measured, what=""):
    """The verdict of a row that depends on the application: it agrees if all stand-ins have it (held: by name), and nothing that they say
    contradicts the paper, whose application is another."""
    note = f"sim, {len(held)} stand-ins for the application, {hosts_behind(ENDINGS)}" + (f": {what}" if what else "")
    if all(held.values()):
        return agrees(measured, note)
    having = [name for name, has in held.items() if has]
    return rows.Verdict(
        rows.NOT_TESTABLE,
        measured,
        f"{note}; " + (f"only {' and '.join(having)} has it" if len(having) == 1 else f"{len(having)} of them have it") + f": {UNPUBLISHED}",
    )


def of_each(text, ones=None):
    """A text of each stand-in, text(StandIn)."""
    return "; ".join(f"{name}: {text(one)}" for name, one in (ones or stand_ins()).items())


def steps_held(steps):
    """Whether the arbiters of a stand-in are in order, by name. steps: (part, the worse, the better); in means, and on 16 hosts beyond the intervals
    of all four."""
    return {
        name: all(one.runs[worse].mean(part) > one.runs[better].mean(part) for part, worse, better in steps)
        and bool(
            Comparisons(
                [difference(one.few[worse], one.few[better], part) for part, worse, better in steps],
                among=4 * len(steps),
            )
        )
        for name, one in stand_ins().items()
    }


def steps_told(steps):
    return of_each(
        lambda one: f"{sum(one.runs[worse].mean(part) > one.runs[better].mean(part) for part, worse, better in steps)} of {len(steps)} steps, on 16 hosts "
        f"{len(Comparisons([difference(one.few[worse], one.few[better], part) for part, worse, better in steps], among=4 * len(steps)).shown)} beyond their intervals"
    )


def saved(runs, name, part="end_us"):
    """Interval of the part of RR's time that a table saves, in percent."""
    return paired(runs[name], runs["rr"], lambda a, b: 100 * (1 - a[part] / b[part]))


def improved(runs, name, part):
    """Interval of the part of basic's time that deficits save, in percent."""
    return paired(runs[f"{name}.deficit"], runs[f"{name}.basic"], lambda a, b: 100 * (1 - a[part] / b[part]))


def ends(runs):
    return "/".join(f"{runs[name].mean('end_us') / 1000:.2f}" for name in SEARCH) + " ms"


# Two arbiters, the one with less share first; and basic before deficits.
BY_SHARE = [
    steps
    for kind in ("basic", "deficit")
    for steps in itertools.pairwise(["rr", *(f"{name}.{kind}" for name in ("fair", "step", "2powers"))])
]
BY_DEFICITS = [(f"{name}.basic", f"{name}.deficit") for name in SHARES_8]


@paper.row("bxi-191", "Fig. 20a: execution time falls as SL 0's share rises")
def _():
    return of_application(
        steps_held([("end_us", *pair) for pair in BY_SHARE]),
        of_each(lambda one: ends(one.runs)),
        "RR, fair, step, 2powers, each basic and with deficits",
    )


paper.needs(
    "bxi-201",
    "the base of the gains below: how much the application sends in all is not published, and any length can be had by it (bxi-203)",
)


def chosen_on_16(runs, text, otherwise=""):
    """The text, where the runs are of other hosts than those on which loads, numbers and length were chosen."""
    return text if runs.size() == "full" else otherwise


def gain_cell(printed, tolerance, name, part):
    """The verdict of a cell by what is saved of RR's time."""
    return of_application(
        {
            stand_in: abs(saved(one.runs, name, part).mean - printed) <= tolerance
            for stand_in, one in stand_ins().items()
        },
        of_each(lambda one: f"{saved(one.runs, name, part).text(1)} %") + " less than RR",
        f"within {tolerance} points",
    )


@paper.row("bxi-192", "Fig. 20a: 2powers takes about a third less")
def _():
    return gain_cell(37.5, 7.5, "2powers.deficit", "end_us")


@paper.row("bxi-259", "the application is faster with any table")
def _():
    return of_application(
        {
            stand_in: all(
                abs(saved(one.runs, name).mean - TABLE_9[tuple(name.replace("deficit", "deficits").split("."))][0][1]) <= 8
                for name in SEARCH[1:]
            )
            for stand_in, one in stand_ins().items()
        },
        of_each(
            lambda one: "/".join(
                f"{one.runs['rr'].mean('end_us') / one.runs[name].mean('end_us'):.2f}" for name in SEARCH[1:]
            )
        )
        + " times as fast as RR",
        "each of the six within 8 points of what Table 9 saves of the time; faster it is in all (bxi-260)",
    )


@paper.row("bxi-260", "the effect is palpable")
def _():
    return of_application(
        {
            stand_in: all(saved(one.runs, name).mean > 10 for name in SEARCH[1:])
            and bool(Comparisons([saved(one.few, name).over(10) for name in SEARCH[1:]], among=4 * len(SEARCH[1:])))
            for stand_in, one in stand_ins().items()
        },
        of_each(
            lambda one: f"at least {min((saved(one.runs, name) for name in SEARCH[1:]), key=lambda gain: gain.mean).text(1)} % less"
        ),
        "10 % or more with each table, on 16 hosts beyond the intervals",
    )


@paper.row("bxi-193", "Fig. 20b: mean FCT falls with the share, and with deficits")
def _():
    return of_application(
        steps_held([("mean", *pair) for pair in [*BY_SHARE, *BY_DEFICITS]]),
        of_each(lambda one: "/".join(f"{one.runs[name].mean('mean') / 1000:.1f}" for name in SEARCH) + " us"),
        "RR, fair, step, 2powers, each basic and with deficits, which have to be less",
    )


@functools.cache
def search_shares(name, kind):
    return exact_shares(search_scenario("quick", f"{name}.{kind}")["arbiter"], "7,144,144")[0]


@paper.row("bxi-194", "Fig. 21: RR is the worst")
def _():
    steps = [(part, "rr", name) for name in SEARCH[1:] for part in COLUMNS[1:]]
    count = 4 * len(steps) + 5 * len(SEARCH[1:])
    held = {
        stand_in: all(one.runs["rr"].mean(part) > one.runs[name].mean(part) for part, _, name in steps)
        and bool(Comparisons([difference(one.few["rr"], one.few[name], part) for part, _, name in steps], among=count))
        for stand_in, one in stand_ins().items()
    }
    held["load 0.4 without an end"] = bool(
        Comparisons(
            [
                difference(SEARCHES["rr"], SEARCHES[name], part)
                for name in SEARCH[1:]
                for part in ("p25", "p50", "p75", "p90", "p99")
            ],
            among=count,
        )
    )
    return of_application(
        held,
        of_each(
            lambda one: "RR "
            + "/".join(f"{one.runs['rr'].mean(part) / 1000:.1f}" for part in COLUMNS[1:])
            + ", the worst table "
            + "/".join(f"{max(one.runs[name].mean(part) for name in SEARCH[1:]) / 1000:.1f}" for part in COLUMNS[1:])
            + " us"
        ),
        "p50 / p75 / p90 / p99, on 16 hosts beyond the intervals, and without an end p25 to p99",
    )


@paper.row("bxi-195", "Fig. 21, RR: messages of 1 ms or more")
def _():
    above = {
        size_of: SLOW_16[f"{size_of}, rr"].each(lambda seed: 100 * (1 - seed["within 1 ms"]))
        for size_of in ("W2", "4,224 bytes")
    }
    medians = {name: one.runs["rr"]["p50"] for name, one in stand_ins(True).items()}
    return of_application(
        {
            name: 40 <= found.mean <= 65 and (median.mean > 1e6 or CALIBRATED.size() != "full")
            for (name, median), found in zip(medians.items(), above.values())
        },
        "; ".join(f"{size_of}: {found.text(1)} %" for size_of, found in above.items())
        + " on 16 hosts"
        + chosen_on_16(
            CALIBRATED, ", their medians on 512 " + " and ".join(f"{found.text(0, 0.001)} us" for found in medians.values())
        ),
        "40 to 65 %"
        + chosen_on_16(
            CALIBRATED, f" on 16 hosts, and on 512, of which the curve is not kept, a median above 1 ms, as the printed {RR[1]} is"
        ),
    )


@paper.row("bxi-196", "Fig. 21: almost 80 % below 1 ms, whatever the share")
def _():
    def within_1_ms(cells):
        """Percent of the messages, between two percentiles of Table 9 along a straight line."""
        curve = [(sum(interval(value)) / 2, part) for (value, _), part in zip(cells[1:], (50, 75, 90, 99))]
        return next(
            low + (high - low) * (1 - before) / (after - before)
            for (before, low), (after, high) in itertools.pairwise(curve)
            if before <= 1 < after
        )

    found = {name: [within_1_ms(TABLE_9[name, kind]) for kind in ("basic", "deficits")] for name in SHARES_8}
    holds(max(found["fair"]) < 82 and min(*found["step"], *found["2powers"]) >= 90 - 1e-9, "below 1 ms")
    return differs(
        "basic and with deficits " + ", ".join(f"{name} {a:.0f} and {b:.0f} %" for name, (a, b) in found.items()) + " by Table 9",
        "the paper's own numbers, between Table 9's percentiles along straight lines: "
        f"90 % are below {TABLE_9['step', 'basic'][3][0]} ms in step and {TABLE_9['2powers', 'basic'][3][0].rstrip('u')} us in 2powers, so the share does matter",
    )


@paper.row("bxi-197", "Fig. 21: deficits cut FCT, more share cuts it more")
def _():
    steps = [(part, *pair) for part in COLUMNS[1:] for pair in [*BY_SHARE, *BY_DEFICITS]]
    return of_application(steps_held(steps), steps_told(steps), "at p50, p75, p90 and p99")


@paper.row("bxi-198", "Fig. 22: throughput drops coincide with the bursts")
def _():
    deep = {name: max(dips(name)) < 0.7 for name in ("rr", "fair.basic", "step.basic", "2powers.basic")}
    calm = min(dips("rr, no bursts")) > 0.8
    measured = (
        "; ".join(
            f"{name} " + "/".join(f"{100 * x:.0f}" for x in dips(name)) + " %" for name in (*deep, "rr, no bursts")
        )
    )
    note = STAND_IN + ": lowest slice after each of two bursts, of the mean before"
    if all(deep.values()) and calm:
        return agrees(measured, note)
    holds(deep["rr"] and calm, "RR drops at bursts and not without")
    return rows.Verdict(
        rows.NOT_TESTABLE,
        measured,
        f"{note}; under RR throughput drops at each burst, with tables no more than without bursts. Which configurations Fig. 22 shows the text does not say, and {UNPUBLISHED}",
    )


@paper.row("bxi-199", "Fig. 22: the next burst comes when recovery begins")
def _():
    def back(name):
        """When, behind the burst at 400 us, SL 0 gets half of what it offers again; None if not before the next."""
        run = searched(name)
        slices = [(end, got) for end, got in zip(run.series("ends_us"), run.series("got")) if 420 < end <= 1400]
        low = min(range(len(slices)), key=lambda place: slices[place][1])
        return next((end - 400 for end, got in slices[low:] if got >= 0.5 * 0.4), None)

    found = {what: back(name) for what, name in (("8 MiB in all", "rr"), ("8 MiB from each", "rr, 8 MiB from each"))}
    measured = "RR gets half of what is offered again " + "; ".join(
        f"with {what} " + (f"{time:.0f} us behind the burst" if time else "not before the next burst")
        for what, time in found.items()
    )
    note = f"{STAND_IN}; the next burst comes 1,000 us behind"
    if any(time and time > 800 for time in found.values()):
        return agrees(measured, note)
    return rows.Verdict(
        rows.NOT_TESTABLE, measured, f"{note}: in neither reading does it come when recovery begins, and {UNPUBLISHED}"
    )


@paper.row("bxi-200", "Fig. 22: the drop is smaller with more share")
def _():
    steps = {
        (worse, better): paired(
            SEARCHES[worse],
            SEARCHES[better],
            lambda a, b: sum(dip(b, burst) - dip(a, burst) for burst in BURSTS) / len(BURSTS),
        )
        for worse, better in BY_SHARE
    }
    calm = 1 - sum(dips("rr, no bursts")) / 2
    return by_comparisons(
        Comparisons(steps),
        "depth less, in points: "
        + ", ".join(f"{worse} to {better} {step.text(2, 100)}" for (worse, better), step in steps.items())
        + f"; depth without bursts {100 * calm:.0f} %",
        f"{STAND_IN}; with any table what is left of the drop is no more than the scatter of slices without bursts, so only the steps from RR are beyond their intervals",
    )


COLUMNS = ["last", "p50", "p75", "p90", "p99"]


def calibrated(size_of):
    return of_size(CALIBRATED, size_of)


def of_size(runs, size_of):
    return {name: runs[f"{size_of}, {name}"] for name in SEARCH}


def gain_over_rr(name, part):
    return paired(SEARCHES[name], SEARCHES["rr"], lambda a, b: 100 * (1 - a[part] / b[part]))


def table_9_row(row_id, label, name, column):
    @paper.row(row_id, f"Table 9: {label}")
    def _():
        if column in ("last", "p99"):
            printed = TABLE_9[tuple(name.replace("deficit", "deficits").split("."))][COLUMNS.index(column)][1]
            return gain_cell(printed, 8 if column == "last" else 12, name, "end_us" if column == "last" else column)
        return time_cell(name, column)


def time_cell(name, column):
    """A completion time's verdict: the gain, above 75 % at the median and else within 15 points, and the time itself within three times: a gain of
    100 % is near 90 and stands for a time that is no part of the printed one."""
    value, printed = TABLE_9[tuple(name.replace("deficit", "deficits").split("."))][COLUMNS.index(column)]
    value = sum(interval(value)) / 2

    def near_enough(runs):
        gain = saved(runs, name, column).mean
        return value / 3 <= runs[name].mean(column) / 1e6 <= 3 * value and (
            gain > 75 if column == "p50" else abs(gain - printed) <= 15
        )

    return of_application(
        {stand_in: near_enough(one.runs) for stand_in, one in stand_ins().items()},
        of_each(
            lambda one: f"{one.runs[name][column].text(1, 0.001)} us, {saved(one.runs, name, column).text(1)} % less than RR"
        ),
        ("gain above 75 %" if column == "p50" else "gain within 15 points") + ", time within a factor 3",
    )


@paper.row("bxi-202", "Table 9: RR, FCT p50")
def _():
    few = of_size(CALIBRATED_16, "W2")["rr"]["p50"].text(0, 0.001)
    return rows.Verdict(
        rows.NOT_TESTABLE,
        f"{few} us on 16 hosts"
        + chosen_on_16(
            CALIBRATED, f", {calibrated('W2')['rr']['p50'].text(0, 0.001)} us on {hosts_behind(CALIBRATED)}"
        ),
        "one of the two cells by which load and number of messages of W2 are chosen on 16 hosts (bxi-203), so it proves nothing",
    )


for place, label in enumerate(("p75", "p90", "p99"), 1):

    @paper.row(f"bxi-{202 + place}", f"Table 9: RR, FCT {label}")
    def _(place=place, label=label):
        ones = stand_ins(True)
        factors = {
            name: [
                RR[place + 1] / (runs["rr"].mean(label) / 1e6)
                for runs in ((one.runs, one.few) if CALIBRATED.size() == "full" else (one.runs,))
            ]
            for name, one in ones.items()
        }
        return of_application(
            {name: all(2 / 3 <= factor <= 1.5 for factor in found) for name, found in factors.items()},
            "; ".join(
                f"{name}: {one.runs['rr'][label].text(0, 0.001)} us, the printed one is "
                + ", on 16 hosts ".join(f"{factor:.2f}" for factor in factors[name])
                + " times that"
                for name, one in ones.items()
            ),
            "within a factor 1.5"
            + chosen_on_16(
                CALIBRATED,
                f", there and on the 16 hosts on which end and median were brought near RR's; on 512 W2's median is {ones[next(iter(ones))].runs['rr']['p50'].text(0, 0.001)} us, and it is 4,224 bytes that keep it",
            ),
        )


for place, (name, kind) in enumerate(itertools.product(SHARES_8, ("basic", "deficit"))):
    for number, column in enumerate(COLUMNS):
        table_9_row(
            f"bxi-{206 + 5 * place + number}",
            f"{name}, {kind}, {'execution time' if column == 'last' else 'FCT ' + column}",
            f"{name}.{kind}",
            column,
        )


@paper.row("bxi-237", "Table 9: the same order of rows in each column")
def _():
    steps = [(part, *pair) for part in ("end_us", *COLUMNS[1:]) for pair in itertools.pairwise(SEARCH)]
    return of_application(steps_held(steps), steps_told(steps), "the end, p50, p75, p90 and p99")


@paper.row("bxi-238", "Table 9: the gain is largest at the median")
def _():
    for cells in TABLE_9.values():
        gains = [gain for _, gain in cells[1:]]
        holds(gains == sorted(gains, reverse=True), "gains fall from the median to the 99th percentile")
    ranges = "/".join(
        f"{min(cells[n][1] for cells in TABLE_9.values()):.0f} to {max(cells[n][1] for cells in TABLE_9.values()):.0f}"
        for n in range(1, 5)
    )

    def falls(runs):
        gains = {name: [saved(runs, name, part).mean for part in COLUMNS[1:]] for name in SEARCH[1:]}
        return [name for name, found in gains.items() if all(a - b > 0.5 for a, b in itertools.pairwise(found))]

    return of_application(
        {stand_in: len(falls(one.runs)) == len(SEARCH[1:]) for stand_in, one in stand_ins().items()},
        f"as printed, at p50/p75/p90/p99 {ranges} %, falling in each row; "
        + of_each(lambda one: f"falling in {len(falls(one.runs))} of {len(SEARCH[1:])}"),
        "the printed values by arithmetic",
    )


@paper.row("bxi-239", "Table 9: p99 over execution time")
def _():
    ratios = [RR[4] / RR[0]] + [sum(interval(cells[4][0])) / sum(interval(cells[0][0])) for cells in TABLE_9.values()]
    near(ratios, [0.908, 0.888, 0.896, 0.886, 0.883, 0.883, 0.874], 0.002, "ratios")

    def found(runs):
        return [runs[name].mean("p99") / runs[name].mean("end_us") / 1000 for name in SEARCH]

    return of_application(
        {stand_in: all(0.8 <= x <= 0.95 for x in found(one.runs)) for stand_in, one in stand_ins().items()},
        of_each(lambda one: "/".join(f"{x:.2f}" for x in found(one.runs))),
        f"between 0.80 and 0.95. By the printed values {'/'.join(f'{x:.3f}' for x in ratios)}, so some of the messages that come last are made early",
    )


def table_10_row(row_id, name, number):
    @paper.row(row_id, f"Table 10: {name}, {'execution time' if number == 0 else 'FCT ' + COLUMNS[number]}")
    def _():
        basic, deficits = (TABLE_9[name, kind][number][1] for kind in ("basic", "deficits"))
        least, most = (100 * (1 - (100 - deficits - far) / (100 - basic + far)) for far in (-0.005, 0.005))
        holds(least - 0.005 <= TABLE_10[name][number] <= most + 0.005, "follows from Table 9")
        part = "end_us" if number == 0 else COLUMNS[number]
        printed, tolerance = TABLE_10[name][number], {0: 3, 2: 8, 3: 6, 4: 4}[number]
        return of_application(
            {
                stand_in: abs(improved(one.runs, name, part).mean - printed) <= tolerance
                and simultaneous([improved(one.few, name, part)], 4)[0].above()
                for stand_in, one in stand_ins().items()
            },
            of_each(lambda one: f"{improved(one.runs, name, part).text(1)} %")
            + f"; {(least + most) / 2:.2f} % by Table 9's gains",
            f"within {tolerance} points, and on 16 hosts above 0 beyond the intervals",
        )


for place, name in enumerate(SHARES_8):
    for number in (0, 2, 3, 4):
        table_10_row(f"bxi-{240 + 5 * place + number}", name, number)


@paper.row("bxi-255", "Table 10: deficits improve every experiment")
def _():
    steps = [(part, *pair) for part in ("end_us", *COLUMNS[1:]) for pair in BY_DEFICITS]
    shift = {
        name: (100 * float(search_shares(name, "basic")[0]), 100 * float(search_shares(name, "deficit")[0]))
        for name in SHARES_8
    }
    holds(all(a > b for a, b in shift.values()), "basic gives SL 0 more than deficits do")
    return of_application(
        steps_held(steps),
        steps_told(steps),
        "the end, p50, p75, p90 and p99. Backlogged, with W2's packets of 7 flits beside 144 and 144, basic gives SL 0 more than deficits do: "
        + ", ".join(f"{name} {a:.1f} against {b:.1f} %" for name, (a, b) in shift.items())
        + " (analyze), since it is the others that lose quantum",
    )


@paper.row("bxi-256", "Table 10: largest improvement")
def _():
    largest = {}
    for name in SHARES_8:
        cells = [
            100 * (1 - sum(interval(TABLE_9[name, "deficits"][n][0])) / sum(interval(TABLE_9[name, "basic"][n][0])))
            for n in range(5)
        ]
        largest[name] = COLUMNS[cells.index(max(cells))]
    same(largest, {"fair": "p50", "step": "p75", "2powers": "p75"}, "largest cells")

    def most(runs):
        return {
            name: max(COLUMNS, key=lambda part: improved(runs, name, "end_us" if part == "last" else part).mean)
            for name in SHARES_8
        }

    def told(found):
        return ", ".join(f"{name} {part}" for name, part in found.items())

    return of_application(
        {stand_in: most(one.runs) == largest for stand_in, one in stand_ins().items()},
        f"{told(largest)} by Table 9; " + of_each(lambda one: told(most(one.runs))),
        "arithmetic on Table 9, which Table 10's column of medians does not follow (bxi-241)",
    )


# --- the page ---------------------------------------------------------------------------------------------


def figure_of(name, scenario):
    text = []
    for number, title, unit, scale in (
        ("accepted", "bandwidth", "percent of a link", 100),
        ("packet_latency.mean", "mean packet latency", "us", 0.001),
        ("packet_latency.p99", "99th percentile of packet latency", "us", 0.001),
        ("network_latency.mean", "mean network latency", "us", 0.001),
    ):
        series = {
            NAMES[kind]: [
                Interval(
                    scale * BASE[f"{scenario}.{kind}"][key(sl, number)].mean,
                    scale * BASE[f"{scenario}.{kind}"][key(sl, number)].half,
                    3,
                )
                for sl in ALL
            ]
            for kind in ARBITERS
        }
        text.append(
            paper.figure(
                f"{scenario}-{number.replace('_', '-').replace('.', '-')}",
                f"{scenario}, {title}",
                plots.bars(f"{scenario}: {title}", unit, [f"SL {sl}" for sl in ALL], series, log=number != "accepted"),
            )
        )
    return text


@paper.section("Figs. 11 to 19: fair, step and 2powers on the PGFT")
def _():
    text = [
        "The paper's plots are lost; its text is judged below. "
        + BASE.told()
        + " Medians over hosts, latencies in us.",
        "",
        "| scenario | arbiter | median share, SL 0 to 4 | mean packet latency | p99 | mean network latency |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in WEIGHTS:
        text.append(f"| {name} | due | " + "/".join(f"{100 * float(share):.2f}" for share in due(name)) + " % | | | |")
        for kind in ARBITERS:
            run = BASE[f"{name}.{kind}"]
            text.append(
                f"| {name} | {NAMES[kind]} | {points(run)} | {us(run, 'packet_latency.mean')} | {us(run, 'packet_latency.p99')} | {us(run, 'network_latency.mean')} |"
            )
    text += [
        "",
        "**Whether spreading entries helps latency in step** depends on k, which the paper does not give. With k = 1024, as Table 2 has it, a plain turn of SL 0 is 5,120 flits, where "
        "a queue holds 768. Deeper queues change nothing. Spread over plain, mean packet latency of SL 0 to 4 with deficits:",
        "",
        "| | " + " | ".join(WEIGHTS) + " |",
        "| --- | --- | --- | --- |",
    ]
    full = BASE.size() == "full"
    on_small = "64 hosts, " if full else ""
    for label, runs in (
        ("k = 1024", BASE),
        *(
            (
                ("k = 320, 256 and 80", SHORT_TURNS),
                ("200 us behind 40", SHORT_WINDOW),
                ("64 hosts, 200 us behind 40", SMALL_NETWORK),
            )
            if full
            else ()
        ),
        *((f"{on_small}{name}", variant) for name, variant in VARIANTS.items()),
    ):
        if not label.endswith("as printed"):
            text.append(
                f"| {label} | "
                + " | ".join(
                    "/".join(f"{1 - drop(runs, name, 'deficit', 'packet_latency.mean', sl):.2f}" for sl in ALL)
                    for name in WEIGHTS
                )
                + " |"
            )
    text += [
        "",
        RTL.told(),
        "",
    ]
    for name in WEIGHTS:
        text += figure_of("figure", name)
    return "\n".join(text)


def hosts_alike():
    """What the 16 hosts have to say of those of full size."""
    if LONG.size() != "full":
        return ""
    gains = {
        what: "/".join(saved(runs, name).text(1) for name in SEARCH[1:])
        for what, runs in (("W2's messages", ENDINGS_16), ("4,224 bytes", LONG_16))
    }
    return (
        f" On 512 hosts a burst is of 2 GiB, 43 ms of host 0's link, on 16 of 64 MiB, 1.3 ms of it: in both host 0's link never lacks packets of SL 1 after the first burst. A host sends its messages in order, so one for host 0 holds up those behind it, "
        f"and as it has as many for each of the others, every host goes at the pace of SL 0's part of that link, however many hosts there are. On 16 hosts RR ends at {ENDINGS_16['rr']['end_us'].text(2, 0.001)} and {LONG_16['rr']['end_us'].text(2, 0.001)} ms, "
        f"and what the six save of it is " + "; ".join(f"{gain} % with {what}" for what, gain in gains.items()) + "."
    )


@paper.section("Figs. 1, 20 to 22, Tables 9 and 10: a stand-in for the search application")
def _():
    text = [
        SEARCHES.told()
        + f" {SEARCH_LOCKSTEP.told()} Without bursts, and with 8 MiB from each: {OTHER_BURSTS.stored()['seeds']}. SL 0 sends messages of the Homa paper's workload W2 (Poisson, load 0.4), SL 1 8 MiB in all from half of the hosts to host 0 at 400 and 1,400 us, SL 2 noise of 20 %. "
        "Completion times of SL 0's messages in us; in brackets the gain over RR in Table 9, in percent.",
        "",
        "| arbiter | mean | p50 | p75 | p90 | p99 |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in [*SEARCHES.points("quick"), *OTHER_BURSTS.points("quick")]:
        run = searched(name)
        printed = TABLE_9.get(tuple(name.replace("deficit", "deficits").split(".")), None) if "," not in name else None
        cells = [run["mean"].text(1, 0.001)]
        for number, part in enumerate(("p50", "p75", "p90", "p99"), 1):
            cells.append(
                run[part].text(1, 0.001)
                + (f", gain {gain_over_rr(name, part).mean:.1f} ({printed[number][1]})" if printed else "")
            )
        text.append(f"| {name} | " + " | ".join(cells) + " |")
    text += [
        "",
        "**How a row is decided that depends on the application.** Its messages, their load and their volume are not published. Four stand-ins take its place: messages of W2 and of 4,224 bytes, each at twice a link's rate, and each so much and so fast "
        "that RR ends near Table 9's 7.19 ms with its median near 1.22 ms. Such a row agrees if all four have it, a number within its tolerance by the means, an order by the means and, on the 16 hosts of which there are more seeds, beyond the intervals; RR's other times, which only those two can have "
        "that were brought near RR's, if both do. Else it is not testable. None differs: what a stand-in does says nothing against another application. What bursts do over time (Figs. 1 and 22) is of the stand-in without an end.",
        "",
        f"{ENDINGS.told()} What a table saves of RR's time, to the end and of the 99th percentile of completion times, in percent, beside Table 9's; and so with the same bytes in messages of 4,224, "
        f"{LONG.stored()['seeds']} seeds, a length that was chosen by one cell, fair with deficits to the end, on 16 hosts. Ends are known to a slice of the run, {LONG['fair.deficit'].mean('slice_us'):.0f} us with tables, and "
        "estimated in it." + hosts_alike(),
        "",
        "| arbiter | end, ms | saved | p99 | 4,224 bytes: end, ms | saved | p99 | printed | p99 |",
        "| --- |" + " --- |" * 8,
    ]
    for name in SEARCH:
        printed = TABLE_9.get(tuple(name.replace("deficit", "deficits").split(".")))
        cells = [
            cell
            for runs in (ENDINGS, LONG)
            for cell in (
                runs[name]["end_us"].text(2, 0.001),
                *((saved(runs, name).text(1), saved(runs, name, "p99").text(1)) if printed else ("", "")),
            )
        ]
        text.append(
            f"| {name} | " + " | ".join(cells) + (f" | {printed[0][1]} | {printed[4][1]} |" if printed else " | | |")
        )
    text += [
        "",
        f"{CALIBRATED.told()} Number and load bring the end and the median under RR on 16 hosts, in either size of message, near Table 9's two cells, which therefore prove nothing"
        + chosen_on_16(
            CALIBRATED,
            f"; on the paper's 512 loads and numbers are the same, and the median of W2 is not; on 16 {CALIBRATED_16.stored()['seeds']} seeds",
        )
        + ". "
        "End in ms, completion times in us, in brackets what Table 9 has.",
        "",
        "| hosts | messages | arbiter | end | p50 | p75 | p90 | p99 |",
        "| --- |" + " --- |" * 7,
    ]
    for runs, size_of in itertools.product(
        [CALIBRATED, CALIBRATED_16] if CALIBRATED.size() == "full" else [CALIBRATED], ("W2", "4,224 bytes")
    ):
        for name, run in of_size(runs, size_of).items():
            printed = (
                [f"{1000 * ms:.0f}" for ms in RR[1:]]
                if name == "rr"
                else [
                    f"{1000 * sum(interval(value)) / 2:.0f}"
                    for value, _ in TABLE_9[tuple(name.replace("deficit", "deficits").split("."))][1:]
                ]
            )
            end = RR[0] if name == "rr" else TABLE_9[tuple(name.replace("deficit", "deficits").split("."))][0][0]
            text.append(
                f"| {hosts_behind(runs).split()[0]} | {size_of} | {name} | {run['end_us'].text(2, 0.001)} ({end}) | "
                + " | ".join(f"{run[part].text(1, 0.001)} ({value})" for part, value in zip(COLUMNS[1:], printed))
                + " |"
            )
    text += [
        "",
        f"**8 MiB from each, or in all?** The paper's words allow both. {IN_ALL.told()} The end is saved by "
        + " and by ".join(
            f"{saved(IN_ALL, name).text(1)} % with {name}" for name in ("fair.deficit", "2powers.deficit")
        )
        + f", where Table 9 has {TABLE_9['fair', 'deficits'][0][1]} and {TABLE_9['2powers', 'deficits'][0][1]} and bursts from each give {saved(LONG, 'fair.deficit').text(1)} and {saved(LONG, '2powers.deficit').text(1)}: "
        "8 MiB in all take 168 us of every millisecond of host 0's link, so there is less to save.",
    ]
    of_time = ["rr", "fair.basic", "2powers.deficit", "rr, no bursts", "rr, 8 MiB from each"]
    text += [
        "",
        paper.figure(
            "search",
            "What SL 0 gets over time",
            plots.curves(
                "SL 0 over time (Figs. 1 and 22)",
                "us",
                "part of a link",
                {name: list(zip(searched(name).series("ends_us"), searched(name).series("got"))) for name in of_time},
            ),
        ),
    ]
    return "\n".join(text)


# --- what the summary says --------------------------------------------------------------------------------


def off_share(runs, name, kind, sl=None):
    """Points that a median is off its share, of one SL or the worst."""
    return max(
        abs(100 * (runs[f"{name}.{kind}"].mean(key(each, "hosts.median")) - float(due(name)[each])))
        for each in (ALL if sl is None else [sl])
    )


@paper.finding(1)
def _():
    kinds = ("deficit", "deficit-spread")
    best = max(
        off_share(BASE, name, kind) for name in WEIGHTS for kind in kinds if (name, kind) != ("2powers", "deficit")
    )
    plain, few = (off_share(runs, "2powers", "deficit", 0) for runs in (BASE, SHORT_WINDOW))
    mended = max(off_share(SHORT_TURNS, "2powers", "deficit", 0), off_share(BASE, "2powers", "deficit-spread", 0))
    turn = max(entry["weight"] for entry in arbiter_of("2powers", "deficit", SCALE)["table"])
    of_basic = [f"bxi-{number}" for number in (145, 146, 153, 154, 155, 156, 157)]
    not_1024 = [row_id for row_id in of_basic if not CLAIMS[row_id](STEP_BASIC)[0]]
    holds(
        MISFITS.size() == "full" and all(CLAIMS[row_id](MISFITS)[0] for row_id in of_basic) and len(not_1024) >= 4,
        "step with k = 300 and 1024",
    )
    faster = {
        name: [
            ratio(runs[f"{name}.deficit-spread"], runs[f"{name}.deficit"], "sl0.packet_latency.mean")
            for runs in (BASE, SHORT_TURNS)
        ]
        for name in ("fair", "step")
    }
    holds(BASE.size() == "full" and plain > 2 and few < 1 and mended < 0.5 and best < 0.5, "shares on 512 hosts")
    holds(Comparisons([gain.under(1) for pair in faster.values() for gain in pair]), "spreading makes SL 0 faster")
    can, cannot = port_log("fair", "basic"), port_log("step", "basic")
    holds(sum(can["flits misfit"]) == 0 < min(can["flits idle"]), "turns that end empty")
    holds(sum(cannot["flits idle"]) == 0 < sum(cannot["flits misfit"]), "turns that are used up")
    return (
        f"**The size of a turn decides what BXIv3's tables do**, and the paper does not give it. With k = 1024, as its Table 2 has it, a plain turn of SL 0 is of 1,024 to {turn:,} flits, where a queue holds 768. At a port that can send all that comes such turns end empty and nobody waits; at one that cannot they are used up, and only what heads do not fit is lost ([bxi-120, 158, 160](bxi.md)). "
        f"Spreading entries takes SL 0's mean latency with deficits to {faster['fair'][0].mean:.2f} of the plain table's in *fair* and {faster['step'][0].mean:.2f} in *step*, with shorter turns to "
        f"{faster['fair'][1].mean:.2f} and {faster['step'][1].mean:.2f} ([bxi-136, 161](bxi.md)). What it says of the scheme without deficits in *step* needs turns that end in misfits: seven "
        f"sentences hold together with k = 300, {len(not_1024)} of them not with 1024 ([bxi-146, 154 to 157](bxi.md)). Algorithm 2 as printed gives the shares of the scheme without deficits: it reloads without the deficit and never clears "
        f"one ([bxi-051 to 054](bxi.md)). Two lines mended, the tables get what they ask for to {best:.1f} points on 512 hosts, but for one: the plain table of *2powers* with k = 1024 costs SL 0, whose turn is of {turn:,} flits, "
        f"{plain:.1f} points in a window of 1 ms behind 200 us and {few:.1f} in one of 200 us behind 40, which the paper does not give either; with shorter turns, or spread, it gets its share to {mended:.1f} ([bxi-257](bxi.md))."
    )


@paper.finding(5)
def _():
    tables = SEARCH[1:]
    low, least = min(dips("rr")), min(min(dips(name)) for name in ("fair.basic", "step.basic", "2powers.basic"))
    printed = [TABLE_9[tuple(name.replace("deficit", "deficits").split("."))][0][1] for name in tables]
    gains = {stand_in: [saved(one.runs, name).mean for name in tables] for stand_in, one in stand_ins().items()}
    w2, long, w2_near, long_near = gains.values()
    near_rr = stand_ins(True)
    tails = [
        max(RR[4] / (one.runs["rr"].mean("p99") / 1e6), one.runs["rr"].mean("p99") / 1e6 / RR[4])
        for one in near_rr.values()
    ]
    factors = [
        max(RR[n] / (one.runs["rr"].mean(part) / 1e6), one.runs["rr"].mean(part) / 1e6 / RR[n])
        for one in near_rr.values()
        for n, part in ((2, "p75"), (3, "p90"))
    ]
    holds(
        low < 0.5
        and least > 0.8
        and all(abs(gain - cell) <= 8 for gain, cell in zip(long, printed))
        and not any(all(abs(gain - cell) <= 8 for gain, cell in zip(found, printed)) for found in (w2, w2_near, long_near))
        and max(factors) <= 1.5 < max(tails)
        and max(long_near[2:]) - min(long_near[2:]) < 0.5
        and LONG.size() == ENDINGS.size() == CALIBRATED.size() == "full",
        "bursts and Table 9",
    )
    return (
        f"**Without QoS a burst to one host stops everybody**: under round robin bursts of 8 MiB take search traffic down to {100 * low:.0f} % of what it had, with any of the three tables to no less than {100 * least:.0f} % "
        f"([bxi-020, 198](bxi.md)). What tables save of the paper's application's time cannot be told: its messages, load and volume are not published, and stand-ins differ by more than tables do. Table 9 has {min(printed):.0f} to {max(printed):.0f} %; the Homa paper's short messages, sent as fast as may be, save "
        f"{min(w2):.0f} % or more, messages of 4,224 bytes, a length chosen by one of the six cells, {min(long):.0f} to {max(long):.0f}, each of the six within 8 points, but under round robin they end after {LONG['rr'].mean('end_us') / 1000:.1f} ms instead of {RR[0]}. With load and number of messages chosen by round robin's end and median, on 16 hosts, "
        f"the short ones save {min(w2_near):.0f} % with any table and those of 4,224 bytes {min(long_near):.0f} to {max(long_near):.0f}, as much in *step* as in *2powers*; round robin's 75th and 90th percentile then come out within a factor of {max(factors):.2f} in either, the 99th in one of them, the other being off by {max(tails):.1f}. "
        "No stand-in has both round robin's times and the gains ([bxi-203 to 235](bxi.md))."
    )
