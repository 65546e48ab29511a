"""How ABC maps, buffers and sizes; {D} is the target delay.

All end the same way; they differ in how they restructure the logic before. Which is best depends on the block, so
several are tried and the netlist with the shortest period is kept. Nothing is sized down here: ABC, which knows
neither slews nor flip-flops, would make all paths as long as what it takes for the longest. A figure is of the
recipes that were tried for it: another one that is added here leaves it as it is.
"""

_CLEAN = "strash; ifraig; scorr; dc2; strash; "
_LEVELS = "if -g -K 6 -C 8; st; "  # sum-of-products balancing for depth
_WIDE = "if -g -K 8 -C 16; st; "  # the same over more inputs
_CELLS = "map -B 0.9 {D}; "
_MAP = _CELLS + "topo; buffer -c; topo; upsize {D}"
_MAP8 = _CELLS + "topo; buffer -c -N 8; topo; upsize {D}"  # and nothing drives more than eight
_CELLS95 = "map -B 0.95 {D}; "
_MAP6 = _CELLS95 + "topo; buffer -c -N 6; topo; upsize {D}"
RECIPES = {
    "small": _CLEAN + "dch -f; " + _MAP,
    "level": "strash; st; " + _LEVELS + "dch; " + _MAP,
    "level2": _CLEAN + (_LEVELS + "dch -f; ") * 2 + _MAP,
    "level3": _CLEAN + (_LEVELS + "dch -f; ") * 3 + _MAP,
    # Mapped, taken apart again as it was mapped, and mapped with the choices that this gives.
    "twice": _CLEAN + (_LEVELS + "dch -f; ") * 2 + _CELLS + "st; dch -f; " + _MAP,
    "wide": _CLEAN + (_WIDE + "dch -f; ") * 2 + _CELLS + "st; dch -f; " + _MAP,
    "wide8": _CLEAN + (_WIDE + "dch -f; ") * 2 + _CELLS + "st; dch -f; " + _MAP8,
    "wide8once": _CLEAN + (_WIDE + "dch -f; ") * 2 + _MAP8,
    "wide8thrice": _CLEAN + (_WIDE + "dch -f; ") * 2 + (_CELLS + "st; dch -f; ") * 3 + _MAP8,
    # Cells with a smaller share for each of what they drive, which is then six at most.
    "wide6once": _CLEAN + (_WIDE + "dch -f; ") * 2 + _MAP6,
    "wide6five": _CLEAN + (_WIDE + "dch -f; ") * 2 + (_CELLS95 + "st; dch -f; ") * 5 + _MAP6,
}
