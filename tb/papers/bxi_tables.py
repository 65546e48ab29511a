"""The BXIv3 paper's arbitration tables: messages, weights and loads of fair, step and 2powers (Tables 2 and 5 to 7), plain and spread."""

import functools
from fractions import Fraction

import command as q
from rows import Paper

paper = Paper("bxi", "BXIv3: arbitration tables and deficits")
row = paper.row
SIZES = [16, 32, 48, 64, 80]  # messages of 1 to 5 KiB in flits of 64 bytes
ENTRIES = [16, 8, 4, 2, 1]
WEIGHTS = {"fair": [1, 1, 1, 1, 1], "step": [5, 4, 3, 2, 1], "2powers": [16, 8, 4, 2, 1]}
LOADS = {"fair": [20, 20, 20, 20, 20], "step": [35, 28, 21, 15, 8], "2powers": [64, 32, 16, 8, 4]}
K = 1024


def table(entries, packet, policy="bxi-deficit", scale=1, variant="corrected", queues=None, strict=True):
    return {
        "policy": policy,
        "variant": variant,
        "queues": queues or 1 + max(queue for queue, _ in entries),
        "max_packet_flits": packet,
        "quantum_scale": scale,
        "strict": strict,
        "table": [{"queue": queue, "weight": weight} for queue, weight in entries],
    }


RULER = [(place & -place).bit_length() - 1 for place in range(1, 32)]


def plain(name, scale=K):
    return [(queue, weight * scale) for queue, weight in enumerate(WEIGHTS[name])]


def spread(name, scale=K):
    return [(queue, WEIGHTS[name][queue] * scale // ENTRIES[queue]) for queue in RULER]


def due(name):
    return [Fraction(weight, sum(WEIGHTS[name])) for weight in WEIGHTS[name]]


def exact_shares(config, packets, decisions=1048576):
    report = q.analyze(config, "--packets", packets, "--max-decisions", decisions, "--runs", 1000)
    return [queue["share"] for queue in report["queues"]]


SIZE_MIX = ",".join(map(str, SIZES))


@functools.cache
def planned(name, packet=80, entries=31):
    return q.plan(
        "bxi",
        max_packet_flits=packet,
        max_entries=entries,
        service_levels=[{"queue": s, "share": w} for s, w in enumerate(WEIGHTS[name])],
    )["service_levels"]


def of(name, key, packet=80):
    return [level[key] for level in planned(name, packet)]
