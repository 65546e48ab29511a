"""The sets of parameters that the RTL is linted with, and those that it must refuse."""

import itertools
import re
import sys

from common import RTL

# Queues, Entries and Vcs of a port, and what else depends on the number of candidates. Most are no
# powers of two.
SIZES = [
    {"Queues": queues, "Entries": entries, "Vcs": vcs, "Width": queues, "Items": entries}
    for queues, entries, vcs in [
        (1, 1, 4), (2, 3, 2), (3, 7, 2), (5, 9, 4), (6, 6, 6), (8, 64, 4), (12, 20, 4), (15, 31, 2),
        (18, 100, 6), (28, 28, 4), (32, 128, 16),
    ]
]

# Widths, and the longest packet that they hold.
WIDTHS = [
    {},
    {"QuantumWidth": 2, "MaxPacketFlits": 1, "BurstWidth": 2, "FlitsWidth": 1,
     "SlWidth": 1, "SpentWidth": 1},
    {"QuantumWidth": 5, "MaxPacketFlits": 16, "BurstWidth": 6, "FlitsWidth": 5,
     "SlWidth": 2},
    {"QuantumWidth": 9, "MaxPacketFlits": 300, "BurstWidth": 10, "FlitsWidth": 9,
     "SlWidth": 5, "SpentWidth": 17},
    {"QuantumWidth": 24, "MaxPacketFlits": 65535, "BurstWidth": 16, "FlitsWidth": 16},
]

# Parameters of single modules.
OTHERS = [
    {"Deficits": 0},
    {"Latency": 1},
    {"IdleAfterLoad": 1},
    {"Latency": 1, "Deficits": 0, "Queues": 5, "Entries": 9, "QuantumWidth": 5, "MaxPacketFlits": 16},
    {"KeyWidth": 1, "GroupSize": 1},
    {"KeyWidth": 5, "GroupSize": 3},  # a last group that is smaller
    {"Width": 128},
    {"Inputs": 1, "Vcs": 2, "Outputs": 1, "MaxPackets": 1, "MaxArrivals": 1, "BurstWidth": 10},
    {"CreditWidth": 24, "ReturnWidth": 24},
    {"MaxPacketFlits": 1, "CreditWidth": 1, "ReturnWidth": 1},
    {"AddressWidth": 1, "DataWidth": 1},
    {"Inputs": 3, "Vcs": 6, "Outputs": 48, "MaxPackets": 65535, "MaxArrivals": 64, "BurstWidth": 16},
]

# The most of a parameter that a module takes, where that is less than the sets have.
MOST = {"qosarb_infiniband": {"Queues": 15, "Entries": 64}}

# Modules that compare each candidate with each other one grow with the square of the candidates.
MOST_COMPARED = 32


def policies():
    """Of each policy of the RTL: its bit in the port's parameter Policies."""
    text = (RTL / "port/qosarb_port_reg_pkg.sv").read_text()
    enum = re.search(r"typedef enum[^}]*\} policy_e;", text)[0]
    codes = re.findall(r"^ +Policy(\w+) += \d+'d(\d+)", enum, re.MULTILINE)
    if not codes or len(codes) != enum.count("Policy"):
        sys.exit(f"{len(codes)} of the policies in rtl/port/qosarb_port_reg_pkg.sv can be read:\n{enum}")
    return {name: 1 << int(code) for name, code in codes}


def port_sets():
    """Of the port: each policy with rr, and all together, at each size; all together in each width,
    protected, and with the answer in the next cycle."""
    bits = policies().values()
    sets = []
    for size in SIZES:
        size = {name: size[name] for name in ("Queues", "Entries", "Vcs")}
        sets += [{**size, "Policies": 1 | bit} for bit in bits]
        sets += [{**size, "Policies": sum(bits), **widths} for widths in WIDTHS]
        sets += [{**size, "Policies": sum(bits), "Protect": 1}]
        sets += [{**size, "Policies": sum(bits), "Latency": 1}]
    sets += [{**sets[0], "Latency": 1, "Protect": 1}]
    return sets


def several_ports_sets():
    """Of several ports with one table: all policies together at each size, with either latency."""
    every = sum(policies().values())
    counts = itertools.cycle([2, 3, 5, 48, 64])
    return [{**{name: size[name] for name in ("Queues", "Entries", "Vcs")}, "Ports": next(counts),
             "Policies": every, **other}
            for size in SIZES if size["Queues"] <= 12 for other in ({}, {"Latency": 1})]


