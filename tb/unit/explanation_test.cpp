// What the references tell of their decisions. All expected steps are worked by hand from
// the rules and the papers' examples.
#include "qosarb/events/explanation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "policy_under_test.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Steps = std::vector<std::string>;

class Listener final : public Narrator {
 public:
  void tell(std::string step) override { steps_.push_back(std::move(step)); }
  Steps take() { return std::exchange(steps_, {}); }

 private:
  Steps steps_;
};

Port reference_port(const ArbiterConfig& config) { return {config.queues, make_reference(config)}; }

/// A port of a reference that tells its steps.
class ToldPort {
 public:
  explicit ToldPort(const std::string& yaml) : port_(reference_port(arbiter_config(yaml))) {
    port_.arbiter().narrate(&listener_);
  }
  void arrive(Index queue, const std::vector<std::uint32_t>& flits, Cycle now = 0) {
    test::arrive(port_, now, queue, flits);
    listener_.take();
  }
  Steps arrival(Cycle now, Index queue, std::uint32_t flits, std::uint8_t age) {
    port_.arrive(now, queue, flits, age);
    return listener_.take();
  }
  void stop(Index queue, Cycle now = 0) { port_.stop(now, queue, true); }
  Steps decide(Cycle now) {
    port_.arbitrate(now);
    return listener_.take();
  }

 private:
  Listener listener_;
  Port port_;
};

TEST(Explained, RoundRobin) {
  ToldPort port("{policy: rr, queues: 3, max_packet_flits: 16}");
  port.arrive(1, {4});
  port.stop(1);
  port.arrive(2, {5});
  EXPECT_THAT(port.decide(0),
              ElementsAre("queue 0 (empty): passed over", "queue 1 (4 flits, stopped): passed over",
                          "queue 2 (5 flits): wins"));
  EXPECT_THAT(port.decide(1),
              ElementsAre("queue 0 (empty): passed over", "queue 1 (4 flits, stopped): passed over",
                          "queue 2 (empty): passed over"));
}

std::string two_entries(const std::string& policy, const std::string& variant = "corrected") {
  return fmt::format(
      "{{policy: {}, variant: {}, queues: 2, max_packet_flits: 2, "
      "table: [{{queue: 0, weight: 2}}, {{queue: 1, weight: 2}}]}}",
      policy, variant);
}

// BXIv3 paper, Fig. 5: "the queue is skipped, with one flit not sent", and at t2 "depleting the
// turn".
TEST(Explained, BxiBasicInFigure5) {
  ToldPort port(two_entries("bxi-basic"));
  port.arrive(0, {1, 2});
  port.arrive(1, {2, 1, 1});
  EXPECT_THAT(
      port.decide(0),
      ElementsAre(
          "entry 0 (queue 0, 2 flits left): the head of 1 flit fits and is granted, 1 left"));
  port.arrive(0, {1}, 1);
  EXPECT_THAT(
      port.decide(1),
      ElementsAre(
          "entry 0 (queue 0, 1 flit left): the head of 2 flits does not fit, 1 lost",
          "entry 1 begins its turn: quantum 2 + deficit 0",
          "entry 1 (queue 1, 2 flits left): the head of 2 flits fits and is granted, 0 left",
          "entry 0 begins its turn: quantum 2 + deficit 0"));
  EXPECT_THAT(
      port.decide(2),
      ElementsAre(
          "entry 0 (queue 0, 2 flits left): the head of 2 flits fits and is granted, 0 left",
          "entry 1 begins its turn: quantum 2 + deficit 0"));
}

