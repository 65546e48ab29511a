// What a check that is bound to the RTL does in SystemC when it fails.
#pragma once

namespace qosarb {

/// The message type of the error (SC_REPORT_ERROR) that is then reported, in the process of the
/// module whose RTL it is.
inline constexpr const char* kBoundCheckFails = "/qosarb/bound check";

}  // namespace qosarb
