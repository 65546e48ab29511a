// qosarb decide: what it prints, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "refusal.hpp"
#include "run_command.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const char* const kRr = "arbiter:\n  policy: rr\n  queues: 3\n  max_packet_flits: 16\n";
const char* const kHeader = "cycle,event,queue,flits,age\n";

Outcome decide(const std::string& config, const std::string& events,
               const std::vector<std::string>& more = {}) {
  const ScratchDirectory scratch;
  std::vector<std::string> arguments = {"decide", "--config", scratch.file("c.yaml", config),
                                        "--events", scratch.file("e.csv", events)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_command(arguments);
}

TEST(Decide, PrintsOneRowForEachArbitration) {
  const Outcome outcome = decide(kRr, std::string(kHeader) +
                                          "0,arrive,2,16,7\n"
                                          "0,arrive,0,3,\n"
                                          "0,stop,0,,\n"
                                          "0,arb,,,\n"
                                          "5,arb,-1,0,0\n"
                                          "6,start,0\n"
                                          "6,arb\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "cycle,queue,flits,age\n0,2,16,7\n5,-1,0,0\n6,0,3,0\n");
}

TEST(Decide, AcceptsCarriageReturnsAndALogWithoutEvents) {
  EXPECT_EQ(decide(kRr, "cycle,event,queue,flits,age\r\n3,arrive,1,2,0\r\n3,arb,,,\r\n").out,
            "cycle,queue,flits,age\n3,1,2,0\n");
  EXPECT_EQ(decide(kRr, kHeader).out, "cycle,queue,flits,age\n");
}

TEST(Decide, TakesALastLineWithoutItsEndOnlyIfItIsWhole) {
  const std::string log = std::string(kHeader) + "3,arrive,1,12,0\n";
  EXPECT_EQ(decide(kRr, log + "4,arb,,,").out, "cycle,queue,flits,age\n4,1,12,0\n");
  EXPECT_EQ(decide(kRr, log + "4,arrive,0,16,0").status, 0);
  const std::string last = "4,arrive,0,16,0";
  for (std::size_t kept = 1; kept + 1 < last.size(); ++kept) {
    expect_refused(decide(kRr, log + last.substr(0, kept)), "e.csv:3: ", "");
  }
  EXPECT_EQ(decide(kRr, log + "4,arb").out, "cycle,queue,flits,age\n4,1,12,0\n");
  expect_refused(decide(kRr, log + ",arb"), "e.csv:3: ", "the last line is cut off");
  expect_refused(decide(kRr, log + "4x,arb"), "e.csv:3: ", "cycle is '4x'");
}

struct BadLog {
  std::string name;
  std::string text;
  int line;
  std::string fault;
};

void PrintTo(const BadLog& bad, std::ostream* out) { *out << bad.name; }

class BadLogTest : public ::testing::TestWithParam<BadLog> {};

TEST_P(BadLogTest, IsRefusedWithoutAnyDecision) {
  const auto& [name, text, line, fault] = GetParam();
  expect_refused(decide(kRr, text), "e.csv:" + std::to_string(line) + ": ", fault);
}

std::string after_good_rows(const std::string& row) {
  return std::string(kHeader) + "2,arrive,0,1,0\n2,arb,,,\n" + row + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Decide, BadLogTest,
    ::testing::Values(
        BadLog{"Empty", "", 1, "is empty"}, BadLog{"NoHeader", "0,arb,,,\n", 1, "header"},
        BadLog{"ShortHeader", "cycle,event,queue,flits\n", 1, "header"},
        BadLog{"TimeGoesBack", after_good_rows("1,arb,,,"), 4, "cycle 1 stands after cycle 2"},
        BadLog{"SecondArb", after_good_rows("2,arb,,,"), 4, "second arb in cycle 2"},
        BadLog{"EventAfterArb", after_good_rows("2,arrive,0,1,0"), 4, "after the arb of cycle 2"},
        BadLog{"QueueTooHigh", after_good_rows("3,arrive,3,1,0"), 4, "queue is '3'"},
        BadLog{"QueueNegative", after_good_rows("3,arrive,-1,1,0"), 4, "queue is '-1'"},
        BadLog{"QueueMissing", after_good_rows("3,stop,,,"), 4, "queue is ''"},
        BadLog{"FlitsTooMany", after_good_rows("3,arrive,0,17,0"), 4, "flits is '17'"},
        BadLog{"FlitsZero", after_good_rows("3,arrive,0,0,0"), 4, "flits is '0'"},
        BadLog{"FlitsMissing", after_good_rows("3,arrive,0,,0"), 4, "flits is ''"},
        BadLog{"AgeTooHigh", after_good_rows("3,arrive,0,1,256"), 4, "age is '256'"},
        BadLog{"TooManyFields", after_good_rows("3,arrive,0,1,0,0"), 4, "more than 5 fields"},
        BadLog{"UnknownEvent", after_good_rows("3,leave,0,1,0"), 4, "event is 'leave'"},
        BadLog{"FlitsOfAStop", after_good_rows("3,stop,0,4,"), 4, "stop has no flits"},
        BadLog{"QueueOfAnArb", after_good_rows("3,arb,1,,"), 4, "arb has no queue"},
        BadLog{"CycleWithLetter", after_good_rows("3x,arb,,,"), 4, "cycle is '3x'"},
        BadLog{"CycleWithSpace", after_good_rows(" 3,arb,,,"), 4, "cycle is ' 3'"},
        BadLog{"CycleNegative", after_good_rows("-3,arb,,,"), 4, "cycle is '-3'"},
        BadLog{"CycleBeyond64Bits", after_good_rows("99999999999999999999,arb,,,"), 4,
               "not within"},
        BadLog{"EmptyLine", after_good_rows(""), 4, "cycle is ''"},
        BadLog{"EmptyLastLine", after_good_rows("3,arb,,,\n\n"), 5, "cycle is ''"},
        BadLog{"EndlessLine", after_good_rows(std::string(100000, '7')), 4, "too long"},
        BadLog{"LongEvent", after_good_rows("3," + std::string(100, 'a') + ",0"), 4,
               "event is '" + std::string(20, 'a')},
        BadLog{"NoText", after_good_rows("3,a\x7frb,0"), 4, "event is 'a?rb'"},
        BadLog{"NulByte", after_good_rows(std::string("3,a\0rb,,,", 9)), 4, "event is 'a?rb'"}),
    [](const auto& bad) { return bad.param.name; });

const std::vector<std::string> kEngines = {"model", "rtl", "lockstep"};

// round robin, a table that lets queue 1 send twice as much, and packets that became too long.
const char* const kSections =
    "arbiter:\n  policy: rr\n  queues: 2\n  max_packet_flits: 16\n"
    "commits:\n"
    "  - {policy: bxi-basic, queues: 2, max_packet_flits: 16, table: [{queue: 1, weight: 32}, "
    "{queue: 0, weight: 16}]}\n"
    "  - policy: bxi-basic\n    queues: 2\n    max_packet_flits: 4\n"
    "    table: [{queue: 0, weight: 4}, {queue: 1, weight: 8}]\n";

// A head of 0 flits counts as 1, and the row shows 0.
TEST(DecideRaw, TakesHeadsOf0FlitsAndTooLongOnes) {
  // Of entry 0's turn of 16 flits the head of 0 takes 1, the next one the other 15. Queue 1's turn
  // begins with 1023 flits, which fit it whatever their length, and ends; queue 0's with 1000.
  const std::string config =
      "arbiter:\n  policy: bxi-basic\n  queues: 2\n  max_packet_flits: 16\n"
      "  table: [{queue: 0, weight: 16}, {queue: 1, weight: 16}]\n";
  const std::string log = std::string(kHeader) +
                          "0,arrive,0,0,\n0,arrive,0,15,\n0,arrive,1,1023,\n0,arrive,1,1,\n"
                          "0,arrive,0,1000,\n0,arb\n1,arb\n2,arb\n3,arb\n4,arb\n5,arb\n";
  for (const std::string& engine : kEngines) {
    const Outcome outcome = decide(config, log, {"--raw", "--engine", engine});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out,
              "cycle,queue,flits,age\n0,0,0,0\n1,0,15,0\n2,1,1023,0\n3,0,1000,0\n4,1,1,0\n"
              "5,-1,0,0\n");
  }
  EXPECT_EQ(decide(config, log, {"--raw"}).err, "");  // the RTL shows 1023 flits
  expect_refused(decide(config, log), "e.csv:2: ", "flits is '0'");
  // Heads that no pin of the RTL can show are for the reference alone.
  const std::string endless = std::string(kHeader) + "0,arrive,0,4294967295,\n0,arb\n";
  EXPECT_EQ(decide(config, endless, {"--raw", "--engine", "model"}).out,
            "cycle,queue,flits,age\n0,0,4294967295,0\n");
  expect_refused(decide(config, std::string(kHeader) + "0,arrive,0,4294967296,\n",
                        {"--raw", "--engine", "model"}),
                 "e.csv:2: ", "not within 0..4294967295\n");
  const Outcome chosen = decide(config, endless, {"--raw"});
  EXPECT_EQ(chosen.status, 0);
  EXPECT_EQ(chosen.out, "cycle,queue,flits,age\n0,0,4294967295,0\n");
  EXPECT_THAT(chosen.err, AllOf(StartsWith("qosarb: engine model: "),
                                HasSubstr("e.csv has a packet of 4294967295 flits, the RTL's have "
                                          "up to 1023\n")));
  const ScratchDirectory scratch;
  const std::string trace = scratch.path("t.fst");
  for (const std::vector<std::string>& rtl : std::vector<std::vector<std::string>>{
           {"--engine", "rtl"}, {"--engine", "lockstep"}, {"--trace", trace}}) {
    expect_refused(decide(config, endless, {"--raw", rtl[0], rtl[1]}),
                   "e.csv:2: ", "not within 0..1023 of the RTL; --engine model takes more");
  }
  EXPECT_FALSE(std::filesystem::exists(trace));
}

// The model runs what no RTL can hold, be it a later commit.
TEST(DecideRaw, WhatTheRtlCannotHoldIsTheModels) {
  const std::string sections =
      "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\n"
      "commits:\n  - {policy: rr, queues: 2, max_packet_flits: 1024}\n";
  const std::string log = std::string(kHeader) + "0,arrive,0,1,\n1,commit,0,,\n1,arb\n";
  EXPECT_EQ(decide(sections, log, {"--raw"}).out, "cycle,queue,flits,age\n1,0,1,0\n");
  expect_refused(decide(sections, log, {"--raw", "--engine", "lockstep"}), "c.yaml:3: ", "1024");
}

TEST(DecideRaw, CommitsTakeEffectBeforeTheirCycle) {
  // By hand. Cycle 2 commits the first table: queue 1 has a turn of 32 flits, then queue 0 one of
  // 16. Cycle 5 commits the second, in the middle of a turn: queue 0 goes first again, with a
  // packet of 16 flits where 4 are the longest; its turn ends with it. Then 16 flits of queue 1 are
  // too long as well, and so on in turn.
  std::string log = kHeader;
  for (int packet = 0; packet < 6; ++packet) {
    log += "0,arrive,0,16,\n0,arrive,1,16,\n";
  }
  log += "0,arb\n1,arb\n2,commit,0,,\n2,arb\n3,arb\n4,arb\n5,commit,1\n5,arb\n6,arb\n7,arb\n";
  const std::string expected =
      "cycle,queue,flits,age\n0,0,16,0\n1,1,16,0\n2,1,16,0\n3,1,16,0\n4,0,16,0\n5,0,16,0\n"
      "6,1,16,0\n7,0,16,0\n";
  for (const std::string& engine : kEngines) {
    const Outcome outcome = decide(kSections, log, {"--raw", "--engine", engine});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, expected);
  }
  const Outcome explained = decide(kSections, log, {"--raw", "--explain"});
  EXPECT_THAT(
      explained.out,
      HasSubstr("# cycle 5: a commit brings bxi-basic into force, packets of up to 4 flits"));
  // The commits cost no simulated time, not in a waveform either.
  const ScratchDirectory scratch;
  const Outcome traced = decide(kSections, log, {"--raw", "--trace", scratch.path("t.fst")});
  EXPECT_EQ(traced.err, "");
  EXPECT_EQ(traced.out, expected);
}

