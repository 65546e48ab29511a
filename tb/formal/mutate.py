"""Mutants of a policy's RTL, and what tells them apart from it.

A mutant of the netlist, as it is elaborated for a proof, has one bit of one cell's port changed; a mutant of the
source one operator, constant or condition; one of the resets what one register is in a reset. They are drawn by a
seed, from the files that the policy's proofs name as `mutated` and from the cells that these files make, as many of
each proof's netlist. Not counted are those that do not elaborate, and those whose gates are another mutant's.

An engine's netlist with its mutants runs in lockstep with the C++ reference, first a little. What these tests do
not tell apart is held against the proofs at one size, as scripts/prove holds the RTL: against the properties, and
the invariant that couples its state with the specification's. What is not shown to be equivalent soon is tested
for longer before the provers have more time, and for long before they have much. Mutants of the source or resets, and
of what is no engine, are only held against the proofs; some of the latter run for long with their properties. Of the
former, what no property refutes may be searched at a second size, where what takes many packets takes few.

  killed_by_tests    decided otherwise than the reference, or had another state
  killed_by_proofs   a counterexample from reset to a property was found, and no test told it apart; of the source or
                     resets, to a property or the invariant
  killed_by_properties  of these, those with a counterexample to a property; the others are listed by_invariant
  shown_equivalent   of a netlist: its steps are the RTL's, or all was proved of it, unbounded. Of the source: at
                     the size of the proof; at another one it may do otherwise
  undecided          none of these, in the time that each prover has or until an interrupt
  survivors          of these the undecided ones and, if there are tests, those that only the proofs killed
  unseen             not among the mutants: no gate is another one of which anything is claimed at this size

What is found of gates is kept in build/formal/mutants, or the verdicts in another file, from which a run on another
machine goes on. An interrupted run tells what it has found until then; the next one goes on.

Exit status: 0 no survivor, 1 some, 2 bad usage, 130 interrupted.
"""

import hashlib
import itertools
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import aiger
import engines
import page
import prove
import simulated
import usage

KEPT = prove.TOP / "build/formal/mutants"
FEW = 6            # bits of a mutant's number
TOGETHER = 25      # mutants that are looked at in one process
CONFLICTS = 2000   # of the solver in a cycle, in the first look for a counterexample
STATE_FRAMES = (2, 6, 14)  # of the inductions by which a mutant's state is shown to be the RTL's; the first at once
RUN_FRAMES = 4     # of that by which it is shown to run as the RTL does, if one is too few
FEW_ROUNDS = 20    # of random inputs, in the others
MANY_ROUNDS = 500  # of random inputs, in the last
BIASED_FRAMES = 64  # of random inputs with a bias, in the third and the last
LONGEST = 30       # bit of the cycles of the longest run
OF_RTL = 20        # that of a run without a mutant, of which all is proved
SECONDS_OF_A_LOOK = 4  # of processor time for each proof in the first look
SECONDS = (10, 60)  # for each prover, then and at last; 6 are what all that is claimed of infiniband needs
# Of the tests of a mutant, before the provers' first look and each time. Most is told apart at once; that a limit of
# infiniband is the longest, in flits, and met exactly comes once in some five million.
DECISIONS = (20_000, 1_000_000, 40_000_000)

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


def resets_of(file):
    """Those that change what a register is in a reset."""
    lines, points, within = (prove.RTL / file).read_text().splitlines(), points_of(file), False
    resets = set()
    for number, line in enumerate(lines, start=1):
        within = "if (!rst_ni)" in line or (within and not re.match(r"\s*end\b", line))
        if within:
            resets.add(number)
    return [point for point in points if point[1] in resets and "<=" in lines[point[1] - 1][:point[2]]]


def mutant_of(point):
    file, number, column, original, change = point
    lines = (prove.RTL / file).read_text().splitlines(keepends=True)
    line = lines[number - 1]
    lines[number - 1] = line[:column] + change + line[column + len(original):]
    return "".join(lines)