// Fig. 6: "the remaining flit for queue 0 is saved"; "on t2, queue 0 can send up to 3 flits".
TEST(Explained, BxiDeficitInFigure6) {
  ToldPort port(two_entries("bxi-deficit"));
  port.arrive(0, {1, 2, 1});
  port.arrive(1, {2, 1, 1});
  port.decide(0);
  EXPECT_THAT(
      port.decide(1),
      ElementsAre(
          "entry 0 (queue 0, 1 flit left): the head of 2 flits does not fit, 1 saved as its "
          "deficit",
          "entry 1 begins its turn: quantum 2 + deficit 0",
          "entry 1 (queue 1, 2 flits left): the head of 2 flits fits and is granted, 0 left",
          "entry 0 begins its turn: quantum 2 + deficit 1"));
  EXPECT_THAT(
      port.decide(2),
      ElementsAre(
          "entry 0 (queue 0, 3 flits left): the head of 2 flits fits and is granted, 1 left"));
  EXPECT_THAT(
      port.decide(3),
      ElementsAre("entry 0 (queue 0, 1 flit left): the head of 1 flit fits and is granted, 0 left",
                  "entry 1 begins its turn: quantum 2 + deficit 0"));
  port.stop(1, 4);
  EXPECT_THAT(port.decide(4), ElementsAre("no queue of the table is active: nothing changes"));
  port.arrive(0, {2}, 5);
  EXPECT_THAT(
      port.decide(5),
      ElementsAre(
          "entry 1 (queue 1, 2 flits left): 1 flit, stopped, 2 lost",
          "entry 0 begins its turn: quantum 2 + deficit 0",
          "entry 0 (queue 0, 2 flits left): the head of 2 flits fits and is granted, 0 left",
          "entry 1 begins its turn: quantum 2 + deficit 0"));
}

// errata.md: lines 12 and 23 of Algorithm 2.
TEST(Explained, BxiDeficitAsPrinted) {
  ToldPort port(two_entries("bxi-deficit", "printed"));
  port.arrive(0, {1, 2, 2});
  port.arrive(1, {2, 2});
  port.decide(0);
  EXPECT_THAT(
      port.decide(1),
      ElementsAre(
          "entry 0 (queue 0, 1 flit left): the head of 2 flits does not fit, 1 saved as its "
          "deficit",
          "line 23: entry 1 begins its turn: quantum 2 + deficit 0, which stays",
          "entry 1 (queue 1, 2 flits left): the head of 2 flits fits and is granted, 0 left",
          "line 12: entry 0 begins its turn: quantum 2; its deficit of 1 is not added"));
  port.decide(2);
  port.stop(1, 3);
  // The spent flit of t1 comes back.
  EXPECT_THAT(
      port.decide(3),
      ElementsAre(
          "entry 1 (queue 1, 2 flits left): 2 flits, stopped, 2 lost",
          "line 23: entry 0 begins its turn: quantum 2 + deficit 1, which stays",
          "entry 0 (queue 0, 3 flits left): the head of 2 flits fits and is granted, 1 left"));
  // Queue 1 is not empty, so the loop runs its N visits.
  EXPECT_THAT(port.decide(4),
              ElementsAre("entry 0 (queue 0, 1 flit left): empty, 1 lost",
                          "line 23: entry 1 begins its turn: quantum 2 + deficit 0, which stays",
                          "entry 1 (queue 1, 2 flits left): 2 flits, stopped, 2 lost",
                          "line 23: entry 0 begins its turn: quantum 2 + deficit 0, which stays",
                          "line 25: no entry can send after 2 visits"));
}

TEST(Explained, Sbt) {
  ToldPort port(
      "{policy: sbt, queues: 3, max_packet_flits: 4, queue_sl: [0, 0, 1], "
      "table: [{sl: 0, weight: 1}, {sl: 1, weight: 1}]}");
  EXPECT_THAT(port.decide(0), ElementsAre("no queue is active: nothing changes"));
  port.arrive(1, {3}, 1);
  port.arrive(2, {1, 1}, 1);
  EXPECT_THAT(
      port.decide(1),
      ElementsAre("SL 0: queue 0 (empty), passed over", "SL 0: queue 1 (3 flits) is its candidate",
                  "entry 0 (SL 0): queue 1 is granted, weight left 1 -> 0"));
  EXPECT_THAT(port.decide(2),
              ElementsAre("entry 0 (SL 0): no weight left, passed over",
                          "SL 1: queue 2 (1 flit) is its candidate",
                          "entry 1 (SL 1): queue 2 is granted, weight left 1 -> 0"));
  EXPECT_THAT(
      port.decide(3),
      ElementsAre("entry 1 (SL 1): no weight left, passed over",
                  "entry 0 (SL 0): no weight left, passed over",
                  "no entry with weight left has an active queue: all weights are restored",
                  "SL 0: queue 0 (empty), passed over", "SL 0: queue 1 (empty), passed over",
                  "entry 0 (SL 0): no active queue, passed over",
                  "SL 1: queue 2 (1 flit) is its candidate",
                  "entry 1 (SL 1): queue 2 is granted, weight left 1 -> 0"));
}

