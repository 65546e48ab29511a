"""The command of scripts/synth --report: docs/area-and-timing.md's tables and plots, from docs/data.

The page is written by hand; only what stands between <!-- synth: NAME --> and <!-- end --> comes
from here, so that no measured number is ever typed. With --check nothing is written, and a page
that is not what the data say ends with status 1.
"""

import argparse
import functools
import json
import re
import sys
from collections import Counter

import accounting
import sweep
from implement import ROOT

PAGE = ROOT / "docs" / "area-and-timing.md"
IMAGES = ROOT / "docs" / "images"
BLOCK = re.compile(r"(<!-- synth: ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

LIBRARIES = {
    "sky130_fd_sc_hd__tt_025C_1v80": "SkyWater 130 nm (sky130hd, typical)",
    "sg13g2_stdcell_typ_1p20V_25C": "IHP 130 nm (SG13G2, typical)",
    "osu018_stdcells": "OSU 180 nm",
}
PREFIX = re.compile(r"^(sky130_fd_sc_hd__|sg13g2_)")


def headlines():
    """Reports by library, in the order of LIBRARIES."""
    found = {}
    for library in LIBRARIES:
        path = sweep.DATA / f"synthesis-{library}.json"
        if path.exists():
            found[library] = json.loads(path.read_text(encoding="utf-8"))
    return found


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def figure(value, digits=0):
    return f"{value:,.{digits}f}"


def table_results():
    parts = []
    for library, reports in headlines().items():
        rr = reports.get("rr-32")
        rows = []
        for name, r in reports.items():
            if name == "switch":
                continue
            p = r["parameters"]
            size = (f"{p['Queues']} candidates" if r["policy"] == "rr"
                    else f"{p['Entries']} entries, {p['Queues']} queues")
            power = f"{r['power']['total_mw']:.2f}" if "power" in r else "not available"
            rows.append([r["policy"], size, figure(r["cells"]), figure(r["area_um2"]),
                         figure(r["sequential_area_um2"]), figure(r["flip_flops"]),
                         str(r["logic_levels"]), f"{r['min_period_ns']:.3f}",
                         f"{r['min_period_ns'] / rr['min_period_ns']:.2f}" if rr else "",
                         power])
        parts.append(f"**{LIBRARIES[library]}**\n\n" + markdown(
            ["policy", "size", "cells", "area, um2", "of it flip-flops, um2", "flip-flops",
             "gates on the critical path", "minimum period, ns", "of rr over 32", "power, mW"],
            rows))
    return "\n".join(parts)


def table_baseline():
    rows = []
    for library, reports in headlines().items():
        ours, textbook = reports.get("bxi-deficit-16"), reports.get("baseline-deficit-16")
        if not ours or not textbook:
            continue
        for kind, area in (("fastest", lambda r: r["area_um2"]), ("smallest", smallest_area)):
            periods = [r["min_period_ns"] if kind == "fastest" else smallest(r)["min_period_ns"]
                       for r in (textbook, ours)]
            rows.append([LIBRARIES[library], kind, figure(area(textbook)), figure(area(ours)),
                         f"{area(ours) / area(textbook):.2f}"] + [f"{p:.3f}" for p in periods])
    return markdown(["library", "of the netlists tried the", "textbook, um2", "bxi-deficit, um2",
                     "ratio", "textbook's period, ns", "bxi-deficit's period, ns"], rows)


def smallest(report):
    return min(report["tried"], key=lambda t: (t["total_area_um2"], t["min_period_ns"]))


def smallest_area(report):
    """The block's area in the smallest netlist tried; what is around it is the same in all."""
    return smallest(report)["total_area_um2"] - around(report)


def around(report):
    return sum(report["parts"][part]["area_um2"] for part in ("boundary", "table_memory")
               if part in report["parts"])


def table_paths():
    """For each block: the RTL signals that the path passes and the gates that it is made of."""
    library, reports = next(iter(headlines().items()))
    lines = [f"In {LIBRARIES[library]}:", ""]
    for name, r in reports.items():
        path = r["critical_path"]
        signals = []
        for step in path[1:]:
            net = step["net"].removeprefix("~").removeprefix("u_block.")
            if not re.fullmatch(r"n\d+", net):
                net = re.sub(r"\[\d+\]$", "", net)
                if not signals or signals[-1] != net:
                    signals.append(net)
        kinds = Counter(re.sub(r"_\d+$|X\d+$", "", PREFIX.sub("", step["cell"]))
                        for step in path[1:-1])
        register = path[1]["arrival_ns"]
        gates = ", ".join(f"{count} {kind}" for kind, count in sorted(
            kinds.items(), key=lambda item: (-item[1], item[0])))
        lines.append(f"- **{name}**: {r['min_period_ns']:.3f} ns, of which {register:.3f} ns until "
                     f"the first flip-flop's output. Signals: "
                     + " → ".join(f"`{signal}`" for signal in signals) + f". Cells: {gates}.")
    return "\n".join(lines) + "\n"


def table_parts():
    rows = []
    for library, reports in headlines().items():
        r = reports.get("switch")
        if not r:
            continue
        for part in ("arbiter", "table_memory", "registers", "counters"):
            p = r["parts"][part]
            times = "1 a port" if part in ("arbiter", "counters") else "1 a switch"
            rows.append([LIBRARIES[library], part.replace("_", " "), times, figure(p["cells"]),
                         figure(p["flip_flops"]), figure(p["area_um2"])])
        rows.append([LIBRARIES[library], f"**switch of {r['radix']} ports**", "",
                     figure(r["cells"]), figure(r["flip_flops"]), figure(r["area_um2"])])
    return markdown(["library", "part", "needed", "cells", "flip-flops", "area, um2"], rows)


def table_bits():
    rows = []
    for row in sweep.read_rows(sweep.DATA / "synthesis.csv"):
        if row["policy"] not in ("bxi-basic", "bxi-deficit") or row["library"] != _library():
            continue
        queues, entries = int(row["queues"]), int(row["entries"])
        width = int(row["quantum_width"])
        if (queues, width) != (8, 16):
            continue
        paper = accounting.paper_bits(queues, entries, width,
                                      deficits=row["policy"] == "bxi-deficit")
        rows.append([row["policy"], str(entries), figure(paper["table"]),
                     figure(int(row["table_memory_flip_flops"])),
                     figure(paper["state_of_a_port"]), figure(int(row["flip_flops"]))])
    return markdown(["policy", "entries", "table, paper", "table, built", "state of a port, paper",
                     "state of a port, built"], rows)


def _library():
    """The library that the plots and bits show: the first that the sweep has."""
    have = {row["library"] for row in sweep.read_rows(sweep.DATA / "synthesis.csv")}
    return next((library for library in LIBRARIES if library in have), None)


TABLES = {"results": table_results, "baseline": table_baseline, "paths": table_paths,
          "parts": table_parts, "bits": table_bits}


def plots():
    """Writes the plots. The same data give the same files."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "qosarb", "svg.fonttype": "none",
                                "font.size": 10, "axes.grid": True, "grid.alpha": 0.3})
    from matplotlib import pyplot

    library = _library()
    rows = [row for row in sweep.read_rows(sweep.DATA / "synthesis.csv")
            if row["library"] == library]
    IMAGES.mkdir(parents=True, exist_ok=True)

    def save(figure_, name):
        figure_.tight_layout()
        figure_.savefig(IMAGES / name, metadata={"Date": None, "Creator": None})
        pyplot.close(figure_)

    def pick(policy, x, **fixed):
        chosen = [row for row in rows if row["policy"] == policy
                  and all(int(row[name]) == value for name, value in fixed.items())]
        return sorted(chosen, key=lambda row: int(row[x]))

    default = {name: value for name, value in sweep.TARGET.items() if name != "max_packet_flits"}
    policies = sorted({row["policy"] for row in rows} - {"rr", "baseline-deficit"})

    def curves(axes, x, column, scale):
        fixed = {name: value for name, value in default.items() if name != x}
        for policy in policies:
            chosen = pick(policy, x, **fixed)
            axes.plot([int(row[x]) for row in chosen],
                      [float(row[column]) * scale for row in chosen], marker="o", label=policy)

    for x, label in (("entries", "entries of the table"), ("queues", "queues"),
                     ("quantum_width", "bits of a quantum")):
        drawing, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6))
        curves(left, x, "area_um2", 1e-3)
        curves(right, x, "min_period_ns", 1.0)
        if x == "entries":
            chosen = pick("rr", "queues")
            right.plot([int(row["queues"]) for row in chosen],
                       [float(row["min_period_ns"]) for row in chosen], marker="s", color="black",
                       linestyle="--", label="rr over as many queues")
            for axes in (left, right):
                axes.set_xscale("log", base=2)
                axes.set_xticks([8, 16, 32, 64, 128], ["8", "16", "32", "64", "128"])
        left.set_ylabel("area without table, 1000 um2")
        right.set_ylabel("minimum period, ns")
        for axes in (left, right):
            axes.set_xlabel(label)
            axes.set_ylim(bottom=0)
            axes.legend(fontsize=8)
        save(drawing, f"synthesis-{x.replace('_', '-')}.svg")

    # Area against period: the netlists of all targets that no other beats in both.
    drawing, axes = pyplot.subplots(figsize=(5.5, 3.8))
    for name, report in headlines().get(library, {}).items():
        if name == "switch":
            continue
        front = pareto([(t["min_period_ns"], t["total_area_um2"] - around(report))
                        for t in report["tried"]])
        axes.plot([period for period, _ in front], [area * 1e-3 for _, area in front], marker="o",
                  label=name)
    axes.set_xlabel("minimum period, ns")
    axes.set_ylabel("area without table, 1000 um2")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    save(drawing, "synthesis-area-period.svg")

    # Fig. 8: bits of one port with its table; Fig. 9: of a switch with one table.
    for name, radices in (("nic", [1]), ("switch", [16, 32, 48, 64])):
        drawing, axes = pyplot.subplots(figsize=(5.5, 3.8))
        for policy in [p for p in ("bxi-basic", "bxi-deficit") if p in policies]:
            if name == "switch" and policy != "bxi-deficit":
                continue
            for radix in radices:
                chosen = pick(policy, "entries", queues=8, quantum_width=16)
                entries = [int(row["entries"]) for row in chosen]
                built = [int(row["table_memory_flip_flops"]) + radix * int(row["flip_flops"])
                         for row in chosen]
                paper = [accounting.paper_bits(8, count, 16, radix, policy == "bxi-deficit")["total"]
                         for count in entries]
                label = policy if name == "nic" else f"{radix} ports"
                (line,) = axes.plot(entries, built, marker="o", label=f"{label}, built")
                axes.plot(entries, paper, linestyle="--", color=line.get_color(),
                          label=f"{label}, paper")
        axes.set_xlabel("entries of the table")
        axes.set_ylabel("bits")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8)
        save(drawing, f"synthesis-bits-{name}.svg")


def pareto(points):
    """Points, by rising period, that have less area than every faster one."""
    front = []
    for period, area in sorted(set(points)):
        if not front or area < front[-1][1]:
            front.append((period, area))
    return front


def stale_figures():
    """What of docs/data was made by other sources than those that are here."""
    digest = functools.lru_cache(sweep.digest_of)
    fpga_digest = functools.lru_cache(sweep.fpga_digest_of)
    stale = [f"{library} {name}" for library, reports in headlines().items()
             for name, report in reports.items()
             if report["sources"] != digest(report["policy"])]
    for table, digest_of in ((sweep.sweep_table(), digest), (sweep.tightened_table(), digest),
                             (sweep.fpga_table(), fpga_digest)):
        stale += [" ".join(row[key] for key in table.key) for row in table.rows
                  if row["sources"] != digest_of(row["policy"])]
    return stale


def main(argv):
    parser = argparse.ArgumentParser(prog="scripts/synth --report", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--current", action="store_true",
                        help="with --check: fail too where the figures are older than the sources")
    options = parser.parse_args(argv)
    old = PAGE.read_text(encoding="utf-8")
    new = BLOCK.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], old)
    stale = stale_figures()
    if stale:
        print(f"{len(stale)} figures in docs/data were made by other sources, the first: {stale[0]}; "
              "run scripts/synth --sweep", file=sys.stderr)
    if options.check:
        if options.current and stale:
            return 1
        if new != old:
            print(f"{PAGE.relative_to(ROOT)} is not what docs/data says; "
                  "run scripts/synth --report", file=sys.stderr)
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    plots()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
