// Traces by the names of their files.
#pragma once

#include <string>

#include "qosarb/config/input_error.hpp"
#include "qosarb/traffic/trace.hpp"

namespace qosarb {

/// Reads a trace in the format that the name of its file says: `.goal` or `.vef`, and `.xz` or
/// `.gz` behind that. Errors: InputError naming file, line and fault.
Trace load_trace(const std::string& file);

/// The error of an operation of a trace, with its line if it comes from a file.
InputError fault_of_trace(const Trace& trace, std::uint32_t operation, const std::string& says);

}  // namespace qosarb
