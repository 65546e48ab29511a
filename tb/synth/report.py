"""The command of scripts/synth --report: docs/area-and-timing.md's tables, from docs/data.

The page is written by hand; only what stands between <!-- synth: NAME --> and <!-- end --> comes
from here, so that no measured number is ever typed. With --check nothing is written, and a page
that is not what the data say ends with status 1.
"""

import re
import sys

import report_tables
import report_wires
from implement import ROOT
from report_data import stale_figures

sys.path.append(str(ROOT / "tb" / "cli"))
import usage  # noqa: E402
from whole_file import write_whole  # noqa: E402

TABLES = report_tables.BLOCKS | report_wires.BLOCKS
PAGE = ROOT / "docs" / "area-and-timing.md"
BLOCK = re.compile(r"(<!-- synth: ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text):
    """The page with all that is generated made again."""
    def block(match):
        name = match[2]
        made = TABLES[name]() or "*Not measured with the present sources.*\n"
        return match[1] + made + match[3]

    return BLOCK.sub(block, text)


def main(argv):
    parser = usage.Parser(prog="scripts/synth --report", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--current", action="store_true",
                        help="with --check: fail too where the figures are older than the sources")
    options = parser.parse_args(argv)
    parser.look(options)
    old = PAGE.read_text(encoding="utf-8")
    new = page(old)
    stale, _ = stale_figures()
    if stale:
        print(f"{len(stale)} figures in docs/data were made by other sources, the first: {stale[0]}; "
              "run scripts/synth --sweep or --wires", file=sys.stderr)
    if options.check:
        if sorted(match[2] for match in BLOCK.finditer(old)) != sorted(TABLES):
            print(f"docs/{PAGE.name} has not each of the tables {', '.join(TABLES)} once", file=sys.stderr)
            return 1
        if new != old:
            print(f"docs/{PAGE.name} is not what docs/data says; run scripts/synth --report", file=sys.stderr)
        return int(new != old or (options.current and bool(stale)))
    write_whole(PAGE, new)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
