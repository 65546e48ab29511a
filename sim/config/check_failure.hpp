#pragma once

#include <stdexcept>

namespace qosarb {

/// A check of the program on itself failed: a packet lost, a queue over its size, a decision that
/// differs. The text says when, where and which packet. The command exits with status 1.
class CheckFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace qosarb
