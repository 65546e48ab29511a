// What an arbiter, or a simulated switch, counts for people to read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// One number of a counter that is there for each queue, class, virtual channel or group.
struct CounterValue {
  std::string_view name;  ///< an arbiter's: as the RTL's register, in small letters
  Index of = 0;
  std::uint64_t value = 0;
};

/// An arbiter that counts.
class Counting {
 public:
  Counting() = default;
  Counting& operator=(const Counting&) = delete;
  virtual ~Counting() = default;

  /// Appends all counters, over the cycles that have passed at the arbiter, in the same order every
  /// time.
  virtual void append_counters(std::vector<CounterValue>& counters) const = 0;

 protected:
  Counting(const Counting&) = default;
};

}  // namespace qosarb