// Omni-Path paper, Algorithm 1: restored only when as many queues are exhausted as there are
// entries, and then the last one seen goes without a charge.
TEST(Explained, SbtAsPrinted) {
  ToldPort port(
      "{policy: sbt, variant: printed, queues: 2, max_packet_flits: 4, queue_sl: [0, 1], "
      "table: [{sl: 0, weight: 1}, {sl: 1, weight: 1}]}");
  port.arrive(0, {2, 2, 2});
  EXPECT_THAT(
      port.decide(0),
      ElementsAre("queue 0 (2 flits): entry 0 has weight left, granted; weight left 1 -> 0"));
  EXPECT_THAT(
      port.decide(1),
      ElementsAre("queue 0 (2 flits): its SL has no weight left; active and exhausted so far: 1",
                  "queue 1 (empty): passed over",
                  "line 22: 1 exhausted, 2 entries: nothing is restored",
                  "queue 0 is the last exhausted one and is granted, no weight charged"));
  port.arrive(1, {3, 3}, 2);
  EXPECT_THAT(
      port.decide(2),
      ElementsAre("queue 0 (2 flits): its SL has no weight left; active and exhausted so far: 1",
                  "queue 1 (3 flits): entry 1 has weight left, granted; weight left 1 -> 0"));
  EXPECT_THAT(
      port.decide(3),
      ElementsAre("queue 1 (3 flits): its SL has no weight left; active and exhausted so far: 1",
                  "queue 0 (2 flits): its SL has no weight left; active and exhausted so far: 2",
                  "line 23: 2 exhausted, as many as entries: all weights are restored",
                  "queue 0 is the last exhausted one and is granted, no weight charged"));
}

std::string deficit_table(const std::string& variant) {
  return "{policy: dtable, variant: " + variant +
         ", queues: 2, max_packet_flits: 4, queue_sl: [0, 1], sl_mtu: [4, 4], "
         "table: [{sl: 0, weight: 5}, {sl: 1, weight: 5}]}";
}

TEST(Explained, DTable) {
  ToldPort port(deficit_table("corrected"));
  port.arrive(0, {3, 3});
  port.arrive(1, {2});
  EXPECT_THAT(port.decide(0),
              ElementsAre("SL 0: queue 0 (3 flits) is its candidate",
                          "entry 0 (SL 0) begins its turn: deficit 0 + weight 5",
                          "entry 0 (SL 0, 5 flits left): queue 0 is granted and costs 3 flits"));
  EXPECT_THAT(
      port.decide(1),
      ElementsAre("SL 0: queue 0 (3 flits) is its candidate",
                  "SL 0: queue 0 costs 3 flits, more than the 2 left: its turn ends, 2 saved "
                  "as its deficit",
                  "SL 1: queue 1 (2 flits) is its candidate",
                  "entry 1 (SL 1) begins its turn: deficit 0 + weight 5",
                  "entry 1 (SL 1, 5 flits left): queue 1 is granted and costs 2 flits"));
  EXPECT_THAT(
      port.decide(2),
      ElementsAre("SL 1: queue 1 (empty), passed over",
                  "SL 1 has no active queue: its turn ends, its 3 flits left and its deficit "
                  "are lost",
                  "SL 0: queue 0 (3 flits) is its candidate",
                  "entry 0 (SL 0) begins its turn: deficit 2 + weight 5",
                  "entry 0 (SL 0, 7 flits left): queue 0 is granted and costs 3 flits"));
  EXPECT_THAT(
      port.decide(3),
      ElementsAre(
          "SL 0: queue 0 (empty), passed over",
          "SL 0 has no active queue: its turn ends, its 4 flits left and its deficit "
          "are lost",
          "SL 1: queue 1 (empty), passed over", "entry 1 (SL 1): no active queue, passed over",
          "SL 0: queue 0 (empty), passed over", "entry 0 (SL 0): no active queue, passed over",
          "no entry's SL has an active queue"));
}