const char* const kAges =
    "arbiter: {policy: seastar-age, queues: 4, max_packet_flits: 9, vcs: 2,\n"
    "  req_age_bias: [1, 0], rsp_age_bias: [0, 0], age_clock_period: 1,\n"
    "  age_rr_select: 0xffffffffffffffff}\n";

// The clock's timestamp grows by 1 a cycle: a packet's age is its age when it was stamped, with
// the bias of 1 of input 0's requests, and the cycles since.
TEST(DecideRaw, PacketsOfAChipAreStampedBeforeTheyCome) {
  const std::string log = std::string(kHeader) +
                          "0,stamp,0,,\n"     // is the second one to come to its queue
                          "3,stamp,0,,20\n"   // the first one
                          "5,arrive,0,4,1\n"  // the one of cycle 3
                          "5,arrive,2,1,\n"   // not stamped before
                          "5,arb\n"           // 20 + 1 + 2
                          "6,arrive,0,9,7\n"  // the only one that is left
                          "6,arb\n"           // 0 + 1 + 6
                          "7,arb\n";          // 0 + 2
  for (const std::string& engine : kEngines) {
    const Outcome outcome = decide(kAges, log, {"--raw", "--engine", engine});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, "cycle,queue,flits,age\n5,0,4,23\n6,0,9,7\n7,2,1,2\n");
  }
  EXPECT_THAT(decide(kAges, log, {"--raw", "--explain"}).out,
              HasSubstr("# cycle 3: a packet for queue 0 is stamped at age 20"));
}

