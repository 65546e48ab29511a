"""And-inverter graphs as write_aiger writes them: binary, every latch 0 at first.

A literal is twice the number of its node, plus one if it is inverted; node 0 is the constant 0. Nodes are
numbered inputs first, then latches, then gates, each behind what it reads.
"""

from dataclasses import dataclass, field, replace


@dataclass
class Graph:
    inputs: list   # the name of each
    latches: list  # the literal that each takes next
    outputs: list  # literals
    gates: list    # the two literals that each reads, the larger one first
    names: list = field(default_factory=list)  # of the outputs, if they are known


def _number(data, at):
    """A number of 7 bits a byte, the lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at


def read(path):
    """The graph of an AIGER file with symbols; an input or output without one has the name ''."""
    data = path.read_bytes()
    end = data.index(b"\n")
    kind, _, inputs, latches, outputs, gates = data[:end].split()[:6]
    if kind != b"aig":
        raise ValueError(f"{path}: not binary AIGER")
    inputs, latches, outputs, gates = int(inputs), int(latches), int(outputs), int(gates)
    lines, at = [], end + 1
    for _ in range(latches + outputs):
        end = data.index(b"\n", at)
        lines.append(data[at:end])
        at = end + 1
    if any(len(line.split()) > 1 for line in lines):
        raise ValueError(f"{path}: a latch does not begin at 0")
    graph = Graph([""] * inputs, [int(x) for x in lines[:latches]], [int(x) for x in lines[latches:]], [],
                  [""] * outputs)
    for number in range(1 + inputs + latches, 1 + inputs + latches + gates):
        above, at = _number(data, at)
        between, at = _number(data, at)
        graph.gates.append((2 * number - above, 2 * number - above - between))
    for line in data[at:].split(b"\n"):
        if line == b"c":
            break
        if line[:1] in (b"i", b"o"):
            number, name = line[1:].decode().split(" ", 1)
            (graph.inputs if line.startswith(b"i") else graph.names)[int(number)] = name
    return graph


class _Gates:
    """Gates in the making: constants go through, and none is made twice."""

    def __init__(self, graph):
        self.first = 1 + len(graph.inputs) + len(graph.latches)
        self.made, self.list = {}, []

    def gate(self, a, b):
        if a < b:
            a, b = b, a
        if b == 0 or a == b ^ 1:
            return 0
        if b == 1 or a == b:
            return a
        literal = self.made.get((a, b))
        if literal is None:
            literal = self.made[a, b] = 2 * (self.first + len(self.list))
            self.list.append((a, b))
        return literal

    def any_of(self, literals):
        none = 1
        for literal in literals:
            none = self.gate(none, literal ^ 1)
        return none ^ 1

    def differ(self, a, b):
        return self.gate(self.gate(a, b) ^ 1, self.gate(a ^ 1, b ^ 1) ^ 1)

    def copy(self, graph, values, latches=None):
        """What latches take and outputs are, of a graph whose inputs of `values`, a name's bit, are constant. Its
        latches are here the nodes `latches`, if not those that they are there."""
        inputs = 1 + len(graph.inputs)
        new = [2 * number for number in range(inputs)]
        new += [2 * number for number in latches or range(inputs, inputs + len(graph.latches))]
        for number, name in enumerate(graph.inputs, start=1):
            if name in values:
                new[number] = values[name]
        made, gate = self.made, self.gate
        for a, b in graph.gates:
            a, b = new[a >> 1] ^ (a & 1), new[b >> 1] ^ (b & 1)
            new.append(made.get((a, b)) or gate(a, b))
        return ([new[x >> 1] ^ (x & 1) for x in graph.latches], [new[x >> 1] ^ (x & 1) for x in graph.outputs])


def _seen(inputs, latches, outputs, gates):
    """The graph of what the outputs see, through latches too. Inputs, names or None for those that go, stay."""
    first = 1 + len(inputs) + len(latches)
    seen, ahead = set(), [x >> 1 for x in outputs]
    while ahead:
        number = ahead.pop()
        if number not in seen:
            seen.add(number)
            if number >= first:
                ahead += [x >> 1 for x in gates[number - first]]
            elif number > len(inputs):
                ahead.append(latches[number - 1 - len(inputs)] >> 1)
    new = {0: 0}
    for number in range(1, first + len(gates)):
        if inputs[number - 1] is not None if number <= len(inputs) else number in seen:
            new[number] = 2 * len(new)

    def literal(x):
        return new[x >> 1] ^ (x & 1)
    return Graph([name for name in inputs if name is not None],
                 [literal(x) for number, x in enumerate(latches, start=1 + len(inputs)) if number in seen],
                 [literal(x) for x in outputs],
                 [(literal(a), literal(b)) for number, (a, b) in enumerate(gates, start=first) if number in seen])


def fixed(graph, values):
    """The graph with the inputs of `values`, a name's bit, made constant, and all gone that no output sees then."""
    gates = _Gates(graph)
    latches, outputs = gates.copy(graph, values)
    return _seen([None if name in values else name for name in graph.inputs], latches, outputs, gates.list)


