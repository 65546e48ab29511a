// What the lives of a module have in common, whatever the traffic: how they begin, and how a module
// is held against its reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/module.hpp"

namespace qosarb::test {

/// A random configuration of `policy` within `limits`; with `all`, of all queues where it can be.
ArbiterConfig first_config(Random& random, PolicyRef policy, const RtlLimits& limits, bool all);

/// What a queue shows for a life that the configuration of `module` does not have: some packet in
/// every other one where one may stand.
Shown shown_in_unused_queue(const Module& module, Random& random);

/// A module and the answers of its reference, one after the other.
class Comparison {
 public:
  Comparison(Module& module, ModuleFigures& figures) : module_(module), figures_(figures) {}

  /// Compares the module with the answer that is due: grant, one-hot, state, and what else it
  /// tells. In words what differs; empty if nothing does.
  std::string difference(const Expected& due);

 private:
  Module& module_;
  ModuleFigures& figures_;
  Decision before_;  // the last one that was answered
  std::vector<std::uint64_t> state_;
};

/// The difference `what` of cycle `now`, as it is told.
[[noreturn]] void fail(Cycle now, const std::string& what, const Arbiter& reference,
                       const ArbiterConfig& config);

}  // namespace qosarb::test
