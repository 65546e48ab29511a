"""Proves what tb/formal/proofs lists: the RTL of each policy against its specification, and properties.

Each property comes with a broken control: the same property over RTL with a fault in it must be refuted, or
the proof would be worth nothing. Its counterexample is a waveform in build/formal/traces. A cover is a
claim that something never happens, which must be refuted, too.

Exit status: 0 all results are as expected, 1 one is not, 2 bad usage.
"""

import contextlib
import dataclasses
import fcntl
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path += [str(TOP / "tb" / folder) for folder in ("cli", "faults", "kernel")]
import aiger  # noqa: E402
import engines  # noqa: E402
import inject  # noqa: E402
import page  # noqa: E402
import rtl_code  # noqa: E402
import usage  # noqa: E402

RTL = TOP / "rtl"


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def shown_size(proof, size):
    """The size as results say it."""
    return {snake(k): v for k, v in size.items()} | ({"latency": proof["latency"]} if "latency" in proof else {})


def heads_of(proof, shown):
    """How long a packet at the head of a queue may be, as results say it, at a size as shown_size() gives it."""
    if proof.get("without_heads", "max_packet_flits" not in shown):
        return "no matter"
    return "of any length" if "LIES" in proof.get("macros", []) else "within the longest"


# A file of proofs/ lists what is proved of a policy, or of what all have, at which sizes, by which engines.
# `invariant` couples the engine's registers to the specification's state; it is a part of each claim that is
# proved by induction, and of none that a control must refute. `fault` is the broken control of a property: one of
# tb/faults or of a file here, where those stand that break a property itself. The first size is the one of
# controls and covers; `controls` of a size are faults of properties that it takes its width to see. One without
# engines is there for them alone. Each takes a netlist of its own: where those take long, a quick run refutes
# `quick_controls` of a size and its `controls` only.
# `without_heads`: no packet stands in the queues.
# A size with `parts` = N is proved in the N parts of by_parts, each of them a claim of its own.
# `lemma`: what stands for the specification is that by the lemma of this name, not the specification's own loop.
# A property with `engines` is proved apart from the others, by those; `alone`: without the invariant.
# `mutated` are the files of which scripts/mutate makes mutants, of the text and of the cells, at the size with `mutants`
# or the last one, of the text also, by their properties, at one with `mutants_left`; `pins`, of an engine, the header under tb/kernel/pins, and the class in it, by which tests drive it.
# `runs`: a program of C++ that runs mutants of the whole netlist for longer than a search does; with `runs_at_once`,
# [M, N], all of them, for 2^M cycles before the provers look and 2^N before they have longer, else what these leave.
# A part, of another file, adds to the proof that it names its covers, its properties, and what that proof's top module
# includes as policies.svh.
PROOFS = HERE / "proofs"


def proofs():
    """All proofs, file by file."""
    read = [tomllib.loads(file.read_text()) for file in sorted(PROOFS.glob("*.toml"))]
    listed = [proof for file in read for proof in file.get("proof", [])]
    for part in (part for file in read for part in file.get("part", [])):
        proof = next(proof for proof in listed if proof["policy"] == part["proof"])
        proof.setdefault("includes", []).append(part["include"])
        proof["covers"] += part["covers"]
        proof["properties"] |= part.get("properties", {})
    return listed


def apart_at(proof, number):
    """The properties that are proved apart from the others at the size of this number."""
    return [name for name, p in proof["properties"].items() if "engines" in p and number in p.get("sizes", [0])]


def covers_at(proof, number):
    """What has to be reachable, and is looked for at the size of this number."""
    return proof["covers"] if number == 0 else []


def controls_at(proof, number, quick=False):
    """The properties that are refuted at the size of this number, and by which fault."""
    size = proof["sizes"][number]
    controls = {name: p["fault"] for name, p in proof["properties"].items()} if number == 0 else {}
    if quick and "quick_controls" in size:
        controls = {name: controls[name] for name in size["quick_controls"]}
    return controls | size.get("controls", {})


