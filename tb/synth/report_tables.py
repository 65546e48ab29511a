"""The tables of docs/area-and-timing.md, and the sentences that have numbers in them."""

import re
from collections import Counter

import accounting
import mapping
import sweep
from report_data import (CELL_PREFIX, LIBRARIES, POLICIES, around, headlines, series, smallest,
                         stale_figures)


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def figure(value, digits=0):
    return f"{value:,.{digits}f}"


def by_policy(reports):
    """Names of the reports, in the order of POLICIES; switches are not among them."""
    return sorted((name for name in reports if reports[name]["policy"] in POLICIES),
                  key=lambda name: (POLICIES.index(reports[name]["policy"]), len(name), name))


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
            "`scripts/synth --sweep` makes them again.\n")


def results():
    parts = []
    for library, reports in headlines().items():
        rr = reports.get("rr-32")
        rows = []
        for name in by_policy(reports):
            r = reports[name]
            rows.append([r["policy"], size_of(r), figure(r["min_period_ns"], 3),
                         figure(r["min_period_ns"] / rr["min_period_ns"], 2) if rr else "",
                         "next" if r.get("answer_cycles") else "same",
                         str(r["logic_levels"]), figure(r["cells"]), figure(r["area_um2"]),
                         figure(r["sequential_area_um2"]), figure(r["flip_flops"]),
                         figure(r["power"]["total_mw"], 2) if "power" in r else ""])
        parts.append(f"**{LIBRARIES[library]}**\n\n" + markdown(
            ["policy", "size", "minimum period, ns", "of rr over 32", "answer in which cycle",
             "gates on the critical path", "cells", "area, um2", "of it flip-flops, um2",
             "flip-flops", "power, mW"], rows))
        if rr:
            parts.append(summary(library, reports, rr["min_period_ns"]))
    return "\n".join(parts) or "Nothing has been measured.\n"


def summary(library, reports, rr):
    """How the periods stand to that of rr over 32."""
    of_rr = {name: reports[name]["min_period_ns"] / rr for name in by_policy(reports)
             if name in sweep.blocks.POLICIES and name not in ("rr", "bxi-deficit")}
    sentences = []
    if "bxi-deficit" in reports:
        ratio = reports["bxi-deficit"]["min_period_ns"] / rr
        goal = "within" if ratio <= 1.25 else "above"
        sentences.append(f"bxi-deficit has {ratio:.3f} times the period of rr over 32, {goal} the "
                         f"goal of 1.25.")
    if of_rr:
        later = {}
        for name in of_rr:
            engine = reports.get(f"{name}-lookahead")
            if of_rr[name] > 1.5 and engine and engine["min_period_ns"] <= 1.5 * rr:
                later[name] = engine["min_period_ns"] / rr
        slow = [f"{name} ({ratio:.3f})" for name, ratio in of_rr.items()
                if ratio > 1.5 and name not in later]
        rest = "All other policies" if not slow else f"Of the other {len(of_rr)} policies all"
        text = f"{rest} are within the goal of 1.5 times"
        sentences.append(text + (f" but {', '.join(slow)}." if slow else "."))
        sentences += [f"{name} is so by the engine that answers in the next cycle ({ratio:.3f}); "
                      f"the one that answers at once has {of_rr[name]:.3f} times."
                      for name, ratio in later.items()]
    return f"{' '.join(sentences)}\n"


def paths():
    """For each policy: the RTL signals that the path passes and the gates that it is made of."""
    if not headlines():
        return ""
    library, reports = next(iter(headlines().items()))
    lines = [f"In {LIBRARIES[library]}:", ""]
    for name in [*by_policy(reports), *(n for n in reports if reports[n]["policy"] not in POLICIES)]:
        r = reports[name]
        path = r["critical_path"]
        signals = []
        for step in path[1:]:
            net = step["net"].removeprefix("~").removeprefix("u_block.")
            if not re.fullmatch(r"n\d+", net):
                net = re.sub(r"\[\d+\]$", "", net)
                if not signals or signals[-1] != net:
                    signals.append(net)
        kinds = Counter(re.sub(r"_\d+$|X\d+$", "", CELL_PREFIX.sub("", step["cell"]))
                        for step in path[2:-1])
        cells = ", ".join(f"{count} {kind}" for kind, count in sorted(
            kinds.items(), key=lambda item: (-item[1], item[0])))
        lines.append(f"- **{name}**: {r['min_period_ns']:.3f} ns, {logic_ns(r):.3f} ns of it in "
                     f"{r['logic_levels']} gates. Signals: "
                     + " → ".join(f"`{signal}`" for signal in signals) + f". Cells: {cells}.")
    rr = reports.get("rr-32")
    if rr:
        lines += ["", "The rest of a period is the first flip-flop, the set-up time of the last one and "
                  f"the clock's uncertainty. The search over 32 alone, rr, takes {logic_ns(rr):.3f} ns "
                  f"in {rr['logic_levels']} gates. What the others have above it:", ""]
        rows = [[name, str(reports[name]["logic_levels"] - rr["logic_levels"]),
                 figure(logic_ns(reports[name]) - logic_ns(rr), 3)]
                for name in by_policy(reports) if name in sweep.blocks.POLICIES and name != "rr"]
        lines.append(markdown(["policy", "gates above rr over 32", "ns above it"], rows).rstrip())
    return "\n".join(lines) + "\n"


