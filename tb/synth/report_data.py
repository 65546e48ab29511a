"""What the page's tables are made of: docs/data, picked and named."""

import functools

import block as blocks
import sweep
import wires

LIBRARIES = {
    sweep.FULL: "SkyWater 130 nm (sky130hd, typical)",
    "sg13g2_stdcell_typ_1p20V_25C": "IHP 130 nm (SG13G2, typical)",
    "osu018_stdcells": "OSU 180 nm",
    "asap7sc7p5t_28_RVT_TT": "ASAP7 7 nm (RVT, typical)",
}

# The engines, in the order of the tables.
POLICIES = (*blocks.POLICIES, *sweep.OTHER_ENGINES, "baseline-deficit")


@functools.cache
def reports():
    """Reports by library, in the order of LIBRARIES."""
    found = {library: sweep.read_reports(library) for library in LIBRARIES}
    return {library: of_library for library, of_library in found.items() if of_library}


@functools.cache
def stale_figures():
    """What of docs/data was made by other sources than those that are here, and how many figures there are."""
    digest = functools.cache(lambda policy, recipes: sweep.digest_of(policy, recipes=recipes))
    fpga_digest = functools.cache(sweep.fpga_digest_of)
    made = [(f"{library} {name}", report["sources"], digest(report["policy"], tuple(sweep.tried_for(report))))
            for library, of_library in reports().items() for name, report in of_library.items()]
    made += [(" ".join(row[key] for key in sweep.fpga_table().key), row["sources"], fpga_digest(row["policy"]))
             for row in sweep.fpga_table().rows]
    for table_of, digest_of in wires.TABLES.items():
        digest = functools.cache(digest_of)
        table = table_of()
        made += [(" ".join([table.path.stem, *(row[key] for key in table.key)]), row["sources"], digest(row["policy"]))
                 for row in table.rows]
    return [name for name, then, now in made if then != now], len(made)


def ratio(library, name):
    """The period of a report to that of rr over 32 in the same library, or None."""
    found = reports().get(library, {})
    return found[name]["min_period_ns"] / found["rr-32"]["min_period_ns"] if {name, "rr-32"} <= found.keys() else None
