"""The command of scripts/synth --sweep: engines and ports, measured one by one into docs/data.

  synthesis-LIBRARY.json   a full report of each block that docs/area-and-timing.md speaks of
  synthesis-fpga.csv       LUTs and registers (--fpga)

A report made by other sources (see `digest_of`) is made again, unless only the RTL's text is another and its
netlist before mapping the same. One for which fewer recipes were tried than now would be is tried with the others
and stays if none of these is faster. All others are skipped, so an interrupted sweep goes on where it stopped. In the
library named in FULL every block is measured, in the others what tells whether its ratios hold.
"""

import csv
import fcntl
import functools
import hashlib
import io
import json
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

import block as blocks
import design
import gates
import implement
import library as libraries
import mapping
import power
from engines import ENGINES
from implement import ROOT
from library import FlowError
from recipes import RECIPES
from synth import DEFAULT_LIBRARY

sys.path += [str(ROOT / "tb" / folder) for folder in ("cli", "kernel")]
import rtl_code  # noqa: E402
import usage  # noqa: E402
from whole_file import write_whole  # noqa: E402

DATA = ROOT / "docs" / "data"
WORK = ROOT / "build" / "synth" / "sweep"

SIZE = list(blocks.OPTIONS)
TARGET = {option: default for option, (_, default) in blocks.OPTIONS.items()}

# Ways of mapping: those that nearly always win. What all are measured by, an engine, is mapped in each way that a port is.
FOR_PORTS = ["level2", "twice", "wide", "wide8", "wide8once", "wide8thrice", "wide6once", "wide6five"]
FOR_ENGINES = sorted([*FOR_PORTS, "level3"])

RADIX = 48  # of a switch
FULL = "sky130_fd_sc_hd__tt_025C_1v80"

# Of policies that have two, the engine that answers in the other cycle.
OTHER_ENGINES = tuple(name for name, engine in ENGINES.items() if engine.get("other_latency"))


def point(policy, **changes):
    """The target with some of its parameters changed, and without those that the policy lacks."""
    size = TARGET | changes
    for option, highest in ENGINES.get(policy, {}).get("highest", {}).items():
        size[option] = min(size[option], size.get(highest, highest))
    return {"policy": policy} | blocks.size(ROOT, policy, size)


def in_next_port():
    """Engines as a port that answers in the next cycle sets them, where that is not their default."""
    return {f"{policy}-next": point(policy) | {"set": ENGINES[policy]["in_next_port"]}
            for policy in blocks.POLICIES if "in_next_port" in ENGINES[policy]}


def ports():
    """What a port has built in beside rr, by name."""
    bits = {policy: 1 << code for code, policy in enumerate(blocks.POLICIES)}
    single = {policy: bits["rr"] | bits[policy] for policy in blocks.POLICIES if policy != "bxi-basic"}
    single["bxi-deficit"] |= bits["bxi-basic"]  # by the same engine
    return single | {"all": sum(bits.values())}


def port(policies, latency, protect=0):
    return {"policy": "port", "set": {"Latency": latency, "Policies": policies, "Protect": protect}} | {
        option: TARGET[option] for option in SIZE}


def points(library_name):
    """Name and parameters of each block that is measured in a library."""
    found = {"rr-32": point("rr", queues=32)}
    if library_name == FULL:
        found |= {policy: point(policy) for policy in (*blocks.POLICIES, *OTHER_ENGINES)} | in_next_port()
        found |= {f"bxi-deficit-{entries}": point("bxi-deficit", entries=entries) for entries in (8, 16, 64)}
        found["bxi-table-16"] = point("bxi-table", entries=16)
        found["dtable-128"] = point("dtable", entries=128)
        found["counter-memory"] = {"policy": "counter-memory", "set": {"Words": 34, "Width": 48}}
        found["baseline-deficit-16"] = point("baseline-deficit", entries=16)
    else:
        found["bxi-deficit"] = point("bxi-deficit")
    found |= {f"port-{name}-next": port(policies, 1) for name, policies in ports().items()}
    if library_name == FULL:
        found |= {f"port-{name}-same": port(policies, 0) for name, policies in ports().items()}
        found["switch"] = {"policy": "switch", "set": {"Latency": 1, "Policies": ports()["bxi-deficit"],
                                                       "Ports": blocks.BUILT_PORTS}} | {
            option: TARGET[option] for option in SIZE}
        found["port-bxi-deficit-next-protected"] = port(ports()["bxi-deficit"], 1, protect=1)
    return found


