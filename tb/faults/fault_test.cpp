// Every hand-made fault of the RTL is found by the randomized lockstep, and what it leaves behind
// fails again in the same cycle.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include "cli/resource_limit.hpp"
#include "cli/run_command.hpp"
#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "faults.hpp"
#include "lockstep/campaign.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::test {

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

namespace {

constexpr const char* kStepDeficit = QOSARB_SOURCE_DIR "/scenarios/step-deficit-8.yaml";

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Far fewer than the randomized lockstep makes of any policy.
constexpr std::uint64_t kDecisions = 1'000'000;

/// The command shrinks the log in found/ to a handful of events that fail, and only with the fault.
void expect_shrinks(const Fault& fault, const ScratchDirectory& scratch) {
  const bool raw = fault.needs_commit || fault.needs_lies;
  std::vector<std::string> shrink = {"shrink",
                                     "--config",
                                     scratch.path("found/config.yaml"),
                                     "--events",
                                     scratch.path("found/events.csv"),
                                     "--out",
                                     scratch.path("least"),
                                     "--fault",
                                     std::string(fault.name)};
  if (raw) {
    shrink.emplace_back("--raw");
  }
  const Outcome shrunk = run_command(shrink);
  EXPECT_EQ(shrunk.status, 0) << shrunk.err;
  EXPECT_THAT(shrunk.out, AllOf(HasSubstr("What happens, and what the reference does:"),
                                HasSubstr("What the RTL does:"), HasSubstr("mismatch in cycle "),
                                EndsWith(scratch.path("least.csv") + (raw ? " --raw" : "") +
                                         " --engine lockstep --explain\n")));
  const std::string log = contents(scratch.path("least.csv"));
  const auto events = std::count(log.begin(), log.end(), '\n') - 1;
  std::cout << "shrunk to " << events << " events\n";
  EXPECT_LE(events, 12) << log;
  std::vector<std::string> replay = {
      "decide",   "--config", scratch.path("least.yaml"), "--events", scratch.path("least.csv"),
      "--engine", "lockstep"};
  if (raw) {
    replay.emplace_back("--raw");
  }
  std::vector<std::string> faulty = replay;
  faulty.insert(faulty.end(), {"--fault", std::string(fault.name), "--explain", "--reproducer",
                               scratch.path("least again")});
  const Outcome again = run_command(faulty);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.out, HasSubstr("\n# cycle "));
  EXPECT_THAT(again.err, HasSubstr("to shrink it: qosarb shrink --config '" +
                                   scratch.path("least again/config.yaml") + "' --events '"));
  EXPECT_EQ(run_command(replay).status, 0);
}

class Faults : public ::testing::TestWithParam<Fault> {};

