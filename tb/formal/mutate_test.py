"""Tests of the mutants: the graphs of gates by evaluating them, then the mutants of a small proof."""

import contextlib
import dataclasses
import errno
import io
import itertools
import json
import random
import signal
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import aiger
import engines
import mutate
import page
import prove
import rtl_code
import simulated
import usage

INPUTS = ["a", "b", "mutant[0]", "c"]


def random_graph(draw):
    first = 1 + len(INPUTS) + 2
    gates = []
    for number in range(first, first + 30):
        a, b = (draw.randrange(2 * number) for _ in range(2))
        gates.append((max(a, b), min(a, b)))

    def literal():
        return draw.randrange(2 * (first + len(gates)))
    return aiger.Graph(INPUTS, [literal(), literal()], [literal(), literal()], gates)


def step(graph, inputs, state):
    """(the next state, the outputs) of a graph."""
    values = [0, *inputs, *state]
    for a, b in graph.gates:
        values.append((values[a >> 1] ^ (a & 1)) & (values[b >> 1] ^ (b & 1)))
    return ([values[x >> 1] ^ (x & 1) for x in graph.latches], [values[x >> 1] ^ (x & 1) for x in graph.outputs])


def outputs(graph, inputs_of_cycles):
    state, told = [0] * len(graph.latches), []
    for inputs in inputs_of_cycles:
        state, now = step(graph, inputs, state)
        told.append(now)
    return told


class Graphs(unittest.TestCase):
    def setUp(self):
        draw = random.Random(1)
        self.graphs = [random_graph(draw) for _ in range(200)]
        self.cycles = [[draw.randrange(2) for _ in INPUTS] for _ in range(20)]

    def test_a_fixed_input_is_what_it_is_fixed_to(self):
        for graph in self.graphs:
            for bit in (0, 1):
                fixed = aiger.fixed(graph, {"mutant[0]": bit})
                self.assertEqual(fixed.inputs, ["a", "b", "c"])
                self.assertEqual(outputs(fixed, [[a, b, c] for a, b, _, c in self.cycles]),
                                 outputs(graph, [[a, b, bit, c] for a, b, _, c in self.cycles]))

    def test_what_stands_still_goes_and_nothing_else(self):
        seen = {0: 0, 1: 0, 2: 0}
        for graph in self.graphs:
            alive = aiger.alive(graph)
            self.assertEqual(outputs(alive, self.cycles), outputs(graph, self.cycles))
            seen[len(alive.latches)] += 1
        self.assertTrue(all(count > 20 for count in seen.values()), seen)
        # The first latch takes the second one, which stays 0; then one input, by way of a gate, and no longer.
        still = aiger.Graph(["a"], [6, 0], [4], [], ["told"])
        self.assertEqual(aiger.alive(still), aiger.Graph(["a"], [], [0], [], ["told"]))
        moving = aiger.Graph(["a"], [8, 6], [4], [(7, 2)], ["told"])
        self.assertEqual(len(aiger.alive(moving).latches), 1)

    def test_a_file_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "graph.aig"
            for graph in self.graphs:
                file.write_bytes(aiger.written(graph) + b"i1 b\ni2 mutant[0]\no0 out\nc\nfrom a test\n")
                read = aiger.read(file)
                self.assertEqual(read.inputs, ["", "b", "mutant[0]", ""])
                self.assertEqual(aiger.written(read), aiger.written(graph))

    def test_another_step_is_seen_where_there_is_one(self):
        seen = {False: 0, True: 0}
        for graph in self.graphs:
            other = aiger.other_step(graph, {"mutant[0]": 0}, {"mutant[0]": 1})
            state, others_state = [0, 0], [0] * len(other.latches)
            for a, b, _, c in self.cycles:
                right, wrong = (step(graph, [a, b, bit, c], state) for bit in (0, 1))
                others_state, told = step(other, [a, b, c], others_state)
                self.assertEqual(told, [int(right != wrong and right[1] == [0, 0])])
                seen[right != wrong] += 1
                state = right[0]
        self.assertTrue(all(count > 100 for count in seen.values()), seen)

    def test_another_run_is_seen_where_there_is_one(self):
        seen = {False: 0, True: 0}
        for graph in self.graphs:
            beside = aiger.side_by_side(graph, {"mutant[0]": 0}, {"mutant[0]": 1})
            self.assertEqual(beside.inputs, ["a", "b", "c"])
            right, wrong = (outputs(graph, [[a, b, bit, c] for a, b, _, c in self.cycles]) for bit in (0, 1))
            self.assertEqual(outputs(beside, [[a, b, c] for a, b, _, c in self.cycles]),
                             [[int(one != other)] for one, other in zip(right, wrong, strict=True)])
            seen[right != wrong] += 1
        self.assertTrue(all(count > 20 for count in seen.values()), seen)

    def state(self, latches, told, passing=False):
        """Where another state is seen in a few cycles: the first latch may take a under the mutant, or stay 1, instead of
        0. Outputs are the one that is claimed and another one."""
        # With the mutant: a; a or the first latch.
        gates = [(6, 2), (13, 9), (15, 6)]
        graph = aiger.Graph(["a", "b", "mutant[0]"], latches, told, gates, ["claimed", "other"])
        seen = aiger.other_state(graph, {"mutant[0]": 0}, {"mutant[0]": 1}, ["claimed"], passing)
        self.assertEqual(seen.inputs, ["a", "b"])
        return [told for told, in outputs(seen, [[a, int(cycle == 3)] for cycle, a in enumerate((0, 1, 0, 0, 1, 1, 0))])]

    def test_another_state_is_seen_but_where_a_latch_takes_something_else(self):
        b, first, takes_a = 4, 8, 12
        was_a, never = [0, 0, 1, 0, 0, 1, 1], [0] * 7
        self.assertEqual(self.state([takes_a, 0], [0, 0]), never)
        self.assertEqual(self.state([takes_a, first], [0, 0]), was_a)  # the second latch is about to differ
        self.assertEqual(self.state([takes_a, 0], [first, 0]), was_a)  # the output that is claimed
        self.assertEqual(self.state([takes_a, 0], [0, first]), never)
        self.assertEqual(self.state([takes_a, 0], [takes_a, 0]), [0, 1, 0, 0, 1, 1, 0])
        # From where something is that should not be without the mutant nothing is said.
        self.assertEqual(self.state([takes_a, first], [0, b]), was_a[:3] + [0] * 4)

    def test_what_another_step_leaves_passes_or_lasts(self):
        takes_a, lasts = 12, 16
        self.assertEqual(self.state([takes_a, 0], [0, 0], passing=True), [0] * 7)
        self.assertEqual(self.state([lasts, 0], [0, 0], passing=False), [0] * 7)
        self.assertEqual(self.state([lasts, 0], [0, 0], passing=True), [0, 0, 1, 1, 0, 0, 1])

    def test_biased_inputs_are_rare_or_frequent_or_stay(self):
        draw = random.Random(2)
        names, vector_of = ["a[0]", "a[1]", "mutant", "c"], [0, 0, 1, 2]

        def drawn(count, of):
            return [int(draw.randrange(of) != 0) for _ in range(count)]

        for graph in self.graphs:
            graph = dataclasses.replace(graph, inputs=names)
            modes, now, shown, cycles = [], [0] * len(names), [], []
            for free in self.cycles:
                ways, changes, chosen = drawn(12, 4), drawn(9, 4), drawn(9, 2)
                modes = modes or chosen
                for i, vector in enumerate(vector_of):
                    few = int(all(ways[3 * i:3 * i + 3]))
                    stays, dense, often = modes[3 * vector:3 * vector + 3]
                    if not stays or all(changes[3 * vector:3 * vector + 3]):
                        now[i] = (1 - few if often else few) if dense else free[i]
                shown.append(list(now))
                cycles.append([*free, *ways, *changes, *chosen])
            self.assertEqual(outputs(aiger.biased(graph), cycles), outputs(graph, shown))


