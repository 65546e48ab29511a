"""What scripts/regmap writes."""

from common import TOP, run


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
    for page, language, file in (
        ("integration", "c", "tb/rtl/program_port.c"),
        ("integration", "systemverilog", "tb/rtl/link_example.sv"),
        ("library", "cpp", "tb/systemc/consumer/decide.cpp"),
    ):
        if f"```{language}\n{(TOP / file).read_text()}```\n" not in (TOP / f"docs/{page}.md").read_text():
            print(f"docs/{page}.md does not quote {file} as it is")
            failed = True
    return 1 if failed else 0
