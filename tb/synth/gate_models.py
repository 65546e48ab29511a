"""Verilog models of cells, made from the functions that their Liberty file states."""

import re

import liberty
from library import FlowError


def write_models(library, cell_names, path):
    """Writes one module for each named cell. Delays are left out; the clock is ideal."""
    models = [_model(library.cell(name)) for name in sorted(set(cell_names))]
    path.write_text("// Generated from " + library.name + ".\n\n" + "\n".join(models),
                    encoding="utf-8")


def _model(cell):
    lines = [f"module {cell.name} (",
             ",\n".join(f"  {pin.direction} {pin.name}" for pin in cell.pins.values()), ");"]
    if cell.flip_flop is not None:
        lines += _flip_flop(cell)
    for pin in cell.outputs():
        if pin.function is None:
            raise FlowError(f"{cell.name}: output {pin.name} has no function")
        lines.append(f"  assign {pin.name} = {liberty.Function(pin.function).verilog()};")
    return "\n".join([*lines, "endmodule", ""])


def _flip_flop(cell):
    state, inverted = cell.state_names
    attributes = cell.flip_flop
    clock, clock_edge = _edge(cell, attributes["clocked_on"])
    events = [f"{clock_edge} {clock}"]
    branches = []
    # Where both are asserted the library says what happens; no block of ours asserts both.
    for control, value in (("clear", "1'b0"), ("preset", "1'b1")):
        if control in attributes:
            name, edge = _edge(cell, attributes[control])
            events.append(f"{edge} {name}")
            condition = name if edge == "posedge" else f"~{name}"
            branches.append(f"if ({condition}) {state} <= {value}; else ")
    next_state = liberty.Function(attributes["next_state"]).verilog()
    return [f"  reg {state};",
            f"  wire {inverted} = ~{state};",
            f"  always @({' or '.join(events)})",
            f"    {''.join(branches)}{state} <= {next_state};"]


def _edge(cell, text):
    """Pin and active edge of a clock or an asynchronous control, which is a pin or its inverse."""
    match = re.fullmatch(r"\(*(!?)\(*(\w+)\)*('?)\)*", text.replace(" ", ""))
    if match is None:
        raise FlowError(f"{cell.name}: cannot model {text}")
    inverse, name, prime = match.groups()
    return name, "negedge" if inverse or prime else "posedge"
