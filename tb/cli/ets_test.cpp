// Analysis of strict priority above shares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "analysis.hpp"
#include "refusal.hpp"
#include "run_command.hpp"

namespace qosarb::test {
namespace {

// Of what strict priority takes: a share of the link, and flits at once.
TEST(Analyze, AQuantumBelowAPacketHasNoBoundBehindStrictPriorityEither) {
  const ScratchDirectory scratch;
  const nlohmann::json found = analysis_of(
      {scratch.file("c.yaml",
                    "arbiter:\n  policy: ets\n  queues: 2\n  max_packet_flits: 4\n  strict: false\n"
                    "  classes: [{strict_priority: true}, {weight: 3}]\n"),
       "--strict-load", "0.1"});
  EXPECT_THAT(found["queues"][1]["why_no_bound"].get<std::string>(),
              testing::HasSubstr("too small for the longest packet"));
}

TEST(Analyze, RefusesAStrictLoadThatIsNone) {
  const ScratchDirectory scratch;
  const std::string arbiter = "arbiter:\n  policy: ets\n  queues: 2\n  max_packet_flits: 4\n";
  const std::string strict =
      scratch.file("strict.yaml", arbiter + "  classes: [{weight: 4}, {strict_priority: true}]\n");
  for (const std::string share : {"-0.1", "1.01", "3/2", "0.1x", "", "much"}) {
    expect_refused(run_command({"analyze", strict, "--strict-load", share}), "--strict-load", "");
  }
  for (const std::string flits : {"0", "-1", "4294967297", "some"}) {
    expect_refused(
        run_command({"analyze", strict, "--strict-load", "0.1", "--strict-burst", flits}),
        "--strict-burst", "");
  }
  expect_refused(run_command({"analyze", strict, "--strict-burst", "4"}), "--strict-burst",
                 "--strict-load");
  const std::string none =
      scratch.file("none.yaml", arbiter + "  classes: [{weight: 4}, {weight: 5}]\n");
  expect_refused(run_command({"analyze", none, "--strict-load", "0.1"}), "--strict-load",
                 "no strict-priority queue");
  // At the ends: nothing, and all of the link.
  for (const std::string share : {"0", "1"}) {
    const nlohmann::json found = analysis_of({strict, "--strict-load", share});
    EXPECT_EQ(found["strict_priority"]["load"], std::stod(share));
    EXPECT_EQ(found["strict_priority"]["burst_flits"], 4);
    EXPECT_TRUE(found["queues"][1]["share"].is_null());
    EXPECT_EQ(found["queues"][0]["max_wait_flits"].is_null(), share == "1");
  }
}

// Without a burst each strict class has a packet.
TEST(Analyze, TheBurstOfStrictPriorityIsAPacketOfEachOfItsQueues) {
  const ScratchDirectory scratch;
  const std::string config =
      scratch.file("c.yaml",
                   "arbiter:\n  policy: ets\n  queues: 3\n  max_packet_flits: 4\n"
                   "  classes: [{strict_priority: true}, {strict_priority: true}, {weight: 4}]\n");
  EXPECT_EQ(analysis_of({config, "--strict-load", "0.1"})["strict_priority"]["burst_flits"], 2 * 4);
}

// Nobody waits where the packets that have strict priority are those that are left out.
TEST(Analyze, ALinkWithoutWeightedQueuesDoesNotIdleInVain) {
  const ScratchDirectory scratch;
  const std::string config = scratch.file("c.yaml",
                                          "arbiter:\n  policy: ets\n  queues: 1\n"
                                          "  max_packet_flits: 4\n"
                                          "  classes: [{strict_priority: true}]\n");
  const nlohmann::json found = analysis_of({config, "--strict-load", "0.1"});
  EXPECT_EQ(found["warnings"].dump().find("idles"), std::string::npos) << found["warnings"];
}

TEST(Plan, EtsNamesTheLineOfAFault) {
  const auto refused = [](const std::string& one, int line, const std::string& fault) {
    const ScratchDirectory scratch;
    expect_refused(
        run_command({"plan", scratch.file("spec.yaml",
                                          "plan:\n  method: ets\n  max_packet_flits: 4\n" + one)}),
        "spec.yaml:" + std::to_string(line) + ":", fault);
  };
  refused("  max_quantum_flits: 3\n  classes: [{queue: 0, percent: 100}]\n", 4,
          "a quantum must hold the longest packet");
  refused("  classes: [{queue: 0, percent: 100, strict_priority: true}]\n", 4,
          "either percent or strict_priority");
  refused("  classes: [{queue: 0, strict_priority: false}]\n", 4,
          "either percent or strict_priority");
  refused("  classes: [{queue: 0, percent: 0}]\n", 4, "a percentage must be above 0");
  refused("  strict_burst: 4\n  classes: [{queue: 0, strict_priority: true}]\n", 4,
          "strict_burst needs strict_load");
  refused("  strict_load: 0.1\n  classes: [{queue: 0, percent: 100}]\n", 4,
          "no class has strict priority");
}

// Two strict classes bring a packet of 16 each at once: (16 + 2 x 16 + 16 / 4) / (3 / 4) is 69.3.
TEST(Plan, WithoutABurstEachStrictClassOfEtsHasAPacket) {
  const ScratchDirectory scratch;
  const std::string spec =
      scratch.file("spec.yaml",
                   "plan:\n  method: ets\n  max_packet_flits: 16\n  strict_load: 0.25\n"
                   "  classes: [{queue: 0, percent: 100}, {queue: 1, strict_priority: true},\n"
                   "    {queue: 2, strict_priority: true}]\n");
  const nlohmann::json plan = nlohmann::json::parse(run_command({"plan", spec, "--json"}).out);
  EXPECT_EQ(plan["classes"][0]["max_wait_flits"], 70);
}

TEST(Plan, EtsSaysWhatItCannotPromise) {
  const ScratchDirectory scratch;
  const std::string spec =
      scratch.file("spec.yaml",
                   "plan:\n  method: ets\n  max_packet_flits: 4\n  max_quantum_flits: 64\n"
                   "  classes: [{queue: 0, strict_priority: true}, {queue: 1, percent: 33.33},\n"
                   "    {queue: 2, percent: 66.67}]\n");
  const nlohmann::json plan = nlohmann::json::parse(run_command({"plan", spec, "--json"}).out);
  EXPECT_EQ(plan["exact"], false);  // 33.33 to 66.67 is not a fraction of numbers up to 64
  EXPECT_FALSE(plan["classes"][0]["max_wait_flits"].is_null());
  // What goes first may have the link for itself: nothing is known of its load.
  EXPECT_TRUE(plan["classes"][1]["max_wait_flits"].is_null());
  EXPECT_NE(run_command({"plan", spec}).out.find("with the error that the table shows"),
            std::string::npos);
}

}  // namespace
}  // namespace qosarb::test