TEST(Explained, DTableAsPrintedPaysWholeMtus) {
  ToldPort port(deficit_table("printed"));
  port.arrive(0, {3, 1});
  EXPECT_THAT(port.decide(0),
              ElementsAre("SL 0: queue 0 (3 flits) is its candidate",
                          "entry 0 (SL 0) begins its turn: deficit 0 + weight 5",
                          "entry 0 (SL 0, 5 flits left): queue 0 is granted and costs 4 flits"));
  EXPECT_THAT(
      port.decide(1),
      ElementsAre("SL 0: queue 0 (1 flit) is its candidate",
                  "SL 0: queue 0 costs 4 flits, more than the 1 left: its turn ends, 1 saved "
                  "as its deficit",
                  "SL 1: queue 1 (empty), passed over",
                  "entry 1 (SL 1): no active queue, passed over",
                  "SL 0: queue 0 (1 flit) is its candidate",
                  "entry 0 (SL 0) begins its turn: deficit 1 + weight 5",
                  "entry 0 (SL 0, 6 flits left): queue 0 is granted and costs 4 flits"));
}

// A limit of 1 closes the high table when 4096 bytes, 64 flits, have gone.
TEST(Explained, InfiniBandLimit) {
  ToldPort port(
      "{policy: infiniband, queues: 3, max_packet_flits: 64, strict: false, "
      "limit_of_high_priority: 1, high: [{vl: 0, weight: 0}, {vl: 1, weight: 2}], "
      "low: [{vl: 2, weight: 1}]}");
  port.arrive(1, {64, 1});
  port.arrive(2, {1});
  EXPECT_THAT(port.decide(0),
              ElementsAre("the high table is ready and open (high_bytes 0, LimitOfHighPriority 1)",
                          "high table: entry 0 (VL 0, 0 left) is skipped: weight 0",
                          "high table: entry 1 (VL 1) is the current one, weight 2",
                          "high table: entry 1 (VL 1, 2 left) sends 4096 bytes for 64 units of 64 "
                          "bytes, -62 left",
                          "high table: entry 0 (VL 0) is the current one, weight 0",
                          "high_bytes 0 + 4096"));
  EXPECT_THAT(
      port.decide(1),
      ElementsAre(
          "the high table is ready, but closed (high_bytes 4096, LimitOfHighPriority 1)",
          "the low table is ready",
          "low table: entry 0 (VL 2, 1 left) sends 64 bytes for 1 units of 64 bytes, 0 left",
          "low table: entry 0 (VL 2) is the current one, weight 1",
          "the low turn ends, high_bytes 4096 -> 0"));
}

TEST(Explained, InfiniBandLowTurnCutShort) {
  ToldPort port(
      "{policy: infiniband, queues: 2, max_packet_flits: 4, limit_of_high_priority: 0, "
      "high: [{vl: 0, weight: 9}], low: [{vl: 1, weight: 9}]}");
  port.arrive(1, {1, 1});
  EXPECT_THAT(
      port.decide(0),
      ElementsAre(
          "the high table is not ready: no entry with a weight has an active VL",
          "the low table is ready",
          "low table: entry 0 (VL 1, 9 left) sends 64 bytes for 1 units of 64 bytes, 8 left"));
  port.arrive(0, {1}, 1);
  EXPECT_THAT(
      port.decide(1),
      ElementsAre(
          "the low entry's turn goes on",
          "low table: entry 0 (VL 1, 8 left) sends 64 bytes for 1 units of 64 bytes, 7 left"));
  EXPECT_THAT(
      port.decide(2),
      ElementsAre(
          "the low turn is cut short, its VL is not active; high_bytes 0 -> 0",
          "low table: entry 0 (VL 1) is the current one, weight 9",
          "the high table is ready and open (high_bytes 0, LimitOfHighPriority 0)",
          "high table: entry 0 (VL 0, 9 left) sends 64 bytes for 1 units of 64 bytes, 8 left",
          "high_bytes 0 + 64"));
}

