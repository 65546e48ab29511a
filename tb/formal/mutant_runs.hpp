// The command line of a program that runs mutants of a netlist:
//
//   PROGRAM NUMBER[/BIT]...
//
// NUMBER says which mutant is switched on, 0 none. For each BIT 2^BIT cycles are run from reset on.
// For each mutant one line: its number, and `killed` or `survived`.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace qosarb::test {

/// Asks for each mutant `holds_over(number, cycles)`, whether all that is proved holds over so many
/// cycles, until it does not.
template <typename HoldsOver>
void run_mutants(int argc, char** argv, HoldsOver holds_over) {
  for (int i = 1; i < argc; ++i) {
    char* rest = nullptr;
    const auto number = static_cast<std::uint32_t>(std::strtoul(argv[i], &rest, 10));
    bool holds = true;
    while (holds && *rest == '/') {
      holds = holds_over(number, std::uint64_t{1} << std::strtoul(rest + 1, &rest, 10));
    }
    fmt::print("{} {}\n", number, holds ? "survived" : "killed");
    std::fflush(stdout);
  }
}

}  // namespace qosarb::test
