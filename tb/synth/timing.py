"""Timing by OpenSTA: the shortest period of a netlist, and its critical path."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

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


TRIALS = 6000  # of sizing; few blocks need as many


class OpenSta:
    def __init__(self, executable, constraints):
        self.executable = executable
        self.constraints = constraints  # the SDC file

    def prelude(self, library, verilog, top, period):
        settings = library.settings
        # Reading a library sets the units of all commands to the library's own.
        return (f"read_liberty {library.path}\n"
                f"set_cmd_units -time ns -capacitance pF\n"
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

    def resize(self, netlist, library, work, period, passes, name="resize"):
        """Sizes cells of the paths longer than `period`, in place. Returns how many changed."""
        verilog = work / f"{name}.v"
        netlists.write_verilog(netlist, library, verilog)
        sizes = equivalents(library, {i.cell for i in netlist.instances.values()})
        script = self.prelude(library, verilog, netlist.name, round(period, 4))
        script += "".join(f"set sizes({cell}) {{{weaker} {stronger}}}\n"
                          for cell, (weaker, stronger) in sorted(sizes.items()))
        script += "".join(f"set loads({instance}) {{{' '.join(driven)}}}\n"
                          for instance, driven in loads(netlist, library).items())
        script += (f"set trials {TRIALS}\nset passes {passes}\n"
                   f"source {Path(__file__).with_name('resize.tcl')}\n")
        changed = set()
        for line in self.run(script, work, name).splitlines():
            fields = line.split()
            if fields[:1] == ["resize"]:
                netlist.instances[fields[1]].cell = fields[2]
                changed.add(fields[1])
        return len(changed)


def loads(netlist, library):
    """For each instance, the instances that it drives."""
    readers = {}
    for instance in netlist.instances.values():
        for pin in library.cell(instance.cell).inputs():
            readers.setdefault(instance.pins[pin.name], []).append(instance.name)
    return {instance.name: [name for pin in library.cell(instance.cell).outputs()
                            for name in readers.get(instance.pins.get(pin.name), [])]
            for instance in netlist.instances.values()}


def equivalents(library, cells):
    """For each cell that a walk from `cells` reaches: its next weaker and next stronger version."""
    families = {}
    for cell in library.library.cells.values():
        if library.usable(cell) and (cell.is_combinational() or cell.flip_flop is not None):
            pins = tuple(sorted((pin.name, pin.direction, pin.function) for pin in
                                cell.pins.values()))
            key = (pins, tuple(sorted((cell.flip_flop or {}).items())), cell.is_scan)
            families.setdefault(key, []).append(cell)
    found = {}
    for family in families.values():
        # The same pins and functions; a stronger cell has more input capacitance, a flip-flop more
        # area.
        family.sort(key=lambda cell: (cell.area, sum(p.capacitance for p in cell.inputs()),
                                      cell.name))
        names = [cell.name for cell in family]
        for index, name in enumerate(names):
            found[name] = (names[index - 1] if index > 0 else "-",
                           names[index + 1] if index + 1 < len(names) else "-")
    for cell in cells:
        found.setdefault(cell, ("-", "-"))
    return found


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