TEST_P(Faults, AreFoundAndReplay) {
  const Fault& fault = GetParam();
  const auto number =
      std::find_if(kFaults.begin(), kFaults.end(),
                   [&fault](const Fault& other) { return other.name == fault.name; }) -
      kFaults.begin() + 1;
  const ScratchDirectory scratch;
  CampaignOptions options{.seed = fault.seed,
                          .policies = {policy_named(fault.policy)},
                          .decisions = kDecisions,
                          .disturbed = fault.needs_commit,
                          .lying = fault.needs_lies,
                          .reproducer = scratch.path("found"),
                          .plusargs = {fmt::format("+fault={}", number), kChecksAreOff}};
  CampaignResult result;
  std::optional<Mismatch> mismatch;
  try {
    run_campaign(options, result);
  } catch (const Mismatch& found) {
    mismatch = found;
  }
  ASSERT_TRUE(mismatch) << fault.what << ": not found in " << kDecisions << " decisions";
  std::cout << "found after " << result.decisions << " decisions\n";
  // The control: the same decisions, and the one that failed, of the same build without the fault.
  options.plusargs.clear();
  options.decisions = result.decisions + 1;
  CampaignResult right;
  ASSERT_NO_THROW(run_campaign(options, right));
  EXPECT_EQ(right.decisions, options.decisions);
  ASSERT_TRUE(std::filesystem::exists(scratch.path("found/events.csv"))) << mismatch->what();
  if (!fault.logged) {
    EXPECT_THAT(contents(scratch.path("found/README.txt")), HasSubstr("By itself"));
    return;
  }
  // The waveform of the last cycles, and a layout that opens it at the failure.
  EXPECT_TRUE(std::filesystem::exists(scratch.path("found/waves.fst")));
  EXPECT_THAT(contents(scratch.path("found/waves.gtkw")),
              HasSubstr(fmt::format("\n*-14.000000 {} -1", mismatch->cycle() * 1000)));
  const bool raw = fault.needs_commit || fault.needs_lies;
  std::vector<std::string> replay = {"decide", "--config", scratch.path("found/config.yaml"),
                                     "--events", scratch.path("found/events.csv")};
  EXPECT_EQ(contents(scratch.path("found/README.txt")).find("--raw") != std::string::npos, raw);
  if (raw) {
    replay.emplace_back("--raw");
  }
  std::vector<std::string> faulty = replay;
  faulty.insert(faulty.end(),
                {"--fault", std::string(fault.name), "--reproducer", scratch.path("again")});
  const Outcome again = run_command(faulty);
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(again.out, "");
  EXPECT_THAT(again.err,
              AllOf(HasSubstr(fmt::format("mismatch in cycle {} at port: ", mismatch->cycle())),
                    AnyOf(AllOf(HasSubstr("\n  candidates: "), HasSubstr("\n  reference: "),
                                HasSubstr("\n  RTL:       ")),
                          HasSubstr("the RTL reports a packet that left: "))));
  // The reproducer of a reproducer is the same, and without the fault nothing is wrong.
  EXPECT_EQ(contents(scratch.path("again/events.csv")), contents(scratch.path("found/events.csv")));
  EXPECT_EQ(contents(scratch.path("again/config.yaml")),
            contents(scratch.path("found/config.yaml")));
  EXPECT_EQ(run_command(replay).status, 0);

  // A remainder of one bit more than a quantum of 16 bits needs a deficit, and so a turn before it
  // in which 65,000 flits go, in packets of up to 511: that log stays long, and takes a minute.
  if (fault.name != "remaining-one-bit-short") {
    expect_shrinks(fault, scratch);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Faults, ::testing::ValuesIn(kFaults), [](const auto& fault) {
  std::string name(fault.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Says the same whatever it is asked.
class Stubborn final : public Arbiter {
 public:
  Stubborn(const Decision& decision, const AgeStamp& stamp) : decision_(decision), stamp_(stamp) {}
  AgeStamp arrive(Cycle /*now*/, Index /*queue*/, std::uint8_t /*age*/) override { return stamp_; }
  Decision decide(Cycle /*now*/, Heads /*heads*/) override { return decision_; }
  [[nodiscard]] std::string describe() const override { return "as ever"; }

 private:
  Decision decision_;
  AgeStamp stamp_;
};

// Each side by its own name, whatever they differ in.
TEST(Lockstep, TellsWhatEachSideSays) {
  const Decision granted{.queue = 0, .flits = 3, .age = 1};
  const AgeStamp stamped{.field = 5, .epoch = false};
  const std::vector<Head> heads = {{.flits = 3}, {.stopped = true}};
  std::atomic<std::uint64_t> compared = 0;
  const auto said = [&](const Decision& by_rtl, const AgeStamp& rtl_stamp) -> std::string {
    LockstepArbiter both(std::make_unique<Stubborn>(granted, stamped),
                         std::make_unique<Stubborn>(by_rtl, rtl_stamp), {"switch0", ""});
    both.count_in(&compared);
    try {
      both.arrive(7, 1, 9);
      both.decide(7, heads);
    } catch (const Mismatch& mismatch) {
      return mismatch.what();
    }
    return "";
  };
  EXPECT_EQ(said(granted, stamped), "");
  EXPECT_EQ(compared, 1U);
  const std::string begin = "mismatch in cycle 7 at switch0: ";
  const std::string grants = begin + "the reference grants queue 0 (3 flits, age 1), the RTL ";
  const std::string candidates = "\n  candidates: queue 0: 3 flits, queue 1: empty stopped\n";
  EXPECT_THAT(said({0, 3, 2}, stamped),
              HasSubstr(grants + "queue 0 (3 flits, age 2)" + candidates));
  EXPECT_THAT(said({0, 4, 1}, stamped),
              HasSubstr(grants + "queue 0 (4 flits, age 1)" + candidates));
  EXPECT_THAT(said({}, stamped), HasSubstr(grants + "no queue" + candidates));
  const std::string stamps = begin +
                             "a packet of age 9 arrives at queue 1; the reference stamps it "
                             "with 5 and epoch false, the RTL with ";
  EXPECT_THAT(said(granted, {6, false}), HasSubstr(stamps + "6 and epoch false\n"));
  EXPECT_THAT(said(granted, {5, true}), HasSubstr(stamps + "5 and epoch true\n"));
  EXPECT_EQ(compared, 1U);
}

/// A waveform as VCD.
std::string waveform_in_text(const ScratchDirectory& scratch, const std::string& fst) {
  const std::string vcd = scratch.path("t.vcd");
  EXPECT_EQ(std::system(fmt::format("fst2vcd -f {} -o {} >/dev/null 2>&1", fst, vcd).c_str()), 0);
  return contents(vcd);
}

// Of a run that fails, only the last cycles are kept.
TEST(FaultyNetwork, KeepsTheLastCyclesBeforeAMismatch) {
  const ScratchDirectory scratch;
  const auto run = [](const std::vector<std::string>& more) {
    std::vector<std::string> command = {"sim", kStepDeficit, "--fault", "search-wraps-one-late"};
    command.insert(command.end(), more.begin(), more.end());
    return run_command(command);
  };
  const std::string trace = scratch.path("t.fst");
  const Outcome failed =
      run({"--trace", trace, "--trace-last", "20", "--reproducer", scratch.path("found")});
  EXPECT_EQ(failed.status, 1);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(failed.err, found,
                                std::regex("mismatch in cycle ([0-9]+) at ([a-z0-9.]+):")));
  const std::uint64_t cycle = std::stoull(found[1].str());
  ASSERT_GE(cycle, 20U);
  const std::string text = waveform_in_text(scratch, trace);
  const std::string first = text.substr(text.find("\n#") + 1);
  EXPECT_EQ(first.substr(0, first.find('\n')), fmt::format("#{}", (cycle - 19) * 1000));
  const std::string last = text.substr(text.rfind("\n#") + 1);
  EXPECT_EQ(last.substr(0, last.find('\n')), fmt::format("#{}", cycle * 1000 + 500));
  const std::string layout = contents(scratch.path("t.gtkw"));
  EXPECT_THAT(layout, HasSubstr(fmt::format("{} -1", cycle * 1000)));
  // All ports, of which the one that differs is open.
  EXPECT_THAT(layout, HasSubstr("@800200\n-" + found[2].str() + ".port_pins"));
  for (int port = 0; port < 8; ++port) {
    EXPECT_THAT(layout, AllOf(HasSubstr(fmt::format("\n-host{}.nic.port_pins", port)),
                              HasSubstr(fmt::format("\n-switch0.port{}.port_pins", port))));
  }
}

// The port that differs is in the waveform of the last cycles, whatever else was asked for.
TEST(FaultyNetwork, ShowsThePortThatDiffers) {
  const ScratchDirectory scratch;
  const std::string trace = scratch.path("t.fst");
  const Outcome failed = run_command({"sim", kStepDeficit, "--fault", "search-wraps-one-late",
                                      "--trace", trace, "--trace-ports", "host7", "--trace-last",
                                      "5", "--reproducer", scratch.path("found")});
  EXPECT_EQ(failed.status, 1);
  std::smatch found;
  ASSERT_TRUE(
      std::regex_search(failed.err, found, std::regex("at ([a-z]+[0-9]+)[.]([a-z]+[0-9]*):")));
  ASSERT_NE(found[1].str(), "host7");
  const std::string text = waveform_in_text(scratch, trace);
  // A scope in a scope, or with newer Verilators one of both names.
  const auto shows = [&text](const std::string& place, const std::string& port) {
    return std::regex_search(
        text, std::regex("[$]scope module " + place + "([.]| [$]end\\s+[$]scope module )" + port +
                         " [$]end"));
  };
  EXPECT_TRUE(shows(found[1].str(), found[2].str())) << failed.err;
  EXPECT_TRUE(shows("host7", "nic"));
  EXPECT_FALSE(shows("host6", "nic"));
}

// The earliest of those that were found, whichever thread it was.
TEST(FaultyNetwork, OnThreadsTellsTheMismatchThatOneThreadTells) {
  const ScratchDirectory scratch;
  const std::string network = scratch.file(
      "mesh.yaml",
      "arbiter: {policy: bxi-deficit, queues: 2, max_packet_flits: 16, "
      "table: [{queue: 0, weight: 48}, {queue: 1, weight: 16}, {queue: 0, weight: 32}]}\n"
      "network:\n  topology: {kind: mesh, dims: [3, 3]}\n  link: {gbps: 400, delay_ns: 25}\n  "
      "flit_bytes: 64\n"
      "  switch: {input_queue_flits: 768, output_queue_flits: 768, crossbar_speedup: 2, "
      "flow_control: pfc}\n"
      "traffic:\n"
      "  - {name: a, queue: 0, pattern: uniform, load: 0.3, message_bytes: 1024}\n"
      "  - {name: b, queue: 1, pattern: uniform, load: 0.3, message_bytes: 512}\n"
      "run: {warmup_us: 0, measure_us: 20, seed: 1}\n");
  const auto run = [&](const std::string& threads) {
    const std::string found = scratch.path("found" + threads);
    const Outcome failed = run_command({"sim", network, "--fault", "search-wraps-one-late",
                                        "--threads", threads, "--reproducer", found});
    EXPECT_EQ(failed.status, 1);
    std::smatch says;
    EXPECT_TRUE(std::regex_search(failed.err, says, std::regex("mismatch in cycle .* at .*:")))
        << failed.err;
    const std::string log = contents(found + "/events.csv");
    EXPECT_NE(log, "");
    return std::pair(says[0].str(), log);
  };
  EXPECT_EQ(run("3"), run("1"));
}

// Ports that were not asked yet in the cycle of a mismatch are clocked as such for its waveform:
// with the request of the cycle before, one of them granted once more and was told of instead.
TEST(FaultyNetwork, AWaveformChangesNoMismatch) {
  const ScratchDirectory scratch;
  const std::string network = scratch.file(
      "a switch.yaml",
      "arbiter: {policy: rr, queues: 4, max_packet_flits: 16}\n"
      "network:\n  topology: {kind: single-switch, ports: 4}\n  link: {gbps: 400, delay_ns: 25}\n"
      "  flit_bytes: 64\n"
      "  switch: {input_queue_flits: 250, output_queue_flits: 40, crossbar_speedup: 2, "
      "flow_control: pfc}\n"
      "traffic:\n"
      "  - {name: a, queue: 0, pattern: hot-spot, to: 0, load: 0.9, message_bytes: 1024}\n"
      "  - {name: b, queue: 1, pattern: hot-spot, to: 0, load: 0.9, message_bytes: 512}\n"
      "run: {warmup_us: 1, measure_us: 50, seed: 1}\n");
  const std::string found = scratch.path("found");
  const auto run = [&](std::vector<std::string> more) {
    std::filesystem::remove_all(found);
    std::vector<std::string> arguments = {
        "sim", network, "--fault", "one-stop-holds-the-port", "--reproducer", found};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome failed = run_command(arguments);
    EXPECT_EQ(failed.status, 1);
    return failed.err;
  };
  const std::string alone = run({});
  EXPECT_THAT(alone, HasSubstr("the RTL no queue\n"));
  EXPECT_EQ(run({"--trace", scratch.path("t.fst")}), alone);
  EXPECT_THAT(
      contents(found + "/README.txt"),
      AllOf(HasSubstr("\nFound by: qosarb sim '" + network + "' --seed 1\n"),  // for a shell
            HasSubstr("\nBy itself the log fails in cycle ")));
}

// A mismatch before the window of the waveform is a failed check all the same.
TEST(FaultyNetwork, AWaveformThatDidNotBeginHidesNoMismatch) {
  const ScratchDirectory scratch;
  const Outcome failed = run_command({"sim", kStepDeficit, "--fault", "search-wraps-one-late",
                                      "--trace", scratch.path("t.fst"), "--trace-from", "400000",
                                      "--reproducer", scratch.path("found")});
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, HasSubstr("t.fst: not written: the run ended before cycle 400000"));
  EXPECT_THAT(failed.err, HasSubstr("mismatch in cycle "));
  const std::string longer =
      scratch.file("longer.csv", contents(scratch.path("found/events.csv")) + "400000,arb,,,\n");
  const Outcome replayed =
      run_command({"decide", "--config", scratch.path("found/config.yaml"), "--events", longer,
                   "--fault", "search-wraps-one-late", "--trace", scratch.path("d.fst"),
                   "--trace-from", "400000", "--reproducer", scratch.path("again")});
  EXPECT_EQ(replayed.status, 1);
  EXPECT_THAT(replayed.err, HasSubstr("mismatch in cycle "));
}

// The port that differs in a network leaves a log of its own, without having been watched.
TEST(FaultyNetwork, LeavesAReproducerOfOnePort) {
  for (const std::string fault : {"depletion-drops-deficit", "search-wraps-one-late"}) {
    const ScratchDirectory scratch;
    const Outcome simulated =
        run_command({"sim", kStepDeficit, "--fault", fault, "--reproducer", scratch.path("found")});
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

// The example of docs/debugging.md is a run of today's command.
TEST(FaultyNetwork, SaysWhatThePageShows) {
  const ScratchDirectory scratch;
  const Outcome simulated = run_command({"sim", kStepDeficit, "--fault", "depletion-drops-deficit",
                                         "--reproducer", scratch.path("found")});
  const std::string said = simulated.err.substr(0, simulated.err.find("  reproducer: "));
  EXPECT_THAT(said, HasSubstr("mismatch in cycle "));
  EXPECT_THAT(contents(QOSARB_SOURCE_DIR "/docs/debugging.md"), HasSubstr(said));
}

// A queue that has a packet to send, beside one that is stopped.
const char* const kHeldQueue = "arbiter: {policy: rr, queues: 2, max_packet_flits: 9}\n";
const char* const kHeldQueueEvents =
    "cycle,event,queue,flits,age\n0,arrive,0,3,\n0,arrive,1,3,\n0,stop,1,,\n1,arb,,,\n5,arb,,,\n";

// The states before a decision are compared after it, which may make them alike.
TEST(FaultyPort, StatesThatAreAlikeAgainAreToldAsTheyDiffered) {
  const ScratchDirectory scratch;
  const Outcome outcome = run_command(
      {"decide", "--config", scratch.file("config.yaml", kHeldQueue), "--events",
       scratch.file("events.csv", "cycle,event,queue,flits,age\n0,arrive,0,3,\n3,arb,,,\n"),
       "--fault", "rr-moves-without-request", "--reproducer", scratch.path("found")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("mismatch in cycle 3 at port: the states differ, though all decisions were "
                        "the same; before this one the reference's was [1], the RTL's [0]\n"));
}

// The second packet is too long for the 5 flits that the first one leaves, and the second turn of
// its entry, the only one with packets, has 8 and those 5: 5 are left. Without them it is granted,
// too, and the turn is over.
TEST(FaultyPort, WhatTheLastDecisionLeavesIsCompared) {
  const ScratchDirectory scratch;
  const Outcome outcome = run_command(
      {"decide", "--config",
       scratch.file("config.yaml",
                    "arbiter: {policy: bxi-deficit, queues: 2, max_packet_flits: 8,\n"
                    "  table: [{queue: 0, weight: 8}, {queue: 1, weight: 8}]}\n"),
       "--events",
       scratch.file("events.csv",
                    "cycle,event,queue,flits,age\n0,arrive,0,3,\n0,arrive,0,8,\n0,arb\n3,arb\n"),
       "--fault", "lone-entry-loses-deficit", "--reproducer", scratch.path("found")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("mismatch in cycle 3 at port: the states differ"),
                                 HasSubstr("\n  reference: current_entry=0 remaining_flits=5 "),
                                 HasSubstr("\n  RTL:       current_entry=1 remaining_flits=8 ")));
}

// Nothing else looks at that form.
TEST(FaultyPort, BothFormsOfAGrantAreTheSame) {
  const ScratchDirectory scratch;
  const Outcome outcome = run_command(
      {"decide", "--config", scratch.file("config.yaml", kHeldQueue), "--events",
       scratch.file("events.csv", "cycle,event,queue,flits,age\n3,arrive,0,3,\n3,arb,,,\n"),
       "--engine", "rtl", "--fault", "one-hot-of-the-next", "--reproducer", scratch.path("found")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("mismatch in cycle 3 at port: the RTL's grant is 0x2 one-hot, "
                                     "but 0 as an index"));
}

// A head that stands is enough: what it does to the state without a request is compared at the end.
TEST(FaultyPort, IsShrunkBesideItsLog) {
  const ScratchDirectory scratch;
  const std::string log = scratch.path("a log");
  std::filesystem::create_directory(log);
  const Outcome outcome = run_command(
      {"shrink", "--config", scratch.file("config.yaml", kHeldQueue), "--events",
       scratch.file("a log/e.csv",
                    "cycle,event,queue,flits,age\n0,arrive,1,2,\n0,arb\n5,arrive,0,3,\n8,arb\n"
                    "20,arrive,1,2,\n20,arb\n"),
       "--fault", "rr-moves-without-request"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(testing::StartsWith("1 of 6 events are left after "),
                                 EndsWith("\nTo replay it: qosarb decide --config '" + log +
                                          "/e-min.yaml' --events '" + log +
                                          "/e-min.csv' --engine lockstep --explain\n")));
  const std::string& story = outcome.out;
  EXPECT_EQ(story.find(" at queue "), story.rfind(" at queue ")) << story;
}

// Nor does standard error that nobody can write to.
TEST(FaultyPort, AMismatchThatCannotBeToldIsOneAllTheSame) {
  for (const char* nowhere : {"2>&-", "2>/dev/full"}) {
    const ScratchDirectory scratch;
    const Outcome outcome =
        run_command({"decide", "--config", scratch.file("config.yaml", kHeldQueue), "--events",
                     scratch.file("events.csv", kHeldQueueEvents), "--fault",
                     "rr-moves-without-request", "--reproducer", scratch.path("found")},
                    nowhere);
    EXPECT_EQ(outcome.status, 1) << nowhere;
    EXPECT_THAT(contents(scratch.path("found/README.txt")), HasSubstr("mismatch in cycle "));
  }
}

// Nor a disk that is full before the reproducer's waveform is written, of which the log is there.
TEST(FaultyPort, AFullDiskHidesNoMismatch) {
  const ScratchDirectory scratch;
  const std::string found = scratch.path("found");
  std::vector<std::string> decide = {"decide",
                                     "--config",
                                     scratch.file("config.yaml", kHeldQueue),
                                     "--events",
                                     scratch.file("events.csv", kHeldQueueEvents),
                                     "--fault",
                                     "rr-moves-without-request"};
  const auto with_room_for = [&decide, &found](rlim_t bytes) {
    std::filesystem::remove_all(found);
    std::vector<std::string> arguments = decide;
    arguments.insert(arguments.end(), {"--reproducer", found});
    const ResourceLimit full(RLIMIT_FSIZE, bytes);
    return run_command(arguments);
  };
  const std::string unlimited = with_room_for(RLIM_INFINITY).err;
  for (const rlim_t bytes : {0x1000, 0x2000}) {
    const Outcome outcome = with_room_for(bytes);
    EXPECT_EQ(outcome.status, 1) << bytes;
    EXPECT_THAT(outcome.err, EndsWith(unlimited)) << bytes;
    EXPECT_NE(contents(found + "/events.csv"), "");
    EXPECT_FALSE(std::filesystem::exists(found + "/waves.fst"));
  }
  // A file that is cut off says something else.
  EXPECT_EQ(with_room_for(0x10).status, 1);
  EXPECT_FALSE(std::filesystem::exists(found));
  // Of a run that is made again for a waveform, the first has found it.
  const std::string trace = scratch.path("t.fst");
  decide.insert(decide.end(), {"--trace", trace, "--trace-last", "3"});
  const Outcome again = with_room_for(0x1000);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, AllOf(HasSubstr(trace + ": the waveform could not be written completely"),
                               HasSubstr(unlimited.substr(0, unlimited.find("  reproducer: ")))));
  EXPECT_FALSE(std::filesystem::exists(trace));
}

// A waveform must not have the number of a stream that is closed, and get what is for that.
TEST(FaultyPort, AnExplanationIsNotWrittenIntoAWaveform) {
  const ScratchDirectory scratch;
  const std::string trace = scratch.path("t.fst");
  const Outcome outcome = run_command(
      {"decide", "--config", scratch.file("config.yaml", kHeldQueue), "--events",
       scratch.file("events.csv", kHeldQueueEvents), "--fault", "rr-moves-without-request",
       "--explain", "--trace", trace, "--reproducer", scratch.path("found")},
      "<&- >&-");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("standard output: cannot be written"),
                                 HasSubstr("mismatch in cycle ")));
  EXPECT_THAT(contents(trace), AllOf(Not(HasSubstr("# cycle")), Not(::testing::IsEmpty())));
}

// As of a reader that has seen enough.
TEST(FaultyPort, AnExplanationThatCannotBeWrittenHidesNoMismatch) {
  const ScratchDirectory scratch;
  const Outcome outcome =
      run_command({"decide", "--config", scratch.file("config.yaml", kHeldQueue), "--events",
                   scratch.file("events.csv", kHeldQueueEvents), "--fault",
                   "rr-moves-without-request", "--explain", "--reproducer", scratch.path("found")},
                  ">/dev/full");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("standard output: cannot be written"),
                                 HasSubstr("mismatch in cycle ")));
  EXPECT_NE(contents(scratch.path("found/events.csv")), "");
}

// RTL that runs alone is held to what any port must do by the checks that are bound to it.
TEST(BoundChecks, EndARunOfTheRtlAlone) {
  const ScratchDirectory scratch;
  const auto run = [](const std::string& config, const std::string& events,
                      const std::vector<std::string>& more) {
    std::vector<std::string> command = {"decide", "--config", config, "--events",
                                        events,   "--engine", "rtl"};
    command.insert(command.end(), more.begin(), more.end());
    return run_command(command);
  };
  const std::string config = scratch.file("config.yaml", kHeldQueue);
  const std::string events = scratch.file("events.csv", kHeldQueueEvents);
  const std::string fault = "one-stop-holds-the-port";
  EXPECT_EQ(run(config, events, {}).status, 0);
  EXPECT_EQ(run(config, events, {"--fault", fault}).status, 0);  // nobody looks
  const Outcome alone = run(
      config, events, {"--fault", fault, "--bound-checks", "--reproducer", scratch.path("found")});
  EXPECT_EQ(alone.status, 1);
  const std::string verdict = "mismatch in cycle 5 at port: a check that is bound to the RTL fails";
  EXPECT_THAT(alone.err, AllOf(HasSubstr("grant_if_possible: "), HasSubstr(verdict)));
  const Outcome again =
      run(scratch.path("found/config.yaml"), scratch.path("found/events.csv"),
          {"--fault", fault, "--bound-checks", "--reproducer", scratch.path("again")});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr(verdict));
}

// A packet of the first epoch stands when the second one ends, 512 ticks after the beginning.
TEST(BoundChecks, OfTheAgeClockEndTheRunOfAPort) {
  const ScratchDirectory scratch;
  const std::vector<std::string> run = {
      "decide",
      "--config",
      scratch.file(
          "config.yaml",
          "arbiter: {policy: seastar-age, queues: 2, max_packet_flits: 1, vcs: 2,\n"
          "  req_age_bias: [0], rsp_age_bias: [0], age_clock_period: 1, age_rr_select: 0}\n"),
      "--events",
      scratch.file("events.csv", "cycle,event,queue,flits,age\n0,arrive,0,1,\n600,arb\n"),
      "--engine",
      "rtl",
      "--fault",
      "rollover-waits-for-nobody"};
  EXPECT_EQ(run_command(run).status, 0);  // nobody looks
  std::vector<std::string> checked = run;
  checked.insert(checked.end(), {"--bound-checks", "--reproducer", scratch.path("found")});
  const Outcome outcome = run_command(checked);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no_two_epochs_behind: "),
                                 HasSubstr(" at port: a check that is bound to the RTL fails")));
}