class RandomInputs(unittest.TestCase):
    def test_each_claim_has_its_own_answer(self):
        # The output is an input's, in two cycles one after the other; or what that latch takes is never 1.
        found = aiger.Graph(["a"], [2], [6], [(4, 2)])
        never = aiger.Graph(["a"], [0], [6], [(4, 2)])
        with tempfile.TemporaryDirectory() as directory:
            bases = [Path(directory) / name for name in "abc"]
            for base, graph in zip(bases, (found, never, found), strict=True):
                base.with_suffix(".aig").write_bytes(aiger.written(graph))
            self.assertEqual(engines.abc_random(bases, 5), [True, False, True])


class Provers(unittest.TestCase):
    """What each says of lines of registers behind an input: that the `last` of one is never 1, that those of two are
    `alike`, or, where the second line has the input inverted, that these are never `both` 1; or that one register
    `stands`, which takes itself."""

    def write(self, base, claim, length):
        first = [4] if claim in ("last", "stands") else [4, 4 + 2 * length]
        takes = [value for start in first for value in (2, *range(start, start + 2 * length - 2, 2))]
        if claim == "both":
            takes[length] = 3
        elif claim == "stands":
            takes[0] = 4
        last, gates = [start + 2 * length - 2 for start in first], []
        free = 4 + 2 * len(takes)
        if claim == "both":
            gates, last = [(last[1], last[0])], [free]
        elif claim == "alike":
            gates, last = [(last[1], last[0]), (last[1] + 1, last[0] + 1), (free + 3, free + 1)], [free + 4]
        base.with_suffix(".aig").write_bytes(aiger.written(aiger.Graph(["a"], takes, last, gates)))

        def shown(value):
            name = "(|a| s)" if value < 4 else f"(|r{value // 2 - 2}| s)"
            return f"(not {name})" if value % 2 else name

        names = [f"r{number}" for number in range(len(takes))]
        lasts = f"(|r{length - 1}| s) (|{names[-1]}| s)"
        after = " ".join(f"(= (|{name}| n) {shown(value)})" for name, value in zip(names, takes, strict=True))
        base.with_suffix(".smt2").write_text("\n".join([
            "; yosys-smt2-module m", "; yosys-smt2-output bad 1", "(declare-sort |m_s| 0)",
            *(f"(declare-fun |{name}| (|m_s|) Bool)" for name in ("a", *names)),
            f"(define-fun |m_n bad| ((s |m_s|)) Bool ({'xor' if claim == 'alike' else 'and'} {lasts}))",
            f"(define-fun |m_i| ((s |m_s|)) Bool (not (or {' '.join(f'(|{name}| s)' for name in names)})))",
            f"(define-fun |m_t| ((s |m_s|) (n |m_s|)) Bool (and {after}))"]))

    def answer(self, prover, claim, length):
        with tempfile.TemporaryDirectory() as directory:
            base = Path(directory) / "claim"
            self.write(base, claim, length)
            answer = prover(base, 10)
        return answer.result if answer.depth is None else f"{answer.result} {answer.depth}"

    def test_nothing_is_proved_that_is_not(self):
        # Of two lines of one register a cycle shows that the next one is as the claim has it, of two of five only five do.
        for prover, first, second, kept, kept_for_five in (
                (engines.abc_induction, "refuted 2", "unknown", "proved", "unknown"),
                (engines.yices_induction, "refuted 2", "unknown", "proved", "unknown"),
                (engines.abc_pdr, "refuted 2", "refuted 5", "unknown", "proved"),  # that scorr has shown alone abc does not say
                (engines.abc_any_state, "unknown", "unknown", "unknown", "unknown"),
                (engines.abc_correspondence, "unknown", "unknown", "proved", "unknown"),
                (engines.abc_search, "refuted 2", "refuted 5", "unknown", "unknown")):
            with self.subTest(prover.__name__):
                self.assertEqual([self.answer(prover, *claim) for claim in (("last", 2), ("last", 5), ("both", 1), ("both", 5))],
                                 [first, second, kept, kept_for_five])
        self.assertEqual(self.answer(engines.abc_any_state, "alike", 5), "proved")
        self.assertEqual(self.answer(engines.yices_induction, "stands", 1), "proved")  # as it was before


