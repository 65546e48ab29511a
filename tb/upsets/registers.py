"""Lists the registers of a Verilated port for C++: registers.py ROOT_HEADER OUT

Registers are what ROOT_HEADER declares with a name that ends in _q, with its width in bits.
"""

import pathlib
import re
import sys

DECLARED = re.compile(r"^\s*(?:\w+|VlWide<\d+>)/\*(\d+):0\*/ qosarb_port__DOT__(\w*[a-z0-9]_q);$", re.MULTILINE)
ARRAY = re.compile(r"^\s*VlUnpacked<\w+/\*(\d+):0\*/, (\d+)> qosarb_port__DOT__(\w*[a-z0-9]_q);$", re.MULTILINE)
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
}};

inline std::vector<Register> registers(Vupsets___024root& root) {{
  return {{
{rows}
  }};
}}

}}  // namespace qosarb::test
"""


def main():
    header, out = map(pathlib.Path, sys.argv[1:])
    text = header.read_text()
    rows = []
    for high, name in DECLARED.findall(text):
        member = f"root.qosarb_port__DOT__{name}"
        rows.append(f'      {{"{name.replace("__DOT__", ".")}", &{member}, {int(high) + 1}, 1, '
                    f'sizeof({member})}},')
    for high, words, name in ARRAY.findall(text):
        member = f"root.qosarb_port__DOT__{name}"
        rows.append(f'      {{"{name.replace("__DOT__", ".")}", &{member}, {int(high) + 1}, {words}, '
                    f'sizeof({member}[0])}},')
    out.write_text(HEADER.format(rows="\n".join(rows)))


if __name__ == "__main__":
    main()