// Of many ports the check is that of one; stderr has its name from the RTL.
TEST(BoundChecks, InANetworkAreThoseOfThePortThatTheyAreBoundTo) {
  const std::string network =
      "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\n"
      "network:\n  topology: {kind: mesh, dims: [3, 3]}\n  link: {gbps: 400, delay_ns: 25}\n"
      "  flit_bytes: 64\n"
      "  switch: {input_queue_flits: 768, output_queue_flits: 768, crossbar_speedup: 2, "
      "flow_control: credit}\n"
      "traffic:\n"
      "  - {name: a, queue: 0, pattern: hot-spot, to: 0, load: 0.3, message_bytes: 1024}\n"
      "  - {name: b, queue: 1, pattern: uniform, load: 0.3, message_bytes: 512}\n"
      "run: {warmup_us: 0, measure_us: 20, seed: 1}\n";
  const ScratchDirectory scratch;
  const std::string scenario = scratch.file("mesh.yaml", network);
  for (const char* const threads : {"1", "3"}) {
    const std::string found = scratch.path(std::string("found") + threads);
    const Outcome outcome =
        run_command({"sim", scenario, "--engine", "rtl", "--threads", threads, "--fault",
                     "one-stop-holds-the-port", "--bound-checks", "--reproducer", found});
    EXPECT_EQ(outcome.status, 1);
    std::smatch check;
    ASSERT_TRUE(
        std::regex_search(outcome.err, check,
                          std::regex("Assertion failed in ([a-z0-9]+)[ .]([a-z0-9]+)[.]port_pins")))
        << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(" at " + check[1].str() + "." + check[2].str() +
                                       ": a check that is bound to the RTL fails"));
    EXPECT_THAT(contents(found + "/README.txt"), HasSubstr("By itself the log fails in cycle "));
  }
}

