// Traces on an idle switch, and what their ranks know in the end.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "qosarb/network/report.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {

/// Writes a trace of the current test; its path, which begins with `kind`.
std::string write_trace(const std::string& kind, const std::string& text,
                        const std::string& suffix);

/// The bytes of a file.
std::string text_of(const std::string& file);

/// An idle switch with a port for each host, cycles of 1 ns, wires of 10 cycles, packets of 16
/// flits of 100 bytes: a message of L flits arrives L + kIdle cycles after it was sent.
Scenario idle_switch(const std::string& file, int ports);
inline constexpr Cycle kIdle = 2 * 10 + (4 + 2 + 2 + 1);

/// A trace that no run takes, and what is said of it behind the name of its file.
struct BadTrace {
  const char* name;
  std::string text;
  const char* says;
};
inline void PrintTo(const BadTrace& trace, std::ostream* out) { *out << trace.name; }

/// Expects that it is refused, in a file whose name ends in `suffix`.
void expect_refused(const BadTrace& trace, const std::string& suffix);

/// The whole run, in which nothing is lost.
RunReport run_to_end(const Scenario& scenario);

/// When each rank of the only trace was done, in ns; -1 if it was not.
std::vector<double> rank_ends(const RunReport& report);

/// Whose data each rank has in the end, if it has its own at first and a message carries all that
/// its sender has. Expects all operations to end.
std::vector<std::set<int>> knowledge_after(const Trace& trace);

}  // namespace qosarb::test