def place_of(line):
    """What a line of Yosys' list changes, as the survivors are told."""
    options = dict(re.findall(r"-(mode|cell|port|portbit|ctrlbit) (\S+)", line))
    file, number, column = re.findall(r"-src \S*?rtl/(\S+?):(\d+)\.(\d+)", line)[-1]
    other = f" by bit {options['ctrlbit']}" if "ctrlbit" in options else ""
    return {"file": file, "line": int(number), "column": int(column),
            "original": f"{options['cell']} {options['port'].lstrip(chr(92))}[{options['portbit']}]",
            "change": options["mode"] + other}


def size_of(proof):
    """The size that is marked for mutants, or the last one."""
    return next((size for size in proof["sizes"] if size.get("mutants")), proof["sizes"][-1])["parameters"]


def sizes_of_what_is_left(proof):
    """Those at which the properties of mutants of the source are searched that none refutes at the other size."""
    return [size for size in proof["sizes"] if size.get("mutants_left")]


def properties_of(proof):
    """The outputs that claim something of a mutant. A lemma that does not hold would make the other properties say
    nothing."""
    return [p["output"] for p in proof["properties"].values() if "engines" not in p or p.get("alone", False)]


class CutOff(Exception):
    """A file is not as long as it should be."""


def graph_of(proof, directory, changed=None, mutants=None):
    """The gates of all that a proof claims, together, and those of its properties alone, but for what stands still from
    reset on under every mutant."""
    properties = properties_of(proof)
    claims = {"together": [proof["invariant"], *properties], "properties": properties}
    prove.netlists(proof, size_of(proof), [{"name": name, "outputs": outputs} for name, outputs in claims.items()],
                   directory, changed, mutants=mutants)
    try:
        return [aiger.alive(aiger.read(directory / f"{name}.aig")) for name in claims]
    except (ValueError, IndexError):  # it does not tell that it could not write
        raise CutOff(f"{directory}: what Yosys wrote there is cut off; the disk may be full") from None


@dataclass
class Asked:
    """Gates of all that is claimed, as an AIGER file has them; cycles to search; and, of a mutant of a netlist, what
    makes the graphs of aiger.other_step and, of the properties alone, of aiger.side_by_side, aiger.other_state and
    aiger.fixed; of one of the source, the names of the inputs.

    A mutant that takes the RTL's step in each state that the RTL reaches is equivalent to it. That is shown much faster
    than all that is claimed of it, mostly of any state in which the RTL does as claimed. One that breaks the invariant
    only has another state, and may still decide as the RTL does."""
    gates: bytes
    frames: int
    step: Callable | None = None
    beside: Callable | None = None
    state: Callable | None = None  # of whether a difference passes with a step
    properties: Callable | None = None
    inputs: list | None = None

    def key(self):
        return hashlib.sha256(self.gates).hexdigest()

    def at(self, base):
        """The gates of which a counterexample is asked, as BASE.aig."""
        base.with_suffix(".aig").write_bytes(aiger.written(self.properties()) if self.properties else self.gates)
        return base

    def beside_at(self, base, name, graph):
        """A graph in a file beside BASE.aig, told as that is."""
        other = base.with_name(f"{base.name}-{name}")
        other.with_suffix(".aig").write_bytes(graph)
        return other

    def all_at(self, base):
        return self.beside_at(base, "all", self.gates)

    def step_at(self, base):
        return self.beside_at(base, "step", aiger.written(self.step()))

    def biased_at(self, base):
        graph = self.properties() if self.properties else aiger.read(base.with_suffix(".aig"))
        # Without their names the bits of a vector would have a bias each.
        graph.inputs = self.inputs or graph.inputs
        return self.beside_at(base, "biased", aiger.written(aiger.biased(graph)))

    def states_at(self, base):
        return [self.beside_at(base, f"state-{passing}", aiger.written(self.state(passing))) for passing in (False, True)]

    def run_at(self, base):
        return self.beside_at(base, "run", aiger.written(self.beside()))


class NoVerdicts(Exception):
    """A file is none of verdicts."""


