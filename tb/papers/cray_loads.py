"""Rows of the Cray paper's hops and channel loads (Sects. 2, 2.3 and 3.1, Eqs. 4 to 16), planned, counted and, in places, simulated."""

import functools
from fractions import Fraction

import cray_networks as nets
from cray_machine import machine, of, paper, ring, ring_hops, row, torus
from cray_small import network, with_tables
from rows import agrees, decided, differs, holds, near, same


@functools.cache
def ring_loads(k):
    """Load of each channel (node, direction) when each node sends one packet to a uniform destination."""
    loads = {(node, step): Fraction(0) for node in range(k) for step in (1, -1)}
    for source in range(k):
        for to in range(k):
            ways, hops = ring(k, source, to)
            for step, weight in ways:
                for i in range(hops):
                    loads[(source + step * i) % k, step] += weight / k
    return loads


@functools.cache
def line_loads(k):
    loads = {(node, step): Fraction(0) for node in range(k) for step in (1, -1)}
    for source in range(k):
        for to in range(k):
            step = 1 if to > source else -1
            for node in range(source, to, step):
                loads[node, step] += Fraction(1, k)
    return loads


def line_hops(k):
    return sum(Fraction(abs(a - b), k * k) for a in range(k) for b in range(k))


@row("cray-47", "Eq. 4: mean hops of a torus")
def _():
    for k in (8, 12, 16):
        same(Fraction(torus(k)["dimensions"][0]["average_hops_exact"]), ring_hops(k), f"k = {k}")
        same(ring_hops(k), Fraction(k, 4), f"k = {k}")
    near(float(ring_hops(8) * 8 / 7), 2.286, 0.0005, "without self")
    same(sum(Fraction(h) for h in of(torus(8, 8, 8), "average_hops_exact")), 3 * ring_hops(8), "8 x 8 x 8")
    return agrees(
        f"k / 4: 2, 3, 4 for k = 8, 12, 16; n k / 4 = {3 * ring_hops(8)} for 8 x 8 x 8",
        "plan seastar-age and counted routes; destinations include the sender, else 16/7 for k = 8",
    )


@functools.cache
def uniform_hops():
    """On the machine's torus: hops a packet makes in +x, -x, +y, -y, +z, -z, and how many packets there were."""
    traffic = [{**nets.uniform(0.1)[0], "messages": 60}]
    report, tables = with_tables(network([11, 12, 16], traffic, {"warmup_us": 0, "measure_us": 20}), "counters")
    came = [0] * 7
    for line in tables["counters"]:
        switch, _, port = line["port"].partition(".port")
        if switch.startswith("switch") and line["counter"] == "input_packets":
            came[int(port)] += int(line["value"])
    same((came[0], report["flits_delivered"]), (2112 * 60, 2112 * 60 * 9), "packets and flits")
    return [came[port] / came[0] for port in (2, 1, 4, 3, 6, 5)], came[
        0
    ]  # who goes up comes in by the port that faces down


@row("cray-48", "Eq. 5: mean hops of a mixed torus")
def _():
    planned = sum(Fraction(h) for h in of(machine(), "average_hops_exact"))
    same(float(planned), 9.75, "planned")
    counted = sum(map(ring_hops, nets.MACHINE["full"]))
    near(float(counted), 9.727, 0.0005, "counted")
    same(sum(map(ring_hops, (12, 12, 16))), Fraction(12 + 12 + 16, 4), "with 12 in the place of 11")
    hops, packets = uniform_hops()
    near(sum(hops) / float(counted * 2112 / 2111), 1, 0.005, "hops of simulated packets")
    return differs(
        f"9.75 by the formula, {float(counted):.3f} counted",
        "odd rings have (k^2 - 1) / 4k, so 2.727 for 11 instead of 2.75; with 12 instead of 11, the one change, it is exact (plan, and all routes counted). "
        f"{packets:,} uniform packets on the machine (sim) make {sum(hops):.3f} hops, by count {float(counted * 2112 / 2111):.3f} without those to oneself",
    )


