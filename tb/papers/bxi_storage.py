"""Rows of the BXIv3 paper's storage (Sect. 3.5, Tables 3 and 4, Figs. 8 and 9): bits of tables, ports, NICs and switches."""

import functools

import command as q
from bxi_networks import flow, one_switch
from bxi_tables import row, table
from rows import agrees, differs, holds, near, percent, same


@functools.cache
def storage(entries=32, radix=48, weight_bits=16, queues=16):
    return q.plan("storage", entries=entries, radix=radix, weight_bits=weight_bits, queues=queues)["paper"]


@row("bxi-072", "bits of a table: (SL + weight) x entries")
def _():
    for entries, weight, queues, sl in ((32, 16, 16, 4), (31, 8, 8, 3), (256, 16, 16, 4)):
        same(storage(entries, 48, weight, queues)["table_bits"], (sl + weight) * entries, "table bits")
    return agrees("(4 + 16) x 32 = 640, (3 + 8) x 31 = 341, (4 + 16) x 256 = 5120", "plan storage")


def bits(row_id, what, number, expected, note="plan storage"):
    @row(row_id, what)
    def _():
        return agrees(same(storage()[number], expected, number), note)


bits("bxi-073", "table of the example", "table_bits", 640)


@row("bxi-078", "registers a port, basic")
def _():
    sizes = (8, 32, 256)
    same([storage(entries=n)["port_basic_bits"] for n in sizes], [24] * len(sizes), "bits")
    return agrees("24", "plan storage; the same for 8, 32 and 256 entries")


bits("bxi-079", "registers a port with deficits", "port_deficit_bits", 536)
bits("bxi-083", "48-port switch, basic", "switch_basic_bits", 1792, "plan storage; 64 ports need 2176 (bxi-086)")


