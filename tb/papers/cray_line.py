"""Rows of the Cray paper's unfairness of round robin (Sect. 2, Eq. 3, Fig. 4): a line and a ring of which all nodes send to the last one."""

import functools
import itertools
from fractions import Fraction

import command as q
import cray_networks as nets
from cray_machine import merged, ring, row
from cray_networks import LINE, LINES, shares
from rows import agrees, decided, differs, holds, not_testable, same


@functools.cache
def line(nodes, slots):
    """Sources of successive packets at the sink of a line of `nodes`, round robin, all backlogged."""
    sources = nodes - 1
    stream = itertools.repeat(0)
    for source in range(1, sources):
        needed = (slots >> (sources - 1 - source)) + 2
        stream = iter(merged([stream, itertools.repeat(source)], needed))
    return list(itertools.islice(stream, slots))


def line_shares(nodes):
    period = 2 ** (nodes - 2)
    order = line(nodes, 12 * period)[2 * period :]
    return [Fraction(order.count(source), len(order)) for source in range(nodes - 1)]


HALVES = [
    Fraction(1, 64),
    Fraction(1, 64),
    Fraction(1, 32),
    Fraction(1, 16),
    Fraction(1, 8),
    Fraction(1, 4),
    Fraction(1, 2),
]


def off_halves():
    """How far a share of the simulated line is from these at most, as a part of it."""
    off = max(abs(got / share - 1) for got, share in zip(shares("RR"), HALVES, strict=True))
    holds(off < 0.005, f"shares in the network are off by {off}")
    return off


def line_row(row_id, what, function, shown):
    @row(row_id, what)
    def _():
        shares = line_shares(8)
        same(shares, HALVES, "shares")
        function(shares)
        return agrees(
            shown,
            "decide rr, node after node: each port merges what the node before sent and its own source; the network of experiment lines, queues, wires and all, "
            f"has these shares to {100 * off_halves():.1f} %",
        )


line_row(
    "cray-33",
    "bandwidth falls geometrically with distance",
    lambda s: same([s[i] / s[i + 1] for i in range(1, 6)], [Fraction(1, 2)] * 5),
    "ratio 1/2 from node to node, P1 = P0",
)
line_row("cray-34", "share of P6", lambda s: same(s[6], Fraction(1, 2)), "1/2")
line_row("cray-35", "share of P5", lambda s: same(s[5], Fraction(1, 4)), "1/4")
line_row(
    "cray-36",
    "shares of P4, P3, P2",
    lambda s: same(s[4:1:-1], [Fraction(1, 8), Fraction(1, 16), Fraction(1, 32)]),
    "1/8, 1/16, 1/32",
)
line_row("cray-37", "shares of P1 and P0", lambda s: same(sum(s), 1), "1/64 each; all add to 1")
line_row("cray-38", "ratio of nearest to farthest", lambda s: same(s[6] / s[0], 32), "32")


@row("cray-39", "how often P7 receives from P6 and P5")
def _():
    order = line(8, 768)[128:]
    for source, gap in ((6, 2), (5, 4)):
        places = [i for i, s in enumerate(order) if s == source]
        same({b - a for a, b in itertools.pairwise(places)}, {gap}, f"gaps of P{source}")
    return agrees("every 2nd and every 4th slot, always", "decide rr, node after node")


@row("cray-40", "Eq. 3: worst case over H hops")
def _():
    shares = line_shares(8)
    same([shares[7 - h] for h in range(1, 7)], [Fraction(1, 2**h) for h in range(1, 7)], "(1/2)^H for H = 1 to 6")
    order = line(8, 768)[128:]
    for h in range(1, 7):
        places = [i for i, source in enumerate(order) if source == 7 - h]
        same({b - a for a, b in itertools.pairwise(places)}, {2**h}, f"slots between packets from {h} hops away")
    return differs(
        "a share of (1/2)^H",
        "L / (2n)^H falls with H, so it is a part of the bandwidth, not a time; inverted, L (2n)^H, the one change, it is the time that L packets take: "
        "the sources of the line, 1 to 6 hops away, have a packet through every 2, 4, 8, 16, 32, 64 slots, always (decide rr)",
    )


@row("cray-41", "share of P0, seven hops away")
def _():
    shares = line_shares(8)
    same(shares[0], Fraction(1, 64), "P0")
    same(line_shares(9)[1], Fraction(1, 128), "P0 with another source behind it")
    return differs(
        "1/64, not 1/128",
        "Eq. 3 with H = 7 gives 1/128, the text 1/64: the farthest source meets no merge at its own router, so the exponent is H - 1; "
        "with another source behind it, the one change, P0 has 1/128 (decide rr)",
    )


