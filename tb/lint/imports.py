"""What users of other tools import: the file list, the FuseSoC core, the Bender manifest."""

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import yaml

from common import CLEAN, FINDINGS, RTL, rtl_sources, run


def bindings():
    """By module, how the header of what checks it says that it is bound."""
    said = {}
    for file in rtl_sources("qosarb_checks.f"):
        header = "\n".join(re.findall(r"^// ?(.*)", (RTL / file).read_text().split("\nmodule ")[0], re.MULTILINE))
        for statement, module in re.findall(r"^ *(bind (\w+) [^;]*;)", header, re.MULTILINE):
            said[module] = statement
    return said


def check_verilator():
    on_disk = sorted(str(file.relative_to(RTL)) for file in RTL.rglob("*.sv"))
    listed = rtl_sources() + rtl_sources("qosarb_checks.f")
    if sorted(listed) != on_disk:
        print(f"rtl/qosarb.f and qosarb_checks.f do not list what is in rtl/: {sorted(set(listed) ^ set(on_disk))}")
        return 1
    with tempfile.TemporaryDirectory() as folder:  # from elsewhere, as a user has it
        status, output = run(["verilator", "--lint-only", "-Wall", "-F", RTL / "qosarb.f",
                              "--top-module", "qosarb_port"], cwd=folder)
        print(output, end="")
        failed = status != 0
        said = bindings()
        if len(said) != len(rtl_sources("qosarb_checks.f")):
            print(f"the headers of rtl/checks say only of {sorted(said)} how checks are bound to them")
            failed = True
        Path(folder, "bind.sv").write_text("\n".join([*said.values(), ""]))
        for module in said:
            status, output = run(["verilator", "--lint-only", "--assert", "-Wall", "-Wno-SYNCASYNCNET", "-F",
                                  RTL / "qosarb.f", "-F", RTL / "qosarb_checks.f", "bind.sv", "--top-module", module],
                                 cwd=folder)
            print(output, end="")
            failed = failed or status != 0
    return FINDINGS if failed else CLEAN


def check_fusesoc():
    rtl, checks = rtl_sources(), rtl_sources("qosarb_checks.f")
    return max(imported_by_fusesoc(rtl), imported_by_fusesoc(rtl + checks, "--flag", "checks"))


def imported_by_fusesoc(sources, *options):
    fusesoc = Path(sys.executable).parent / "fusesoc"  # of scripts/venv
    with tempfile.TemporaryDirectory() as folder:
        # What FuseSoC keeps for a user stays out of this user's home.
        kept = {f"XDG_{what}_HOME": folder for what in ("CONFIG", "DATA", "CACHE")}
        work = Path(folder) / "work"
        status, output = run(
            [fusesoc, "--cores-root", RTL, "run", *options, "--target", "lint", "--work-root", work,
             "qosarb:ip:port", "--Entries=16"],
            cwd=folder, env={**os.environ, **kept},
        )
        imported = [str(file.relative_to(work)) for file in work.rglob("*.sv")]
        arguments = "".join(file.read_text() for file in work.glob("*.vc"))
    listed = [line.split("/", 2)[2] for line in arguments.splitlines() if line.endswith(".sv")]
    if status != 0 or listed != sources or len(imported) != len(listed):
        print(output)
        print(f"FuseSoC imported {listed}, not {sources}")
        return FINDINGS
    print(f"FuseSoC imported and linted {len(listed)} files")
    return CLEAN


def check_bender():
    listed = yaml.safe_load((RTL / "Bender.yml").read_text())["sources"]
    expected = [*rtl_sources(), {"target": "checks", "files": rtl_sources("qosarb_checks.f")}]
    if listed != expected:
        print(f"rtl/Bender.yml lists {listed}, not {expected}")
        return FINDINGS
    bender = shutil.which("bender")
    if bender is None:
        print("rtl/Bender.yml lists the files of rtl/qosarb.f and qosarb_checks.f; Bender itself is not installed")
        return CLEAN
    with tempfile.TemporaryDirectory() as folder:
        # A chip that depends on the port.
        chip = Path(folder)
        (chip / "Bender.yml").write_text(
            "package:\n  name: chip\n"
            f"dependencies:\n  qosarb: {{ path: {json.dumps(str(RTL))} }}\n"
            "sources: []\n"
        )
        status, output = run([bender, "script", "flist"], cwd=chip)
        if status == 0:
            listed = [line for line in output.splitlines() if line.endswith(".sv")]
            imported = [str(Path(line).relative_to(RTL)) for line in listed]
            if imported == rtl_sources():
                (chip / "chip.f").write_text("\n".join(listed) + "\n")
                status, output = run(["verilator", "--lint-only", "-Wall", "-f", "chip.f",
                                      "--top-module", "qosarb_port"], cwd=chip)
            else:
                status, output = 1, f"Bender imported {imported}, rtl/qosarb.f has {rtl_sources()}\n"
    print(output if status else f"Bender imported {len(rtl_sources())} files, and they lint\n", end="")
    return 1 if status else 0
