// Every hand-made fault of the RTL is found by the randomized lockstep, and what it leaves behind
// fails again in the same cycle.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <ostream>
#include <regex>
#include <string>

#include "cli/run_command.hpp"
#include "cosim/lockstep.hpp"
#include "faults.hpp"
#include "lockstep/campaign.hpp"

namespace qosarb::test {

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kSeed = 1;
// Far fewer than the randomized lockstep makes of any policy.
constexpr std::uint64_t kDecisions = 1'000'000;

Policy policy_named(std::string_view name) {
  for (const Policy policy : {Policy::Rr, Policy::BxiBasic, Policy::BxiDeficit}) {
    if (name_of(policy) == name) {
      return policy;
    }
  }
  throw std::invalid_argument("no RTL of this policy");
}

class Faults : public ::testing::TestWithParam<Fault> {};

TEST_P(Faults, AreFoundAndReplay) {
  const Fault& fault = GetParam();
  const auto number =
      std::find_if(kFaults.begin(), kFaults.end(),
                   [&fault](const Fault& other) { return other.name == fault.name; }) -
      kFaults.begin() + 1;
  const ScratchDirectory scratch;
  CampaignResult result;
  std::optional<Mismatch> mismatch;
  try {
    run_campaign({.seed = kSeed,
                  .policy = policy_named(fault.policy),
                  .decisions = kDecisions,
                  .commits = fault.needs_commit,
                  .reproducer = scratch.path("found"),
                  .plusargs = {fmt::format("+fault={}", number)}},
                 result);
  } catch (const Mismatch& found) {
    mismatch = found;
  }
  ASSERT_TRUE(mismatch) << fault.what << ": not found in " << kDecisions << " decisions";
  std::cout << "found after " << result.decisions << " decisions\n";
  ASSERT_TRUE(std::filesystem::exists(scratch.path("found/events.csv"))) << mismatch->what();
  if (fault.needs_commit) {
    return;  // the log begins at the commit; the seed replays it
  }

  const std::vector<std::string> replay = {"decide", "--config", scratch.path("found/config.yaml"),
                                           "--events", scratch.path("found/events.csv")};
  std::vector<std::string> faulty = replay;
  faulty.insert(faulty.end(),
                {"--fault", std::string(fault.name), "--reproducer", scratch.path("again")});
  const Outcome again = run_command(faulty);
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(again.out, "");
  EXPECT_THAT(again.err, HasSubstr(fmt::format("mismatch in cycle {} at port", mismatch->cycle())));
  // The reproducer of a reproducer is the same, and without the fault nothing is wrong.
  EXPECT_EQ(contents(scratch.path("again/events.csv")), contents(scratch.path("found/events.csv")));
  EXPECT_EQ(contents(scratch.path("again/config.yaml")),
            contents(scratch.path("found/config.yaml")));
  EXPECT_EQ(run_command(replay).status, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, ::testing::ValuesIn(kFaults), [](const auto& fault) {
  std::string name(fault.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// The port that differs in a network leaves a log of its own, without having been watched.
TEST(FaultyNetwork, LeavesAReproducerOfOnePort) {
  for (const std::string fault : {"depletion-drops-deficit", "search-wraps-one-late"}) {
    const ScratchDirectory scratch;
    const Outcome simulated =
        run_command({"sim", QOSARB_SOURCE_DIR "/scenarios/step-deficit-8.yaml", "--fault", fault,
                     "--reproducer", scratch.path("found")});
    EXPECT_EQ(simulated.status, 1) << fault;
    EXPECT_EQ(simulated.out, "");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(
        simulated.err, found, std::regex("mismatch in cycle ([0-9]+) at [a-z0-9]+[.][a-z0-9]+")))
        << simulated.err;
    const Outcome replayed = run_command({"decide", "--config", scratch.path("found/config.yaml"),
                                          "--events", scratch.path("found/events.csv"), "--fault",
                                          fault, "--reproducer", scratch.path("again")});
    EXPECT_EQ(replayed.status, 1) << fault;
    EXPECT_THAT(replayed.err, HasSubstr("mismatch in cycle " + found[1].str() + " at port"));
  }
}

TEST(FaultyBuild, IsRightWithoutAFault) {
  for (const Policy policy : {Policy::Rr, Policy::BxiBasic, Policy::BxiDeficit}) {
    CampaignResult result;
    EXPECT_NO_THROW(
        run_campaign({.seed = kSeed, .policy = policy, .decisions = kDecisions / 4}, result));
    EXPECT_EQ(result.decisions, kDecisions / 4);
  }
}

}  // namespace
}  // namespace qosarb::test
