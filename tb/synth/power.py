"""Power from the switching activity of a gate-level simulation.

OpenSTA 2.0.17 reads no VCD or SAIF. It takes the activity of single pins, though, once it has made
its own estimate, so the transitions that the simulation counted are given to it pin by pin.
"""

import re
from dataclasses import dataclass

from library import FlowError


@dataclass
class Activity:
    transitions: float  # in a cycle
    ones: float  # share of the cycles in which the net is 1


def read_vcd(path):
    """Activity of every net of the top module, by its Verilog name; one dump is one cycle."""
    names = {}
    counts = {}
    cycles = 0
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            fields = line.split()
            if fields[:1] == ["$var"]:
                code, name, size = fields[3], fields[4], int(fields[2])
                names.setdefault(code, []).append((name, size))
            elif fields[:1] == ["$enddefinitions"]:
                break
        value, since, ones = {}, {}, {}
        for line in stream:
            line = line.strip()
            if line.startswith("#"):
                cycles += 1
            elif line.startswith("b"):
                bits, code = line[1:].split()
                size = names[code][0][1]
                _change(code, bits.zfill(size), value, since, ones, counts, cycles)
            elif line and line[0] in "01xz" and line[1:] in names:
                _change(line[1:], line[0], value, since, ones, counts, cycles)
    if cycles < 2:
        raise FlowError(f"{path}: no cycles")
    activity = {}
    for code, found in names.items():
        if code not in value:
            continue
        for name, size in found:
            for index in range(size):
                total = ones[code][index]
                if value[code][size - 1 - index] == "1":
                    total += cycles + 1 - since[code][index]
                label = f"{name}[{index}]" if size > 1 else name
                activity[label] = Activity(counts[code][index] / cycles, min(1.0, total / cycles))
    return activity


def _change(code, bits, value, since, ones, counts, now):
    size = len(bits)
    if code not in value:
        value[code], since[code] = bits, [now] * size
        ones[code], counts[code] = [0] * size, [0] * size
        return
    for index in range(size):
        old, new = value[code][size - 1 - index], bits[size - 1 - index]
        if old != new:
            counts[code][index] += 1
            if old == "1":
                ones[code][index] += now - since[code][index]
            since[code][index] = now
    value[code] = bits


def estimate(sta, library, netlist, work, period_ns):
    """Watts at the given period, with the activity of work/activity.vcd."""
    activity = read_vcd(work / "activity.vcd")
    net_of = {}
    for port in netlist.ports:
        for index, bit in enumerate(port.bits):
            net_of[bit] = f"{port.name}[{index}]" if len(port.bits) > 1 else port.name
    lines = []
    found = wanted = 0
    for instance in netlist.instances.values():
        cell = library.cell(instance.cell)
        for pin, bit in instance.pins.items():
            if not isinstance(bit, int) or cell.pins[pin].clock:
                continue
            wanted += 1
            switching = activity.get(f"n{bit}", activity.get(net_of.get(bit)))
            if switching is not None:
                found += 1
                lines.append(f"::sta::set_power_pin_activity [get_pins {instance.name}/{pin}] "
                             f"{switching.transitions:.6f} {switching.ones:.6f}")
    if found < wanted:
        raise FlowError(f"power: {wanted - found} pins of {wanted} have no simulated activity")
    verilog = work / "netlist.v"
    text = sta.run(sta.prelude(library, verilog, netlist.name, period_ns) + "report_power\n" +
                   "\n".join(lines) + "\nputs simulated\nreport_power -digits 6\n", work, "power")
    table = text[text.index("simulated"):]
    number = r"(\d\.\d+e[+-]\d+)"
    match = re.search(rf"^Total\s+{number}\s+{number}\s+{number}\s+{number}", table, re.MULTILINE)
    if match is None:
        raise FlowError(f"power: no report from sta ({work / 'power.rpt'})")
    internal, switching, leakage, total = (float(text) * 1e3 for text in match.groups())
    return {"period_ns": period_ns, "total_mw": round(total, 6), "internal_mw": round(internal, 6),
            "switching_mw": round(switching, 6), "leakage_mw": round(leakage, 9),
            "includes": "boundary and table registers; neither glitches nor a clock tree",
            "pins_with_simulated_activity": found}
