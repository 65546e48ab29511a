"""The command of scripts/synth --sweep: many blocks, measured one by one into docs/data.

  synthesis.csv            one row for each point of the sweep
  synthesis-tightened.csv  the same block, mapped for shorter and shorter periods
  synthesis-fpga.csv       LUTs and registers (--fpga)
  synthesis-LIBRARY.json   full reports of the blocks of which the page tells more (--headlines)

A row is keyed by library, block and parameters. A point whose row was made by other sources (see
`digest_of`) is made again; all others are skipped, so an interrupted sweep goes on where it stopped.
"""

import argparse
import csv
import hashlib
import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

import block as blocks
import gates
import implement
import library as libraries
import mapping
import power
from implement import ROOT
from library import FlowError
from synth import DEFAULT_LIBRARY

DATA = ROOT / "docs" / "data"
WORK = ROOT / "build" / "synth" / "sweep"

SIZE = list(blocks.OPTIONS)
TARGET = {option: default for option, (_, default) in blocks.OPTIONS.items()}
MEASURED = ["cells", "area_um2", "sequential_area_um2", "flip_flops", "logic_levels",
            "min_period_ns", "table_memory_flip_flops", "table_memory_area_um2", "recipe",
            "target_ps", "sources"]

# Ways of mapping. Full reports try all, as scripts/synth does. A point of the sweep tries the two that
# nearly always win, one whose area is looked at `small` beside them.
FOR_REPORT = list(mapping.RECIPES)
FOR_SPEED = ["level2", "level3"]
FOR_AREA = ["small", *FOR_SPEED]

# Of policies that have two, the engine that answers in the other cycle.
OTHER_ENGINES = ("bxi-table", "dtable-lookahead")

# What a policy's specification allows: a number, or as many as of another option.
HIGHEST = {"infiniband": {"entries": 64, "queues": 15}, "ets": {"entries": "queues"}}


def point(policy, **changes):
    """The target with some of its parameters changed, and without those that the policy lacks."""
    size = TARGET | changes
    for option, highest in HIGHEST.get(policy, {}).items():
        size[option] = min(size[option], size.get(highest, highest))
    return {"policy": policy} | blocks.size(ROOT, policy, size)


def unique(points):
    return [p for n, p in enumerate(points) if p not in points[:n]]


def points():
    """Each parameter of each policy varied by itself from the target, the longest last."""
    with_table = [policy for policy in (*blocks.POLICIES, *OTHER_ENGINES)
                  if "entries" in point(policy)]
    found = [point(policy) for policy in (*blocks.POLICIES, *OTHER_ENGINES)]
    # Round robin searches queues, not entries; over as many candidates it is what to compare with.
    found += [point("rr", queues=candidates) for candidates in (32, 8, 16, 64, 128, 4)]
    found += [point(policy, entries=entries) for entries in (16, 64, 8)
              for policy in with_table]
    found += [point(policy, queues=queues) for queues in (16, 4) for policy in blocks.POLICIES]
    # As many queues as a table has entries, for those without one; 28 are those of a SeaStar chip.
    found += [point(policy, queues=32) for policy in ("sbt", "trtcm")]
    found += [point("seastar-age", queues=queues) for queues in (28, 32)]
    found += [point(policy, quantum_width=width) for width in (8, 12) for policy in blocks.POLICIES]
    found += [point("baseline-deficit", entries=16)]
    found += [point(policy, entries=128) for policy in with_table]
    return unique(found)


def tightened_points():
    """Target periods in picoseconds, of the logic between registers; from loose to tight."""
    series = {"bxi-deficit": point("bxi-deficit"), "rr": point("rr", queues=32)}
    return [series[policy] | {"goal_ps": goal}
            for policy, goals in (("bxi-deficit", (5000, 4000, 3500, 3000, 2700, 2400, 500)),
                                  ("rr", (5000, 3500, 3000, 2500, 2200, 1900, 500)))
            for goal in goals]


def headline_points():
    found = {policy: point(policy) for policy in (*blocks.POLICIES, *OTHER_ENGINES)}
    found["rr-32"] = point("rr", queues=32)
    found["bxi-deficit-16"] = point("bxi-deficit", entries=16)
    found["bxi-table-16"] = point("bxi-table", entries=16)
    found["baseline-deficit-16"] = point("baseline-deficit", entries=16)
    found["switch"] = point("switch") | {"radix": 48}
    first = ["rr-32", "bxi-deficit", "bxi-basic"]
    return {name: found[name] for name in first + [n for n in found if n not in first]}


