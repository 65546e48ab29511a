"""Mutants in simulation, the tests of an engine and what runs for long: Verilated once, one of them switched on in each
run."""

import hashlib
import sys

import prove

sys.path.append(str(prove.TOP / "tb/kernel"))
import netlist_bench  # noqa: E402

NotBuilt = netlist_bench.NotBuilt


def build(proof, size, directory):
    """Builds the program that tests the mutants of directory/engine.v; returns its path."""
    header, pins = proof["pins"]
    parameters = proof.get("parameters", {}) | size
    values = {name: int(str(value).split("'b")[-1]) for name, value in parameters.items()}
    (directory / "mutant_parameters.hpp").write_text(f"""// Generated: the netlist that has the mutants.
#pragma once

#include "Vengine.h"
#include "kernel/pins/{header}.hpp"
#include "kernel/pins/state.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::test {{

inline const PolicyRef kPolicy = policy_named("{proof['policy']}");
{netlist_bench.parameters("Netlist", "Vengine", values | {"Latency": proof.get("latency", 0)})}
using Engine = WithState<{pins}, Netlist>;

}}  // namespace qosarb::test
""")
    return netlist_bench.build(prove.TOP, directory / "simulation", [directory / "engine.v"],
                               prove.HERE / "mutants.cpp", "engine", "Vengine", ["--x-initial", "unique"], "-O1")


def digest_of_tests():
    """Changes with whatever tells a mutant apart."""
    kernel = prove.TOP / "tb/kernel"
    files = [prove.HERE / "mutants.cpp", *sorted(kernel.rglob("*.hpp")), *netlist_bench.references(prove.TOP)]
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()[:12]


def build_runs(proof, directory):
    """Builds the program that runs the mutants of directory/proof.v for long; returns its path."""
    top = proof["top"]
    return netlist_bench.build(prove.TOP, directory / "runs", [directory / "proof.v"], prove.HERE / proof["runs"], top,
                               f"V{top}", ["--x-initial", "unique"], "-O2")


def killed(program, arguments, numbers):
    """Those of the mutants that a program tells apart."""
    lines = netlist_bench.run([str(program), *map(str, arguments), *map(str, numbers)]).splitlines()
    return {int(line.split()[0]) for line in lines if line.split()[1] == "killed"}
