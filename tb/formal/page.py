"""Writes the table of docs/verification.md from results of scripts/prove --json.

  page.py COMMIT RESULTS.jsonl ...    COMMIT: at which the results were made
"""

import json
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/verification.md"
BEGIN, END = "<!-- proofs -->\n", "<!-- end of proofs -->\n"


def main():
    commit, files = sys.argv[1], sys.argv[2:]
    lines = [json.loads(line) for name in files for line in Path(name).read_text().splitlines()]
    rows, groups = [], {}
    for line in lines:
        size = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in line["size"].items())
        groups.setdefault((line["policy"], size), []).append(line)
    for (policy, size), group in groups.items():
        proofs = [line for line in group if not line["control"]]
        controls = [line for line in group if line["control"]]
        names = dict.fromkeys(line["property"] for line in proofs)
        for engine in dict.fromkeys(line["engine"] for line in proofs):
            by = [line for line in proofs if line["engine"] == engine]
            proved = sum(line["result"] == "proved" for line in by)
            most = max(line["seconds"] for line in by)
            refuted = sum(line["result"] == "refuted" for line in controls)
            rows.append(f"| `{policy}` | {size} | {engine} | {proved} of {len(names)} | {most} | "
                        f"{refuted} of {len(controls)} |\n")
    table = (f"The engines are those of commit `{commit}`:\n\n| policy | size | engine | properties proved | seconds | "
             "controls and covers refuted |\n| --- | --- | --- | --- | --- | --- |\n" + "".join(rows))
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + table + END + after)


main()
