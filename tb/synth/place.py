"""Places and routes a mapped block in OSU 180 nm and measures it with the wires that come out.

graywolf places, qrouter routes; qflow's own scripts turn the formats of the one into those of the other. The
netlist stays as it is: no cell is moved to another size for its wires. The clock and the reset are
routed as any other net, and ideal in the timing, with and without wires.
"""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import extract
import mapping
import netlist as netlists
import timing
from library import FlowError

TECHNOLOGY = Path("/usr/share/qflow/tech/osu018")
LEF = TECHNOLOGY / "osu018_stdcells.lef"
PARAMETERS = TECHNOLOGY / "osu018.par"  # of graywolf
SCRIPTS = Path("/usr/lib/qflow/scripts")
FILLER = "FILL"
LAYERS = 6
NAME = "block"
PERIOD = 10.0  # nanoseconds; of no effect on delays
# Of the placer. The router ends a layout now and then with a net that it says it has routed and has not.
STARTS = (12345, 12346, 12347)


class NotPlaced(FlowError):
    """The tools did not manage the block."""


@dataclass
class Placed:
    unwired_ns: float
    wired_ns: float
    wires_mm: float
    core_um2: float  # of the rows of cells, without the ring of pins
    place_s: float
    route_s: float


def flattened(netlist):
    """The netlist with scalar ports, and only those that a cell reads or drives; the tools know no others."""
    used = {bit for instance in netlist.instances.values() for bit in instance.pins.values()}
    ports, seen = [], set()
    for port in netlist.ports:
        for index, bit in enumerate(port.bits):
            if isinstance(bit, int) and bit in used and bit not in seen:
                seen.add(bit)
                name = f"{port.name}_{index}" if len(port.bits) > 1 else port.name
                ports.append(netlists.Port(name, port.direction, [bit]))
    return netlists.Netlist(netlist.name, ports, netlist.instances, netlist.aliases, netlist.registers)


def net_names(netlist):
    """Net number -> its name in a flattened netlist's Verilog."""
    bits = {bit for instance in netlist.instances.values() for bit in instance.pins.values() if isinstance(bit, int)}
    return {bit: f"n{bit}" for bit in bits} | {port.bits[0]: port.name for port in netlist.ports}


def write_blif(netlist, path):
    """Writes a flattened netlist for the placer. Returns what it will call each instance: {its name: ours}.

    Pins that are constant are left out: they are tied to a rail within their cell's row.
    """
    names = net_names(netlist)
    lines = [f".model {NAME}"]
    for direction in ("input", "output"):
        lines.append(f".{direction}s " + " ".join(p.name for p in netlist.ports if p.direction == direction))
    count, called = {}, {}
    for instance in netlist.instances.values():
        count[instance.cell] = count.get(instance.cell, 0) + 1
        called[f"{instance.cell}_{count[instance.cell]}"] = instance.name
        lines.append(f".gate {instance.cell} " + " ".join(
            f"{pin}={names[bit]}" for pin, bit in instance.pins.items() if isinstance(bit, int)))
    path.write_text("\n".join([*lines, ".end", ""]), encoding="utf-8")
    return called


class Tools:
    """Runs the tools in a directory, each with a log there, all together within `limit` seconds."""

    def __init__(self, work, limit):
        self.work = work
        self.ends = time.monotonic() + limit
        self.limit = limit

    def run(self, log, *command):
        """Returns the log and the seconds that it took."""
        name = Path(command[0]).name
        began = time.monotonic()
        # Where there is a display, the tools would open windows.
        environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
        path = self.work / log
        with open(path, "w", encoding="utf-8") as stream:
            try:
                process = subprocess.Popen([str(word) for word in command], cwd=self.work, stdin=subprocess.DEVNULL,
                                           stdout=stream, stderr=subprocess.STDOUT, env=environment,
                                           start_new_session=True)
            except FileNotFoundError as error:
                raise FlowError(f"{name} is not there; scripts/venv wires installs it") from error
        try:
            status = process.wait(max(1.0, self.ends - began))
        except subprocess.TimeoutExpired as error:
            raise NotPlaced(f"{name} did not end within {self.limit:.0f} s") from error
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # graywolf's parts are programs of their own
                process.wait()
        if status != 0:
            raise NotPlaced(f"{name} failed")
        return path.read_text(encoding="utf-8", errors="replace"), time.monotonic() - began


def parameters_from(start):
    """What the placer reads, with `start` as the seed of its random numbers."""
    text, found = re.subn(r"(?m)^(\*random\.seed\s*:\s*)\d+", rf"\g<1>{start}", PARAMETERS.read_text(encoding="utf-8"))
    if found != 1:
        raise FlowError(f"{PARAMETERS}: has no seed")
    return text


