"""A mapped, flat netlist: read from Yosys' JSON, checked, changed in place and written as Verilog."""

import json
import re
from dataclasses import dataclass, field

from library import FlowError


@dataclass
class Port:
    name: str
    direction: str
    bits: list  # net numbers, or "0"/"1"


@dataclass
class Instance:
    name: str
    cell: str
    pins: dict  # pin -> net number, or "0"/"1"
    origin: str = ""  # what Yosys calls it; of a flip-flop the same before and after mapping


@dataclass
class Netlist:
    name: str
    ports: list[Port]
    instances: dict[str, Instance]
    aliases: dict[int, list[str]] = field(default_factory=dict)  # RTL names of a net, best first
    registers: dict[str, list[str]] = field(default_factory=dict)  # of a flip-flop, by instance

    def net_name(self, bit):
        """The net's best RTL name, or its number."""
        names = self.aliases.get(bit)
        return names[0] if names else f"n{bit}"


def read(path, top, library):
    """The module `top` of a Yosys JSON file. Instances are named after the nets that they drive."""
    with open(path, encoding="utf-8") as stream:
        module = json.load(stream)["modules"][top]
    # The pins of memories are ports, too, by names of the hierarchy.
    ports = [Port(re.sub(r"\W", "_", name), port["direction"], port["bits"])
             for name, port in module["ports"].items()]
    netlist = Netlist(top, ports, {}, names_of_nets(module))
    counter = 0
    for origin, cell in module["cells"].items():
        if cell["type"] == "$scopeinfo":
            continue
        pins = {}
        for pin, bits in cell["connections"].items():
            if len(bits) != 1:
                raise FlowError(f"unmapped cell {cell['type']}")
            pins[pin] = bits[0]
        name = f"u{counter}"
        netlist.instances[name] = Instance(name, cell["type"], pins, origin)
        counter += 1
    return netlist


def names_of_nets(module):
    """The RTL names of each net of a module in a Yosys JSON file, the best first."""
    names = {}
    for name, net in module["netnames"].items():
        if net["hide_name"]:
            continue
        wide = len(net["bits"]) > 1
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int):
                number = index + net.get("offset", 0)
                names.setdefault(bit, []).append(f"{name}[{number}]" if wide else name)
    for of_net in names.values():
        # A register's own name says more than the ports that it passes.
        of_net.sort(key=lambda name: (not re.search(r"_[qd](\[|$)", name), name.count("."),
                                      len(name), name))
    return names


def name_registers(netlist, library, generic_path):
    """Gives the flip-flops the names that their outputs have in the netlist before mapping.

    A cell with an inverted output drives a net that the RTL does not have; its name begins with ~.
    """
    with open(generic_path, encoding="utf-8") as stream:
        module = json.load(stream)["modules"][netlist.name]
    names = names_of_nets(module)
    before = {origin: names.get(cell["connections"]["Q"][0], [])
              for origin, cell in module["cells"].items() if "Q" in cell["connections"]}
    for instance in netlist.instances.values():
        if library.cell(instance.cell).flip_flop is None or not before.get(instance.origin):
            continue
        netlist.registers[instance.name] = before[instance.origin]
        for pin in library.cell(instance.cell).outputs():
            if pin.name in instance.pins:
                netlist.aliases.setdefault(instance.pins[pin.name],
                                           [f"~{before[instance.origin][0]}"])


