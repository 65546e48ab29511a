"""Simulates a mapped netlist against the C++ reference of its policy."""

import sys
from pathlib import Path

import gate_models
import mapping
from engines import ENGINES
from library import FlowError

sys.path.append(str(Path(__file__).resolve().parents[1] / "kernel"))
import netlist_bench  # noqa: E402


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
    (work / "gate_parameters.hpp").write_text(_parameters(block), encoding="utf-8")
    models = work / "cells.v"
    gate_models.write_models(library, [i.cell for i in netlist.instances.values()], models)
    try:
        return netlist_bench.build(root, work / ("gates-activity" if activity else "gates"), [work / "netlist.v", models],
                              root / "tb/synth/gate_level/gate_check.cpp", mapping.TOP, "Vgates",
                              ["--trace", "--trace-depth", "1"] if activity else [],
                              "-O0 -DQOSARB_ACTIVITY" if activity else "-O0")
    except netlist_bench.NotBuilt as error:
        raise FlowError(f"gate-level check: {error}") from error


def run(simulation, seed, tables, wrong_gate=None):
    """Runs what simulate() built, in its work directory; `wrong_gate`: with that gate inverted."""
    command = [str(simulation), str(seed), str(tables)]
    if wrong_gate is not None:
        command.append(str(wrong_gate))
    try:
        return netlist_bench.run(command, directory=simulation.parent.parent)
    except netlist_bench.NotBuilt as error:
        raise FlowError(f"gate-level check: {error}") from error


def _parameters(block):
    """A C++ header with the parameters of the netlist and its pins."""
    engine = ENGINES[block.policy]
    header, pins = engine["pins"]
    reference = engine.get("reference", block.policy)
    lies = "false" if engine.get("honest_heads") else "true"
    return f"""// Generated: the parameters of the netlist.
#pragma once

#include "Vgates.h"
#include "kernel/pins/{header}.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::test {{

inline const PolicyRef kPolicy = policy_named("{reference}");
inline constexpr bool kHeadsMayLie = {lies};
{netlist_bench.parameters("Gates", "Vgates", block.parameters)}using GatePins = {pins}<Gates>;

}}  // namespace qosarb::test
"""
