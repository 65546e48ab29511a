// What co-simulation has to know of one policy. Each has its own file; registry.cpp lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cosim/programming.hpp"
#include "cosim/rtl_limits.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

class PortState;
class WaveText;

/// The numbers of an arbiter's state, as Arbiter::append_state() orders them.
using StateNumbers = std::span<const std::uint64_t>;

/// A policy as the RTL has it: what a build of it cannot hold, its registers, its state, its waves.
///
/// All that is given a config is given one of this policy.
class PolicyRtl {
 public:
  /// `code` is what the POLICY register takes for it.
  PolicyRtl(PolicyRef policy, std::uint32_t code) : policy_(policy), code_(code) {}
  PolicyRtl(const PolicyRtl&) = delete;
  PolicyRtl& operator=(const PolicyRtl&) = delete;
  virtual ~PolicyRtl() = default;

  [[nodiscard]] PolicyRef policy() const { return policy_; }
  [[nodiscard]] std::uint32_t code() const { return code_; }
  [[nodiscard]] bool built_in(const RtlLimits& limits) const {
    return (limits.policies >> code_ & 1U) != 0;
  }

  /// Why a build of `limits`, which has the policy and enough queues, cannot run `config`, in words
  /// that follow "the RTL cannot run this arbiter"; nothing if it can.
  [[nodiscard]] virtual std::optional<std::string> obstacle(const ArbiterConfig& config,
                                                            const RtlLimits& limits) const;

  /// What a driver writes for this policy alone, before it commits.
  virtual void append_writes(const ArbiterConfig& config, const RtlLimits& limits,
                             std::vector<RegisterWrite>& writes) const;
  /// The queues that the table serves, as bits: those that a commit has to insist on where the
  /// config is not strict.
  [[nodiscard]] virtual std::uint32_t served_queues(const ArbiterConfig& config) const;
  /// What a refused commit means by `reason` at `where` (register STATUS); nothing if this policy
  /// has no such reason.
  [[nodiscard]] virtual std::optional<std::string> refusal(std::uint32_t reason,
                                                           std::uint32_t where) const;

  /// The state of `port` as the numbers that the reference of `config` has for the same state.
  /// What a chip shares (Policy::shares_chip_clock()) goes before them and is not this function's.
  virtual void append_state(const PortState& port, const ArbiterConfig& config,
                            std::vector<std::uint64_t>& numbers) const = 0;
  /// These numbers in one line, as the reference words them.
  [[nodiscard]] virtual std::string describe(const ArbiterConfig& config,
                                             StateNumbers state) const = 0;

  /// State and table of the policy in a waveform.
  virtual void show(WaveText& text, const ArbiterConfig& config, const RtlLimits& limits) const;

  /// The state changes in cycles in which nothing happens, so that each has to be clocked until
  /// it is at rest.
  [[nodiscard]] virtual bool clocked_in_every_cycle() const { return false; }
  /// The state of `port` stays as it is until a packet is granted.
  [[nodiscard]] virtual bool at_rest(const PortState& port, const ArbiterConfig& config) const;
  /// Counters of its own count cycles in which nothing is granted, by what heads there are.
  [[nodiscard]] virtual bool counts_by_heads() const { return false; }

 private:
  PolicyRef policy_;
  std::uint32_t code_;
};

/// All policies that have RTL, in the order of their register codes.
std::span<const PolicyRtl* const> policies_with_rtl();

/// Why a build of `limits`, which has the policy, cannot run `config`: its size, or what the policy
/// says; nothing if it can.
std::optional<std::string> build_obstacle(const ArbiterConfig& config, const RtlLimits& limits);

/// The one of `policy`; null if it has no RTL.
const PolicyRtl* find_rtl(PolicyRef policy);
/// The same. Errors: std::invalid_argument if it has no RTL.
const PolicyRtl& rtl_of(PolicyRef policy);

}  // namespace qosarb
