"""Lints what is in the tree; each check can be named alone, without a name all run.

  rtl         no warning of slang on the port and each module, over a thousand sets of parameters
  wall        no warning of verilator -Wall, over a few
  parameters  impossible parameters are refused, each by the message that the RTL has for it
  seeded      the front end finds what it is here to find, in modules with one fault each
  regmap      the generated files are those of the register map, which stays in its window; the C header is C99
              and C++20; the examples in docs/integration.md, docs/programming.md and docs/library.md are those that are tested
  verilator   rtl/qosarb.f is imported by verilator -F, and the checks are bound as their headers say
  fusesoc     rtl/qosarb.core is imported by FuseSoC, and its lint target passes
  bender      rtl/Bender.yml lists the same files; where Bender is installed, it imports them
  names       a policy stands in files of its own, which docs/adding-a-policy.md names, and in no more than ten others;
              each of the register map has proofs, hand-made faults, a part in the proof of commits, pages and an
              arbiter for scripts/bench; each engine has cover points and is among those that are reset
  pages       links of the pages lead somewhere, and the tests that pages name are there
  layers      nothing in sim/ includes what is above its library, of tb/ or of rtl/, and qosarb::policy no file format
  python      ruff finds no name that is unused, unknown or there twice, and no zip() that says nothing of lengths
  format      clang-format finds nothing to do
  tidy        clang-tidy finds nothing; files whose sources did not change since are not read again, and where
              all is clean their texts are noted in tb/lint/tidy_read.json. What it needs of build/ and
              build-sanitize/ is made: it runs in a fresh clone
  tidy-changed  clang-tidy finds nothing in files whose text is not as noted there
  tidy-seeded   that finds a fault in a header that changed

Exit status: 0 clean, 1 findings.
"""

import sys

import cpp
import generated
import imports
import layers
import names as policy_names
import pages
import python
import rtl
import seeded
from common import TOP

sys.path.append(str(TOP / "tb" / "cli"))
import usage  # noqa: E402

CHECKS = {
    "rtl": rtl.check_rtl,
    "wall": rtl.check_wall,
    "parameters": rtl.check_parameters,
    "seeded": seeded.check_seeded,
    "regmap": generated.check_regmap,
    "verilator": imports.check_verilator,
    "fusesoc": imports.check_fusesoc,
    "bender": imports.check_bender,
    "names": policy_names.check_names,
    "pages": pages.check_pages,
    "layers": layers.check_layers,
    "python": python.check_python,
    "format": cpp.check_format,
    "tidy-changed": cpp.check_tidy_changed,
    "tidy-seeded": cpp.check_seeded_tidy,
    "tidy": cpp.check_tidy,
}


def main():
    parser = usage.Parser(prog="scripts/lint", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    names = parser.parse_args().checks
    for name in names:
        if name not in CHECKS:
            parser.error(f"no check is called {name}")
    failed = []
    for name in names or CHECKS:
        print(f"== {name}", flush=True)
        if CHECKS[name]() != 0:
            failed.append(name)
    print("failed: " + ", ".join(failed) if failed else "clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
