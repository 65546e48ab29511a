#include <iterator>

#include "command/faults.hpp"
#include "faults.hpp"

namespace qosarb::command {

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  names.reserve(std::size(test::kFaults));
  for (const test::Fault& fault : test::kFaults) {
    names.emplace_back(fault.name);
  }
  return names;
}

}  // namespace qosarb::command