// Decides a log whose decision in cycle 0 the fault makes wrong.
Outcome decide_wrongly_in_the_first_cycle(const ScratchDirectory& scratch,
                                          const std::string& reproducer,
                                          const std::vector<std::string>& more = {}) {
  const std::string config =
      scratch.file("c.yaml", "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\n");
  const std::string events =
      scratch.file("e.csv", "cycle,event,queue,flits,age\n0,arrive,1,3,\n0,stop,1,,\n0,arb,,,\n");
  std::vector<std::string> arguments = {
      "decide",       "--config", config, "--events", events, "--fault", "rr-serves-stopped-queues",
      "--reproducer", reproducer};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_command(arguments);
}

// Without the RTL nothing would be found, and nothing said.
TEST(FaultyPort, AFaultIsOfRtlThatRuns) {
  const ScratchDirectory scratch;
  const std::string events = scratch.file("e.csv", "cycle,event,queue,flits,age\n0,arrive,0,1,\n");
  const auto expect_refused = [&](const std::string& longest, std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        "decide",
        "--config",
        scratch.file("c.yaml",
                     "arbiter: {policy: rr, queues: 2, max_packet_flits: " + longest + "}\n"),
        "--events",
        events,
        "--fault",
        "rr-serves-stopped-queues"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_command(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("--fault: the RTL has it, and --engine model runs none"));
  };
  expect_refused("80", {"--engine", "model"});
  expect_refused("100000", {});  // longer than any that the RTL holds
}

