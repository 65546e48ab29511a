"""Rows of the Cray paper's Sect. 4 that its own numbers decide (Tables 5 and 6), without a run."""

from cray_machine import TABLE_5, machine, row
from rows import agrees, differs, holds, near, not_testable, same


def stall(name):
    """Mean stalls of x, y, z in Table 5."""
    py, px, pz, mz, mx, my = TABLE_5[name][0]
    return (px + mx) / 2, (py + my) / 2, (pz + mz) / 2


def variance(values):
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / len(values)


@row("cray-179", "the best configuration has the least latency and the highest throughput")
def _():
    best, other = "8/3,2,1", "16/3,2,1"
    same(min(TABLE_5, key=lambda n: TABLE_5[n][2]), best, "latency")
    rates = {name: [9 / (9 + waits) * 4.8 for waits in stall(name)] for name in TABLE_5}
    most = [max(rates, key=lambda name: rates[name][dim]) for dim in range(3)]
    same(min(TABLE_5, key=lambda n: TABLE_5[n][1][2]), most[2], "Qz")

    def told(name):
        return f"{name} {TABLE_5[name][2]} ns, {'/'.join(f'{rate:.2f}' for rate in rates[name])} GB/s in x/y/z"

    note = "the paper's own Table 5 and its own figure of throughput, z's 9 / (9 + S) x 4.8 (cray-193), for all three dimensions"
    if most == [best] * 3:
        return agrees(told(best), note)
    same(most, [best, best, other], "most in x, y, z")
    return differs(
        f"{told(best)}; {told(other)}",
        f"{note}: the best one has the least latency, but z, of which the paper speaks, carries most at {other}, where Qz is least, too; of x and y, the one change, it carries most as well",
    )


@row("cray-183", "age is always better than round robin")
def _():
    holds(TABLE_5["16/1,1,1"][2] > TABLE_5["RR"][2], "latency")
    worse = sum(a > b for a, b in zip(TABLE_5["8/1,1,1"][0], TABLE_5["RR"][0], strict=True))
    same(worse, 5, "directions in which 8/1,1,1 stalls more")
    holds(
        all(TABLE_5[f"{period}/3,2,1"][2] < TABLE_5["RR"][2] for period in (4, 8, 16)), "biases 3, 2, 1: less latency"
    )
    return differs(
        "16/1,1,1: 7443 > 7301 ns; 8/1,1,1 stalls more in 5 of 6 directions",
        "the paper's own Table 5; with biases 3, 2, 1, the one change, all three periods gain",
    )


@row("cray-188", "16 against 8 with 3, 2, 1")
def _():
    same(TABLE_5["16/3,2,1"][2] - TABLE_5["8/3,2,1"][2], 94, "ns")
    return agrees("5101 - 5007 = 94 ns", "Table 5")


@row("cray-191", "z ejects a packet every 11.5 clocks")
def _():
    waits = stall("8/3,2,1")[2]
    near(waits, 11.5, 1e-9, "stall of z")
    near(9 / (9 + waits), 0.44, 0.005, "utilization")
    return differs(
        f"every {9 + waits:.1f}",
        f"Table 5's own numbers: {waits:.1f} is the stall of 8/3,2,1 in z; with the nine cycles of the packet added, the one change, it is {9 + waits:.1f}, and 9 / {9 + waits:.1f} = {9 / (9 + waits):.2f} as printed",
    )


@row("cray-192", "utilization of z")
def _():
    part = 9 / (9 + stall("8/3,2,1")[2])
    near(part, 0.4390, 0.0001, "utilization")
    return agrees("9 / (9 + 11.5) = 0.439", "Table 5")


@row("cray-193", "bandwidth of z, about E_p, as Eq. 14 predicts")
def _():
    rates = {name: 9 / (9 + stall(name)[2]) * 4.8 for name in ("RR", "8/3,2,1")}
    near(rates["8/3,2,1"], 2.107, 0.001, "GB/s")
    nodes = {name: rate / machine()["dimensions"][2]["channel_load"] for name, rate in rates.items()}
    near(nodes["8/3,2,1"], 1.05, 0.005, "GB/s a node")
    return differs(
        f"0.439 x 4.8 = {rates['8/3,2,1']:.3f} GB/s of a channel, {nodes['8/3,2,1']:.2f} of a node",
        "the paper's own numbers: the product is right, but a channel's rate, and E_p and Eq. 14, whose 4.8 x 8 / k is a channel's rate over its load k / 8, are of a node. Over z's load of 2, the one change, "
        f"a node ejects {nodes['8/3,2,1']:.2f} GB/s, half of E_p. That a channel's rate is near 2 says nothing of E_p: round robin's is {rates['RR']:.2f}",
    )


@row("cray-195", "the variance of occupancy comes down")
def _():
    found = {name: variance(TABLE_5[name][0]) for name in TABLE_5}
    near(list(found.values()), [169.5, 112.4, 69.5, 173.2, 30.0, 123.4, 67.5], 0.06, "variances")
    same([name for name in found if found[name] > found["RR"]], ["8/1,1,1"], "up")
    same(min(found, key=found.get), "8/3,2,1", "least")
    return differs(
        "169.5 under RR; 112.4, 69.5, 173.2, 30.0, 123.4, 67.5",
        "the paper's own Table 5, over the six directions: down in 5 of 6, up at 8/1,1,1; with biases 3, 2, 1, the one "
        "change, always down, most at 8/3,2,1, of which the text has just spoken",
    )


@row("cray-196", "reduction of latency")
def _():
    saved = TABLE_5["RR"][2] - TABLE_5["8/3,2,1"][2]
    same((saved, round(100 * saved / TABLE_5["RR"][2], 1)), (2294, 31.4), "ns and percent")
    return agrees("2294 ns, 31.4 %", "Table 5")


@row("cray-197", "what 2.3 us and 31 % compare")
def _():
    near(TABLE_5["RR"][2] - TABLE_5["8/3,2,1"][2], 2300, 10, "ns")
    return differs(
        "round robin and 8/3,2,1",
        "Table 5's own numbers: 7301 - 5007 ns are round robin's and the best row's; the text names the default clock and biases, which have no row; "
        "with round robin in its place, the one change, 2.3 us and 31 % are right",
    )


@row("cray-198", "conditions of the measurement")
def _():
    return not_testable("production jobs over days: not repeatable")


@row("cray-201", "gain of MPI_Alltoall")
def _():
    gain = round(100 * (194 / 142 - 1), 2)
    same(gain, 36.62, "percent")
    return differs("36.62 %", "the table's 36.6 is 194 / 142, the text's 36.3 is not: the paper's own numbers")


@row("cray-208", "number of figures")
def _():
    return not_testable(
        "typography: Fig. 5's caption is lost in the text at hand, and nothing refers to a sixth figure"
    )