@row("bxi-074", "Table 3: layout of an entry")
def _():
    same(storage()["table_bits"] // 32, 4 + 16, "bits of an entry")
    largest = table([(2, 65535), (8, 300), (1, 200), (3, 250)], 144, queues=16, strict=False)
    same(q.refused(largest), None, "weights in flits")
    return agrees(
        "4 bits of SL and 16 of weight; quanta up to 65,535 flits",
        "plan storage, decide: the printed weights are quanta in flits",
    )


@row("bxi-075", "Table 4: remaining quantum")
def _():
    same(storage()["port_basic_bits"] - 8, 16, "bits")
    events = [q.arrive(0, 1000) for _ in range(66)] + [q.arrive(1, 1000) for _ in range(2)] + q.arbs(66)

    def most(policy):
        decisions = q.decide(table([(0, 65535), (1, 1000)], 1000, policy), events, explain=True)
        return max(int(d.state["remaining_flits"]) for d in decisions)

    same(most("bxi-deficit"), 65535 + 535, "quantum and deficit")
    same(most("bxi-basic"), 65535, "without deficits")
    return differs(
        "16 bits do not hold 66,070",
        "a quantum of 65,535 and a saved deficit of 535 (packets of 1,000 flits) need 17 bits; "
        "without deficits, the one change, the same log has at most 65,535, for which 16 are enough (decide --explain)",
    )


@row("bxi-076", "Table 4: current entry")
def _():
    same(storage()["port_basic_bits"] - 16, 8, "bits")

    def needed(count):
        """Bits of the largest current entry of a table of so many."""
        config = table([(place % 2, 1) for place in range(count)], 1, "bxi-basic")
        decisions = q.decide(config, q.backlog([1, 1], count), explain=True)
        return max(int(d.state["current_entry"]) for d in decisions).bit_length()

    same((needed(256), needed(32)), (8, 5), "bits of the largest current entry")
    return agrees(
        "8 bits, for up to 256 entries",
        "plan storage; decide --explain: a table of 256 entries needs all 8, one of 32 needs 5",
    )


@row("bxi-077", "Table 4: deficits")
def _():
    same(storage()["port_deficit_bits"] - storage()["port_basic_bits"], 512, "bits")
    narrow = [q.plan("storage", max_packet_flits=flits)["rtl"]["deficit_bits"] for flits in (80, 144)]
    same(narrow, [7, 8], "bits of one deficit")
    return agrees(
        "16 x 32 = 512",
        "plan storage; a deficit is shorter than a packet, so 7 bits hold it for 80 flits and 8 for 144: "
        "224 or 256 instead of 512",
    )


@row("bxi-080", "Fig. 8: bits of a NIC against entries")
def _():
    sizes = (8, 16, 32, 64, 128, 256)
    basic = [storage(entries=n)["nic_basic_bits"] for n in sizes]
    deficit = [storage(entries=n)["nic_deficit_bits"] for n in sizes]
    same(basic, [184, 344, 664, 1304, 2584, 5144], "basic")
    same(deficit, [312, 600, 1176, 2328, 4632, 9240], "deficits")
    return agrees(
        "/".join(map(str, basic)) + " and " + "/".join(map(str, deficit)) + " for 8 to 256 entries",
        "plan storage; the plot is lost, its formulas are not",
    )


@row("bxi-081", "deficits nearly double a NIC's bits")
def _():
    ratios = [storage(entries=n)["nic_deficit_bits"] / storage(entries=n)["nic_basic_bits"] for n in (8, 32, 256)]
    near(ratios, [1.70, 1.77, 1.80], 0.005, "ratios")
    return agrees("x 1.70, 1.77, 1.80 for 8, 32, 256 entries", "plan storage")


@row("bxi-082", "bits of a switch, basic")
def _():
    for entries, radix in ((8, 16), (32, 48), (256, 64)):
        same(storage(entries=entries, radix=radix)["switch_basic_bits"], 20 * entries + 24 * radix, "bits")
    return agrees("20 N + 24 r", "plan storage at three sizes")


@row("bxi-084", "what deficits add to the example")
def _():
    extra = storage()["switch_deficit_bits"] - storage()["switch_basic_bits"]
    same(extra, 24 * 1024, "bits")
    return agrees(f"{extra} bits = 24 x 1024; 26,368 in all", "plan storage")


@row("bxi-085", "ports of a switch")
def _():
    found = [storage(radix=r)["switch_deficit_bits"] for r in (48, 64)]
    same(found, [26368, 34944], "bits")
    return differs(
        "48 ports 26,368 bits, 64 ports 34,944",
        "the storage example has 48 ports, Sect. 2.3 has 64: the paper's own numbers "
        "disagree; both by plan storage, with the radix as the one change",
    )


@row("bxi-088", "several SLs for an entry make the table smaller")
def _():
    few, many = (storage(entries=entries, radix=48) for entries in (2, 4))
    holds(all(few[what] < many[what] for what in ("switch_basic_bits", "switch_deficit_bits")), "fewer bits")
    scenario = one_switch(
        table([(0, 512), (1, 256)], 48),
        [flow(sl, 0.5, flits, pattern="hot-spot", to=0) for sl, flits in enumerate((16, 48, 16, 16))],
        warmup=100,
        measure=400,
        channels_per_queue=2,
        virtual_channels=[[[sl]] for sl in range(4)],
    )
    shares = [item["share"] for item in q.sim(scenario)["classes"]]
    near([shares[0] + shares[1], shares[2] + shares[3]], [2 / 3, 1 / 3], 0.001, "shares of the two entries")
    near(shares, [1 / 6, 1 / 2, 1 / 6, 1 / 6], 0.001, "shares of the SLs")
    return agrees(
        f"4 SLs by 2 entries instead of 4: a switch of 48 ports has {few['switch_basic_bits']:,} instead of {many['switch_basic_bits']:,} bits, with deficits {few['switch_deficit_bits']:,} instead of {many['switch_deficit_bits']:,}",
        f"plan storage; sim, one port, weights 2:1: the entries get {percent([shares[0] + shares[1], shares[2] + shares[3]])}. SLs of an entry take turns packet by packet (`channels_per_queue`), so within it "
        f"long packets get more: packets of 16, 48, 16 and 16 flits {percent(shares)}",
    )


@row("bxi-086", "Fig. 9a: bits against ports and entries, basic")
def _():
    found = [storage(radix=r)["switch_basic_bits"] for r in (16, 48, 64)]
    same(found, [1024, 1792, 2176], "32 entries")
    slopes = {
        storage(entries=33, radix=r)["switch_basic_bits"] - storage(radix=r)["switch_basic_bits"] for r in (16, 48, 64)
    }
    same(slopes, {20}, "bits an entry at any radix")
    return differs(
        "a sum, 20 N + 24 r: 20 bits an entry at any radix",
        "the text says product; the paper's formula, as plan storage "
        "evaluates it, has no term with both. With deficits, the one change, there is one (bxi-087)",
    )


@row("bxi-087", "Fig. 9b: the same with deficits")
def _():
    found = [storage(entries=n, radix=64)["switch_deficit_bits"] for n in (8, 32, 256)]
    same(found, [9888, 34944, 268800], "64 ports")
    slope = storage(entries=33, radix=64)["switch_deficit_bits"] - storage(entries=32, radix=64)["switch_deficit_bits"]
    same(slope, 20 + 16 * 64, "bits an entry grow with the radix")
    return agrees("20 N + 24 r + 16 N r: 9,888/34,944/268,800 at 64 ports", "plan storage")


@row("bxi-089", "storage stays in KiB")
def _():
    kib = [storage(entries=n, radix=64)["switch_deficit_bits"] / 8192 for n in (31, 256)]
    near(kib, [4.14, 32.8], 0.05, "KiB")
    return agrees(f"{kib[0]:.1f} KiB for 31 entries, {kib[1]:.1f} for 256, 64 ports", "plan storage")


@row("bxi-090", "storage is reasonable")
def _():
    part = storage(radix=64)["switch_deficit_bits"] / (64 * 2 * 5 * 768 * 512)
    near(part, 0.00014, 0.00001, "part of the queues")
    return agrees(
        f"{100 * part:.3f} % of the bits of the queues", "plan storage, 64 ports of 2 x 5 x 768 flits of 512 bits"
    )