def alive(graph):
    """The graph without the latches that stay 0 whatever the inputs are, as far as that is seen by values 0, 1 and
    unknown: as many runs, and no state but what they reach is gone."""
    first = 1 + len(graph.inputs)
    unknown = set()  # latches
    while True:
        # Of each node its value and that of its inverse; None is unknown.
        values = [0] + [None] * len(graph.inputs)
        values += [None if number in unknown else 0 for number in range(len(graph.latches))]
        for a, b in graph.gates:
            a, b = [None if (value := values[x >> 1]) is None else value ^ (x & 1) for x in (a, b)]
            values.append(0 if 0 in (a, b) else 1 if a == b == 1 else None)
        moved = [number for number, x in enumerate(graph.latches)
                 if number not in unknown and ((value := values[x >> 1]) is None or value ^ (x & 1))]
        if not moved:
            break
        unknown.update(moved)
    gates = _Gates(graph)
    latches, outputs = gates.copy(graph, {}, [first + number if number in unknown else 0
                                              for number in range(len(graph.latches))])
    return replace(_seen(graph.inputs, latches, outputs, gates.list), names=graph.names)


def apart(graph):
    """Each output by its name, in a graph of its own."""
    return {name: _seen(graph.inputs, graph.latches, [output], graph.gates)
            for name, output in zip(graph.names, graph.outputs, strict=True)}


def other_step(graph, values, others):
    """Whether in some state that `graph` reaches under `values` it would make another step under `others`, of no
    meaning where an output under `values` is 1: a graph with the latches of the former."""
    gates = _Gates(graph)
    (latches, outputs), (other_latches, other_outputs) = gates.copy(graph, values), gates.copy(graph, others)
    differ = gates.any_of(map(gates.differ, latches + outputs, other_latches + other_outputs))
    return _seen([None if name in values else name for name in graph.inputs], latches,
                 [gates.gate(differ, gates.any_of(outputs) ^ 1)], gates.list)


def side_by_side(graph, values, others):
    """Whether `graph` ever has other outputs under `values` than a copy under `others`, with the same other inputs:
    a graph with the latches of both."""
    gates = _Gates(Graph(graph.inputs, graph.latches * 2, [], []))
    latches, outputs = gates.copy(graph, values)
    other_latches, other_outputs = gates.copy(graph, others, range(gates.first - len(graph.latches), gates.first))
    differ = gates.any_of(map(gates.differ, outputs, other_outputs))
    return _seen([None if name in values else name for name in graph.inputs], latches + other_latches, [differ],
                 gates.list)


