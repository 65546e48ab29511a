"""Lists the registers of Verilated ports for C++: registers.py ROOT_HEADER OUT

Registers are what ROOT_HEADER declares with a name that ends in _q, with its width in bits, but those of checks
that are bound to the ports. One that none of the patterns reads ends it: its bits would never flip.
"""

import pathlib
import re
import sys

PREFIX = "qosarb_ports__DOT__"
DECLARED = re.compile(rf"^\s*(?:\w+|VlWide<\d+>)/\*(\d+):0\*/ {PREFIX}(\w*[a-z0-9]_q);$", re.MULTILINE)
OF_A_PORT = re.compile(r"g_(?:port|candidates|left)__BRA__(\d+)__KET__")
ARRAY = re.compile(rf"^\s*VlUnpacked<\w+/\*(\d+):0\*/, (\d+)> {PREFIX}(\w*[a-z0-9]_q);$", re.MULTILINE)
HEADER = """// Written by tb/upsets/registers.py.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "Vupsets___024root.h"

namespace qosarb::test {{

/// `words` values of `bits` bits each, one after the other in memory.
struct Register {{
  std::string_view name;
  void* data;
  std::size_t bits;
  std::size_t words;
  std::size_t bytes;  ///< from one word to the next
  int port;           ///< whose it is; -1: of all
}};

inline std::vector<Register> registers(Vupsets___024root& root) {{
  return {{
{rows}
  }};
}}

}}  // namespace qosarb::test
"""


def shown(name):
    """A register by its name in the RTL."""
    return name.replace("__BRA__", "[").replace("__KET__", "]").replace("__DOT__", ".")


def port_of(name):
    found = OF_A_PORT.search(name)
    return found[1] if found else "-1"


def main():
    header, out = map(pathlib.Path, sys.argv[1:])
    text = header.read_text()
    known = {name for *_, name in DECLARED.findall(text) + ARRAY.findall(text)}
    for name in re.findall(rf"\b{PREFIX}(\w+_q);", text):
        if name not in known:
            sys.exit(f"{header}: {name} is declared in a way that is not known")
    rows = []
    for high, name in DECLARED.findall(text):
        if name.startswith("u_checks"):
            continue
        member = f"root.{PREFIX}{name}"
        rows.append(f'      {{"{shown(name)}", &{member}, {int(high) + 1}, 1, '
                    f'sizeof({member}), {port_of(name)}}},')
    for high, words, name in ARRAY.findall(text):
        member = f"root.{PREFIX}{name}"
        rows.append(f'      {{"{shown(name)}", &{member}, {int(high) + 1}, {words}, '
                    f'sizeof({member}[0]), {port_of(name)}}},')
    out.write_text(HEADER.format(rows="\n".join(rows)))


if __name__ == "__main__":
    main()
