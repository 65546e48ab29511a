"""The command of scripts/synth."""

import contextlib
import fcntl
import hashlib
import json
import math
import os
import re
import shutil
import sys
import zlib
from pathlib import Path

import block as blocks
import gates
import implement
import mapping
import power
import route_fpga
from implement import DELAYS, PASSES, ROOT
from library import FlowError
from recipes import RECIPES

sys.path.append(str(ROOT / "tb" / "cli"))
import usage  # noqa: E402

DEFAULT_LIBRARY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"


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
    parser = usage.Parser(
        prog="scripts/synth",
        description="Maps a policy's arbiter, between registers, to cells; reports area and timing.",
        epilog="Instead of all these, each with a --help of its own: --sweep, many blocks into docs/data; --wires, blocks "
        "placed and routed; --report, docs/area-and-timing.md from these; --self-test, tests of the flow.")
    parser.add_argument("--policy", default="bxi-deficit", help="a policy; port: the output port with registers, table "
                        "memory and counters, whose memories are outside; switch: many ports that share one table memory "
                        "(default: %(default)s)")
    parser.add_argument("--liberty", default=DEFAULT_LIBRARY, metavar="FILE",
                        help="cell library, .lib or .lib.gz (default: %(default)s)")
    for option, (names, default) in blocks.OPTIONS.items():
        parser.add_argument("--" + option.replace("_", "-"), type=int, default=default,
                            help=f"parameter {', '.join(names)} (default: %(default)s)")
    parser.add_argument("--radix", type=usage.at_least(1), default=48,
                        help="ports of --policy switch (default: %(default)s)")
    parser.add_argument("--ports", type=int, default=blocks.BUILT_PORTS,
                        help="of these, so many are built (default: %(default)s)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="any other parameter of the module, by its RTL name")
    parser.add_argument("--delay", type=usage.at_least(1), action="append", metavar="PS",
                        help="target delay for mapping, in picoseconds; may be given again")
    parser.add_argument("--recipe", action="append", choices=list(RECIPES),
                        help="way of mapping; may be given again (default: all, the fastest wins)")
    parser.add_argument("--passes", type=usage.at_least(0), default=PASSES, metavar="N",
                        help="of sizing after mapping; 0: none (default: %(default)s)")
    parser.add_argument("--target", choices=["asic", *mapping.FPGA_TARGETS], default="asic",
                        help="an FPGA family instead of a cell library: LUTs and registers")
    parser.add_argument("--route", action="store_true",
                        help="with --target ecp5: place and route it between registers, too, and say how fast it is")
    parser.add_argument("--seeds", type=usage.at_least(1), default=1, metavar="N",
                        help="starting points of --route (default: %(default)s)")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where netlist, logs and reports stay (default: under build/synth)")
    parser.add_argument("--check", action="store_true",
                        help="also simulate the netlist against the C++ reference")
    parser.add_argument("--power", action="store_true",
                        help="--check, and power from that simulation, at the minimum period")
    parser.add_argument("--seed", type=int, default=1, help="of --check (default: %(default)s)")
    parser.add_argument("--tables", type=usage.at_least(1), default=20,
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
    if options.route and options.target != "ecp5":
        parser.error("--route is for --target ecp5")
    if options.seeds != parser.get_default("seeds") and not options.route:
        parser.error("--seeds goes with --route")
    for name in ("liberty", "delay", "recipe", "passes", "check", "power"):
        if options.target != "asic" and getattr(options, name) != parser.get_default(name):
            parser.error(f"--{name} is for a cell library, not for an FPGA")
    parser.look(options)
    return options


def fpga_report(options, block, work):
    """What the block takes in an FPGA; with --route between registers, and how fast it is there."""
    result = {"policy": block.policy, "target": options.target, "parameters": block.parameters}
    if not options.route:
        counts = mapping.map_to_fpga(implement.yosys(), work, block.files, block.module, block.parameters, options.target)
        return result | mapping.fpga_totals(counts, options.target) | {"cells_by_type": counts}
    counts = route_fpga.map_block(implement.yosys(), work, block)
    runs = {seed: route_fpga.route(work, seed, ROOT / "build") for seed in range(1, options.seeds + 1)}
    return result | mapping.fpga_totals(counts, options.target) | {
        "cells_by_type": counts, "seeds": {seed: vars(run) for seed, run in runs.items()},
        "median_mhz": route_fpga.median(list(runs.values())).mhz}


def work_directory(options, block):
    key = json.dumps([block.module, block.parameters, options.liberty, options.target])
    tag = hashlib.sha256(key.encode()).hexdigest()[:10]
    return ROOT / "build" / "synth" / f"{block.policy}-{tag}"


def with_cause(message):
    """The message; of Yosys, which prints no more than the command that failed, with what the log tells."""
    log = re.search(r" \((\S+\.log)\)$", message)
    if not message.startswith("yosys: ") or log is None:
        return message
    lines = (ROOT / log[1]).read_text(encoding="utf-8", errors="replace").splitlines()
    causes = [line.strip() for line in lines if re.match(r"(\S+:\d+: )?ERROR: ", line)]
    causes.sort(key=lambda line: "$error" not in line)  # of our own sources
    return f"yosys: {causes[0]} ({log[1]})" if causes else message


@contextlib.contextmanager
def alone_in(work):
    """Nobody else works in the directory meanwhile."""
    work.mkdir(parents=True, exist_ok=True)
    directory = os.open(work, os.O_RDONLY)
    try:
        try:
            fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            mapping.progress(f"waits for another scripts/synth in {work}")
            fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def asic_report(options, block, work):
    """What the block takes in cells of a library, and how fast it is."""
    if shutil.which("sta") is None:
        raise FlowError("sta (package opensta) is not there")
    (work / "report.json").unlink(missing_ok=True)
    library, netlist, timing, tried = implement.build(
        block, options.liberty, options.delay or DELAYS,
        options.recipe or list(RECIPES), work, options.passes)
    for cell in sorted({instance.cell for instance in netlist.instances.values()}):
        if not 0 < library.cell(cell).area < math.inf:
            raise FlowError(f"{options.liberty}: the cell {cell} has no area")
    result = implement.report(block, library, netlist, timing, tried, options.radix)
    if options.check or options.power:
        result["gate_check"] = gates.check(ROOT, block, library, netlist, work, options.seed,
                                           options.tables, activity=options.power)
    if options.power:
        result["power"] = power.estimate(implement.sta(), library, netlist, work,
                                         timing.min_period_ns)
    (work / "report.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result


def main(argv):
    options = arguments(argv)
    try:
        block = blocks.find(ROOT, options.policy, vars(options), options.extra)
        work = (options.output or work_directory(options, block)).resolve()
        if not work.is_relative_to(ROOT):
            raise FlowError(f"{work}: Yosys only sees directories within {ROOT}")
        is_asic = options.target == "asic"
        # ABC is told where it is as a whole.
        if re.search(r"\s", str(work if is_asic else work.relative_to(ROOT))):
            raise FlowError(f"{work}: Yosys takes no directory with white space in its name")
        with alone_in(work):
            result = (asic_report if is_asic else fpga_report)(options, block, work)
        print(human(result) if is_asic and not options.json else json.dumps(result, indent=2))
        return 0
    except FlowError as error:
        print(f"synth: {with_cause(str(error))}", file=sys.stderr)
    except json.JSONDecodeError:  # it does not tell that it could not write
        print(f"synth: {work}: what Yosys wrote there is cut off; the disk may be full", file=sys.stderr)
    except zlib.error as error:
        print(f"synth: {options.liberty}: {error}", file=sys.stderr)
    except OSError as error:
        print(f"synth: {error.filename or work}: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt:
        print("synth: interrupted", file=sys.stderr)
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