def other_state(graph, values, others, names, passing=False):
    """Whether an output of `names` ever differs under `others` from what it is under `values`, or a latch is about to, but
    for latches that take something else under `others`; of no meaning once an output under `values` was 1. A graph with
    the latches of the former and, once more, those that take something else: all that is alike is one, so that what is
    said of most of the state is shown by induction where outputs alone say too little, and soon.

    `passing`: nor may those latches take anything but what they take under `values`, or what a step from there makes of
    them under `others`: that a difference is gone with the next step is claimed, and so assumed by induction."""
    count, first = len(graph.latches), 1 + len(graph.inputs)
    gates = _Gates(Graph(graph.inputs, graph.latches * 3 + [0], [], []))
    latches, outputs = gates.copy(graph, values)
    changed, _ = gates.copy(graph, others)
    own = [one != other for one, other in zip(latches, changed, strict=True)]
    other_latches, other_outputs = gates.copy(
        graph, others, [first + number + (count if alone else 0) for number, alone in enumerate(own)])
    told = [gates.differ(one, other) for name, one, other in zip(graph.names, outputs, other_outputs, strict=True)
            if name in names]
    for alone, one, other, step in zip(own, latches, other_latches, changed, strict=True):
        differ = gates.differ(one, other)
        if alone:
            differ = gates.gate(differ, gates.differ(step, other)) if passing else 0
        told.append(differ)
    wrong = gates.any_of([2 * (first + 3 * count), *outputs])
    return _seen([None if name in values else name for name in graph.inputs],
                 latches + other_latches + changed + [wrong], [gates.gate(gates.any_of(told), wrong ^ 1)], gates.list)


def biased(graph):
    """The graph with inputs of which random ones make runs with a bias, each a run of the graph: in each run the bits of
    a vector, by its name, are 1 in one of eight cycles, in seven or in half of them; and it stays as it is in seven of
    eight cycles, or does not."""
    count = len(graph.inputs)
    vectors = {name.split("[")[0] or number: number for number, name in enumerate(graph.inputs)}
    vectors = {vector: place for place, vector in enumerate(vectors)}
    # Each input, and three that make a rare one; of each vector three that make its change a rare one, and three by
    # which the first cycle chooses for all.
    inputs = graph.inputs + [""] * (3 * count + 6 * len(vectors))
    first = 1 + len(inputs)  # latch
    gates = _Gates(Graph(inputs, graph.latches + [0] * (count + 1 + 3 * len(vectors)), [], []))
    begun = 2 * (first + len(graph.latches) + count)

    def either(which, a, b):
        return gates.gate(gates.gate(which, a) ^ 1, gates.gate(which ^ 1, b) ^ 1) ^ 1

    def rare(place):
        """Three inputs that are 1 at once."""
        return gates.gate(gates.gate(2 * (1 + place), 2 * (2 + place)), 2 * (3 + place))

    chosen = 4 * count + 3 * len(vectors)
    modes = [either(begun, begun + 2 * (1 + mode), 2 * (1 + chosen + mode)) for mode in range(3 * len(vectors))]
    now = []
    for number, name in enumerate(graph.inputs):
        vector = vectors[name.split("[")[0] or number]
        stays, dense, often = modes[3 * vector:3 * vector + 3]
        few = rare(count + 3 * number)
        new = either(dense, either(often, few ^ 1, few), 2 * (1 + number))
        changes = gates.gate(stays, rare(4 * count + 3 * vector) ^ 1) ^ 1
        now.append(either(changes, new, 2 * (first + len(graph.latches) + number)))
    latches, outputs = gates.copy(replace(graph, inputs=list(range(count))), dict(enumerate(now)),
                                  range(first, first + len(graph.latches)))
    return Graph(inputs, latches + now + [1] + modes, outputs, gates.list)


def written(graph):
    """The graph as a binary AIGER file without symbols."""
    before = len(graph.inputs) + len(graph.latches)
    lines = [f"aig {before + len(graph.gates)} {len(graph.inputs)} {len(graph.latches)} "
             f"{len(graph.outputs)} {len(graph.gates)}", *map(str, graph.latches), *map(str, graph.outputs)]
    data = bytearray("".join(line + "\n" for line in lines).encode())
    for number, (a, b) in enumerate(graph.gates, start=1 + before):
        for value in (2 * number - a, a - b):
            while value >= 0x80:
                data.append(value & 0x7F | 0x80)
                value >>= 7
            data.append(value)
    return bytes(data)