TEST(Explained, InfiniBandTellsWhyAnEntryIsSkipped) {
  ToldPort port(
      "{policy: infiniband, queues: 3, max_packet_flits: 4, limit_of_high_priority: 0, "
      "high: [{vl: 0, weight: 9}, {vl: 1, weight: 9}, {vl: 2, weight: 9}]}");
  port.arrive(0, {1});
  port.stop(0);
  port.arrive(2, {1});
  EXPECT_THAT(
      port.decide(0),
      ElementsAre(
          "the high table is ready and open (high_bytes 0, LimitOfHighPriority 0)",
          "high table: entry 0 (VL 0, 9 left) is skipped: its VL is stopped",
          "high table: entry 1 (VL 1) is the current one, weight 9",
          "high table: entry 1 (VL 1, 9 left) is skipped: its VL is empty",
          "high table: entry 2 (VL 2) is the current one, weight 9",
          "high table: entry 2 (VL 2, 9 left) sends 64 bytes for 1 units of 64 bytes, 8 left",
          "high_bytes 0 + 64"));
}

std::string one_input_port(const std::string& more) {
  return "{policy: seastar-age, queues: 2, max_packet_flits: 4, vcs: 2, req_age_bias: [1], "
         "rsp_age_bias: [2], " +
         more + "}";
}

// Cray XT paper, Procedure 1 at arrival, Procedure 2 at the decision; the timestamp is 2 from cycle
// 16 on.
TEST(Explained, SeastarByAgeAndByRoundRobin) {
  ToldPort port(one_input_port("age_clock_period: 8, age_rr_select: 1"));
  EXPECT_THAT(port.arrival(0, 0, 1, 10),
              ElementsAre("queue 0: age 10 + bias 1 = 11; field 11 at timestamp 0, in_epoch 0"));
  EXPECT_THAT(port.arrival(0, 1, 1, 254),
              ElementsAre("queue 1: age 254 + bias 2 = 255; field 255 at timestamp 0, in_epoch 0"));
  EXPECT_THAT(port.decide(16),
              ElementsAre("timestamp 2, epoch 0; grant counter 0: by age",
                          "queue 0 (1 flit): field 11, in_epoch 0: new age 13, the oldest so far",
                          "queue 1 (1 flit): field 255, in_epoch 0: new age 255, the oldest so far",
                          "queue 1 wins and leaves with age 255; packet_count[0] -> 1"));
  EXPECT_THAT(port.decide(17),
              ElementsAre("timestamp 2, epoch 0; grant counter 1: round robin",
                          "queue 0 (1 flit): the next one of round robin",
                          "queue 0 wins and leaves with age 13; packet_count[0] -> 0"));
}

// With a period of 1 the epoch turns in cycle 256, and in cycle 512 the timestamp cannot turn
// again.
TEST(Explained, SeastarInhibited) {
  ToldPort port(one_input_port("age_clock_period: 1, age_rr_select: 1"));
  port.arrival(0, 1, 1, 0);
  port.arrival(512, 0, 1, 0);
  EXPECT_THAT(
      port.decide(512),
      ElementsAre(
          "timestamp 255, epoch 1, age-based choice inhibited; grant counter 0: round robin",
          "queue 0 (1 flit): passed over, its head is of the present epoch",
          "queue 1 (1 flit): the next one of round robin",
          "queue 1 wins and leaves with age 255; packet_count[0] -> 0"));
}

