"""Simulates a mapped netlist against the C++ reference of its policy."""

import os
import subprocess

import gate_models
import mapping
from library import FlowError

# Policies that the driver can feed, by their name in the reference.
CHECKED = {"rr": "Rr", "bxi-basic": "BxiBasic", "bxi-deficit": "BxiDeficit",
           "baseline-deficit": "BxiDeficit"}

_LIBRARIES = ["-lyaml-cpp", "-lfmt"]


def check(root, block, library, netlist, work, seed, tables, activity=False):
    """Runs `tables` random tables. Returns the driver's line of success; raises FlowError.

    With `activity`, the first table's run leaves work/activity.vcd.
    """
    if block.policy not in CHECKED:
        raise FlowError(f"gate-level check: no driver for policy {block.policy}")
    reference = root / "build" / "sim" / "libqosarb.a"
    if not reference.exists():
        raise FlowError("gate-level check: build the project first (scripts/build)")
    parameters = block.parameters
    queues, longest = parameters["Queues"], parameters["MaxPacketFlits"]
    (work / "gate_parameters.hpp").write_text(
        "// Generated: the parameters of the netlist.\n#pragma once\n\n"
        "#include \"qosarb/policy/config.hpp\"\n\n"
        f"constexpr auto kPolicy = qosarb::Policy::{CHECKED[block.policy]};\n"
        f"constexpr int kQueues = {queues};\n"
        f"constexpr int kQueueWidth = {max(1, (queues - 1).bit_length())};\n"
        f"constexpr int kEntries = {parameters['Entries']};\n"
        f"constexpr int kQuantumWidth = {parameters['QuantumWidth']};\n"
        f"constexpr std::uint32_t kMaxPacketFlits = {longest};\n"
        f"constexpr int kFlitsWidth = {longest.bit_length()};\n", encoding="utf-8")
    models = work / "cells.v"
    gate_models.write_models(library, [i.cell for i in netlist.instances.values()], models)
    build = work / ("gates-activity" if activity else "gates")
    define = " -DQOSARB_ACTIVITY" if activity else ""
    command = ["verilator", "--cc", "--exe", "--build", "-O3", "--prefix", "Vgates",
               "--top-module", mapping.TOP, "--Mdir", str(build), "-Wno-fatal", "-Wno-lint",
               *(["--trace", "--trace-depth", "1"] if activity else []),
               "-CFLAGS", f"-std=c++20 -O0 -I{work} -I{root / 'build' / 'include'}{define}",
               "-LDFLAGS", " ".join([str(reference), *_LIBRARIES]),
               str(work / "netlist.v"), str(models), str(root / "tb" / "synth" / "gate_check.cpp")]
    environment = dict(os.environ, OBJCACHE="ccache" if _has("ccache") else "")
    _run(command, "verilator", environment)
    return _run([str(build / "Vgates"), str(seed), str(tables)], block.policy, environment,
                work)


def _has(tool):
    return any(os.access(os.path.join(directory, tool), os.X_OK)
               for directory in os.environ.get("PATH", "").split(os.pathsep))


def _run(command, what, environment, directory=None):
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment,
                            cwd=directory)
    if result.returncode != 0:
        text = (result.stdout + result.stderr).strip().splitlines()
        errors = [line for line in text if "rror" in line or "seed" in line] or text[-1:]
        raise FlowError(f"gate-level check: {what}: {errors[0] if errors else 'failed'}")
    return result.stdout.strip()