// Packets of the first epoch, which lasts 256 cycles, stop the clock at the end of the second as
// long as they are on the chip, whichever port they go to.
TEST(DecideRaw, PacketsOfOtherPortsStopTheClock) {
  const std::string end = "600,arrive,2,1,\n610,arb\n";
  const auto age = [&](const std::string& before) {
    std::string text;
    for (const std::string& engine : kEngines) {
      const Outcome outcome = decide(kAges, kHeader + before + end, {"--raw", "--engine", engine});
      EXPECT_EQ(outcome.err, "");
      EXPECT_TRUE(text.empty() || text == outcome.out) << outcome.out;
      text = outcome.out;
    }
    return text.substr(text.rfind(',') + 1);
  };
  EXPECT_EQ(age(""), "10\n");
  EXPECT_EQ(age("0,enter,,2,\n"), "0\n");
  EXPECT_EQ(age("0,enter,,2,\n1,leave,0,1,\n"), "0\n");
  EXPECT_EQ(age("0,enter,,2,\n1,leave,0,2,\n"), "10\n");
  EXPECT_EQ(age("0,enter,,2,\n1,leave,0,63,\n"), "10\n");  // no more than there are
  EXPECT_EQ(age("0,enter,,2,\n1,leave,1,2,\n"), "0\n");    // none of that epoch
}

