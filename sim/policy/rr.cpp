#include "qosarb/policy/rr.hpp"

#include <fmt/format.h>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

Decision RoundRobin::decide(Cycle /*now*/, Heads heads) {
  return narrated(narrator_, [this, heads](const auto& tell) { return decide(heads, tell); });
}

Decision RoundRobin::decide(Heads heads, const auto& tell) {
  const int queues = count(heads);
  for (int i = 1; i <= queues; ++i) {
    const Index queue = (last_ + i) % queues;
    const Head& head = heads[queue];
    tell("queue {} ({}): {}", queue, HeadInWords{head}, head.active() ? "wins" : "passed over");
    if (head.active()) {
      last_ = queue;
      return {queue, head.flits, head.age};
    }
  }
  return {};
}

std::string RoundRobin::describe() const { return fmt::format("last={}", last_); }

bool RoundRobin::append_state(std::vector<std::uint64_t>& numbers) const {
  numbers.push_back(last_);
  return true;
}

namespace {

class RoundRobinPolicy final : public Policy {
 public:
  constexpr RoundRobinPolicy() : Policy({.name = "rr", .printed_variant = false}) {}

  Parameters parse(ConfigReader& /*reader*/, const ArbiterConfig& /*config*/) const override {
    return {};
  }
  [[nodiscard]] std::string to_yaml(const Parameters& /*parameters*/) const override { return ""; }
  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return std::make_unique<RoundRobin>(config.queues);
  }
};

constexpr RoundRobinPolicy kRoundRobinPolicy;

}  // namespace

const Policy& kRr = kRoundRobinPolicy;

}  // namespace qosarb
