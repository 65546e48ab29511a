"""A policy is a matter of its own files: those beside them that name it are counted, and its own stand on the page."""

import re
from pathlib import Path

from common import TOP

# The ninth policy, of which docs/adding-a-policy.md tells, and how many may name it: a registry in each room, the
# port, the register map, the list of sources, and what lists engines that are no policies.
POLICY = "ets"
MOST = 10

ROOMS = ("rtl", "sim", "tb", "scripts", "constraints", "cmake")

# Pages, the papers' rows, inputs of fuzzers, what is generated, and what a check wrote.
LEFT_OUT = re.compile(r"^tb/papers/|^tb/fuzz/corpus/|__pycache__|\.md$|^rtl/port/qosarb_port_(regs\.h|reg_pkg\.sv)$"
                      r"|^rtl/(Bender\.yml|qosarb\.core)$|^tb/lint/(names\.py|tidy_read\.json)$")
NAMED = re.compile(rf"(?<![a-zA-Z]){POLICY}(?![a-zA-Z])|{POLICY.capitalize()}(?![a-z])")


def check_names():
    own, others = [], []
    for path in sorted(path for room in ROOMS for path in (TOP / room).rglob("*") if path.is_file()):
        name = path.relative_to(TOP).as_posix()
        if not LEFT_OUT.search(name):
            if NAMED.search(path.stem):
                own.append(name)
            elif NAMED.search(path.read_text(encoding="utf-8", errors="ignore")):
                others.append(name)
    print(f"{POLICY}: {len(own)} files of its own, {len(others)} others that name it, {MOST} allowed")
    page = (TOP / "docs" / "adding-a-policy.md").read_text()
    untold = [name for name in own if f"{Path(name).name}`" not in page and f"{Path(name).stem}.*`" not in page]
    for name in untold:
        print(f"docs/adding-a-policy.md does not tell of {name}")
    if len(others) > MOST or not own:
        print("\n".join(others))
        return 1
    return 1 if untold else 0