def deviation(point):
    """Standard deviation of the latency between sources, us, in a run from cycle 0 on with all packets."""
    scenario = nets.lines()[point]
    nodes = scenario["network"]["topology"]["dims"][0]
    (everything,) = scenario["traffic"]
    scenario["traffic"] = [{**everything, "name": f"P{source}", "hosts": [source]} for source in range(nodes - 1)]
    classes = [item for item in q.sim(scenario)["classes"] if item["packets"]]
    packets = sum(item["packets"] for item in classes)
    mean = sum(item["packets"] * item["network_latency_ns"]["mean"] for item in classes) / packets
    return (
        sum(item["packets"] * (item["network_latency_ns"]["mean"] - mean) ** 2 for item in classes) / packets
    ) ** 0.5 / 1000


@row("cray-43", "larger diameter, larger variance")
def _():
    points = ("RR, 4 nodes", "RR", "RR, 12 nodes")
    spread = [max(shares(point)) / min(shares(point)) for point in points]
    tails = [
        [LINES[f"{point}, all packets"][f"latency.{what}"].mean / 1000 for point in points] for what in ("p99", "max")
    ]
    around = [deviation(f"{point}, all packets") for point in points]
    ratios = [max(found) / min(found) for found in map(line_shares, (4, 8, 16))]
    same(ratios, [2, 32, 8192], "largest over least share by decide")
    return decided(
        all(values == sorted(values) for values in (spread, around, *tails)),
        "standard deviation of the latency between sources on 4, 8, 12 nodes: "
        + ", ".join(f"{d:.1f}" for d in around)
        + " us; 99th percentile "
        + ", ".join(f"{p:.0f}" for p in tails[0])
        + ", longest "
        + ", ".join(f"{m:.0f}" for m in tails[1])
        + " us; largest over least share "
        + ", ".join(f"{s:.1f}" for s in spread)
        + f"; {', '.join(f'{ratio:,}' for ratio in map(int, ratios))} on 4, 8, 16",
        f"{LINE}, RR, and sim (seed 1) of the same lines source by source. Proposed were 16 nodes instead of 12, of which packets take millions of cycles: their shares alone are decided (decide rr, node after node)",
    )


def ring_shares(p3):
    """Shares of P0..P6 on the 8-node ring; P3 (a tie) goes '+', '-' or to both in turn."""

    def branch(sources, slots):
        stream = itertools.repeat(sources[0])
        for i, source in enumerate(sources[1:], 1):
            stream = iter(merged([stream, itertools.repeat(source)], (slots >> (len(sources) - 1 - i)) + 2))
        return stream

    slots = 640
    plus = ([3] if p3 in "+both" else []) + [4, 5, 6]
    minus = ([3] if p3 in ("-", "both") else []) + [2, 1, 0]
    order = merged([branch(plus, slots), branch(minus, slots)], slots)[64:]
    return [Fraction(order.count(source), len(order)) for source in range(7)]


@row("cray-44", "a torus suffers less than a mesh")
def _():
    for p3 in ("+", "-", "both"):
        shares = ring_shares(p3)
        same(max(shares) / min(shares), 4, f"P3 {p3}")
    line_ = line_shares(8)
    same(max(line_) / min(line_), 32, "line")
    same(
        [max(hops) for hops in zip(*((ring(8, 7, node)[1], 7 - node) for node in range(8)), strict=True)], [4, 7], "most hops to P7"
    )
    return agrees(
        "largest over least share 4 on the ring, 32 on the line; the farthest is 4 and 7 hops away",
        "decide rr, node after node; whatever P3 does",
    )


@row("cray-45", "shares on the ring")
def _():
    found = {p3: ring_shares(p3) for p3 in ("+", "-", "both")}
    return not_testable(
        "the picture is lost and no number is in the text; decide rr gives P0..P6, P3 going +: "
        + " ".join(map(str, found["+"]))
        + ", -: "
        + " ".join(map(str, found["-"]))
        + ", both ways: "
        + " ".join(map(str, found["both"]))
    )


@row("cray-46", "other work on the effect")
def _():
    return not_testable("a citation, nothing to check")


@row("cray-d6", "ring under round robin, three choices for P3")
def _():
    expected = {
        "+": "1/4 1/8 1/8 1/16 1/16 1/8 1/4",
        "-": "1/4 1/8 1/16 1/16 1/8 1/8 1/4",
        "both": "1/4 1/8 1/16 1/8 1/16 1/8 1/4",
    }
    for p3, wanted in expected.items():
        same(ring_shares(p3), [Fraction(s) for s in wanted.split()], f"P3 {p3}")
    return agrees(
        "; ".join(f"P3 {p3}: {wanted}" for p3, wanted in expected.items()), "decide rr, node after node, P0 to P6"
    )


@row("cray-d11", "line of 8 sources under round robin")
def _():
    shares = line_shares(9)
    same(shares, [Fraction(1, 128)] * 2 + [Fraction(1, 2 ** (7 - i)) for i in range(1, 7)], "shares")
    return agrees("1/2 ... 1/128, 1/128", "decide rr, node after node")
