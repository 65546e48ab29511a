#include "command/faults.hpp"

namespace qosarb::command {

std::vector<std::string> fault_names() { return {}; }

}  // namespace qosarb::command
