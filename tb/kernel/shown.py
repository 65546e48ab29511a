#!/usr/bin/env python3
"""Writes `shown_NAME.sv`: the module of FILE behind registers that take its inputs at a rising edge of show_i.

  shown.py FILE OUT

Where clk_i rises together with show_i, a cycle ends and the inputs of the next one come at once, and Verilator works
out what follows from both one time. With inputs that change by themselves it would do so for them, and, as it cannot
know that they stay, at the clock edge once more. tb/cosim/port_pins.sv is the same for a whole port.
"""

import re
import sys
from pathlib import Path


def shown(text):
    """The module that is made of the source `text`."""
    header = re.search(r"^module (\w+) #\((.*?)^\) \((.*?)^\);", text, re.DOTALL | re.MULTILINE)
    name, parameters, ports = header.groups()
    names = re.findall(r"^ *parameter .*? (\w+) *=", parameters, re.MULTILINE)
    inputs = [(dimensions, port) for dimensions, port in
              re.findall(r"^ *input +logic *((?:\[.*?\])*) *(\w+)", ports, re.MULTILINE) if port != "clk_i"]
    lines = [f"module shown_{name} #({parameters}) (", "  input logic show_i,", f"{ports.strip()}", ");"]
    for dimensions, port in inputs:
        lines += [f"  logic {dimensions} {port}_q;", f"  always_ff @(posedge show_i) {port}_q <= {port};"]
    lines.append(f"  {name} #({', '.join(f'.{parameter}({parameter})' for parameter in names)}) engine (")
    lines += [f"    .{port}({port}_q)," for _, port in inputs]
    lines += ["    .*", "  );", "endmodule", ""]
    return "\n".join(lines)


def main():
    source, out = map(Path, sys.argv[1:])
    out.write_text(shown(source.read_text()))


if __name__ == "__main__":
    main()