// A packet of age 0 + 1 that arrives at timestamp 255 has the field 1 - 255 + 512 = 258. A cycle
// later the epoch turns, and its age is 258 + 256 + 0 = 512 + 2.
TEST(Explained, SeastarOfTheEpochBefore) {
  ToldPort port(one_input_port("age_clock_period: 1, age_rr_select: 1"));
  EXPECT_THAT(port.arrival(255, 0, 1, 0),
              ElementsAre("queue 0: age 0 + bias 1 = 1; field 258 at timestamp 255, in_epoch 0"));
  EXPECT_THAT(
      port.decide(256),
      ElementsAre(
          "timestamp 0, epoch 1; grant counter 0: by age",
          "queue 0 (1 flit): field 258, in_epoch 0 (rollover): new age 2, the oldest so far",
          "queue 1 (empty): passed over",
          "queue 0 wins and leaves with age 2; packet_count[0] -> 0"));
}

// errata.md, Procedure 2, line 8: at timestamp 2 a packet of age 0 + 1 has the field 511, for it
// arrived younger than the timestamp. Its sum is 511 + 2: bits 9 and 8 of the sum are 1 and 0.
TEST(Explained, SeastarAsPrinted) {
  for (const auto& [variant, age] : {std::pair{"printed", 255}, std::pair{"corrected", 1}}) {
    ToldPort port(
        one_input_port(fmt::format("age_clock_period: 8, age_rr_select: 1, variant: {}", variant)));
    EXPECT_THAT(port.arrival(16, 0, 1, 0),
                ElementsAre("queue 0: age 0 + bias 1 = 1; field 511 at timestamp 2, in_epoch 0"));
    EXPECT_THAT(
        port.decide(16),
        ElementsAre(
            "timestamp 2, epoch 0; grant counter 0: by age",
            fmt::format("queue 0 (1 flit): field 511, in_epoch 0: new age {}, the oldest so far",
                        age),
            "queue 1 (empty): passed over",
            fmt::format("queue 0 wins and leaves with age {}; packet_count[0] -> 0", age)));
  }
}

TEST(Explained, Trtcm) {
  ToldPort port(
      "{policy: trtcm, queues: 3, max_packet_flits: 4, classes: ["
      "{priority: 1, assured_rate: 0.5, peak_rate: 1.0, assured_burst: 4, peak_burst: 8}, "
      "{priority: 0, assured_rate: 0, peak_rate: 0.25, assured_burst: 4, peak_burst: 4}, "
      "{priority: 2, assured_rate: 0, peak_rate: 0, assured_burst: 4, peak_burst: 4}]}");
  port.arrive(0, {4, 4});
  port.arrive(1, {4, 1});
  port.arrive(2, {1});
  EXPECT_THAT(port.decide(0),
              ElementsAre("queue 1 (4 flits): peak bucket 4.00000, assured bucket 0.00000: yellow",
                          "queue 0 (4 flits): peak bucket 8.00000, assured bucket 4.00000: green",
                          "queue 2 (1 flit): peak bucket 0.00000, assured bucket 0.00000: red",
                          "queue 0 is the first green one: pays 4 flits from both buckets"));
  EXPECT_THAT(
      port.decide(1),
      ElementsAre(
          "queue 1 (4 flits): peak bucket 4.00000, assured bucket 0.00000: yellow",
          "queue 0 (4 flits): peak bucket 5.00000, assured bucket 0.50000: yellow",
          "queue 2 (1 flit): peak bucket 0.00000, assured bucket 0.00000: red",
          "none is green; queue 1 is the first yellow one: pays 4 flits from the peak bucket"));
  port.stop(0, 2);
  EXPECT_THAT(port.decide(2),
              ElementsAre("queue 1 (1 flit): peak bucket 0.25000, assured bucket 0.00000: red",
                          "queue 0 (4 flits, stopped): passed over",
                          "queue 2 (1 flit): peak bucket 0.00000, assured bucket 0.00000: red",
                          "round robin among red: queue 0 is not active",
                          "round robin among red: queue 1 is next",
                          "none is green or yellow; queue 1 wins as a red one and pays nothing"));
}