def logic_ns(report):
    """The part of the critical path between the flip-flops."""
    path = report["critical_path"]
    return path[-1]["arrival_ns"] - path[1]["arrival_ns"]


def baseline():
    rows = []
    for library, reports in headlines().items():
        textbook = reports.get("baseline-deficit-16")
        for name in ("bxi-deficit-16", "bxi-table-16"):
            if not textbook or name not in reports:
                continue
            pair = (textbook, reports[name])
            for kind in ("fastest", "smallest"):
                if kind == "fastest":
                    areas = [r["area_um2"] for r in pair]
                    periods = [r["min_period_ns"] for r in pair]
                else:
                    areas = [smallest(r)["total_area_um2"] - around(r) for r in pair]
                    periods = [smallest(r)["min_period_ns"] for r in pair]
                rows.append([LIBRARIES[library], pair[1]["policy"], kind, figure(areas[0]),
                             figure(areas[1]), figure(areas[1] / areas[0], 2),
                             figure(periods[0], 3), figure(periods[1], 3),
                             figure(periods[1] / periods[0], 2)])
    return markdown(["library", "engine", "of the netlists tried the", "textbook, um2", "engine, um2",
                     "ratio", "textbook, ns", "engine, ns", "ratio"], rows) if rows else ""


def table_of(option, header, wanted=None):
    """Period and area of each policy against one of its parameters, for each library."""
    parts = []
    for library in LIBRARIES:
        found = series(library, option)
        values = sorted({int(row[option]) for rows in found.values() for row in rows})
        if not values:
            continue
        lines = []
        for policy, rows in found.items():
            cells = {int(row[option]): f"{float(row['min_period_ns']):.2f} / "
                                       f"{float(row['area_um2']) / 1000:.1f}" for row in rows}
            lines.append([policy] + [cells.get(value, "") for value in values])
        parts.append(f"**{LIBRARIES[library]}**, ns / 1000 um2\n\n" + markdown(
            [header] + [str(value) for value in values], lines))
    return "\n".join(parts)


def entries():
    return table_of("entries", "policy \\ entries")


def queues():
    return table_of("queues", "policy \\ queues")


def widths():
    return table_of("quantum_width", "policy \\ bits")


def tightened():
    parts = []
    for library in LIBRARIES:
        rows = [row for row in sweep.tightened_table().rows if row["library"] == library]
        rows.sort(key=lambda row: (POLICIES.index(row["policy"]), -int(row["goal_ps"])))
        lines = [[row["policy"], f"{row['entries'] or row['queues']}",
                  figure(int(row["goal_ps"]) / 1000, 2), figure(float(row["min_period_ns"]), 3),
                  figure(float(row["area_um2"]))] for row in rows]
        if lines:
            parts.append(f"**{LIBRARIES[library]}**\n\n" + markdown(
                ["policy", "entries or candidates", "asked for, ns", "period, ns", "area, um2"],
                lines))
    return "\n".join(parts)


def switch():
    parts = []
    for library, reports in headlines().items():
        r = reports.get("switch")
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


def built_bits():
    rows = []
    library = next((name for name in LIBRARIES if series(name, "entries", least=1)), None)
    if library is None:
        return ""
    for policy, points in series(library, "entries", least=1).items():
        if policy not in ("bxi-basic", "bxi-deficit"):
            continue
        for row in points:
            paper = accounting.paper_bits(int(row["queues"]), int(row["entries"]),
                                          int(row["quantum_width"]),
                                          deficits=accounting.IN_THE_PAPER[policy])
            rows.append([policy, row["entries"], figure(paper["table"]),
                         figure(int(row["table_memory_flip_flops"])),
                         figure(paper["state_of_a_port"]), figure(int(row["flip_flops"]))])
    return markdown(["policy", "entries", "table, paper", "table, built", "state of a port, paper",
                     "state of a port, built"], rows)


def fpga():
    names = {"ice40": "iCE40", "ecp5": "ECP5", "xilinx": "Xilinx 7"}
    rows = sweep.fpga_table().rows
    found = {}
    for row in rows:
        found.setdefault((POLICIES.index(row["policy"]), row["queues"], row["entries"]), {})[
            row["target"]] = row
    lines = []
    for (policy, queues_, entries_), by_target in sorted(
            found.items(), key=lambda item: (item[0][0], int(item[0][1]))):
        size = f"{entries_} entries, {queues_} queues" if entries_ else f"{queues_} queues"
        lines.append([POLICIES[policy], size] + [
            f"{figure(int(r['luts']))} / {figure(int(r['carries']))} / {figure(int(r['registers']))}"
            if (r := by_target.get(target)) else "" for target in mapping.FPGA_TARGETS])
    if not lines:
        return ""
    return ("LUTs / carry cells / registers\n\n" + markdown(
        ["policy", "size"] + [names[target] for target in mapping.FPGA_TARGETS], lines))


BLOCKS = {"sources": sources, "results": results, "paths": paths, "baseline": baseline, "entries": entries,
          "queues": queues, "widths": widths, "tightened": tightened, "switch": switch,
          "paper-bits": paper_bits, "built-bits": built_bits, "fpga": fpga}
