#include "systemc/decision_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <tuple>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

void DecisionLog::write(const std::string& file) {
  std::sort(decisions_.begin(), decisions_.end(), [](const PortDecision& a, const PortDecision& b) {
    return std::tie(a.cycle, a.port) < std::tie(b.cycle, b.port);
  });
  std::string text = "cycle,port,queue,flits\n";
  for (const PortDecision& decision : decisions_) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", decision.cycle, ports_[decision.port],
                   decision.queue, decision.flits);
  }
  std::ofstream stream(file, std::ios::binary);
  if (!stream.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) {
    throw InputError(file, 0, "cannot be written");
  }
}

}  // namespace qosarb