class Runs(unittest.TestCase):
    """What scripts/prove says of the answers of its provers, of which one that is not named is as it has to be."""

    def said(self, *unknown, options=("rr",), provers=5):
        """Its exit status, and what is not as expected if those claims are left open."""
        def answer(usual):
            return lambda base, *_: engines.Answer(
                "unknown" if f"{base.parent.name}/{base.name}" in unknown else usual, None, 1.0)
        lines, of_rr = io.StringIO(), [proof for proof in prove.proofs() if proof["policy"] == "rr"]
        with mock.patch.multiple(prove, netlists=mock.DEFAULT, trace=mock.DEFAULT, proofs=lambda: of_rr), \
                mock.patch.multiple(engines, ENGINES=dict.fromkeys(engines.ENGINES, answer("proved")), abc_search=answer("refuted")), \
                mock.patch("sys.argv", ["prove", "--json", *options]), contextlib.redirect_stdout(lines), \
                contextlib.redirect_stderr(io.StringIO()):
            status = prove.main()
        told = [json.loads(line) for line in lines.getvalue().splitlines()]
        # Five properties at three sizes by five engines in all, one by another; six controls and a cover.
        self.assertEqual([line["control"] for line in told].count(False), 5 * provers + 1)
        self.assertEqual([line["control"] for line in told].count(True), 6 + 1)
        return status, [(line["property"], *line["size"].values(), line["engine"]) for line in told
                        if line["result"] != line["expected"]]

    def test_it_fails_if_one_is_not_as_it_has_to_be(self):
        self.assertEqual(self.said(), (0, []))
        self.assertEqual(self.said(options=[]), (0, []))
        self.assertEqual(self.said(options=["rr", "--quick"], provers=1), (0, []))
        self.assertEqual(self.said("1/together"), (0, []))  # each is proved by itself
        one = "at_most_one_grant"
        self.assertEqual(self.said("2/together", f"2/{one}"), (1, [(one, 32, "abc bmc3+ind")]))
        apart = "waits_for_each_other_queue_once"
        self.assertEqual(self.said(f"0/{apart}"), (1, [(apart, 4, "abc pdr")]))
        self.assertEqual(self.said("0/cover_wrap_o"), (1, [("cover_wrap", 4, "abc bmc3")]))
        fault = "two-blocks-win"
        self.assertEqual(self.said(f"control-{fault}-{one}/{one}"), (1, [(f"{one}, fault {fault}", 4, "abc bmc3")]))

    def test_a_waveform_shows_the_output(self):
        shown = "$var wire 1 ! clk $end\n$var wire 1 a{0} bad_o{1} $end\n#0\n{2}!\n{2}a{0}\n#5\n1!\n{3}a{0}\n"
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(prove, "TOP", Path(directory)):
            waves = Path(directory) / "build/formal/traces/some.vcd"
            for text, fits in ((shown.format("+", "", "0", "1"), True), (shown.format("+", " [0:0]", "b0 ", "b1 "), True),
                               (shown.format("+", "", "0", "0"), False), (shown.format("+", "", "0", "1").replace("bad_o", "bad"), False)):
                with mock.patch.object(prove.subprocess, "run", lambda *_, text=text, **__: waves.write_text(text)), \
                        contextlib.nullcontext() if fits else self.assertRaisesRegex(SystemExit, "some.vcd does not show bad_o"):
                    prove.trace(Path(directory) / "some", "bad_o", "some", False)

    def test_the_page_is_no_success_with_a_fault(self):
        for faults in ([], ["one"], ["one", "another"]):
            with mock.patch.object(page, "faults_of", return_value=faults), mock.patch("sys.argv", ["prove", "--check-page"]), \
                    contextlib.redirect_stderr(io.StringIO()) as told:
                self.assertEqual(prove.main(), int(bool(faults)))
            self.assertEqual(told.getvalue().splitlines(), [f"prove: {fault}" for fault in faults])

    def test_what_is_not_committed_is_told(self):
        for last, changed, commit in (("abc", "", "abc"), ("abc", " M rtl/a.sv", "abc+"), ("", " M rtl/a.sv", None)):
            told = {"log": last, "status": changed}
            with mock.patch.object(prove.subprocess, "run", lambda command, told=told, **_: mock.Mock(stdout=told[command[1]] + "\n")):
                self.assertEqual(prove.commit_of_rtl(), commit)

    def test_parts_are_proved_if_each_is(self):
        answers = {"a": "proved", "b": "unknown", "c": "proved"}
        with mock.patch.dict(engines.ENGINES, some=lambda base, _: engines.Answer(answers[base], None, 2.0)), \
                contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(prove.proved_by_parts("some", "abc", 9), engines.Answer("unknown", None, 4.0))
            self.assertEqual(prove.proved_by_parts("some", "ac", 9), engines.Answer("proved", None, 4.0))


