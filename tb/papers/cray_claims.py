"""How a claim of the Cray paper on the torus is decided, whose load it does not give: Table 5's settings under the loads that were run, latency by Eq. 1."""

import dataclasses
import math

from cray_machine import TABLE_5, row
from cray_networks import (
    CARRIED,
    CYCLE_NS,
    FEW_NODES,
    FEW_NODES_CARRIED,
    FEW_NODES_LOADS,
    FILLED,
    FILLED_UNTIL,
    LINK_RATE,
    MACHINE,
    OTHER_LOADS,
    TORUS,
    TRIED,
    VARIANTS,
    between,
)
from experiment import Comparisons, Run, paired, ratio
from rows import NOT_TESTABLE, Verdict, agrees

NOTE = "experiment torus-filled and other loads"
PAIRS = {"x": (1, 4), "y": (0, 5), "z": (2, 3)}  # columns of Table 5's stalls


class Load:
    """The seven configurations of Table 5 under one load, or in a smaller torus."""

    def __init__(self, variant):
        self.variant = variant

    def __getitem__(self, name):
        if self.variant == FULL_SOURCES:
            return between(FILLED_UNTIL[name], FILLED[name])
        if self.variant == FROM_EMPTY:
            return TORUS[name]
        if self.variant == FEW:
            return with_hops(FEW_NODES[name], "quick")
        if self.variant == LIGHT:
            return CARRIED[name]
        if self.variant == FEW_LIGHT:
            return with_hops(FEW_NODES_CARRIED[name], "quick")
        if self.variant in TRIED:
            return with_hops(FEW_NODES_LOADS[f"{self.variant}: {name}"], "quick")
        return OTHER_LOADS[f"{self.variant}: {name}"]

    @property
    def carried(self):
        """Whether all that is sent comes through, so that latencies are of all packets."""
        return self.variant in (LIGHT, FEW_LIGHT)


def with_hops(run, size):
    """A run in a torus of another size than TORUS may have."""
    return Run({**run.samples, "hops": [hops(MACHINE[size]) for _ in run.seeds()]})


FULL_SOURCES, FROM_EMPTY = "all sources full", "all sources full, from an empty network on"
FEW = "6 x 6 x 8 nodes"
LIGHT = "nine tenths of what round robin carries"
FEW_LIGHT = f"{LIGHT} in {FEW}"
FULL = Load(FULL_SOURCES)
OPEN_LOADS = [variant for variant in VARIANTS if variant != LINK_RATE]  # the paper gives Ep
LOADS = {variant: Load(variant) for variant in (FULL_SOURCES, *OPEN_LOADS, LIGHT)}
SATURATED = {variant: load for variant, load in LOADS.items() if variant != LIGHT}


def beside():
    """What decides no row: with the load another assumption is not the paper's."""
    few = [FEW, FEW_LIGHT] if FILLED.size() == "full" else []
    return {variant: Load(variant) for variant in (LINK_RATE, *few)}


RULE = (
    "The paper does not give the machine's load. So a claim on Table 5's settings is judged alike with each load that was run on the machine: "
    + ", ".join(LOADS)
    + " (neighbours: the next node up in x, y or z). It agrees where it holds beyond the intervals with all of them. Where it holds with some of them only, or intervals leave it open, it is not testable without the load. "
    "So it is where all contradict it, which its note says, for the load may be yet another one and no run shows the cause. The ejection at a link's rate, "
    "which the paper gives otherwise, and the smaller torus decide nothing. A claim that names its load is judged at that."
)


@dataclasses.dataclass
class Found:
    """What one load says of a claim: HOLDS, AGAINST or OPEN; what was measured, and what could decide it where intervals leave it open."""

    state: str
    told: str
    left_open: str = ""


HOLDS, AGAINST, OPEN = "holds", "against", "open"


def stalls_by_dimension(load):
    """Under round robin, cycles a packet in x, y and z."""
    return [load["RR"].mean(f"stalled.{dim}") for dim in "xyz"]


def nearest():
    """Of the loads that were run on the machine that whose stalls under round robin are nearest to Table 5's, with its own and those printed."""
    stalls = TABLE_5["RR"][0]
    printed = [(stalls[a] + stalls[b]) / 2 for a, b in PAIRS.values()]
    name = min(LOADS, key=lambda name: math.dist(stalls_by_dimension(LOADS[name]), printed))
    return name, stalls_by_dimension(LOADS[name]), printed


