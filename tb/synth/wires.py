"""The command of scripts/synth --wires: measures blocks with their wires, into docs/data.

ecp5: an FPGA; each block is placed and routed from several starting points (wires-ecp5.csv, a row for each of them).
osu018: cells of 180 nm, placed and routed, and measured without and with the wires (wires-osu018.csv). A block that
the tools do not manage in the time given has a row that says so.

A figure made by other sources is made again, unless what is routed in an FPGA is the same as it was (`design`) and
the tools are (`router`); all others are skipped, so an interrupted run goes on where it stopped.
"""

import shutil
import sys
import threading

import block as blocks
import design
import implement
import mapping
import place
import route_fpga
import sweep
from implement import ROOT
from library import FlowError
from sweep import SIZE, TARGET
from synth import DEFAULT_LIBRARY

sys.path.append(str(ROOT / "tb" / "cli"))
import usage  # noqa: E402

WORK = ROOT / "build" / "synth" / "wires"
SEEDS = 3
PORT_SETTINGS = ("Latency", "Policies", "Protect")
PORTS = ("rr", "bxi-deficit", "all")  # what is built in beside rr
SECONDS = 1800  # for the layout of a block
# Ways of mapping what is placed in cells: another one for ports leaves what was placed as it is.
RECIPES = ["level2", "level3", "twice", "wide", "wide8", "wide8once"]


def ecp5_points():
    found = {"rr-32": sweep.point("rr", queues=32)}
    found |= {policy: sweep.point(policy) for policy in blocks.POLICIES}
    return found | {f"port-{name}-next": sweep.port(sweep.ports()[name], 1) for name in PORTS}


def ecp5_digest_of(policy):
    return sweep.digest_of(policy, ("block.py", "mapping.py", "route_fpga.py"),
                           ("requirements.txt", "requirements-wires.txt"))


def router_digest():
    """Changes with whatever can change the frequency of a block that is mapped."""
    return sweep.digest_of_files([ROOT / "tb" / "synth" / "route_fpga.py", ROOT / "scripts" / "requirements-wires.txt"])


def ecp5_table():
    return sweep.Table("wires-ecp5.csv", ["block", "seed"],
                       ["policy", *SIZE, *PORT_SETTINGS, "mhz", "wires_ns", "luts", "carries", "registers",
                        *route_fpga.MEMORY_CELLS, "sources", "design", "router"])


def osu018_points():
    found = {"rr-32": sweep.point("rr", queues=32)} | {policy: sweep.point(policy) for policy in blocks.POLICIES}
    return found | {f"bxi-deficit-{entries}": sweep.point("bxi-deficit", entries=entries) for entries in (8, 16)}


def osu018_digest_of(policy):
    return sweep.digest_of(policy, (*sweep.SOURCES, "place.py", "extract.py"), recipes=RECIPES)


def osu018_table():
    return sweep.Table("wires-osu018.csv", ["block"],
                       ["policy", *SIZE, *PORT_SETTINGS, "cells", "unwired_ns", "wired_ns", "wires_mm", "core_um2",
                        "failed", "sources"])


TABLES = {ecp5_table: ecp5_digest_of, osu018_table: osu018_digest_of}


def columns_of(point):
    """A point as a row of a table has it."""
    return {"policy": point["policy"]} | {name: point[name] for name in SIZE if name in point} | point.get("set", {})


def is_measured(table, point, key, digest):
    row = table.find(key)
    return row is not None and row["sources"] == digest and all(
        row[name] == str(columns_of(point).get(name, "")) for name in ("policy", *SIZE, *PORT_SETTINGS))


def measure_ecp5(name, point, seeds, table, keep):
    """Calls keep(row) for each seed of a block once it is routed, which may take an hour. `table`: what is known."""
    block = blocks.find(ROOT, point["policy"], TARGET | point, point.get("set", {}))
    work = WORK / f"ecp5-{name}"
    sources = ecp5_digest_of(point["policy"])
    counts = route_fpga.map_block(implement.yosys(), work, block)
    common = {"block": name, "sources": sources} | columns_of(point)
    common |= mapping.fpga_totals(counts, "ecp5") | route_fpga.memories(counts)
    common |= {"design": design.routed(work / "mapped.json"), "router": router_digest()}
    for seed in seeds:
        known = table.find({"block": name, "seed": seed}) or {}
        if all(known.get(key) == common[key] for key in ("design", "router")):
            mapping.progress(f"{name}, seed {seed}: the sources changed, but not what is routed")
            row = known | {"sources": sources}
        else:
            routed = route_fpga.route(work, seed, ROOT / "build")
            mapping.progress(f"{name}, seed {seed}: {routed.mhz} MHz, wires {routed.wires_ns} of {routed.period_ns} ns")
            row = common | {"seed": seed, "mhz": routed.mhz, "wires_ns": routed.wires_ns}
        if ecp5_digest_of(point["policy"]) != sources:
            raise FlowError("the sources changed meanwhile")
        keep(row)
    shutil.rmtree(work)