def digest_of(policy, names=("accounting.py", "block.py", "implement.py", "liberty.py",
                             "library.py", "mapping.py", "netlist.py", "resize.tcl", "timing.py")):
    """Changes with whatever can change a figure: the block's RTL, flow, constraints, tool pins."""
    block = blocks.find(ROOT, policy, TARGET, {})
    files = block.files + sorted((ROOT / "constraints").iterdir())
    files += [ROOT / "tb" / "synth" / name for name in names]
    files += [ROOT / "scripts" / "requirements.txt"]
    # Two engines may be one module with different parameters.
    digest = hashlib.sha256(json.dumps([block.module, block.parameters]).encode())
    for path in files:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
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
        partial = self.path.with_suffix(".partial")
        with open(partial, "w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        partial.replace(self.path)


def sweep_table():
    return Table("synthesis.csv", ["library", "policy", *SIZE], MEASURED)


def tightened_table():
    return Table("synthesis-tightened.csv", ["library", "policy", *SIZE, "goal_ps"], MEASURED)


def fpga_table():
    return Table("synthesis-fpga.csv", ["target", "policy", *SIZE],
                 ["luts", "carries", "registers", "sources"])


def measure(point_, options, recipes, check=False):
    """The report of one point; with its gate-level check and its power if asked for."""
    sources = digest_of(point_["policy"])
    block = blocks.find(ROOT, point_["policy"], TARGET | point_, {})
    name = "-".join(str(value) for value in point_.values())
    work = WORK / (options.library_name + "-" + name)
    delays = [point_["goal_ps"]] if "goal_ps" in point_ else options.delay or implement.DELAYS
    library, netlist, timing, tried = implement.build(
        block, options.liberty, delays, options.recipe or recipes, work, options.passes)
    result = implement.report(block, library, netlist, timing, tried, point_.get("radix", 1))
    if check and point_["policy"] not in blocks.PORTS:
        result["gate_check"] = gates.check(ROOT, block, library, netlist, work, 1, 20,
                                           activity=True)
        result["power"] = power.estimate(implement.sta(), library, netlist, work,
                                         timing.min_period_ns)
    if digest_of(point_["policy"]) != sources:
        raise FlowError("the sources changed meanwhile")
    shutil.rmtree(work)
    return result | {"point": point_, "sources": sources}


def chosen(tried, goal):
    """That of the netlists tried of which the report tells."""
    return min(tried, key=lambda t: (max(t["min_period_ns"], goal), t["total_area_um2"]))


def row_of(point_, result):
    best = chosen(result["tried"], min(t["target_ps"] for t in result["tried"]) / 1000)
    table = result["parts"].get("table_memory", {"flip_flops": 0, "area_um2": 0.0})
    return point_ | {name: result[name] for name in MEASURED if name in result} | {
        "library": result["library"], "table_memory_flip_flops": table["flip_flops"],
        "table_memory_area_um2": table["area_um2"], "recipe": best["recipe"],
        "target_ps": best["target_ps"], "sources": result["sources"]}


def run(options, todo, work, done):
    """Calls work(point) for each point of `todo`, --jobs at a time, and done(point, result) here.

    A point that fails is told and left out. Returns how many did.
    """
    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        started = {pool.submit(work, p): p for p in todo}
        try:
            for number, future in enumerate(as_completed(started), 1):
                name = " ".join(str(value) for value in started[future].values())
                try:
                    done(started[future], future.result())
                    mapping.progress(f"done: {number} of {len(todo)}, {name}")
                except FlowError as error:
                    failed += 1
                    mapping.progress(f"synth: {name}: {error}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


def sweep(options, table, wanted, recipes):
    wanted = [p for p in wanted if chosen_by(options, p)]
    digests = {policy: digest_of(policy) for policy in {p["policy"] for p in wanted}}
    reports = list(read_headlines(options.library_name).values())
    todo = []
    for p in wanted:
        old = table.find({"library": options.library_name} | p)
        same = [r for r in reports if r.get("point") == p and r["sources"] == digests[p["policy"]]]
        if same:  # more ways of mapping were tried
            table.put(row_of(p, same[0]))
        elif not old or old["sources"] != digests[p["policy"]]:
            todo.append(p)
    return run(options, todo, lambda p: measure(p, options, recipes),
               lambda p, result: table.put(row_of(p, result)))


def headlines_path(library_name):
    return DATA / f"synthesis-{library_name}.json"


def read_headlines(library_name):
    path = headlines_path(library_name)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_reports(path, reports):
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(dict(sorted(reports.items())), indent=1) + "\n",
                       encoding="utf-8")
    partial.replace(path)


def headlines(options):
    """Full reports of the blocks that the page speaks of, in docs/data/synthesis-LIBRARY.json."""
    path = headlines_path(options.library_name)
    known = read_headlines(options.library_name)
    wanted = {name: p for name, p in headline_points().items() if chosen_by(options, p)}
    digests = {p["policy"]: digest_of(p["policy"]) for p in wanted.values()}
    names = {json.dumps(p): name for name, p in wanted.items()}
    recipes = options.recipe or FOR_REPORT
    todo = [p for name, p in wanted.items()
            if known.get(name, {}).get("sources") != digests[p["policy"]]
            or not {t["recipe"] for t in known[name]["tried"]}.issuperset(recipes)]

    def done(point_, result):
        del result["liberty"]  # a path of this machine
        known[names[json.dumps(point_)]] = result
        DATA.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n",
                           encoding="utf-8")
        partial.replace(path)

    def work(point_):
        return measure(point_, options, FOR_REPORT, check=True)

    return run(options, todo, work, done)


