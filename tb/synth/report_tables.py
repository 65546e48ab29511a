"""The tables of docs/area-and-timing.md, and the sentences that have numbers in them."""

import re

import accounting
import sweep
from report_data import LIBRARIES, POLICIES, ratio, reports, stale_figures

# The goals, as ratios to rr over 32: by how the reports are called.
PORT_GOALS = {"bxi-deficit": 1.30, "all": 1.60}
SINGLE_GOAL = 1.45
ENGINE_GOAL = 1.25
# In 7 nm, in ns.
NANOSECONDS = {"bxi-deficit": 0.60}
SINGLE_NANOSECONDS = 0.67
MINIMUM_FRAMES = ((800, 0.84), (1600, 0.42))  # Gb/s of a link, ns between frames of 84 bytes
SEVEN = "asap7sc7p5t_28_RVT_TT"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def figure(value, digits=0):
    return f"{value:,.{digits}f}"


def engines(library):
    """Names of the reports of engines, in the order of POLICIES."""
    found = reports()[library]
    return sorted((name for name in found if found[name]["policy"] in POLICIES),
                  key=lambda name: (POLICIES.index(found[name]["policy"]), len(name), name))


def size_of(report):
    """The size in words; of infiniband each of the two tables has that many entries."""
    p = report["parameters"]
    if report["policy"] == "rr":
        return f"{p['Queues']} candidates"
    if "Entries" in p:
        each = " in each table" if report["policy"] == "infiniband" else ""
        return f"{p['Entries']} entries{each}, {p['Queues']} queues"
    return f"{p['Queues']} queues"


def sources():
    stale, figures = stale_figures()
    if not stale:
        return f"All {figures} figures below were made by the sources that stand beside this page.\n"
    return (f"**{len(stale)} of the {figures} figures below were made by earlier sources**, of the RTL or of the flow; "
            "`scripts/synth --sweep` and `--wires` make them again.\n")


def ratio_text(library, name):
    found = ratio(library, name)
    return "" if found is None else figure(found, 2)


def answer_cycle(name, report):
    """In which cycle a decision comes, seen from that of its candidates and request."""
    return "next" if report.get("answer_cycles") or name in sweep.in_next_port() else "same"


def results():
    parts = []
    held = {*sweep.blocks.POLICIES, *sweep.OTHER_ENGINES, *sweep.in_next_port()} - {"rr"}
    for library, found in reports().items():
        rows = [[found[name]["policy"], size_of(found[name]), figure(found[name]["min_period_ns"], 3),
                 ratio_text(library, name), answer_cycle(name, found[name]),
                 str(found[name]["logic_levels"]), figure(found[name]["cells"]),
                 figure(found[name]["area_um2"], 0 if library != SEVEN else 1),
                 figure(found[name]["flip_flops"]),
                 figure(found[name]["power"]["total_mw"], 2) if "power" in found[name] else ""]
                for name in engines(library)]
        parts.append(f"**{LIBRARIES[library]}**\n\n" + markdown(
            ["policy", "size", "minimum period, ns", "of rr over 32", "answer in which cycle",
             "gates on the critical path", "cells", "area, um2", "flip-flops", "power, mW"], rows))
        parts.append(against(library, {name: ENGINE_GOAL for name in engines(library) if name in held}, "of an engine"))
    return "\n".join(parts)


def against(library, goals, of_what):
    """Which ratios are within their goals, and by how much the others miss them."""
    measured = {name: (ratio(library, name), goal) for name, goal in goals.items()
                if ratio(library, name) is not None}
    if not measured:
        return ""
    within = [f"{short(name)} ({found:.2f})" for name, (found, goal) in measured.items() if found <= goal]
    above = [f"{short(name)} ({found:.2f}, {100 * (found / goal - 1):.0f} % above {goal:.2f})"
             for name, (found, goal) in measured.items() if found > goal]
    text = f"Within the goal {of_what}: {', '.join(within) or 'none'}."
    return text + (f" Not yet: {', '.join(above)}." if above else "") + "\n"


def short(name):
    return re.sub(r"^port-(.*)-(next|same)$", r"\1", name)


def port_names(library, latency):
    when = "next" if latency else "same"
    return [(name, f"port-{name}-{when}") for name in sweep.ports() if f"port-{name}-{when}" in reports()[library]]


def in_words(name):
    return {"rr": "rr alone", "bxi-deficit": "rr, bxi-basic, bxi-deficit", "all": "all nine"}.get(name, f"rr, {name}")


