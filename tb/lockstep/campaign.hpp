// Randomized lockstep: many short lives of a port, each with its own table and traffic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/policy/config.hpp"
#include "qosarb/policy/rr.hpp"

namespace qosarb::test {

struct CampaignOptions {
  std::uint64_t seed = 1;
  PolicyRef policy = kRr;
  std::uint64_t decisions = 0;        ///< how many are made in all
  bool commits = true;                ///< new tables during traffic
  std::string reproducer;             ///< directory for a mismatch; see write_reproducer()
  std::vector<std::string> plusargs;  ///< for test builds of the RTL
};

struct CampaignResult {
  std::uint64_t decisions = 0;
  std::uint64_t grants = 0;   ///< of these
  std::uint64_t lives = 0;    ///< each from reset on
  std::uint64_t commits = 0;  ///< that took effect during traffic
};

/// Runs reference and RTL in lockstep and counts in `result`. Errors: Mismatch, naming its
/// reproducer. What a mismatch after a commit during traffic leaves begins at that commit, as the
/// arbiter starts over then.
void run_campaign(const CampaignOptions& options, CampaignResult& result);

}  // namespace qosarb::test
