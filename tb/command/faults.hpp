// What the command and its test build differ in.
#pragma once

#include <string>
#include <vector>

namespace qosarb::command {

/// The hand-made faults that the RTL can be given, by +fault=1 and so on: none but in the test
/// build. One definition of it is linked into each.
std::vector<std::string> fault_names();

}  // namespace qosarb::command