// An RTL that grants what is not there ends the cycle in which it does as any other does.
TEST(FaultyPort, AGrantOfWhatIsNotThereIsToldWithBothStatesAndAWaveform) {
  const ScratchDirectory scratch;
  const std::string found = scratch.path("found");
  const std::string trace = scratch.path("t.fst");
  const Outcome outcome = decide_wrongly_in_the_first_cycle(scratch, found, {"--trace", trace});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the RTL grants queue 1, which is not active\n"
                                     "  candidates: queue 1: 3 flits stopped\n"
                                     "  reference: last=1\n"
                                     "  RTL:       last="));
  EXPECT_TRUE(std::filesystem::exists(found + "/waves.fst"));
  EXPECT_THAT(contents(found + "/README.txt"),
              AllOf(HasSubstr("\nReplay: "), HasSubstr("gtkwave")));
  EXPECT_TRUE(waveform_in_text(scratch, trace).find("\n#500\n") != std::string::npos)
      << "no clock edge";
}

// What was shown up to the end of the cycle in which nobody wins beside a queue that is stopped,
// and no more; of a log that can be read but once, too.
TEST(FaultyPort, AReproducerHasAllThatThePortWasShown) {
  const ScratchDirectory scratch;
  std::string shown =
      "cycle,event,queue,flits,age\n0,arrive,0,3,0\n1,arb,,,\n2,arrive,0,3,0\n2,arrive,1,3,0\n"
      "2,stop,1,,\n2,arb,,,\n";
  const std::string log = shown + "3,arrive,0,1,0\n3,arb,,,\n";
  std::string cycle = "2";
  const std::string file = scratch.file("e.csv", log);
  const std::string found = scratch.path("found");
  const auto decide = [&](const std::string& events, const std::vector<std::string>& more,
                          const std::string& redirection) {
    std::filesystem::remove_all(found);
    std::vector<std::string> arguments = {
        "decide", "--config", scratch.file("c.yaml", kHeldQueue), "--events",
        events,   "--fault",  "one-stop-holds-the-port",          "--reproducer",
        found};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(run_command(arguments, redirection).err,
                HasSubstr("mismatch in cycle " + cycle + " at port"));
    EXPECT_EQ(contents(found + "/events.csv"), shown);
  };
  decide(file, {}, "");
  const std::string pipe = "<<'END'\n" + log + "END\n:";
  decide("/dev/stdin", {}, pipe);
  // A waveform ends with that cycle, which is marked.
  const std::string trace = scratch.path("t.fst");
  for (const auto& [options, first] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--trace", trace}, "\n#0\n"},
           {{"--trace", trace, "--trace-last", "2"}, "\n#1000\n"}}) {
    decide(file, options, "");
    const std::string text = waveform_in_text(scratch, trace);
    EXPECT_EQ(text.find("\n#"), text.find(first));
    EXPECT_EQ(text.rfind("\n#"), text.find("\n#2500\n"));
    EXPECT_THAT(contents(scratch.path("t.gtkw")), HasSubstr(" 2000 -1"));
  }
  // The check that is bound to the RTL fails a cycle later.
  const std::vector<std::string> alone = {"--engine", "rtl", "--bound-checks"};
  shown = log;
  cycle = "3";
  decide(file, alone, "");
  decide("/dev/stdin", alone, pipe);
}

