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
RULER = [(place & -place).bit_length() - 1 for place in range(1, 32)]  # the queue of each entry, spread
SIZE_MIX = ",".join(map(str, SIZES))
K = 1024  # flits of weight 1, as Table 2 has it
ROUND_ROBIN = {"policy": "rr", "queues": 5, "max_packet_flits": 80}


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


def plain(name, k=K):
    return [(queue, weight * k) for queue, weight in enumerate(WEIGHTS[name])]


def spread(name, k=K):
    return [(queue, WEIGHTS[name][queue] * k // ENTRIES[queue]) for queue in RULER]


def due(name):
    return [Fraction(weight, sum(WEIGHTS[name])) for weight in WEIGHTS[name]]


def exact_shares(config, packets, decisions=1048576):
    report = q.analyze(config, "--packets", packets, "--max-decisions", decisions, "--runs", 1000)
    return [queue["share"] for queue in report["queues"]]


@functools.cache
def planned(weights, packet=80, entries=31):
    """The service levels of these weights, a tuple, as `plan bxi` has them."""
    return q.plan(
        "bxi",
        max_packet_flits=packet,
        max_entries=entries,
        service_levels=[{"queue": s, "share": w} for s, w in enumerate(weights)],
    )["service_levels"]


def of(name, key, packet=80):
    return [level[key] for level in planned(tuple(WEIGHTS[name]), packet)]
