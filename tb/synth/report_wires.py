"""The tables of docs/area-and-timing.md with wires: blocks placed and routed, beside what they are without."""

import wires
from report_tables import figure, in_words, markdown
from route_fpga import MEMORY_CELLS, median
from sweep import ports


def block_name(row):
    """A row's block and its size in words."""
    if row["policy"] == "port":
        built = next((in_words(name) for name, policies in ports().items() if str(policies) == row["Policies"]),
                     f"policies {row['Policies']}")
        return f"port with {built}", "answer in the next cycle" if row["Latency"] == "1" else "answer in the same cycle"
    if row["policy"] == "rr":
        return row["policy"], f"{row['queues']} candidates"
    entries = f"{row['entries']} entries, " if row["entries"] else ""
    return row["policy"], f"{entries}{row['queues']} queues"


def in_order(table, names):
    """The table's rows by block, in the order in which they are measured."""
    rows = {}
    for row in table.rows:
        rows.setdefault(row["block"], []).append(row)
    return {name: rows[name] for name in (*names, *sorted(rows.keys() - set(names))) if name in rows}


def not_measured(points, rows):
    """A sentence about the blocks that are measured by --wires and have no row yet, or nothing."""
    empty = dict.fromkeys((*wires.SIZE, *wires.PORT_SETTINGS), "")
    missing = [", ".join(block_name(empty | {key: str(value) for key, value in wires.columns_of(point).items()}))
               for name, point in points.items() if name not in rows]
    return f"\nNot measured: {'; '.join(missing)}.\n" if missing else ""


def earlier(digest_of, rows):
    """A sentence about the rows that other sources made than those that are here, or nothing."""
    stale = [", ".join(block_name(row)) for row in rows.values() if row["sources"] != digest_of(row["policy"])]
    return f"\nOf earlier sources: {'; '.join(stale)}.\n" if stale else ""


def ecp5():
    rows = in_order(wires.ecp5_table(), wires.ecp5_points())
    of_block = {name: median(runs, lambda run: float(run["mhz"])) for name, runs in rows.items()}
    lines = []
    for name, row in of_block.items():
        mhz = [float(run["mhz"]) for run in rows[name]]
        period = 1000 / float(row["mhz"])
        ratio = figure(float(of_block["rr-32"]["mhz"]) / float(row["mhz"]), 2) if "rr-32" in of_block else ""
        lines.append([*block_name(row), figure(period - float(row["wires_ns"]), 2), figure(period, 2),
                      figure(period / (period - float(row["wires_ns"])), 2), ratio, figure(float(row["mhz"]), 1),
                      f"{min(mhz):.1f} to {max(mhz):.1f} ({len(mhz)})" if len(mhz) > 1 else "(1)",
                      figure(int(row["luts"])), *(figure(int(row[memory] or 0)) for memory in MEMORY_CELLS)])
    if not lines:
        return ""
    return markdown(["block", "size", "longest path without its wires, ns", "with them, ns",
                     "ratio", "of rr over 32", "f_max, MHz", "from, to (seeds)", "LUTs", "LUT memories of 16 x 4",
                     "block RAMs"], lines) + \
        earlier(wires.ecp5_digest_of, of_block) + not_measured(wires.ecp5_points(), rows)


def osu018():
    rows = {name: runs[0] for name, runs in in_order(wires.osu018_table(), wires.osu018_points()).items()}
    done = {name: row for name, row in rows.items() if row["wired_ns"]}
    lines = []
    for name, row in done.items():
        unwired, wired = float(row["unwired_ns"]), float(row["wired_ns"])
        of_rr = [figure(float(row[key]) / float(done["rr-32"][key]), 2) if "rr-32" in done else ""
                 for key in ("unwired_ns", "wired_ns")]
        lines.append([*block_name(row), figure(int(row["cells"])), figure(unwired, 3), figure(wired, 3),
                      figure(wired / unwired, 2), *of_rr, figure(float(row["wires_mm"]), 1),
                      figure(float(row["core_um2"]))])
    text = markdown(["policy", "size", "cells, with the boundary", "unwired, ns", "wired, ns", "ratio",
                     "of rr over 32, unwired", "wired", "wires, mm", "area of the rows, um2"], lines) if lines else ""
    failed = [f"{', '.join(block_name(row))} ({figure(int(row['cells']))} cells): {row['failed']}"
              for row in rows.values() if row["failed"]]
    if failed:
        text += f"\nNot placed and routed: {'; '.join(failed)}.\n"
    return text + earlier(wires.osu018_digest_of, rows) + not_measured(wires.osu018_points(), rows) if rows else ""


BLOCKS = {"wires-ecp5": ecp5, "wires-osu018": osu018}
