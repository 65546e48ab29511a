"""What the page's tables and plots are made of: docs/data, picked and named."""

import functools
import re

import block as blocks
import sweep

LIBRARIES = {
    "sky130_fd_sc_hd__tt_025C_1v80": "SkyWater 130 nm (sky130hd, typical)",
    "sg13g2_stdcell_typ_1p20V_25C": "IHP 130 nm (SG13G2, typical)",
    "osu018_stdcells": "OSU 180 nm",
}
CELL_PREFIX = re.compile(r"^(sky130_fd_sc_hd__|sg13g2_)")

# What a policy's points are called, in the order of the tables.
POLICIES = (*blocks.POLICIES, *sweep.OTHER_ENGINES, "baseline-deficit")


def headlines():
    """Reports by library, in the order of LIBRARIES."""
    found = {library: sweep.read_headlines(library) for library in LIBRARIES}
    return {library: reports for library, reports in found.items() if reports}


@functools.cache
def stale_figures():
    """What of docs/data was made by other sources than those that are here, and how many figures there are."""
    digest = functools.cache(sweep.digest_of)
    fpga_digest = functools.cache(sweep.fpga_digest_of)
    made = [(f"{library} {name}", report["sources"], digest(report["policy"]))
            for library, reports in headlines().items() for name, report in reports.items()]
    for table, digest_of in ((sweep.sweep_table(), digest), (sweep.tightened_table(), digest),
                             (sweep.fpga_table(), fpga_digest)):
        made += [(" ".join(row[key] for key in table.key), row["sources"], digest_of(row["policy"]))
                 for row in table.rows]
    return [name for name, then, now in made if then != now], len(made)


def series(library, option, least=2):
    """For each policy its rows in which only the option differs from the target, by rising value.

    A policy with fewer than `least` rows has no series.
    """
    rows = sweep.sweep_table().rows
    found = {}
    for policy in POLICIES:
        mine = []
        for row in rows:
            if row["library"] == library and row["policy"] == policy and row[option]:
                point = sweep.point(policy, **{option: int(row[option])})
                if all(row[name] == str(point.get(name, "")) for name in sweep.SIZE):
                    mine.append(row)
        if len(mine) >= least:
            found[policy] = sorted(mine, key=lambda row: int(row[option]))
    return found


def around(report):
    """Area of what stands around the block; it is the same in all netlists of the block."""
    return sum(report["parts"][part]["area_um2"] for part in ("boundary", "table_memory")
               if part in report["parts"])


def smallest(report):
    return min(report["tried"], key=lambda t: (t["total_area_um2"], t["min_period_ns"]))