class Verdicts:
    """What the provers say of gates, 'killed' or 'equivalent'; of properties alone 'killed' or 'not found'. A file keeps
    it."""

    def __init__(self, file):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            lines = file.read_text(errors="replace").splitlines() if file.exists() else []
        except OSError as error:
            raise NoVerdicts(f"{file}: {error.strerror}") from error
        self.file = file
        self.known = {}
        for number, line in enumerate(lines, start=1):
            if not (verdict := re.fullmatch(r'\["([0-9a-f]{64})", "(killed|equivalent|not found)"\]', line)):
                raise NoVerdicts(f"{file}:{number}: no verdict of gates")
            self.known[verdict[1]] = verdict[2]

    def at_first(self, asked):
        """The verdict of each, None for those that need more than a moment."""
        with tempfile.TemporaryDirectory() as directory:
            new = {Path(directory) / each.key(): each for each in asked if each.key() not in self.known}
            for base, each in new.items():
                each.at(base)

            # A short search kills most; random inputs others, with a bias also what needs something rare, as an address
            # is, or that lasts.
            looks = (lambda bases: engines.abc_glance(bases, max(each.frames for each in asked), CONFLICTS),
                     lambda bases: engines.abc_random(bases, FEW_ROUNDS),
                     lambda bases: engines.abc_random([new[base].biased_at(base) for base in bases], FEW_ROUNDS,
                                                      BIASED_FRAMES))
            for look in looks:
                bases = list(new)
                for base in itertools.compress(bases, look(bases)):
                    self.keep(new.pop(base).key(), "killed")
            for base, each in new.items():
                if each.step is not None and (
                        any(engines.abc_induction(state, SECONDS_OF_A_LOOK, STATE_FRAMES[0]).result == "proved"
                            for state in each.states_at(base)) or
                        engines.abc_any_state(each.step_at(base), SECONDS_OF_A_LOOK).result == "proved"):
                    self.keep(each.key(), "equivalent")
        return [self.known.get(each.key()) for each in asked]

    def within(self, seconds, asked):
        """The verdict, with so much processor time for each prover; None if that is not enough."""
        if asked.key() in self.known:
            return self.known[asked.key()]
        with tempfile.TemporaryDirectory() as directory:
            base = asked.at(Path(directory) / "mutant")
            if engines.abc_induction(asked.all_at(base), seconds).result == "proved":
                return self.keep(asked.key(), "equivalent")
            if asked.step is not None:
                # In moments, mostly. Of what correspondence shows, pdr says nothing.
                run_at = asked.run_at(base)
                if any(engines.abc_correspondence(*each).result == "proved" for each in (
                        (run_at, seconds, RUN_FRAMES), (run_at, seconds), (asked.step_at(base), seconds))):
                    return self.keep(asked.key(), "equivalent")
            # Most that are left have a counterexample that the search finds, if it has longer than the others.
            if engines.abc_search(base, 4 * seconds, asked.frames).result == "refuted":
                return self.keep(asked.key(), "killed")
            if asked.state is not None and any(
                    engines.abc_induction(state, seconds, frames).result == "proved"
                    for state in asked.states_at(base) for frames in STATE_FRAMES[1:]):
                return self.keep(asked.key(), "equivalent")
            found = engines.abc_pdr(base, seconds, "lcorr").result
            if found != "unknown":
                return self.keep(asked.key(), "equivalent" if found == "proved" else "killed")
            if asked.step is not None:
                run = engines.abc_pdr(run_at, seconds).result
                if run != "unknown":
                    return self.keep(asked.key(), "equivalent" if run == "proved" else "killed")
            if (engines.abc_random([base], MANY_ROUNDS)[0] or
                    engines.abc_random([asked.biased_at(base)], MANY_ROUNDS, BIASED_FRAMES)[0]):
                return self.keep(asked.key(), "killed")
        return None

    def breaks_a_property(self, asked, seconds=SECONDS[0]):
        """Whether a counterexample is found of gates of properties alone, with so many seconds for the search."""
        key = hashlib.sha256(b"properties" + asked.gates).hexdigest()
        if key not in self.known:
            with tempfile.TemporaryDirectory() as directory:
                base = asked.at(Path(directory) / "mutant")
                found = (engines.abc_glance([base], asked.frames, CONFLICTS)[0] or
                         engines.abc_random([base], FEW_ROUNDS)[0] or
                         engines.abc_random([asked.biased_at(base)], FEW_ROUNDS, BIASED_FRAMES)[0] or
                         engines.abc_search(base, seconds, asked.frames).result == "refuted")
            self.keep(key, "killed" if found else "not found")
        return self.known[key] == "killed"

    def keep(self, key, verdict):
        self.known[key] = verdict
        with self.file.open("a") as stream:
            stream.write(json.dumps([key, verdict]) + "\n")
        return verdict


