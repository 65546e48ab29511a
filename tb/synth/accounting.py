"""Says which part of a block its cells belong to, and what the parts store."""

import re

import netlist as netlists

PARTS = ("arbiter", "table_memory", "registers", "port_registers", "counters", "boundary")

# Of those, what ports with one table share, and what each has for itself.
SHARED = ("table_memory", "registers")
OF_A_PORT = ("arbiter", "port_registers", "counters")

# What is programmed, by the names of the policies' inputs and of the port's registers.
_PROGRAMMED = (r"(entry_(used|queue|quantum|sl|weight)|(high|low)_(used|vl|weight)|queue_sl|sl_mtu|strict"
               r"|((vl_)?high_)?limit|(vl_)?low_turn_packet|flit_bytes_log2|(age_)?rr_select"
               r"|(class_)?priority|(assured|peak)_(rate|burst))")
# As registers of the wrapper, and of the port: its shadow and what is in force. What a policy has beside
# the table stands in its slot, both as one structure.
_TABLE = re.compile(rf"boundary_{_PROGRAMMED}_i\b|u_configuration\.(shadow_|u_shadow\.)?{_PROGRAMMED}_q\b"
                    r"|u_policies\.(.*\.)?(shadow(_queue_sl|_sl_mtu)?|in_force|queue_sl)_q\b")
_PORT_PARTS = ((re.compile(r"u_(registers|configuration|commit)\."), "registers"),
               (re.compile(r"(u_(control|errors)\.|begun_q)"), "port_registers"),
               (re.compile(r"(u_policies\..*)?u_counters\."), "counters"))


# In front of the names of a port's parts: the block, the ports of one table, one of them.
_BLOCK = re.compile(r"(u_block\.)?(u_ports\.)?(g_port\[\d+\]\.)?")


def register_part(names, without_name="arbiter"):
    """The part that a flip-flop belongs to, by the RTL names of its output."""
    if not any("_q" in name or name.startswith("boundary_") for name in names):
        return without_name
    for name in names:
        if _TABLE.match(name, _BLOCK.match(name).end()):
            return "table_memory"
    if any(name.startswith("boundary_") for name in names):
        return "boundary"
    for name in names:
        for prefix, part in _PORT_PARTS:
            if prefix.match(name, _BLOCK.match(name).end()) and re.search(r"_q(\[|$)", name):
                return part
    return "arbiter"


def account(netlist, library):
    """Cells, area and flip-flops of each part.

    A flip-flop belongs where the RTL has it. A gate belongs to the part whose flip-flops it feeds;
    to the arbiter if it feeds the arbiter, whatever else it feeds; to the registers if it feeds
    several other parts.
    """
    # What loses its name, as its reset is a 1, is in ports the one bit that answers a bus.
    is_port = any("g_port[" in name for names in netlist.registers.values() for name in names)
    part_of = {}
    reached = {}  # net -> parts that it reaches
    for name, instance in netlist.instances.items():
        cell = library.cell(instance.cell)
        if cell.flip_flop is None:
            continue
        names = netlist.registers.get(name, [])
        part = part_of[instance.name] = register_part(names, "registers" if is_port else "arbiter")
        for pin in cell.inputs():
            reached.setdefault(instance.pins[pin.name], set()).add(part)
    ordered, _ = netlists.order(netlist, library)
    for name in reversed(ordered):
        instance = netlist.instances[name]
        cell = library.cell(instance.cell)
        found = set()
        for pin in cell.outputs():
            found |= reached.get(instance.pins.get(pin.name), set())
        for pin in cell.inputs():
            reached.setdefault(instance.pins[pin.name], set()).update(found)
        found.discard("boundary")
        if "arbiter" in found or not found:
            part_of[name] = "arbiter"
        else:
            part_of[name] = found.pop() if len(found) == 1 else "registers"
    parts = {part: {"cells": 0, "flip_flops": 0, "area_um2": 0.0, "sequential_area_um2": 0.0}
             for part in PARTS}
    for instance in netlist.instances.values():
        cell = library.cell(instance.cell)
        part = parts[part_of[instance.name]]
        part["cells"] += 1
        part["area_um2"] += cell.area
        if cell.flip_flop is not None:
            part["flip_flops"] += 1
            part["sequential_area_um2"] += cell.area
    return rounded(parts)


def rounded(parts):
    return {name: {key: round(value, 3) for key, value in part.items()}
            for name, part in parts.items() if part["cells"]}


def total(parts, names, factor=1):
    """The sum of the named parts, `factor` times."""
    keys = ("cells", "flip_flops", "area_um2", "sequential_area_um2")
    sums = {key: round(factor * sum(parts[name][key] for name in names if name in parts), 3)
            for key in keys}
    return {key: int(value) if key in keys[:2] and value == int(value) else value
            for key, value in sums.items()}


# Policies for which the paper has formulas, and whether they keep deficits.
IN_THE_PAPER = {"bxi-basic": False, "bxi-deficit": True, "bxi-table": True,
                "baseline-deficit": True, "port": True, "switch": True}


def paper_bits(queues, entries, weight_width, radix=1, deficits=True):
    """Bits by the BXIv3 paper's formulas (Table 4, Figs. 8 and 9), with the width of its items.

    The paper stores a remaining quantum of 16 bits, a current entry of 8 and a deficit of 16 for
    each entry, whatever the table; the table itself holds a queue and a weight for each entry.
    """
    queue_width = max(1, (queues - 1).bit_length())
    table = (queue_width + weight_width) * entries
    port = 16 + 8 + (16 * entries if deficits else 0)
    return {"table": table, "state_of_a_port": port, "total": table + radix * port}