@row("cray-49", "Eq. 6: mean hops of a mesh")
def _():
    same(Fraction(torus(8, kind="mesh")["dimensions"][0]["average_hops_exact"]), 3, "planned")
    same(line_hops(8) * 8 / 7, 3, "8-ary line, without self")
    same(2 * line_hops(8), Fraction(21, 4), "8 x 8, counted")
    near(float(2 * line_hops(8) * 64 / 63), 5.333, 0.0005, "8 x 8, without self")
    return differs(
        "8 x 8: 5.25 counted, 6 by the formula",
        "n (k + 1) / 3 holds for one dimension with the sender excluded (3 for k = 8, plan and counted); in two "
        "dimensions, the one change, 5.25 with and 5.33 without the sender",
    )


@row("cray-50", "Eq. 7: mean hops of a mixed mesh")
def _():
    planned = sum(Fraction(h) for h in of(torus(11, 12, 16, kind="mesh"), "average_hops_exact"))
    same(planned, 14, "planned")
    counted = line_hops(11) + line_hops(12) + line_hops(16)
    near(float(counted), 12.921, 0.0005, "counted")
    same(
        sum(line_hops(k) * k / (k - 1) for k in (11, 12, 16)),
        14,
        "counted, without the sender's ordinate in each dimension",
    )
    return differs(
        "14 by the formula, 12.921 counted",
        "(k + 1) / 3 excludes the sender's ordinate in each dimension by itself, so that every packet moves in all three: with that, the one change, 14 is counted. "
        "Over all routes, sender included, as Eqs. 4 and 5 have it, a dimension has (k^2 - 1) / 3k",
    )


@row("cray-51", "channel load: traversals when each node sends one packet")
def _():
    loads = ring_loads(8)
    same(sum(loads.values()), 8 * ring_hops(8), "traversals")
    same(set(loads.values()), {Fraction(1)}, "each channel")
    return agrees("8-ary ring: 16 traversals over 16 channels", "all routes counted")


@row("cray-52", "Eq. 8: channel load of a torus")
def _():
    for k, load in ((8, 1), (12, Fraction(3, 2)), (16, 2)):
        same(Fraction(torus(k)["dimensions"][0]["channel_load_exact"]), load, "planned")
        same(set(ring_loads(k).values()), {load}, "counted")
    counted = [float(ring_loads(k)[0, 1]) for k in (11, 12, 16)]
    near(counted, [1.364, 1.5, 2], 0.0005, "counted")
    hops, packets = uniform_hops()
    loads = [sum(hops[2 * dim : 2 * dim + 2]) / 2 * 2111 / 2112 for dim in range(3)]
    for load, expected in zip(loads, counted, strict=True):
        near(load / expected, 1, 0.01, "channel load")
    return differs(
        "k / 8 = 1, 1.5, 2 for k = 8, 12, 16, but 1.364 for the machine's 11, not 1.375",
        "odd rings have (k^2 - 1) / 8k, as in cray-48; for even radices, the one change, it is exact (plan, and every channel counted, ties split). "
        f"Of {packets:,} uniform packets on the machine (sim, times 2111 / 2112 for those to oneself) channels in x, y, z have "
        + "/".join(f"{load:.3f}" for load in loads),
    )


