"""The table of docs/verification.md, from what scripts/prove --json has said.

The rows stand in docs/data/proofs.csv, each with the last commit that had changed the RTL; new results replace the
rows of the same proof and leave the others.
"""

import csv
import io
import json
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAGE = TOP / "docs/verification.md"
DATA = TOP / "docs/data/proofs.csv"
BEGIN, END = "<!-- proofs -->\n", "<!-- end of proofs -->\n"
KEY = ["policy", "size", "heads", "engine"]
COLUMNS = [*KEY, "proved", "properties", "seconds", "refuted", "controls", "commit"]


def known_rows():
    if not DATA.exists():
        return []
    with open(DATA, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def rows_of(lines):
    """A row for each proof and engine, of the results of one or more runs."""
    groups = {}
    for line in lines:
        size = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in line["size"].items())
        groups.setdefault((line["policy"], size, line["heads"]), []).append(line)
    rows = []
    for (policy, size, heads), group in groups.items():
        proofs = [line for line in group if not line["control"]]
        controls = [line for line in group if line["control"]]
        for engine in dict.fromkeys(line["engine"] for line in proofs):
            by = [line for line in proofs if line["engine"] == engine]
            rows.append({"policy": policy, "size": size, "heads": heads, "engine": engine,
                         "proved": sum(line["result"] == "proved" for line in by),
                         "properties": len({line["property"] for line in proofs}),
                         "seconds": max(line["seconds"] for line in by),
                         "refuted": sum(line["result"] == "refuted" for line in controls),
                         "controls": len(controls), "commit": by[0]["commit"]})
    return rows


def table():
    header = ["policy", "size", "heads", "engine", "properties proved", "seconds", "controls and covers refuted",
              "RTL of commit"]
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    for row in known_rows():
        controls = f"{row['refuted']} of {row['controls']}" if int(row["controls"]) else "at the first size"
        cells = [f"`{row['policy']}`", row["size"], row["heads"], row["engine"],
                 f"{row['proved']} of {row['properties']}", row["seconds"], controls, f"`{row['commit']}`"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def page():
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


def publish(files):
    """Puts results into the data and the page."""
    lines = [json.loads(line) for file in files for line in Path(file).read_text().splitlines()]
    rows = {tuple(row[name] for name in KEY): row for row in known_rows() + rows_of(lines)}
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row for _, row in sorted(rows.items()))
    DATA.write_text(text.getvalue())
    PAGE.write_text(page())


def outdated():
    """Whether the page's table is not what the data say."""
    return PAGE.read_text() != page()
