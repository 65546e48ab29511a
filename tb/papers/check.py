#!/usr/bin/env python3
"""Decides the rows of the five papers, and writes or checks docs/results.

  check.py [--run quick|full [--only EXPERIMENT] [--jobs N]] [--write] [--row ID] [--qosarb PROGRAM] NAME|all

--run simulates the papers' networks first. Without --write, status 1 when a row's check fails, what is stored of an
experiment is of other scenarios than stand here, or docs/results is not what the checks say.
"""
import importlib
import os
import pathlib
import sys
import time
import traceback

import command
import pages
import rows
import usage

NAMES = ["bxi", "cray", "infiniband", "omni-path", "dragonfly"]


def paper_named(name):
    """The paper with all its rows: NAME.py imports the modules that have them, but for NAME_networks.py of some papers."""
    module = name.replace("-", "_")
    paper = importlib.import_module(module).paper
    if (rows.HERE / f"{module}_networks.py").exists():
        importlib.import_module(f"{module}_networks")
    return paper


def decide(paper, only, slow, failures):
    """Verdict by row id; a row whose check fails is reported and left out."""
    verdicts = {}
    for row_id in paper.catalogue:
        if only and row_id != only:
            continue
        began = time.perf_counter()
        try:
            verdicts[row_id] = paper.decide(row_id)
        except rows.Unexpected as fault:
            failures.append(f"{row_id}: {fault}")
            print(failures[-1], flush=True)
        except Exception:  # whatever goes wrong, the other rows are still decided
            failures.append(f"{row_id}: {traceback.format_exc().strip().splitlines()[-1]}")
            print(failures[-1], flush=True)
        if slow and time.perf_counter() - began > 0.5:
            print(f"{row_id}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    return verdicts


def simulate(papers, arguments):
    """Runs the experiments and stores what they measured; returns those that failed."""
    failures = []
    for paper in papers:
        for name, experiment in paper.experiments.items():
            if arguments.only and name != arguments.only:
                continue
            try:
                paper.store(name, experiment.run(arguments.run, arguments.jobs, arguments.seeds, arguments.more))
                paper.store_time(name, experiment.core_seconds(arguments.run))
            except RuntimeError as fault:
                failures.append(f"{paper.name} {name}: {fault}")
                print(failures[-1], flush=True)
    return failures


def main():
    parser = usage.Parser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=[*NAMES, "all"])
    parser.add_argument("--write", action="store_true", help="write docs/results instead of comparing with it")
    parser.add_argument("--row", help="only this row; prints its verdict")
    parser.add_argument(
        "--run", choices=["quick", "full"], help="first run the experiments, in small or in the papers' size"
    )
    parser.add_argument("--only", metavar="EXPERIMENT", help="with --run: this one, the others stay as they are")
    parser.add_argument(
        "--jobs",
        type=usage.at_least(1),
        default=os.cpu_count(),
        help="with --run: so many at a time (default: one for each core)",
    )
    parser.add_argument("--seeds", type=usage.at_least(1), help="with --run: instead of the experiments' own number")
    parser.add_argument(
        "--more",
        action="store_true",
        help="with --run: the seeds that are stored of the same scenarios stay and are not run again",
    )
    parser.add_argument("--slow", action="store_true", help="say which rows took longer than half a second")
    parser.add_argument("--qosarb", type=pathlib.Path, help="the command (default build/qosarb)")
    arguments = parser.parse_args()
    if arguments.qosarb:
        command.QOSARB = arguments.qosarb.resolve()

    papers = [paper_named(name) for name in (NAMES if arguments.name == "all" else [arguments.name])]
    if arguments.row and not any(arguments.row in paper.catalogue for paper in papers):
        parser.error(f"no row {arguments.row} in {arguments.name}")
    if arguments.only and not any(arguments.only in paper.experiments for paper in papers):
        parser.error(f"no experiment {arguments.only} in {arguments.name}")
    if not arguments.run and (arguments.only or arguments.seeds or arguments.more):
        parser.error("--only, --seeds and --more are of --run")
    if arguments.row and arguments.write:
        parser.error("--write writes what all rows say, --row decides one")
    parser.look(arguments)
    if not (command.QOSARB.is_file() and os.access(command.QOSARB, os.X_OK)):
        parser.error(f"{command.QOSARB} is no command: scripts/build makes build/qosarb, --qosarb names another")
    failures, decided = simulate(papers, arguments) if arguments.run else [], {}
    for paper in papers:
        for experiment in paper.experiments.values():
            for fault in experiment.faults():
                failures.append(fault)
                print(fault, flush=True)
        for row_id in paper.undecided():
            failures.append(f"{row_id}: nobody decides this row")
            print(failures[-1], flush=True)
        if arguments.row and arguments.row not in paper.catalogue:
            continue
        decided[paper] = decide(paper, arguments.row, arguments.slow, failures)
        if arguments.row:
            for verdict in decided[paper].values():
                print(f"{verdict.verdict}: {verdict.measured}\n  {verdict.note}")
        if not arguments.write:
            for row_id, verdict in decided[paper].items():
                if not verdict.explained:
                    failures.append(f"{row_id}: differs, and no cause is shown: {verdict.measured}")
                    print(failures[-1], flush=True)
        print(f"{paper.name}: {len(decided[paper])} rows decided, {len(failures)} failures so far", flush=True)
    if not arguments.row and not failures:
        stale = pages.update(decided, arguments.write)
        if not arguments.write:
            for page in stale:
                failures.append(f"{page} is not what the checks say; run scripts/reproduce")
                print(failures[-1])
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("check.py: interrupted; run it again to go on", file=sys.stderr)
        sys.exit(130)
