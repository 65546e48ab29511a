"""The tables of docs/verification.md, from what scripts/prove and scripts/mutate have said.

The rows stand in docs/data/proofs.csv and mutants.csv, each with the last commit that had changed the RTL;
new results replace the rows of the same proof or policy and leave the others. A proof that is no more has no row.
"""

import csv
import io
import json
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TOP / "tb" / "kernel"))

import rtl_code  # noqa: E402

PAGE = TOP / "docs/verification.md"
DATA = TOP / "docs/data/proofs.csv"
MUTANTS = TOP / "docs/data/mutants.csv"
KEY = ["policy", "size", "heads", "lemma", "engine"]
COLUMNS = [*KEY, "proved", "properties", "seconds", "refuted", "controls", "commit"]
MUTANT_KEY = ["policy", "of"]
MUTANT_COLUMNS = [*MUTANT_KEY, "size", "files", "mutants", "seed", "killed_by_tests", "killed_by_proofs",
                  "killed_by_properties", "shown_equivalent", "undecided", "unseen", "commit", "digest"]


def digest_of_rtl(files):
    """Of the code in some files of rtl/."""
    return rtl_code.digest((TOP / "rtl" / name).read_text(encoding="utf-8") for name in files)


class NoResults(Exception):
    """A file is none of results."""


def results_of(files, names):
    """The results in files, a line of JSON each, which has the names. Raises NoResults."""
    results = []
    for file in files:
        try:
            lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            raise NoResults(f"{file}: {error.strerror}") from error
        if not lines:
            raise NoResults(f"{file}: has no results")
        for number, line in enumerate(lines, start=1):
            try:
                result = json.loads(line)
            except ValueError:
                result = None
            if not isinstance(result, dict) or not result.keys() >= set(names):
                raise NoResults(f"{file}:{number}: no result as --json says it")
            results.append(result)
    return results


def known_rows(file):
    if not file.exists():
        return []
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write_rows(file, columns, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    file.write_text(text.getvalue())


def shown(size):
    return ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in size.items())


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def rows_of(lines):
    """A row for each proof and engine, of the results of one or more runs."""
    groups = {}
    for line in lines:
        groups.setdefault((line["policy"], shown(line["size"]), line["heads"], line["lemma"] or ""), []).append(line)
    rows = []
    for (policy, size, heads, lemma), group in groups.items():
        proofs = [line for line in group if not line["control"]]
        controls = [line for line in group if line["control"]]
        for engine in dict.fromkeys(line["engine"] for line in proofs):
            by = [line for line in proofs if line["engine"] == engine]
            rows.append({"policy": policy, "size": size, "heads": heads, "lemma": lemma, "engine": engine,
                         "proved": sum(line["result"] == "proved" for line in by),
                         "properties": len({line["property"] for line in proofs}),
                         "seconds": max(line["seconds"] for line in by),
                         "refuted": sum(line["result"] == "refuted" for line in controls),
                         "controls": len(controls), "commit": by[0]["commit"]})
    return rows


def proofs_table():
    rows = []
    for row in known_rows(DATA):
        controls = f"{row['refuted']} of {row['controls']}" if int(row["controls"]) else "at the first size"
        lemma = f"`{row['lemma']}`" if row["lemma"] else ""
        rows.append([f"`{row['policy']}`", row["size"], row["heads"], lemma, row["engine"],
                     f"{row['proved']} of {row['properties']}", row["seconds"], controls, f"`{row['commit']}`"])
    return markdown(["policy", "size", "heads", "by the lemma", "engine", "properties proved", "seconds",
                     "controls and covers refuted", "RTL of commit"], rows)


def mutants_table():
    rows = [[f"`{row['policy']}`", row["of"], row["size"], row["files"], row["mutants"], row["seed"],
             row["killed_by_tests"] or "not run", row["killed_by_proofs"], row["killed_by_properties"],
             row["shown_equivalent"], row["undecided"], row["unseen"], f"`{row['commit']}`",
             "yes" if row["digest"] == digest_of_rtl(row["files"].replace("`", "").split()) else "no: it has changed since"]
            for row in known_rows(MUTANTS)]
    if not rows:
        return "No results have been published.\n"
    return markdown(["policy", "changed is the", "size", "of", "mutants", "seed", "killed by tests",
                     "by proofs only", "of these by a property", "shown equivalent", "undecided", "unseen",
                     "RTL of commit", "of this RTL"], rows)


def page():
    text = PAGE.read_text()
    for name, table in (("proofs", proofs_table()), ("mutants", mutants_table())):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, rest = text.split(begin)
        text = before + begin + table + end + rest.split(end)[1]
    return text


def publish(files, listed):
    """Puts results of scripts/prove into the data and the page; `listed` are the keys of all that it would prove."""
    new = rows_of(results_of(files, ("policy", "property")))
    rows = {tuple(row[name] for name in KEY): row for row in known_rows(DATA) + new}
    write_rows(DATA, COLUMNS, [row for key, row in sorted(rows.items()) if key in listed])
    PAGE.write_text(page())


def publish_mutants(files):
    """Puts results of scripts/mutate into the data and the page, a row for each policy and what is changed of it."""
    rows = {tuple(row[name] for name in MUTANT_KEY): row for row in known_rows(MUTANTS)}
    for result in results_of(files, ("policy", "of")):
        rows[tuple(result[name] for name in MUTANT_KEY)] = {
            name: result.get(name) for name in MUTANT_COLUMNS} | {
                "killed_by_tests": result["killed_by_tests"] if result["tested"] else None,
                "size": "; ".join(map(shown, result["sizes"])),
                "files": " ".join(f"`{name}`" for name in result["files"])}
    write_rows(MUTANTS, MUTANT_COLUMNS, [row for _, row in sorted(rows.items())])
    PAGE.write_text(page())


def listed_of_mutants():
    """The proofs of whose mutants there are results."""
    return {row["policy"] for row in known_rows(MUTANTS)}


def faults_of(listed, mutated):
    """What is wrong with the page and its data, a line each; `listed` are the figures of each key as of publish(),
    `mutated` the proofs of which there are mutants."""
    there = {tuple(row[name] for name in KEY): row for row in known_rows(DATA)}
    faults = [f"{DATA}: no proof is {', '.join(filter(None, key))}" for key in sorted(there.keys() - listed.keys())]
    faults += [f"{DATA}: no results of {', '.join(filter(None, key))}" for key in sorted(listed.keys() - there.keys())]
    for key in sorted(there.keys() & listed.keys()):
        proved, properties, controls = listed[key]
        if [there[key][name] for name in ("proved", "properties", "refuted", "controls")] != [
                str(count) for count in (proved, properties, controls, controls)]:
            faults.append(f"{DATA}: {', '.join(filter(None, key))}: not {proved} of {properties} properties proved and "
                          f"{controls} of {controls} controls and covers refuted")
    of_mutants = listed_of_mutants()
    faults += [f"{MUTANTS}: no mutants of {policy}" for policy in sorted(mutated - of_mutants)]
    faults += [f"{MUTANTS}: no proof has mutants of {policy}" for policy in sorted(of_mutants - mutated)]
    if PAGE.read_text() != page():
        faults.append(f"{PAGE}: its tables are not what {DATA} and {MUTANTS} say")
    return faults
