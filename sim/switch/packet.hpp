// A packet moves through the network as one object; its flit times follow from a few numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "qosarb/policy/types.hpp"
#include "qosarb/switch/ids.hpp"
#include "qosarb/switch/reserved.hpp"

namespace qosarb {

/// Names a packet in a PacketPool.
using PacketId = std::uint32_t;
inline constexpr PacketId kNoPacket = ~PacketId{0};

/// What every hop reads and writes: half a cache line. Cycles are kept modulo 2^32; see since().
/// Small numbers are bit fields, as a byte of its own could be a part of anything to the compiler.
struct alignas(32) Packet {
  PacketId next = kNoPacket;  ///< in the list that it stands in
  std::uint32_t flits : 24 = 0;
  std::uint32_t service_level : 8 = 0;
  Index destination = 0;           ///< host
  std::uint32_t route = 0;         ///< belongs to the routing
  std::uint32_t ready = 0;         ///< at the switch it is in: may be asked to cross the crossbar
  std::uint32_t last_read = 0;     ///< at that switch: its last flit leaves the input queue
  std::uint16_t out_port : 8 = 0;  ///< of the switch it is in
  std::uint16_t next_vc : 8 = 0;   ///< by which it leaves it
  std::uint16_t vc : 8 = 0;        ///< by which it came into this switch
  std::uint16_t age : 8 = 0;       ///< that the last arbiter gave it (seastar-age)
  AgeStamp stamp;                  ///< that the arbiter it waits for gave it
};
static_assert(sizeof(Packet) == 32);

/// What only its ends read, and those of slow wires: source, destination and the statistics.
struct PacketRecord {
  Cycle generated = 0;          ///< its message came to the source's queue
  Cycle injected = 0;           ///< its first flit left the source
  Index source = 0;             ///< host
  Index destination = 0;        ///< host
  std::uint32_t number = 0;     ///< counts the packets of (source, queue)
  std::uint16_t queue : 8 = 0;  ///< of the traffic entry: its service level
  std::uint16_t spare : 8 = 0;  ///< that it left on the last slow wire; see LinkRate
  std::uint16_t entry = 0;      ///< of the traffic list
};
static_assert(sizeof(PacketRecord) == 32);

/// What a packet keeps of a cycle.
inline constexpr Cycle kKept = 0xffffffffU;

/// What is still to come of it comes within so many cycles: all of a packet is read no later than
/// some lengths of the longest ones after its first flit.
inline constexpr Cycle kMostToCome = Cycle{1} << 26U;

/// Cycles from `then`, kept modulo 2^32, to `now`; negative if it is still to come.
constexpr std::int64_t since(std::uint32_t then, Cycle now) {
  return static_cast<std::int64_t>((now + kMostToCome - then) & kKept) -
         static_cast<std::int64_t>(kMostToCome);
}

/// "host3->host5 queue 2 number 17".
std::string name_of(const PacketRecord& packet);

/// Of a network and its sources, 64 bytes each: a run whose sources are this far behind has lost
/// all meaning, and would go on to eat the machine's memory.
inline constexpr std::uint32_t kMostPackets = 1U << 26U;

/// Packets by id; ids of packets that left are used again.
class PacketPool {
 public:
  PacketPool() : PacketPool(std::make_shared<Memory>(), Ids(kMostPackets)) {}
  /// Another pool in the same memory: packets that one has taken the other one may have, and give
  /// back.
  [[nodiscard]] PacketPool sharing() const { return {memory_, ids_.sharing()}; }

  /// What is in it and its record is to be written anew. Errors: CheckFailure if there are
  /// kMostPackets.
  PacketId take() { return ids_.take(); }
  void give_back(PacketId id) { ids_.give_back(id); }
  Packet& operator[](PacketId id) { return packets_[id]; }
  const Packet& operator[](PacketId id) const { return packets_[id]; }
  PacketRecord& record(PacketId id) { return records_[id]; }
  [[nodiscard]] const PacketRecord& record(PacketId id) const { return records_[id]; }
  /// Asks for the memory of a packet that is soon looked at.
  void ask_for(PacketId id) const { __builtin_prefetch(&packets_[id]); }
  /// The same of its record.
  void ask_for_record(PacketId id) const { __builtin_prefetch(&records_[id]); }
  /// As Reserved::ask_for_huge_pages(), for all pools in this memory.
  void ask_for_huge_pages() {
    memory_->packets.ask_for_huge_pages();
    memory_->records.ask_for_huge_pages();
  }
  /// The ids; how many are in use of all pools in this memory is their sum.
  [[nodiscard]] Ids& ids() { return ids_; }
  [[nodiscard]] const Ids& ids() const { return ids_; }

 private:
  struct Memory {
    Reserved<Packet> packets{kMostPackets};
    Reserved<PacketRecord> records{kMostPackets};
  };
  PacketPool(std::shared_ptr<Memory> memory, Ids ids)
      : packets_(memory->packets.data()),
        records_(memory->records.data()),
        ids_(std::move(ids)),
        memory_(std::move(memory)) {}

  Packet* packets_;
  PacketRecord* records_;
  Ids ids_;
  std::shared_ptr<Memory> memory_;
};

/// Packets in the order in which they came, linked by Packet::next.
struct PacketList {
  PacketId first = kNoPacket;
  PacketId last = kNoPacket;

  [[nodiscard]] bool empty() const { return first == kNoPacket; }
  /// True if it was empty. Without a branch, as nothing would foretell which way it goes.
  [[gnu::always_inline]] bool push(PacketPool& packets, PacketId id) {
    const bool was_empty = empty();
    const PacketId all_if_empty = 0U - PacketId{was_empty};
    packets[(last & ~all_if_empty) | (id & all_if_empty)].next = id;
    packets[id].next = kNoPacket;
    first &= id | ~all_if_empty;  // it is all ones if empty
    last = id;
    return was_empty;
  }
  PacketId pop(const PacketPool& packets) {
    const PacketId id = first;
    first = packets[id].next;
    return id;
  }
  /// visit(id) for each, first to last.
  template <typename Visitor>
  void for_each(const PacketPool& packets, Visitor&& visit) const {
    for (PacketId id = first; id != kNoPacket; id = packets[id].next) {
      visit(id);
    }
  }
};

}  // namespace qosarb
