// Packets of many flows, and what a map of queues knows of them.
#include "qosarb/network/flow_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "random/random.hpp"

namespace qosarb::test {
namespace {

PacketRecord packet_of(Index flow) {
  PacketRecord packet;
  packet.source = flow % 37;
  packet.destination = flow / 37;
  packet.queue = flow % 3 & 0xff;
  return packet;
}

// Of each flow's packets under way one in ten passes the others.
void number_packets_of(Index flows) {
  Random random(test_seed());
  FlowTable table;
  struct Known {
    std::uint32_t next = 0;
    std::uint32_t due = 0;
    std::vector<PacketRecord> under_way;
  };
  std::map<Index, Known> known;
  std::size_t most = 0;
  std::uint64_t early = 0;
  std::uint64_t late = 0;
  for (int step = 0; step < 200'000; ++step) {
    // Waves, so that flows come and go while others stay.
    const bool fill = random.chance(step / 2'000 % 2 == 0 ? 70 : 30);
    const Index flow = random.from(0, flows - 1);
    if (fill) {
      PacketRecord packet = packet_of(flow);
      packet.number = table.generated(packet.source, packet.destination, packet.queue);
      Known& at = known[flow];
      ASSERT_EQ(packet.number, at.next++);
      at.under_way.push_back(packet);
      most = std::max(most, known.size());
      continue;
    }
    const auto found = known.find(flow);
    if (found == known.end()) {
      ASSERT_EQ(table.delivered(packet_of(flow), 0), FlowTable::Order::Unknown);
      continue;
    }
    Known& at = found->second;
    const std::size_t which = random.chance(10) ? random.below(at.under_way.size()) : 0;
    const PacketRecord packet = at.under_way[which];
    at.under_way.erase(at.under_way.begin() + static_cast<std::ptrdiff_t>(which));
    const FlowTable::Order order = packet.number == at.due  ? FlowTable::Order::Kept
                                   : packet.number > at.due ? FlowTable::Order::Early
                                                            : FlowTable::Order::Late;
    early += order == FlowTable::Order::Early ? 1 : 0;
    late += order == FlowTable::Order::Late ? 1 : 0;
    ASSERT_EQ(table.delivered(packet, packet.number), order);
    at.due = std::max(at.due, packet.number + 1);
    if (at.under_way.empty()) {
      known.erase(found);
    }
  }
  EXPECT_GT(early, 100U);
  EXPECT_GT(late, 100U);
  EXPECT_GT(most, 200U);
  EXPECT_LE(table.places(), 8 * most);
}

TEST(FlowTable, NumbersPacketsAndKnowsTheirOrder) { number_packets_of(1'000); }

TEST(FlowTable, NumbersPacketsOfManyFlows) { number_packets_of(30'000); }

TEST(FlowTable, ForgetsFlowsThatAreOver) {
  FlowTable table;
  for (Index flow = 0; flow < 10'000; ++flow) {
    PacketRecord packet = packet_of(flow);
    packet.number = table.generated(packet.source, packet.destination, packet.queue);
    EXPECT_EQ(table.delivered(packet, packet.number), FlowTable::Order::Kept);
  }
  EXPECT_EQ(table.places(), FlowTable().places());
}

}  // namespace
}  // namespace qosarb::test
