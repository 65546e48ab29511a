"""The tables of docs/proofs.md and docs/mutants.md, from what scripts/prove and scripts/mutate have said.

The rows stand in docs/data/proofs.csv and mutants.csv, each with the last commit that had changed the RTL;
new results replace the rows of the same proof or policy and leave the others. A proof that is no more has no row. A
digest tells whether what a row speaks of has changed since.
"""

import csv
import io
import json
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path += [str(TOP / "tb" / folder) for folder in ("cli", "kernel")]

import marked  # noqa: E402
import rtl_code  # noqa: E402
from whole_file import write_whole  # noqa: E402

PROOFS_PAGE = TOP / "docs/proofs.md"
MUTANTS_PAGE = TOP / "docs/mutants.md"
DATA = TOP / "docs/data/proofs.csv"
MUTANTS = TOP / "docs/data/mutants.csv"
KEY = ["policy", "size", "heads", "lemma", "engine"]
COLUMNS = [*KEY, "proved", "properties", "seconds", "refuted", "controls", "commit", "digest"]
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
    write_whole(file, text.getvalue())


def shown(size):
    return ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in size.items())


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def joined(digests):
    """Of the proofs that one row speaks of."""
    return " ".join(sorted(digests))


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
                         "controls": len(controls), "commit": by[0]["commit"],
                         "digest": joined({line["digest"] for line in group})})
    return rows


def of_this(recorded, now):
    return "yes" if recorded == now else "no: it has changed since"


def proofs_table(listed):
    rows = []
    for row in known_rows(DATA):
        now = listed.get(tuple(row[name] for name in KEY), [None])[-1]
        controls = f"{row['refuted']} of {row['controls']}" if int(row["controls"]) else "at the first size"
        lemma = f"`{row['lemma']}`" if row["lemma"] else ""
        rows.append([f"`{row['policy']}`", row["size"], row["heads"], lemma, row["engine"],
                     f"{row['proved']} of {row['properties']}", row["seconds"], controls, f"`{row['commit']}`",
                     of_this(row["digest"], now)])
    return markdown(["policy", "size", "heads", "by the lemma", "engine", "properties proved", "seconds",
                     "controls and covers refuted", "RTL of commit", "of this RTL and proof"], rows)


def files_in(row):
    """Of which there are mutants, by a row of MUTANTS."""
    return row["files"].replace("`", "").split()


def mutants_table():
    rows = [[f"`{row['policy']}`", row["of"], row["size"], row["files"], row["mutants"], row["seed"],
             row["killed_by_tests"] or "not run", row["killed_by_proofs"], row["killed_by_properties"],
             row["shown_equivalent"], row["undecided"], row["unseen"], f"`{row['commit']}`",
             of_this(row["digest"], digest_of_rtl(files_in(row)))]
            for row in known_rows(MUTANTS)]
    if not rows:
        return "No results have been published.\n"
    return markdown(["policy", "changed is the", "size", "of", "mutants", "seed", "killed by tests",
                     "by proofs only", "of these by a property", "shown equivalent", "undecided", "unseen",
                     "RTL of commit", "of this RTL"], rows)


def publish(files, listed):
    """Puts results of scripts/prove into the data and their page; `listed` is what prove.listed() says."""
    new = rows_of(results_of(files, ("policy", "property")))
    rows = {tuple(row[name] for name in KEY): row for row in known_rows(DATA) + new}
    write_rows(DATA, COLUMNS, [row for key, row in sorted(rows.items()) if key in listed])
    marked.fill(PROOFS_PAGE, "proofs", {"proofs": proofs_table(listed)})


def publish_mutants(files):
    """Puts results of scripts/mutate into the data and their page, a row for each policy and what is changed of it.
    Raises NoResults of a run that was interrupted."""
    rows = {tuple(row[name] for name in MUTANT_KEY): row for row in known_rows(MUTANTS)}
    for result in results_of(files, (*MUTANT_KEY, "interrupted", "tested", "killed_by_tests", "sizes", "files")):
        if result["interrupted"]:
            raise NoResults(f"the run of the mutants of {result['policy']} was interrupted")
        rows[tuple(result[name] for name in MUTANT_KEY)] = {
            name: result.get(name) for name in MUTANT_COLUMNS} | {
                "killed_by_tests": result["killed_by_tests"] if result["tested"] else None,
                "size": "; ".join(map(shown, result["sizes"])),
                "files": " ".join(f"`{name}`" for name in result["files"])}
    write_rows(MUTANTS, MUTANT_COLUMNS, [row for _, row in sorted(rows.items())])
    marked.fill(MUTANTS_PAGE, "mutants", {"results": mutants_table()})


def faults_of(listed, mutated):
    """What is wrong with the pages and their data, a line each; `listed` is what prove.listed() says, `mutated` of which
    files there are mutants, by policy."""
    there = {tuple(row[name] for name in KEY): row for row in known_rows(DATA)}
    faults = [f"{DATA}: no proof is {', '.join(filter(None, key))}" for key in sorted(there.keys() - listed.keys())]
    faults += [f"{DATA}: no results of {', '.join(filter(None, key))}" for key in sorted(listed.keys() - there.keys())]
    for key in sorted(there.keys() & listed.keys()):
        proved, properties, controls, _ = listed[key]
        if [there[key][name] for name in ("proved", "properties", "refuted", "controls")] != [
                str(count) for count in (proved, properties, controls, controls)]:
            faults.append(f"{DATA}: {', '.join(filter(None, key))}: not {proved} of {properties} properties proved and "
                          f"{controls} of {controls} controls and covers refuted")
    of_mutants = known_rows(MUTANTS)
    there = {row["policy"] for row in of_mutants}
    faults += [f"{MUTANTS}: no mutants of {policy}" for policy in sorted(mutated.keys() - there)]
    faults += [f"{MUTANTS}: no proof has mutants of {policy}" for policy in sorted(there - mutated.keys())]
    faults += [f"{MUTANTS}: {row['policy']}: mutants of {' '.join(files_in(row))}, not {' '.join(sorted(mutated[row['policy']]))}"
               for row in of_mutants if row["policy"] in mutated and set(files_in(row)) != mutated[row["policy"]]]
    return [*faults,
            *marked.faults(PROOFS_PAGE, "proofs", {"proofs": proofs_table(listed)}, "scripts/prove --publish"),
            *marked.faults(MUTANTS_PAGE, "mutants", {"results": mutants_table()}, "scripts/mutate --publish")]