def ports():
    parts = []
    for library, found in reports().items():
        rows = []
        for latency in (1, 0):
            for name, key in port_names(library, latency):
                r = found[key]
                area = [figure(r["parts"][part]["area_um2"], 0 if library != SEVEN else 1)
                        for part in ("arbiter", "counters", "table_memory", "registers")]
                rows.append([in_words(name), "next" if latency else "same", figure(r["min_period_ns"], 3),
                             ratio_text(library, key), *area, figure(r["cells"]), figure(r["flip_flops"])])
        if not rows:
            continue
        parts.append(f"**{LIBRARIES[library]}**\n\n" + markdown(
            ["port with", "answer in which cycle", "minimum period, ns", "of rr over 32", "arbiter, um2",
             "counters, um2", "table, um2", "registers, um2", "cells", "flip-flops"], rows))
        parts.append(against(library, {
            key: PORT_GOALS.get(name, SINGLE_GOAL) for name, key in port_names(library, 1) if name != "rr"},
            "of a port that answers in the next cycle"))
    memory = reports().get(sweep.FULL, {}).get("counter-memory")
    if memory:
        p = memory["parameters"]
        parts.append(f"In {LIBRARIES[sweep.FULL]} a memory of {p['Words']} words of {p['Width']} bits made of flip-flops "
                     f"takes {figure(memory['area_um2'])} um2 and {memory['min_period_ns']:.3f} ns.\n")
    return "\n".join(parts)


def seven():
    """What a link's minimum-size frames ask for, in 7 nm."""
    if SEVEN not in reports():
        return ""
    names = port_names(SEVEN, 1)
    found = {name: reports()[SEVEN][key]["min_period_ns"] for name, key in names}
    lines = []
    for gbps, ns in MINIMUM_FRAMES:
        fast = [f"{in_words(name)} ({period:.3f})" for name, period in found.items() if period <= ns]
        lines.append(f"- {gbps} Gb/s, a frame of 84 bytes every {ns:.2f} ns: ports with "
                     f"{'; '.join(fast)}." if fast else
                     f"- {gbps} Gb/s, a frame of 84 bytes every {ns:.2f} ns: no port.")
    goals = {name: NANOSECONDS.get(name, SINGLE_NANOSECONDS) for name in found if name != "rr"}
    late = [f"{in_words(name)} ({found[name]:.3f}, goal {goal:.2f})" for name, goal in goals.items() if found[name] > goal]
    lines.append("- Goals before wires: " + ("met by each port that is measured here." if not late else f"not yet met by {'; '.join(late)}."))
    return "\n".join(lines) + "\n"


def protect():
    found = reports().get(sweep.FULL, {})
    plain, protected = found.get("port-bxi-deficit-next"), found.get("port-bxi-deficit-next-protected")
    if not plain or not protected:
        return ""
    rows = [[what, figure(r["min_period_ns"], 3), figure(r["cells"]), figure(r["flip_flops"]), figure(r["area_um2"])]
            for what, r in (("0", plain), ("1", protected))]
    rows.append(["ratio"] + [figure(protected[key] / plain[key], 2)
                             for key in ("min_period_ns", "cells", "flip_flops", "area_um2")])
    return markdown(["Protect", "minimum period, ns", "cells", "flip-flops", "area, um2"], rows)


def path_of(name, r):
    signals = []
    for step in r["critical_path"][1:]:
        net = re.sub(r"^~?(u_block\.)?", "", step["net"])
        if not re.fullmatch(r"n\d+", net):
            net = re.sub(r"(u_ports|g_port\[\d+\])\.", "", re.sub(r"\[\d+\]$", "", net))
            if not signals or signals[-1] != net:
                signals.append(net)
    return (f"- **{name}**: {r['min_period_ns']:.3f} ns, {logic_ns(r):.3f} ns of it in {r['logic_levels']} gates: "
            + " → ".join(f"`{signal}`" for signal in signals) + ".")


def paths():
    """For each engine and port: the RTL signals that the critical path passes."""
    library = sweep.FULL
    if library not in reports():
        return ""
    found = reports()[library]
    names = engines(library) + [key for latency in (1, 0) for _, key in port_names(library, latency)]
    lines = [f"In {LIBRARIES[library]}:", ""] + [path_of(name, found[name]) for name in names]
    rr = found.get("rr-32")
    if rr:
        lines += ["", "The rest of a period is the first flip-flop, the set-up time of the last one and "
                  f"the clock's uncertainty. The search over 32 alone, rr, takes {logic_ns(rr):.3f} ns "
                  f"in {rr['logic_levels']} gates."]
    return "\n".join(lines) + "\n"