# Of the flow, what can change a figure of a netlist of cells.
SOURCES = ("accounting.py", "block.py", "cells.py", "implement.py", "liberty.py", "library.py", "mapping.py",
           "netlist.py", "resize.tcl", "timing.py")


def digest_of(policy, names=SOURCES, requirements=("requirements.txt",), recipes=()):
    """Changes with whatever can change a figure: the block's RTL, flow, constraints, tool pins, the recipes tried."""
    block = blocks.find(ROOT, policy, TARGET, {})
    # Two engines may be one module with different parameters.
    return _digest([block.module, block.parameters, *_texts(recipes)], block.files + _flow(names, requirements))


def digest_of_report(report):
    """The digest that the present sources would give the report, with the recipes that were tried for it."""
    return digest_of(report["policy"], recipes=tried_for(report))


def flow_digest(recipes):
    """Of that what is not the block's RTL."""
    return _digest(_texts(recipes), _flow(SOURCES, ("requirements.txt",)))


def tried_for(report):
    return sorted({entry["recipe"] for entry in report["tried"]})


def recipes_for(policy, options):
    """The recipes that a sweep tries for a policy or port."""
    is_engine = policy not in (*blocks.PORTS, "counter-memory")
    return sorted(options.recipe or (FOR_ENGINES if is_engine else FOR_PORTS))


def _texts(recipes):
    return [[name, RECIPES.get(name)] for name in recipes]


def _flow(names, requirements):
    return [*sorted((ROOT / "constraints").iterdir()), *(ROOT / "tb" / "synth" / name for name in names),
            *(ROOT / "scripts" / name for name in requirements)]


def digest_of_files(files):
    return _digest([], files)


def _digest(what, files):
    """Comments of RTL make no difference, unless they move code to another line, after which Yosys names it."""
    digest = hashlib.sha256(json.dumps(what).encode())
    for path in files:
        text = path.read_text(encoding="utf-8")
        digest.update(f"{path.relative_to(ROOT)}\0{rtl_code.code(text) if path.suffix == '.sv' else text}".encode())
    return digest.hexdigest()[:12]


def fpga_digest_of(policy):
    return digest_of(policy, ("block.py", "mapping.py"))


