"""What the wires of a routed layout are: resistances and capacitances of each net, from DEF and LEF, as SPEF.

Areas and edges of the wires are counted with the LEF file's numbers, over their whole length and both edges;
between neighbours nothing is counted, and a contact between layers has no resistance, as the LEF
file knows neither.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field

from library import FlowError

JOIN = 0.001  # ohms of what is one piece of metal: contacts, and the pins of cells
NEAR = 0.3  # micrometres between two wires' centres, or a wire's centre and a pin, that touch; a wire's width


@dataclass
class Layer:
    width: float = 0.0  # micrometres
    ohm_per_square: float = 0.0
    area_pf: float = 0.0  # per square micrometre
    edge_pf: float = 0.0  # per micrometre of an edge

    def ohm(self, length):
        return self.ohm_per_square * length / self.width

    def ff(self, length):
        return 1000 * length * (self.width * self.area_pf + 2 * self.edge_pf)


@dataclass
class Macro:
    width: float = 0.0
    height: float = 0.0
    pins: dict = field(default_factory=dict)  # pin -> [(layer, x1, y1, x2, y2)]


@dataclass
class Lef:
    layers: dict = field(default_factory=dict)  # of wires
    vias: dict = field(default_factory=dict)  # via -> the two layers that it joins
    macros: dict = field(default_factory=dict)


def read_lef(text):
    """Layers, vias and cells of a LEF file; lengths are in micrometres."""
    lef = Lef()
    layers = {}
    opened = None  # (keyword, name) of the block at the outermost level
    pin = layer = None
    for line in text.splitlines():
        words = line.split("#")[0].replace(";", " ").split()
        if not words:
            continue
        if opened is None:
            if words[0] in ("LAYER", "VIA", "MACRO") and len(words) > 1:
                opened = (words[0], words[1])
                {"LAYER": layers, "VIA": lef.vias, "MACRO": lef.macros}[words[0]][words[1]] = \
                    {"LAYER": Layer, "VIA": list, "MACRO": Macro}[words[0]]()
            elif words[0] in ("VIARULE", "SITE"):
                opened = (words[0], words[1])
            continue
        kind, name = opened
        if words[0] == "END" and words[1:] == [name]:
            opened = None
        elif kind == "LAYER":
            _read_layer(lef, layers, name, words)
        elif kind == "VIA" and words[0] == "LAYER" and words[1] in lef.layers:
            lef.vias[name].append(words[1])
        elif kind == "MACRO":
            macro = lef.macros[name]
            if words[0] == "SIZE":
                macro.width, macro.height = float(words[1]), float(words[3])
            elif words[0] == "PIN":
                pin = words[1]
                macro.pins[pin] = []
            elif words[:2] == ["END", pin]:
                pin = None
            elif words[0] == "LAYER":
                layer = words[1]
            elif words[0] == "RECT" and pin is not None:
                macro.pins[pin].append((layer, *map(float, words[1:5])))
    return lef


def _read_layer(lef, layers, name, words):
    layer = layers[name]
    if words == ["TYPE", "ROUTING"]:
        lef.layers[name] = layer
    elif words[0] == "WIDTH":
        layer.width = float(words[1])
    elif words[:2] == ["RESISTANCE", "RPERSQ"]:
        layer.ohm_per_square = float(words[2])
    elif words[:2] == ["CAPACITANCE", "CPERSQDIST"]:
        layer.area_pf = float(words[2])
    elif words[0] == "EDGECAPACITANCE":
        layer.edge_pf = float(words[1])


@dataclass
class Net:
    pins: list  # (instance, pin); of a port the instance is PIN
    wires: list = field(default_factory=list)  # (layer, (x, y), (x, y)), in the units of the file
    vias: list = field(default_factory=list)  # (via, (x, y))


@dataclass
class Def:
    units: int  # of a micrometre
    die: tuple  # x1, y1, x2, y2
    components: dict  # instance -> (cell, x, y, orientation)
    ports: dict  # port -> (layer, x, y)
    nets: dict


def read_def(text, lef):
    """A layout as qrouter writes it."""
    def section(name):
        match = re.search(rf"^{name} \d+ *;(.*?)^END {name}", text, re.DOTALL | re.MULTILINE)
        if match is None:
            raise FlowError(f"the layout has no {name}")
        return match[1]

    units = re.search(r"^UNITS DISTANCE MICRONS (\d+)", text, re.MULTILINE)
    die = re.search(r"^DIEAREA \( (\S+) (\S+) \) \( (\S+) (\S+) \)", text, re.MULTILINE)
    components = {name: (cell, int(x), int(y), orientation) for name, cell, x, y, orientation in re.findall(
        r"^- (\S+) (\S+) \+ PLACED \( (\S+) (\S+) \) (\S+)", section("COMPONENTS"), re.MULTILINE)}
    ports = {name: (layer, int(x), int(y)) for name, layer, x, y in re.findall(
        r"^- (\S+) \+ NET \S+\s+\+ LAYER (\S+) [^+]*\+ PLACED \( (\S+) (\S+) \)", section("PINS"), re.MULTILINE)}
    nets = {}
    for body in re.split(r"^- ", section("NETS"), flags=re.MULTILINE)[1:]:
        name, ends, routed = re.fullmatch(r"(\S+)(.*?)(?:\+ ROUTED(.*))?;\s*", body, re.DOTALL).groups()
        net = nets[name] = Net(re.findall(r"\( (\S+) (\S+) \)", ends))
        for path in re.split(r"\bNEW\b", routed or "")[1 if not routed else 0:]:
            _read_path(net, path.replace("(", " ").replace(")", " ").split(), lef)
    return Def(int(units[1]), tuple(map(int, die.groups())), components, ports, nets)


def _read_path(net, words, lef):
    layer, at = words[0], None
    index = 1
    while index < len(words):
        if words[index] in lef.vias:
            net.vias.append((words[index], at))
            (layer,) = (other for other in lef.vias[words[index]] if other != layer)
            index += 1
            continue
        to = tuple(at[axis] if words[index + axis] == "*" else int(words[index + axis]) for axis in (0, 1))
        if at is not None and to != at:
            net.wires.append((layer, at, to))
        at, index = to, index + 2


def placed_pins(layout, lef, net):
    """Where the pins of a net are: (instance, pin) -> [(layer, x1, y1, x2, y2)], in the units of the layout."""
    found = {}
    for instance, pin in net.pins:
        if instance == "PIN":
            layer, x, y = layout.ports[pin]
            found[instance, pin] = [(layer, x, y, x, y)]
            continue
        cell, left, bottom, orientation = layout.components[instance]
        macro = lef.macros[cell]
        boxes = []
        for layer, x1, y1, x2, y2 in macro.pins[pin]:
            if orientation in ("S", "FN"):
                x1, x2 = macro.width - x2, macro.width - x1
            if orientation in ("S", "FS"):
                y1, y2 = macro.height - y2, macro.height - y1
            elif orientation not in ("N", "FN"):
                raise FlowError(f"{instance} stands {orientation}, on its side")
            boxes.append((layer, left + layout.units * x1, bottom + layout.units * y1,
                          left + layout.units * x2, bottom + layout.units * y2))
        found[instance, pin] = boxes
    return found


def _cut(wires, vias, near):
    """The wires in pieces between all points where something ends or crosses: (layer, from, to).

    What is up to `near` beside a wire meets it, too: the router moves the contacts of pins a little.
    """
    lines = defaultdict(list)
    points = defaultdict(set)
    for layer, start, end in wires:
        start, end = sorted((start, end))
        lines[layer].append((start, end))
        points[layer] |= {start, end}
    for layer, at in vias:
        points[layer].add(at)
    pieces = set()
    for layer, of_layer in lines.items():
        for start, end in of_layer:
            axis = 0 if start[1] == end[1] else 1
            across = start[1 - axis]
            cuts = {at[axis] for at in points[layer] if abs(at[1 - axis] - across) <= near}
            cuts |= {first[axis] for first, last in of_layer
                     if first[axis] == last[axis] and first[1 - axis] <= across <= last[1 - axis]}
            row = sorted({start[axis], end[axis]} | {cut for cut in cuts if start[axis] < cut < end[axis]})
            nodes = [(cut, across) if axis == 0 else (across, cut) for cut in row]
            pieces |= {(layer, a, b) for a, b in zip(nodes, nodes[1:])}
    return sorted(pieces)


def _touching(nodes, near):
    """Pairs of nodes of one layer that are at most `near` apart."""
    found = []
    for index, (layer, x, y) in enumerate(nodes):  # which are sorted
        for other in nodes[index + 1:]:
            if other[0] != layer or other[1] - x > near:
                break
            if abs(other[2] - y) <= near:
                found.append(((layer, x, y), other))
    return found


def _distance(at, box):
    x = max(box[1] - at[0], 0, at[0] - box[3])
    y = max(box[2] - at[1], 0, at[1] - box[4])
    return (x * x + y * y) ** 0.5


class NotRouted(FlowError):
    """The wires of a net do not join its pins."""


@dataclass
class Parasitics:
    length_um: float
    capacitances: dict  # node -> fF; a node is a pin's (instance, pin) or (layer, x, y)
    resistors: list  # (node, node, ohm)


def extract_net(name, layout, lef):
    """Parasitics of a net of the layout; raises NotRouted if its wires do not join all of its pins."""
    net = layout.nets[name]
    vias = [(layer, at) for via, at in net.vias for layer in lef.vias[via]]
    pieces = _cut(net.wires, vias, NEAR * layout.units)
    capacitances = defaultdict(float)
    resistors = []
    total = 0.0
    for layer, start, end in pieces:
        length = (abs(start[0] - end[0]) + abs(start[1] - end[1])) / layout.units
        total += length
        a, b = (layer, *start), (layer, *end)
        for node in (a, b):
            capacitances[node] += lef.layers[layer].ff(length) / 2
        resistors.append((a, b, max(JOIN, lef.layers[layer].ohm(length))))
    for via, at in sorted(set(net.vias)):
        below, above = ((layer, *at) for layer in lef.vias[via])
        resistors.append((below, above, JOIN))
    nodes = sorted({node for resistor in resistors for node in resistor[:2]})
    resistors += [(a, b, JOIN) for a, b in _touching(nodes, NEAR * layout.units)]
    for pin, boxes in placed_pins(layout, lef, net).items():
        for node in nodes:
            if any(box[0] == node[0] and _distance(node[1:], box) <= NEAR * layout.units for box in boxes):
                resistors.append((pin, node, JOIN))
    if len(net.pins) > 1:
        _check_joined(name, net.pins, resistors)
    return Parasitics(total, dict(capacitances), resistors)


def _check_joined(name, pins, resistors):
    neighbours = defaultdict(list)
    for a, b, _ in resistors:
        neighbours[a].append(b)
        neighbours[b].append(a)
    reached, waiting = {pins[0]}, [pins[0]]
    while waiting:
        for node in neighbours[waiting.pop()]:
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    apart = [pin for pin in pins if tuple(pin) not in reached]
    if apart:
        raise NotRouted(f"net {name} is not routed: {apart[0]} is not joined to {pins[0]} "
                        f"({len(apart)} pins of {len(pins)})")


_HEADER = """*SPEF "IEEE 1481-1998"
*DESIGN "{design}"
*DATE ""
*VENDOR ""
*PROGRAM ""
*VERSION ""
*DESIGN_FLOW ""
*DIVIDER /
*DELIMITER :
*BUS_DELIMITER [ ]
*T_UNIT 1 NS
*C_UNIT 1 FF
*R_UNIT 1 OHM
*L_UNIT 1 HENRY
"""


def spef(design, nets, directions):
    """The text of a SPEF file of {net: Parasitics}. `directions` has I or O for each (instance, pin)."""
    lines = [_HEADER.format(design=design)]
    for name, found in nets.items():
        numbers = {}

        def node_name(node):
            if len(node) == 2:
                return node[1] if node[0] == "PIN" else f"{node[0]}:{node[1]}"
            return f"{name}:{numbers.setdefault(node, len(numbers) + 1)}"

        pins = sorted({node for resistor in found.resistors for node in resistor[:2] if len(node) == 2})
        lines.append(f"*D_NET {name} {sum(found.capacitances.values()):.5f}")
        lines.append("*CONN")
        lines += [f"*{'P' if pin[0] == 'PIN' else 'I'} {node_name(pin)} {directions[pin]}" for pin in pins]
        lines.append("*CAP")
        lines += [f"{number} {node_name(node)} {ff:.5f}"
                  for number, (node, ff) in enumerate(found.capacitances.items(), 1)]
        lines.append("*RES")
        lines += [f"{number} {node_name(a)} {node_name(b)} {ohm:.4f}"
                  for number, (a, b, ohm) in enumerate(found.resistors, 1)]
        lines += ["*END", ""]
    return "\n".join(lines)
