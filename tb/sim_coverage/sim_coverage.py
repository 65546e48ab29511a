"""How many lines and branches of sim/ the tests reach, file by file.

The tests are those of the library (tb/unit) and those of the command (tb/cli); a test that fails ends it. clang counts
in the source: a branch is one outcome, true or false, of a condition, or a label of a switch, so that a condition of
two terms has four. What the compiler adds to the source, such as the ways that an exception takes, is none. Of a
template the instance counts that reaches most.

Prints the files of which less than 95 % of the lines or of the branches are reached, and the sum of all.
build-sim-coverage/missed.txt has every line that was not reached, and every branch.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TOP / "tb" / "cli"))
import marked  # noqa: E402
import usage  # noqa: E402
from markdown_table import markdown_table  # noqa: E402
from whole_file import write_whole  # noqa: E402

BUILD = TOP / "build-sim-coverage"
PROFILES = BUILD / "profiles"
MERGED = BUILD / "merged.profdata"
MISSED = BUILD / "missed.txt"
PROGRAMS = [BUILD / "tb/unit/unit_tests", BUILD / "tb/cli/cli_tests", BUILD / "qosarb"]
TESTS = PROGRAMS[:2]
PAGE = TOP / "docs/verification.md"
DATA = TOP / "docs/data/sim-coverage.json"
REASONS = TOP / "tb/sim_coverage/reasons.toml"
KINDS = ("lines", "branches")
ENOUGH = 0.95


class Fault(Exception):
    """One line for standard error."""


def run(command, **options):
    done = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        raise Fault(f"{' '.join(str(part) for part in command)} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def build():
    run([TOP / "scripts/install", "coverage"])
    run([TOP / "scripts/build", "--sim-coverage"])


def measure():
    """Runs the tests; their counts go to MERGED."""
    PROFILES.mkdir(exist_ok=True)
    for file in PROFILES.iterdir():
        file.unlink()
    for test in TESTS:
        # Each program adds to one file, the command as often as it is run; on a full disk it could not.
        run([test, "--gtest_brief=1", "--gtest_filter=-*FullDisk*"], env=os.environ | {"LLVM_PROFILE_FILE": f"{PROFILES}/%m.profraw"})
    run(["llvm-profdata", "merge", "-sparse", "-o", MERGED, *PROFILES.iterdir()])


def llvm_cov(*options):
    objects = [part for program in PROGRAMS[1:] for part in ("-object", program)]
    return subprocess.run(["llvm-cov", *options, "-instr-profile", MERGED, PROGRAMS[0], *objects], cwd=TOP,
                          stdout=subprocess.PIPE, text=True, check=True).stdout


def of_sim(name):
    """The path from TOP of a source in sim/, which the build may know by a link; None of another."""
    path = Path(name).resolve()
    return str(path.relative_to(TOP)) if path.is_relative_to(TOP / "sim") else None


def counts():
    """{file: {kind: [reached, all]}}"""
    files = json.loads(llvm_cov("export", "-summary-only"))["data"][0]["files"]
    return {name: {kind: [file["summary"][kind]["covered"], file["summary"][kind]["count"]] for kind in KINDS}
            for file in files if (name := of_sim(file["filename"]))}


def write_missed():
    """`llvm-cov show` says a line's number, how often it was reached, its text, and below it what its branches were."""
    where, source = None, ""
    with open(MISSED, "w", encoding="utf-8") as out:
        for line in llvm_cov("show", "-show-branches=count", "-show-instantiations=false").splitlines():
            if line.startswith("/") and line.endswith(":"):
                where = of_sim(line[:-1])
            elif reached := re.match(r" *(\d+)\| *([0-9.]+[kMG]?)?\|", line):
                source = f"{where}:{line.strip()}"
                if where and reached[2] == "0":
                    print(source, file=out)
            elif where and re.search(r"(True|False): 0[],]", line):
                print(f"{source}\n    {line.strip(' |')}", file=out)


def total(files):
    return {kind: [sum(file[kind][i] for file in files.values()) for i in (0, 1)] for kind in KINDS}


def enough(file):
    return all(reached >= ENOUGH * every for reached, every in file.values())


def commit_of_sources():
    """The last commit that changed what was built or run, with a + where it is not what was."""
    def git(*arguments):
        return run(["git", *arguments, "--", "sim", "tb/unit", "tb/cli", "tb/command"]).strip()
    return git("log", "-1", "--format=%h") + ("+" if git("status", "--porcelain") else "")


def cell(reached, every):
    return f"{reached} of {every}, {100 * reached / every:.1f} %" if every else "none"


def table():
    """The page's: the sum of each folder, and every file of which too little is reached, with the reason."""
    data = json.loads(DATA.read_text())
    reasons = tomllib.loads(REASONS.read_text())
    files = data["files"]
    few = {name: file for name, file in files.items() if not enough(file)}
    why = {name: next((pattern for pattern in reasons if fnmatch(name, pattern)), None) for name in few}
    for name in [name for name in sorted(few) if why[name] is None]:
        raise Fault(f"{REASONS.relative_to(TOP)}: no reason why less than {100 * ENOUGH:.0f} % of {name} are reached")
    for pattern in [pattern for pattern in reasons if pattern not in why.values()]:
        raise Fault(f"{REASONS.relative_to(TOP)}: '{pattern}' needs no reason")
    folders = {}
    for name, file in files.items():
        folders.setdefault(name.split("/")[1], {})[name] = file
    rows = [(f"`sim/{folder}`, {len(inside)} files", total(inside), "") for folder, inside in sorted(folders.items())]
    rows.append((f"all {len(files)} files, at commit `{data['commit']}`", total(files), ""))
    rows += [(f"`{name}`", file, reasons[why[name]]) for name, file in sorted(few.items())]
    head = ["", *KINDS, f"why not {100 * ENOUGH:.0f} % of each"]
    return markdown_table(head, [[what, *(cell(*sums[kind]) for kind in KINDS), text] for what, sums, text in rows])


def publish(files):
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(file)}" for name, file in sorted(files.items()))
    write_whole(DATA, f'{{\n "commit": {json.dumps(commit_of_sources())},\n "files": {{\n{lines}\n }}\n}}\n')
    marked.fill(PAGE, "coverage", {"files": table()})


def main():
    options = usage.Parser(prog="scripts/coverage", description=__doc__)
    options.add_argument("--publish", action="store_true", help="put the counts into docs/, too")
    options.add_argument("--check-page", action="store_true",
                         help="measure nothing; whether the page's table is what the data in docs/ say")
    arguments = options.parse_args()
    try:
        if arguments.check_page:
            for fault in marked.faults(PAGE, "coverage", {"files": table()}, "scripts/coverage --publish"):
                raise Fault(fault)
            return 0
        build()
        with open(BUILD / "coverage.lock", "w") as lock:  # two would count into each other's files
            fcntl.flock(lock, fcntl.LOCK_EX)
            measure()
            files = counts()
            write_missed()
        for name, file in sorted(files.items()) + [("all", total(files))]:
            if name == "all" or not enough(file):
                print(f"{name}: lines {cell(*file['lines'])}; branches {cell(*file['branches'])}")
        if arguments.publish:
            publish(files)
    except Fault as fault:
        print(f"coverage: {fault}", file=sys.stderr)
        return 1
    except OSError as fault:
        print(f"coverage: {fault.filename}: {fault.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
