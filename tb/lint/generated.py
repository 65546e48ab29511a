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
    example = (TOP / "tb/rtl/program_port.c").read_text()
    if f"```c\n{example}```\n" not in (TOP / "docs/integration.md").read_text():
        print("docs/integration.md does not quote tb/rtl/program_port.c as it is")
        failed = True
    return 1 if failed else 0