def ecp5(options):
    table = ecp5_table()
    chosen = sweep.chosen(options, ecp5_points())
    digests = {policy: ecp5_digest_of(policy) for policy in {p["policy"] for p in chosen.values()}}
    missing = {name: [seed for seed in range(1, options.seeds + 1) if not is_measured(
        table, p, {"block": name, "seed": seed}, digests[p["policy"]])] for name, p in chosen.items()}

    one_at_a_time = threading.Lock()

    def keep(row):
        with one_at_a_time:
            table.put(row)

    return sweep.run(options, {name: p for name, p in chosen.items() if missing[name]},
                     lambda name, p: measure_ecp5(name, p, missing[name], table, keep), lambda *_: None)


def measure_osu018(name, point, seconds):
    block = blocks.find(ROOT, point["policy"], TARGET | point, point.get("set", {}))
    work = WORK / f"osu018-{name}"
    sources = osu018_digest_of(point["policy"])
    library, netlist, timing, _ = implement.build(block, DEFAULT_LIBRARY, implement.DELAYS, RECIPES, work)
    row = {"block": name, "sources": sources, "cells": len(netlist.instances), "unwired_ns": timing.min_period_ns}
    row |= columns_of(point)
    try:
        placed = place.measure(implement.sta(), netlist, library, work, seconds)
        mapping.progress(f"{name}: {placed}")
        row |= {key: getattr(placed, key) for key in ("unwired_ns", "wired_ns", "wires_mm", "core_um2")}
    except place.NotPlaced as error:
        mapping.progress(f"{name}: {error}")
        row["failed"] = str(error)
    if osu018_digest_of(point["policy"]) != sources:
        raise FlowError("the sources changed meanwhile")
    shutil.rmtree(work)
    return row


def osu018(options):
    table = osu018_table()
    chosen = sweep.chosen(options, osu018_points())
    todo = {name: p for name, p in chosen.items()
            if not is_measured(table, p, {"block": name}, osu018_digest_of(p["policy"]))}
    return sweep.run(options, todo, lambda name, p: measure_osu018(name, p, options.seconds),
                     lambda _, row: table.put(row))


def prune():
    """Takes out of docs/data what other sources made. Returns how many figures that were."""
    gone = 0
    for make, digest_of in TABLES.items():
        table = make()
        kept = [row for row in table.rows if row["sources"] == digest_of(row["policy"])]
        if len(kept) < len(table.rows):
            gone += len(table.rows) - len(kept)
            table.rows = kept
            table.write()
    return gone


def main(argv):
    parser = usage.Parser(prog="scripts/synth --wires", description=__doc__)
    parser.add_argument("what", choices=["ecp5", "osu018", "prune"],
                        help="prune: measure nothing; take out of docs/data what other sources made")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="a policy, port, or a block by its name; may be given again")
    parser.add_argument("--seeds", type=usage.at_least(1), default=SEEDS, metavar="N",
                        help="starting points of the placer in an FPGA (default: %(default)s)")
    parser.add_argument("--seconds", type=usage.at_least(1), default=SECONDS, metavar="N",
                        help="for the layout of a block of cells (default: %(default)s)")
    parser.add_argument("--jobs", type=usage.at_least(1), default=1, metavar="N", help="blocks at a time (default: %(default)s)")
    options = parser.parse_args(argv)
    parser.look(options)
    try:
        if options.what == "prune":
            mapping.progress(f"{prune()} figures taken out")
            return 0
        with sweep.alone(f"wires-{options.what}"):
            return 2 if {"ecp5": ecp5, "osu018": osu018}[options.what](options) else 0
    except FlowError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("synth: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