class Correspondence(unittest.TestCase):
    def countdown(self, first):
        """Whether a countdown from `first` is over, which `start` begins and each cycle takes a step of; the mutant sees
        its bit 2 inverted while bit 1 is 1."""
        start, mutant, stored, gates = 2, 4, [6, 8, 10], []

        def both(a, b):
            gates.append((max(a, b), min(a, b)))
            return 2 * (5 + len(gates))

        def differ(a, b):
            return both(both(a, b) ^ 1, both(a ^ 1, b ^ 1) ^ 1)

        seen = [stored[0], stored[1], differ(stored[2], both(stored[1], mutant))]
        over = both(seen[0] ^ 1, both(seen[1] ^ 1, seen[2] ^ 1))
        less = [seen[0] ^ 1, differ(seen[1], seen[0] ^ 1), differ(seen[2], both(seen[0] ^ 1, seen[1] ^ 1))]
        steps = [both(bit, over ^ 1) for bit in less]
        takes = [both(both(start, one) ^ 1, both(start ^ 1, bit) ^ 1) ^ 1
                 for one, bit in zip((first & 1, first >> 1 & 1, first >> 2), steps, strict=True)]
        return aiger.Graph(["start", "mutant[0]"], takes, [over], gates)

    def proved(self, first, frames):
        beside = aiger.side_by_side(self.countdown(first), {"mutant[0]": 0}, {"mutant[0]": 1})
        with tempfile.TemporaryDirectory() as directory:
            base = Path(directory) / "countdown"
            base.with_suffix(".aig").write_bytes(aiger.written(beside))
            return engines.abc_correspondence(base, 10, frames).result == "proved"

    def test_other_values_that_are_over_in_the_same_cycle_take_some_cycles_to_show(self):
        for first, expected in ((5, [5, 4, 7, 2, 1, 0]), (6, [2, 1, 0])):
            counted, state = [], [first & 1, first >> 1 & 1, first >> 2]
            while not counted or counted[-1]:
                counted.append(state[0] + 2 * state[1] + 4 * (state[2] ^ state[1]))
                state, _ = step(self.countdown(first), [0, 1], state)
            self.assertEqual(counted, expected)
        self.assertFalse(self.proved(5, 1))
        self.assertTrue(self.proved(5, mutate.RUN_FRAMES))
        self.assertFalse(self.proved(6, mutate.RUN_FRAMES))


