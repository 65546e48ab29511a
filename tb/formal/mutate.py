"""Mutants of a policy's RTL, and what tells them apart from it.

A mutant is the RTL with one operator, constant or condition of its source changed. Mutants are drawn by a
seed among all of the files that the policy's proofs name as `mutated`; those that do not elaborate, and
those drawn already, are not counted. Each is held against those proofs at their largest sizes, as
scripts/prove holds the RTL: against the properties, and the invariant that couples its state with the
specification's. One of them kills it, all of them show it equivalent.

  killed_by_tests    a counterexample from reset was found within the frames that controls are searched in
  shown_equivalent   all was proved of it, unbounded: at this size it decides as specified
  survivors          neither

Results are kept in build/formal/mutants as long as the sources are the same; an interrupted run goes on.

Exit status: 0 no survivor, 1 some, 2 bad usage.
"""

import argparse
import hashlib
import json
import os
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import engines
import page
import prove

# What is changed into what. A pattern matches the operator itself; the rest looks around it.
CHANGES = [
    (r"(?<!&)&(?![&=])", "|"),
    (r"&&", "||"),
    (r"(?<!\|)\|(?![|=])", "&"),
    (r"\|\|", "&&"),
    (r"\|=", "&="),
    (r"&=", "|="),
    (r"~(?=[\w({])", ""),
    (r"!(?=[\w(])", ""),
    (r"==", "!="),
    (r"!=", "=="),
    (r"(?<= )\+(?= )(?! \d+\)')", "-"),
    (r"(?<= )-(?= )", "+"),
    (r"(?<= )<(?= )", "<="),
    (r"(?<= )>(?= )", ">="),
    (r"(?<= )>=(?= )", ">"),
    (r"<<", ">>"),
    (r">>", "<<"),
    (r"'0", "'1"),
    (r"(?<=')b0\b", "b1"),
    (r"(?<=')b1\b", "b0"),
    (r"(?<=if )\((?!\w+ (<|==) )", "(1'b1 || "),
    (r"(?<=if )\((?!\w+ (<|==) )", "(1'b0 && "),
]
# Lines that say how wide or how many something is, and not what it does.
NOT_LOGIC = re.compile(r"^\s*(for |localparam|parameter|typedef|import|if \(.*begin : g_|\$error|\.\w+\s*\(|"
                       r"(assign )?unused_|logic [^=]*;)|: g_|unused_|\$error")


def points_of(file):
    """All mutants of a file: (file, line, column, what stands there, what is put there)."""
    points, body = [], False
    for number, line in enumerate((prove.RTL / file).read_text().splitlines(), start=1):
        code = line.split("//")[0]
        if body and not NOT_LOGIC.search(code):
            for pattern, change in CHANGES:
                points += [(file, number, found.start(), found.group(), change)
                           for found in re.finditer(pattern, code)]
        body = body or line == ");"
    return sorted(points)


def mutant_of(point):
    file, number, column, original, change = point
    lines = (prove.RTL / file).read_text().splitlines(keepends=True)
    line = lines[number - 1]
    lines[number - 1] = line[:column] + change + line[column + len(original):]
    return "".join(lines)


def verdict(proofs, point, directory):
    """'killed', 'equivalent', 'survived', or 'invalid' if it does not elaborate."""
    found = []
    for number, proof in enumerate(proofs):
        if point[0] in proof["mutated"]:
            found.append(verdict_of(proof, point, directory / str(number)))
            if found[-1] in ("killed", "invalid"):
                return found[-1]
    return "survived" if "survived" in found else "equivalent"


def size_of(proof):
    """The size that is marked for mutants, or the last one."""
    return next((size for size in proof["sizes"] if size.get("mutants")), proof["sizes"][-1])["parameters"]


def verdict_of(proof, point, directory):
    """What one proof says."""
    size = size_of(proof)
    claimed = [proof["invariant"]] + [p["output"] for p in proof["properties"].values() if "engines" not in p]
    try:
        prove.netlists(proof, size, [{"name": "together", "outputs": claimed}], directory, {point[0]: mutant_of(point)})
    except prove.YosysFailed:
        return "invalid"
    # The proof first: to find nothing in all the frames takes much longer.
    if engines.abc_induction(directory / "together", 120).result == "proved":
        return "equivalent"
    frames = proof.get("search_frames", engines.SEARCH_FRAMES)
    return "killed" if engines.abc_search(directory / "together", 120, frames).result == "refuted" else "survived"


