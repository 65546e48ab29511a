"""Fuzzes parsers, guided by coverage, under the address and undefined-behaviour sanitizers.

A fuzzer starts from the corpus that ships (tb/fuzz/corpus) and from what earlier runs have found
(build-fuzz/found), so that a run goes on where the last one ended. An input that crashes a parser, leaks, takes
longer than 20 seconds or more than 2 GB, or is refused by anything but one line with file, line and fault, is left
in build-fuzz/crashes; the exit status is then 1.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TOP / "tb" / "cli"))
import marked  # noqa: E402
import usage  # noqa: E402
from markdown_table import markdown_table  # noqa: E402
from whole_file import write_whole  # noqa: E402

CORPUS = TOP / "tb/fuzz/corpus"
BUILD = TOP / "build-fuzz"
FOUND = BUILD / "found"
CRASHES = BUILD / "crashes"
PAGE = TOP / "docs/verification.md"
DATA = TOP / "docs/data/fuzz.json"

SOURCES = ["tb/fuzz/parsers", "tb/fuzz/input.cpp"]
OPTIONS = ["-max_len=1024", "-timeout=20", "-report_slow_units=20", "-rss_limit_mb=2048", "-entropic=0",
           f"-dict={TOP}/tb/fuzz/words.dict"]
COLUMNS = {"parser": str, "inputs": int, "edges": int, "seconds": int, "commit": str}
SHIPPED_BYTES = 160  # of an input that was found
# An input is small and its life is short: what the sanitizer keeps of each allocation is most of its time.
ENVIRONMENT = os.environ | {"ASAN_OPTIONS": "malloc_context_size=1:quarantine_size_mb=1:"
                                            "thread_local_quarantine_size_kb=64:detect_leaks=1"}


def parsers():
    return sorted(file.stem for file in (TOP / "tb/fuzz/parsers").glob("*.cpp"))


def commit_of_sources():
    """The last commit that changed them, with a + where they are not what it has."""
    def git(*arguments):
        return subprocess.run(["git", *arguments, "--", "sim", *SOURCES], cwd=TOP, capture_output=True, text=True,
                              check=True).stdout.strip()
    return git("log", "-1", "--format=%h") + ("+" if git("status", "--porcelain") else "")


def build(names):
    """Quietly, but on a terminal."""
    command = [TOP / "scripts/build", "--fuzz", *(f"fuzz_{name}" for name in names)]
    if sys.stderr.isatty():
        done = subprocess.run(command, cwd=TOP, stdout=sys.stderr, check=False)
    else:
        done = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout or f"fuzz: {command[0]} failed")


def fuzzer(name):
    return BUILD / "tb/fuzz" / f"fuzz_{name}"


def statistics(line):
    found = re.match(r"#(\d+)\t\S+ +cov: (\d+) ", line)
    return (int(found[1]), int(found[2])) if found else None


def fuzz(name, inputs, seed):
    """The result as an object, and the input that crashed or None."""
    for folder in (FOUND / name, CRASHES):
        folder.mkdir(parents=True, exist_ok=True)
    command = [fuzzer(name), *OPTIONS, f"-runs={inputs}", f"-seed={seed}", f"-artifact_prefix={CRASHES}/{name}-",
               FOUND / name, CORPUS / name]
    terminal = sys.stderr.isatty()
    commit = commit_of_sources()
    begin = time.monotonic()
    run, edges, crash = 0, 0, None
    with open(BUILD / f"{name}.log", "w", encoding="utf-8", errors="replace") as log, subprocess.Popen(
            command, cwd=TOP, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stderr:
            log.write(line)
            if numbers := statistics(line):
                run, edges = numbers
                if terminal:
                    print(f"\r{name}: {run} of {inputs} inputs, {edges} edges", end="\033[K", file=sys.stderr)
            elif written := re.search(r"Test unit written to (.*)", line):
                crash = Path(written[1])
    if terminal:
        print("\r\033[K", end="", file=sys.stderr)
    if process.returncode and crash is None:
        sys.exit(f"fuzz: fuzz_{name} failed, see {log.name}")
    return {"parser": name, "inputs": run, "seed": seed, "edges": edges, "seconds": round(time.monotonic() - begin),
            "commit": commit}, crash


def minimise(name):
    """The corpus that ships becomes few inputs of it, and short ones that were found, which reach the edges that all of
    these do; what was once a fault stays."""
    with tempfile.TemporaryDirectory() as short, tempfile.TemporaryDirectory() as few:
        for file in (FOUND / name).glob("*"):
            if file.stat().st_size <= SHIPPED_BYTES:
                shutil.copyfile(file, Path(short) / file.name)
        subprocess.run([fuzzer(name), *OPTIONS, "-set_cover_merge=1", "-use_counters=0", few, CORPUS / name, short],
                       cwd=TOP, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        for file in (CORPUS / name).iterdir():
            if not file.name.startswith("fixed-"):
                file.unlink()
        for file in Path(few).iterdir():
            shutil.copyfile(file, CORPUS / name / file.name)


def table():
    rows = []
    for row in json.loads(DATA.read_text()):
        fixed = len(list((CORPUS / row["parser"]).glob("fixed-*")))
        rows.append((f"`{row['parser']}`", f"{row['inputs']:,}", row["edges"], fixed, f"`{row['commit']}`"))
    return markdown_table(("parser", "inputs", "edges reached", "faults found and repaired", "sources of commit"), rows)


def faults_of_page():
    """What is wrong with the page's table and its data, a line each."""
    faults = marked.faults(PAGE, "fuzz", {"parsers": table()}, "scripts/fuzz --publish")
    if [row["parser"] for row in json.loads(DATA.read_text())] != parsers():
        faults.append(f"{DATA}: has not a row of each parser in tb/fuzz/parsers")
    return faults