@row("cray-53", "Eq. 9: channel load of a mesh, called the average")
def _():
    loads = line_loads(8)
    same(Fraction(torus(8, kind="mesh")["dimensions"][0]["channel_load_exact"]), 2, "planned")
    same(max(loads.values()), 2, "largest")
    used = [load for load in loads.values() if load]
    same(sum(used) / len(used), Fraction(3, 2), "mean")
    near(float(max(line_loads(11).values())), 2.727, 0.0005, "k = 11")
    for k in (8, 12, 16):
        used = [load for load in line_loads(k).values() if load]
        same((max(used), sum(used) / len(used)), (Fraction(k, 4), Fraction(k + 1, 6)), f"largest and mean, k = {k}")
    return differs(
        "k = 8: 2.0 at the bisection, 1.5 on average",
        "the average over channels is (k + 1) / 6; of the largest, the one change, k / 4 is right for k = 8, 12, 16 (plan, counted), odd k have a little less, 2.727 and not 2.75 for 11",
    )


@row("cray-90", "16 x 12 x 8: load of x over z")
def _():
    loads = [Fraction(x) for x in of(torus(16, 12, 8), "channel_load_exact")]
    same(loads[0] / loads[2], 2, "ratio")
    return agrees("2 / 1 = 2", "plan seastar-age")


@row("cray-91", "biases suggested there: x 2, z 1")
def _():
    same(of(torus(16, 12, 8), "age_bias"), [3, 2, 1], "planned")
    loads = [Fraction(x) for x in of(machine(), "channel_load_exact")]
    holds(loads[0] < loads[1] < loads[2], "on 11 x 12 x 16 the rule by load would give x the least")
    here = [Fraction(x) for x in of(torus(16, 12, 8), "channel_load_exact")]
    same(here, [2, Fraction(3, 2), 1], "loads on 16 x 12 x 8")
    return agrees(
        f"x {float(here[0]):.0f}, z {float(here[2]):.0f}, as channel loads are {' : '.join(str(float(load)) for load in here)}",
        "arithmetic on the planned channel loads, the rule that the paper gives here. It has two: in Sect. 3.1 biases go by order of routing, which the planner follows, so it plans 3, 2, 1 and has no choice by load. "
        f"On the paper's own 11 x 12 x 16 loads are {' < '.join(str(float(load)) for load in loads)}, which by the rule of this row would turn its 3, 2, 1 around",
    )


@row("cray-92", "a mesh's links carry twice a torus's load")
def _():
    ratio = Fraction(torus(8, kind="mesh")["dimensions"][0]["channel_load_exact"]) / Fraction(
        torus(8)["dimensions"][0]["channel_load_exact"]
    )
    same(ratio, 2, "planned")
    most, mean = [], []
    for k in (8, 11):
        mesh, ring_ = [load for load in line_loads(k).values() if load], list(ring_loads(k).values())
        most.append(max(mesh) / max(ring_))
        mean.append(sum(mesh) / len(mesh) / (sum(ring_) / len(ring_)))
    same(most, [2, 2], "counted, of the largest")
    return decided(
        mean == [2, 2],
        f"{' and '.join(f'{float(part):.3g}' for part in mean)} on average for k = 8 and 11, {most[0]} of those in the middle",
        "routes counted",
        "not all links of a line are like those in the middle (cray-53); of these, the one change, it is right: plan seastar-age, (k/4) / (k/8)",
    )