def digest_of_sources():
    digest = hashlib.sha256()
    for path in sorted([*prove.RTL.rglob("*.sv"), *prove.HERE.glob("*.sv*"), *prove.HERE.glob("*.py"),
                        *prove.PROOFS.glob("*.toml")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def run(proofs, count, seed, jobs):
    policy, size = proofs[0]["policy"], size_of(proofs[0])
    files = list(dict.fromkeys(file for proof in proofs for file in proof["mutated"]))
    points = [point for file in files for point in points_of(file)]
    drawn = random.Random(seed).sample(points, len(points))
    directory = prove.TOP / "build/formal/mutants" / f"{policy}-{digest_of_sources()}"
    directory.mkdir(parents=True, exist_ok=True)
    kept = directory / "verdicts.jsonl"
    known = {}
    if kept.exists():
        known = {tuple(point): found for point, found in map(json.loads, kept.read_text().splitlines())}

    def judge(point):
        if point not in known:
            found = verdict(proofs, point, directory / str(points.index(point)))
            with kept.open("a") as stream:
                stream.write(json.dumps([point, found]) + "\n")
            known[point] = found
        return point, known[point]

    verdicts = {}
    with ThreadPoolExecutor(jobs) as pool:
        while drawn and len(verdicts) < count:
            some, drawn = drawn[:count - len(verdicts)], drawn[count - len(verdicts):]
            verdicts |= {point: found for point, found in pool.map(judge, some) if found != "invalid"}
            if sys.stderr.isatty():
                print(f"{len(verdicts)} of {count} mutants", file=sys.stderr)
    found = list(verdicts.values())
    survivors = [{"file": file, "line": line, "column": column + 1, "original": original, "change": change}
                 for (file, line, column, original, change), result in verdicts.items() if result == "survived"]
    return {"policy": policy, "mutants": len(verdicts), "killed_by_tests": found.count("killed"),
            "shown_equivalent": found.count("equivalent"), "survivors": survivors, "possible": len(points),
            "files": files, "seed": seed, "size": {prove.snake(k): v for k, v in size.items()},
            "commit": prove.commit_of_rtl()}


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", nargs="?", metavar="POLICY")
    parser.add_argument("--count", type=int, default=100, help="mutants (default 100); fewer if there are fewer")
    parser.add_argument("--seed", type=int, default=1, help="which of them (default 1)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="how many at a time (default: one for each processor)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--publish", nargs="+", metavar="RESULTS",
                        help="run nothing; put what --json said into docs/")
    arguments = parser.parse_args()
    if arguments.publish:
        page.publish_mutants(arguments.publish)
        return 0
    proofs = [proof for proof in prove.proofs() if "mutated" in proof]
    chosen = [proof for proof in proofs if proof["policy"] == arguments.policy]
    if not chosen or arguments.count < 1 or arguments.jobs < 1:
        wrong = "--count and --jobs are at least 1" if chosen else f"no mutants of '{arguments.policy}'"
        print(f"mutate: {wrong}; there are those of "
              f"{', '.join(dict.fromkeys(proof['policy'] for proof in proofs))}",
              file=sys.stderr)
        return 2
    result = run(chosen, arguments.count, arguments.seed, arguments.jobs)
    if arguments.json:
        print(json.dumps(result))
    else:
        print(f"{result['policy']}: {result['mutants']} mutants of {result['possible']}: "
              f"{result['killed_by_tests']} killed by tests, {result['shown_equivalent']} shown equivalent, "
              f"{len(result['survivors'])} survivors")
        for survivor in result["survivors"]:
            print(f"  rtl/{survivor['file']}:{survivor['line']}:{survivor['column']}: "
                  f"'{survivor['original']}' became '{survivor['change']}'")
    return 1 if result["survivors"] else 0


if __name__ == "__main__":
    sys.exit(main())