def module_sets(module, text):
    """Of any other module: each size with each of the widths, of the parameters that it has."""
    has = set(re.findall(r"^  parameter +\w[\w ]*? (\w+) +=", text, re.MULTILINE))
    most = dict(MOST.get(module, {}))
    if {"Width", "KeyWidth"} <= has:
        most["Width"] = MOST_COMPARED
    sets = [{}]
    for wanted in [{**size, **widths} for size, widths in itertools.product(SIZES, WIDTHS)] + OTHERS:
        parameters = {
            name: min(value, most.get(name, value)) for name, value in wanted.items() if name in has
        }
        if parameters not in sets:
            sets.append(parameters)
    return sets


# Impossible parameters, and a part of the message that must refuse them. Together the cases must
# bring up every $error of the RTL.
IMPOSSIBLE = [
    ("qosarb_onehot_to_index", {"Width": 0}, "qosarb_onehot_to_index: Width"),
    ("qosarb_rotating_blocks", {"Width": 0}, "qosarb_rotating_blocks: Width"),
    ("qosarb_rotating_select", {"Width": 0}, "qosarb_rotating_select: Width"),
    ("qosarb_rotating_priority", {"Width": 0}, "qosarb_rotating_priority: Width"),
    ("qosarb_grouped_priority", {"Width": 0}, "qosarb_grouped_priority: no parameter"),
    ("qosarb_rr", {"Queues": 257}, "qosarb_rr: Queues"),
    ("qosarb_rr", {"Queues": 0}, "qosarb_rr: Queues"),
    ("qosarb_rr", {"MaxPacketFlits": 0}, "qosarb_rr: MaxPacketFlits"),
    ("qosarb_bxi_table", {"Queues": 257}, "qosarb_bxi_table: Queues"),
    ("qosarb_bxi_table", {"Entries": 0}, "qosarb_bxi_table: Entries"),
    ("qosarb_bxi_table", {"Entries": 257}, "qosarb_bxi_table: Entries"),
    ("qosarb_bxi_table", {"QuantumWidth": 25}, "qosarb_bxi_table: a quantum"),
    ("qosarb_bxi_table", {"QuantumWidth": 9}, "qosarb_bxi_table: a quantum"),
    ("qosarb_bxi_table", {"MaxPacketFlits": 0}, "qosarb_bxi_table: a quantum"),
    ("qosarb_bxi", {"Latency": 2}, "qosarb_bxi: Latency"),
    ("qosarb_bxi_lookahead", {"Queues": 257}, "qosarb_bxi_lookahead: Queues"),
    ("qosarb_bxi_lookahead", {"Entries": 0}, "qosarb_bxi_lookahead: Entries"),
    ("qosarb_bxi_lookahead", {"Entries": 257}, "qosarb_bxi_lookahead: Entries"),
    ("qosarb_bxi_lookahead", {"QuantumWidth": 25}, "qosarb_bxi_lookahead: a quantum"),
    ("qosarb_bxi_lookahead", {"QuantumWidth": 9}, "qosarb_bxi_lookahead: a quantum"),
    ("qosarb_bxi_lookahead", {"MaxPacketFlits": 0}, "qosarb_bxi_lookahead: a quantum"),
    ("qosarb_sl_members", {"Items": 0}, "qosarb_sl_members: Items"),
    ("qosarb_sl_members", {"Queues": 0}, "qosarb_sl_members: Items"),
    ("qosarb_sl_members", {"SlWidth": 0}, "qosarb_sl_members: Items"),
    ("qosarb_sl_queues", {"Queues": 0}, "qosarb_sl_queues: Queues"),
    ("qosarb_sl_queues", {"Queues": 257}, "qosarb_sl_queues: Queues"),
    ("qosarb_ets", {"Queues": 0}, "qosarb_ets: Queues"),
    ("qosarb_ets", {"Queues": 257}, "qosarb_ets: Queues"),
    ("qosarb_sbt", {"Queues": 0}, "qosarb_sbt: Queues"),
    ("qosarb_sbt", {"Queues": 257}, "qosarb_sbt: Queues"),
    ("qosarb_sbt", {"QuantumWidth": 0}, "qosarb_sbt: QuantumWidth"),
    ("qosarb_sbt", {"QuantumWidth": 25}, "qosarb_sbt: QuantumWidth"),
    ("qosarb_sbt", {"MaxPacketFlits": 0}, "qosarb_sbt: MaxPacketFlits"),
    ("qosarb_dtable", {"Queues": 0}, "qosarb_dtable: Queues"),
    ("qosarb_dtable", {"Queues": 257}, "qosarb_dtable: Queues"),
    ("qosarb_dtable", {"Entries": 0}, "qosarb_dtable: Entries"),
    ("qosarb_dtable", {"Entries": 257}, "qosarb_dtable: Entries"),
    ("qosarb_dtable", {"QuantumWidth": 25}, "qosarb_dtable: a weight"),
    ("qosarb_dtable", {"QuantumWidth": 9}, "qosarb_dtable: a weight"),
    ("qosarb_dtable", {"MaxPacketFlits": 0}, "qosarb_dtable: a weight"),
    ("qosarb_dtable_lookahead", {"Queues": 0}, "qosarb_dtable_lookahead: Queues"),
    ("qosarb_dtable_lookahead", {"Queues": 257}, "qosarb_dtable_lookahead: Queues"),
    ("qosarb_dtable_lookahead", {"Entries": 0}, "qosarb_dtable_lookahead: Entries"),
    ("qosarb_dtable_lookahead", {"Entries": 257}, "qosarb_dtable_lookahead: Entries"),
    ("qosarb_dtable_lookahead", {"QuantumWidth": 25}, "qosarb_dtable_lookahead: a weight"),
    ("qosarb_dtable_lookahead", {"QuantumWidth": 9}, "qosarb_dtable_lookahead: a weight"),
    ("qosarb_dtable_lookahead", {"MaxPacketFlits": 0}, "qosarb_dtable_lookahead: a weight"),
    ("qosarb_vl_table", {"Queues": 0}, "qosarb_vl_table: Queues"),
    ("qosarb_vl_table", {"Entries": 0}, "qosarb_vl_table: Queues"),
    ("qosarb_vl_table", {"Entries": 257}, "qosarb_vl_table: Queues"),
    ("qosarb_vl_table", {"SpentWidth": 0}, "qosarb_vl_table: SpentWidth"),
    ("qosarb_infiniband", {"Queues": 0}, "qosarb_infiniband: Queues"),
    ("qosarb_infiniband", {"Queues": 16}, "qosarb_infiniband: Queues"),
    ("qosarb_infiniband", {"Entries": 0}, "qosarb_infiniband: Entries"),
    ("qosarb_infiniband", {"Entries": 65}, "qosarb_infiniband: Entries"),
    ("qosarb_infiniband", {"MaxPacketFlits": 0}, "qosarb_infiniband: MaxPacketFlits"),
    ("qosarb_infiniband", {"MaxPacketFlits": 65536}, "qosarb_infiniband: MaxPacketFlits"),
    ("qosarb_onehot_to_behind", {"Width": 0}, "qosarb_onehot_to_behind: Width"),
    ("qosarb_pairwise_max", {"Width": 0}, "qosarb_pairwise_max: Width"),
    ("qosarb_rotating_max", {"Width": 0}, "qosarb_rotating_max: Width"),
    ("qosarb_rotating_max", {"GroupSize": 0}, "qosarb_rotating_max: GroupSize"),
    ("qosarb_rotating_max", {"GroupSize": 29}, "qosarb_rotating_max: GroupSize"),
    ("qosarb_token_bucket", {"BurstWidth": 9}, "qosarb_token_bucket: BurstWidth"),
    ("qosarb_trtcm", {"Queues": 0}, "qosarb_trtcm: Queues"),
    ("qosarb_trtcm", {"Queues": 257}, "qosarb_trtcm: Queues"),
    ("qosarb_trtcm", {"MaxPacketFlits": 0}, "qosarb_trtcm: a burst"),
    ("qosarb_trtcm", {"BurstWidth": 9}, "qosarb_trtcm: a burst"),
    ("qosarb_age_input", {"Vcs": 0}, "qosarb_age_input: Vcs"),
    ("qosarb_age_input", {"Vcs": 3}, "qosarb_age_input: Vcs"),
    ("qosarb_age_clock", {"MaxPackets": 0, "Outputs": 1}, "qosarb_age_clock: MaxPackets"),
    ("qosarb_age_clock", {"MaxArrivals": 0}, "qosarb_age_clock: MaxPackets"),
    ("qosarb_age_clock", {"MaxArrivals": 8192}, "qosarb_age_clock: MaxPackets"),
    ("qosarb_age_clock", {"Outputs": 0}, "qosarb_age_clock: Outputs"),
    ("qosarb_age_clock", {"ResyncCycles": 0}, "qosarb_age_clock: ResyncCycles"),
    ("qosarb_age_clock", {"TimestampWidth": 0}, "qosarb_age_clock: TimestampWidth"),
    ("qosarb_age_output", {"Queues": 0}, "qosarb_age_output: Queues"),
    ("qosarb_seastar_age", {"Queues": 0}, "qosarb_seastar_age: Queues"),
    ("qosarb_seastar_age", {"Queues": 257}, "qosarb_seastar_age: Queues"),
    ("qosarb_age_events", {"Inputs": 0}, "qosarb_age_events: Inputs"),
    ("qosarb_age_events", {"Vcs": 0}, "qosarb_age_events: Inputs"),
    ("qosarb_port", {"Queues": 0}, "qosarb_ports: Queues"),
    ("qosarb_port", {"Queues": 33}, "qosarb_ports: Queues"),
    ("qosarb_port", {"Entries": 7}, "qosarb_ports: Entries"),
    ("qosarb_port", {"Entries": 129}, "qosarb_ports: Entries"),
    ("qosarb_port", {"MaxPacketFlits": 0}, "qosarb_ports: MaxPacketFlits"),
    ("qosarb_port", {"MaxPacketFlits": 65536, "QuantumWidth": 20}, "qosarb_ports: MaxPacketFlits"),
    ("qosarb_port", {"QuantumWidth": 9}, "qosarb_ports: QuantumWidth"),
    ("qosarb_port", {"QuantumWidth": 25}, "qosarb_ports: QuantumWidth"),
    ("qosarb_port", {"BurstWidth": 9}, "qosarb_ports: BurstWidth"),
    ("qosarb_port", {"BurstWidth": 17}, "qosarb_ports: BurstWidth"),
    ("qosarb_port", {"Vcs": 0}, "qosarb_ports: Vcs"),
    ("qosarb_port", {"Vcs": 17}, "qosarb_ports: Vcs"),
    ("qosarb_port", {"Vcs": 3, "Policies": 0x41}, "qosarb_seastar_age_slot: Vcs"),
    ("qosarb_credit", {"Queues": 0}, "qosarb_credit: Queues"),
    ("qosarb_credit", {"Queues": 33}, "qosarb_credit: Queues"),
    ("qosarb_credit", {"MaxPacketFlits": 0}, "qosarb_credit: MaxPacketFlits"),
    ("qosarb_credit", {"MaxPacketFlits": 65536, "CreditWidth": 20}, "qosarb_credit: MaxPacketFlits"),
    ("qosarb_credit", {"CreditWidth": 9}, "qosarb_credit: CreditWidth"),
    ("qosarb_credit", {"CreditWidth": 25}, "qosarb_credit: CreditWidth"),
    ("qosarb_credit", {"ReturnWidth": 0}, "qosarb_credit: ReturnWidth"),
    ("qosarb_credit", {"ReturnWidth": 17}, "qosarb_credit: ReturnWidth"),
    ("qosarb_port_waits", {"WaitWidth": 1}, "qosarb_port_waits: WaitWidth"),
    ("qosarb_port_counters", {"CountWidth": 14}, "qosarb_port_counters: CountWidth"),
    ("qosarb_port_counters", {"Others": 0}, "qosarb_port_counters: Others"),
    ("qosarb_ports", {"Ports": 0}, "qosarb_ports: Ports"),
    ("qosarb_ports", {"Ports": 65}, "qosarb_ports: Ports"),
    ("qosarb_ports", {"Ports": 2, "Protect": 1}, "qosarb_ports: Protect is there for"),
    ("qosarb_port", {"Protect": 2}, "qosarb_ports: Protect"),
    ("qosarb_port", {"Latency": 2}, "qosarb_ports: Latency"),
    ("qosarb_port", {"Policies": 6}, "qosarb_port_policies: Policies must include rr"),
    ("qosarb_port", {"Policies": 0x8001}, "qosarb_port_policies: Policies has bits"),
    ("qosarb_port", {"Policies": 0x10001}, "qosarb_port_policies: Policies has bits"),
]
