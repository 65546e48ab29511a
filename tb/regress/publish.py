"""What docs/regression.md says of regressions: the jobs of each kind, and the coverage of the RTL.

The figures stand in docs/data, each with the commit of its sources and the seeds; the page's tables are made from
them. Rows of one subject have no seed in common, so that they may be added. Coverage also has a digest of each
module's code, so that the page says of which modules the figures are no longer, as it does where cover points were added
or removed.
"""

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import coverage
import kinds
import report

TOP = Path(__file__).resolve().parent.parent.parent
sys.path += [str(TOP / "tb" / folder) for folder in ("cli", "kernel")]

import marked  # noqa: E402
import rtl_code  # noqa: E402
from markdown_table import markdown_table  # noqa: E402

PAGE = TOP / "docs" / "regression.md"
DATA = TOP / "docs" / "data"
COVERAGE = DATA / "coverage.json"


class Fault(Exception):
    """Why nothing is published: one line."""


def commit_of_sources():
    """The commit that is checked out, with a + where the sources are not what it has; None in a tree
    that is no clone."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=TOP, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()
    head = git("rev-parse", "--short", "HEAD")
    changed = git("status", "--porcelain", "--", "rtl", "scenarios", "sim", "tb")
    return head + ("+" if changed else "") if head else None


def files_of(program):
    """It and the builds of RTL that it loads: it has their paths in it."""
    loaded = re.findall(rb"/[^\0\n]+\.so(?=[\0\n])", program.read_bytes())
    return [program, *sorted(file for file in map(Path, map(os.fsdecode, set(loaded))) if file.is_file())]


def digest_of_files(files):
    """Of what is in them, in this order."""
    parts = (hashlib.sha256(file.read_bytes()).digest() for file in files)
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


def digest_of(module):
    """Of a module's code; None if there is none."""
    files = list((TOP / "rtl").glob(f"*/{module}.sv"))
    return rtl_code.digest([files[0].read_text(encoding="utf-8")]) if files else None


def cover_points():
    """The names of the cover points that tb/coverage binds to each module."""
    names, bound = {}, []
    for file in sorted((TOP / "tb" / "coverage").glob("*.sv")):
        text = file.read_text(encoding="utf-8")
        names[file.stem] = re.findall(r"^ *(\w+): cover property", text, re.MULTILINE)
        bound += re.findall(r"^bind (\w+) (\w+)", text, re.MULTILINE)
    points = {}
    for module, file in bound:
        points.setdefault(module, []).extend(names[file])
    return points


def excuses(exclusion, module):
    """Whether it is of cover points of this module."""
    return exclusion["kind"] == "cover" and re.fullmatch(exclusion["module"], module)


