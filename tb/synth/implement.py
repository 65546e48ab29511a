"""Maps a block to the cells of a library, chooses among the netlists, measures and describes it."""

from pathlib import Path

import accounting
import block as blocks
import cells
import library as libraries
import mapping
import naming
import netlist as netlists
from library import FlowError
from timing import OpenSta

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "constraints" / "libraries.yaml"
DELAYS = [500]  # picoseconds; shorter than any block, so that mapping aims at speed
PASSES = 300  # of sizing after mapping
GAIN = 0.85  # of the period, what sizing strives for; more than it ever gets


def sta():
    return OpenSta("sta", ROOT / "constraints" / "registered_block.sdc")


def yosys():
    return mapping.Yosys(ROOT)


def build(block, library_path, delays, recipes, work, passes=PASSES):
    """Maps the block, keeps the best of the netlists that the recipes give, and measures it.

    The best is the fastest; of those that meet the shortest of the delays, the smallest. That one's
    cells are then sized once more by OpenSTA's timing, in at most `passes` passes.
    """
    tool = yosys()
    work.mkdir(parents=True, exist_ok=True)
    library = libraries.load(library_path, SETTINGS, work)
    mapping.elaborate(tool, work, block.files, block.module, block.parameters)
    goal = min(delays) / 1000

    tried = []
    best = None
    for delay in delays:
        for recipe in recipes:
            path = cells.map_to_cells(tool, work, library, recipe, delay)
            candidate = netlists.read(path, mapping.TOP, library)
            faults = netlists.check(candidate, library)
            if faults:
                raise FlowError(f"{block.policy}: {faults[0]} ({len(faults)} faults in all)")
            timing = sta().measure(candidate, library, work, f"{recipe}-{delay}")
            entry = {"recipe": recipe, "target_ps": delay, "min_period_ns": timing.min_period_ns,
                     "total_area_um2": round(area(candidate, library), 3)}
            tried.append(entry)
            mapping.progress(f"{block.policy}: {recipe} at {delay} ps: "
                             f"{timing.min_period_ns:.3f} ns, {entry['total_area_um2']:.0f} um2")
            key = (max(timing.min_period_ns, goal), entry["total_area_um2"])
            if best is None or key < best[0]:
                best = (key, candidate, timing, entry)
    _, candidate, timing, entry = best
    if passes and timing.min_period_ns > goal:
        sta().resize(candidate, library, work, max(GAIN * timing.min_period_ns, goal), passes)
        timing = sta().measure(candidate, library, work, "resized")
        entry = entry | {"resized": True, "min_period_ns": timing.min_period_ns,
                         "total_area_um2": round(area(candidate, library), 3)}
        tried.append(entry)
        mapping.progress(f"{block.policy}: resized: {timing.min_period_ns:.3f} ns, "
                         f"{entry['total_area_um2']:.0f} um2")
    netlists.name_registers(candidate, library, work / "generic.json")
    naming.add_names(candidate, library, work / "generic.json")
    netlists.write_verilog(candidate, library, work / "netlist.v")
    return library, candidate, timing, tried


def area(netlist, library):
    return sum(library.cell(i.cell).area for i in netlist.instances.values())


def critical_path(netlist, timing):
    """The path as a list: cell, the RTL name of the net that it drives, and arrival."""
    steps = []
    for step in timing.path:
        bit = netlist.instances[step.instance].pins.get(step.pin)
        steps.append({"cell": step.cell, "net": netlist.net_name(bit), "pin": step.pin,
                      "edge": "rise" if step.edge == "^" else "fall",
                      "arrival_ns": step.arrival_ns})
    return steps


def report(block, library, netlist, timing, tried, radix):
    parts = accounting.account(netlist, library)
    path = critical_path(netlist, timing)
    if block.policy in blocks.PORTS:
        # Of the ports that are built each has the same flip-flops; its gates are those of all by their number.
        built = block.parameters.get("Ports", 1)
        shared = accounting.total(parts, accounting.SHARED)
        of_a_port = accounting.total(parts, accounting.OF_A_PORT, 1 / built)
        radix = radix if block.policy == "switch" else 1
        whole = {key: round(shared[key] + radix * of_a_port[key], 3 if "area" in key else None)
                 for key in shared}
    else:
        whole = accounting.total(parts, ["arbiter"])
    result = {
        "policy": block.policy,
        "module": block.module,
        "library": library.name,
        "liberty": library.source,
        "cells": whole["cells"],
        "area_um2": whole["area_um2"],
        "sequential_area_um2": whole["sequential_area_um2"],
        "flip_flops": whole["flip_flops"],
        # Gates between the first and the last flip-flop of the critical path.
        "logic_levels": sum(1 for step in path if library.cell(step["cell"]).flip_flop is None),
        "min_period_ns": timing.min_period_ns,
        "parameters": block.parameters,
        # An engine that is shown the packets behind the heads answers in the next cycle, or as it is told to.
        "answer_cycles": block.parameters.get(
            "Latency", int(any(port.name == "next_valid_i" for port in netlist.ports))),
        "parts": parts,
    }
    if block.policy == "switch":
        result["radix"] = radix
        result["shared"] = shared
        result["of_a_port"] = of_a_port
    if block.policy in accounting.IN_THE_PAPER:
        p = block.parameters
        result["paper_bits"] = accounting.paper_bits(
            p["Queues"], p["Entries"], p["QuantumWidth"], radix,
            deficits=accounting.IN_THE_PAPER[block.policy])
    result |= {"constraints": vars(library.settings), "tried": tried, "critical_path": path}
    return result
