"""The command of scripts/synth --sweep: many blocks, one row each in docs/data/synthesis.csv.

A row is keyed by library, block and parameters. A point whose row was made by other sources (see
`sources_digest`) is made again; all others are skipped, so an interrupted sweep goes on where it
stopped.
"""

import argparse
import csv
import hashlib
import json
import sys
from pathlib import Path

import block as blocks
import library as libraries
import mapping
import synth
from library import FlowError

DATA = synth.ROOT / "docs" / "data"
KEY = ["library", "policy", "queues", "entries", "quantum_width", "max_packet_flits"]
COLUMNS = KEY + ["cells", "area_um2", "sequential_area_um2", "flip_flops", "logic_levels",
                 "min_period_ns", "table_memory_flip_flops", "table_memory_area_um2",
                 "recipe", "target_ps", "sources"]

TARGET = {"queues": 8, "entries": 32, "quantum_width": 16, "max_packet_flits": 255}


def points():
    """Every point of the sweep: the target, and each of its parameters varied by itself."""
    found = []

    def add(policy, **changes):
        point = {"policy": policy} | TARGET | changes
        if point not in found:
            found.append(point)

    for policy in sorted(table_policies()):
        for entries in (8, 16, 32, 64, 128):
            add(policy, entries=entries)
        for queues in (4, 8, 16):
            add(policy, queues=queues)
        for width in (8, 12, 16):
            add(policy, quantum_width=width)
    # Round robin searches queues, not entries; over as many candidates it is what to compare with.
    for candidates in (4, 8, 16, 32, 64, 128):
        add("rr", queues=candidates)
    add("baseline-deficit", entries=16)
    return found


def table_policies():
    """Policies of rtl/policy/ that have a table; qosarb_NAME_table is shared by two of them."""
    for path in sorted((synth.ROOT / "rtl" / "policy").glob("qosarb_*.sv")):
        name = path.stem.removeprefix("qosarb_").replace("_", "-")
        if name != "rr" and not name.endswith("-table"):
            yield name


def sources_digest():
    """Changes with whatever can change a figure: RTL, baseline, flow, constraints, tool pins."""
    root = synth.ROOT
    files = blocks.sources(root) + sorted((root / "constraints").iterdir())
    files += [root / "tb" / "synth" / name for name in (
        "accounting.py", "block.py", "liberty.py", "library.py", "mapping.py", "netlist.py",
        "resize.tcl", "synth.py", "timing.py")]
    files += [root / "scripts" / "requirements.txt"]
    digest = hashlib.sha256()
    for path in files:
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def read_rows(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write_rows(path, columns, key, rows):
    rows = sorted(rows, key=lambda row: [
        (0, int(row[k]), "") if str(row[k]).isdigit() else (1, 0, str(row[k])) for k in key])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with open(partial, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    partial.replace(path)


def measure(point, options, check=False, power=False):
    """The report of one point; with its gate-level check and its power if asked for."""
    block = blocks.find(synth.ROOT, point["policy"], point, {})
    work = synth.ROOT / "build" / "synth" / "sweep"
    library, netlist, timing, tried = synth.build(
        block, options.liberty, options.delay or synth.DELAYS,
        options.recipe or list(mapping.RECIPES), work, options.passes)
    result = synth.report(block, library, netlist, timing, tried, point.get("radix", 1))
    if check:
        result["gate_check"] = synth.gates.check(synth.ROOT, block, library, netlist, work, 1, 20,
                                                 activity=power)
    if power:
        result["power"] = synth.power.estimate(synth.sta(), library, netlist, work,
                                               timing.min_period_ns)
    return result


def row_of(point, result, digest):
    best = min(result["tried"], key=lambda t: (t["min_period_ns"], t["total_area_um2"]))
    table = result["parts"].get("table_memory", {"flip_flops": 0, "area_um2": 0.0})
    return {key: str(value) for key, value in (
        {"library": result["library"]} | point |
        {key: result[key] for key in ("cells", "area_um2", "sequential_area_um2", "flip_flops",
                                      "logic_levels", "min_period_ns")} |
        {"table_memory_flip_flops": table["flip_flops"],
         "table_memory_area_um2": table["area_um2"], "recipe": best["recipe"],
         "target_ps": best["target_ps"], "sources": digest}).items()}


def sweep(options, library_name, digest):
    path = DATA / "synthesis.csv"
    rows = read_rows(path)
    todo = [point for point in points() if not options.only or point["policy"] in options.only]
    for number, point in enumerate(todo, 1):
        key = [library_name] + [str(point[name]) for name in KEY[1:]]
        same = [row for row in rows if [row[name] for name in KEY] == key]
        if same and same[0]["sources"] == digest:
            continue
        mapping.progress(f"point {number} of {len(todo)}: {' '.join(key)}")
        row = row_of(point, measure(point, options), digest)
        rows = [row for row in rows if [row[name] for name in KEY] != key] + [row]
        write_rows(path, COLUMNS, KEY, rows)


def headlines(options, library_name, digest):
    """Full reports of the blocks that the page speaks of, in docs/data/synthesis-LIBRARY.json."""
    path = DATA / f"synthesis-{library_name}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    wanted = {policy: {"policy": policy} | TARGET for policy in table_policies()}
    wanted["rr-32"] = {"policy": "rr"} | TARGET | {"queues": 32}
    wanted["bxi-deficit-16"] = {"policy": "bxi-deficit"} | TARGET | {"entries": 16}
    wanted["baseline-deficit-16"] = {"policy": "baseline-deficit"} | TARGET | {"entries": 16}
    wanted["switch"] = {"policy": "switch"} | TARGET | {"radix": 48}
    for name, point in wanted.items():
        if options.only and point["policy"] not in options.only:
            continue
        if known.get(name, {}).get("sources") == digest:
            continue
        mapping.progress(f"headline {name} in {library_name}")
        check = point["policy"] in synth.gates.CHECKED
        power = check and not point["policy"].startswith("baseline")
        result = measure(point, options, check, power)
        del result["liberty"]  # a path of this machine
        known[name] = result | {"sources": digest}
        DATA.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


def main(argv):
    parser = argparse.ArgumentParser(prog="scripts/synth --sweep", description=__doc__)
    parser.add_argument("--liberty", default=synth.DEFAULT_LIBRARY, metavar="FILE")
    parser.add_argument("--only", action="append", metavar="POLICY", help="may be given again")
    parser.add_argument("--recipe", action="append", choices=list(mapping.RECIPES))
    parser.add_argument("--delay", type=int, action="append", metavar="PS")
    parser.add_argument("--passes", type=int, default=synth.PASSES, metavar="N",
                        help="of sizing after mapping; 0: none (default: %(default)s)")
    parser.add_argument("--headlines", action="store_true",
                        help="only the blocks whose full reports the page shows")
    options = parser.parse_args(argv)
    try:
        work = synth.ROOT / "build" / "synth" / "sweep"
        work.mkdir(parents=True, exist_ok=True)
        name = libraries.load(options.liberty, synth.SETTINGS, work).name
        digest = sources_digest()
        headlines(options, name, digest)
        if not options.headlines:
            sweep(options, name, digest)
        return 0
    except FlowError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