def read_rows(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


class Table:
    """A CSV file of docs/data. Rows with the same key replace each other."""

    def __init__(self, name, key, columns):
        self.path = DATA / name
        self.key = key
        self.columns = key + columns
        self.rows = read_rows(self.path)

    def find(self, row):
        """The row of the same key, or None; what a policy does not have is empty."""
        wanted = [str(row.get(name, "")) for name in self.key]
        return next((r for r in self.rows if [r[name] for name in self.key] == wanted), None)

    def put(self, row):
        old = self.find(row)
        self.rows = [r for r in self.rows if r is not old]
        self.rows.append({name: str(row.get(name, "")) for name in self.columns})
        self.write()

    def write(self):
        self.rows.sort(key=lambda r: [(0, int(r[k]), "") if r[k].isdigit() else (1, 0, r[k])
                                      for k in self.key])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        write_whole(self.path, text.getvalue())


def fpga_table():
    return Table("synthesis-fpga.csv", ["target", "policy", *SIZE],
                 ["luts", "carries", "registers", "sources"])


def as_before(report, point_, work):
    """Whether the RTL of a report gives the same netlist before mapping as it did, and the flow is the same."""
    if report.get("point") != point_ or report.get("flow") != flow_digest(tried_for(report)):
        return False
    block = blocks.find(ROOT, point_["policy"], TARGET | point_, point_.get("set", {}))
    work.mkdir(parents=True, exist_ok=True)
    mapping.elaborate(implement.yosys(), work, block.files, block.module, block.parameters)
    found, names = design.read(work / "generic.json", mapping.TOP)
    on_path = {step["net"].removeprefix("~") for step in report["critical_path"]}
    return found == report["design"] and all(name in names or re.fullmatch(r"n\d+", name) for name in on_path)


def speed(tried, delays):
    """What orders netlists by: the least is the fastest. `tried` is what one recipe came to."""
    return max(tried["min_period_ns"], min(delays) / 1000), tried["total_area_um2"]


def fastest(block, options, recipes, work):
    """What implement.build() returns for the recipe whose netlist is the fastest once it is sized, with what all of
    them came to, and where it was made. Of netlists that meet the shortest delay the smallest counts as the fastest."""
    delays = options.delay or implement.DELAYS
    made = []
    for recipe in recipes:
        built = implement.build(block, options.liberty, delays, [recipe], work / recipe, options.passes)
        made.append((speed(built[3][-1], delays), built, work / recipe))
    _, (library, netlist, timing, _), directory = min(made, key=lambda one: one[0])
    return library, netlist, timing, [entry for _, built, _ in made for entry in built[3]], directory


def measure(point_, options, work, known=None):
    """The report of one point; of an engine in the library FULL with gate-level check and power. `known` is a report
    of the same sources by other recipes: if none that is new is faster, it is returned, with what was tried."""
    before = known["tried"] if known else []
    old = {entry["recipe"] for entry in before}
    wanted = sorted(old.union(recipes_for(point_["policy"], options)))
    sources = digest_of(point_["policy"], recipes=wanted)
    block = blocks.find(ROOT, point_["policy"], TARGET | point_, point_.get("set", {}))
    is_engine = point_["policy"] not in (*blocks.PORTS, "counter-memory")
    library, netlist, timing, tried, directory = fastest(block, options, sorted(set(wanted) - old), work)
    tried = before + tried
    if min(tried, key=lambda entry: speed(entry, options.delay or implement.DELAYS)) in before:
        result = known | {"tried": tried}
    else:
        result = implement.report(block, library, netlist, timing, tried, RADIX)
        if is_engine and library.name == FULL:
            result["gate_check"] = gates.check(ROOT, block, library, netlist, directory, 1, 20,
                                               activity=True)
            result["power"] = power.estimate(implement.sta(), library, netlist, directory,
                                             timing.min_period_ns)
        result["design"], _ = design.read(directory / "generic.json", mapping.TOP)
        del result["liberty"]  # a path of this machine
    if digest_of(point_["policy"], recipes=wanted) != sources:
        raise FlowError("the sources changed meanwhile")
    shutil.rmtree(work)
    return result | {"point": point_, "flow": flow_digest(wanted), "sources": sources}


def run(options, todo, work, done):
    """Calls work(name, point) for each of `todo`, --jobs at a time, and done(name, result) here.

    A point that fails is told and left out. Returns how many did.
    """
    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        started = {pool.submit(work, name, p): name for name, p in todo.items()}
        try:
            for number, future in enumerate(as_completed(started), 1):
                name = started[future]
                try:
                    done(name, future.result())
                    mapping.progress(f"done: {number} of {len(todo)}, {name}")
                except FlowError as error:
                    failed += 1
                    mapping.progress(f"synth: {name}: {error}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


def alone(name):
    """Keeps other sweeps from writing what is called `name` while the file that it returns is open."""
    WORK.mkdir(parents=True, exist_ok=True)
    lock = open(WORK / f"{name}.lock", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise FlowError(f"another sweep is writing the figures of {name}") from error
    return lock


def reports_path(library_name):
    return DATA / f"synthesis-{library_name}.json"


def read_reports(library_name):
    path = reports_path(library_name)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_reports(path, reports):
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(dict(sorted(reports.items())), indent=1) + "\n")


def sweep(options):
    """Full reports of the blocks that the page speaks of, in docs/data/synthesis-LIBRARY.json."""
    known = read_reports(options.library_name)
    wanted = chosen(options, points(options.library_name))

    digest = functools.cache(lambda policy, recipes: digest_of(policy, recipes=recipes))

    def is_current(name, p):
        return (name in known and known[name]["point"] == p
                and known[name]["sources"] == digest(p["policy"], tuple(tried_for(known[name]))))

    def is_complete(name, p):
        return name in known and set(tried_for(known[name])) >= set(recipes_for(p["policy"], options))

    todo = {name: p for name, p in wanted.items() if not is_current(name, p) or not is_complete(name, p)}

    def work(name, p):
        directory = WORK / f"{options.library_name}-{name}"
        report = known.get(name) if is_current(name, p) else None
        if report is None and name in known and as_before(known[name], p, directory):
            mapping.progress(f"{name}: the RTL changed, but not its netlist")
            shutil.rmtree(directory)
            report = known[name] | {"sources": digest_of_report(known[name])}
        if report and is_complete(name, p):
            return report
        return measure(p, options, directory, report)

    def done(name, result):
        known[name] = result
        write_reports(reports_path(options.library_name), known)

    return run(options, todo, work, done)


def fpga(options):
    table = fpga_table()
    wanted = {"rr-32": point("rr", queues=32)} | {policy: point(policy) for policy in blocks.POLICIES}
    wanted = {name: {"target": "ecp5"} | p for name, p in chosen(options, wanted).items()}
    digests = {p["policy"]: fpga_digest_of(p["policy"]) for p in wanted.values()}
    todo = {name: p for name, p in wanted.items()
            if (table.find(p) or {}).get("sources") != digests[p["policy"]]}

    def work(name, p):
        block = blocks.find(ROOT, p["policy"], TARGET | p, {})
        directory = WORK / f"ecp5-{name}"
        directory.mkdir(parents=True, exist_ok=True)
        counts = mapping.map_to_fpga(implement.yosys(), directory, block.files, block.module,
                                     block.parameters, p["target"])
        shutil.rmtree(directory)
        return mapping.fpga_totals(counts, p["target"])

    return run(options, todo, work, lambda name, totals: table.put(
        wanted[name] | totals | {"sources": digests[wanted[name]["policy"]]}))


def chosen(options, points_):
    """Those of --only."""
    if not options.only:
        return points_
    known = {*points_, *(p["policy"] for p in points_.values())}
    for name in options.only:
        if name not in known:
            raise FlowError(f"--only {name}: there are {', '.join(sorted(known))}")
    return {name: p for name, p in points_.items() if name in options.only or p["policy"] in options.only}


def prune():
    """Takes out of docs/data what other sources made. Returns how many figures that were."""
    table = fpga_table()
    kept = [row for row in table.rows if row["sources"] == fpga_digest_of(row["policy"])]
    gone = len(table.rows) - len(kept)
    if gone:
        table.rows = kept
        table.write()
    for path in sorted(DATA.glob("synthesis-*.json")):
        reports = json.loads(path.read_text(encoding="utf-8"))
        kept = {name: report for name, report in reports.items()
                if report["sources"] == digest_of_report(report)}
        if len(kept) < len(reports):
            gone += len(reports) - len(kept)
            write_reports(path, kept)
    return gone


def main(argv):
    parser = usage.Parser(prog="scripts/synth --sweep", description=__doc__)
    parser.add_argument("--liberty", default=DEFAULT_LIBRARY, metavar="FILE")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="a policy, port, or a report by its name; may be given again")
    parser.add_argument("--recipe", action="append", choices=list(RECIPES))
    parser.add_argument("--delay", type=usage.at_least(1), action="append", metavar="PS")
    parser.add_argument("--passes", type=usage.at_least(0), default=implement.PASSES, metavar="N",
                        help="of sizing after mapping; 0: none (default: %(default)s)")
    parser.add_argument("--jobs", type=usage.at_least(1), default=1, metavar="N",
                        help="points at a time (default: %(default)s)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--fpga", action="store_true", help="only the FPGA family")
    what.add_argument("--prune", action="store_true",
                      help="measure nothing; take out of docs/data what other sources made")
    options = parser.parse_args(argv)
    parser.look(options)
    try:
        WORK.mkdir(parents=True, exist_ok=True)
        if options.prune:
            mapping.progress(f"{prune()} figures taken out")
            return 0
        if options.fpga:
            with alone("synthesis-fpga"):
                return 2 if fpga(options) else 0
        options.library_name = libraries.load(options.liberty, implement.SETTINGS, WORK).name
        with alone(options.library_name):
            return 2 if sweep(options) else 0
    except FlowError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("synth: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
