"""Simulates netlists of engines, Verilated with a driver in C++, beside the references of their policies."""

import os
import shutil
import subprocess
from pathlib import Path

_REFERENCES = [f"tb/{name}.a" for name in ("kernel/liblockstep_kernel", "random/libpolicy_random",
                                           "cosim/libpolicy_rtl")] + ["sim/libqosarb.a", "sim/libqosarb_policy.a"]
_LIBRARIES = ["-lyaml-cpp", "-lfmt", "-lz", "-llzma"]


class NotBuilt(Exception):
    """The first error of what builds or runs a simulation."""


def parameters(name, model, values):
    """The struct `name` of C++ that tb/kernel/pins wants as a Build: the class of Verilator's and the parameters
    of the netlist, by their RTL names."""
    values = {"MaxPacketFlits": 255} | values
    if "Entries" not in values:  # one for each queue
        values["Entries"] = values["Queues"]
    lines = [f"struct {name} {{", f"  using Model = {model};"]
    for parameter, value in values.items():
        kind = "std::uint32_t" if parameter in ("MaxPacketFlits", "Entries") else "Index"
        lines.append(f"  static constexpr {kind} k{parameter} = {value};")
    return "\n".join([*lines, "};", ""])


def tree(root):
    """Where the project is built: the environment's QOSARB_BUILD, or build/."""
    return Path(os.environ.get("QOSARB_BUILD", root / "build"))


def references(root):
    """The libraries of the references and of what shows them and an engine the same."""
    libraries = [tree(root) / name for name in _REFERENCES]
    if not all(library.exists() for library in libraries):
        raise NotBuilt("build the project first (scripts/build)")
    return libraries


def build(root, directory, sources, driver, top, prefix, verilator=(), flags=""):
    """Builds the program of `driver`, in which the module `top` of `sources` is the class `prefix`; returns its path.
    The driver includes what it finds in the directory's parent, in rtl, tb and the installed headers."""
    libraries = references(root)
    shutil.rmtree(directory, ignore_errors=True)  # what an older run left may name files that are gone
    includes = " ".join(f"-I{path}" for path in (directory.parent, tree(root) / "include", root / "rtl", root / "tb"))
    command = ["verilator", "--cc", "--exe", "--build", "-O3", "--prefix", prefix, "--top-module", top,
               "--Mdir", str(directory), "-Wno-fatal", "-Wno-lint", *verilator,
               "-CFLAGS", f"-std=c++20 {includes} {flags}",
               "-LDFLAGS", " ".join([*map(str, libraries), *_LIBRARIES]), *map(str, sources), str(driver)]
    ccache = "ccache" if shutil.which("ccache") else ""
    run(command, dict(os.environ, OBJCACHE=ccache))
    return directory / prefix


def run(command, environment=None, directory=None):
    """What the command says on stdout."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=directory)
    if result.returncode != 0:
        text = (result.stdout + result.stderr).strip().splitlines()
        errors = [line for line in text if "rror" in line or "seed" in line] or text[-1:]
        raise NotBuilt(errors[0] if errors else "failed")
    return result.stdout.strip()