class Tests:
    """The lockstep of an engine's netlist with its reference. A file keeps which gates these tests have told apart."""

    def __init__(self, proof, directory, seed):
        self.program = simulated.build(proof, size_of(proof), directory)
        self.seed, self.file = seed, KEPT / f"tests-{simulated.digest_of_tests()}.txt"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.killed = set(self.file.read_text().split()) if self.file.exists() else set()
        self.policy, self.held = proof["policy"], set()
        self.expect_none_without(DECISIONS[0])

    def expect_none_without(self, decisions):
        """No test tells the netlist without a mutant apart in so many decisions: they do more in long runs."""
        if decisions not in self.held and self.told_apart([0], decisions):
            sys.exit(f"mutate: the netlist of {self.policy} without a mutant differs from the reference")
        self.held.add(decisions)

    def told_apart(self, numbers, decisions):
        return simulated.killed(self.program, [self.seed, decisions], numbers) if numbers else set()

    def run(self, mutants, decisions):
        """Those of the mutants that the tests tell apart."""
        new = [mutant for mutant in mutants if mutant.asked[0].key() not in self.killed]
        found = self.told_apart([mutant.number for mutant in new], decisions)
        if found:
            self.expect_none_without(decisions)
        keys = [mutant.asked[0].key() for mutant in new if mutant.number in found]
        with self.file.open("a") as stream:
            stream.writelines(key + "\n" for key in keys)
        self.killed.update(keys)
        return [mutant for mutant in mutants if mutant.asked[0].key() in self.killed]


@dataclass
class Mutant:
    place: dict    # what is changed
    asked: list    # of each target
    number: int = 0             # in the netlist that the tests run
    tests: Tests | None = None  # without, it is only held against the proofs
    target: "Target | None" = None  # of a netlist
    properties: list = field(default_factory=list)  # of the source: of each target, gates of the properties alone
    verdict: str | None = None  # tested: killed by tests; killed: by proofs; equivalent
    by_property: bool = True  # if it is killed: not, or not as far as was looked, by the invariant alone


def verdict_of(found):
    """What several targets say together, None if one of them must be asked again."""
    return "killed" if "killed" in found else None if None in found else "equivalent"


def test(mutants, decisions):
    """Runs the tests of those that have some."""
    for tests in {id(mutant.tests): mutant.tests for mutant in mutants if mutant.tests}.values():
        for mutant in tests.run([mutant for mutant in mutants if mutant.tests is tests], decisions):
            mutant.verdict = "tested"


