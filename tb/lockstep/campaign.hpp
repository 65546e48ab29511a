// Randomized lockstep: many short lives of a port, each with its own table and traffic.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cosim/port_model.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb::test {

struct CampaignOptions {
  std::uint64_t seed = 1;
  /// Those of a life are drawn among these; with more than one, commits change the policy.
  std::vector<PolicyRef> policies;
  /// The builds of the RTL; of each life the first one that has its policies. Empty: those that
  /// ship.
  std::span<const PortBuild> builds;
  /// The campaign goes on until there are as many decisions, and as many contested ones.
  std::uint64_t decisions = 0;
  std::uint64_t contested = 0;
  /// What happens beside the traffic: new tables, commits that must be refused, reads of registers,
  /// and resets.
  bool disturbed = true;
  /// Heads that are too long or of 0 flits (docs/safety.md): packets that come so, and commits
  /// for shorter packets than those that wait.
  bool lying = true;
  /// Of a hundred lives so many have backlogged queues and an arbitration in each cycle: of these
  /// nearly each decision is contested.
  std::uint64_t busy_percent = 0;
  std::string reproducer;             ///< directory for a mismatch; see with_reproducer()
  std::vector<std::string> plusargs;  ///< for test builds of the RTL
};

struct CampaignResult {
  std::uint64_t decisions = 0;
  std::uint64_t grants = 0;     ///< of these
  std::uint64_t contested = 0;  ///< grants with two or more active queues
  std::uint64_t lives = 0;      ///< each from reset on
  std::uint64_t commits = 0;    ///< that took effect during traffic
  std::uint64_t changes = 0;    ///< of these, to another policy
  std::uint64_t refused = 0;    ///< commits during traffic that had to be refused, and were
  std::uint64_t resets = 0;     ///< in the middle of a life
  std::uint64_t reads = 0;      ///< of counters during traffic
  std::uint64_t waits = 0;      ///< of longest waits
  std::uint64_t too_long = 0;   ///< grants of heads that are longer than allowed
  std::uint64_t zero = 0;       ///< grants of heads of 0 flits
  std::uint64_t lowered = 0;    ///< commits that made heads too long
};

/// The names of all figures of a result, and the figures.
std::vector<std::pair<std::string, std::uint64_t>> figures(const CampaignResult& result);

/// Runs reference and RTL in lockstep and counts in `result`: each decision and the state before it
/// are compared, and the counters that are read. Errors: Mismatch, naming its reproducer. What a
/// mismatch after a commit or a reset leaves begins there, as the arbiter starts over then, if that
/// fails by itself; else it is the whole life of the port, with the commits as raw rows.
void run_campaign(const CampaignOptions& options, CampaignResult& result);

}  // namespace qosarb::test
