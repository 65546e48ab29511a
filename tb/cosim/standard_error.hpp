// Where the user is told what is no result.
#pragma once

#include <cstdio>
#include <string_view>

namespace qosarb {

/// Writes `text` to standard error. Where that cannot be written it is lost, and that is all: what
/// it is said beside goes on, and the exit status is what it is.
inline void to_standard_error(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

}  // namespace qosarb