// The packet behind it is the head then; where there is none, nothing goes.
TEST(DecideRaw, AHeadMayGoWithoutAGrant) {
  const Outcome outcome = decide(kRr,
                                 std::string(kHeader) +
                                     "0,arrive,0,5,\n0,arrive,0,2,\n0,arb,,,\n1,arrive,0,3,\n"
                                     "1,withdraw,0,,\n1,withdraw,1,,\n1,arb,,,\n2,arb,,,\n",
                                 {"--raw", "--explain"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\n0,0,5,0\n"), HasSubstr("\n1,0,3,0\n"), HasSubstr("\n2,-1,0,0\n"),
                    HasSubstr("# cycle 1: the head of queue 0 is withdrawn\n"),
                    Not(HasSubstr("the head of queue 1 is withdrawn"))));
}

TEST(DecideRaw, NamesFileAndLineOfWhatIsWrong) {
  const auto refused = [](const std::string& config, const std::string& rows,
                          const std::string& where, const std::string& fault) {
    expect_refused(decide(config, kHeader + rows, {"--raw"}), where, fault);
  };
  refused(kSections, "0,arb\n1,commit,2,,\n", "e.csv:3: ", "the commit is '2'");
  refused(kSections, "0,arb\n1,commit,,,\n", "e.csv:3: ", "the commit is ''");
  refused(kSections, "1,stop,0\n1,commit,0,,\n", "e.csv:3: ", "after another event of cycle 1");
  refused(kSections, "1,commit,0\n1,commit,1\n", "e.csv:3: ", "after another event of cycle 1");
  refused(kSections, "0,commit,0,4,\n", "e.csv:2: ", "commit has no flits");
  refused(kSections, "0,arrive,0,-1,\n", "e.csv:2: ", "flits is '-1'");
  refused(kRr, "0,commit,0,,\n", "e.csv:2: ", "no 'commits'");
  refused(kRr, "0,withdraw,3,,\n", "e.csv:2: ", "the queue is '3'");
  refused(kRr, "0,withdraw,0,1,\n", "e.csv:2: ", "withdraw has no flits");
  expect_refused(decide(kRr, std::string(kHeader) + "0,withdraw,0,,\n"), "e.csv:2: ", "--raw");
  refused(kRr, "0,enter,,1,\n", "e.csv:2: ", "only a raw log (--raw) of seastar-age");
  expect_refused(decide(kAges, std::string(kHeader) + "0,stamp,0,,\n"), "e.csv:2: ", "--raw");
  refused(kAges, "0,stamp,4,,\n", "e.csv:2: ", "the queue is '4'");
  refused(kAges, "0,stamp,0,1,\n", "e.csv:2: ", "stamp has no flits");
  refused(kAges, "0,enter,0,0,\n", "e.csv:2: ", "the number of packets is '0'");
  refused(kAges, "0,enter,1,1,\n", "e.csv:2: ", "enter has no queue");
  refused(kAges, "0,leave,2,1,\n", "e.csv:2: ", "the epoch is '2'");
  refused(kAges, "0,leave,0,64,\n", "e.csv:2: ", "not within 1..63");
  refused(kAges, "0,enter,,65,\n", "e.csv:2: ", "not within 1..64");
  expect_refused(decide(kSections, kHeader), "c.yaml:5: ", "unknown key 'commits'");
  expect_refused(decide(kRr, std::string(kHeader) + "0,commit,0,,\n"), "e.csv:2: ", "--raw");

  const std::string rr = "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\ncommits:\n";
  refused(rr + "  []\n", "", "c.yaml:3: ", "commits has 0 items");
  refused(rr + "  - {policy: rr, queues: 2}\n", "", "c.yaml:3: ", "commits[0]");
  refused(rr + "  - {policy: rr, queues: 2, max_packet_flits: 1}\n"
               "  - {policy: rr, queues: 3, max_packet_flits: 1}\n",
          "", "c.yaml:4: ", "commits[1] has 3 queues, but the port has 2");
  const std::string age =
      "{policy: seastar-age, queues: 2, max_packet_flits: 1, vcs: 2, "
      "req_age_bias: [1], rsp_age_bias: [1], age_rr_select: 1, "
      "age_clock_period: ";
  refused(rr + "  - " + age + "1}\n", "", "c.yaml:3: ", "from rr to seastar-age");
  refused("arbiter: " + age + "1}\ncommits:\n  - " + age + "2}\n", "",
          "c.yaml:3: ", "the period of the chip's age clock");
  refused(
      "arbiter: {policy: bxi-deficit, variant: printed, queues: 1, max_packet_flits: 1, "
      "table: [{queue: 0, weight: 1}]}\n",
      "", "c.yaml: ", "variant: corrected");
  refused(rr + "  - {policy: bxi-deficit, variant: printed, queues: 2, max_packet_flits: 1, "
               "table: [{queue: 0, weight: 1}, {queue: 1, weight: 1}]}\n",
          "", "c.yaml: ", "variant: corrected");
}