def check(netlist, library):
    """What must not be in a netlist. Returns a list of faults, empty when there are none."""
    faults = []
    drivers = {}

    def drive(bit, who):
        if not isinstance(bit, int):
            faults.append(f"{who} drives a constant")
        elif bit in drivers:
            faults.append(f"net {netlist.net_name(bit)} has two drivers, {drivers[bit]} and {who}")
        else:
            drivers[bit] = who

    for port in netlist.ports:
        if port.direction == "input":
            for bit in port.bits:
                drive(bit, f"port {port.name}")
    for instance in netlist.instances.values():
        cell = library.library.cells.get(instance.cell)
        if cell is None:
            faults.append(f"cell {instance.cell} is not mapped")
            continue
        if cell.is_latch:
            faults.append(f"a latch, {instance.cell}, drives "
                          f"{[netlist.net_name(instance.pins[p.name]) for p in cell.outputs()]}")
        for pin in cell.outputs():
            if pin.name in instance.pins:
                drive(instance.pins[pin.name], instance.name)

    def read_by(bit, who):
        if bit in ("0", "1"):
            return
        if not isinstance(bit, int) or bit not in drivers:
            faults.append(f"{who} reads net {netlist.net_name(bit) if bit != 'x' else 'x'}, "
                          "which nothing drives")

    for instance in netlist.instances.values():
        cell = library.library.cells.get(instance.cell)
        for pin in cell.inputs() if cell else []:
            if pin.name not in instance.pins:
                faults.append(f"pin {pin.name} of {instance.cell} is open")
            else:
                read_by(instance.pins[pin.name], f"{instance.cell} {instance.name}")
    for port in netlist.ports:
        if port.direction == "output":
            for bit in port.bits:
                read_by(bit, f"port {port.name}")
    if not faults:
        _, looped = order(netlist, library)
        for name in looped[:5]:
            faults.append(f"a combinational loop through {describe(netlist, library, name)}")
    return faults


def describe(netlist, library, name):
    instance = netlist.instances[name]
    nets = [netlist.net_name(instance.pins[pin.name])
            for pin in library.cell(instance.cell).outputs() if pin.name in instance.pins]
    return f"{instance.cell} driving {', '.join(nets)}"


def order(netlist, library):
    """Combinational instances in an order of evaluation, and those that no order can hold."""
    driver = {}
    combinational = []
    for instance in netlist.instances.values():
        cell = library.cell(instance.cell)
        if cell.flip_flop is None:
            combinational.append(instance)
            for pin in cell.outputs():
                if pin.name in instance.pins:
                    driver[instance.pins[pin.name]] = instance.name
    waiting = {}
    readers = {}
    ready = []
    for instance in combinational:
        sources = {driver[instance.pins[pin.name]] for pin in library.cell(instance.cell).inputs()
                   if instance.pins[pin.name] in driver}
        waiting[instance.name] = len(sources)
        for source in sources:
            readers.setdefault(source, []).append(instance.name)
        if not sources:
            ready.append(instance.name)
    ordered = []
    while ready:
        name = ready.pop()
        ordered.append(name)
        for reader in readers.get(name, []):
            waiting[reader] -= 1
            if waiting[reader] == 0:
                ready.append(reader)
    done = set(ordered)
    return ordered, [instance.name for instance in combinational if instance.name not in done]


def write_verilog(netlist, library, path):
    """Structural Verilog that OpenSTA 2.0 and Verilator read: scalar nets, no expressions."""
    port_net = {}
    assigns = []
    for port in netlist.ports:
        wide = len(port.bits) > 1
        for index, bit in enumerate(port.bits):
            name = f"{port.name}[{index}]" if wide else port.name
            if port.direction == "output" and (bit in port_net or not isinstance(bit, int)):
                source = port_net[bit] if isinstance(bit, int) else f"1'b{bit}"
                assigns.append(f"  assign {name} = {source};")
            else:
                port_net[bit] = name

    def net(bit):
        if not isinstance(bit, int):
            return f"1'b{bit}"
        return port_net.get(bit, f"n{bit}")

    wires = sorted({bit for instance in netlist.instances.values()
                    for bit in instance.pins.values()
                    if isinstance(bit, int) and bit not in port_net})
    lines = [f"module {netlist.name} (" + ", ".join(port.name for port in netlist.ports) + ");"]
    for port in netlist.ports:
        size = f"[{len(port.bits) - 1}:0] " if len(port.bits) > 1 else ""
        lines.append(f"  {port.direction} {size}{port.name};")
    lines += [f"  wire n{bit};" for bit in wires]
    for instance in netlist.instances.values():
        pins = ", ".join(f".{pin}({net(bit)})" for pin, bit in instance.pins.items())
        lines.append(f"  {instance.cell} {instance.name} ({pins});")
    lines += assigns + ["endmodule", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