// A directory as a shell completes it.
TEST(FaultyPort, ASecondReproducerStandsBesideTheFirst) {
  const ScratchDirectory scratch;
  for (const char* const name : {"found", "found-1", "found-2"}) {
    const Outcome outcome = decide_wrongly_in_the_first_cycle(scratch, scratch.path("found/"));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("\n  reproducer: " + scratch.path(name) + "\n"));
    EXPECT_TRUE(std::filesystem::exists(scratch.path(name) + "/README.txt"));
  }
}

// A reproducer is handed on: what its README says is done where it has come to.
TEST(FaultyNetwork, AReproducerIsReplayedWhereItHasBeenMovedTo) {
  const ScratchDirectory scratch;
  const std::string fault = "depletion-drops-deficit";
  const Outcome simulated =
      run_command({"sim", kStepDeficit, "--fault", fault, "--reproducer", scratch.path("found")});
  ASSERT_EQ(simulated.status, 1);
  const std::string moved = scratch.path("moved to");
  std::filesystem::rename(scratch.path("found"), moved);
  const std::string text = contents(moved + "/README.txt");
  std::smatch replay;
  ASSERT_TRUE(std::regex_search(text, replay, std::regex("\nReplay: +qosarb (.*)\n"))) << text;
  const auto status = [&](const std::string& more) {
    return std::system(fmt::format("cd '{}' && {} {} {} >/dev/null 2>&1", moved, QOSARB_COMMAND,
                                   replay[1].str(), more)
                           .c_str());
  };
  EXPECT_EQ(WEXITSTATUS(status("--fault " + fault)), 1);
  EXPECT_EQ(WEXITSTATUS(status("")), 0);
}

