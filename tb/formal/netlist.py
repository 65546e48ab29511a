"""Reads a proof's SystemVerilog and writes what the provers read: AIGER and SMT-LIB, one file for a claim.

Runs as a process of its own, since Yosys keeps its design in global variables and talks on stdout:

  netlist.py JOB.json
  netlist.py --waveform BASE OUT.vcd CLOCK

The job names the top module, its parameters, the sources, the macros and the claims. A claim is a name and
the outputs of the top module of which none may ever be 1. A job may want mutants: then all of them are in the
netlist, and a number at a new input `mutant` switches one of them on, 0 none; mutants.ys says what each is. If it
wants `only` some, by their numbers, all that it writes is a netlist of Verilog that has these, proof.v. The
second form replays the counterexample
BASE.aiw of the claim BASE as a waveform. CLOCK is the clock's name, or `free`: then clocks are inputs of
the claim that rise whenever they like, and clk_i is a step.
"""

import json
import sys
from pathlib import Path

from pyosys import libyosys as ys


# What comes into the instance u_engine of the top module, and out of it.
ENGINE_OUTPUTS = "w:*u_engine.*_o w:*u_engine.*.* %d"
ENGINE_INPUTS = "w:*u_engine.*_i w:*u_engine.*_ni %u w:*u_engine.*.* %d"


def run(*commands):
    for command in commands:
        ys.run_pass(command)


def waveform(base, out, clock):
    option = "-clock clk_i -zinit" if clock == "free" else f"-clock {clock}"
    run(f"read_rtlil {base}.il", f"sim -q {option} -r {base}.aiw -map {base}.map -vcd {out}")


def others(*claims):
    """Selects the outputs that none of the claims is about."""
    return "o:* " + " ".join(f"o:{name} %d" for claim in claims for name in claim["outputs"])


def mutate(wanted, listed):
    """Yosys' mutants, drawn evenly by a seed, of the cells that some files made: a bit of a port is constant, or
    inverted, always or while another bit of the port has a certain value. They are made before cells are shared
    with the specification. No clock is changed, the gates have but one, and no port of a memory."""
    cells = " ".join(f"a:src=*rtl/{file}:*" for file in wanted["files"])
    run("opt_expr", "opt_clean", f"select -set mutated {cells} t:$mem* %d",
        f"mutate -list {wanted['count']} -seed {wanted['seed']} -o {listed} @mutated")
    lines = [line for line in listed.read_text().splitlines() if "-port CLK " not in line]
    control = f"mutate -ctrl mutant {len(lines).bit_length()}"
    listed.write_text("".join(line.replace("mutate", f"{control} {number}", 1) + "\n"
                              for number, line in enumerate(lines, start=1)
                              if number in wanted.get("only", [number])))
    run(f"script {listed}")


def write_engine(file):
    """Writes the engine by itself, with its mutants, as module `engine` with the pins of the RTL."""
    run("design -push-copy", "delete t:$barrier", "delete -port i:* o:* %u i:mutant %d", f"expose -input {ENGINE_INPUTS}",
        f"expose {ENGINE_OUTPUTS}", "opt_clean -purge", "check -assert", "splitnets", "rename -top engine")
    pins = file.with_suffix(".pins")
    run(f"tee -q -o {pins} select -list i:*u_engine.* o:*u_engine.*", "cd engine")
    for name in pins.read_text().replace("engine/", "").split():
        run(f"rename {name} {name.rsplit('.')[-1]}")
    run("cd ..")
    run(f"write_verilog -noattr {file}", "design -pop")


def main():
    if sys.argv[1] == "--waveform":
        waveform(sys.argv[2], sys.argv[3], sys.argv[4])
        return
    job = json.loads(Path(sys.argv[1]).read_text())
    directory = Path(job["directory"])
    parameters = " ".join(f"-G {name}={value}" for name, value in job["parameters"].items())
    macros = " ".join(f"-D {macro}" for macro in job["macros"])
    # What is kept apart from a second copy of it is not flattened; here it is looked into.
    run(f"read_slang --top {job['top']} {parameters} {macros} -I {directory} {' '.join(job['sources'])}",
        "proc", "setattr -unset keep_hierarchy */c:*", "flatten")
    if job["mutants"]:
        # Without `opt -full`: of asynchronous values that are not constant it makes others.
        # Until the engine has been written its inputs are no others', and go by their names, as an attribute makes sure;
        # and it has outputs that nobody reads.
        run(f"optbarriers {ENGINE_INPUTS}", f"setattr -set input 1 {ENGINE_INPUTS}",
            f"setattr -set keep 1 {ENGINE_OUTPUTS}")
        mutate(job["mutants"], directory / "mutants.ys")
        if job["simulated"]:
            write_engine(directory / "engine.v")
        run("optbarriers -remove", f"setattr -unset keep {ENGINE_OUTPUTS}")
        if "only" in job["mutants"]:
            run("opt -full", "bwmuxmap", f"write_verilog -noattr {directory / 'proof.v'}")
            return
    else:
        # What is undefined is anything, anew in each cycle, before anybody takes it for what suits him.
        run("setundef -undriven -anyseq", "opt -full")
    # A register of the design begins with its reset, in the first cycle, or with any value if it has none, so that the
    # proofs begin where the hardware does; of what stands for free clocks that is not told. None is made a part of a
    # table that it is the address of (-nordff): then an invariant could not speak of it.
    run("clk2fflogic" if job["free_clocks"] else "async2sync", "opt -full -nosdff -nodffe", "dffunmap",
        "memory -nordff", "setundef -undriven -anyseq", *(["setundef -init -zero"] if job["free_clocks"] else []),
        "splitnets -ports -format _ o:*")
    parts = len({name for claim in job["claims"] for name in claim["outputs"] if name.startswith("parts_o_")})
    if parts:  # no part is left out, nor a property of what is asked behind them
        run(f"select -assert-count {parts} o:parts_o_*")
        for name in job["properties"]:
            run(f"sat -ignore_unknown_cells -set {name} 1 -prove u_parts.fails 1 -verify")
    run(f"delete -output {others(*job['claims'])}", "opt_clean -purge", "design -save read")
    for claim in job["claims"]:
        run("design -load read", f"delete -output {others(claim)}", "opt_clean -purge",
            f"write_rtlil {directory / claim['name']}.il")
        if job["smt2"]:
            run(f"write_smt2 {directory / claim['name']}.smt2")
    run("design -load read", "techmap", "opt_expr", "opt_clean", "dffunmap", "aigmap", "opt_clean -purge")
    for claim in job["claims"]:
        base = directory / claim["name"]
        run("expose " + " ".join(f"w:{name}" for name in claim["outputs"]), f"delete -output {others(claim)}",
            f"write_aiger -zinit -symbols -map {base}.map {base}.aig")


main()
