// The text of a file that is read at once.
#pragma once

#include <string>

namespace qosarb {

/// The bytes of a file. Errors: InputError if it cannot be read, or is longer than anybody writes:
/// a device may have no end.
std::string whole_text(const std::string& file);

}  // namespace qosarb
