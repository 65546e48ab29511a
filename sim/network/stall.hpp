// Looks for packets that wait for each other in a ring, so that they never move again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "qosarb/switch/switch.hpp"

namespace qosarb {

/// One look at a network between two cycles.
///
/// A queue is one virtual channel of an input port or of a central buffer, or one buffer of an
/// output port. Within it packets are in lists that only their first one can leave, and that one
/// waits for room in another queue. A queue is live if one of its lists is; a list is live if its
/// first packet goes to a host, waits for a live queue, has room beside the packets that wait in
/// the queue that it goes to, or is not stopped yet or will not be for long, as a pause frame is on
/// its way. What is not live waits for others of the same kind, which leave it no
/// room, whatever else comes and goes: nothing of it ever moves.
class StallSearch {
 public:
  /// `frames`: where pause frames that are on their way come in, as their events have it.
  StallSearch(const Fabric& fabric, std::span<const std::unique_ptr<Switch>> switches,
              std::set<std::uint32_t> frames);

  /// Packets that wait in switches.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// Packets and queues that were looked at.
  [[nodiscard]] std::size_t looked_at() const { return waiting_ + queues_.size(); }
  /// Queues that will never move again.
  [[nodiscard]] std::size_t dead() const { return dead_; }
  /// Who waits for whom, from a packet of these on until a queue comes up again; if there are none,
  /// from any packet on. At least one packet waits.
  [[nodiscard]] std::string explain() const;

 private:
  static constexpr Index kNone = -1;

  struct Queue {
    std::uint64_t flits = 0;   ///< that wait there
    Index list = kNone;        ///< one of those in it
    Index waited_for = kNone;  ///< a list that it is the target of
    bool live = false;
  };
  struct List {
    PacketId first = kNoPacket;
    Index target = kNone;  ///< the queue that has the room; kNone: it needs none
    Index next = kNone;    ///< another one with that target
    Index in_begin = 0;    ///< the queues that its packets are in: in_[in_begin] ...
    Index in_end = 0;
    bool live = false;
  };

  enum class Kind { Input, Output, Central };
  static constexpr std::array kKinds = {Kind::Input, Kind::Output, Kind::Central};
  struct Place {
    const Switch& at;
    Kind kind = Kind::Input;
    int number = 0;  ///< of the port or the central buffer
    int queue = 0;   ///< virtual channel, or buffer of the output
  };

  /// Queues of each port or central buffer of this kind, and how many there are.
  [[nodiscard]] static std::pair<int, int> size_of(const Switch& at, Kind kind);
  [[nodiscard]] Index queue_at(Index node, Kind kind, int number, int queue) const;
  [[nodiscard]] Index queue_of(const Switch& at, const Waiting& waiting) const;
  void add_lists(const Switch& at);
  [[nodiscard]] Index target_of(const Switch& at, const Waiting& waiting) const;
  /// The first packet of `list` will not get its room unless something leaves its target.
  [[nodiscard]] bool lacks_room(const List& list) const;
  void mark_live();
  [[nodiscard]] const Switch& at(Index node) const { return *switches_[node - fabric_.hosts]; }
  [[nodiscard]] Place place_of(Index queue) const;
  [[nodiscard]] std::string name_of_queue(Index queue) const;

  /// The receiver of `to` has stopped its sender, which knows it, and says nothing else.
  [[nodiscard]] bool stopped_for_good(const Place& to) const;

  const Fabric& fabric_;
  std::span<const std::unique_ptr<Switch>> switches_;
  std::set<std::uint32_t> frames_;
  std::vector<Index> begin_;  ///< [switch]: its first queue
  std::vector<Queue> queues_;
  std::vector<List> lists_;
  std::vector<Index> in_;
  std::size_t waiting_ = 0;
  std::size_t dead_ = 0;
};

}  // namespace qosarb
