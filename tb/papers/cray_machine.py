"""What rows of the Cray paper share: the arbiter and the torus as the command is given them, routes counted, Table 5 as printed."""

import functools
from fractions import Fraction

import command as q
from rows import Paper

paper = Paper("cray", "Cray XT: age-based arbitration in the SeaStar router")
row = paper.row

ALL_AGE, ALL_RR = "0xffffffffffffffff", "0x0"


def seastar(ports=2, vcs=4, req=1, rsp=1, period=1000, select=ALL_AGE, variant="corrected", packet=9):
    def per_port(bias):
        return [bias] * ports if isinstance(bias, int) else list(bias)

    return {
        "policy": "seastar-age",
        "variant": variant,
        "queues": ports * vcs,
        "vcs": vcs,
        "max_packet_flits": packet,
        "req_age_bias": per_port(req),
        "rsp_age_bias": per_port(rsp),
        "age_clock_period": period,
        "age_rr_select": select,
    }


def random_log(rng, queues, cycles, rate=0.3):
    events = []
    for cycle in range(cycles):
        events += [
            q.arrive(queue, rng.randint(1, 9), cycle, rng.randint(0, 255))
            for queue in queues
            if rng.random() < rate / len(queues) * 2
        ]
        events += q.arbs(1, cycle)
    return events


def by_procedure_2(field, in_epoch, timestamp, epoch):
    """The new age, in the corrected variant."""
    total = field + 256 * (in_epoch != epoch) + timestamp
    return 255 if total & 256 or (total & 512 and not field & 256) else total % 256


def merged(streams, slots):
    """What leaves a round-robin port whose queues always have a packet; streams[q] is an iterator of tags."""
    order = q.winners(
        {"policy": "rr", "queues": len(streams), "max_packet_flits": 1}, q.backlog([1] * len(streams), slots)
    )
    return [next(streams[queue]) for queue in order]


def torus(*radices, kind="torus", **keys):
    return q.plan("seastar-age", dimensions=[{"radix": k, "kind": kind} for k in radices], **keys)


@functools.cache
def machine():
    return torus(11, 12, 16)


def of(plan, key):
    return [dimension[key] for dimension in plan["dimensions"]]


# Routes in dimension order are counted one dimension at a time.
def ring(k, source, to):
    """Steps (+1, -1) of a shortest way round; both with half the weight when it is a tie."""
    forward = (to - source) % k
    if 2 * forward == k:
        return [(1, Fraction(1, 2)), (-1, Fraction(1, 2))], forward
    return ([(1, Fraction(1))], forward) if 2 * forward < k else ([(-1, Fraction(1))], k - forward)


def ring_hops(k):
    return sum(Fraction(ring(k, 0, to)[1], k) for to in range(k))


# Table 5: stalls of +y, +x, +z, -z, -x, -y; queueing in x, y, z; latency in ns.
TABLE_5 = {
    "RR": ((18.6, 43.0, 13.2, 12.7, 43.1, 19.2), (737, 227, 169), 7301),
    "4/1,1,1": ((20.0, 36.9, 11.7, 11.2, 37.0, 19.9), (607, 246, 153), 6585),
    "4/3,2,1": ((17.4, 31.4, 11.7, 11.5, 31.6, 17.8), (421, 247, 189), 5844),
    "8/1,1,1": ((21.4, 44.1, 13.2, 13.0, 44.1, 20.5), (611, 255, 167), 6771),
    "8/3,2,1": ((15.8, 24.6, 11.6, 11.4, 24.7, 15.7), (357, 209, 156), 5007),
    "16/1,1,1": ((24.7, 41.2, 14.5, 14.3, 41.5, 24.6), (554, 322, 240), 7443),
    "16/3,2,1": ((17.2, 30.5, 10.9, 10.8, 30.6, 17.1), (378, 217, 148), 5101),
}
