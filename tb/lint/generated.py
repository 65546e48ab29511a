"""What scripts/regmap writes."""

import shutil
import tempfile
from pathlib import Path

from common import TOP, run

BEYOND = 'reg { name = "Beyond"; field { desc = "No address."; } MASK[31:0]; } BEYOND @ 0x2000;\n'


def says_of(change, *options):
    """What scripts/regmap says, in a tree that has no more than it reads and no page, of a change of its first file of a policy."""
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory)
        for folder in ("rtl", "tb/regmap", "tb/cli"):
            shutil.copytree(TOP / folder, tree / folder)
        with min((tree / "rtl/policy").glob("*.rdl")).open("a") as file:
            file.write(change)
        _, venv = run([TOP / "scripts/venv"])
        return run([Path(venv.strip()) / "bin/python", "tb/regmap/regmap.py", *options], cwd=tree)


def check_regmap():
    status, output = run([TOP / "scripts/regmap", "--check"])
    print(output, end="")
    failed = status != 0
    header = TOP / "rtl/port/qosarb_port_regs.h"
    for compiler in (["cc", "-x", "c", "-std=c99"], ["c++", "-x", "c++", "-std=c++20"]):
        status, output = run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                              header])
        print(output, end="")
        failed = failed or status != 0
    status, output = says_of("", "--check")
    if status != 1 or not output.endswith("the generated files differ from their sources\n"):
        print(f"without a page scripts/regmap --check says {output[-200:]}, exit status {status}")
        failed = True
    said = says_of(BEYOND)
    if said != (1, "rtl/port/qosarb_port.rdl: BEYOND: it is beyond the window of 8192 bytes\n"):
        print(f"of a register beyond the window scripts/regmap says {said}")
        failed = True
    for page, language, file in (
        ("programming", "c", "tb/rtl/program_port.c"),
        ("integration", "systemverilog", "tb/rtl/link_example.sv"),
        ("library", "cpp", "tb/systemc/consumer/decide.cpp"),
    ):
        if f"```{language}\n{(TOP / file).read_text()}```\n" not in (TOP / f"docs/{page}.md").read_text():
            print(f"docs/{page}.md does not quote {file} as it is")
            failed = True
    return 1 if failed else 0