// RTL that runs alone may go astray long before it does what no port may: the log is of what it
// saw.
TEST(FaultyNetwork, OfTheRtlAloneLeavesWhatTheRtlWasShown) {
  const ScratchDirectory scratch;
  const std::string scenario = scratch.file(
      "s.yaml",
      "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\n"
      "arbiters: [{at: nics, arbiter: {policy: bxi-deficit, queues: 2, max_packet_flits: 16, "
      "table: [{queue: 0, weight: 24}, {queue: 1, weight: 20}]}}]\n"
      "network:\n  topology: {kind: mesh, dims: [3, 3]}\n  link: {gbps: 400, delay_ns: 10}\n"
      "  flit_bytes: 64\n"
      "  switch: {architecture: input-queued, input_queue_flits: 64, flow_control: credit}\n"
      "traffic:\n"
      "  - {name: a, queue: 0, pattern: uniform, load: 0.7, message_bytes: {range: [64, 1024]}}\n"
      "  - {name: b, queue: 1, pattern: uniform, load: 0.7, message_bytes: {range: [64, 1024]}}\n"
      "run: {warmup_us: 0, measure_us: 100, seed: 4}\n");
  const std::string fault = "stop-ignored-for-current";
  const std::string found = scratch.path("found");
  const Outcome alone =
      run_command({"sim", scenario, "--engine", "rtl", "--fault", fault, "--reproducer", found});
  EXPECT_EQ(alone.status, 1);
  std::smatch what;
  ASSERT_TRUE(std::regex_search(
      alone.err, what,
      std::regex("mismatch in cycle ([0-9]+) at [a-z0-9]+[.][a-z0-9]+: (the RTL grants.*)")))
      << alone.err;
  const Outcome compared =
      run_command({"sim", scenario, "--fault", fault, "--reproducer", scratch.path("compared")});
  EXPECT_THAT(compared.err, Not(HasSubstr("in cycle " + what[1].str() + " at "))) << "no test";
  EXPECT_THAT(contents(found + "/README.txt"),
              HasSubstr("\nFound by: qosarb sim " + scenario + " --seed 4 --engine rtl\n"));
  const Outcome replayed =
      run_command({"decide", "--config", found + "/config.yaml", "--events", found + "/events.csv",
                   "--engine", "rtl", "--fault", fault, "--reproducer", scratch.path("again")});
  EXPECT_EQ(replayed.status, 1);
  EXPECT_THAT(replayed.err,
              HasSubstr("mismatch in cycle " + what[1].str() + " at port: " + what[2].str()));
}

// A line of SeaStar routers with three ports each, which share the router's age clock.
const char* const kRouters =
    "arbiter: {policy: seastar-age, queues: 12, max_packet_flits: 9, vcs: 4, age_clock_period: 1,\n"
    "  req_age_bias: [1, 2, 3], rsp_age_bias: [1, 2, 3], age_rr_select: 0xffffffffffffffff}\n"
    "network:\n"
    "  topology: {kind: mesh, dims: [4]}\n"
    "  link: {gbps: 32, delay_ns: 20}\n"
    "  flit_bytes: 8\n"
    "  switch: {architecture: seastar, vcs: 4, input_queue_flits: 96, output_queue_flits: 16,\n"
    "    flow_control: credit, pipeline: {input: 0, crossbar: 4, output: 10}}\n"
    "traffic:\n"
    "  - {name: requests, queue: 0, pattern: uniform, load: 0.9, message_bytes: 72, arrival: "
    "poisson}\n"
    "  - {name: responses, queue: 2, pattern: uniform, load: 0.7, message_bytes: 40, arrival: "
    "poisson}\n"
    "run: {warmup_us: 0, measure_us: 50, seed: 3}\n";

// That the fault makes in the scenario; `found` is what it leaves.
std::string cycle_of_mismatch_at_a_switch(const std::string& scenario, const std::string& fault,
                                          const std::string& found) {
  const Outcome simulated = run_command({"sim", scenario, "--fault", fault, "--reproducer", found});
  EXPECT_EQ(simulated.status, 1);
  std::smatch where;
  EXPECT_TRUE(std::regex_search(simulated.err, where,
                                std::regex("mismatch in cycle ([0-9]+) at switch[0-9]+[.]port")))
      << simulated.err;
  return where[1];
}

// What the port does depends on packets that it never sees: its log has them.
TEST(FaultyNetwork, LeavesAReproducerOfAPortThatSharesItsChipsClock) {
  const ScratchDirectory scratch;
  const std::string scenario = scratch.file("s.yaml", kRouters);
  EXPECT_EQ(run_command({"sim", scenario, "--engine", "lockstep"}).status, 0);
  for (const std::string fault :
       {"age-choice-not-inhibited", "rollover-not-added", "rollover-waits-for-nobody"}) {
    SCOPED_TRACE(fault);
    const std::string found = scratch.path(fault);
    const std::string cycle = cycle_of_mismatch_at_a_switch(scenario, fault, found);
    EXPECT_THAT(contents(found + "/README.txt"),
                AllOf(HasSubstr("--raw"), HasSubstr("By itself the log fails in cycle ")));
    const std::string log = contents(found + "/events.csv");
    EXPECT_THAT(log, HasSubstr(",stamp,"));
    const std::vector<std::string> replay = {
        "decide", "--config",     found + "/config.yaml", "--events", found + "/events.csv",
        "--raw",  "--reproducer", found + "-again"};
    std::vector<std::string> faulty = replay;
    faulty.insert(faulty.end(), {"--fault", fault});
    const Outcome replayed = run_command(faulty);
    EXPECT_EQ(replayed.status, 1) << replayed.err;
    if (log.find(",enter,") != std::string::npos) {  // all that the chip's clock counted
      EXPECT_THAT(replayed.err, HasSubstr("mismatch in cycle " + cycle + " at port"));
    }
    EXPECT_EQ(run_command(replay).status, 0);
  }
}

