"""Timing by OpenSTA: the shortest period of a netlist, and its critical path."""

import re
import subprocess
from dataclasses import dataclass

from library import FlowError
import netlist as netlists


@dataclass
class Step:
    instance: str
    pin: str
    cell: str
    edge: str  # "^" or "v"
    arrival_ns: float


@dataclass
class Timing:
    min_period_ns: float
    path: list[Step]  # from the launching flip-flop to the capturing one


class OpenSta:
    def __init__(self, executable, constraints):
        self.executable = executable
        self.constraints = constraints  # the SDC file

    def prelude(self, library, verilog, top, period):
        settings = library.settings
        return (f"set_cmd_units -time ns -capacitance pF\n"
                f"read_liberty {library.path}\n"
                f"read_verilog {verilog}\n"
                f"link_design {top}\n"
                f"set period {period}\n"
                f"set clock_uncertainty {settings.clock_uncertainty}\n"
                f"set io_delay {settings.io_delay}\n"
                f"set driving_cell {settings.driving_cell}\n"
                f"set output_load {settings.output_load_ff / 1000}\n"
                f"source {self.constraints}\n")

    def run(self, script, work, name):
        path = work / f"{name}.tcl"
        path.write_text(script, encoding="utf-8")
        result = subprocess.run([self.executable, "-no_splash", "-no_init", "-exit", str(path)],
                                capture_output=True, text=True, check=False)
        text = result.stdout + result.stderr
        (work / f"{name}.rpt").write_text(text, encoding="utf-8")
        # OpenSTA ends with status 0 whatever went wrong.
        for line in text.splitlines():
            if re.match(r"\s*(Error|invalid command|wrong # args)", line):
                raise FlowError(f"sta: {line.strip()} ({path})")
        return text

    def measure(self, netlist, library, work, name="timing"):
        """The shortest period at which no path violates; delays do not depend on the period."""
        verilog = work / f"{name}.v"
        netlists.write_verilog(netlist, library, verilog)
        period = 10.0
        text = self.run(self.prelude(library, verilog, netlist.name, period) +
                        "report_checks -path_delay max -format full -digits 4\n", work, name)
        return parse_path(text, period)


def parse_path(text, period):
    slack = re.search(r"(-?\d+\.\d+)\s+slack", text)
    if slack is None:
        raise FlowError("sta: no path between registers")
    steps = []
    for line in text[:text.index("data arrival time")].splitlines():
        match = re.match(r"\s*-?[\d.]+\s+(-?[\d.]+)\s+([v^])\s+(\S+)/(\S+)\s+\((\S+)\)", line)
        if match:
            arrival, edge, instance, pin, cell = match.groups()
            steps.append(Step(instance, pin, cell, edge, float(arrival)))
    return Timing(round(period - float(slack.group(1)), 4), steps)
