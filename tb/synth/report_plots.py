"""The plots of docs/area-and-timing.md. The same data give the same files.

Each plot is described by values only, from which it is drawn; a digest of them stands in the file,
so that a check needs no drawing.
"""

import hashlib
import json

import accounting
import sweep
from implement import ROOT
from report_data import LIBRARIES, series

IMAGES = ROOT / "docs" / "images"
OPTIONS = {"entries": "entries of the table", "queues": "queues", "quantum_width": "bits of a weight"}


def swept(option):
    """Area and period against one parameter, one figure for each library that has been swept."""
    for library in LIBRARIES:
        found = series(library, option)
        if found:
            area, period = ([{"label": policy, "x": [int(row[option]) for row in rows],
                              "y": [round(float(row[column]) * scale, 4) for row in rows]}
                             for policy, rows in found.items() if option == "queues" or policy != "rr"]
                            for column, scale in (("area_um2", 1e-3), ("min_period_ns", 1.0)))
            if option == "entries" and "rr" in (rr := series(library, "queues")):
                period.append({"label": "rr over as many", "dashed": True,
                               "x": [int(row["queues"]) for row in rr["rr"]],
                               "y": [float(row["min_period_ns"]) for row in rr["rr"]]})
            yield (f"synthesis-{option.replace('_', '-')}-{library.split('_')[0]}.svg",
                   f"Area and period against {OPTIONS[option]}, {LIBRARIES[library]}",
                   [{"x": OPTIONS[option], "y": "area without table, 1000 um2", "lines": area},
                    {"x": OPTIONS[option], "y": "minimum period, ns", "lines": period}])


def tightened():
    for library in LIBRARIES:
        rows = [row for row in sweep.tightened_table().rows if row["library"] == library]
        panels = []
        for policy in ("bxi-deficit", "rr"):
            mine = sorted((float(row["min_period_ns"]), float(row["area_um2"]) / 1000)
                          for row in rows if row["policy"] == policy)
            if mine:
                size = next(row["entries"] or row["queues"] for row in rows
                            if row["policy"] == policy)
                panels.append({"x": "minimum period, ns", "y": "area without table, 1000 um2",
                               "lines": [{"label": f"{policy}, {size}",
                                          "x": [period for period, _ in mine],
                                          "y": [round(area, 4) for _, area in mine]}]})
        if panels:
            yield (f"synthesis-tightened-{library.split('_')[0]}.svg",
                   f"Area against period, {LIBRARIES[library]}", panels)


def bits():
    """The paper's Figs. 8 and 9 for 8 queues, by its formulas and as built."""
    library = next((name for name in LIBRARIES
                    if {"bxi-basic", "bxi-deficit"} & series(name, "entries").keys()), None)
    if library is None:
        return
    found = series(library, "entries")
    panels = []
    for title, radices, policies in (("bits of a NIC (Fig. 8)", [1], ("bxi-basic", "bxi-deficit")),
                                     ("bits of a switch (Fig. 9b)", [16, 32, 48, 64],
                                      ("bxi-deficit",))):
        lines = []
        for policy in policies:
            for radix in radices if policy in found else []:
                rows = found[policy]
                label = policy if radices == [1] else f"{radix} ports"
                count = [int(row["entries"]) for row in rows]
                lines.append({"label": f"{label}, built", "x": count,
                              "y": [int(row["table_memory_flip_flops"]) +
                                    radix * int(row["flip_flops"]) for row in rows]})
                lines.append({"label": f"{label}, paper", "x": count, "dashed": True, "as": -1,
                              "y": [accounting.paper_bits(
                                  8, c, 16, radix, accounting.IN_THE_PAPER[policy])["total"]
                                    for c in count]})
        panels.append({"x": "entries of the table", "y": title, "lines": lines})
    yield "synthesis-bits.svg", "Bits by the paper's formulas and as built", panels


def figures():
    """(file, what it shows, panels) of all plots for which there are data."""
    for option in OPTIONS:
        yield from swept(option)
    yield from tightened()
    yield from bits()


def digest(title, panels):
    return hashlib.sha256(json.dumps([title, panels]).encode()).hexdigest()[:16]


def outdated():
    """Plots that are not there, not of these data, or not asked for by any."""
    wanted = {IMAGES / name: digest(title, panels) for name, title, panels in figures()}
    wrong = [path for path, made_of in wanted.items()
             if not path.exists() or made_of not in path.read_text(encoding="utf-8")]
    return wrong + [path for path in sorted(IMAGES.glob("synthesis-*.svg")) if path not in wanted]


def draw():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "qosarb", "svg.fonttype": "none",
                                "font.size": 10, "axes.grid": True, "grid.alpha": 0.3})
    from matplotlib import pyplot

    IMAGES.mkdir(parents=True, exist_ok=True)
    for path in IMAGES.glob("synthesis-*.svg"):
        path.unlink()
    for name, title, panels in figures():
        drawing, all_axes = pyplot.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.8),
                                            squeeze=False)
        for axes, panel in zip(all_axes[0], panels):
            drawn = []
            for line in panel["lines"]:
                colour = drawn[line["as"]].get_color() if "as" in line else None
                drawn += axes.plot(line["x"], line["y"], label=line["label"], color=colour,
                                   marker="" if line.get("dashed") else "o",
                                   linestyle="--" if line.get("dashed") else "-")
            values = sorted({x for line in panel["lines"] for x in line["x"]})
            if all(isinstance(x, int) for x in values) and values[-1] >= 8 * values[0]:
                axes.set_xscale("log", base=2)
                ticks = [x for x in values if x & (x - 1) == 0]
                axes.set_xticks(ticks, [str(x) for x in ticks])
                axes.minorticks_off()
            axes.set_xlabel(panel["x"])
            axes.set_ylabel(panel["y"])
            axes.set_ylim(bottom=0)
            axes.legend(fontsize=7)
        drawing.tight_layout()
        drawing.savefig(IMAGES / name, metadata={"Date": None, "Creator": None,
                                                 "Description": digest(title, panels)})
        pyplot.close(drawing)


def links(prefix):
    return "".join(f"![{title}](images/{name})\n\n" for name, title, _ in figures()
                   if name.startswith(prefix))


BLOCKS = {"plots-entries": lambda: links("synthesis-entries"),
          "plots-queues": lambda: links("synthesis-queues"),
          "plots-widths": lambda: links("synthesis-quantum-width"),
          "plots-tightened": lambda: links("synthesis-tightened"),
          "plots-bits": lambda: links("synthesis-bits")}
