"""The dragonfly paper's network (Sect. IV-B), of 144 nodes and of 8,320: its scenario, where jobs stand, what experiments read of a run."""

import math
import random

# --quick: as many terminal, local and global links in proportion, one link between any two groups.
NETWORK = {
    "quick": {"groups": 9, "switches": 4, "hosts_per_switch": 4, "global_links": 2},
    "full": {"groups": 65, "switches": 16, "hosts_per_switch": 8, "global_links": 4},
}
CYCLE_NS = 1.28  # a flit of 32 bytes at 25 GB/s
CHANNELS = {"minimal": 2, "adaptive": 4}
# Adaptive routing diverts where this much more waits, in flits: 1,024 bytes. The paper gives no threshold.
DIVERT_ABOVE = 32


def hosts(size):
    shape = NETWORK[size]
    return shape["groups"] * shape["switches"] * shape["hosts_per_switch"]


def classes(rates, bursts=None):
    """Bursts of four packets unless said; all in packets of five flits."""
    size = {} if bursts is None else {"assured_burst": bursts, "peak_burst": bursts}
    return {
        "policy": "trtcm",
        "queues": len(rates),
        "max_packet_flits": 5,
        "classes": [
            {"priority": priority, "assured_rate": assured / 100, "peak_rate": peak / 100, **size}
            for priority, (assured, peak) in enumerate(rates)
        ],
    }


ONE_CLASS = {"policy": "rr", "queues": 1, "max_packet_flits": 5}


def network(size, arbiter, traffic, run, routing="adaptive", congestion="own-class", above=DIVERT_ABOVE, buffers=512):
    """Sect. IV-B. Flits of 32 bytes; a router of 300 ns before its arbitration; buffers of 16 KiB."""
    above = above if routing == "adaptive" else 0  # no other routing diverts
    topology = {"kind": "dragonfly", "congestion": congestion, "divert_above_flits": above, **NETWORK[size]}
    return {
        "arbiter": arbiter,
        "network": {
            "topology": topology,
            "routing": routing,
            "channels_per_queue": CHANNELS[routing],
            "flit_bytes": 32,
            "link": {"gbps": 200, "delay_ns": 10},
            "global_link": {"delay_ns": 100},
            "switch": {
                "architecture": "input-queued",
                "input_queue_flits": buffers,
                "flow_control": "credit",
                "pipeline": {"input": 230, "crossbar": 2, "output": 2},
            },
        },
        "traffic": traffic,
        "run": run,
    }


def placed(size, sizes, placement=1):
    """Hosts of jobs of these sizes, at random."""
    free = list(range(hosts(size)))
    if placement is not None:
        random.Random(placement).shuffle(free)
    jobs = []
    for count in sizes:
        jobs.append(sorted(free[:count]))
        free = free[count:]
    return jobs


def uniform(name, queue, ranks, load, **keys):
    return {
        "name": name,
        "queue": queue,
        "pattern": "uniform",
        "destinations": "senders",
        "hosts": ranks,
        "load": load,
        "message_bytes": 640,
        **keys,
    }


def global_port(size, name):
    """True for a port of a switch that a global link leaves by."""
    shape = NETWORK[size]
    place, _, port = name.partition(".port")
    return place.startswith("switch") and int(port) >= shape["hosts_per_switch"] + shape["switches"] - 1


def series_of(tables):
    """By class: what it got, slice by slice."""
    found = {}
    for line in tables["series"]:
        found.setdefault(line["class"], []).append(float(line["got"] or 0))
    return found


def ends_of(tables):
    ends = []
    for line in tables["series"]:
        if not ends or float(line["end_ns"]) != ends[-1]:
            ends.append(float(line["end_ns"]))
    return [end / 1000 for end in ends]


def stalls_of(report):
    """`stalls.COLOUR.CLASS` at switches, and all of a class."""
    kept = {}
    for colour in ("green", "yellow", "red"):
        for number, value in enumerate(report.get("counters", {}).get("switches", {}).get(f"{colour}_stalls", [])):
            kept[f"stalls.{colour}.{number}"] = value
    return kept


def counted(tables, colour, number):
    """Stalls of this colour that a class has at switches, slice by slice; empty if it is not counted."""
    return [
        float(line["value"])
        for line in tables["counter-series"]
        if line["counter"] == f"{colour}_stalls" and int(line["of"]) == number
    ]


def stall_series(tables):
    """The same of all as `series.COLOUR.CLASS`."""
    found = {
        f"series.{colour}.{number}": counted(tables, colour, number)
        for colour in ("green", "yellow", "red")
        for number in range(4)
    }
    return {name: values for name, values in found.items() if values}


def longest_of(item):
    """By name: the median over a class's hosts of the longest packet of each, ns."""
    over = item["over_hosts"].get("longest_packet_latency_ns")
    return {f"{item['name']}.longest.median": over["median"]} if over else {}


SLICE_US = 512 * CYCLE_NS / 1000  # of a series of 64 us and more


def slice_of(end):
    """End of the slice of this length that has the slice with this end, of a shorter run, which has shorter slices: whole numbers of them make one of these."""
    return SLICE_US * math.ceil(end / SLICE_US - 0.001)