def by_load(find, note, loads=None, others=None):
    """The verdict of a claim by RULE. find(load) returns Found. What `others` say of it, which decide nothing, is told."""
    loads = LOADS if loads is None else loads
    found = {name: find(load) for name, load in loads.items()}
    aside = {name: find(load) for name, load in (others or {}).items()}
    measured = next(iter(found.values())).told

    def having(state, of=found):
        return [name for name, one in of.items() if one.state == state]

    parts = [
        f"{word} {', '.join(names)}"
        for word, names in (
            ("it holds with", having(HOLDS)),
            ("not with", having(AGAINST)),
            ("open within the 95 % intervals with", [f"{name} ({found[name].left_open})" for name in having(OPEN)]),
            ("beside these it holds with", having(HOLDS, aside)),
            ("beside these not with", having(AGAINST, aside)),
        )
        if names
    ]
    if len(having(HOLDS)) == len(found):
        return agrees(measured, f"{note}; {'; '.join(parts)}")
    if len(having(AGAINST)) == len(found):
        parts = [f"all {len(found)} loads contradict it{tried(find) if loads is LOADS else ''}", *parts[1:]]
    size = "" if FILLED.size() == "full" else ", and the full size"
    return Verdict(NOT_TESTABLE, measured, f"{note}: needs the machine's load{size}; {'; '.join(parts)}")


def tried(find):
    """What other loads in few nodes say of what holds with none on the machine."""
    good = [load for load in TRIED if find(Load(load)).state == HOLDS]
    if good:
        return f"; in {FEW} it holds with {' and with '.join(good)}, of {len(TRIED)} others"
    return f", nor does it hold with any of {len(TRIED)} others in {FEW}"


def compared(predicate):
    """predicate(load) returns intervals that must be above 0 together, and what was measured."""

    def find(load):
        intervals, told = predicate(load)
        asked = Comparisons(intervals)
        if asked:
            return Found(HOLDS, told)
        return Found(AGAINST, told) if asked.turned else Found(OPEN, told, seeds_wanted(asked))

    return find


def seeds_wanted(asked):
    """Of Comparisons that are open, in a few words."""
    return "needs " + asked.left_open().partition("needs ")[2].partition(", should")[0]


CLAIMS = {}
"""Row by row what is claimed, find(load), and the loads that decide it: all LOADS, or those that the claim is of."""


def claim(row_id, what, predicate, note=NOTE, loads=None):
    """A row of the machine, whose load is not given."""
    find = compared(predicate)
    CLAIMS[row_id] = (what, find, loads or LOADS)

    @row(row_id, what)
    def _():
        return by_load(find, note, loads)


def claims_by_load():
    """A table of what each load says of each of CLAIMS."""
    aside = beside()
    lines = ["| row | claim | " + " | ".join([*LOADS, *aside]) + " |", "| --- |" + " --- |" * (1 + len(LOADS) + len(aside))]
    for row_id, (what, find, loads) in sorted(CLAIMS.items(), key=lambda one: int(one[0].partition("-")[2])):
        cells = []
        for name, load in {**LOADS, **aside}.items():
            found = find(load) if name in loads or name in aside else Found("-", "")
            cells.append(found.state + (f" ({found.left_open.removeprefix('needs ')})" if found.state == OPEN else ""))
        lines.append(f"| {row_id} | {what} | " + " | ".join(cells) + " |")
    return lines


def hops(dims):
    return [k / 4 for k in dims]


def by_equation_1(seed):
    """ns, as Table 5's last column is made (cray-28), with the hops of the run's torus."""
    ways = seed.get("hops") or hops(MACHINE[FILLED.size()])
    return CYCLE_NS * sum(way * seed[f"waits.{dim}"] for way, dim in zip(ways, "xyz", strict=True)) + 50 * (sum(ways) + 1)


def change(load, name, what):
    """Interval of the ratio to round robin."""
    if what == "latency":
        return paired(load[name], load["RR"], lambda a, b: by_equation_1(a) / by_equation_1(b))
    return ratio(load[name], load["RR"], what)


def less(interval, sign=1):
    """How far a ratio is below 1, or above it."""
    return interval.under(1) if sign > 0 else interval.over(1)
