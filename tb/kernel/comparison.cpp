#include "kernel/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "random/policy_random.hpp"

namespace qosarb::test {

ArbiterConfig first_config(Random& random, PolicyRef policy, const RtlLimits& limits, bool all) {
  ArbiterConfig config = random_config(random, policy, limits);
  if (all && random_of(policy).can_have(limits.queues, limits)) {
    config.queues = limits.queues;
    random_of(policy).draw(random, limits, false, config);
  }
  return config;
}

Shown shown_in_unused_queue(const Module& module, Random& random) {
  if (!module.passes_over_unused_queues() || random.chance(50)) {
    return {};
  }
  Shown shown{.flits = random.from(0U, module.longest_shown()), .stopped = random.chance(10)};
  if (random.chance(50)) {
    shown.next_flits = random.from(0U, module.longest_shown());
  }
  return shown;
}

std::string Comparison::difference(const Expected& due) {
  const std::uint64_t one_hot = due.decision.queue < 0 ? 0 : std::uint64_t{1} << due.decision.queue;
  if (module_.granted() != due.decision.queue || module_.one_hot() != one_hot) {
    return fmt::format("the reference grants {}, the module {} (one-hot {:#x})", due.decision.queue,
                       module_.granted(), module_.one_hot());
  }
  state_.clear();
  if (module_.append_state(state_)) {
    if (state_.size() > due.state.size() ||
        !std::equal(state_.begin(), state_.end(), due.state.begin())) {
      return fmt::format("the state of the reference is [{}], that of the module [{}]",
                         fmt::join(due.state, " "), fmt::join(state_, " "));
    }
    ++figures_.states;
  }
  std::string other = module_.difference(before_);
  before_ = due.decision;
  return other;
}

void fail(Cycle now, const std::string& what, const Arbiter& reference,
          const ArbiterConfig& config) {
  throw Difference(fmt::format("cycle {}: {}\n  reference, after its decision: {}\n{}", now, what,
                               reference.describe(), to_yaml(config)));
}

}  // namespace qosarb::test
