// Orders of table entries: the papers' examples, and properties over many random requirements.
#include "qosarb/plan/spread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qosarb::test {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<std::uint32_t>;

TEST(Spread, StridesOfTheBxiPapersTable2) {
  const Numbers strides = geometric_strides(5, 31);
  EXPECT_THAT(strides, ElementsAre(2, 4, 8, 16, 32));
  const Order order = spread_by_strides(strides);
  EXPECT_EQ(order.size(), 31U);
  EXPECT_THAT(entries_per_user(order, 5), ElementsAre(16, 8, 4, 2, 1));
  EXPECT_THAT(largest_distances(order, 5), ElementsAre(2, 4, 8, 16, 31));
}

TEST(Spread, Table8HasSevenEntries) {
  const Order order = spread_by_strides(geometric_strides(3, 64));
  EXPECT_THAT(order, ElementsAre(0, 1, 0, 2, 0, 1, 0));
}

TEST(Spread, StridesFitAnyTableThatHoldsAllUsers) {
  EXPECT_THAT(geometric_strides(5, 16), ElementsAre(2, 4, 8, 16, 16));
  EXPECT_TRUE(geometric_strides(5, 4).empty());
  for (std::uint32_t entries = 1; entries <= 130; ++entries) {
    for (std::size_t users = 1; users <= entries; ++users) {
      const Numbers strides = geometric_strides(users, entries);
      ASSERT_EQ(strides.size(), users);
      const Order order = spread_by_strides(strides);
      ASSERT_LE(order.size(), entries) << users;
      const Numbers distances = largest_distances(order, users);
      for (std::size_t u = 0; u < users; ++u) {
        ASSERT_GE(distances[u], 1U);
        ASSERT_LE(distances[u], strides[u]) << users << " users, " << entries << " entries";
      }
    }
  }
}

// The strides of Table 2 asked for as distances need half the entries: a stride of 16 serves the
// last SL as well.
TEST(Spread, ShortestTableForTheDistancesOfTable2) {
  const ShortestSpread spread = shortest_spread({2, 4, 8, 16, 32}, 64);
  EXPECT_EQ(spread.order.size(), 16U);
  EXPECT_TRUE(spread.proven_shortest);
}

TEST(Spread, ImpossibleDistancesGiveNoTable) {
  EXPECT_TRUE(shortest_spread({2, 2, 2}, 64).order.empty());
  EXPECT_TRUE(shortest_spread({2, 3, 12}, 64).order.empty());  // a pinwheel that does not exist
  EXPECT_TRUE(spread_in({2, 4, 4}, 7).empty());                // needs 4 + 2 + 2
}

// The search gives up on 28 entries, of which there is an order: the 29 that it finds are enough,
// but are not the fewest.
TEST(Spread, WhatASearchGaveUpOnMayBeShorter) {
  const Numbers distances = {3, 7, 10, 11, 15, 15, 18, 19};
  const ShortestSpread spread = shortest_spread(distances, 64);
  EXPECT_EQ(spread.order.size(), 29U);
  const Numbers of_28 = largest_distances(
      {0, 1, 2, 0, 3, 5, 0, 6, 1, 0, 4, 2, 0, 3, 0, 1, 7, 0, 5, 6, 0, 2, 1, 0, 3, 4, 0, 7}, 8);
  for (std::size_t u = 0; u < distances.size(); ++u) {
    EXPECT_LE(of_28[u], distances[u]);
  }
  EXPECT_FALSE(spread.proven_shortest);
}

// Against an exhaustive search over all circular orders of three users.
TEST(Spread, ShortestIsTheShortest) {
  const auto exhaustive = [](const Numbers& distances, std::uint32_t longest) -> std::size_t {
    for (std::size_t length = 1; length <= longest; ++length) {
      Order order(length, 0);
      for (bool more = true; more;) {
        const Numbers found = largest_distances(order, 3);
        bool all = true;
        for (std::size_t u = 0; u < 3; ++u) {
          all = all && found[u] != 0 && found[u] <= distances[u];
        }
        if (all) {
          return length;
        }
        more = false;
        for (int& user : order) {  // counts in base three
          user = (user + 1) % 3;
          if (user != 0) {
            more = true;
            break;
          }
        }
      }
    }
    return 0;
  };
  for (std::uint32_t a = 2; a <= 5; ++a) {
    for (std::uint32_t b = a; b <= 7; ++b) {
      for (std::uint32_t c = b; c <= 9; ++c) {
        const ShortestSpread spread = shortest_spread({a, b, c}, 9);
        ASSERT_EQ(spread.order.size(), exhaustive({a, b, c}, 9)) << a << " " << b << " " << c;
        if (!spread.order.empty()) {
          EXPECT_TRUE(spread.proven_shortest);
        }
      }
    }
  }
}

TEST(Spread, FillsAFixedTable) {
  EXPECT_THAT(spread_in({2, 4, 4}, 8), ElementsAre(0, 1, 0, 2, 0, 1, 0, 2));
  const Order omni_path = spread_in({2, 4, 8, 16, 16}, 128);
  EXPECT_THAT(entries_per_user(omni_path, 5), ElementsAre(64, 32, 16, 8, 8));
  EXPECT_THAT(largest_distances(omni_path, 5), ElementsAre(2, 4, 8, 16, 16));
  const Order odd = spread_in({3, 5, 9}, 11);
  ASSERT_EQ(odd.size(), 11U);
  const Numbers distances = largest_distances(odd, 3);
  EXPECT_LE(distances[0], 3U);
  EXPECT_LE(distances[1], 5U);
  EXPECT_LE(distances[2], 9U);
  // Five entries would do: three more fill the table.
  EXPECT_EQ(spread_in({2, 8}, 8).size(), 8U);
}

}  // namespace
}  // namespace qosarb::test
