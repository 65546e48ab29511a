"""docs/results: rows.csv with a line for each row, a page for each paper and the summary of all."""
import csv
import io

import command
import rows

RESULTS = command.TOP / "docs/results"
HEADER = ["id", "verdict", "published", "measured", "note"]
VERDICTS = [rows.AGREES, rows.DIFFERS, rows.NOT_TESTABLE]


def lines_of(paper, verdicts):
    return [[row_id, verdict.verdict, paper.catalogue[row_id]["published"], verdict.measured, verdict.note]
            for row_id, verdict in verdicts.items()]


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
    text = [f"# {paper.title}", "",
            f"Written by `./scripts/reproduce {paper.name}`; a test compares. {len(verdicts)} rows: "
            + ", ".join(f"{count} {kind}" for kind, count in zip(VERDICTS, counts)) + ".", ""]
    for heading, function in paper.sections:
        text += [f"## {heading}", "", function(), ""]
    text += ["## Row by row", "", "`where` is the place in the paper. Every row but those that are not testable has a check "
             f"in `tb/papers/{paper.name.replace('-', '_')}.py`; `python3 tb/papers/check.py --row ID {paper.name}` runs "
             "one.", "",
             "| row | where | what | published | measured | verdict | note |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for row_id, verdict in verdicts.items():
        entry = paper.catalogue[row_id]
        what = paper.checks[row_id][0] if row_id in paper.checks else ""
        text.append("| " + " | ".join(cell(part) for part in (
            row_id, entry["where"], what, entry["published"], verdict.measured, verdict.verdict, verdict.note)) + " |")
    return "\n".join(text) + "\n"


def summary(by_paper):
    """Rows by paper and verdict, from rows.csv itself."""
    text = ["# The five papers, row by row", "",
            "Every published number and every claim of the papers that can be checked is a row with a verdict; "
            "[rows.csv](rows.csv) has them all. `agrees` and `differs` are earned by a run of the command `qosarb`, "
            "which the test of that row (`ctest -R papers`) repeats; `differs` shows its cause. `not-testable` says what is "
            "missing: most of those rows need networks of switches.", "",
            "`./scripts/reproduce NAME|all` (bxi, cray, omni-path, infiniband, dragonfly) writes these pages.", "",
            "| paper | rows | agrees | differs | not-testable |", "| --- | --- | --- | --- | --- |"]
    totals = [0, 0, 0]
    for title, name, counts in by_paper:
        totals = [a + b for a, b in zip(totals, counts)]
        text.append(f"| [{title}]({name}.md) | {sum(counts)} | " + " | ".join(map(str, counts)) + " |")
    text.append(f"| all | {sum(totals)} | " + " | ".join(map(str, totals)) + " |")
    text += ["", "The scenarios *fair*, *step* and *2powers* on a single switch: [results](../results.md)."]
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
    ordered, by_paper = [], []
    for name in check.NAMES:
        paper = check.paper_named(name)
        own = [lines[row_id] for row_id in paper.catalogue if row_id in lines]
        ordered += own
        by_paper.append((paper.title, name, [sum(line[1] == kind for line in own) for kind in VERDICTS]))
    texts["rows.csv"] = csv_text(ordered)
    texts["README.md"] = summary(by_paper)
    stale = []
    for paper in decided:
        for plot in sorted((RESULTS / "plots").glob(f"{paper.name}-*.svg")):
            if plot.name not in paper.figures:
                stale.append(f"docs/results/plots/{plot.name}")
                if write:
                    plot.unlink()
    for name, text in texts.items():
        path = RESULTS / name
        if not path.exists() or path.read_bytes().decode() != text:
            stale.append(f"docs/results/{name}")
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
    return stale
