// VEF traces: what the records mean, what is refused and where; the collectives' messages.
#include "qosarb/traffic/vef.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "qosarb/traffic/collective.hpp"
#include "traces_under_test.hpp"

namespace qosarb::test {
namespace {

using ::testing::ElementsAre;

std::string write_vef(const std::string& text) { return write_trace("vef", text, ".vef"); }

RunReport run_vef(const std::string& text, int ports = 4) {
  return run_to_end(idle_switch(write_vef(text), ports));
}

std::vector<double> ends_of_vef(const std::string& text) { return rank_ends(run_vef(text)); }

// 1000 bytes are 10 flits.
constexpr double kTenFlits = 10 + kIdle;

TEST(Vef, AnIndependentMessageIsSentAtItsTime) {
  EXPECT_THAT(ends_of_vef("VEF 2 1 0 0 0 TRUE\n0 0 1 1000 0 100 -1\n"),
              ElementsAre(100, 100 + kTenFlits));
  EXPECT_THAT(ends_of_vef("VEF3 2 1 0 0 0 FALSE\r\n\r\n  0 0 1\t1000 0 0 -1"),
              ElementsAre(0, kTenFlits));
  EXPECT_THAT(ends_of_vef("VEF 2 0 1 0 0 FALSE\nC0 0 1"), ElementsAre(0, 0));
}

TEST(Vef, TimesAfterASendingDoNotAddUp) {
  // Both count from the sending of message 0, and no CPU is between them.
  EXPECT_THAT(ends_of_vef("VEF 4 3 0 0 0 TRUE\n"
                          "0 0 1 1000 0 10 -1\n1 0 2 1000 1 200 0\n2 0 3 1000 1 300 0\n"),
              ElementsAre(310, 10 + kTenFlits, 210 + kTenFlits, 310 + kTenFlits));
}

TEST(Vef, AnArrivalIsThatOfItsMessageWhateverComesBefore) {
  // Message 1 overtakes message 0 on the same way; each of the two that wait takes its own.
  EXPECT_THAT(
      ends_of_vef("VEF 4 4 0 0 0 FALSE\n"
                  "0 0 1 1000 0 2000 -1\n1 0 1 1000 0 0 -1\n"
                  "2 1 2 1000 2 50 0\n3 1 3 1000 2 7 1\n"),
      ElementsAre(2000, 2000 + kTenFlits + 50, 2000 + 2 * kTenFlits + 50, 2 * kTenFlits + 7));
}

TEST(Vef, RecordsStandInAnyOrder) {
  EXPECT_THAT(ends_of_vef("VEF 2 3 0 0 0 FALSE\n"
                          "7 0 1 1000 2 5 3\n3 1 0 1000 2 0 900\n900 0 1 1000 0 0 -1\n"),
              ElementsAre(2 * kTenFlits + 5, 3 * kTenFlits + 5));
  // Numbers that are less than there are messages, but not their places.
  EXPECT_THAT(ends_of_vef("VEF 2 2 0 0 0 FALSE\n2 1 0 1000 2 20 1\n1 0 1 1000 0 5 -1\n"),
              ElementsAre(5 + kTenFlits + 20 + kTenFlits, 5 + kTenFlits + 20));
}

// Only the bytes that a task sends tell the root of a broadcast; the first task is it if none does.
TEST(Vef, ABroadcastOfNothingHasTheFirstTaskAsItsRoot) {
  const auto broadcast = [](int first) {
    return fmt::format(
        "VEF 3 0 1 1 3 FALSE\nC0 {0} {1} {2}\nG0 0 0 {0} 0 0 0 0 -1\n"
        "G0 0 0 {1} 0 0 0 0 -1\nG0 0 0 {2} 0 0 0 0 -1\n",
        first, (first + 1) % 3, (first + 2) % 3);
  };
  for (int first = 0; first < 3; ++first) {
    const RunReport report = run_vef(broadcast(first));
    EXPECT_EQ(report.traces[0].messages, 2U);
    EXPECT_EQ(report.traces[0].bytes, 0U);
    const std::vector<double> ends = rank_ends(report);
    EXPECT_EQ(ends[first], 0);
    EXPECT_EQ(std::count(ends.begin(), ends.end(), 0), 1);
  }
}

TEST(Vef, OfTwoTasksThatSendTheFirstIsTheRoot) {
  const RunReport report =
      run_vef("VEF 2 0 1 1 2 FALSE\nC0 1 0\nG0 0 0 0 700 0 0 0 -1\nG0 0 0 1 900 0 0 0 -1\n");
  EXPECT_EQ(report.traces[0].messages, 1U);
  EXPECT_EQ(report.traces[0].bytes, 900U);
  EXPECT_EQ(rank_ends(report)[1], 0);
}

TEST(Vef, ATaskGoesOnWhenItsPartOfACollectiveIsOver) {
  // The root's part of a broadcast is over at once; the others' when they have it.
  EXPECT_THAT(ends_of_vef("VEF 3 2 1 1 2 FALSE\nC0 0 1\n"
                          "G0 0 0 0 1000 0 0 100 -1\nG0 0 0 1 0 1000 0 0 -1\n"
                          "0 0 2 1000 3 20 G0\n1 1 2 1000 3 500 G0\n"),
              ElementsAre(120, 100 + kTenFlits + 500, 100 + 2 * kTenFlits + 500));
}

/// A collective of `n` tasks that begin at once, each with its own bytes sent and received.
std::string collective(int n, int operation, const std::vector<std::uint64_t>& sent,
                       const std::vector<std::uint64_t>& received) {
  std::string text = fmt::format("VEF {} 0 1 1 {} FALSE\nC0", n, n);
  for (int task = 0; task < n; ++task) {
    text += fmt::format(" {}", task);
  }
  for (int task = 0; task < n; ++task) {
    text += fmt::format("\nG0 0 {} {} {} {} 0 0 -1", operation, task, sent[task], received[task]);
  }
  return text + "\n";
}

TEST(Vef, CollectivesTakeWhatTheirMessagesTake) {
  const auto expect = [](const std::string& text, double end, std::uint64_t messages,
                         std::uint64_t bytes) {
    const RunReport report = run_vef(text);
    EXPECT_EQ(report.traces[0].finish_ns, end);
    EXPECT_EQ(report.traces[0].messages, messages);
    EXPECT_EQ(report.traces[0].bytes, bytes);
  };
  {
    SCOPED_TRACE("broadcast: the root sends to two, one of which sends on");
    expect(collective(4, 0, {0, 1000, 0, 0}, {1000, 0, 1000, 1000}), 2 * kTenFlits, 3, 3000);
  }
  {
    SCOPED_TRACE("reduce: the same back");
    expect(collective(4, 1, {1000, 1000, 0, 1000}, {0, 0, 1000, 0}), 2 * kTenFlits, 3, 3000);
  }
  {
    SCOPED_TRACE("allreduce: two steps");
    expect(collective(4, 2, {1000, 1000, 1000, 1000}, {1000, 1000, 1000, 1000}), 2 * kTenFlits, 8,
           8000);
  }
  {
    SCOPED_TRACE("gather: one after the other over the root's link");
    expect(collective(3, 3, {500, 1000, 700}, {0, 2200, 0}), 5 + 7 + kIdle, 2, 1200);
  }
  {
    SCOPED_TRACE("scatter: one after the other over the root's link");
    expect(collective(3, 4, {0, 0, 2200}, {500, 1000, 700}), 5 + 10 + kIdle, 2, 1500);
  }
  {
    SCOPED_TRACE("allgather: two steps; every block goes to the two others");
    expect(collective(3, 5, {1000, 1000, 1000}, {3000, 3000, 3000}), 2 * kTenFlits, 6, 6000);
  }
  {
    SCOPED_TRACE("barrier: two steps of a flit");
    expect(collective(4, 6, {0, 0, 0, 0}, {0, 0, 0, 0}), 2 * (1 + kIdle), 8, 0);
  }
  {
    SCOPED_TRACE("all-to-all");
    expect(collective(3, 7, {1000, 1000, 1000}, {0, 0, 0}), 2 * kTenFlits, 6, 6000);
  }
  {
    SCOPED_TRACE("all-to-all, divided: of 3002 bytes the first two places get one more");
    // Rank 1 sends its empty message of the second step when it has the 11 flits of the first.
    expect(collective(3, 7, {3002, 0, 0}, {1, 1, 1}), 11 + kIdle + 1 + kIdle, 6, 1001 + 1000);
  }
}

// It takes seconds, not the square of them: each task's part costs the same whatever there are.
TEST(Vef, CollectivesOfVeryManyTasksAreReadInTime) {
  constexpr int kTasks = 1 << 17;
  const std::vector<std::uint64_t> each(kTasks, 8);
  std::vector<std::uint64_t> last(kTasks);
  last.back() = 8;
  const std::clock_t begin = std::clock();
  for (const std::string& text : {collective(kTasks, 1, each, last),     // reduce
                                  collective(kTasks, 3, each, last),     // gather
                                  collective(kTasks, 4, last, each)}) {  // scatter
    const Trace trace = load_vef(write_vef(text));
    std::uint64_t bytes = 0;
    for (std::uint32_t one = 0; one < trace.end(kTasks - 1); ++one) {
      bytes += trace.operation(one).kind == Trace::Kind::Send ? trace.operation(one).amount() : 0;
    }
    EXPECT_EQ(bytes, 8U * (kTasks - 1));
  }
  EXPECT_LT(std::clock() - begin, 60 * CLOCKS_PER_SEC);
}

/// The trace of a collective among `n` ranks, each of which knows its own part only.
template <typename Part>
Trace trace_of(int n, Part&& part) {
  std::vector<int> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  TraceBuilder builder(n);
  for (int rank = 0; rank < n; ++rank) {
    builder.begin_rank(rank);
    Steps steps(builder);
    part(steps, Member{.ranks = ranks, .place = rank, .tag = 3});
    builder.end_rank();
  }
  return builder.finish();
}

TEST(Collectives, BringEveryRankWhatItIsDue) {
  for (int n = 1; n <= 17; ++n) {
    const BytesOf bytes = [](int /*place*/) { return std::uint64_t{8}; };
    std::set<int> all;
    for (int rank = 0; rank < n; ++rank) {
      all.insert(rank);
    }
    const auto expect_all_know_all = [&](const Trace& trace) {
      for (const std::set<int>& data : knowledge_after(trace)) {
        EXPECT_EQ(data, all) << n;
      }
    };
    expect_all_know_all(trace_of(n, [](Steps& s, const Member& m) { allreduce(s, m, 8); }));
    expect_all_know_all(trace_of(n, [](Steps& s, const Member& m) { barrier(s, m); }));
    expect_all_know_all(trace_of(n, [&](Steps& s, const Member& m) { allgather(s, m, bytes); }));
    expect_all_know_all(trace_of(n, [&](Steps& s, const Member& m) { all_to_all(s, m, bytes); }));
    for (const int root : {0, n / 2, n - 1}) {
      const auto expect_root_knows_all = [&](const Trace& trace) {
        EXPECT_EQ(knowledge_after(trace)[root], all) << n;
      };
      const auto expect_all_know_root = [&](const Trace& trace) {
        for (const std::set<int>& data : knowledge_after(trace)) {
          EXPECT_TRUE(data.contains(root)) << n;
        }
      };
      expect_all_know_root(
          trace_of(n, [&](Steps& s, const Member& m) { broadcast(s, m, root, 8); }));
      expect_all_know_root(
          trace_of(n, [&](Steps& s, const Member& m) { scatter(s, m, root, bytes); }));
      expect_root_knows_all(trace_of(n, [&](Steps& s, const Member& m) { reduce(s, m, root, 8); }));
      expect_root_knows_all(
          trace_of(n, [&](Steps& s, const Member& m) { gather(s, m, root, bytes); }));
    }
  }
}

TEST(Collectives, BlocksOfAnAllgatherGoAroundWhole) {
  // Every rank gets each other one's block once: sizes that add up in one way only.
  const std::vector<std::uint64_t> bytes = {1, 10, 100, 1000, 10'000};
  const Trace trace = trace_of(5, [&](Steps& s, const Member& m) {
    allgather(s, m, [&](int place) { return bytes[place]; });
  });
  for (int rank = 0; rank < 5; ++rank) {
    std::uint64_t sum = 0;
    for (std::uint32_t one = trace.begin(rank); one < trace.end(rank); ++one) {
      sum += trace.operation(one).kind == Trace::Kind::Send ? trace.operation(one).amount() : 0;
    }
    // All but the block that comes last to it, its neighbour's.
    EXPECT_EQ(sum, 11'111 - bytes[(rank + 1) % 5]);
  }
}

TEST(Vef, TheShippedTraceAddsUp) {
  const std::string file = QOSARB_SOURCE_DIR "/scenarios/traces/solver.vef";
  const RunReport report = run_to_end(idle_switch(file, 4));
  EXPECT_EQ(report.traces[0].messages, 3U + 7 + 2 + 8);
  EXPECT_EQ(report.traces[0].bytes, 3 * 4096U + 2 * 8192 + 2 * 1024 + 2 * 64 + 16 + 2 * 256);
  const std::string plain = text_of(file);
  const std::string packed = write_trace("vef", "", ".vef.gz");
  gzFile out = gzopen(packed.c_str(), "wb");
  gzwrite(out, plain.data(), static_cast<unsigned>(plain.size()));
  gzclose(out);
  EXPECT_EQ(rank_ends(run_to_end(idle_switch(packed, 4))), rank_ends(report));
}

class BadVef : public testing::TestWithParam<BadTrace> {};

TEST_P(BadVef, IsRefusedByFileAndLine) { expect_refused(GetParam(), ".vef"); }

INSTANTIATE_TEST_SUITE_P(
    Vef, BadVef,
    testing::Values(
        BadTrace{"Empty", "", ":1: 'VEF' is expected first"},
        BadTrace{"Goal", "num_ranks 2\n", ":1: 'VEF' is expected first"},
        BadTrace{"Binary", "VEF 2 1 0 0 0 TRUE\n0 0 \x80 1 0 0 -1\n", ":2: this is no text"},
        BadTrace{"NoTasks", "VEF 0 0 0 0 0 TRUE\n", ":1: there are no tasks"},
        BadTrace{"ManyTasks", "VEF 99999999999999999999999 0 0 0 0 TRUE\n",
                 ":1: the number of tasks is 99999999999999999999999, which is not within"},
        BadTrace{"MoreTasksThanHosts", "VEF 131073 0 0 0 0 TRUE\n",
                 ":1: the number of tasks is 131073, which is not within 0..131072"},
        BadTrace{"Flag", "VEF 2 0 0 0 0 MAYBE\n", ":1: TRUE or FALSE is expected, not 'MAYBE'"},
        BadTrace{"HeaderGoesOn", "VEF 2 0 0 0 0 TRUE 7\n", ":1: the line goes on with '7'"},
        BadTrace{"Truncated", "VEF 2 2 0 0 0 TRUE\n0 0 1 8 0 0 -1\n",
                 ":3: the file ends after 1 of 2 messages"},
        BadTrace{"TruncatedInALine", "VEF 2 2 0 0 0 TRUE\n0 0 1 8 0 0 -1\n1 0 1",
                 ":3: a size in bytes is expected, but the line ends"},
        BadTrace{"TruncatedBeforeCommunicators", "VEF 2 0 2 0 0 TRUE\nC0 0 1\n",
                 ":3: the file ends after 1 of 2 communicators"},
        BadTrace{"TooMany", "VEF 2 1 0 0 0 TRUE\n0 0 1 8 0 0 -1\n1 0 1 8 0 0 -1\n",
                 ":3: this is one more than the 1 messages of line 1"},
        BadTrace{"Twice", "VEF 2 2 0 0 0 TRUE\n5 0 1 8 0 0 -1\n5 0 1 8 0 0 -1\n",
                 ":3: message 5 is given twice, first in line 2"},
        BadTrace{"TaskBeyond", "VEF 2 1 0 0 0 TRUE\n0 0 2 8 0 0 -1\n",
                 ":2: the receiving task is 2, which is not within 0..1"},
        BadTrace{"Size", "VEF 2 1 0 0 0 TRUE\n0 0 1 8b 0 0 -1\n",
                 ":2: a size in bytes is expected, not '8b'"},
        BadTrace{"Kind", "VEF 2 1 0 0 0 TRUE\n0 0 1 8 4 0 -1\n", ":2: a kind of dependency is 4"},
        BadTrace{"Fraction", "VEF 2 1 0 0 0 TRUE\n0 0 1 8 0 1.5 -1\n",
                 ":2: a time in ns is expected, not '1.5'"},
        BadTrace{"IndependentOfSome", "VEF 2 1 0 0 0 TRUE\n0 0 1 8 0 0 0\n", ":2: -1, for nothing"},
        BadTrace{"NoMessage", "VEF 2 1 0 0 0 TRUE\n0 0 1 8 1 0 7\n", ":2: there is no message 7"},
        BadTrace{"OthersSending", "VEF 2 2 0 0 0 TRUE\n0 1 0 8 0 0 -1\n1 0 1 8 1 0 0\n",
                 ":3: message 0 does not come from task 0, which waits for it"},
        BadTrace{"OthersArrival", "VEF 3 2 0 0 0 FALSE\n0 1 2 8 0 0 -1\n1 0 1 8 2 0 0\n",
                 ":3: message 0 does not go to task 0, which waits for it"},
        BadTrace{"Itself", "VEF 2 1 0 0 0 TRUE\n0 0 1 8 1 5 0\n",
                 ":2: this operation waits for itself"},
        BadTrace{"Cycle", "VEF 2 3 0 0 0 TRUE\n0 0 1 8 0 0 -1\n1 0 1 8 1 5 2\n2 0 1 8 1 5 1\n",
                 "this operation waits for itself, through 3 others"},
        BadTrace{"EachForTheOther", "VEF 2 2 0 0 0 FALSE\n0 0 1 8 2 0 1\n1 1 0 8 2 0 0\n",
                 "the ranks wait for each other for ever"},
        BadTrace{"NoCollective", "VEF 2 1 1 0 0 TRUE\nC0 0 1\n0 0 1 8 3 0 G0\n",
                 ":3: task 0 has no part in G0"},
        BadTrace{"NoLetter", "VEF 2 1 1 0 0 TRUE\nC0 0 1\n0 0 1 8 3 0 0\n",
                 ":3: a collective such as 'G0' is expected, not '0'"},
        BadTrace{"NoCommunicators", "VEF 2 0 0 1 2 TRUE\nG0 0 6 0 0 0 0 0 -1\n",
                 ":2: there are no communicators"},
        BadTrace{"CommunicatorNumber", "VEF 2 0 1 0 0 TRUE\nC1 0 1\n",
                 ":2: communicator C0 is expected"},
        BadTrace{"CommunicatorTwice", "VEF 2 0 1 0 0 TRUE\nC0 0 1 0\n",
                 ":2: task 0 is given twice"},
        BadTrace{"Outsider", "VEF 3 0 1 1 2 TRUE\nC0 0 1\nG0 0 6 2 0 0 0 0 -1\n",
                 ":3: task 2 is not in communicator C0"},
        BadTrace{"PartMissing", "VEF 2 0 1 1 1 TRUE\nC0 0 1\nG0 0 6 1 0 0 0 0 -1\n",
                 ":3: G0 has 1 parts for the 2 tasks of C0"},
        BadTrace{"PartTwice",
                 "VEF 2 0 1 1 2 TRUE\nC0 0 1\nG0 0 6 1 0 0 0 0 -1\nG0 0 6 1 0 0 0 0 -1\n",
                 ":4: task 1 is in G0 twice, first in line 3"},
        BadTrace{"OtherOperation",
                 "VEF 2 0 1 1 2 TRUE\nC0 0 1\nG0 0 6 0 0 0 0 0 -1\nG0 0 2 1 8 8 0 0 -1\n",
                 ":4: G0 has another communicator or operation in line 3"},
        BadTrace{"OperationBeyond", "VEF 2 0 1 1 2 TRUE\nC0 0 1\nG0 0 8 0 0 0 0 0 -1\n",
                 ":3: a collective operation is 8"},
        BadTrace{"LargeReduce",
                 "VEF 2 0 1 1 2 TRUE\nC0 0 1\nG0 0 1 0 8 4294967360 0 0 -1\nG0 0 1 1 8 0 0 0 -1\n",
                 ":3: the bytes received is 4294967360, which is not within 0..1073741824"},
        BadTrace{"LargeScatter",
                 "VEF 2 0 1 1 2 TRUE\nC0 0 1\nG0 0 4 0 8 0 0 0 -1\nG0 0 4 1 0 1073741825 0 0 -1\n",
                 ":4: the bytes received is 1073741825, which is not within 0..1073741824"},
        BadTrace{"Announced",
                 "VEF 2 0 1 2 2 TRUE\nC0 0 1\nG0 0 6 0 0 0 0 0 -1\nG0 0 6 1 0 0 0 0 -1\n",
                 ":1: 2 collective operations are announced, there are 1"},
        BadTrace{"MagicGoesOn", "VEF3a 2 0 0 0 0 TRUE\n", ":1: 'VEF' is expected first"},
        BadTrace{"Control", "VEF 2 1 0 0 0 TRUE\n0 0 \x01 1 0 0 -1\n", ":2: this is no text"},
        BadTrace{"LongWord", "VEF 2 1 0 0 0 TRUE\n" + std::string(65, '0') + " 0 1 8 0 0 -1\n",
                 ":2: a word has more than 64 letters"},
        BadTrace{"NothingBehindTheKind", "VEF 2 1 1 0 0 TRUE\nC0 0 1\n0 0 1 8 3 0\n",
                 ":3: a collective such as 'G0' is expected, but the line ends"},
        BadTrace{"TooManyParts",
                 "VEF 2 0 1 1 1 TRUE\nC0 0 1\nG0 0 6 0 0 0 0 0 -1\nG0 0 6 1 0 0 0 0 -1\n",
                 ":4: this is one more than the 1 parts in collectives of line 1"},
        BadTrace{"TooFewParts", "VEF 2 0 1 1 2 TRUE\nC0 0 1\nG0 0 6 0 0 0 0 0 -1\n",
                 ":4: the file ends after 0 of 0 messages and 1 of 2 parts in collectives"},
        BadTrace{"OtherCommunicator",
                 "VEF 2 0 2 1 2 TRUE\nC0 0 1\nC1 0 1\nG0 0 6 0 0 0 0 0 -1\nG0 1 6 1 0 0 0 0 -1\n",
                 ":5: G0 has another communicator or operation in line 4"},
        BadTrace{"NoMessageBetweenOthers", "VEF 2 2 0 0 0 TRUE\n0 0 1 8 0 0 -1\n5 0 1 8 1 0 3\n",
                 ":3: there is no message 3"},
        BadTrace{"OthersCollective",
                 "VEF 3 1 2 2 4 TRUE\nC0 0 1\nC1 1 2\nG0 0 6 0 0 0 0 0 -1\nG0 0 6 1 0 0 0 0 -1\n"
                 "G1 1 6 1 0 0 0 0 -1\nG1 1 6 2 0 0 0 0 -1\n0 2 0 8 3 0 G0\n",
                 ":8: task 2 has no part in G0"},
        BadTrace{"CycleThroughACollective",
                 "VEF 2 1 1 1 2 TRUE\nC0 0 1\nG0 0 6 0 0 0 1 5 0\nG0 0 6 1 0 0 0 0 -1\n"
                 "0 0 1 8 3 5 G0\n",
                 ":3: this operation waits for itself, through"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace qosarb::test
