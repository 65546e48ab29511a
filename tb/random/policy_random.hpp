// What tests draw of a policy at random. Each policy has its own file; registry.cpp lists them. No
// program that ships links any of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cosim/rtl_limits.hpp"
#include "qosarb/policy/config.hpp"
#include "random/random.hpp"

namespace qosarb::test {

/// A config whose commit the RTL must refuse, and the reason in STATUS.
struct Refusal {
  ArbiterConfig config;
  std::uint32_t reason = 0;
};

class PolicyRandom {
 public:
  explicit PolicyRandom(PolicyRef policy) : policy_(policy) {}
  PolicyRandom(const PolicyRandom&) = delete;
  PolicyRandom& operator=(const PolicyRandom&) = delete;
  virtual ~PolicyRandom() = default;

  [[nodiscard]] PolicyRef policy() const { return policy_; }

  /// A number of queues that the policy can have in a build of `limits`.
  [[nodiscard]] virtual int draw_queues(Random& random, const RtlLimits& limits) const;
  /// Whether it can have this number of them.
  [[nodiscard]] virtual bool can_have(int queues, const RtlLimits& limits) const;
  /// Draws `strict` and the parameters of `config`, whose other fields are there. With
  /// `packets_wait`, packets of any length up to max_packet_flits may stand in any queue.
  virtual void draw(Random& random, const RtlLimits& limits, bool packets_wait,
                    ArbiterConfig& config) const;
  /// The ways to spoil `config`, one for each reason for which a commit is refused.
  virtual std::vector<Refusal> refusals(Random& random, const ArbiterConfig& config) const;

 private:
  PolicyRef policy_;
};

/// All there are.
std::span<const PolicyRandom* const> random_policies();
/// The one of `policy`. Errors: std::invalid_argument if it has none.
const PolicyRandom& random_of(PolicyRef policy);

/// Small arbiters, whose turns come round soon, for tests of the references alone.
inline constexpr RtlLimits kSmallArbiters{
    .queues = 6, .entries = 9, .quantum_bits = 5, .packet_flits = 12, .vcs = 2};

/// A configuration that a build of `limits` can hold: any depth, entries in any order, any value of
/// every number, small, middling and extreme.
ArbiterConfig random_config(Random& random, PolicyRef policy, const RtlLimits& limits);
/// One that serves every queue: its `strict` is true.
ArbiterConfig random_strict_config(Random& random, PolicyRef policy, const RtlLimits& limits);
/// One that may take the place of `before` under traffic: as many queues, packets as long or
/// longer. `any_length`: it may be one for shorter packets, too, so that those that wait are too
/// long for it.
ArbiterConfig random_successor(Random& random, PolicyRef policy, const RtlLimits& limits,
                               const ArbiterConfig& before, bool any_length = false);

}  // namespace qosarb::test
