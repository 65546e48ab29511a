"""The provers: each takes a claim, "no output of this netlist is ever 1", and proves or refutes it.

A proof is unbounded: the claim holds in the first cycles from reset (base), and if it holds in some cycles
it holds in the next one (induction); or abc's pdr finds the invariant by itself. A counterexample is found
by bounded search; finding none is "unknown" and never a proof. Seconds are those of the processor.
"""

import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyosys

ABC = Path(pyosys.__file__).parent / "yosys-abc"
YICES = Path(sys.executable).parent / "yices-smt2"

BASE_FRAMES = 3       # cycles from reset that the base looks at; more than the induction's depth
SEARCH_FRAMES = 12    # cycles in which a control's counterexample is looked for
SECONDS_OF_A_LOOK = 10
INDUCTION_FRAMES = 2  # abc's count: one cycle assumed, the next one shown


@dataclass
class Answer:
    result: str        # proved, refuted, unknown
    depth: int | None  # of a counterexample or of the search that found none; None: unbounded
    seconds: float     # of processor time


def _run(command, seconds, cwd):
    """The output of a prover that has `seconds` of processor time; what it wrote until then if it runs out."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, preexec_fn=limit)
    return done.stdout + done.stderr


def _clock():
    """Processor time of the provers so far: what they need does not depend on who else is at work here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _abc(base, commands, seconds):
    return _run([str(ABC), "-q", f"read {base}.aig; orpos; strash; {commands}"], seconds, base.parent)


def _refuted_at(text):
    found = re.search(r"asserted in frame (\d+)", text or "")
    return int(found.group(1)) if found else None


def abc_induction(base, seconds, frames=INDUCTION_FRAMES):
    start = _clock()
    first = max(BASE_FRAMES, frames)
    text = _abc(base, f"bmc3 -F {first}; ind -F {frames}", seconds)
    spent = _clock() - start
    frame = _refuted_at(text)
    if frame is not None:
        return Answer("refuted", frame, spent)
    if f"No output asserted in {first} frames" in text and "Networks are equivalent" in text:
        return Answer("proved", None, spent)
    if "The network is combinational" in text:  # a claim of no state
        return abc_any_state(base, seconds)
    return Answer("unknown", None, spent)


def abc_pdr(base, seconds, before="scorr"):
    """Proves or refutes a claim without an invariant, once what is alike in all reachable states has become one: signals
    (scorr), or registers only (lcorr), which takes a moment."""
    start = _clock()
    text = _abc(base, f"{before}; pdr", seconds)
    spent = _clock() - start
    frame = _refuted_at(text)
    if frame is not None:
        return Answer("refuted", frame, spent)
    if ("Property proved" in text or "Networks are equivalent" in text or "is trivially UNSAT" in text):
        return Answer("proved", None, spent)
    return Answer("unknown", None, spent)


def abc_any_state(base, seconds):
    """Proves a claim in every state in which registers that are alike in all reachable ones are alike; what needs more
    of the state is unknown."""
    start = _clock()
    text = _abc(base, "lcorr; comb; cone -O 0; strash; iprove", seconds)
    spent = _clock() - start
    return Answer("proved" if re.search(r"^UNSATISFIABLE", text, re.M) else "unknown", None, spent)


def abc_correspondence(base, seconds, frames=1):
    """Proves a claim by what signals of the reachable states have in common, as so many cycles show of the next one;
    finds no counterexample."""
    start = _clock()
    text = _abc(base, f"scorr -F {frames}; iprove", seconds)
    spent = _clock() - start
    return Answer("proved" if re.search(r"^UNSATISFIABLE", text, re.M) else "unknown", None, spent)


def abc_search(base, seconds, frames=SEARCH_FRAMES):
    """Looks for a counterexample from reset; leaves it as BASE.aiw."""
    start = _clock()
    text = _abc(base, f"bmc3 -F {frames}; write_cex -a {base}.aiw", seconds)
    spent = _clock() - start
    frame = _refuted_at(text)
    return Answer("unknown" if frame is None else "refuted", frame, spent)


def _found(bases, search):
    """Whether a search of abc's finds a counterexample from reset, for each of many claims in one process."""
    found = []
    while len(found) < len(bases):
        rest = bases[len(found):]
        # Registers that are alike, as those that a size does without, count once: lcorr takes a moment.
        commands = "".join(f"echo claim; read {base}.aig; orpos; strash; lcorr; {search}; " for base in rest)
        text = _run([str(ABC), "-q", commands], SECONDS_OF_A_LOOK * len(rest), rest[0].parent)
        # abc stops behind a claim of which no register is left.
        parts = re.split(r"^claim\s*$", text, flags=re.M)[1:]
        found += [_refuted_at(part) is not None for part in parts] or [False]
    return found


def abc_random(bases, rounds, frames=20):
    """Whether so many rounds of random inputs are a counterexample, for each of many claims."""
    return _found(bases, f"sim3 -F {frames} -W 16 -R {rounds}")


def abc_glance(bases, frames, conflicts):
    """Whether a search that gives up after so many conflicts of the solver has found one, for each of many claims."""
    return _found(bases, f"bmc3 -F {frames} -C {conflicts}")


def yices_induction(base, seconds):
    text = Path(f"{base}.smt2").read_text()
    top = re.search(r"^; yosys-smt2-module (\S+)", text, re.M).group(1)
    outputs = re.findall(r"^; yosys-smt2-output (\S+) 1", text, re.M)

    def bad(state):
        return "(or false " + " ".join(f"(|{top}_n {name}| {state})" for name in outputs) + ")"

    def query(name, frames, extra):
        lines = ["(set-logic QF_UFBV)", text]
        lines += [f"(declare-fun s{i} () |{top}_s|)" for i in range(frames)]
        lines += [f"(assert (|{top}_t| s{i} s{i + 1}))" for i in range(frames - 1)]
        lines += extra + ["(check-sat)"]
        file = Path(f"{base}.{name}.smt2")
        file.write_text("\n".join(lines) + "\n")
        answer = _run([str(YICES), str(file)], seconds, base.parent)
        return answer.split()[0] if answer.split() else "unknown"

    start = _clock()
    frames = range(BASE_FRAMES)
    first = query("base", BASE_FRAMES, [f"(assert (|{top}_i| s0))",
                                        "(assert (or " + " ".join(bad(f"s{i}") for i in frames) + "))"])
    step = "unknown"
    if first == "unsat":
        step = query("step", 2, [f"(assert (not {bad('s0')}))", f"(assert {bad('s1')})"])
    spent = _clock() - start
    if first == "sat":
        return Answer("refuted", BASE_FRAMES - 1, spent)
    return Answer("proved" if (first, step) == ("unsat", "unsat") else "unknown", None, spent)


ENGINES = {
    "abc bmc3+ind": abc_induction,
    "abc pdr": abc_pdr,
    "abc iprove": abc_any_state,
    "yices": yices_induction,
}
