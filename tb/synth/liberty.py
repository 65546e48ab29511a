"""Reads what synthesis needs of a Liberty library: areas, pins, functions and flip-flops.

Delay tables are skipped; timing is OpenSTA's business. The parser follows the group, attribute and
comment syntax of Liberty and nothing more.
"""

import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Pin:
    name: str
    direction: str = "input"
    capacitance: float = 0.0  # in the library's unit
    function: str | None = None
    clock: bool = False


@dataclass
class Cell:
    name: str
    area: float = 0.0  # in square micrometres, as libraries give it
    pins: dict[str, Pin] = field(default_factory=dict)
    # Attributes of the `ff` group: clocked_on, next_state, clear, preset; and its two state names.
    flip_flop: dict[str, str] | None = None
    state_names: tuple[str, ...] = ()
    is_latch: bool = False
    is_scan: bool = False
    is_special: bool = False  # clock gates, isolation cells and the like
    dont_use: bool = False

    def inputs(self):
        return [pin for pin in self.pins.values() if pin.direction == "input"]

    def outputs(self):
        return [pin for pin in self.pins.values() if pin.direction == "output"]

    def is_combinational(self):
        return (self.flip_flop is None and not self.is_latch and not self.is_special
                and bool(self.outputs()) and all(pin.function for pin in self.outputs()))

    def is_buffer(self):
        return self._passes(r"\(*(\w+)\)*")

    def is_inverter(self):
        return self._passes(r"\(*(?:!\(*(\w+)\)*|(\w+)\)*')\)*")

    def _passes(self, pattern):
        if not self.is_combinational() or len(self.inputs()) != 1 or len(self.outputs()) != 1:
            return False
        return re.fullmatch(pattern, self.outputs()[0].function.replace(" ", "")) is not None


@dataclass
class Library:
    name: str
    cells: dict[str, Cell]
    capacitance_ff: float  # femtofarads in one unit of capacitance
    time_ns: float  # nanoseconds in one unit of time


def read_text(path):
    """The text of a Liberty file, plain or gzipped."""
    path = Path(path)
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as stream:
            return stream.read()
    return path.read_text(encoding="utf-8", errors="replace")


def with_wire_load(text, name):
    """The Liberty text with this wire load for blocks of any area. Raises ValueError if it has none of that name."""
    if not re.search(rf'wire_load\s*\(\s*"?{re.escape(name)}"?\s*\)', text):
        raise ValueError(f"no wire load is named {name}")
    text = re.sub(r"default_wire_load_selection\s*:[^;\n]*;?", "", text)
    text, changed = re.subn(r'(default_wire_load\s*:\s*)[^;\n]*', rf'\g<1>"{name}"', text)
    if changed != 1:
        raise ValueError(f"{changed} default wire loads instead of one")
    return text


_TOKEN = re.compile(
    r'\s+|/\*.*?\*/|\\\n|(?P<string>"(?:[^"\\]|\\.)*")|(?P<punctuation>[{}();:,])'
    r'|(?P<word>[^\s{}();:,"]+)', re.DOTALL)

_SKIPPED_GROUPS = {"timing", "internal_power", "leakage_power", "pg_pin", "test_cell",
                   "lu_table_template", "power_lut_template", "wire_load", "operating_conditions",
                   "input_voltage", "output_voltage", "receiver_capacitance",
                   "normalized_driver_waveform"}


def parse(text):
    """The Library of a Liberty text. Raises ValueError where the text is not Liberty."""
    library = Library("", {}, 1000.0, 1.0)
    tokens = _tokens(text)
    groups = []  # (name, arguments, object) from the outermost to the innermost
    statement = []
    for token in tokens:
        if token == "{":
            kind, arguments = _head(statement)
            statement = []
            if kind in _SKIPPED_GROUPS:
                _skip_group(tokens)
                continue
            groups.append((kind, arguments, _open(library, groups, kind, arguments)))
        elif token == "}":
            if not groups:
                raise ValueError("unbalanced braces")
            _attribute(library, groups, statement)
            statement = []
            groups.pop()
        elif token == ";":
            _attribute(library, groups, statement)
            statement = []
        else:
            # A simple attribute may end without a semicolon, at the start of the next one.
            if token == ":" and len(statement) > 3 and statement[1] == ":":
                _attribute(library, groups, statement[:-1])
                statement = statement[-1:]
            statement.append(token)
    if groups:
        raise ValueError("unbalanced braces")
    if not library.cells:
        raise ValueError("no cells")
    return library


def _tokens(text):
    for match in _TOKEN.finditer(text):
        if match.lastgroup is not None:
            yield match.group(match.lastgroup)


def _skip_group(tokens):
    depth = 1
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if depth == 0:
            return
    raise ValueError("unbalanced braces")


def _head(statement):
    """Name and arguments of `name(argument, ...)`, a stray attribute before it being dropped."""
    if "(" not in statement:
        raise ValueError(f"a group without arguments: {' '.join(statement)}")
    start = statement.index("(")
    arguments = [token.strip('"') for token in statement[start + 1:] if token not in "(),"]
    return statement[start - 1], arguments


