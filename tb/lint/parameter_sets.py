"""The sets of parameters that the RTL is linted with, and those that it must refuse."""

import itertools
import re
import sys
import tomllib
from pathlib import Path

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
    """Of several ports with one table: all policies together at each size, with either latency, and protected."""
    every = sum(policies().values())
    counts = itertools.cycle([2, 3, 5, 48, 64])
    return [{**{name: size[name] for name in ("Queues", "Entries", "Vcs")}, "Ports": next(counts),
             "Policies": every, **other}
            for size in SIZES if size["Queues"] <= 12  for other in ({}, {"Latency": 1}, {"Protect": 1})]


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


# Modules with impossible parameters, and a part of the message that must refuse them: refused/*.toml. Together the
# cases must bring up every $error of the RTL.
IMPOSSIBLE = [case for file in sorted(Path(__file__).with_name("refused").glob("*.toml"))
              for case in tomllib.loads(file.read_text(encoding="utf-8"))["refused"]]
