// InfiniBand's tables turn by turn instead of packet by packet: when every VL has packets of one
// length, the number of packets up to the next change of entry or table is a division. Two full
// tables can take millions of packets to repeat.
#include <algorithm>

#include "qosarb/analyze/backlog.hpp"
#include "qosarb/analyze/landmarks.hpp"
#include "qosarb/config/divided_up.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

namespace {

// A table's entries with a weight, and the place in it.
class Turns {
 public:
  Turns(const std::vector<InfiniBandConfig::Entry>& entries, int first_index) {
    for (Index e = 0; e < count(entries); ++e) {
      if (entries[e].weight > 0) {
        entries_.push_back({entries[e].vl, entries[e].weight, first_index + e});
      }
    }
    remaining_ = entries_.empty() ? 0 : entries_[0].weight;
  }

  [[nodiscard]] bool ready() const { return !entries_.empty(); }
  [[nodiscard]] int vl() const { return entries_[current_].vl; }
  [[nodiscard]] Index entry() const { return entries_[current_].index; }
  [[nodiscard]] bool begins() const { return begins_; }  // nothing was sent in this turn
  // Packets of `cost` units that the current entry still sends.
  [[nodiscard]] std::uint64_t packets(std::uint64_t cost) const {
    return divided_up(remaining_, cost);
  }
  void spend(std::uint64_t units) {
    begins_ = units >= remaining_;
    if (!begins_) {
      remaining_ -= units;
    } else {
      current_ = (current_ + 1) % entries_.size();
      remaining_ = entries_[current_].weight;
    }
  }
  void append_state(std::vector<std::uint64_t>& numbers) const {
    numbers.push_back(current_);
    numbers.push_back(remaining_);
  }

 private:
  struct Entry {
    int vl;
    std::uint64_t weight;
    int index;
  };
  std::vector<Entry> entries_;
  std::size_t current_ = 0;
  std::uint64_t remaining_ = 0;
  bool begins_ = true;
};

class BackloggedTables {
 public:
  BackloggedTables(const InfiniBandConfig& config, const PacketMix& mix)
      : config_(config), high_(config.high, 0), low_(config.low, count(config.high)) {
    for (const std::vector<std::uint32_t>& lengths : mix.flits) {
      const std::uint64_t bytes = std::uint64_t{lengths[0]} * config.flit_bytes;
      flits_.push_back(lengths[0]);
      bytes_.push_back(bytes);
      cost_.push_back(divided_up(bytes, kWeightUnitBytes));
    }
  }

  void append_state(std::vector<std::uint64_t>& numbers) const {
    high_.append_state(numbers);
    low_.append_state(numbers);
    numbers.push_back(high_bytes_);
  }

  // All packets up to the next change of entry or table; none is sent where no entry has a weight.
  // Every VL is active.
  Sent next() {
    if (!high_.ready() && !low_.ready()) {
      return {};
    }
    const bool open = config_.limit_of_high_priority == kNoHighPriorityLimit ||
                      (config_.limit_of_high_priority == 0 && high_bytes_ == 0) ||
                      high_bytes_ < config_.limit_of_high_priority * kLimitUnitBytes;
    // Without a low table the count stays 0, and the high one is open.
    return high_.ready() && open ? send_high() : send_low();
  }

 private:
  Sent send_high() {
    const Index vl = high_.vl();
    std::uint64_t packets = high_.packets(cost_[vl]);
    if (low_.ready() && config_.limit_of_high_priority != kNoHighPriorityLimit) {
      const std::uint64_t limit = config_.limit_of_high_priority * kLimitUnitBytes;
      const std::uint64_t left =
          config_.limit_of_high_priority == 0 ? 1 : divided_up(limit - high_bytes_, bytes_[vl]);
      packets = std::min(packets, left);
    }
    // Without a low table, or without a limit, the count decides nothing.
    high_bytes_ += low_.ready() && config_.limit_of_high_priority != kNoHighPriorityLimit
                       ? packets * bytes_[vl]
                       : 0;
    return sent(high_, vl, packets);
  }

  Sent send_low() {
    const Index vl = low_.vl();
    high_bytes_ = 0;
    return sent(low_, vl,
                config_.low_turn == InfiniBandConfig::LowTurn::Entry ? low_.packets(cost_[vl]) : 1);
  }

  Sent sent(Turns& turns, std::size_t vl, std::uint64_t packets) {
    const Sent result{static_cast<std::int32_t>(vl), turns.entry(),
                      static_cast<std::uint32_t>(packets * flits_[vl]),
                      static_cast<std::uint32_t>(packets), turns.begins()};
    turns.spend(packets * cost_[vl]);
    return result;
  }

  const InfiniBandConfig& config_;
  Turns high_;
  Turns low_;
  std::vector<std::uint64_t> flits_;  // of a packet, per VL
  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint64_t> cost_;  // units of weight
  std::uint64_t high_bytes_ = 0;
};

}  // namespace

Schedule follow_turns(const InfiniBandConfig& config, const PacketMix& mix,
                      std::uint64_t max_decisions) {
  BackloggedTables tables(config, mix);
  Landmarks landmarks;
  Schedule schedule;
  std::vector<std::uint64_t> state;
  while (schedule.sent.size() < max_decisions) {
    const std::size_t now = schedule.sent.size();
    state.clear();
    tables.append_state(state);
    schedule.period_begin = landmarks.visit(now, state);
    if (schedule.period_begin != now) {
      schedule.exact = true;
      return schedule;
    }
    schedule.sent.push_back(tables.next());
  }
  schedule.period_begin = 0;
  return schedule;
}

}  // namespace qosarb