def logic_ns(report):
    """The part of the critical path between the flip-flops."""
    path = report["critical_path"]
    return path[-1]["arrival_ns"] - path[1]["arrival_ns"]


def baseline():
    found = reports().get(sweep.FULL, {})
    textbook = found.get("baseline-deficit-16")
    lines = [f"{name} of 16 entries needs {found[key]['min_period_ns'] / textbook['min_period_ns']:.2f} times the textbook's "
             f"period and {found[key]['area_um2'] / textbook['area_um2']:.2f} times its area."
             for name, key in (("bxi-deficit", "bxi-deficit-16"), ("bxi-table", "bxi-table-16"))
             if textbook and key in found]
    return " ".join(lines) + "\n" if lines else ""


def built_bits():
    found = reports().get(sweep.FULL, {})
    rows = []
    for name, r in sorted(found.items(), key=lambda item: item[1]["parameters"].get("Entries", 0)):
        if r["policy"] == "bxi-deficit":
            paper, table = r["paper_bits"], r["parts"]["table_memory"]
            rows.append([str(r["parameters"]["Entries"]), figure(r["min_period_ns"], 3), figure(r["area_um2"]),
                         figure(paper["table"]), figure(table["flip_flops"]), figure(paper["state_of_a_port"]),
                         figure(r["flip_flops"])])
    return markdown(["entries", "minimum period, ns", "area, um2", "table, paper", "table, built",
                     "state of a port, paper", "state of a port, built"], rows) if rows else ""


def switch():
    parts = []
    for library, found in reports().items():
        r = found.get("switch")
        if not r:
            continue
        rows = []
        built = r["parameters"].get("Ports", 1)
        for part in (*accounting.OF_A_PORT, *accounting.SHARED):
            if part not in r["parts"]:
                continue
            own = part in accounting.OF_A_PORT
            p = accounting.total(r["parts"], [part], 1 / built if own else 1)
            times = r["radix"] if own else 1
            rows.append([part.replace("_", " "), str(times), figure(p["cells"]),
                         figure(p["flip_flops"]), figure(p["area_um2"]),
                         figure(times * p["flip_flops"]), figure(times * p["area_um2"])])
        rows.append([f"**switch of {r['radix']} ports**", "", "", "", "", figure(r["flip_flops"]),
                     figure(r["area_um2"])])
        paper = accounting.paper_bits(16, r["parameters"]["Entries"], 16, r["radix"])
        p = r["parts"]
        parts.append(f"**{LIBRARIES[library]}**, minimum period of the port "
                     f"{r['min_period_ns']:.3f} ns\n\n" + markdown(
                         ["part", "needed", "cells of one", "flip-flops of one", "area of one, um2",
                          "flip-flops", "area, um2"], rows) +
                     f"\nThe paper estimates {figure(paper['table'])} bits of table and "
                     f"{figure(r['radix'] * paper['state_of_a_port'])} bits of state for such a "
                     f"switch; built are {figure(p['table_memory']['flip_flops'])} bits of table, "
                     f"shadow included, and {figure(r['radix'] * p['arbiter']['flip_flops'] // built)} bits "
                     "of the arbiters' state.\n")
    return "\n".join(parts)


def paper_bits():
    """The points of the paper's Figs. 8 and 9, by its formulas: 16 service levels, 16 bits of weight."""
    rows = []
    for count in (8, 16, 32, 64, 128):
        row = [str(count), figure(accounting.paper_bits(16, count, 16)["table"])]
        for radix in (1, 16, 32, 48, 64):
            row += [figure(accounting.paper_bits(16, count, 16, radix, deficits)["total"])
                    for deficits in (False, True)]
        rows.append(row)
    header = ["entries", "table"]
    for radix in ("NIC", "16 ports", "32 ports", "48 ports", "64 ports"):
        header += [f"{radix}, basic", f"{radix}, deficits"]
    return markdown(header, rows)


def fpga():
    rows = sweep.fpga_table().rows
    lines = []
    for row in sorted(rows, key=lambda row: (POLICIES.index(row["policy"]), int(row["queues"]))):
        size = f"{row['entries']} entries, {row['queues']} queues" if row["entries"] else f"{row['queues']} queues"
        lines.append([row["policy"], size] + [figure(int(row[name])) for name in ("luts", "carries", "registers")])
    if not lines:
        return ""
    return markdown(["policy", "size", "LUTs", "carry cells", "registers"], lines)


BLOCKS = {"sources": sources, "results": results, "ports": ports, "seven": seven, "protect": protect, "switch": switch, "paths": paths,
          "baseline": baseline, "paper-bits": paper_bits, "built-bits": built_bits, "fpga": fpga}
