"""Small networks of the Cray paper's routers, which rows run themselves."""

import csv
import functools
import pathlib
import tempfile

import command as q
import cray_networks as nets
from rows import holds, same


def network(dims, traffic, run, kind="torus", arbiter=None, **keys):
    topology = {"kind": kind, "dims": dims, "hosts_per_switch": 1, **({"ties": "split"} if kind == "torus" else {})}
    routing = {"routing": "dateline"} if kind == "torus" else {}
    return nets.network(topology, arbiter or nets.round_robin(1 + 2 * len(dims)), traffic, run, **routing, **keys)


def one(source, to, flits=9):
    return [
        {
            "name": "one",
            "queue": 0,
            "pattern": "hot-spot",
            "to": to,
            "hosts": [source],
            "message_bytes": 8 * flits,
            "burst": {"bytes": 8 * flits, "period_us": 1000},
        }
    ]


def with_tables(scenario, *tables):
    with tempfile.TemporaryDirectory() as directory:
        report = q.sim(scenario, "--csv", directory)
        found = {}
        for table in tables:
            with open(pathlib.Path(directory) / f"{table}.csv", newline="") as file:
                found[table] = list(csv.DictReader(file))
    return report, found


def idle_latency(dims, source, to, kind="torus", flits=9):
    """Cycles."""
    report = q.sim(network(dims, one(source, to, flits), {"warmup_us": 0, "measure_us": 5}, kind))
    return report["classes"][0]["network_latency_ns"]["mean"] / nets.CYCLE_NS


@functools.cache
def groups_by_first_bias():
    """Of a packet over 30 idle routers, without ticks: its ages and the counters, by the bias of the first router; the others add 7."""
    found = {}
    for first in range(4):
        arbiter = nets.age(3, 2**20, [first, 7, 7])
        report = q.sim(network([30], one(0, 29), {"warmup_us": 0, "measure_us": 5}, "mesh", arbiter=arbiter))
        ages = [first + 7 * router for router in range(30)]
        counted = report["counters"]["switches"]["age_group"]
        same(counted, [sum(age // 64 == group for age in ages) for group in range(4)], "grants by age")
        found[first] = ages, counted
    seen = {age for ages, _ in found.values() for age in ages}
    holds({63, 64, 127, 128, 191, 192} <= seen, "both sides of each boundary")
    return found