def published(kind):
    """The rows of docs/data of a kind of jobs."""
    file = DATA / kind.data
    if not file.exists():
        return []
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def ranges(numbers):
    """As text: those that follow each other as "first to last"."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in parts)


def numbers(text):
    """The seeds that ranges() made `text` of."""
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        yield from range(int(first), int(last or first) + 1)


def put_jobs(kind, results, commit):
    """One row for each policy, or scenario. Rows of before stay unless a seed of theirs was run again."""
    counted = [figure for figure in kind.figures if figure != "lives"]
    new = report.by_subject(results)
    seeds = {subject: {r["seed"] for r in some} for subject, some in new.items()}
    rows = [row for row in published(kind) if seeds.get(row[kind.of], set()).isdisjoint(numbers(row["seeds"]))]
    for subject, some in new.items():
        rows.append({kind.of: subject, "commit": commit, "seeds": ranges(seeds[subject]),
                     "failed": sum(not r["passed"] for r in some)})
        rows[-1] |= {figure: sum(r[figure] for r in some) for figure in counted}
    rows.sort(key=lambda row: (row[kind.of], min(numbers(row["seeds"]))))
    text = io.StringIO()
    writer = csv.DictWriter(text, [kind.of, "commit", "seeds", "failed", *counted], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    report.write_whole(DATA / kind.data, text.getvalue())


def table_of(kind):
    """What docs/data say of a kind of jobs."""
    rows = published(kind)
    if not rows:
        return "Nothing of it has been published.\n"
    counted = [column for column in rows[0] if column not in (kind.of, "commit", "seeds", "failed")]
    lines = [[f"`{row[kind.of]}`", *(f"{int(row[figure]):,}" for figure in counted), row["seeds"], row["failed"],
              f"`{row['commit']}`"] for row in rows]
    return markdown_table([kind.of, *(figure.replace("_", " ") for figure in counted), "seeds", "jobs that failed",
                           "commit"], lines)


def soak_table():
    """What docs/data say of engines by themselves, and before it what that is of each policy."""
    sums = {}
    for row in published(kinds.ENGINES):
        some = sums.setdefault(row["engine"].removesuffix("-next"), [0, 0, 0])
        some[row["engine"].endswith("-next")] += int(row["contested"])
        some[2] += int(row["failed"])
    lines = [[f"`{policy}`", f"{same + later:,}", f"{same:,}", f"{later:,}" if later else "", str(failed)]
             for policy, (same, later, failed) in sums.items()]
    both = markdown_table(["policy", "contested", "in the same cycle", "in the next cycle", "jobs that failed"], lines)
    return (both + "\nOf which:\n\n" if sums else "") + table_of(kinds.ENGINES)


def wrong_exclusions(exclusions, found):
    """An exclusion says how many points it excuses; one that is covered or gone is not among them."""
    return [f"{coverage.EXCLUSIONS.name}: '{e['module']}', {e['kind']}: excuses {excused} points, not "
            f"{e.get('missed')}" for e, excused in zip(exclusions, found.excluded, strict=True) if excused != e.get("missed")]


def put_coverage(points, exclusions, commit):
    found = coverage.account(points, exclusions)
    wrong = wrong_exclusions(exclusions, found)
    if wrong:
        raise Fault("; ".join(wrong))
    data = {"commit": commit, "modules": {}, "excluded": found.excluded,
            "missed": {kind: {module: list(coverage.folded(names)) for module, names in modules.items()}
                       for kind, modules in found.missed.items()}}
    for module, counts in sorted(found.modules.items()):
        data["modules"][module] = {"digest": digest_of(module), **counts}
    report.write_whole(COVERAGE, json.dumps(data, indent=1) + "\n")


def coverage_table():
    if not COVERAGE.exists():
        return "No coverage has been published.\n"
    data = json.loads(COVERAGE.read_text())
    totals = {kind: [0, 0] for kind in coverage.KINDS}
    points = cover_points()
    excused_of = list(zip(coverage.read_exclusions(), data["excluded"], strict=False))
    rows = []
    for module, figures in data["modules"].items():
        cells = []
        for kind in coverage.KINDS:
            hit, total = figures.get(kind, (0, 0))
            totals[kind][0] += hit
            totals[kind][1] += total
            cells.append(f"{hit:,} of {total:,}" if total else "")
        counted = figures.get("cover", (0, 0))[1] + sum(count for e, count in excused_of if excuses(e, module))
        same = "yes" if counted == len(points.get(module, ())) else "no: its cover points have changed since"
        rows.append([f"`{module}`", *cells, same if digest_of(module) == figures["digest"] else "no: it has changed since"])
    rows.append(["all", *(f"{hit:,} of {total:,}" for hit, total in totals.values()), ""])
    percent = ", ".join(f"{100 * hit / total:.1f} % of the {name}"
                        for (hit, total), name in zip(totals.values(), coverage.KINDS.values(), strict=True) if total)
    excused = sum(data["excluded"])
    text = (f"At commit `{data['commit']}`: {percent}. Left out of these are {excused:,} points that need "
            "not be hit, each for a reason in `tb/coverage/exclusions.toml`.\n\n" +
            markdown_table(["module", *coverage.KINDS.values(), "of this RTL"], rows))
    without = sorted({path.stem for path in (TOP / "rtl").glob("*/*.sv")
                      if not path.stem.endswith("_pkg")} - set(data["modules"]))
    if without:
        text += "\nWithout figures: " + ", ".join(f"`{module}`" for module in without) + ".\n"
    return text


TABLES = {"campaign": partial(table_of, kinds.PORTS), "soak": soak_table,
          "incast": partial(table_of, kinds.NETWORKS), "coverage": coverage_table}


def parts():
    return {name: table() for name, table in TABLES.items()}


def outdated():
    """What of the page and the reasons is not what docs/data, the RTL and its cover points say; a line for each."""
    wrong = marked.faults(PAGE, "regress", parts(), "scripts/regress --page")
    if COVERAGE.exists():
        exclusions = coverage.read_exclusions()
        excluded = json.loads(COVERAGE.read_text())["excluded"]
        if [e.get("missed") for e in exclusions] != excluded:
            wrong.append("the reasons in tb/coverage/exclusions.toml are not those of docs/data/coverage.json; "
                         "run scripts/regress --coverage --publish")
        for e in exclusions:
            names = [name for module, points in cover_points().items() if excuses(e, module) for name in points]
            there = sum(bool(re.fullmatch(e["points"], name)) for name in names)
            if e["kind"] == "cover" and there < e["missed"]:
                wrong.append(f"tb/coverage has {there} cover points '{e['points']}' of '{e['module']}': "
                             f"tb/coverage/exclusions.toml excuses {e['missed']}")
    return wrong


def publish(out):
    """Figures and page from the results in `out`. Raises Fault."""
    settings = report.settings_in(out / "settings.json")
    if settings.get("commit") is None:
        raise Fault(f"{out}: it is not known of which commit these results are")
    results = report.results_in(out)
    if not results:
        raise Fault(f"{out}: has no results")
    DATA.mkdir(parents=True, exist_ok=True)
    if settings["coverage"]:
        put_coverage(coverage.read(out / "coverage.dat"), coverage.read_exclusions(),
                     settings["commit"])
    else:
        put_jobs(report.kind_of(out), results, settings["commit"])
    write_page()


def write_page():
    marked.fill(PAGE, "regress", parts())