// An arbiter may be shown packets of several queues in turn: of the inputs of a switch without
// output queues, or of the virtual channels of a class.
TEST(FaultyNetwork, LeavesAReproducerWhereHeadsGoWithoutAGrant) {
  const std::string deficit =
      "{policy: bxi-deficit, queues: 2, max_packet_flits: 16, "
      "table: [{queue: 0, weight: 24}, {queue: 1, weight: 20}]}";
  const std::string ages =
      "{policy: seastar-age, queues: 4, max_packet_flits: 16, vcs: 4, age_clock_period: 1, "
      "req_age_bias: [1], rsp_age_bias: [1], age_rr_select: 0xffffffffffffffff}";
  const std::string rr = "{policy: rr, queues: 2, max_packet_flits: 16}";
  const std::string rr_of_four = "{policy: rr, queues: 4, max_packet_flits: 16}";
  const std::string inputs =
      "  switch: {architecture: input-queued, input_queue_flits: 64, flow_control: credit}\n";
  const std::string channels =
      "  channels_per_queue: 2\n"
      "  switch: {input_queue_flits: 256, output_queue_flits: 64, crossbar_speedup: 2, "
      "flow_control: credit}\n";
  struct Case {
    const char* name;
    std::string arbiter;
    std::string of_nics;  ///< without the fault
    std::string switches;
    const char* fault;
  };
  int withdrawn = 0;
  for (const auto& [name, arbiter, of_nics, switches, fault] :
       {Case{"Inputs", deficit, rr, inputs, "depletion-drops-deficit"},
        Case{"NoRequest", rr, deficit, inputs, "rr-moves-without-request"},
        Case{"Ages", ages, rr_of_four, inputs, "rollover-not-added"},
        Case{"Channels", deficit, rr, channels, "depletion-drops-deficit"}}) {
    SCOPED_TRACE(name);
    const ScratchDirectory scratch;
    std::string text = "arbiter: " + arbiter + "\narbiters: [{at: nics, arbiter: " + of_nics +
                       "}]\n"
                       "network:\n  topology: {kind: mesh, dims: [3, 3]}\n"
                       "  link: {gbps: 400, delay_ns: 10}\n  flit_bytes: 64\n" +
                       switches + "traffic:\n";
    for (const int queue : switches == inputs ? std::vector{0, 1} : std::vector{0, 1, 2, 3}) {
      text += fmt::format(
          "  - {{name: level{0}, queue: {0}, pattern: uniform, load: 0.7, message_bytes: {{range: "
          "[64, 1024]}}}}\n",
          queue);
    }
    const std::string scenario =
        scratch.file("s.yaml", text + "run: {warmup_us: 0, measure_us: 100, seed: 4}\n");
    const std::string found = scratch.path("found");
    const std::string cycle = cycle_of_mismatch_at_a_switch(scenario, fault, found);
    EXPECT_THAT(contents(found + "/README.txt"), HasSubstr("By itself the log fails in cycle "));
    const std::string log = contents(found + "/events.csv");
    withdrawn += log.find(",withdraw,") != std::string::npos ? 1 : 0;
    const std::vector<std::string> log_of_it = {"--config", found + "/config.yaml", "--events",
                                                found + "/events.csv", "--raw"};
    const auto run = [&log_of_it](std::vector<std::string> command,
                                  const std::vector<std::string>& more) {
      command.insert(command.end(), log_of_it.begin(), log_of_it.end());
      command.insert(command.end(), more.begin(), more.end());
      return run_command(command);
    };
    const Outcome replayed =
        run({"decide"}, {"--fault", fault, "--reproducer", scratch.path("again")});
    EXPECT_EQ(replayed.status, 1);
    EXPECT_THAT(replayed.err, HasSubstr("mismatch in cycle " + cycle + " at port"));
    EXPECT_EQ(contents(scratch.path("again/events.csv")), log);
    EXPECT_EQ(run({"decide"}, {"--engine", "lockstep"}).status, 0);
    const Outcome shrunk = run({"shrink"}, {"--fault", fault});
    EXPECT_EQ(shrunk.status, 0) << shrunk.err;
    const std::string least = contents(found + "/events-min.csv");
    EXPECT_LE(std::count(least.begin(), least.end(), '\n'), 16) << least;
  }
  EXPECT_GT(withdrawn, 0);
}

// Deep in a large network: the log is that of one port and its chip, and shrinks to a few events.
TEST(FaultyNetwork, OfManyRoutersLeavesAReproducerAsSmallAsThatOfAPort) {
  const ScratchDirectory scratch;
  std::string routers = kRouters;
  const auto replace = [&routers](const std::string& before, const std::string& after) {
    routers.replace(routers.find(before), before.size(), after);
  };
  replace("kind: mesh, dims: [4]}", "kind: torus, dims: [512]}\n  routing: dateline");
  replace("age_clock_period: 1", "age_clock_period: 8");
  replace("queue: 2", "queue: 1");  // the second service level: two virtual channels for each
  for (const char* load : {"uniform, load: 0.9", "uniform, load: 0.7"}) {
    replace(load, "permutation, permutation: shift, shift: 5, load: 0.05");
  }
  replace("message_bytes: 40", "message_bytes: 72");
  const std::string scenario = scratch.file("s.yaml", routers);
  const std::string fault = "rollover-not-added";
  const std::string found = scratch.path("found");
  const Outcome simulated = run_command({"sim", scenario, "--fault", fault, "--reproducer", found});
  EXPECT_EQ(simulated.status, 1);
  std::smatch where;
  ASSERT_TRUE(std::regex_search(simulated.err, where,
                                std::regex("mismatch in cycle ([0-9]+) at switch([0-9]+)[.]port")))
      << simulated.err;
  const std::string log = contents(found + "/events.csv");
  EXPECT_THAT(log, HasSubstr(",stamp,"));
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 1000);
  const Outcome shrunk = run_command({"shrink", "--config", found + "/config.yaml", "--events",
                                      found + "/events.csv", "--raw", "--fault", fault});
  EXPECT_EQ(shrunk.status, 0) << shrunk.err;
  const std::string least = contents(found + "/events-min.csv");
  EXPECT_LE(std::count(least.begin(), least.end(), '\n'), 10);
  std::vector<std::string> replay = {"decide",
                                     "--config",
                                     found + "/events-min.yaml",
                                     "--events",
                                     found + "/events-min.csv",
                                     "--raw",
                                     "--engine",
                                     "lockstep"};
  EXPECT_EQ(run_command(replay).status, 0);
  replay.insert(replay.end(), {"--fault", fault, "--reproducer", found + "-again"});
  EXPECT_EQ(run_command(replay).status, 1);
}

}  // namespace
}  // namespace qosarb::test