class Mutants(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.proof = next(proof for proof in prove.proofs() if proof["policy"] == "rr") | {
            "sizes": [{"parameters": {"Queues": 4}}]}
        self.pins = self.proof.pop("pins")

    def run_of(self, of, count):
        with mock.patch.object(mutate, "KEPT", self.directory):
            return mutate.run([self.proof], of, count, seed=1, jobs=1)

    def test_all_are_told_apart_and_asked_about_once(self):
        for of in ("netlist", "source"):
            result = self.run_of(of, 12)
            self.assertEqual(result["mutants"], 12)
            self.assertEqual(len(result["by_invariant"]), result["killed_by_proofs"] - result["killed_by_properties"])
            self.assertGreater(result["killed_by_proofs"], 6)
            self.assertEqual(result["killed_by_proofs"] + result["shown_equivalent"], 12)
            self.assertEqual(result["survivors"], [])
            with mock.patch.object(engines, "_run", side_effect=AssertionError):
                self.assertEqual(self.run_of(of, 12), result)

    def test_one_alone_is_switched_on_by_one_bit(self):
        with mock.patch.object(mutate, "KEPT", self.directory):
            results = [mutate.run([self.proof], "netlist", 1, seed, jobs=1) for seed in range(1, 5)]
        # Of some the one that is drawn changes nothing.
        self.assertIn((1, 0), [(result["mutants"], result["undecided"]) for result in results])

    def test_what_only_the_invariant_refutes_is_told(self):
        """Whether a reset leaves all queues behind the last winner or none is alike to the first grant, but not to who
        reads who that was, which is a property of its own."""
        self.assertEqual(self.run_of("resets", 12)["killed_by_properties"], 1)
        self.proof["properties"] = {name: p for name, p in self.proof["properties"].items()
                                    if name != "shows_the_state_as_specified"}
        result = self.run_of("resets", 12)
        self.assertEqual((result["mutants"], result["killed_by_proofs"], result["killed_by_properties"]), (1, 1, 0))
        self.assertEqual([place["original"] for place in result["by_invariant"]], ["'0"])
        self.assertGreater(self.run_of("source", 12)["killed_by_properties"], 6)

    def test_what_no_property_refutes_is_searched_at_a_second_size(self):
        searched, asked_at = mutate.Verdicts.breaks_a_property, []

        def blind_at_first(verdicts, asked, *seconds):
            asked_at.append(sum(name.startswith("valid_i[") for name in asked.inputs))
            return bool(seconds) and searched(verdicts, asked, *seconds)
        with mock.patch.object(mutate.Verdicts, "breaks_a_property", blind_at_first):
            missed = self.run_of("source", 6)
            self.assertEqual((missed["killed_by_properties"], set(asked_at)), (0, {4}))
            self.proof["sizes"][0]["mutants"] = True
            self.proof["sizes"].append({"parameters": {"Queues": 3}, "mutants_left": True})
            result = self.run_of("source", 6)
        self.assertEqual((result["by_invariant"], set(asked_at)), ([], {4, 3}))
        self.assertEqual(result["killed_by_proofs"], missed["killed_by_proofs"])
        self.assertGreater(result["killed_by_properties"], 3)
        self.assertEqual(result["sizes"], [{"queues": 4}])

    def test_a_file_of_verdicts_is_gone_on_from(self):
        file = self.directory / "elsewhere" / "verdicts.jsonl"
        with mock.patch.object(mutate, "KEPT", self.directory / "here"):
            result = mutate.run([self.proof], "netlist", 6, 1, 1, file)
        with (mock.patch.object(mutate, "KEPT", self.directory / "there"),
              mock.patch.object(engines, "_run", side_effect=AssertionError)):
            self.assertEqual(mutate.run([self.proof], "netlist", 6, 1, 1, file), result)
        file.write_text(file.read_text() + "[]\n")
        with self.assertRaisesRegex(mutate.NoVerdicts, r"verdicts.jsonl:\d+: no verdict of gates"):
            mutate.Verdicts(file)

    def test_the_lockstep_tells_apart_what_the_proofs_do(self):
        self.proof["pins"] = self.pins
        with mock.patch.object(simulated, "killed", return_value=set()):
            blind = self.run_of("netlist", 12)
        self.assertEqual([survivor["told_apart"] for survivor in blind["survivors"]],
                         [True] * blind["killed_by_proofs"])
        # These, and what is only wrong in a reset, of which nothing is claimed.
        seeing = self.run_of("netlist", 12)
        self.assertGreaterEqual(seeing["killed_by_tests"], blind["killed_by_proofs"])
        self.assertEqual((seeing["killed_by_proofs"], seeing["undecided"], seeing["survivors"]), (0, 0, []))
        self.assertEqual(seeing["killed_by_tests"] + seeing["shown_equivalent"], 12)
        with mock.patch.object(simulated, "killed", return_value={0}), \
                self.assertRaisesRegex(SystemExit, "the netlist of rr without a mutant differs"):
            self.run_of("netlist", 12)

    def test_what_other_tests_have_told_apart_is_tested_again(self):
        self.proof["pins"] = self.pins
        self.assertGreater(self.run_of("netlist", 4)["killed_by_tests"], 0)
        with mock.patch.object(simulated, "killed", return_value=set()):
            self.assertGreater(self.run_of("netlist", 4)["killed_by_tests"], 0)
            with mock.patch.object(simulated, "digest_of_tests", lambda: "other"):
                self.assertEqual(self.run_of("netlist", 4)["killed_by_tests"], 0)

    def test_a_vector_of_a_mutant_of_the_source_has_one_bias(self):
        target = mutate.Target(self.proof, mutate.Verdicts(self.directory / "verdicts.jsonl"), self.directory / "of")
        asked = next(mutate.drawn_of_source([target], 1)).asked[0]
        base = asked.at(self.directory / "mutant")
        inputs = len(aiger.read(base.with_suffix(".aig")).inputs)
        # What a register without a reset begins with is an input without a name, and a vector of its own.
        vectors = {name.split("[")[0] or number for number, name in enumerate(asked.inputs)}
        self.assertEqual(len(asked.inputs), inputs)
        self.assertLess(len(vectors), inputs)
        biased = aiger.read(asked.biased_at(base).with_suffix(".aig"))
        self.assertEqual(len(biased.inputs), 4 * inputs + 6 * len(vectors))

    def test_a_mutant_has_inputs_of_its_own(self):
        sbt = next(proof for proof in prove.proofs() if proof["policy"] == "sbt")
        target = mutate.Target(sbt, mutate.Verdicts(self.directory / "verdicts.jsonl"), self.directory / "of")
        of_rtl = len(target.of_rtl()[0].inputs)
        asked = [mutant.asked[0] for mutant in mutate.drawn_of_source([target], 1, mutate.resets_of)]
        self.assertTrue(any(len(each.inputs) > of_rtl for each in asked))
        self.assertTrue(any(len(each.inputs) < of_rtl for each in asked))
        for each in asked:
            base = each.at(self.directory / "mutant")
            self.assertEqual(len(each.inputs), len(aiger.read(base.with_suffix(".aig")).inputs))
            aiger.read(each.biased_at(base).with_suffix(".aig"))

    def test_what_nothing_is_claimed_of_is_no_mutant(self):
        all_claims = self.run_of("netlist", 20)
        # That somebody wins, and not who.
        self.proof |= {"properties": {}, "invariant": "idle_with_active_o"}
        self.assertGreater(self.run_of("netlist", 20)["unseen"], all_claims["unseen"])

    def test_what_cannot_be_decided_survives(self):
        with self.blind():
            result = self.run_of("netlist", 3)
        self.assertEqual(len(result["survivors"]), 3)
        self.assertLessEqual({survivor["file"] for survivor in result["survivors"]}, set(self.proof["mutated"]))

    def test_what_cannot_be_decided_runs_for_long_where_there_is_a_program(self):
        self.proof = next(proof for proof in prove.proofs() if proof["policy"] == "age-clock")
        with self.blind(), mock.patch.multiple(mutate, LONGEST=6, OF_RTL=6):
            result = self.run_of("netlist", 8)
        self.assertEqual(result["killed_by_proofs"] + result["undecided"], 8)
        self.assertTrue(0 < result["undecided"] < 8, result)

    def test_a_program_that_runs_all_at_once_tells_most_apart_before_the_provers(self):
        self.proof = next(proof for proof in prove.proofs() if proof["policy"] == "age-clock") | {
            "runs_at_once": [12, 13]}
        with self.blind():
            result = self.run_of("netlist", 8)
        # Of a few that are drawn some change nothing.
        self.assertEqual(result["killed_by_proofs"] + result["undecided"], result["mutants"])
        self.assertGreater(result["killed_by_proofs"], 4)

    def test_a_program_that_finds_a_fault_without_a_mutant_is_refused(self):
        self.proof = next(proof for proof in prove.proofs() if proof["policy"] == "age-clock") | {
            "runs_at_once": [6, 7]}
        with self.blind(), mock.patch.object(simulated, "killed", return_value={0}), \
                self.assertRaisesRegex(SystemExit, "finds a fault without a mutant"):
            self.run_of("netlist", 8)

    @contextlib.contextmanager
    def blind(self):
        """All is proved of the RTL, and nothing is found of a mutant."""
        unknown = engines.Answer("unknown", None, 0.0)
        blind = {name: lambda *_: unknown for name in ("abc_any_state", "abc_correspondence", "abc_pdr", "abc_search")}
        of_rtl = itertools.chain([engines.Answer("proved", None, 0.0)], itertools.repeat(unknown))
        with mock.patch.multiple(engines, **blind, abc_induction=lambda *_: next(of_rtl),
                                 _found=lambda bases, _: [False] * len(bases)):
            yield

    def test_an_interrupted_run_tells_what_it_has(self):
        random_inputs, batches = engines.abc_random, []

        def interrupted(bases, rounds, *frames):
            if rounds == mutate.FEW_ROUNDS and not frames:
                batches.append(bases)
            if len(batches) == 3:
                raise KeyboardInterrupt
            return random_inputs(bases, rounds, *frames)
        with mock.patch.object(engines, "abc_random", interrupted), \
                mock.patch.object(mutate, "TOGETHER", 3):
            result = self.run_of("netlist", 12)
            self.assertEqual((result["mutants"], result["interrupted"]), (6, True))
        with mock.patch.object(mutate, "TOGETHER", 3):
            result = self.run_of("netlist", 12)
            self.assertEqual((result["mutants"], result["interrupted"]), (12, False))

    def test_a_graph_that_is_cut_off_is_none(self):
        read = aiger.read

        def cut_off(file):
            file.write_bytes(file.read_bytes()[:200])
            return read(file)
        for of in ("netlist", "source"):
            with mock.patch.object(aiger, "read", cut_off), self.assertRaisesRegex(mutate.CutOff, "the disk may be full$"):
                self.run_of(of, 2)

    def test_a_table_that_is_never_empty_is_not_so_beside_mutants(self):
        self.proof = next(proof for proof in prove.proofs() if proof["policy"] == "bxi-deficit" and "pins" in proof)
        del self.proof["pins"]
        self.assertEqual(self.run_of("netlist", 4)["undecided"], 0)

    def test_rtl_that_is_wrong_has_no_mutants(self):
        right, fault = prove.sources, prove.faulty(self.proof, prove.faults()["rr-moves-without-request"])
        wrong = mock.patch.object(prove, "sources", lambda proof, changed, directory: right(proof, fault, directory))
        for of in ("netlist", "source"):
            with wrong, self.assertRaisesRegex(SystemExit, "not all is proved of the RTL of rr"):
                self.run_of(of, 1)


class Usage(unittest.TestCase):
    def refused(self, program, *arguments):
        errors = io.StringIO()
        called = mock.patch("sys.argv", ["program", *map(str, arguments)])
        with called, contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as end:
            sys.exit(program.main())
        self.assertEqual(end.exception.code, 2, arguments)
        self.assertEqual(errors.getvalue().count("\n"), 1)

    def test_what_is_not_there_is_refused(self):
        for arguments in (["nothing"], [], ["rr", "--count", "0"], ["rr", "--jobs", "0"]):
            self.refused(mutate, *arguments)
        self.refused(prove, "nothing")
        self.refused(prove, "--check-page", "rr")
        slow = [{"policy": "rr", "sizes": [{"parameters": {"Queues": 4}, "engines": []}]}]
        with mock.patch.object(prove, "proofs", return_value=slow):
            self.refused(prove, "rr", "--quick")

    def test_what_is_no_result_is_not_published(self):
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(prove, "listed", return_value={}), \
                mock.patch.object(page, "write_whole", side_effect=AssertionError):
            file = Path(directory) / "results"
            for program in prove, mutate:
                self.refused(program, "--publish", file)
                for text in ("", "{\n", '{"policy": "rr"}\n', "[]\n", '{"policy": "rr", "of": "source", "interrupted": false}\n'):
                    file.write_text(text)
                    self.refused(program, "--publish", file)
                file.unlink()

    def test_what_cannot_be_written_or_built_is_no_survivor(self):
        for fault in OSError(errno.ENOSPC, "No space left on device"), simulated.NotBuilt("build the project first"):
            with tempfile.TemporaryDirectory() as directory, mock.patch.object(mutate, "KEPT", Path(directory)), \
                    mock.patch.object(mutate, "run", side_effect=fault):
                self.refused(mutate, "rr")

    def test_a_run_that_is_terminated_ends_as_one_that_is_interrupted(self):
        for number in usage.ENDS:
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        errors = io.StringIO()
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(mutate, "KEPT", Path(directory)), \
                mock.patch.object(mutate, "run", side_effect=lambda *_: signal.raise_signal(signal.SIGTERM)), \
                mock.patch("sys.argv", ["mutate", "rr"]), contextlib.redirect_stderr(errors):
            self.assertEqual(mutate.main(), 130)
        self.assertEqual(errors.getvalue(), "mutate: interrupted\n")

    def test_a_file_of_verdicts_that_is_no_text_is_refused(self):
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(mutate, "KEPT", Path(directory)):
            file = Path(directory) / "verdicts"
            file.write_bytes(b"\xff")
            self.refused(mutate, "rr", "--verdicts", file)

    def test_the_exit_status_says_how_it_ended(self):
        for interrupted, survivors, status in ((False, [], 0), (False, [{}], 1), (True, [], 130), (True, [{}], 130)):
            result = {"interrupted": interrupted, "survivors": survivors}
            with tempfile.TemporaryDirectory() as directory, mock.patch.object(mutate, "KEPT", Path(directory)), \
                    mock.patch.object(mutate, "run", return_value=result), \
                    mock.patch("sys.argv", ["mutate", "rr", "--json"]), contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(mutate.main(), status)


class Page(unittest.TestCase):
    def lines(self, **changes):
        """Of a run: one engine proves two properties, the other one of them; of two controls one is refuted."""
        told = {"policy": "rr", "size": {"queues": 4, "max_packet_flits": 3}, "heads": "no matter", "lemma": None,
                "commit": "c0", "digest": "d0"} | changes
        return [told | {"property": name, "engine": engine, "result": result, "seconds": seconds, "control": control}
                for name, engine, result, seconds, control in (
                    ("p", "one", "proved", 1.5, False), ("q", "one", "proved", 3.5, False),
                    ("p", "two", "proved", 2.5, False), ("q", "two", "unknown", 0.5, False),
                    ("r", "search", "refuted", 9.5, True), ("s", "search", "unknown", 9.5, True))]

    ROW = {"policy": "rr", "size": "4 queues, 3 max packet flits", "heads": "no matter", "lemma": "", "engine": "one",
           "proved": 2, "properties": 2, "seconds": 3.5, "refuted": 1, "controls": 2, "commit": "c0", "digest": "d0"}

    def test_a_row_counts_what_is_proved_and_refuted(self):
        self.assertEqual(page.rows_of(self.lines()), [self.ROW, self.ROW | {"engine": "two", "proved": 1, "seconds": 2.5}])
        part, lemma = self.lines(digest="a0"), self.lines(lemma="some", heads="of any length")
        both = page.rows_of([*self.lines(), *part[:1], *lemma])
        self.assertEqual([(row["lemma"], row["heads"], row["proved"], row["properties"], row["digest"]) for row in both],
                         [("", "no matter", 3, 2, "a0 d0"), ("", "no matter", 1, 2, "a0 d0"),
                          ("some", "of any length", 2, 2, "d0"), ("some", "of any length", 1, 2, "d0")])

    def published(self, publish, known, lines, *listed):
        """The rows of the data behind `publish`, with its page."""
        with tempfile.TemporaryDirectory() as directory:
            files = [Path(directory, name) for name in ("results", "data.csv", "page.md")]
            files[0].write_text("".join(json.dumps(line) + "\n" for line in lines))
            files[2].write_text("<!-- proofs: proofs -->\n<!-- end -->\n<!-- mutants: results -->\n<!-- end -->\n")
            with mock.patch.multiple(page, DATA=files[1], MUTANTS=files[1], PROOFS_PAGE=files[2], MUTANTS_PAGE=files[2]), \
                    mock.patch.multiple(page, **{name: lambda *_: "new\n" for name in ("proofs_table", "mutants_table")}):
                page.write_rows(files[1], known[0].keys(), known)
                publish(files[:1], *listed)
                self.assertEqual(files[2].read_text().count("new\n"), 1)
                return page.known_rows(files[1])

    def test_new_rows_replace_those_of_the_same_proof_and_what_is_no_more_goes(self):
        def text(row):
            return {name: str(value) for name, value in row.items()}
        other, old, gone = (self.ROW | change for change in ({"policy": "a"}, {"proved": 1}, {"engine": "three"}))
        listed = {tuple(row[name] for name in page.KEY): None for row in (other, old)}
        self.assertEqual(self.published(page.publish, [old, gone, other], self.lines(), listed), [text(other), text(self.ROW)])

    def test_mutants_are_told_as_they_were_counted(self):
        row = {name: str(number) for number, name in enumerate(page.MUTANT_COLUMNS)} | {
            "policy": "rr", "of": "source", "files": "`a.sv` `b.sv`", "size": "4 queues; 2 entries"}
        result = row | {"interrupted": False, "tested": True, "files": ["a.sv", "b.sv"], "sizes": [{"queues": 4}, {"entries": 2}]}
        old, other = row | {"mutants": "0"}, row | {"of": "resets"}
        for tested, killed in ((True, row["killed_by_tests"]), (False, "")):
            self.assertEqual(self.published(page.publish_mutants, [old, other], [result | {"tested": tested}]),
                             [other, row | {"killed_by_tests": killed}])

    def test_what_is_not_proved_or_refuted_is_a_fault(self):
        known, listed = page.known_rows, prove.listed()
        rows = known(page.DATA)
        for column in ("proved", "properties", "refuted", "controls"):
            changed = [rows[0] | {column: str(int(rows[0][column]) + 1)}, *rows[1:]]
            with mock.patch.object(page, "known_rows", lambda file: changed if file == page.DATA else known(file)), \
                    mock.patch.object(page.marked, "faults", lambda *_: []):
                faults = page.faults_of(listed, prove.mutated())
            self.assertEqual(len(faults), 1)
            self.assertIn("properties proved", faults[0])

    def test_a_proof_without_results_and_results_without_a_proof_are_faults(self):
        listed = prove.listed()
        key = next(iter(listed))
        other = (*key[:-1], "another engine")
        found = page.faults_of({name: value for name, value in listed.items() if name != key} | {other: listed[key]}, prove.mutated())
        told = {name: ", ".join(filter(None, name)) for name in (key, other)}
        self.assertEqual(found[:2], [f"{page.DATA}: no proof is {told[key]}", f"{page.DATA}: no results of {told[other]}"])

    def test_mutants_have_a_row_that_says_of_which_rtl_they_are(self):
        known = page.known_rows(page.MUTANTS)
        gone = {"credit"}
        rows = [row | {"digest": "another"} for row in known if row["policy"] not in gone]
        with mock.patch.object(page, "known_rows", return_value=rows):
            table = page.mutants_table()
        self.assertEqual(table.count("no: it has changed since"), len(rows))
        mutated, listed = prove.mutated(), prove.listed()
        without = {policy: files for policy, files in mutated.items() if policy not in gone}
        more = mutated | {"rr": mutated["rr"] | {"port/qosarb_ports.sv"}}
        for there, fault in ((mutated, None), (without, "no proof has mutants of credit"),
                             (mutated | {"new": {"new.sv"}}, "no mutants of new"), (more, "rr: mutants of ")):
            found = [line for line in page.faults_of(listed, there) if " mutants of" in line]
            self.assertEqual([fault in line for line in found], [True] * len(found) if fault else [])
            self.assertEqual(bool(found), fault is not None)

    def test_a_row_says_whether_it_is_of_this_rtl_and_proof(self):
        listed = prove.listed()
        rows = [row | {"digest": listed[key][-1] if number else "another"} for number, row in enumerate(page.known_rows(page.DATA))
                if (key := tuple(row[name] for name in page.KEY)) in listed]
        with mock.patch.object(page, "known_rows", return_value=rows):
            table = page.proofs_table(listed)
        self.assertEqual((table.count("| no: it has changed since |"), table.count("| yes |")), (1, len(rows) - 1))

    def test_a_digest_is_of_all_that_a_proof_hangs_on(self):
        proof = next(proof for proof in prove.proofs() if proof["policy"] == "rr")
        before, read = prove.digest_of(proof), Path.read_text
        for name, changes in (("qosarb_rotating_priority.sv", True), ("qosarb_pkg.sv", True), ("rr_semantics.sv", True),
                              ("grant_properties.sv", True), ("netlist.py", True), ("qosarb_sbt.sv", False)):
            def changed(path, encoding=None, name=name):
                return read(path, encoding=encoding) + ("\nassign x = 1;" if path.name == name else "")
            with mock.patch.object(Path, "read_text", changed):
                self.assertEqual(prove.digest_of(proof) != before, changes, name)
        self.assertNotEqual(prove.digest_of(proof | {"invariant": "another_o"}), before)
        commit = next(proof for proof in prove.proofs() if proof["policy"] == "port-commit")
        self.assertIn("commit/sbt.svh", commit["includes"])

    def test_results_of_an_interrupted_run_are_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "mutants.json")
            file.write_text(json.dumps({"policy": "rr", "of": "netlist", "interrupted": True, "tested": True,
                                        "killed_by_tests": 0, "sizes": [], "files": []}))
            with mock.patch.object(page, "write_whole", side_effect=AssertionError), \
                    self.assertRaisesRegex(page.NoResults, "the run of the mutants of rr was interrupted"):
                page.publish_mutants([file])

    def test_comments_and_line_ends_are_no_code(self):
        self.assertEqual(rtl_code.digest(["a = b;  // why\n"]), rtl_code.digest(["// how\na =\n  b;"]))
        self.assertNotEqual(rtl_code.digest(["a = b;"]), rtl_code.digest(["a = c;"]))
        self.assertNotEqual(rtl_code.digest(["ab", "c"]), rtl_code.digest(["a", "bc"]))
        self.assertNotEqual(rtl_code.digest(["a & &b"]), rtl_code.digest(["a && b"]))


class Alone(unittest.TestCase):
    def test_whoever_comes_second_waits(self):
        with tempfile.TemporaryDirectory() as directory:
            lock, order, errors = Path(directory) / "rr.lock", [], io.StringIO()

            def second():
                with prove.alone(lock):
                    order.append("second")
            with contextlib.redirect_stderr(errors):
                with prove.alone(lock):
                    other = threading.Thread(target=second)
                    other.start()
                    while not errors.getvalue():
                        other.join(0.01)
                    order.append("first")
                other.join()
            self.assertEqual(order, ["first", "second"])


if __name__ == "__main__":
    unittest.main()
