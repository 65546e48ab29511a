#!/usr/bin/env python3
"""Writes a copy of the RTL with hand-made faults, each behind a run-time selector.

FAULTS is a TOML file, or a directory of them, of [[fault]] tables: `original` must stand exactly once in
`file` (under rtl/); `faulty` stands there instead, in which FAULT is true when this fault is selected.
`policy` names a policy or a test that shows it. `commit = true`: it shows only after a commit during
traffic; `lies = true`: only with heads that are too long or of 0 flits. Their logs are raw ones.
`logged = false`: it shows in how a port is programmed, which is in no log. `seed`: of the lives that find it, 1 unless
another one's log can be made shorter.

The copy goes to OUT/ with the paths of rtl/, together with qosarb_faults_pkg.sv, which reads the
selection from the plusarg +fault=N (0 or none: no fault). OUT/faults.hpp lists the faults for the
tests; a fault's N is its place in that list, from 1 on.
"""

import argparse
import pathlib
import sys
import tomllib

PACKAGE = """// Which fault is selected.
package qosarb_faults_pkg;

  function automatic int unsigned selected_fault();
    int unsigned number;
    if ($value$plusargs("fault=%d", number) == 0) number = 0;
    return number;
  endfunction

  int unsigned Selected = selected_fault();

endpackage
"""

HEADER = """// Written by tb/faults/inject.py.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qosarb::test {{

struct Fault {{
  std::string_view name;
  std::string_view what;
  std::string_view policy;
  bool needs_commit;
  bool needs_lies;
  bool logged;
  std::uint64_t seed;  ///< of the lives that find it
}};

inline constexpr std::array<Fault, {count}> kFaults = {{{{
{rows}
}}}};

}}  // namespace qosarb::test
"""


def write_if_changed(path, text):
    """Keeps the time stamp of a file that stays as it is, so that nothing is built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def faults_of(path):
    """All that `path` lists: a file, or the files of a directory, by their names."""
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    return [fault for file in files for fault in tomllib.loads(file.read_text()).get("fault", [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=pathlib.Path, required=True)
    parser.add_argument("--rtl", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()

    faults = faults_of(arguments.faults)
    sources = {path.relative_to(arguments.rtl).as_posix(): path.read_text()
               for path in sorted(arguments.rtl.rglob("*.sv"))}
    for number, fault in enumerate(faults, start=1):
        text = sources[fault["file"]]
        found = text.count(fault["original"])
        if found != 1:
            sys.exit(f"{arguments.faults}: {fault['name']}: its original stands {found} times "
                     f"in {fault['file']}, not once")
        selected = f"(qosarb_faults_pkg::Selected == {number})"
        sources[fault["file"]] = text.replace(
            fault["original"], fault["faulty"].replace("FAULT", selected))

    for name, text in sources.items():
        write_if_changed(arguments.out / name, text)
    write_if_changed(arguments.out / "qosarb_faults_pkg.sv", PACKAGE)
    rows = "\n".join(
        f'    {{"{fault["name"]}", "{fault["what"]}", "{fault["policy"]}", '
        f'{str(fault.get("commit", False)).lower()}, '
        f'{str(fault.get("lies", False)).lower()}, '
        f'{str(fault.get("logged", True)).lower()}, {fault.get("seed", 1)}}},' for fault in faults)
    write_if_changed(arguments.out / "faults.hpp", HEADER.format(count=len(faults), rows=rows))


if __name__ == "__main__":
    main()