def fpga(options):
    table = fpga_table()
    wanted = [{"target": target} | p for target in mapping.FPGA_TARGETS
              for p in [point("rr", queues=32)] + [point(policy) for policy in blocks.POLICIES]
              if chosen_by(options, p)]
    digests = {p["policy"]: fpga_digest_of(p["policy"]) for p in wanted}
    todo = [p for p in wanted
            if (table.find(p) or {}).get("sources") != digests[p["policy"]]]

    def work(p):
        block = blocks.find(ROOT, p["policy"], TARGET | p, {})
        directory = WORK / "-".join(str(value) for value in p.values())
        directory.mkdir(parents=True, exist_ok=True)
        counts = mapping.map_to_fpga(implement.yosys(), directory, block.files, block.module,
                                     block.parameters, p["target"])
        shutil.rmtree(directory)
        return mapping.fpga_totals(counts, p["target"])

    return run(options, todo, work,
               lambda p, totals: table.put(p | totals | {"sources": digests[p["policy"]]}))


def chosen_by(options, point_):
    return not options.only or point_["policy"] in options.only


def prune():
    """Takes out of docs/data what other sources made. Returns how many figures that were."""
    gone = 0
    for table, digest in ((sweep_table(), digest_of), (tightened_table(), digest_of),
                          (fpga_table(), fpga_digest_of)):
        kept = [row for row in table.rows if row["sources"] == digest(row["policy"])]
        if len(kept) < len(table.rows):
            gone += len(table.rows) - len(kept)
            table.rows = kept
            table.write()
    for path in sorted(DATA.glob("synthesis-*.json")):
        reports = json.loads(path.read_text(encoding="utf-8"))
        kept = {name: report for name, report in reports.items()
                if report["sources"] == digest_of(report["policy"])}
        if len(kept) < len(reports):
            gone += len(reports) - len(kept)
            write_reports(path, kept)
    return gone


def main(argv):
    parser = argparse.ArgumentParser(prog="scripts/synth --sweep", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--liberty", default=DEFAULT_LIBRARY, metavar="FILE")
    parser.add_argument("--only", action="append", metavar="POLICY", help="may be given again")
    parser.add_argument("--recipe", action="append", choices=list(mapping.RECIPES))
    parser.add_argument("--delay", type=int, action="append", metavar="PS")
    parser.add_argument("--passes", type=int, default=implement.PASSES, metavar="N",
                        help="of sizing after mapping; 0: none (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="points at a time (default: %(default)s)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--headlines", action="store_true",
                      help="only the blocks whose full reports the page shows, with gate-level "
                           "check and power")
    what.add_argument("--tightened", action="store_true",
                      help="only area against period when the target period is tightened")
    what.add_argument("--fpga", action="store_true", help="only FPGA families")
    what.add_argument("--prune", action="store_true",
                      help="measure nothing; take out of docs/data what other sources made")
    options = parser.parse_args(argv)
    try:
        WORK.mkdir(parents=True, exist_ok=True)
        if options.prune:
            mapping.progress(f"{prune()} figures taken out")
            return 0
        if options.fpga:
            return 2 if fpga(options) else 0
        options.library_name = libraries.load(options.liberty, implement.SETTINGS, WORK).name
        failed = 0
        if options.headlines or not options.tightened:
            failed += headlines(options)
        if not options.headlines and not options.tightened:
            failed += sweep(options, sweep_table(), points(), FOR_SPEED)
        if not options.headlines:
            failed += sweep(options, tightened_table(), tightened_points(),
                            FOR_AREA)
        return 2 if failed else 0
    except FlowError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
