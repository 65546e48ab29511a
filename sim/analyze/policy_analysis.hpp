// What is known of a policy when its configurations are analyzed. Each policy has its own file;
// registry.cpp lists them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "qosarb/analyze/backlog.hpp"
#include "qosarb/analyze/service.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

/// A table entry of any policy: what it serves and its weight.
struct WeightedEntry {
  int user = 0;  ///< queue, VL or SL
  std::uint64_t weight = 0;
  const char* table = "table";
  std::size_t index = 0;  ///< in its table
};

/// A policy, analyzed. Whatever config is given is of this policy.
class PolicyAnalysis {
 public:
  explicit PolicyAnalysis(PolicyRef policy) : policy_(policy) {}
  PolicyAnalysis(const PolicyAnalysis&) = delete;
  PolicyAnalysis& operator=(const PolicyAnalysis&) = delete;

  [[nodiscard]] PolicyRef policy() const { return policy_; }

  /// guaranteed_service() of a config of the corrected variant.
  [[nodiscard]] virtual ServiceBound service(const ArbiterConfig& config, Index queue,
                                             const OwnPackets& own,
                                             const std::optional<StrictLoad>& strict) const = 0;
  /// All table entries in the order of Arbiter::paying_entry(); none for policies without a table.
  [[nodiscard]] virtual std::vector<WeightedEntry> entries(const ArbiterConfig& config) const;
  /// Weights count packets, of any length, and not flits.
  [[nodiscard]] virtual bool weights_count_packets() const { return false; }
  /// table_cycle_flits() for this policy: what the entries weigh, as often as it takes; for
  /// policies without a table, one packet of every queue.
  [[nodiscard]] virtual std::uint64_t cycle_flits(const ArbiterConfig& config,
                                                  const PacketMix& mix) const;
  /// The turns of each entry in which every queue has a packet: more than one where those of a
  /// service level have less weight than a packet of each of its queues, or where an entry saves up
  /// for a packet.
  [[nodiscard]] virtual std::uint64_t turns_for_all(const ArbiterConfig& config,
                                                    const PacketMix& mix) const;
  /// The service level of each queue; null where the entries' users are queues.
  [[nodiscard]] virtual const std::vector<int>* service_levels(const ArbiterConfig& config) const;
  /// Queues that go before all others whenever they have something to send.
  [[nodiscard]] virtual std::vector<int> strict_queues(const ArbiterConfig& config) const;
  /// follow_backlogged() for this policy.
  [[nodiscard]] virtual Schedule follow(const ArbiterConfig& config, const PacketMix& mix,
                                        std::uint64_t max_decisions) const;
  /// Warnings that no other policy has.
  virtual void warn(const ArbiterConfig& config, std::vector<std::string>& lines) const;

 protected:
  ~PolicyAnalysis() = default;

 private:
  PolicyRef policy_;
};

/// The one of `policy`. Errors: std::logic_error if it has none.
const PolicyAnalysis& analysis_of(PolicyRef policy);

/// No guarantee, and why.
inline ServiceBound no_service(std::string why) { return {std::nullopt, std::move(why)}; }

/// a x b, or the largest number if that is beyond it.
std::uint64_t at_most_64_bits(std::uint64_t a, std::uint64_t b);

/// A warning if some of `entries` have weights, called `what`, that are not multiples of `packet`;
/// `effect` says what comes of it.
void warn_of_odd_weights(const std::vector<WeightedEntry>& entries, std::uint64_t packet,
                         const char* what, const char* effect, std::vector<std::string>& lines);

}  // namespace qosarb
