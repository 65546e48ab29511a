// Heads that are longer than any packet may be, or of 0 flits, worked by hand
// (docs/safety.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/port.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::test {
namespace {

using ::testing::ElementsAre;

/// A port of two queues with the packets of each, in flits.
template <typename Reference>
Port port_with(Reference arbiter, const std::vector<std::uint32_t>& of_0,
               const std::vector<std::uint32_t>& of_1) {
  Port port(2, std::make_unique<Reference>(std::move(arbiter)));
  for (const std::uint32_t flits : of_0) {
    port.arrive(0, 0, flits);
  }
  for (const std::uint32_t flits : of_1) {
    port.arrive(0, 1, flits);
  }
  return port;
}

/// The winners and the flits that they show, one arbitration a cycle from cycle 0 on.
std::vector<std::pair<int, std::uint32_t>> grants(Port& port, Cycle arbitrations) {
  std::vector<std::pair<int, std::uint32_t>> result;
  for (Cycle now = 0; now < arbitrations; ++now) {
    const Decision decision = port.arbitrate(now).decision;
    result.emplace_back(decision.queue, decision.flits);
  }
  return result;
}

using Grant = std::pair<int, std::uint32_t>;

// Two entries with a quantum of 8, packets up to 8 flits.
BxiTable table(bool deficits = true) {
  return {BxiConfig{.quantum_scale = 1, .table = {{0, 8}, {1, 8}}}, 8, deficits,
          Variant::Corrected};
}

// It counts as 1, and an arbiter is shown what it says.
TEST(LyingLengths, AHeadOf0FlitsIsShownAsSuch) {
  const Port port = port_with(table(), {0}, {1});
  EXPECT_EQ(port.heads()[0].flits, 1U);
  EXPECT_EQ(port.heads()[0].shown_flits(), 0U);
  EXPECT_EQ(port.heads()[1].shown_flits(), 1U);
}

// A turn without a quantum is none, be it the first one.
TEST(LyingLengths, ATooLongHeadFitsNoTurnWithoutAQuantum) {
  const auto with = [](std::vector<BxiConfig::Entry> entries) {
    return BxiTable({.table = std::move(entries)}, 8, true, Variant::Corrected);
  };
  Port first = port_with(with({{0, 0}, {1, 8}}), {100}, {});
  EXPECT_THAT(grants(first, 2), ElementsAre(Grant{-1, 0}, Grant{-1, 0}));
  Port later = port_with(with({{1, 8}, {0, 0}}), {100}, {5});
  EXPECT_THAT(grants(later, 3), ElementsAre(Grant{1, 5}, Grant{-1, 0}, Grant{-1, 0}));
}

// 100 flits fit the fresh turn of queue 0 and leave nothing of it: it is queue 1's turn, with 8.
// After its 5 flits 3 remain, which hold no 4: saved. Queue 0 sends 2 of 8, the next 100 do not fit
// the 6 that are left, which are not saved; queue 1 has 8 + 3. Queue 0 then has a fresh turn for
// them.
TEST(LyingLengths, ATooLongHeadFitsAFreshTurnOfBxiOnly) {
  Port port = port_with(table(), {100, 2, 100}, {5, 4, 7});
  EXPECT_THAT(grants(port, 6), ElementsAre(Grant{0, 100}, Grant{1, 5}, Grant{0, 2}, Grant{1, 4},
                                           Grant{1, 7}, Grant{0, 100}));
}

TEST(LyingLengths, ATurnOfBxiThatATooLongHeadEndsSavesNothing) {
  BxiTable arbiter = table();
  const std::vector<Head> first = {{.flits = 2}, {.flits = 8}};
  const std::vector<Head> second = {{.flits = 9}, {.flits = 8}};
  EXPECT_EQ(arbiter.decide(0, first).queue, 0);
  EXPECT_EQ(arbiter.decide(1, second).queue, 1);
  EXPECT_THAT(arbiter.deficits(), ElementsAre(0U, 0U));
}

// A head of 0 flits counts as 1: eight of them are a turn of 8, and where nothing remains it does
// not fit.
TEST(LyingLengths, AHeadOfNoFlitsCountsAsOne) {
  Port port = port_with(table(), std::vector<std::uint32_t>(9, 0), {3});
  const std::vector<Grant> won = grants(port, 10);
  EXPECT_EQ(won[7], (Grant{0, 0}));
  EXPECT_EQ(won[8], (Grant{1, 3}));
  EXPECT_EQ(won[9], (Grant{0, 0}));
}

// Weights of 4, MTUs of 4. 50 flits leave nothing; 3 of SL 1's 4 leave 1, which a head of 9, above
// its MTU, does not save.
TEST(LyingLengths, ATooLongHeadOfDtableLeavesAndSavesNothing) {
  const DTableConfig config{.queue_sl = {0, 1}, .sl_mtu = {4, 4}, .table = {{0, 4}, {1, 4}}};
  Port port = port_with(DeficitTable(config, Variant::Corrected), {50, 4}, {3, 9, 1});
  EXPECT_THAT(grants(port, 5),
              ElementsAre(Grant{0, 50}, Grant{1, 3}, Grant{0, 4}, Grant{1, 9}, Grant{1, 1}));
  EXPECT_EQ(port.packets(0), 0U);
}

// Buckets of 8 flits that gain one in 16 cycles. 9 flits are green while both are full, and empty
// them; while less than 8 are there again, they are red.
TEST(LyingLengths, ATooLongHeadFitsAFullBucketAndLeavesNothing) {
  const TrtcmConfig config{.classes = {{0, 4096, 4096, 8, 8}, {1, 4096, 4096, 8, 8}}};
  TwoRateArbiter arbiter(config, 8);
  EXPECT_EQ(arbiter.colour(0, 9), TwoRateArbiter::Colour::Green);
  const std::vector<Head> heads = {{.flits = 9}, {}};
  EXPECT_EQ(arbiter.decide(0, heads).queue, 0);
  EXPECT_EQ(arbiter.peak_tokens(0), 0U);
  const std::vector<Head> none(2);
  arbiter.advance(127, none);
  EXPECT_EQ(arbiter.colour(0, 9), TwoRateArbiter::Colour::Red);
  arbiter.advance(128, none);
  EXPECT_EQ(arbiter.colour(0, 9), TwoRateArbiter::Colour::Green);
}

// Class 0 gains 8 flits while one of 16 is sent, and its burst is 4: it is green each time, and a
// green head of class 1 never wins. With a burst of 16 it is sent behind the second one.
TEST(LyingLengths, HeadsBeyondABurstOfTrtcmMayTakeTheLinkFromAllBelow) {
  for (const auto& [burst, winner] : {std::pair<std::uint64_t, int>{4, 0}, {16, 1}}) {
    const TrtcmConfig config{.classes = {{0, 32768, 65536, burst, burst}, {1, 16384, 65536, 4, 4}}};
    TwoRateArbiter arbiter(config, 4);
    const std::vector<Head> heads = {{.flits = 16}, {.flits = 1}};
    bool won = false;
    for (Cycle packet = 0; packet < 100; ++packet) {
      const Cycle now = 16 * packet;
      arbiter.advance(now, heads);
      won = won || arbiter.decide(now, heads).queue == 1;
    }
    EXPECT_EQ(won, winner == 1) << burst;
  }
}

}  // namespace
}  // namespace qosarb::test