def _open(library, groups, kind, arguments):
    parent = groups[-1][2] if groups else None
    if kind == "library":
        library.name = arguments[0]
        return library
    if kind == "cell":
        cell = library.cells[arguments[0]] = Cell(arguments[0])
        return cell
    if isinstance(parent, Cell):
        if kind == "pin":
            pin = parent.pins[arguments[0]] = Pin(arguments[0])
            return pin
        if kind == "ff":
            parent.flip_flop = {}
            parent.state_names = tuple(arguments)
        elif kind == "latch":
            parent.is_latch = True
        elif kind == "statetable":
            parent.is_special = True
    return None


def _attribute(library, groups, statement):
    if not groups or len(statement) < 3:
        return
    kind, _, parent = groups[-1]
    if statement[1] == "(":
        if statement[0] == "capacitive_load_unit":
            factor, unit = [token.strip('"') for token in statement[2:] if token not in "(),"]
            library.capacitance_ff = float(factor) * {"ff": 1.0, "pf": 1000.0}[unit.lower()]
        return
    if statement[1] != ":":
        return
    name, value = statement[0], " ".join(statement[2:]).strip('"').strip()
    if kind == "library" and name == "time_unit":
        library.time_ns = {"1ns": 1.0, "1ps": 0.001, "10ps": 0.01, "100ps": 0.1}[value]
    elif kind == "ff":
        groups[-2][2].flip_flop[name] = value
    elif isinstance(parent, Cell):
        if name == "area":
            parent.area = float(value)
        elif name == "dont_use":
            parent.dont_use = value.lower() == "true"
        elif name == "clock_gating_integrated_cell" or (
                name in ("is_isolation_cell", "is_level_shifter") and value.lower() == "true"):
            parent.is_special = True
    elif isinstance(parent, Pin):
        if name == "direction":
            parent.direction = value
        elif name == "capacitance":
            parent.capacitance = float(value)
        elif name == "function":
            parent.function = value
        elif name == "three_state":
            groups[-2][2].is_special = True
        elif name == "clock":
            parent.clock = value.lower() == "true"
        elif name == "signal_type" or name == "nextstate_type" and value.startswith("scan"):
            groups[-2][2].is_scan = True


class Function:
    """A Liberty Boolean function: `!` `'` NOT, `*` `&` blank AND, `^` XOR, `+` `|` OR."""

    def __init__(self, text):
        self._tokens = re.findall(r"[A-Za-z_]\w*|[01]|[!'()*&^+|]", text)
        self._position = 0
        self.tree = self._alternatives()
        if self._position != len(self._tokens):
            raise ValueError(f"not a Liberty function: {text}")

    def names(self):
        """The pins and states that the function reads, each once, in order of appearance."""
        found = []

        def visit(node):
            if node[0] == "name":
                if node[1] not in found:
                    found.append(node[1])
            else:
                for operand in node[1:]:
                    if isinstance(operand, tuple):
                        visit(operand)
        visit(self.tree)
        return found

    def evaluate(self, values, ones):
        """The value for bit-parallel inputs: each bit of an integer is one vector."""
        def value(node):
            kind = node[0]
            if kind == "name":
                return values[node[1]]
            if kind == "constant":
                return ones if node[1] else 0
            if kind == "not":
                return value(node[1]) ^ ones
            left, right = value(node[1]), value(node[2])
            return left & right if kind == "and" else left | right if kind == "or" else left ^ right
        return value(self.tree)

    def verilog(self):
        """The same function as a Verilog expression."""
        def text(node):
            kind = node[0]
            if kind == "name":
                return node[1]
            if kind == "constant":
                return f"1'b{node[1]}"
            if kind == "not":
                return f"~{text(node[1])}"
            return f"({text(node[1])} {dict(zip(('and', 'or', 'xor'), '&|^'))[kind]} {text(node[2])})"
        return text(self.tree)

    def _peek(self):
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self):
        token = self._peek()
        self._position += 1
        return token

    def _alternatives(self):
        left = self._exclusive()
        while self._peek() in ("+", "|"):
            self._take()
            left = ("or", left, self._exclusive())
        return left

    def _exclusive(self):
        left = self._conjunction()
        while self._peek() == "^":
            self._take()
            left = ("xor", left, self._conjunction())
        return left

    def _conjunction(self):
        left = self._factor()
        while True:
            token = self._peek()
            if token in ("*", "&"):
                self._take()
            elif token is None or token in (")", "+", "|", "^"):
                return left
            left = ("and", left, self._factor())

    def _factor(self):
        token = self._take()
        if token == "!":
            node = ("not", self._factor())
        elif token == "(":
            node = self._alternatives()
            if self._take() != ")":
                raise ValueError("unbalanced parentheses in a Liberty function")
        elif token in ("0", "1"):
            node = ("constant", int(token))
        elif token is not None and (token[0].isalpha() or token[0] == "_"):
            node = ("name", token)
        else:
            raise ValueError("an incomplete Liberty function")
        while self._peek() == "'":
            self._take()
            node = ("not", node)
        return node
