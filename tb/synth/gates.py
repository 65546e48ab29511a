"""Simulates a mapped netlist against the C++ reference of its policy."""

import os
import shutil
import subprocess

import gate_models
import mapping
from engines import ENGINES
from library import FlowError

_LIBRARIES = ["-lyaml-cpp", "-lfmt", "-lz", "-llzma"]


def check(root, block, library, netlist, work, seed, tables, activity=False):
    """Runs `tables` random tables. Returns the driver's line of success; raises FlowError.

    With `activity`, the first table's run leaves work/activity.vcd.
    """
    simulation = simulate(root, block, library, netlist, work, activity)
    return run(simulation, seed, tables)


def simulate(root, block, library, netlist, work, activity=False):
    """Builds the simulation of work/netlist.v, the netlist, and returns its path."""
    if block.policy not in ENGINES:
        raise FlowError(f"gate-level check: no driver for policy {block.policy}")
    references = [root / "build" / name for name in
                  ("tb/kernel/liblockstep_kernel.a", "tb/random/libpolicy_random.a",
                   "sim/libqosarb.a", "sim/libqosarb_policy.a")]
    if not all(reference.exists() for reference in references):
        raise FlowError("gate-level check: build the project first (scripts/build)")
    (work / "gate_parameters.hpp").write_text(_parameters(block),
                                              encoding="utf-8")
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
               str(work / "netlist.v"), str(models), str(sources / "gate_check.cpp")]
    environment = dict(os.environ, OBJCACHE="ccache" if _has("ccache") else "")
    _run(command, "verilator: ", environment)
    return build / "Vgates"


def run(simulation, seed, tables, wrong_gate=None):
    """Runs what simulate() built, in its work directory; `wrong_gate`: with that gate inverted."""
    command = [str(simulation), str(seed), str(tables)]
    if wrong_gate is not None:
        command.append(str(wrong_gate))
    return _run(command, "", dict(os.environ), simulation.parent.parent)


def _parameters(block):
    """A C++ header with the parameters of the netlist, by their RTL names, and its pins."""
    engine = ENGINES[block.policy]
    header, pins = engine["pins"]
    reference = engine.get("reference", block.policy)
    values = {"MaxPacketFlits": 255} | block.parameters
    if "Entries" not in values:  # one for each queue
        values["Entries"] = values["Queues"]
    lines = ["// Generated: the parameters of the netlist.", "#pragma once", "",
             '#include "Vgates.h"', f'#include "kernel/pins/{header}.hpp"',
             '#include "qosarb/policy/policy.hpp"', "", "namespace qosarb::test {", "",
             f'inline const PolicyRef kPolicy = policy_named("{reference}");',
             "inline constexpr bool kHeadsMayLie = "
             f"{'false' if engine.get('honest_heads') else 'true'};",
             "struct Gates {", "  using Model = Vgates;"]
    for name, value in values.items():
        kind = "std::uint32_t" if name in ("MaxPacketFlits", "Entries") else "Index"
        lines.append(f"  static constexpr {kind} k{name} = {value};")
    return "\n".join([*lines, "};", f"using GatePins = {pins}<Gates>;", "",
                      "}  // namespace qosarb::test", ""])


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