def listed():
    """What a whole run has results of, as page.KEY names them: how many properties are proved, of how many, how many
    controls and covers are refuted, and the digests."""
    names, controls, proved, digests = {}, {}, {}, {}
    for proof in proofs():
        digest = digest_of(proof)
        together = together_of(proof)
        for number, entry in enumerate(proof["sizes"]):
            size = shown_size(proof, entry["parameters"])
            key = (proof["policy"], page.shown(size), heads_of(proof, size), proof.get("lemma", ""))
            by_engine = [(engine, name) for engine in entry["engines"] for name in together]
            by_engine += [(engine, name) for name in apart_at(proof, number) for engine in proof["properties"][name]["engines"]]
            for engine, name in by_engine:
                names.setdefault(key, set()).add(name)
                proved[*key, engine] = proved.get((*key, engine), 0) + 1
            controls[key] = controls.get(key, 0) + len(controls_at(proof, number)) + len(covers_at(proof, number))
            digests.setdefault(key, set()).add(digest)
    return {key: (count, len(names[key[:-1]]), controls[key[:-1]], page.joined(digests[key[:-1]]))
            for key, count in proved.items()}


# What decides whether an answer is one.
DECIDES = ("netlist.py", "engines.py", "aiger.py")


def mutated():
    """Of which files there are mutants, by the policy of the proof."""
    files = {}
    for proof in proofs():
        for name in proof.get("mutated", []):
            files.setdefault(proof["policy"], set()).add(name)
    return files


def digest_of(proof):
    """Of all that a proof's answers at any size hang on: the RTL that its files name, these, what it lists, and how it
    is asked."""
    def texts(paths):
        return [path.read_text(encoding="utf-8") for path in paths]
    own = texts(HERE / name for name in [*proof["files"], *proof.get("includes", [])])
    own += texts(HERE / name for text in own for name in re.findall(r'`include "(\w+\.svh)"', text)
                 if (HERE / name).exists())  # policies.svh is made of the includes
    rtl = {path: path.read_text(encoding="utf-8") for path in sorted(RTL.rglob("*.sv"))}
    listed = {name: value for name, value in proof.items() if name not in ("sizes", "mutated", "pins", "runs", "runs_at_once")}
    return rtl_code.digest([*own, *(rtl[path] for path in rtl_code.named_by(own, rtl)), json.dumps(listed),
                            *texts(HERE / name for name in DECIDES)])


def faults():
    """All faults by name: those that the tests have to find, and those of the proofs alone."""
    rooms = [TOP / "tb" / room for room in ("faults/policy", "modules/faults.toml", "ages/faults.toml")]
    return {fault["name"]: fault for room in (*rooms, PROOFS) for fault in inject.faults_of(room)}


@contextlib.contextmanager
def alone(lock):
    """While this lasts nobody else who names the same file writes what goes by its name; who does is waited for."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another run, which has {lock}", file=sys.stderr)
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


class YosysFailed(Exception):
    """Yosys did not read the sources: the log that says why."""


def faulty(proof, fault):
    """The file that has a fault, as {its name: its text}: one of the RTL, or a lemma's among those of its proof."""
    file = (HERE if fault["file"] in proof["files"] else RTL) / fault["file"]
    text = file.read_text()
    if text.count(fault["original"]) != 1:
        sys.exit(f"prove: fault {fault['name']}: its original stands {text.count(fault['original'])} times "
                 f"in {file.relative_to(TOP)}, not once")
    return {fault["file"]: text.replace(fault["original"], fault["faulty"].replace("FAULT", "1'b1"))}


def sources(proof, changed, directory):
    """The files of a proof; of those that are changed, {name: text}, a copy stands in their place."""
    files = {str(path.relative_to(RTL)): path for path in sorted(RTL.rglob("*.sv"))}
    files |= {name: HERE / name for name in proof["files"]}
    for name, text in changed.items():
        files[name] = directory / Path(name).name
        files[name].write_text(text)
    return [str(path) for path in files.values()]


def together_of(proof):
    """The properties that are proved together."""
    return [name for name, p in proof["properties"].items() if "engines" not in p]


def netlists(proof, size, claims, directory, changed=None, smt2=False, mutants=None):
    """Writes the netlist of each claim into `directory`, by Yosys in a process of its own; with mutants of `files`,
    `count` of them by a `seed`, if they are wanted; or one in Verilog that has `only` some of these."""
    directory.mkdir(parents=True, exist_ok=True)
    included = "".join(f'`include "{HERE / name}"\n' for name in proof.get("includes", []))
    (directory / "policies.svh").write_text(included)
    job = directory / "job.json"
    job.write_text(json.dumps({
        "top": proof["top"], "parameters": proof.get("parameters", {}) | size, "macros": proof.get("macros", []),
        "sources": sources(proof, changed or {}, directory), "directory": str(directory), "smt2": smt2,
        "mutants": mutants, "properties": [proof["properties"][name]["output"] for name in together_of(proof)],
        "simulated": "pins" in proof,
        "free_clocks": proof.get("free_clocks", False), "claims": claims}, indent=1))
    with (directory / "yosys.log").open("w") as log:
        done = subprocess.run([sys.executable, HERE / "netlist.py", job], stdout=log, stderr=log, check=False)
    if done.returncode != 0:
        raise YosysFailed(directory / "yosys.log")