class Target:
    """The netlist that one proof speaks of, and its mutants."""

    def __init__(self, proof, verdicts, directory):
        self.proof, self.verdicts, self.directory = proof, verdicts, directory
        self.frames = proof.get("search_frames", engines.SEARCH_FRAMES)
        self.unseen = 0  # mutants that change no gate that anything is claimed of
        self.wanted = None  # of the netlist
        self.program = None  # that runs all mutants of the netlist

    def built(self, numbers):
        """The program that runs these mutants of the netlist."""
        directory = self.directory / "long"
        prove.netlists(self.proof, size_of(self.proof), [], directory, mutants=self.wanted | {"only": list(numbers)})
        return simulated.build_runs(self.proof, directory)

    def run(self, program, mutants, bits_of, of_rtl):
        """Runs mutants for 2^N cycles for each N of theirs; the RTL itself, to be sure, for its own N."""
        found = simulated.killed(program, [], [f"0/{of_rtl}"] + ["/".join(map(str, [mutant.number, *bits_of(mutant)]))
                                                               for mutant in mutants])
        if 0 in found:
            sys.exit(f"mutate: {program} finds a fault without a mutant")
        for mutant in mutants:
            if mutant.number in found:
                mutant.verdict = self.verdicts.keep(mutant.asked[0].key(), "killed")

    def run_at_once(self, mutants, which):
        """Runs those that nothing has decided, if the proof has a program that tells most apart soon."""
        mutants = [mutant for mutant in mutants if self.verdicts.known.get(mutant.asked[0].key()) is None]
        if mutants and self.program:
            bits = self.proof["runs_at_once"][which]
            self.run(self.program, mutants, lambda _: [bits], bits)

    def run_for_long(self, mutants):
        """Runs what nothing else decides for longer than a search does, if the proof has a program for that: for each bit
        that a mutant changes or goes by."""
        if mutants and "runs" in self.proof and not self.program:
            self.run(self.built([mutant.number for mutant in mutants]), mutants, lambda mutant: sorted(
                {bit for bit in map(int, re.findall(r"(?:\[|by bit )(\d+)", str(mutant.place))) if bit <= LONGEST}), OF_RTL)

    def of_rtl(self):
        """The gates of the RTL itself, and those of the properties alone."""
        both = self._asked(graph_of(self.proof, self.directory))
        self._proved(both[0].gates)
        return both

    def _asked(self, graphs):
        # Each with its own inputs: by some registers begin, and a mutant may have more of these or fewer than the RTL.
        return [Asked(aiger.written(aiger.fixed(graph, {})), self.frames, inputs=graph.inputs) for graph in graphs]

    def _proved(self, gates):
        """Gates without a mutant. What is found of mutants would mean nothing if these were not as they should be."""
        asked = Asked(gates, self.frames)
        if next(filter(None, (self.verdicts.within(seconds, asked) for seconds in SECONDS)), None) != "equivalent":
            sys.exit(f"mutate: not all is proved of the RTL of {self.proof['policy']} itself, see scripts/prove")
        return gates

    def of_source(self, point):
        """The gates after a change of the source, and those of the properties alone; None if Yosys refuses it."""
        with tempfile.TemporaryDirectory() as directory:
            try:
                return self._asked(graph_of(self.proof, Path(directory), {point[0]: mutant_of(point)}))
            except prove.YosysFailed:
                return None

    def breaks_a_property(self, mutant):
        """Whether a mutant of the source is refuted by a property at this size."""
        place = mutant.place
        if place["file"] not in self.proof["mutated"]:
            return False
        both = self.of_source((place["file"], place["line"], place["column"] - 1, place["original"], place["change"]))
        return both is not None and self.verdicts.breaks_a_property(both[1], 4 * SECONDS[1])

    def of_netlist(self, count, seed):
        """Mutants of the netlist of which no two have the same gates."""
        self.wanted = {"files": self.proof["mutated"], "count": count, "seed": seed}
        graph, properties = graph_of(self.proof, self.directory, mutants=self.wanted)
        # Of a vector of one bit that has the name.
        bits = {name: int(name[len("mutant["):-1] or 0) for name in graph.inputs if re.match(r"mutant(\[|$)", name)}

        def switched(number, some=range(32)):
            return {name: number >> bit & 1 for name, bit in bits.items() if bit in some}

        def few_with(number):
            """A graph in which few of the mutants are left, from which one of them is made faster."""
            return aiger.fixed(graph, switched(number, range(FEW, 32)))

        def gates_with(number):
            return aiger.written(aiger.fixed(few, switched(number, range(FEW))))

        claimed = properties_of(self.proof)
        few = few_with(0)
        gates_of_rtl = self._proved(gates_with(0))
        tests = Tests(self.proof, self.directory, seed) if "pins" in self.proof else None
        lines = (self.directory / "mutants.ys").read_text().splitlines()
        if "runs_at_once" in self.proof:
            self.program = self.built(range(1, 1 + len(lines)))
        seen = set()
        for number, line in enumerate(lines, start=1):
            if number % 2 ** FEW == 0:
                few = few_with(number)
            asked = Asked(gates_with(number), self.frames,
                          partial(aiger.other_step, graph, switched(0), switched(number)),
                          partial(aiger.side_by_side, properties, switched(0), switched(number)),
                          partial(aiger.other_state, graph, switched(0), switched(number), claimed),
                          partial(aiger.fixed, properties, switched(number)))
            if asked.gates == gates_of_rtl:
                self.unseen += 1
            elif asked.key() not in seen:
                seen.add(asked.key())
                yield Mutant(place_of(line), [asked], number, tests, self)