TEST(Decide, RefusesFilesThatCannotBeRead) {
  const ScratchDirectory scratch;
  const std::string config = scratch.file("c.yaml", kRr);
  expect_refused(run_command({"decide", "--config", config, "--events", scratch.path("none.csv")}),
                 "none.csv: ", "cannot be opened");
  expect_refused(run_command({"decide", "--config", config, "--events", scratch.path("")}), "",
                 "cannot be");
  expect_refused(run_command({"decide", "--config", scratch.path("none.yaml"), "--events", config}),
                 "none.yaml: ", "cannot be opened");
}

// To some readers these end a line, too; other characters of a name are its own.
TEST(Decide, ANameThatEndsLinesIsRefusedInOneLine) {
  const ScratchDirectory scratch;
  for (const std::string control :
       {"\n", "\x7f", "\xc2\x80", "\xc2\x85", "\xc2\x9f", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    expect_refused(
        run_command({"decide", "--config", scratch.path("a" + control + "b"), "--events", "e"}),
        "/a?b: cannot be opened");
  }
  for (const std::string name : {"a\xc2\xa0", "\xc3\x85", "\xe2\x80\xa7\xe2\x80\xaa",
                                 "\xe3\x82\x85", "\xf0\x9f\x80\xa8", "\x85", "\xc2"}) {
    expect_refused(run_command({"decide", "--config", scratch.path(name), "--events", "e"}),
                   "/" + name + ": cannot be opened");
  }
}

TEST(Decide, NamesFileAndLineOfABadConfig) {
  expect_refused(decide(std::string(kRr) + "  colour: red\n", kHeader),
                 "c.yaml:5: ", "unknown key 'colour'");
  // Of this yaml-cpp makes documents until the memory is full.
  expect_refused(decide(", 1\n", kHeader), "c.yaml:1: ", "a second document");
  expect_refused(decide(std::string(kRr) + "--- ,\n", kHeader), "c.yaml:5: ", "a second document");
  expect_refused(decide(std::string(10000, '['), kHeader),
                 "c.yaml:", "more than 100 levels stand in each other");
  expect_refused(run_command({"plan", "/dev/zero"}), "/dev/zero: ", "is longer than 64 MiB");
}

TEST(Decide, TakesRatesWithASign) {
  const std::string trtcm = "arbiter:\n  policy: trtcm\n  queues: 1\n  max_packet_flits: 4\n";
  const std::string log = std::string(kHeader) + "0,arrive,0,4,\n0,arb,,,\n";
  EXPECT_EQ(
      decide(trtcm + "  classes: [{priority: 0, assured_rate: +0.2, peak_rate: +0.5}]\n", log).out,
      "cycle,queue,flits,age\n0,0,4,0\n");
  expect_refused(
      decide(trtcm + "  classes: [{priority: 0, assured_rate: +-0, peak_rate: 1}]\n", log),
      "c.yaml:5: ", "assured_rate must be a number");
}

TEST(Decide, RefusesWhenResultsCannotBeWritten) {
  const ScratchDirectory scratch;
  const std::vector<std::string> arguments = {
      "decide", "--config", scratch.file("c.yaml", kRr), "--events",
      scratch.file("e.csv", std::string(kHeader) + "0,arb,,,\n")};
  expect_refused(run_command(arguments, ">/dev/full"), "standard output", "cannot be written");
  expect_refused(run_command(arguments, ">&-"), "standard output", "cannot be written");
  // A reader that goes away before it has read all.
  std::string many = kHeader;
  for (int cycle = 0; cycle < 100000; ++cycle) {
    many += std::to_string(cycle) + ",arb,,,\n";
  }
  const std::string status = scratch.path("status");
  const std::string complaint = scratch.path("complaint");
  run_command({"decide", "--config", arguments[2], "--events", scratch.file("many.csv", many)},
              "2>" + complaint + "; echo $? >" + status + "; } | { true");
  EXPECT_EQ(contents(status), "2\n");
  EXPECT_THAT(contents(complaint), HasSubstr("cannot be written"));
}

TEST(Command, ExplainsItselfAndItsSubcommand) {
  const Outcome help = run_command({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out,
              AllOf(HasSubstr("decide"), HasSubstr("--version"), HasSubstr("Exit status: 0 ")));
  const Outcome decide_help = run_command({"decide", "--help"});
  EXPECT_EQ(decide_help.status, 0);
  EXPECT_THAT(decide_help.out, AllOf(HasSubstr("--config"), HasSubstr("--events"),
                                     HasSubstr("--engine"), HasSubstr("Exit status: 0 ")));
  const Outcome version = run_command({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, MatchesRegex("qosarb [0-9.]+\n"));
}

TEST(Command, RefusesBadUsageInOneLine) {
  expect_refused(run_command({}), "", "subcommand");
  expect_refused(run_command({"guess"}), "", "guess");
  expect_refused(run_command({"decide"}), "", "--config");
  expect_refused(run_command({"decide", "--config", "a", "--events", "b", "--engine", "best"}), "",
                 "--engine");
  expect_refused(run_command({"decide", "--config", "a", "--events", "b", "more"}), "", "more");
  // No escape sequence for the terminal.
  expect_refused(run_command({"guess\x1b[31m"}), "", "guess?[31m");
}

// What CLI11 would bend: -1 to the largest number, too large ones to that, 010 to 8.
TEST(Command, TakesNumbersAsTheyAreWrittenOrNotAtAll) {
  const ScratchDirectory scratch;
  const std::string config = scratch.file("c.yaml", kRr);
  const std::string events = scratch.file("e.csv", std::string(kHeader) + "20,arb\n");
  const std::string trace = scratch.path("t.fst");
  const std::vector<std::vector<std::string>> commands = {
      {"sim", "s.yaml", "--seed"},
      {"decide", "--config", config, "--events", events, "--trace", trace, "--trace-from"},
      {"decide", "--config", config, "--events", events, "--trace", trace, "--trace-to"},
      {"decide", "--config", config, "--events", events, "--trace", trace, "--trace-last"},
      {"sweep", "g.yaml", "--jobs"},
      {"analyze", config, "--limit"},
      {"analyze", config, "--packet-bytes"},
      {"analyze", config, "--runs"},
      {"analyze", config, "--max-decisions"},
      {"analyze", config, "--strict-load", "0.5", "--strict-burst"}};
  for (const std::vector<std::string>& command : commands) {
    for (const std::string number : {"-1", "18446744073709551616", "0x2", "1.0", " 1", "one", ""}) {
      std::vector<std::string> arguments = command;
      arguments.push_back(number);
      expect_refused(run_command(arguments), command.back() + ": '" + number + "'",
                     "is not a whole number within ");
    }
  }
  EXPECT_FALSE(std::filesystem::exists(trace));
  for (const auto& [option, range] :
       std::vector<std::pair<std::string, std::string>>{{"--limit", "0..255"},
                                                        {"--packet-bytes", "1..1048576"},
                                                        {"--runs", "2..1000000"},
                                                        {"--max-decisions", "1..67108864"},
                                                        {"--strict-burst", "1..4294967296"}}) {
    expect_refused(run_command({"analyze", config, option, "-1", "--strict-load", "0"}), option,
                   "within " + range + "\n");
  }
  EXPECT_EQ(run_command({"analyze", scratch.file("c.yml", kRr)}).status, 0);
  const std::vector<std::string> traced = {"decide", "--config", config, "--events",
                                           events,   "--trace",  trace,  "--trace-from"};
  std::vector<std::string> octal = traced;
  octal.push_back("021");
  expect_refused(run_command(octal), "t.fst", "before cycle 21");
}

TEST(Command, TakesNoEmptyNameOrNumber) {
  const ScratchDirectory scratch;
  const std::string config = scratch.file("c.yaml", kRr);
  const std::string events = scratch.file("e.csv", kHeader);
  const std::vector<std::vector<std::string>> commands = {
      {"decide", "--events", events, "--config"},
      {"decide", "--config", config, "--events"},
      {"decide", "--config", config, "--events", events, "--trace"},
      {"decide", "--config", config, "--events", events, "--reproducer"},
      {"sim", "s.yaml", "--report"},
      {"sim", "s.yaml", "--csv"},
      {"sweep", "g.yaml", "--out"},
      {"analyze", config, "--curves"},
      {"analyze", config, "--packets"},
      {"shrink", "--config", config, "--events", events, "--out"}};
  for (const std::vector<std::string>& command : commands) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back();
    expect_refused(run_command(arguments), command.back() + ": is empty");
  }
  expect_refused(run_command({"plan", ""}), "spec: is empty");
}

}  // namespace
}  // namespace qosarb::test