class NoResults(Exception):
    """A file is none of results."""


def results_of(files):
    """The rows of the results in files, a line of JSON each. Raises NoResults."""
    for file in files:
        try:
            lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            raise NoResults(f"{file}: {error.strerror}") from error
        for number, line in enumerate(lines, start=1):
            try:
                result = json.loads(line)
                row = {key: kind(result[key]) for key, kind in COLUMNS.items()}
            except (ValueError, TypeError, KeyError):
                raise NoResults(f"{file}:{number}: no result as --json says it") from None
            if row["parser"] not in parsers():
                raise NoResults(f"{file}:{number}: there is no parser '{row['parser']}'")
            yield row


def publish(files):
    """A row of a parser is replaced by its new results, which add up if their sources are the same."""
    rows = {row["parser"]: row for row in json.loads(DATA.read_text())} if DATA.exists() else {}
    new = {}
    for row in results_of(files):
        before = new.get(row["parser"])
        if before and before["commit"] == row["commit"]:
            row |= {"inputs": before["inputs"] + row["inputs"], "edges": max(before["edges"], row["edges"]),
                    "seconds": before["seconds"] + row["seconds"]}
        new[row["parser"]] = row
    rows |= new
    write_whole(DATA, "[\n" + ",\n".join(json.dumps(row) for _, row in sorted(rows.items())) + "\n]\n")
    marked.fill(PAGE, "fuzz", {"parsers": table()})


def main():
    options = usage.Parser(prog="scripts/fuzz", description=__doc__)
    options.add_argument("parser", nargs="*", metavar="PARSER", help=f"all without one: {', '.join(parsers())}")
    options.add_argument("--inputs", type=usage.at_least(1), default=10_000, metavar="N", help="for each parser; %(default)s")
    options.add_argument("--seed", type=int, default=1, metavar="N", help="of the first choice; %(default)s")
    options.add_argument("--json", action="store_true", help="one JSON line for each result")
    options.add_argument("--minimise", action="store_true",
                         help="fuzz nothing; make the corpus that ships of it and of what was found")
    options.add_argument("--publish", nargs="+", metavar="RESULTS", help="fuzz nothing; put what --json said into docs/")
    options.add_argument("--check-page", action="store_true",
                         help="fuzz nothing; whether the page's table is what the data in docs/ say")
    arguments = options.parse_args()
    if arguments.parser and (arguments.publish or arguments.check_page):
        print("fuzz: --publish and --check-page are of all parsers", file=sys.stderr)
        return 2
    if arguments.publish:
        try:
            publish(arguments.publish)
        except NoResults as error:
            print(f"fuzz: {error}", file=sys.stderr)
            return 2
        except OSError as fault:
            print(f"fuzz: {fault.filename}: {fault.strerror}", file=sys.stderr)
            return 2
        return 0
    if arguments.check_page:
        wrong = faults_of_page()
        for fault in wrong:
            print(f"fuzz: {fault}", file=sys.stderr)
        return 1 if wrong else 0
    names = arguments.parser or parsers()
    for name in names:
        if name not in parsers():
            print(f"fuzz: no parser '{name}'; there are {', '.join(parsers())}", file=sys.stderr)
            return 2
    build(names)
    if arguments.minimise:
        for name in names:
            minimise(name)
        return 0
    crashed = False
    for name in names:
        result, crash = fuzz(name, arguments.inputs, arguments.seed)
        if arguments.json:
            print(json.dumps(result), flush=True)
        else:
            print(f"{name}: {result['inputs']} inputs, {result['edges']} edges, {result['seconds']} s", flush=True)
        if crash:
            crashed = True
            print(f"fuzz: {name}: a fault, see {BUILD.name}/{name}.log; again: "
                  f"{fuzzer(name).relative_to(TOP)} {crash.relative_to(TOP)}", file=sys.stderr)
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
