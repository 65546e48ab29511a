"""docs/results: rows.csv with a line for each row, a page for each paper and the summary of all; README's and the errata's part of it."""

import csv
import dataclasses
import io
import textwrap

import command
import errata
import experiment
import marked
import rows

RESULTS = command.TOP / "docs/results"
HEADER = ["id", "verdict", "published", "measured", "note"]
VERDICTS = [rows.AGREES, rows.DIFFERS, rows.NOT_TESTABLE]


def lines_of(paper, verdicts):
    return [
        [row_id, verdict.verdict, paper.catalogue[row_id]["published"], verdict.measured, verdict.note]
        for row_id, verdict in verdicts.items()
    ]


def csv_text(lines):
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([HEADER, *lines])
    return text.getvalue()


def cell(text):
    return text.replace("|", "\\|")


def counted(verdicts):
    return [sum(verdict.verdict == kind for verdict in verdicts.values()) for kind in VERDICTS]


def page(paper, verdicts):
    counts = counted(verdicts)
    text = [
        f"# {paper.title}",
        "",
        f"Written by `./scripts/reproduce {paper.name}`; a test compares. {len(verdicts)} rows: "
        + ", ".join(f"{count} {kind}" for kind, count in zip(VERDICTS, counts, strict=True))
        + ".",
        "",
    ]
    for heading, function in paper.sections:
        text += [f"## {heading}", "", function(), ""]
    text += [
        "## Row by row",
        "",
        "`where` is the place in the paper. Every row but those that are not testable has a check "
        f"in `tb/papers/{paper.name.replace('-', '_')}.py` or a module that it names; `python3 tb/papers/check.py --row ID {paper.name}` runs "
        "one. [How rows of several points are judged](README.md#several-points-in-one-row).",
        "",
        "| row | where | what | published | measured | verdict | note |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row_id, verdict in verdicts.items():
        entry = paper.catalogue[row_id]
        what = paper.checks[row_id][0] if row_id in paper.checks else ""
        text.append(
            "| "
            + " | ".join(
                cell(part)
                for part in (
                    row_id,
                    entry["where"],
                    what,
                    entry["published"],
                    verdict.measured,
                    verdict.verdict,
                    verdict.note,
                )
            )
            + " |"
        )
    return "\n".join(text) + "\n"


def table_of(by_paper, folder):
    """Rows by paper and verdict; pages stand in `folder`."""
    text, totals = ["| paper | rows | agrees | differs | not-testable |", "| --- | --- | --- | --- | --- |"], [0, 0, 0]
    for title, name, counts in by_paper:
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
        text.append(f"| [{title}]({folder}{name}.md) | {sum(counts)} | " + " | ".join(map(str, counts)) + " |")
    return [*text, f"| all | {sum(totals)} | " + " | ".join(map(str, totals)) + " |"]


def readme(by_paper, lockstep):
    """README.md with the table of this day, and what the RTL decided of it, between its marks."""
    text = [
        *table_of(by_paper, "docs/results/"),
        "",
        f"Networks behind these rows, of up to {max(run.hosts for run in lockstep):,} hosts, also ran with the RTL at every port: "
        f"{sum(run.decisions for run in lockstep):,} decisions compared with the reference, none differs, and every number is the "
        "same ([which figures](docs/results/README.md#with-the-rtl-at-every-port)).",
    ]
    return marked.filled(command.TOP / "README.md", "rows", {"papers": "\n".join(text) + "\n"})


def sizes_of(paper):
    """Names of the experiments whose runs are kept from the paper's size and from --quick, of those that know both."""
    found = {"full": [], "quick": []}
    for name, kept in paper.measured().items():
        if paper.experiments[name].has_sizes():
            found[kept["size"]].append(name)
    return found


def seeds_of(paper):
    """Of the experiments of which other seeds are kept than a run by itself draws: both, by name."""
    return [
        f"{name} {kept['seeds']} ({drawn})"
        for name, kept in paper.measured().items()
        if isinstance(paper.experiments[name].seeds, dict)
        and (drawn := paper.experiments[name].seeds[kept["size"]]) != kept["seeds"]
    ]


def core_hours(paper):
    """What all its runs with the seeds that are kept take of a core, or more than what, if the time of some is not known."""
    times, kept = paper.times(), paper.measured()
    hours = sum(times[name] * kept[name]["seeds"] for name in times if name in kept) / 3600
    return f"{hours:.1f}" if set(kept) <= set(times) else f"above {hours:.1f}"


@dataclasses.dataclass
class LockstepRuns:
    """An experiment with the RTL at every port: its line of a table, its largest network, what it decided."""

    line: str
    hosts: int
    decisions: int


def lockstep_of(paper):
    found = []
    for name, kept in paper.measured().items():
        one = paper.experiments[name]
        if isinstance(one, experiment.Lockstep):
            points = one.points(kept["size"])
            hosts = sorted(experiment.hosts_of(points[point]["network"]["topology"]) for point in kept["points"])
            line = (
                f"| {paper.name} | {one.shows} | {len(kept['points'])} of {len(one.reference.points(kept['size']))} | "
                + (f"{hosts[0]:,}" if hosts[0] == hosts[-1] else f"{hosts[0]:,} to {hosts[-1]:,}")
                + f" | {one.decisions():,} |"
            )
            found.append(LockstepRuns(line, hosts[-1], one.decisions()))
    return found


COUNTS = ["No finding", "One finding", "Two findings", "Three findings", "Four findings", "Five findings"]


def told(findings):
    """The findings in order, a list, and those that what is measured does not bear (as with --quick), which say so."""
    texts, faults = [], []
    for place, number in enumerate(sorted(findings), 1):
        try:
            text = findings[number]()
        except rows.Unexpected as fault:
            text = f"Not borne by what is kept: {fault}."
            faults.append(f"finding {place} ({fault})")
        texts.append(_item(place, text))
    return texts, faults


def _item(place, text):
    """Of a numbered list. The first line of `text` is its paragraph; what follows are points below it, or, between
    bars, the lines of a table."""

    def wrapped(line, first, other):
        return textwrap.wrap(
            line, 150, initial_indent=first, subsequent_indent=other, break_long_words=False, break_on_hyphens=False
        )

    paragraph, *others = text.split("\n")
    lines = wrapped(paragraph, f"{place}. ", "   ")
    for line in others:
        is_row = line.startswith("|")
        if lines[-1].startswith("   |") != is_row:
            lines.append("")
        lines += [f"   {line}"] if is_row else wrapped(line, "   - ", "     ")
    return "\n".join(lines)


def summary(by_paper, sizes, hours, seeds, lockstep, findings):
    """Rows by paper and verdict, from rows.csv itself; `sizes` and `hours`: what sizes_of and core_hours say of each paper, by name; `seeds`: seeds_of() of all;
    `lockstep`: lockstep_of() of all; `findings`: their texts."""
    text = [
        "# The five papers, row by row",
        "",
        "Every published number and every claim of the papers that can be checked is a row with a verdict; "
        "[rows.csv](rows.csv) has them all. `agrees` and `differs` are earned by a run of the command `qosarb`, or, where the note says so, by arithmetic on the paper's own "
        "numbers, by its pseudocode line by line, by a test that ctest runs, or by what was measured of the RTL, as the tables of [area and timing](../area-and-timing.md) have it; `differs` shows its cause; `not-testable` says what is missing, and where a row was tested, did not hold and no cause was found it says 'tested, not confirmed; cause unknown'.",
        "",
    ]
    text += table_of(by_paper, "")
    text += [
        "",
        f"## {COUNTS[len(findings)]} for a reader of the papers",
        "",
        *findings,
        "",
        "## Several points in one row",
        "",
        experiment.RULE,
        "",
        "Latencies are of packets that are generated in the window and arrive in it, not of all that arrive in it: those of a class that is offered more than it gets are cut off at the window's length.",
        "",
        "## With the RTL at every port",
        "",
        "Each decision of these runs was made by the RTL and by the reference, and none differs; every number that is kept of them is what "
        "the reference alone gave with the same seed. The test of a paper holds them against each other again.",
        "",
        "| paper | of | runs | hosts | decisions compared |",
        "| --- | --- | --- | ---: | ---: |",
        *(run.line for run in lockstep),
        "",
        "## How",
        "",
        "`./scripts/reproduce NAME|all [--quick]` (bxi, cray, omni-path, infiniband, dragonfly) runs the papers' networks and writes these "
        "pages and the numbers of the [errata](../errata.md); [measured](measured) keeps, seed by seed, what was measured. The test of a paper (`ctest -R papers`) decides its rows "
        "again, from runs of the command where these take seconds, else from what is kept, which it holds against the scenarios; each "
        "figure says whether it is of full size.",
        "",
        "| paper | hours of a core | runs of the paper's size | smaller, from `--quick` |",
        "| --- | ---: | --- | --- |",
    ]
    text += [
        f"| {name} | {hours[name]} | {', '.join(found['full'])} | {', '.join(found['quick'])} |"
        for name, found in sizes.items()
    ]
    text += [
        "",
        "What no line names has one size, which its page tells; dragonfly's other experiments have 144 nodes. Hours are of all runs with all the seeds that are kept, by [the time of a seed](measured/times.json) when it was run last. Runs are independent, and `--jobs` spreads them over cores; `--seeds N --more` adds seeds to what is kept."
        + (f" Of these experiments other seeds are kept than a run without `--seeds` draws, which are told in brackets: {', '.join(seeds)}." if seeds else ""),
        "",
        "The scenarios *fair*, *step* and *2powers* on a single switch: [results](../results.md).",
    ]
    return "\n".join(text) + "\n"


def existing_rows():
    try:
        with open(RESULTS / "rows.csv", newline="") as file:
            return {line[0]: line for line in list(csv.reader(file))[1:]}
    except FileNotFoundError:
        return {}


def update(decided, write):
    """Brings docs/results up to what was decided; returns the pages that were not."""
    import check

    lines = existing_rows()
    texts = {}
    for paper, verdicts in decided.items():
        lines.update({line[0]: line for line in lines_of(paper, verdicts)})
        texts[f"{paper.name}.md"] = page(paper, verdicts)
        texts.update({f"plots/{name}": svg for name, svg in paper.figures.items()})
    ordered, by_paper, sizes, hours, seeds, lockstep, findings = [], [], {}, {}, [], [], {}
    for name in check.NAMES:
        paper = check.paper_named(name)
        own = [lines[row_id] for row_id in paper.catalogue if row_id in lines]
        ordered += own
        by_paper.append((paper.title, name, [sum(line[1] == kind for line in own) for kind in VERDICTS]))
        sizes[name] = sizes_of(paper)
        hours[name] = core_hours(paper)
        seeds += seeds_of(paper)
        lockstep += lockstep_of(paper)
        findings.update(paper.findings)
    texts["rows.csv"] = csv_text(ordered)
    finding_texts, stale = told(findings)
    texts["README.md"] = summary(by_paper, sizes, hours, seeds, lockstep, finding_texts)
    texts["../../README.md"] = readme(by_paper, lockstep)
    try:
        texts["../errata.md"] = errata.page(lines)
    except rows.Unexpected as fault:
        stale.append(f"docs/errata.md ({fault})")
    for paper in decided:
        for plot in sorted((RESULTS / "plots").glob(f"{paper.name}-*.svg")):
            if plot.name not in paper.figures:
                stale.append(f"docs/results/plots/{plot.name}")
                if write:
                    plot.unlink()
    return stale + put(texts, write)


def put(texts, write):
    """Writes the texts that are not what stands in RESULTS, by their names there; returns the files."""
    stale = []
    for name, text in texts.items():
        path = RESULTS / name
        if not path.exists() or path.read_bytes().decode() != text:
            stale.append(str(path.resolve().relative_to(command.TOP)))
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
                rows.write_whole(path, text)
    return stale
