// GOAL traces: what the text means, what is refused and where, and when a rank is done.
#include "qosarb/traffic/goal.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "qosarb/config/input_error.hpp"
#include "qosarb/config/ratio.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/traffic/random.hpp"
#include "qosarb/traffic/trace_file.hpp"
#include "traces_under_test.hpp"

namespace qosarb::test {
namespace {

std::string write_goal(const std::string& text, const std::string& suffix = ".goal") {
  return write_trace("goal", text, suffix);
}

std::vector<double> ends_of(const std::string& text, int ports = 4) {
  return rank_ends(run_to_end(idle_switch(write_goal(text), ports)));
}

TEST(Goal, AMessageTakesWhatTheIdleNetworkTakes) {
  // 1000 bytes are 10 flits.
  EXPECT_THAT(ends_of("num_ranks 2\nrank 0 { l1: calc 100\nl2: send 1000b to 1\nl2 requires l1 }\n"
                      "rank 1 { l1: recv 1000b from 0 }\n"),
              testing::ElementsAre(100, 100 + 10 + kIdle));
}

TEST(Goal, AReceiveEndsWhenItIsPostedIfThatIsLater) {
  EXPECT_THAT(ends_of("num_ranks 2\nrank 0 { send 1000b to 1 tag 3 }\n"
                      "rank 1 { l1: calc 5000\nl2: recv 1000b from 0 tag 3\nl2 requires l1 }\n"),
              testing::ElementsAre(0, 5000));
}

TEST(Goal, MessagesAreMatchedInOrderBySourceAndTag) {
  // The second message with tag 1 is for the second receive, whatever comes with tag 2 or by
  // rank 2.
  EXPECT_THAT(
      ends_of("num_ranks 3\n"
              "rank 0 { a: send 100b to 1 tag 2\n b: calc 1000\n c: send 100b to 1 tag 1\n"
              " c requires b\n d: calc 500\n d requires c\n e: send 100b to 1 tag 1\n"
              " e requires d }\n"
              "rank 1 { a: recv 100b from 0 tag 1\n b: recv 100b from 0 tag 1\n b requires a\n"
              " c: recv 100b from 0 tag 2\n c requires b\n d: recv 100b from 2 tag 1 }\n"
              "rank 2 { send 100b to 1 tag 1 }\n"),
      testing::ElementsAre(1500, 1500 + 1 + kIdle, 0));
}

TEST(Goal, CalculationsOfOneCpuWaitForEachOtherThoseOfTwoDoNot) {
  EXPECT_THAT(ends_of("num_ranks 3\nrank 0 { calc 100\n calc 50\n calc 7 }\n"
                      "rank 1 { calc 100 cpu 0\n calc 50 cpu 1\n calc 7 cpu 2 }\n"
                      // The first one of CPU 1 is ready only at 30: then 20 are before it.
                      "rank 2 { a: calc 30\n b: calc 5 cpu 1\n b requires a\n calc 50 cpu 1 }\n"),
              testing::ElementsAre(157, 100, 55));
}

TEST(Goal, IrequiresWaitsForTheStart) {
  EXPECT_THAT(ends_of("num_ranks 2\nrank 0 { a: calc 100\n b: calc 40 cpu 1\n b irequires a }\n"
                      // b starts when a does, which waits for its CPU.
                      "rank 1 { calc 60\n a: calc 100\n b: calc 40 cpu 1\n b irequires a }\n"),
              testing::ElementsAre(100, 160));
}

TEST(Goal, WhatIsReadyAtOnceBeginsInTheOrderOfTheLinesThatWaitForIt) {
  const auto ends = [](const std::string& waits) {
    return ends_of("num_ranks 3\nrank 0 { a: calc 9\n b: send 1000b to 1\n c: send 1000b to 2\n" +
                   waits + " }\nrank 1 { recv 1000b from 0 }\nrank 2 { recv 1000b from 0 }\n");
  };
  EXPECT_THAT(ends(""), testing::ElementsAre(9, 10 + kIdle, 20 + kIdle));
  EXPECT_THAT(ends(" b requires a\n c requires a"),
              testing::ElementsAre(9, 19 + kIdle, 29 + kIdle));
  EXPECT_THAT(ends(" c requires a\n b requires a"),
              testing::ElementsAre(9, 29 + kIdle, 19 + kIdle));
}

TEST(Goal, OfWhatEndsTogetherTheFirstOfTheFileIsFirst) {
  std::string text = "num_ranks 6\nrank 0 {\n";
  for (int i = 1; i <= 5; ++i) {
    text += fmt::format("c{0}: calc 100 cpu {0}\n", i);
  }
  for (int i = 5; i >= 1; --i) {
    text += fmt::format("s{0}: send 1000b to {0}\ns{0} requires c{0}\n", i);
  }
  text += "}\n";
  std::vector<double> due = {100};
  double sent = 100;
  for (int i = 1; i <= 5; ++i) {
    text += fmt::format("rank {} {{ recv 1000b from 0 }}\n", i);
    sent += 10;
    due.push_back(sent + kIdle);
  }
  EXPECT_EQ(ends_of(text, 6), due);
}

TEST(Goal, TimesAreExactBetweenCycles) {
  // Cycles of 1.28 ns: a thousand calculations of 1 ns take 1000 ns, not 1000 cycles; the send
  // behind them is in the first cycle not before that.
  std::string text = "num_ranks 2\nrank 0 {\nl0: calc 1\n";
  for (int i = 1; i < 1000; ++i) {
    text += fmt::format("l{}: calc 1\nl{} requires l{}\n", i, i, i - 1);
  }
  text += "s: send 64b to 1\ns requires l999\n}\nrank 1 { recv 64b from 0 }\n";
  Scenario s = idle_switch(write_goal(text), 2);
  s.flit_bytes = 64;
  s.link_mbps = 400'000;
  const std::vector<double> ends = rank_ends(run_to_end(s));
  EXPECT_DOUBLE_EQ(ends[0], 1000);
  EXPECT_DOUBLE_EQ(ends[1], 1.28 * (782 + 1 + kIdle));
}

TEST(Goal, TheRunEndsWithTheLastRankAndUnfinishedOnesAreNone) {
  const std::string text =
      "num_ranks 2\nrank 0 { a: calc 1000\n b: send 1000b to 1\n b requires a }\n"
      "rank 1 { recv 1000b from 0 }\n";
  Scenario s = idle_switch(write_goal(text), 2);
  RunReport report = run_to_end(s);
  EXPECT_EQ(report.cycles, 1000 + 10 + kIdle + 1);
  EXPECT_EQ(report.traces[0].finish_ns, 1000 + 10 + kIdle);
  EXPECT_EQ(report.traces[0].messages, 1U);
  EXPECT_EQ(report.traces[0].bytes, 1000U);
  EXPECT_EQ(report.classes[0].packets, 1U);
  EXPECT_NEAR(report.classes[0].accepted, ratio(10, report.cycles) / 2, 1e-12);

  s.measure = 1010;
  report = run_to_end(s);
  EXPECT_EQ(report.cycles, 1010U);
  EXPECT_EQ(report.traces[0].finish_ns, std::nullopt);
  EXPECT_THAT(rank_ends(report), testing::ElementsAre(1000, -1));
  EXPECT_EQ(report.traces[0].messages, 0U);
}

TEST(Goal, TheShippedTracesAddUp) {
  const std::string folder = QOSARB_SOURCE_DIR "/scenarios/traces/";
  Scenario ring = idle_switch(folder + "ring.goal", 4);
  // 4096 bytes are 41 flits in three packets, which follow each other without a gap.
  const double lap = 500 + 4 * (41 + kIdle);
  const double round = 4 * (41 + kIdle) + 500;
  EXPECT_EQ(run_to_end(ring).traces[0].finish_ns, lap + 2 * round);
  EXPECT_EQ(run_to_end(ring).traces[0].messages, 12U);

  const RunReport overlap = run_to_end(idle_switch(folder + "overlap.goal", 3));
  // To rank 2 go the 100 flits of rank 0, in packets, and the one of rank 1, which waits for no
  // more than one of these: the last flit of all is rank 0's. Then 40 ns.
  const double both = 101 + kIdle + 40;
  EXPECT_THAT(rank_ends(overlap), testing::ElementsAre(1000, 250, both));
  EXPECT_EQ(overlap.traces[0].messages, 4U);
  EXPECT_EQ(overlap.traces[0].bytes, 10'000U + 8 + 64 + 0);
}

TEST(Goal, CompressedTracesAreTheSame) {
  const std::string plain = text_of(QOSARB_SOURCE_DIR "/scenarios/traces/ring.goal");
  const std::string gz = write_goal("", ".goal.gz");
  gzFile out = gzopen(gz.c_str(), "wb");
  gzwrite(out, plain.data(), static_cast<unsigned>(plain.size()));
  gzclose(out);
  std::string packed(plain.size() + 1000, '\0');
  std::size_t size = 0;
  ASSERT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
                plain.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  const std::string xz = write_goal(packed, ".goal.xz");
  for (const std::string& file : {gz, xz}) {
    const Trace trace = load_trace(file);
    EXPECT_EQ(trace.ranks(), 4);
    EXPECT_EQ(trace.operations(), 27U);
    // One that ends early, by any number of bytes.
    const std::string whole = text_of(file);
    for (const std::size_t left : {whole.size() - 1, whole.size() / 2, std::size_t{20}}) {
      const std::string cut =
          write_goal(whole.substr(0, left), file == gz ? ".goal.gz" : ".goal.xz");
      EXPECT_THROW(load_trace(cut), InputError) << left;
    }
    std::ofstream(file, std::ios::binary) << whole;
  }
}

TEST(Goal, CalculationsBeyondTheExactTimeAreRefused) {
  const Trace trace = load_goal(write_goal("num_ranks 1\nrank 0 { calc 281474976710655 }\n"));
  EXPECT_NO_THROW(TraceRun(trace, {0}, {.per_cycle = 1, .per_ns = 16'000}, 64));
  EXPECT_THROW(TraceRun(trace, {0}, {.per_cycle = 1, .per_ns = 17'000}, 64), InputError);
}

TEST(Goal, BlanksCommentsAndSignsAreNoMatter) {
  EXPECT_THAT(ends_of("num_ranks 2 // two\nrank 0 {\r\n\tL_1: calc 1; ; calc 2\n"
                      "/* stars * and / slashes\n * / */ calc 4 }\n"
                      // Labels that begin as an option does, and one before what it names.
                      "rank 1 { a: recv 100b from 1\ntagged: send 100b to 1 tag 0\n"
                      "cpu_a requires nics\ncpu_a: calc 8 cpu 1\nnics: calc 16 nic 0 }// the end"),
              testing::ElementsAre(7, 24));
}

TEST(Goal, ABlankMayStandBeforeTheUnitOfASize) {
  // LogGOPSim reads it, too.
  EXPECT_EQ(ends_of("num_ranks 2\nrank 0 { send 1000 b to 1 tag 3 }\n"
                    "rank 1 { b: recv 1000\tb from 0 tag 3 }\n"),
            ends_of("num_ranks 2\nrank 0 { send 1000b to 1 tag 3 }\n"
                    "rank 1 { b: recv 1000b from 0 tag 3 }\n"));
}

TEST(Goal, ALabelMayBeCalledAsAnOptionIs) {
  EXPECT_THAT(ends_of("num_ranks 2 rank 0 { send 100b to 1 tag 7\n tag : calc 1 cpu 1\n"
                      "cpu: calc 2 cpu 2 nic 0 cpu requires tag nic\n/* */: calc 4 cpu 3\n"
                      "nic irequires cpu }\n"
                      "rank 1 { nic: recv 100b from 0 tag 7 tag requires nic tag: calc 16 }\n"),
              testing::ElementsAre(1 + 4, 1 + kIdle + 16));
}

TEST(Goal, ARankWithNothingToDoIsDoneAtOnce) {
  EXPECT_THAT(ends_of("num_ranks 2\nrank 0 { calc 5 }\nrank 1 { }\n"), testing::ElementsAre(5, 0));
}

TEST(Goal, ARankThatSendsToItselfReceivesAtOnce) {
  EXPECT_THAT(
      ends_of("num_ranks 3\n"
              "rank 0 { a: calc 30\n b: send 100b to 0\n b requires a\n recv 100b from 0 }\n"
              "rank 1 { send 100b to 1\n a: calc 30\n b: recv 100b from 1\n b requires a }\n"
              // Two are there before they are asked for, in this order.
              "rank 2 { send 100b to 2\n send 200b to 2\n a: calc 7\n b: recv 100b from 2\n"
              " c: recv 200b from 2\n b requires a\n c requires b }\n"),
      testing::ElementsAre(30, 30, 7));
}

/// A trace of one rank that calculates for as long as all of `times` together.
std::string calculations(const std::vector<std::uint64_t>& times) {
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (const std::uint64_t ns : times) {
    text += fmt::format("calc {}\n", ns);
  }
  return text + "}\n";
}

// It is read, and decompressed, piece by piece: at no end of a piece is anything lost.
TEST(Goal, ALongTraceIsReadAsAWhole) {
  Random random(3);
  std::vector<std::uint64_t> times(30'000);
  std::generate(times.begin(), times.end(), [&random] { return random.below(1'000'000'000); });
  const std::string plain = calculations(times);
  std::string packed(plain.size() + 1000, '\0');
  std::size_t size = 0;
  ASSERT_EQ(lzma_easy_buffer_encode(
                0, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
                plain.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  for (const std::string& file : {write_goal(plain), write_goal(packed, ".goal.xz")}) {
    const Trace trace = load_trace(file);
    ASSERT_EQ(trace.operations(), times.size()) << file;
    for (std::uint32_t i = 0; i < trace.operations(); ++i) {
      ASSERT_EQ(trace.operation(i).amount(), times[i]) << file << ", " << i;
    }
  }
}

TEST(Goal, FilesThatAreNoTracesAreRefused) {
  const auto refused = [](const std::string& file, const std::string& says) {
    try {
      load_trace(file);
      ADD_FAILURE() << "accepted: " << file;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), file + ": " + says);
    }
  };
  refused("trace.txt", "a trace's name ends in .goal or .vef, or in .xz or .gz behind that");
  refused("no-such.goal", "cannot be opened for reading");
  const std::string folder = testing::TempDir() + "folder.goal";
  std::filesystem::create_directories(folder);
  refused(folder, "cannot be opened for reading");
}

class BadGoal : public testing::TestWithParam<BadTrace> {};

TEST_P(BadGoal, IsRefusedByFileAndLine) { expect_refused(GetParam(), ".goal"); }

INSTANTIATE_TEST_SUITE_P(
    Goal, BadGoal,
    testing::Values(
        BadTrace{"Cycle",
                 "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\nd: calc 1\n"
                 "b requires c\nc requires b\nd requires c\n}\n",
                 ": this operation waits for itself, through 1 others"},
        BadTrace{"Itself", "num_ranks 1\nrank 0 {\ncalc 1\na: calc 1\na irequires a\n}\n",
                 ":4: this operation waits for itself"},
        BadTrace{"NoSend",
                 "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 {\nrecv 8b from 0 tag 1\n"
                 "recv 8b from 0 tag 1\n}\n",
                 ":7: no send matches this receive"},
        BadTrace{"OtherTag",
                 "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 { recv 8b from 0 tag 2 }\n",
                 ":5: no send matches"},
        BadTrace{"EachForTheOther",
                 "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n"
                 "rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n",
                 "the ranks wait for each other for ever"},
        BadTrace{"RankBeyond", "num_ranks 2\nrank 0 {\nsend 8b to 2\n}\nrank 1 {\n}\n",
                 ":3: the receiving rank is 2, which is not within 0..1"},
        BadTrace{"RankTwice", "num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n",
                 ":4: rank 0 is given twice"},
        BadTrace{"RankMissing", "num_ranks 2\nrank 0 {\n}\n", ":4: rank 1 of 2 is missing"},
        BadTrace{"Truncated", "num_ranks 2\nrank 0 {\nl1: send 8b t", ":3: 'to' is expected"},
        BadTrace{"TruncatedInARank", "num_ranks 2\nrank 0 {\nl1: calc 8\n",
                 ":4: a statement or '}' is expected, but the file ends"},
        BadTrace{"Empty", "", ":1: 'num_ranks' is expected first"},
        BadTrace{"Binary", "num_ranks 2\nrank 0 {\n\x80\xff }", ":3: this is no text"},
        BadTrace{"BinaryFromTheStart",
                 "\x7f"
                 "ELF\x02\x01\x01",
                 ":1: "},
        BadTrace{"NoRanks", "num_ranks 0\n", ":1: there are no ranks"},
        BadTrace{"TooManyRanks", "num_ranks 99999999999\n",
                 ":1: the number of ranks is 99999999999"},
        BadTrace{"MoreRanksThanHosts", "num_ranks 131073\n",
                 ":1: the number of ranks is 131073, which is not within 0..131072"},
        BadTrace{"NoUnit", "num_ranks 1\nrank 0 {\nsend 8\nto 0\n}", ":3: a size such as '8b' is"},
        BadTrace{"NoLabel", "num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}",
                 ":4: there is no label 'b'"},
        BadTrace{"LabelTwice", "num_ranks 1\nrank 0 {\na: calc 1\na: calc 1\n}",
                 ":4: the label 'a' is given twice"},
        BadTrace{"Verb", "num_ranks 1\nrank 0 {\na: loop 1\n}", ":3: 'send', 'recv' or 'calc'"},
        BadTrace{"Comment", "num_ranks 1\n/* rank 0 {\n}", ":2: a comment does not end"},
        BadTrace{"Cpu", "num_ranks 1\nrank 0 {\ncalc 1 cpu 256\n}", ":3: a CPU is 256"},
        BadTrace{
            "NoSendBehindOthers",
            "num_ranks 2\nrank 0 {\nrecv 8b from 1\nrecv 8b from 1 tag 1\ncalc 5\n}\nrank 1 {\n"
            "send 8b to 0 tag 1\n}\n",
            ":3: no send matches"},
        BadTrace{"CycleBesideOthers",
                 "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\nb requires a\n"
                 "b requires c\nc requires b\nd: calc 1\nd requires a\n}\n",
                 ": this operation waits for itself, through 1 others"},
        BadTrace{"NoRank", "num_ranks 1\ncalc 1\n", ":2: 'rank' is expected"},
        BadTrace{"NoBrace", "num_ranks 1\nrank 0\ncalc 1 }", ":3: '{' is expected, not 'calc'"},
        BadTrace{"Sign", "num_ranks 1\nrank 0 {\n% }",
                 ":3: a statement or '}' is expected, not '%'"},
        BadTrace{"Control", "num_ranks 1\nrank 0 {\n\x01 }", ":3: this is no text"},
        BadTrace{"Nul", std::string("num_ranks 1\nrank 0 {\n\0 }", 24), ":3: this is no text"},
        BadTrace{"NulInAComment", std::string("num_ranks 1\n// \0 \nrank 0 {}", 27),
                 ":2: this is no text"},
        BadTrace{"LongWord", "num_ranks 1\nrank 0 {\n" + std::string(257, 'a') + ": calc 1 }",
                 ":3: a word has more than 256 letters"},
        BadTrace{"HalfAComment", "num_ranks 1\nrank 0 {\ncalc 1 / 2 }",
                 ":3: a statement is expected, not '/'"},
        BadTrace{"NoTime", "num_ranks 1\nrank 0 {\ncalc ;}",
                 ":3: a time in ns is expected, not ';'"},
        BadTrace{"TextForATime", "num_ranks 1\nrank 0 {\ncalc x}",
                 ":3: a time in ns is expected, not 'x'"},
        BadTrace{"LongNumber", "num_ranks 1\nrank 0 {\ncalc 12345678901234567890}",
                 ":3: a time in ns is expected, not '12345678901234567890'"},
        BadTrace{"OtherUnit", "num_ranks 1\nrank 0 {\nsend 8k to 0\n}",
                 ":3: a size such as '8b' is expected, not '8k'"},
        BadTrace{"UnitOfNextStatement", "num_ranks 1\nrank 0 {\nsend 8 b: calc 1\n}",
                 ":3: 'to' is expected, not ':'"},
        BadTrace{"AnySource", "num_ranks 1\nrank 0 {\nrecv 8b from -1\n}",
                 ":3: the sending rank is expected, not '-'"},
        BadTrace{"AnyTag", "num_ranks 1\nrank 0 {\nrecv 8b from 0 tag -1\n}",
                 ":3: a tag is expected, not '-'"},
        BadTrace{"NoVerb", "num_ranks 1\nrank 0 {\na: ;}",
                 ":3: 'send', 'recv' or 'calc' is expected"},
        BadTrace{"NoTo", "num_ranks 1\nrank 0 {\nsend 8b ;}", ":3: 'to' is expected, not ';'"},
        BadTrace{"NoDependency", "num_ranks 1\nrank 0 {\na: calc 1\na after a }",
                 ":4: an operation, a label with ':' or 'requires' is expected at 'a'"},
        BadTrace{"DependsOnNothing", "num_ranks 1\nrank 0 {\na: calc 1\na requires ; }",
                 ":4: a label is expected, not ';'"},
        BadTrace{"EachForTheOtherBehindOthers",
                 "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\na: recv 8b from 1\nb: send 8b to 1\n"
                 "b requires a\n}\nrank 1 {\nrecv 8b from 0 tag 1\na: recv 8b from 0\n"
                 "b: send 8b to 0\nb requires a\n}\n",
                 "the ranks wait for each other for ever"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace qosarb::test