def leaving():
    """Of all pairs of nodes of 11 x 12 x 16 those whose last hop is in x, y and z."""
    last = [0, 0, 0]
    for to in range(1, 2112):  # from node 0; a torus looks alike from everywhere
        ordinates = (to % 11, to // 11 % 12, to // 132)
        last[max(dim for dim in range(3) if ordinates[dim])] += 1
    return [Fraction(count, 2112) for count in last]


def probability(row_id, what, dimension, exact, shown):
    @row(row_id, what)
    def _():
        same(Fraction(machine()["dimensions"][dimension]["ejection_probability_exact"]), exact, "probability")
        same(leaving()[dimension], exact, "pairs of nodes whose last hop is in this dimension")
        return agrees(shown, "plan seastar-age, and the last hops of all pairs of nodes counted")


probability("cray-125", "Eq. 10: leaving from x", 0, Fraction(10, 2112), "10/2112 = 0.47348 %")
probability("cray-126", "Eq. 11: leaving from y", 1, Fraction(11, 192), "11/192 = 5.72917 %")


@row("cray-127", "Eq. 12: leaving from z")
def _():
    planned = Fraction(machine()["dimensions"][2]["ejection_probability_exact"])
    same(planned, 1 - Fraction(10, 2112) - Fraction(11, 192), "1 - Px - Py")
    direct = Fraction(15, 16)
    same(planned - direct, Fraction(1, 2112), "difference from (k - 1) / k")
    same(leaving(), [Fraction(10, 2112), Fraction(11, 192), direct], "counted")
    return agrees(
        "93.79735 %",
        "arithmetic, by plan seastar-age and by counting the pairs: "
        f"{100 * float(leaving()[2]):.5f} % of the pairs have their last hop in z, without traffic to oneself {100 * float(leaving()[2] * 2112 / 2111):.5f} %; the 1/2112 between is traffic to oneself, booked as z. "
        "No counter has where packets came from that leave, so no run shows it",
    )


@row("cray-128", "Eq. 13: both directions alike")
def _():
    found = [100 * float(Fraction(part)) for part in of(machine(), "port_ejection_probability_exact")]
    near(found, [0.23674, 2.86458, 46.89867], 0.000005, "percent")
    for k in (11, 12, 16):
        up, down = (sum(load for (_, way), load in ring_loads(k).items() if way == step) for step in (1, -1))
        same(up, down, f"k = {k}")
    hops, packets = uniform_hops()
    apart = [hops[2 * dim] / hops[2 * dim + 1] for dim in range(3)]
    near(apart[1:], [1, 1], 0.01, "hops up over hops down in y and z")
    near(apart[0], 1, 0.02, "in x")
    return agrees(
        "0.23674, 2.86458, 46.89867 %",
        "arithmetic: half of Eqs. 10 to 12, and routes counted with ties split, which even radices need. Of a run there are hops, not last hops: "
        f"of {packets:,} uniform packets on the machine (sim) those up over those down in x, y, z "
        + "/".join(f"{part:.3f}" for part in apart),
    )


@row("cray-129", "probability that all dimensions are used")
def _():
    product = Fraction(1)
    for k in of(machine(), "radix"):
        product *= 1 - Fraction(1, k)
    same(product, Fraction(25, 32), "product")
    routes = sum(all((to % 11, to // 11 % 12, to // 132)) for to in range(2112))
    same(Fraction(routes, 2112), product, "routes with hops in x, y and z")
    return agrees(
        "25/32 = 0.78125", f"arithmetic on the planned radices, and counted: {routes:,} of 2,112 destinations of a node"
    )


def neither_is_full():
    """Of the two bounds of Eq. 14 in the runs of Table 5."""
    runs = [nets.between(nets.FILLED_UNTIL[name], nets.FILLED[name]) for name in nets.TABLE_5_NAMES]
    got, used = ([run.mean(what) for run in runs] for what in ("accepted", "used.z"))
    holds(max(got) < 0.95 * nets.EJECTION and max(used) < 0.95, f"{got} {used}")
    return (
        f"That a run ends at such a bound no run shows: with all sources full input queues block before (experiment torus-filled: "
        f"processors take {min(got):.2f} to {max(got):.2f} of {nets.EJECTION} flits a cycle, links in z are busy for {100 * min(used):.0f} to {100 * max(used):.0f} %)"
    )


def ejection(row_id, what, dimension, formula):
    """Bounds of Eqs. 14 to 16 in GB/s: of the channels, of the processor, of the dimensions behind."""

    @row(row_id, what)
    def _():
        def bound(processor):
            return min([Fraction(48, 10) * 8 / k for k in (11, 12, 16)[dimension:]] + [processor])

        for processor in (2, 100):
            plan = torus(11, 12, 16, ejection_gbytes=processor)
            same(Fraction(plan["dimensions"][dimension]["ejection_gbytes_exact"]), bound(processor), "GB/s")
        same(Fraction(machine()["dimensions"][dimension]["ejection_gbytes_exact"]), bound(2), "GB/s by default")
        return agrees(
            f"{formula} = {float(bound(2)):.1f} GB/s",
            f"arithmetic, and plan seastar-age, whose default of 2 GB/s is the processor's; without it {float(bound(100)):.3f}. {neither_is_full()}",
        )


ejection("cray-130", "Eq. 14: ejection from z", 2, "min(2.4, 2.0)")
ejection("cray-131", "Eq. 15: ejection from y", 1, "min(3.2, 2.0)")
ejection("cray-132", "Eq. 16: ejection from x", 0, "min(3.491, 2.0)")


@row("cray-133", "a mesh has 4/k for 8/k")
def _():
    found = of(torus(11, 12, 16, kind="mesh"), "ejection_gbytes_exact")
    same(found, ["6/5"] * 3, "GB/s")
    same(Fraction(48, 10) / max(line_loads(16).values()), Fraction(6, 5), "by the counted load of z")
    return agrees(
        "1.2 GB/s for all three",
        "plan seastar-age, 11 x 12 x 16 mesh: 4.8 x 4 / 16; the routes of a line of 16 counted, its middle channel has a load of 4, k/4",
    )


@row("cray-134", "a mesh's load is k/4 at the bisection, less outside")
def _():
    loads = [float(line_loads(8)[node, 1]) for node in range(7)]
    same(loads, [0.875, 1.5, 1.875, 2.0, 1.875, 1.5, 0.875], "loads")
    return agrees("0.875, 1.5, 1.875, 2.0, 1.875, 1.5, 0.875 for k = 8", "routes of a line counted, sender included")


@row("cray-135", "worst-case traffic doubles the load")
def _():
    k = 8

    def shifted(by):
        loads = {(node, step): Fraction(0) for node in range(k) for step in (1, -1)}
        for source in range(k):
            ways, hops = ring(k, source, (source + by) % k)
            for step, weight in ways:
                for i in range(hops):
                    loads[(source + step * i) % k, step] += weight
        return loads.values()

    same(set(shifted(k // 2)), {Fraction(k, 4)}, "half-way shift on a ring")
    mean = [sum(shifted(by)) / (2 * k) for by in range(k)]
    same(max(mean), mean[k // 2], "mean load of all shifts")
    busiest = max(shifted(k // 2 - 1))
    holds(busiest > Fraction(k, 4), f"the busiest channel of a shift by {k // 2 - 1}: {busiest}")
    mirror = sum(1 for source in range(k // 2) for node in range(source, k - 1 - source) if node == k // 2 - 1)
    same(mirror, k // 2, "mirror on a line, across the bisection")
    return agrees(
        "k/4 = 2 on the ring, k/2 = 4 on the line, k = 8",
        "routes counted: half-way shift, mirror, in which all traffic crosses the bisection. On the ring no shift has a larger mean over the channels; one channel can have more: "
        f"a shift by {k // 2 - 1} loads those one way with {busiest} and the others with none",
    )


@paper.section("Equations 4 to 16 for 11 x 12 x 16, planned and counted")
def _():
    lines = [
        "| dimension | radix | hops, Eq. 5 | counted | load, Eq. 8 | counted | leaves here, Eqs. 10-12 | GB/s, Eqs. 14-16 | bias |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, d in zip("xyz", machine()["dimensions"], strict=True):
        k = d["radix"]
        lines.append(
            f"| {name} | {k} | {d['average_hops']} | {float(ring_hops(k)):.3f} | {d['channel_load']} | {float(max(ring_loads(k).values())):.3f} | "
            f"{100 * d['ejection_probability']:.4f} % | {d['ejection_gbytes']} | {d['age_bias']} |"
        )
    return "\n".join(lines)
