"""Simulates a mapped netlist against the C++ reference of its policy."""

import os
import shutil
import subprocess

import gate_models
import mapping
from library import FlowError

# The reference policy of each engine, and its driver in gate_level/.
CHECKED = {"rr": ("rr", "rr"),
           "bxi-basic": ("bxi-basic", "bxi"), "bxi-deficit": ("bxi-deficit", "bxi"),
           "bxi-table": ("bxi-deficit", "bxi"), "baseline-deficit": ("bxi-deficit", "bxi"),
           "sbt": ("sbt", "levels"), "dtable": ("dtable", "levels"),
           "dtable-lookahead": ("dtable", "levels"),
           "infiniband": ("infiniband", "lanes"), "seastar-age": ("seastar-age", "ages"),
           "trtcm": ("trtcm", "classes"), "ets": ("ets", "ets")}

_LIBRARIES = ["-lyaml-cpp", "-lfmt"]


def check(root, block, library, netlist, work, seed, tables, activity=False):
    """Runs `tables` random tables. Returns the driver's line of success; raises FlowError.

    With `activity`, the first table's run leaves work/activity.vcd.
    """
    simulation = simulate(root, block, library, netlist, work, activity)
    return run(simulation, seed, tables)


def simulate(root, block, library, netlist, work, activity=False):
    """Builds the simulation of work/netlist.v, the netlist, and returns its path."""
    if block.policy not in CHECKED:
        raise FlowError(f"gate-level check: no driver for policy {block.policy}")
    references = [root / "build" / "sim" / name for name in ("libqosarb.a", "libqosarb_policy.a")]
    if not all(reference.exists() for reference in references):
        raise FlowError("gate-level check: build the project first (scripts/build)")
    policy, driver = CHECKED[block.policy]
    (work / "gate_parameters.hpp").write_text(_parameters(block, policy), encoding="utf-8")
    models = work / "cells.v"
    gate_models.write_models(library, [i.cell for i in netlist.instances.values()], models)
    sources = root / "tb" / "synth" / "gate_level"
    build = work / ("gates-activity" if activity else "gates")
    shutil.rmtree(build, ignore_errors=True)  # what an older run left may name files that are gone
    define = " -DQOSARB_ACTIVITY" if activity else ""
    command = ["verilator", "--cc", "--exe", "--build", "-O3", "--prefix", "Vgates",
               "--top-module", mapping.TOP, "--Mdir", str(build), "-Wno-fatal", "-Wno-lint",
               *(["--trace", "--trace-depth", "1"] if activity else []),
               "-CFLAGS", f"-std=c++20 -O0 -I{work} -I{root / 'build' / 'include'} "
                          f"-I{root / 'tb'}{define}",
               "-LDFLAGS", " ".join([*map(str, references), *_LIBRARIES]),
               str(work / "netlist.v"), str(models), str(sources / "gate_check.cpp"),
               str(sources / f"driver_{driver}.cpp")]
    environment = dict(os.environ, OBJCACHE="ccache" if _has("ccache") else "")
    _run(command, "verilator: ", environment)
    return build / "Vgates"


def run(simulation, seed, tables, wrong_gate=None):
    """Runs what simulate() built, in its work directory; `wrong_gate`: with that gate inverted."""
    command = [str(simulation), str(seed), str(tables)]
    if wrong_gate is not None:
        command.append(str(wrong_gate))
    return _run(command, "", dict(os.environ), simulation.parent.parent)


def _parameters(block, policy):
    """A C++ header with the parameters of the netlist, by their RTL names."""
    values = {"MaxPacketFlits": 255} | block.parameters
    values["QueueWidth"] = max(1, (values["Queues"] - 1).bit_length())
    values["FlitsWidth"] = values["MaxPacketFlits"].bit_length()
    if "Entries" not in values:  # one for each queue
        values["Entries"] = values["Queues"]
    lines = ["// Generated: the parameters of the netlist.", "#pragma once", "",
             "#include <cstddef>", "#include <cstdint>", "",
             '#include "qosarb/policy/policy.hpp"', "", "namespace qosarb::gate_level {", "",
             f'inline const PolicyRef kPolicy = policy_named("{policy}");']
    for name, value in values.items():
        kind = "std::uint32_t" if name == "MaxPacketFlits" else "std::size_t"
        lines.append(f"constexpr {kind} k{name} = {value};")
    return "\n".join([*lines, "", "}  // namespace qosarb::gate_level", ""])


def _has(tool):
    return any(os.access(os.path.join(directory, tool), os.X_OK)
               for directory in os.environ.get("PATH", "").split(os.pathsep))


def _run(command, what, environment, directory=None):
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment,
                            cwd=directory)
    if result.returncode != 0:
        text = (result.stdout + result.stderr).strip().splitlines()
        errors = [line for line in text if "rror" in line or "seed" in line] or text[-1:]
        raise FlowError(f"gate-level check: {what}{errors[0] if errors else 'failed'}")
    return result.stdout.strip()
