"""Gives the nets of a mapped netlist the names of RTL signals that have the same function.

Mapping keeps the names of registers and ports only. Both netlists, the generic one that still has
every RTL name and the mapped one, are simulated with the same random values at registers and
inputs; a mapped net whose values equal those of an RTL signal, or their complement, gets its name.
Such a name helps a reader and decides nothing.
"""

import json
import random
import re

import liberty
import netlist as netlists

_VECTORS = 4096
_GATES = {
    "$_BUF_": ("A", lambda a, one: a),
    "$_NOT_": ("A", lambda a, one: a ^ one),
    "$_AND_": ("AB", lambda a, b, one: a & b),
    "$_NAND_": ("AB", lambda a, b, one: (a & b) ^ one),
    "$_OR_": ("AB", lambda a, b, one: a | b),
    "$_NOR_": ("AB", lambda a, b, one: (a | b) ^ one),
    "$_XOR_": ("AB", lambda a, b, one: a ^ b),
    "$_XNOR_": ("AB", lambda a, b, one: a ^ b ^ one),
    "$_ANDNOT_": ("AB", lambda a, b, one: a & (b ^ one)),
    "$_ORNOT_": ("AB", lambda a, b, one: a | (b ^ one)),
    "$_MUX_": ("ABS", lambda a, b, s, one: (a & (s ^ one)) | (b & s)),
    "$_NMUX_": ("ABS", lambda a, b, s, one: ((a & (s ^ one)) | (b & s)) ^ one),
}


def add_names(netlist, library, generic_path):
    """Adds aliases, with a leading ~ for a complement, to the nets of `netlist` that have none."""
    one = (1 << _VECTORS) - 1
    values, names = _simulate_generic(generic_path, one)
    mapped = _simulate_mapped(netlist, library, values, one)
    by_value = {}
    for name in names:
        by_value.setdefault(values[name], name)
    for bit, value in mapped.items():
        rare = min(value.bit_count(), _VECTORS - value.bit_count())
        if bit in netlist.aliases or rare < 16:
            continue
        if value in by_value:
            netlist.aliases[bit] = [by_value[value]]
        elif value ^ one in by_value:
            netlist.aliases[bit] = ["~" + by_value[value ^ one]]


def _source_value(name, one):
    generator = random.Random(name)
    return generator.getrandbits(one.bit_length())


def _simulate_generic(path, one):
    """Values of all RTL names, and the names in order of preference."""
    with open(path, encoding="utf-8") as stream:
        (module,) = json.load(stream)["modules"].values()
    aliases = netlists.names_of_nets(module)
    drivers = {}
    state = {"0": 0, "1": one, "x": 0}
    for cell in module["cells"].values():
        if cell["type"] in _GATES:
            drivers[cell["connections"]["Y"][0]] = cell
    readers = [bit for cell in drivers.values() for pin in cell["connections"]
               for bit in cell["connections"][pin]]
    for bit in readers:
        if bit not in drivers and bit not in state:
            state[bit] = _source_value(min(aliases.get(bit, [str(bit)])), one)
    # Depth first without recursion; generic logic can be deep.
    stack = list(drivers)
    while stack:
        bit = stack[-1]
        if bit in state:
            stack.pop()
            continue
        cell = drivers[bit]
        pins, function = _GATES[cell["type"]]
        operands = [cell["connections"][pin][0] for pin in pins]
        missing = [operand for operand in operands if operand not in state]
        if missing:
            stack.extend(missing)
            continue
        state[bit] = function(*(state[operand] for operand in operands), one)
        stack.pop()
    values = {}
    for bit, found in aliases.items():
        if bit in state:
            for name in found:
                values[name] = state[bit]
    # Signals before the ports that they pass, then the deepest module, then the shortest name.
    order = sorted(values, key=lambda name: (re.search(r"_[io](\[|$)", name) is not None,
                                             -name.count("."), len(name), name))
    return values, order


def _simulate_mapped(netlist, library, values, one):
    state = {}
    for bit, names in netlist.aliases.items():
        known = [name for name in names if name.removeprefix("~") in values]
        if known:
            inverted = one if known[0].startswith("~") else 0
            state[bit] = values[known[0].removeprefix("~")] ^ inverted
    functions = {}
    sources = {bit: value for bit, value in state.items()}
    state = {"0": 0, "1": one}
    driven = set()
    ordered, _ = netlists.order(netlist, library)
    for name in ordered:
        instance = netlist.instances[name]
        for pin in library.cell(instance.cell).outputs():
            driven.add(instance.pins.get(pin.name))
    for instance in netlist.instances.values():
        for bit in instance.pins.values():
            if bit not in driven and bit not in state:
                state[bit] = sources.get(bit)
    for bit, value in state.items():
        if value is None:
            state[bit] = _source_value(str(bit), one)
    for name in ordered:
        instance = netlist.instances[name]
        cell = library.cell(instance.cell)
        inputs = {pin.name: state[instance.pins[pin.name]] for pin in cell.inputs()}
        for pin in cell.outputs():
            if pin.name not in instance.pins:
                continue
            key = (cell.name, pin.name)
            if key not in functions:
                functions[key] = liberty.Function(pin.function)
            state[instance.pins[pin.name]] = functions[key].evaluate(inputs, one)
    return {bit: value for bit, value in state.items() if isinstance(bit, int)}