def layout(netlist, work, start, limit):
    """Places and routes a flattened netlist. Returns the DEF, in which cells have our names, and both times."""
    work.mkdir(parents=True, exist_ok=True)
    for old in work.iterdir():
        old.unlink()
    tools = Tools(work, limit)
    called = write_blif(netlist, work / f"{NAME}.blif")
    (work / f"{NAME}.cfg").write_text(f"read_lef {LEF}\n", encoding="utf-8")
    (work / f"{NAME}.par").write_text(parameters_from(start), encoding="utf-8")
    tools.run("layers.log", "qrouter", "-i", f"{NAME}.info", "-c", f"{NAME}.cfg")
    tools.run("cells.log", SCRIPTS / "blif2cel.tcl", "--blif", f"{NAME}.blif", "--lef", LEF, "--cel", f"{NAME}.cel")
    _, place_s = tools.run("place.log", "graywolf", "-n", NAME)
    tools.run("placed.log", SCRIPTS / "place2def.tcl", NAME, FILLER, f"layers={LAYERS}")
    script = work / "route.cfg"
    script.write_text("\n".join([
        "verbose 1", f"read_lef {LEF}", f"layers {LAYERS}", "via stack 1", "vdd vdd", "gnd gnd",
        (work / f"{NAME}.obs").read_text(encoding="utf-8"), f"read_def {NAME}.def",
        "qrouter::standard_route routed.def false", "quit", ""]), encoding="utf-8")
    log, route_s = tools.run("route.log", "qrouter", "-nog", "-s", script.name)
    check_routed(log)
    text = (work / "routed.def").read_text(encoding="utf-8")
    return re.sub(r"(?<=[-(] )[A-Z0-9]+_\d+(?= )", lambda found: called.get(found[0], found[0]), text), place_s, route_s


def check_routed(log):
    """Raises NotPlaced unless the router's log says that it failed at no net."""
    if not re.search(r"^Final: No failed routes!", log, re.MULTILINE):
        final = re.findall(r"^Final: .*|^.*[Ff]ailed .*routes.*", log, re.MULTILINE)
        raise NotPlaced(f"qrouter: {final[-1].strip() if final else 'it says nothing of all nets being routed'}")


def core_area(layout_, lef):
    """Square micrometres of the rectangle around all cells."""
    left, bottom, right, top = [], [], [], []
    for cell, x, y, _ in layout_.components.values():
        left.append(x)
        bottom.append(y)
        right.append(x + layout_.units * lef.macros[cell].width)
        top.append(y + layout_.units * lef.macros[cell].height)
    return (max(right) - min(left)) * (max(top) - min(bottom)) / layout_.units ** 2


def ideal_nets(netlist):
    return {port.name for port in netlist.ports
            if port.name == mapping.CLOCK or port.name.endswith(mapping.RESET)}


def wires_of(text, netlist):
    """Layout and parasitics of all nets but the ideal ones: (Def, Lef, {net: Parasitics})."""
    lef = extract.read_lef(LEF.read_text(encoding="utf-8"))
    found = extract.read_def(text, lef)
    ideal = ideal_nets(netlist)
    return found, lef, {name: extract.extract_net(name, found, lef) for name, net in found.nets.items()
                        if name not in ideal and len(net.pins) > 1}


def directions(netlist, library):
    """Of each pin as SPEF has it: a port that comes in is an input, a cell's pin that drives an output."""
    found = {("PIN", port.name): "I" if port.direction == "input" else "O" for port in netlist.ports}
    for instance in netlist.instances.values():
        found |= {(instance.name, pin.name): "O" if pin.direction == "output" else "I"
                  for pin in library.cell(instance.cell).pins.values()}
    return found


def check_netlist(layout_, netlist):
    """Raises FlowError unless the layout joins the very pins that the netlist does."""
    names = net_names(netlist)
    wanted = {name: set() for name in names.values()}
    for port in netlist.ports:
        wanted[port.name].add(("PIN", port.name))
    for instance in netlist.instances.values():
        for pin, bit in instance.pins.items():
            if isinstance(bit, int):
                wanted[names[bit]].add((instance.name, pin))
    for name, pins in wanted.items():
        if set(map(tuple, layout_.nets[name].pins if name in layout_.nets else [])) != pins:
            raise FlowError(f"net {name} of the layout is not that of the netlist")


def periods(sta, netlist, library, work, spef):
    """Minimum periods of a flattened netlist without and with the wires of a SPEF file's text, in nanoseconds."""
    path = work / "wires.spef"
    path.write_text(spef, encoding="utf-8")
    unwired = sta.measure(netlist, library, work, "unwired").min_period_ns
    log = sta.run(sta.prelude(library, work / "unwired.v", netlist.name, PERIOD) + f"read_spef {path}\n"
                  "report_checks -path_delay max -format full -digits 4\n", work, "wired")
    if warning := re.search(r"^Warning.*", log, re.MULTILINE):
        raise FlowError(f"sta: {warning[0]}")  # a net or a pin that it does not find
    return unwired, timing.parse_path(log, PERIOD).min_period_ns


def measure(sta, netlist, library, work, limit):
    """Places, routes and measures a netlist, from the first of STARTS from which the tools manage it.

    Raises NotPlaced if they do not manage it from any, or not in `limit` seconds.
    """
    ends = time.monotonic() + limit
    for start in STARTS:
        try:
            return measure_from(start, sta, netlist, library, work, ends - time.monotonic())
        except (NotPlaced, extract.NotRouted) as error:
            fault = error
            if time.monotonic() >= ends:
                break
            mapping.progress(f"from {start}: {error}")
    raise NotPlaced(str(fault))


def measure_from(start, sta, netlist, library, work, limit):
    """The same from one start; raises NotRouted, too."""
    flat = flattened(netlist)
    text, place_s, route_s = layout(flat, work / "layout", start, limit)
    found, lef, wires = wires_of(text, flat)
    check_netlist(found, flat)
    unwired, wired = periods(sta, flat, library, work, extract.spef(flat.name, wires, directions(flat, library)))
    length = sum(net.length_um for net in wires.values()) / 1000
    return Placed(unwired, wired, round(length, 2), round(core_area(found, lef)), round(place_s), round(route_s))
