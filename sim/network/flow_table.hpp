// Counts the packets of each flow and checks their order. Knows only flows that have packets in
// the network or its sources, so it does not grow with the square of the hosts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "qosarb/switch/packet.hpp"

namespace qosarb {

/// A flow is (source, destination, queue). Its packets have turns, from 0 on, and again from 0
/// after a time in which it had none.
class FlowTable {
 public:
  FlowTable() : flows_(64) {}

  /// The turn of a flow's next packet.
  std::uint32_t generated(Index source, Index destination, int queue) {
    const std::uint64_t key = key_of(source, destination, queue);
    std::size_t at = find(key);
    if (flows_[at].key == kFree) {
      at = add(key);
    }
    under_way_ += flows_[at].generated == 0 ? 1 : 0;
    return flows_[at].generated++;
  }

  enum class Order {
    Kept,     ///< it is the one that is due
    Early,    ///< one before it has not come yet
    Late,     ///< one behind it has come before
    Unknown,  ///< no packet of this flow is under way
  };
  /// A packet arrives that has this turn.
  Order delivered(const PacketRecord& packet, std::uint32_t turn) {
    const std::size_t at = find(key_of(packet));
    Flow& flow = flows_[at];
    if (flow.generated == 0) {
      return Order::Unknown;
    }
    const Order order = turn == flow.due  ? Order::Kept
                        : turn > flow.due ? Order::Early
                                          : Order::Late;
    flow.due = std::max(flow.due, turn + 1);
    const bool all = ++flow.delivered == flow.generated;
    under_way_ -= all ? 1 : 0;
    if (flows_.size() > kKeeps) [[unlikely]] {
      if (all) {
        remove(at);
      }
      return order;
    }
    // Without a branch, as nothing would foretell which way it goes.
    const std::uint32_t goes_on = std::uint32_t{all} - 1;
    flow.generated &= goes_on;
    flow.delivered &= goes_on;
    flow.due &= goes_on;
    return order;
  }

  /// Asks for the memory that generated() and delivered() read, from a while before on.
  void ask_for_memory(Index source, Index destination, int queue) const {
    __builtin_prefetch(&flows_[home(key_of(source, destination, queue))]);
  }

  /// Places for flows: at most eight times as many as flows ever had packets at once, and 64.
  [[nodiscard]] std::size_t places() const { return flows_.size(); }

 private:
  struct Flow {
    std::uint64_t key = kFree;
    std::uint32_t generated = 0;
    std::uint32_t delivered = 0;
    std::uint32_t due = 0;  ///< above all turns delivered so far
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  /// In so many places a flow without packets keeps its own until there is no other: its next one
  /// comes soon.
  static constexpr std::size_t kKeeps = 1 << 13;

  static std::uint64_t key_of(std::uint32_t source, std::uint32_t destination,
                              std::uint32_t queue) {
    return std::uint64_t{source} << 40U | std::uint64_t{destination} << 16U | queue;
  }
  static std::uint64_t key_of(const PacketRecord& packet) {
    return key_of(packet.source, packet.destination, packet.queue);
  }
  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    return key * 0x9e3779b97f4a7c15U >> shift_;  // the upper bits know all of the key
  }
  [[nodiscard]] std::size_t find(std::uint64_t key) const {
    std::size_t at = home(key);
    while (flows_[at].key != key && flows_[at].key != kFree) {
      at = (at + 1) & (flows_.size() - 1);
    }
    return at;
  }
  std::size_t add(std::uint64_t key);
  /// What came to a later place because this one was taken moves up.
  void remove(std::size_t at) {
    const std::size_t mask = flows_.size() - 1;
    for (std::size_t next = (at + 1) & mask; flows_[next].key != kFree; next = (next + 1) & mask) {
      if (((next - home(flows_[next].key)) & mask) >= ((next - at) & mask)) {
        flows_[at] = flows_[next];
        at = next;
      }
    }
    flows_[at] = {};
    --taken_;
  }

  std::vector<Flow> flows_;  ///< open addressing; a power of two, half of which is free
  unsigned shift_ = 64 - 6;  ///< 64 less the bits of a place's number
  std::size_t taken_ = 0;
  std::size_t under_way_ = 0;  ///< flows with packets
};

}  // namespace qosarb