def drawn_of_source(targets, seed, points_of=points_of):
    """Mutants of the source of which no two have the same gates."""
    points = [point for file in files_of(targets) for point in points_of(file)]
    right = [target.of_rtl() for target in targets]
    gates_of_rtl = tuple(asked.gates for asked, _ in right)
    seen = set()
    for point in random.Random(seed).sample(points, len(points)):
        both = [target.of_source(point) if point[0] in target.proof["mutated"] else some
                for target, some in zip(targets, right, strict=True)]
        if None in both:
            continue
        asked, properties = map(list, zip(*both, strict=True))
        gates = tuple(each.gates for each in asked)
        if gates == gates_of_rtl:
            targets[0].unseen += 1
        elif gates not in seen:
            seen.add(gates)
            file, line, column, original, change = point
            yield Mutant({"file": file, "line": line, "column": column + 1, "original": original, "change": change},
                         asked, properties=properties, by_property=False)


def drawn_of_netlist(targets, count, seed):
    """Mutants of the netlists, as many of each."""
    for number, target in enumerate(targets):
        share = count // (len(targets) - number)
        # More than are wanted, as some will not be new.
        for mutant in itertools.islice(target.of_netlist(3 * share // 2, seed), share):
            count -= 1
            yield mutant


def files_of(targets):
    return list(dict.fromkeys(file for target in targets for file in target.proof["mutated"]))


def run(proofs, of, count, seed, jobs, verdicts_file=None):
    policy = proofs[0]["policy"]
    verdicts = Verdicts(verdicts_file or KEPT / "verdicts.jsonl")
    targets = [Target(proof, verdicts, KEPT / f"{policy}-{number}") for number, proof in enumerate(proofs)]
    further = [Target(proof | {"sizes": [size]}, verdicts, KEPT / f"{policy}-left-{number}")
               for number, proof in enumerate(proofs) for size in sizes_of_what_is_left(proof)]
    drawn = itertools.islice(drawn_of_netlist(targets, count, seed) if of == "netlist" else
                             drawn_of_source(targets, seed, resets_of if of == "resets" else points_of), count)

    def of_each(run, mutants):
        for target in targets:
            run(target, [mutant for mutant in mutants if not mutant.verdict and mutant.target is target])

    def run_at_once(mutants, which):
        of_each(lambda target, some: target.run_at_once(some, which), mutants)

    def at_first(mutants):
        test(mutants, DECISIONS[0])
        run_at_once([mutant for mutant in mutants if not mutant.verdict], 0)
        rest = [mutant for mutant in mutants if not mutant.verdict]
        found = zip(*[verdicts.at_first(asked) for asked in zip(*[mutant.asked for mutant in rest], strict=True)], strict=True)
        for mutant, verdict in zip(rest, found, strict=True):
            mutant.verdict = verdict_of(verdict)

    def within(seconds, mutant):
        mutant.verdict = verdict_of([verdicts.within(seconds, asked) for asked in mutant.asked])

    def told(mutant):
        mutant.by_property = any(map(verdicts.breaks_a_property, mutant.properties))

    def refuted_at(target, mutant):
        if target.breaks_a_property(mutant):
            mutant.verdict, mutant.by_property = "killed", True

    def longer(decisions, mutant):
        test([mutant], decisions)

    mutants, interrupted = [], False
    pool = ThreadPoolExecutor(jobs)

    def each(work, some):
        list(pool.map(work, some))

    try:
        while some := [part for _ in range(jobs) if (part := list(itertools.islice(drawn, TOGETHER)))]:
            each(at_first, some)
            for mutant in itertools.chain(*some):
                mutants.append(mutant)
                if mutant.verdict:
                    mutant.asked = mutant.asked if mutant.verdict == "killed" and mutant.tests else []
            if sys.stderr.isatty():
                print(f"{policy}: {len(mutants)} of {count} mutants", file=sys.stderr)
        run_at_once(mutants, 1)
        for seconds, decisions in zip(SECONDS, DECISIONS[1:], strict=True):
            each(partial(longer, decisions),
                 [mutant for mutant in mutants if mutant.tests and mutant.verdict in (None, "killed")])
            each(partial(within, seconds), [mutant for mutant in mutants if not mutant.verdict])
            if seconds == SECONDS[0]:
                of_each(Target.run_for_long, mutants)
        each(told, [mutant for mutant in mutants if mutant.verdict == "killed" and mutant.properties])
        for target in further:
            left = [mutant for mutant in mutants
                    if mutant.properties and mutant.verdict != "equivalent" and not mutant.by_property]
            if left:
                target.of_rtl()  # which is proved at that size, too
                each(partial(refuted_at, target), left)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        pool.shutdown(cancel_futures=True)
    found = [mutant.verdict for mutant in mutants]
    by_invariant = [mutant.place for mutant in mutants if mutant.verdict == "killed" and not mutant.by_property]
    survivors = [mutant.place | {"told_apart": bool(mutant.verdict)} for mutant in mutants
                 if not mutant.verdict or (mutant.tests and mutant.verdict == "killed")]
    tested = of == "netlist" and all("pins" in proof for proof in proofs)
    return {"policy": policy, "of": of, "tested": tested, "mutants": len(found), "killed_by_tests": found.count("tested"),
            "killed_by_proofs": found.count("killed"), "killed_by_properties": found.count("killed") - len(by_invariant),
            "by_invariant": by_invariant, "shown_equivalent": found.count("equivalent"),
            "undecided": found.count(None), "survivors": survivors,
            "unseen": sum(target.unseen for target in targets), "files": files_of(targets),
            "seed": seed, "sizes": [prove.shown_size(proof, size_of(proof)) for proof in proofs],
            "commit": prove.commit_of_rtl(), "digest": page.digest_of_rtl(files_of(targets)), "interrupted": interrupted}


def main():
    parser = usage.Parser(prog="scripts/mutate", description=__doc__)
    parser.add_argument("policy", nargs="?", metavar="POLICY")
    parser.add_argument("--count", type=usage.at_least(1), default=100, help="mutants (default 100); fewer if there are fewer")
    parser.add_argument("--of", choices=["netlist", "source", "resets"], default="netlist",
                        help="what is changed (default netlist)")
    parser.add_argument("--seed", type=int, default=1, help="which of them (default 1)")
    parser.add_argument("--jobs", type=usage.at_least(1), default=len(os.sched_getaffinity(0)),
                        help="how many at a time (default: one for each processor)")
    parser.add_argument("--verdicts", type=Path, metavar="FILE",
                        help="where the provers' verdicts are kept (default: in build/formal/mutants)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--publish", nargs="+", metavar="RESULTS",
                        help="run nothing; put what --json said into docs/")
    arguments = parser.parse_args()
    if arguments.publish:
        try:
            page.publish_mutants(arguments.publish)
        except page.NoResults as error:
            print(f"mutate: {error}", file=sys.stderr)
            return 2
        return 0
    proofs = [proof for proof in prove.proofs() if "mutated" in proof]
    chosen = [proof for proof in proofs if proof["policy"] == arguments.policy]
    if not chosen:
        parser.error(f"no mutants of '{arguments.policy or ''}'; there are those of "
                     f"{', '.join(dict.fromkeys(proof['policy'] for proof in proofs))}")
    usage.interrupt_by_ends()
    try:
        with prove.alone(KEPT / f"{arguments.policy}.lock"):
            result = run(chosen, arguments.of, arguments.count, arguments.seed, arguments.jobs, arguments.verdicts)
    except (CutOff, NoVerdicts, simulated.NotBuilt) as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"mutate: {error.filename or arguments.verdicts or KEPT}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mutate: interrupted", file=sys.stderr)
        return 130
    if arguments.json:
        print(json.dumps(result))
    else:
        print(f"{result['policy']}: {result['mutants']} mutants of the {result['of']}: "
              f"{result['killed_by_tests']} killed by tests, {result['killed_by_proofs']} by proofs only, "
              f"{result['killed_by_properties']} of these by a property, "
              f"{result['shown_equivalent']} shown equivalent, {result['undecided']} undecided")
        for survivor in result["survivors"]:
            print(f"  rtl/{survivor['file']}:{survivor['line']}:{survivor['column']}: "
                  f"'{survivor['original']}' became '{survivor['change']}'"
                  + (", which no test tells apart" if survivor["told_apart"] else ""))
    return 130 if result["interrupted"] else 1 if result["survivors"] else 0


if __name__ == "__main__":
    sys.exit(main())