TEST(Explanation, SaysWhatHappensBetweenDecisions) {
  Port port = reference_port(arbiter_config("{policy: rr, queues: 2, max_packet_flits: 4}"));
  Explanation explanation;
  explanation.listen_to(port);
  port.stop(0, 1, true);
  port.arrive(0, 1, 1, 9);
  port.arbitrate(0);
  port.stop(2, 1, false);
  port.arbitrate(3);
  port.arbitrate(4);
  port.arrive(5, 0, 3);
  EXPECT_EQ(to_csv(explanation.passages()),
            "cycle,queue,flits,age\n"
            "# state: last=1\n"
            "# cycle 0: queue 1 is stopped\n"
            "# cycle 0: 1 flit arrives at queue 1, age 9\n"
            "# cycle 0: arbitration; queue 1: 1 flit, stopped\n"
            "#   queue 0 (empty): passed over\n"
            "#   queue 1 (1 flit, stopped): passed over\n"
            "#   outcome: no queue\n"
            "#   state after: last=1\n"
            "0,-1,0,0\n"
            "# cycle 2: queue 1 is started again\n"
            "# cycle 3: arbitration; queue 1: 1 flit\n"
            "#   queue 0 (empty): passed over\n"
            "#   queue 1 (1 flit): wins\n"
            "#   outcome: queue 1, 1 flit\n"
            "#   state after: last=1\n"
            "3,1,1,9\n"
            "# cycle 4: arbitration; no packet\n"
            "#   queue 0 (empty): passed over\n"
            "#   queue 1 (empty): passed over\n"
            "#   outcome: no queue\n"
            "#   state after: last=1\n"
            "4,-1,0,0\n"
            "# cycle 5: 3 flits arrive at queue 0\n");
}

// What an arrival makes an arbiter do is told behind it, once; what time has done to its state,
// too.
TEST(Explanation, SaysWhatArrivalsAndTimeDo) {
  Port port =
      reference_port(arbiter_config(one_input_port("age_clock_period: 8, age_rr_select: 1")));
  Explanation explanation;
  explanation.listen_to(port);
  port.arrive(0, 0, 1, 10);
  port.arrive(0, 1, 1, 254);
  port.arbitrate(16);
  EXPECT_THAT(to_csv(explanation.passages()),
              AllOf(HasSubstr("# cycle 0: 1 flit arrives at queue 0, age 10\n"
                              "#   queue 0: age 10 + bias 1 = 11; field 11 at timestamp 0, "
                              "in_epoch 0\n"
                              "# cycle 0: 1 flit arrives at queue 1, age 254\n"
                              "#   queue 1: age 254 + bias 2 = 255; field 255 at timestamp 0, "
                              "in_epoch 0\n"
                              "# cycle 16: arbitration; "),
                    HasSubstr("#   state before: ")));
}

// Both forms of each reference, with and without a listener, are one text; this tells whether they
// are one arbiter, too.
TEST(Explanation, ChangesNoDecision) {
  Random random(test_seed(20261));
  std::vector<ArbiterConfig> configs;
  for (const PolicyRef policy : policies()) {
    for (int i = 0; i < 5; ++i) {
      configs.push_back(random_config(random, policy, kSmallArbiters));
    }
  }
  for (ArbiterConfig& config : configs) {
    for (const Variant variant : {Variant::Corrected, Variant::Printed}) {
      config.variant = variant;
      Port plain = reference_port(config);
      Port told = reference_port(config);
      Explanation explanation;
      explanation.listen_to(told);
      for (Cycle now = 0; now < 1500; ++now) {
        const Index queue = random.from(0, config.queues - 1);
        if (random.once_in(2)) {
          const std::uint32_t flits = random.from(1U, max_packet_flits(config, queue));
          plain.arrive(now, queue, flits);
          told.arrive(now, queue, flits);
        } else if (random.once_in(4)) {
          const bool stopped = random.once_in(2);
          plain.stop(now, queue, stopped);
          told.stop(now, queue, stopped);
        }
        ASSERT_EQ(told.arbitrate(now).decision, plain.arbitrate(now).decision) << to_yaml(config);
        ASSERT_EQ(told.arbiter().describe(), plain.arbiter().describe()) << to_yaml(config);
      }
      EXPECT_EQ(explanation.passages().size(), 1500U);
    }
  }
}

}  // namespace
}  // namespace qosarb::test
