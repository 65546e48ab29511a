"""A policy is a matter of its own files: those beside them that name it are counted, and its own stand on the page."""

import re
import tomllib
from pathlib import Path

from common import TOP
from parameter_sets import policies

# The ninth policy, of which docs/adding-a-policy.md tells, and how many may name it: a registry in each room, the
# port, the register map, the list of sources, and what lists engines that are no policies.
POLICY = "ets"
MOST = 10

ROOMS = ("rtl", "sim", "tb", "scripts", "constraints", "cmake")

# Pages, the papers' rows, inputs of fuzzers, what is generated, and what a check wrote.
LEFT_OUT = re.compile(r"^tb/papers/|^tb/fuzz/corpus/|__pycache__|\.md$|^rtl/port/qosarb_port_(regs\.h|reg_pkg\.sv)$"
                      r"|^rtl/(Bender\.yml|qosarb\.core)$|^tb/lint/(names\.py|tidy_read\.json)$")
NAMED = re.compile(rf"(?<![a-zA-Z])({POLICY}|{POLICY.upper()})(?![a-zA-Z])|{POLICY.capitalize()}(?![a-z])")

# What has a list of policies of its own, in a table of each file of a folder, and would say nothing of one left out.
LISTS = (("tb/formal/proofs", "proof"), ("tb/faults/policy", "fault"))

# What looks like an engine and is one of two others.
CHOICE = "qosarb_bxi"


def left_out():
    """What says nothing of a policy of the register map, though it should, a line each."""
    known = {re.sub("(?<!^)(?=[A-Z])", "-", name).lower(): bit for name, bit in policies().items()}
    for folder, table in LISTS:
        files = sorted((TOP / folder).glob("*.toml"))
        listed = {entry.get("policy") for file in files for entry in tomllib.loads(file.read_text()).get(table, [])}
        yield from (f"{folder}/ has no {table} of {policy}" for policy in known if policy not in listed)
    proof = "tb/formal/port_commit_proof.sv"
    built = int(re.search(r"Policies += 32'h([0-9a-f]+)", (TOP / proof).read_text())[1], 16)
    yield from (f"{proof} is of a port without {policy}" for policy, bit in known.items() if not built & bit)
    parts = "".join(file.read_text() for file in (TOP / "tb/formal/commit").glob("*.svh"))
    yield from (f"tb/formal/commit/ has no part of {policy}" for policy, name in zip(known, policies(), strict=True)
                if f"own_says[Policy{name}]" not in parts)
    slots = "rtl/port/qosarb_port_policies.sv"  # what none drives stays undriven there, without a word
    text = (TOP / slots).read_text()
    share = set(re.findall(r"Policy(\w+)", re.search(r"Both = (.*?);", text)[1]))
    driven = set(re.findall(r"\.slot_o *\(answer\[place\(Policy(\w+)\)\]\)", text))
    driven |= share if share & driven else set()
    yield from (f"{slots} has no slot of {policy}" for policy, name in zip(known, policies(), strict=True)
                if name not in driven)
    yield from untold_of(known)
    yield from engines_left_out()


def untold_of(known):
    """Where a reader looks for a policy, or scripts/bench for its arbiter, and finds none."""
    for policy in known:
        yield from (f"{name} is not there" for name in (f"docs/policies/{policy}.md", f"tb/bench/arbiters/{policy}.yaml")
                    if not (TOP / name).exists())
        yield from (f"{page} has no row of {policy}" for page, row in (
            ("README.md", f"\n| `{policy}` |"), ("docs/policies/README.md", f"\n| [{policy}]({policy}.md) |"))
                    if row not in (TOP / page).read_text())


def engines_left_out():
    """Engines without cover points, and those that are not reset by themselves."""
    covers = "".join(file.read_text() for file in (TOP / "tb/coverage").glob("*.sv"))
    together = (TOP / "tb/rtl/engines.sv").read_text()
    for file in sorted((TOP / "rtl/policy").glob("*.sv")):
        text = file.read_text()
        if file.stem != CHOICE and re.search(r"output logic .*\bgrant_o\b", text):
            if not re.search(rf"\bbind {file.stem} ", covers):
                yield f"tb/coverage/ has no cover points of {file.stem}"
            if not re.search(rf"\b{file.stem} #", together):
                yield f"tb/rtl/engines.sv has no {file.stem}"


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
    faults = [f"docs/adding-a-policy.md does not tell of {name}" for name in untold] + [*left_out()]
    print("".join(f"{fault}\n" for fault in faults), end="")
    if len(others) > MOST or not own:
        print("\n".join(others))
        return 1
    return 1 if faults else 0
