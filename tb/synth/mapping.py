"""Reads RTL into Yosys, between registers at every input and output, and maps it to an FPGA's cells."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from library import FlowError

CLOCK, RESET = "clk_i", "rst_ni"
TOP = "qosarb_synth_top"

@dataclass
class Port:
    name: str
    direction: str
    width: int


# Yosys is a library: each script has a process of its own, since it keeps its design in global variables.
_RUN = ("import sys; from pyosys import libyosys; "
        "libyosys.run_pass(f'tee -q -o {sys.argv[1]} script {sys.argv[2]}')")


class Yosys:
    """Runs Yosys scripts in the clone's root."""

    def __init__(self, root):
        self.root = Path(root)

    def path(self, path):
        return os.path.relpath(path, self.root)

    def run(self, script, work, name):
        """Runs the script and returns its log; raises FlowError with the first error."""
        script_path, log_path = work / f"{name}.ys", work / f"{name}.log"
        script_path.write_text(script, encoding="utf-8")
        result = subprocess.run(
            [sys.executable, "-c", _RUN, self.path(log_path), self.path(script_path)],
            cwd=self.root, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            text = (result.stdout + result.stderr).strip().splitlines()
            errors = [line for line in text if "error" in line.lower()] or text[-1:] or ["failed"]
            raise FlowError(f"yosys: {errors[0].strip()} ({self.path(log_path)})")
        return log_path.read_text(encoding="utf-8", errors="replace")


def rtl_files(root):
    """Every source of the chip, the package first."""
    files = sorted((Path(root) / "rtl").rglob("*.sv"))
    return sorted(files, key=lambda path: (not path.name.endswith("_pkg.sv"), str(path)))


def module_parameters(path):
    """Names of the parameters that a user may set, in the file of a module."""
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    return re.findall(r"\bparameter\s+[^=;)]*?(\w+)\s*=", text)


# What a chip makes of memory macros: mapped as if it stood outside of the block.
MEMORY = "qosarb_counter_memory"


def read_command(yosys, files, top, parameters=None, hierarchy=False):
    settings = [f"-G{name}={value}" for name, value in (parameters or {}).items()]
    settings += ["--best-effort-hierarchy"] if hierarchy else []
    sources = " ".join(yosys.path(path) for path in files)
    return f"read_slang --top {top} {' '.join(settings)} {sources}\n"


def ports_of(yosys, work, files, module, parameters):
    """Ports of a module at the given parameters, with their widths in bits."""
    out = work / "ports.json"
    yosys.run(read_command(yosys, files, module, parameters) +
              f"write_json {yosys.path(out)}\n", work, "ports")
    with open(out, encoding="utf-8") as stream:
        modules = json.load(stream)["modules"]
    top = modules.get(module) or next(
        body for body in modules.values() if body["attributes"].get("top"))
    return [Port(name, port["direction"], len(port["bits"])) for name, port in top["ports"].items()]


def wrapper(module, parameters, ports):
    """Verilog of the block between registers. Outputs that only show state are registered too."""
    resets = [p for p in ports if p.name.endswith(RESET) and p.name != RESET]  # of parts, not registered either
    inputs = [p for p in ports if p.direction == "input" and p not in resets and p.name not in (CLOCK, RESET)]
    outputs = [p for p in ports if p.direction == "output"]

    def declare(port, prefix):
        return f"  logic [{port.width - 1}:0] {prefix}{port.name};"

    lines = ["// Generated: a block between registers.", "", f"module {TOP} (",
             ",\n".join([f"  input  logic {CLOCK}", f"  input  logic {RESET}"] +
                        [f"  {p.direction:6} logic [{p.width - 1}:0] {p.name}"
                         for p in resets + inputs + outputs]), ");"]
    lines += [declare(port, "boundary_") for port in inputs + outputs]
    lines += [declare(port, "block_") for port in outputs]
    settings = ", ".join(f".{name}({value})" for name, value in parameters.items())
    pins = [f".{CLOCK}", f".{RESET}"] if RESET in {p.name for p in ports} else [f".{CLOCK}"]
    pins += [f".{p.name}" for p in resets]
    pins += [f".{p.name}(boundary_{p.name})" for p in inputs]
    pins += [f".{p.name}(block_{p.name})" for p in outputs]
    lines.append(f"  {module} #({settings}) u_block (\n    " + ",\n    ".join(pins) + "\n  );")
    lines.append(f"  always_ff @(posedge {CLOCK}) begin")
    lines += [f"    boundary_{p.name} <= {p.name};" for p in inputs]
    lines += [f"    boundary_{p.name} <= block_{p.name};" for p in outputs]
    lines.append("  end")
    lines += [f"  assign {p.name} = boundary_{p.name};" for p in outputs]
    lines += ["endmodule", ""]
    return "\n".join(lines)


FLATTEN = ["setattr -unset keep_hierarchy c:*", "setattr -mod -unset keep_hierarchy *", "flatten"]


def elaborate(yosys, work, files, module, parameters):
    """Writes front.il, generic gates and flip-flops of the wrapped block. Returns the ports."""
    ports = ports_of(yosys, work, files, module, parameters)
    top = work / f"{TOP}.sv"
    top.write_text(wrapper(module, parameters, ports), encoding="utf-8")
    # Kogge-Stone carries: compares and differences are what limits an arbiter's period.
    # Read as one module, nothing would be left of memories, nor of what keeps second copies apart.
    hierarchy = module != MEMORY and MEMORY in {path.stem for path in files}
    yosys.run(read_command(yosys, [*files, top], TOP, hierarchy=hierarchy) +
              (f"blackbox {MEMORY}*\n" if hierarchy else "") +
              f"synth -flatten -noabc -top {TOP} -extra-map +/choices/kogge-stone.v\n"
              f"expose -evert t:{MEMORY}*\ndelete =A:blackbox\ndelete -port o:*.clk_i\n"
              "check -assert\n"
              f"write_rtlil {yosys.path(work / 'front.il')}\n" +
              "\n".join(FLATTEN) + f"\nwrite_json {yosys.path(work / 'generic.json')}\n", work, "front")
    return ports


# Command of Yosys; which of its cells are LUTs, carries and registers. A carry of ecp5 has two bits
# and takes the place of two LUTs, one of xilinx has four bits beside LUTs.
FPGA_TARGETS = {
    "ice40": ("synth_ice40", r"SB_LUT4", r"SB_CARRY", r"SB_DFF\w*"),
    "ecp5": ("synth_ecp5", r"LUT4", r"CCU2C", r"TRELLIS_FF"),
    "xilinx": ("synth_xilinx -family xc7 -nodsp -noiopad", r"LUT[1-6]", r"CARRY4", r"FD[RCSP]E"),
}


def map_to_fpga(yosys, work, files, module, parameters, target):
    """Counts of an FPGA family's cells, by type, for the block without boundary registers."""
    command = FPGA_TARGETS[target][0]
    out = work / f"{target}.json"
    yosys.run(read_command(yosys, files, module, parameters) +
              f"hierarchy -check -auto-top\n{command} -flatten\n"
              f"stat\nwrite_json {yosys.path(out)}\n", work, target)
    with open(out, encoding="utf-8") as stream:
        modules = json.load(stream)["modules"]
    counts = {}
    for body in modules.values():
        if not body["attributes"].get("top"):
            continue
        for cell in body["cells"].values():
            if cell["type"] != "$scopeinfo":
                counts[cell["type"]] = counts.get(cell["type"], 0) + 1
    return dict(sorted(counts.items()))


def fpga_totals(counts, target):
    """LUTs, carries and registers among the counts of map_to_fpga()."""
    patterns = dict(zip(("luts", "carries", "registers"), FPGA_TARGETS[target][1:]))
    return {name: sum(count for cell, count in counts.items() if re.fullmatch(pattern, cell))
            for name, pattern in patterns.items()}


def progress(message):
    print(message, file=sys.stderr, flush=True)
