// Ways to state a worked example of an arbiter in a few lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "qosarb/policy/port.hpp"
#include "random/random.hpp"

namespace qosarb::test {

/// The config of an `arbiter:` section given as YAML text (without the key itself).
ArbiterConfig arbiter_config(const std::string& yaml);

/// The arbiter that the tests of a policy test: its reference, or in another executable the
/// reference and the RTL in lockstep where the RTL can run `config`.
std::unique_ptr<Arbiter> arbiter_under_test(const ArbiterConfig& config);
/// The reference of an arbiter_under_test().
const Arbiter& reference_of(Arbiter& arbiter);

/// A port with an arbiter_under_test().
Port port_under_test(const ArbiterConfig& config);

/// Packets of `flits` each to the end of `queue` in cycle `now`.
void arrive(Port& port, Cycle now, Index queue, const std::vector<std::uint32_t>& flits);

/// `count` arbitrations, one a cycle from `first` on; the queues that win.
std::vector<int> winners(Port& port, int count, Cycle first = 0);

/// Share of the flits that each queue gets in `decisions` arbitrations when every queue always has
/// packets, all of queue q being flits[q] long.
std::vector<double> backlogged_shares(const ArbiterConfig& config,
                                      const std::vector<std::uint32_t>& flits, int decisions);

/// The flits that each queue sends in `decisions` arbitrations, with every queue backlogged as
/// above.
std::vector<std::uint64_t> backlogged_flits(const ArbiterConfig& config,
                                            const std::vector<std::uint32_t>& flits, int decisions);

/// The names of all policies, as files spell them.
std::vector<std::string> policy_names();

/// Shares of three backlogged queues under Algorithm 2 of the BXIv3 paper, weights 5:3:2 at 10
/// flits and packets of 13, 7 and 1 flits, with each of two corrections by itself: a deficit is
/// cleared when it is added (`clear`), and line 12 adds it too (`line12`). Neither of the two is a
/// variant of the reference.
std::vector<double> half_corrected_shares(bool clear, bool line12);

}  // namespace qosarb::test
