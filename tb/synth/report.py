"""The command of scripts/synth --report: docs/area-and-timing.md's tables, from docs/data.

The page is written by hand; only what stands between <!-- synth: NAME --> and <!-- end --> comes
from here, so that no measured number is ever typed. With --check nothing is written, and a page
that is not what the data say ends with status 1.
"""

import sys

import report_tables
import report_wires
from implement import ROOT
from report_data import stale_figures

sys.path.append(str(ROOT / "tb" / "cli"))
import marked  # noqa: E402
import usage  # noqa: E402

TABLES = report_tables.BLOCKS | report_wires.BLOCKS
PAGE = ROOT / "docs" / "area-and-timing.md"


def parts():
    """All that is generated of the page, made again."""
    return {name: table() or "*Not measured with the present sources.*\n" for name, table in TABLES.items()}


def main(argv):
    parser = usage.Parser(prog="scripts/synth --report", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--current", action="store_true",
                        help="with --check: fail too where the figures are older than the sources")
    options = parser.parse_args(argv)
    parser.look(options)
    stale, _ = stale_figures()
    if stale:
        print(f"{len(stale)} figures in docs/data were made by other sources, the first: {stale[0]}; "
              "run scripts/synth --sweep or --wires", file=sys.stderr)
    if options.check:
        wrong = marked.faults(PAGE, "synth", parts(), "scripts/synth --report")
        print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
        return int(bool(wrong) or (options.current and bool(stale)))
    marked.fill(PAGE, "synth", parts())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