def trace(base, output, name, free_clocks):
    """Replays the counterexample of BASE.aiw as a waveform, in which `output` has to rise."""
    waves = TOP / "build/formal/traces" / f"{name}.vcd"
    waves.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{base}.sim.log").open("w") as log:
        clock = "free" if free_clocks else "clk_i"
        subprocess.run([sys.executable, HERE / "netlist.py", "--waveform", str(base), str(waves), clock],
                       stdout=log, stderr=log, check=True)
    text = waves.read_text()
    code = re.search(rf"\$var wire 1 (\S+) {output}( \[\d+:\d+\])? \$end", text)
    if code is None or not re.search(rf"^(b1 |1){re.escape(code.group(1))}$", text, re.M):
        sys.exit(f"prove: {waves} does not show {output}")


def commit_of_rtl():
    """The last commit that changed the RTL, with a + where the RTL, or what is proved of it, is not committed."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False).stdout.strip()
    last = git("log", "-1", "--format=%h", "--", "rtl")
    return last + ("+" if git("status", "--porcelain", "--", "rtl", "tb/formal") else "") if last else None


class Report:
    def __init__(self, as_json):
        self.as_json = as_json
        self.commit = commit_of_rtl()
        self.digests = {}
        self.as_expected = True

    def add(self, proof, name, size, engine, answer, control):
        expected = "refuted" if control else "proved"
        self.as_expected &= answer.result == expected
        size = shown_size(proof, size)
        line = {"policy": proof["policy"], "property": name, "size": size, "heads": heads_of(proof, size),
                "lemma": proof.get("lemma"), "engine": engine, "result": answer.result, "depth": answer.depth, "control": control,
                "expected": expected, "seconds": round(answer.seconds, 1), "commit": self.commit,
                "digest": self.digests[id(proof)]}
        if self.as_json:
            print(json.dumps(line), flush=True)
        else:
            shown = " ".join(f"{k}={v}" for k, v in line["size"].items())
            depth = "" if answer.depth is None else f" at cycle {answer.depth}"
            flag = "" if answer.result == expected else f"   EXPECTED {expected}"
            kind = "control " if control else ""
            print(f"{proof['policy']}: {kind}{name} ({shown}): {answer.result}{depth} by {engine} "
                  f"in {line['seconds']} s{flag}", flush=True)


def proved_by_parts(engine, claims, seconds):
    """The answer to all of the claims: proved if each is, or the first one that is not; the seconds of all."""
    spent = 0.0
    for claim in claims:
        answer = engines.ENGINES[engine](claim, seconds)
        spent += answer.seconds
        if answer.result != "proved":
            print(f"prove: {claim}: {answer.result}", file=sys.stderr)
            break
    return dataclasses.replace(answer, seconds=spent)


def run(proof, known, report, quick):
    """Proves the properties of one policy at its sizes, and refutes its controls and covers at the smallest.

    The properties that are proved with the invariant are proved together, as one claim or by parts; the seconds
    that each of them is told are those of all. Only when that one claim fails, each is asked about by itself.
    """
    properties = proof["properties"]
    frames = proof.get("search_frames", engines.SEARCH_FRAMES)
    for number, entry in enumerate(proof["sizes"]):
        if quick and not entry.get("quick", False):
            continue
        size = entry["parameters"]
        directory = TOP / "build/formal" / proof["policy"] / str(number)
        seconds = entry.get("seconds", 600)
        together = together_of(proof)
        covers = covers_at(proof, number)

        def claim(name):
            invariant = [] if properties[name].get("alone", False) else [proof["invariant"]]
            return {"name": name, "outputs": invariant + [properties[name]["output"]]}

        apart = apart_at(proof, number)
        claims = [claim(name) for name in apart] + [{"name": cover, "outputs": [cover]} for cover in covers]
        parts = [f"parts_o_{part}" for part in range(entry.get("parts", 0))]
        provers = entry["engines"][:1] if quick else entry["engines"]
        smt2 = "yices" in provers
        if not parts:
            claims.append({"name": "together",
                           "outputs": [proof["invariant"]] + [properties[name]["output"] for name in together]})
        elif smt2:
            claims += [{"name": part, "outputs": [part]} for part in parts]
        else:
            claims.append({"name": "parts", "outputs": parts})
        if provers:
            netlists(proof, size, claims, directory, smt2=smt2)
        if parts and not smt2:
            graphs = aiger.apart(aiger.read(directory / "parts.aig"))
            for part in parts:
                (directory / f"{part}.aig").write_bytes(aiger.written(graphs[part]))
        for engine in provers:
            answer = proved_by_parts(engine, [directory / name for name in parts or ["together"]], seconds)
            if answer.result != "proved" and not parts:
                netlists(proof, size, [claim(name) for name in together], directory, smt2=smt2)
            for name in together:
                alone = answer if answer.result == "proved" or parts else engines.ENGINES[engine](directory / name, seconds)
                report.add(proof, name, size, engine, alone, False)
        for name in apart:
            for engine in properties[name]["engines"]:
                report.add(proof, name, size, engine, engines.ENGINES[engine](directory / name, seconds), False)
        for cover in covers:
            answer = engines.abc_search(directory / cover, 120, frames)
            report.add(proof, cover.removesuffix("_o"), size, "abc bmc3", answer, True)
        for name, fault in controls_at(proof, number, quick).items():
            output = properties[name]["output"]
            broken = TOP / "build/formal" / proof["policy"] / f"control-{fault}-{name}"
            netlists(proof, size, [{"name": name, "outputs": [output]}], broken, faulty(proof, known[fault]))
            answer = engines.abc_search(broken / name, 120, frames)
            report.add(proof, f"{name}, fault {fault}", size, "abc bmc3", answer, True)
            if answer.result == "refuted":
                shown = name if number == 0 else f"{name}-{fault}"
                trace(broken / name, output, f"{proof['policy']}-{shown}", proof.get("free_clocks", False))


def main():
    parser = usage.Parser(prog="scripts/prove", description=__doc__)
    parser.add_argument("policy", nargs="*", metavar="POLICY", help="all that have proofs, without one")
    parser.add_argument("--json", action="store_true", help="one JSON line for each result")
    parser.add_argument("--quick", action="store_true", help="only the sizes that take seconds, by one engine")
    parser.add_argument("--publish", nargs="+", metavar="RESULTS",
                        help="prove nothing; put what --json said into docs/")
    parser.add_argument("--check-page", action="store_true",
                        help="prove nothing; whether the pages' tables are what the data in docs/ say, "
                             "and these are of the proofs that there are")
    arguments = parser.parse_args()
    if arguments.policy and (arguments.publish or arguments.check_page):
        print("prove: --publish and --check-page are of all policies", file=sys.stderr)
        return 2
    if arguments.publish:
        try:
            page.publish(arguments.publish, listed())
        except page.NoResults as error:
            print(f"prove: {error}", file=sys.stderr)
            return 2
        return 0
    if arguments.check_page:
        faults_found = page.faults_of(listed(), mutated())
        for fault in faults_found:
            print(f"prove: {fault}", file=sys.stderr)
        return 1 if faults_found else 0

    there = [proof["policy"] for proof in proofs()]
    for policy in arguments.policy:
        if policy not in there:
            print(f"prove: no proofs for '{policy}'; there are those of {', '.join(dict.fromkeys(there))}",
                  file=sys.stderr)
            return 2
        if arguments.quick and not any(size.get("quick") for proof in proofs() if proof["policy"] == policy
                                       for size in proof["sizes"]):
            print(f"prove: no size of '{policy}' takes seconds; it is proved without --quick", file=sys.stderr)
            return 2
    known = faults()
    unknown = {fault for proof in proofs() for number in range(len(proof["sizes"]))
               for fault in controls_at(proof, number).values()} - known.keys()
    if unknown:
        sys.exit(f"prove: there is no fault named {' or '.join(sorted(unknown))}")
    report = Report(arguments.json)
    for proof in proofs():
        if not arguments.policy or proof["policy"] in arguments.policy:
            report.digests[id(proof)] = digest_of(proof)
            try:
                with alone(TOP / "build/formal" / f"{proof['policy']}.lock"):
                    run(proof, known, report, arguments.quick)
            except YosysFailed as failed:
                sys.exit(f"prove: Yosys failed, see {failed}")
    return 0 if report.as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
