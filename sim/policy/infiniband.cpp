#include "qosarb/policy/infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qosarb {

namespace {

bool active(int vl, Heads heads) { return heads[static_cast<std::size_t>(vl)].active(); }

}  // namespace

InfiniBandArbiter::Table::Table(const std::vector<InfiniBandConfig::Entry>& entries)
    : entries_(entries), remaining_(entries.empty() ? 0 : entries[0].weight) {}

bool InfiniBandArbiter::Table::ready(Heads heads) const {
  return std::any_of(entries_.begin(), entries_.end(), [heads](const auto& entry) {
    return entry.weight > 0 && active(entry.vl, heads);
  });
}

bool InfiniBandArbiter::Table::current_active(Heads heads) const {
  return active(entries_[cur_].vl, heads);
}

void InfiniBandArbiter::Table::next_entry() {
  cur_ = (cur_ + 1) % entries_.size();
  remaining_ = entries_[cur_].weight;
}

InfiniBandArbiter::Table::Sent InfiniBandArbiter::Table::send(Heads heads,
                                                              std::uint32_t flit_bytes) {
  while (entries_[cur_].weight == 0 || !current_active(heads) || remaining_ <= 0) {
    next_entry();
  }
  Sent sent{cur_, entries_[cur_].vl, false};
  const std::uint64_t bytes =
      std::uint64_t{heads[static_cast<std::size_t>(sent.vl)].flits} * flit_bytes;
  remaining_ -= static_cast<std::int64_t>((bytes + 63) / 64);
  sent.used_up = remaining_ <= 0;
  if (sent.used_up) {
    next_entry();
  }
  return sent;
}

void InfiniBandArbiter::Table::append_state(std::vector<std::uint64_t>& numbers) const {
  numbers.push_back(cur_);
  numbers.push_back(static_cast<std::uint64_t>(remaining_));
}

std::string InfiniBandArbiter::Table::describe() const {
  return fmt::format("(entry={} remaining={})", cur_, remaining_);
}

InfiniBandArbiter::InfiniBandArbiter(const InfiniBandConfig& config)
    : config_(config), high_(config.high), low_(config.low) {}

Decision InfiniBandArbiter::decide(Cycle /*now*/, Heads heads) {
  // A turn that an inactive VL cuts short ends before anything else is decided.
  if (in_low_turn_ && !low_.current_active(heads)) {
    low_.next_entry();
    in_low_turn_ = false;
    hi_bytes_ = 0;
  }
  if (in_low_turn_) {
    return send_low(heads);
  }
  const bool high_ready = high_.ready(heads);
  if (high_ready && high_open()) {
    return send_high(heads, true);
  }
  if (low_.ready(heads)) {
    return send_low(heads);
  }
  if (high_ready) {
    return send_high(heads, false);
  }
  return {};
}

bool InfiniBandArbiter::high_open() const {
  const std::uint64_t limit = config_.limit_of_high_priority;
  return limit == 255 || (limit == 0 && hi_bytes_ == 0) || hi_bytes_ < limit * 4096;
}

Decision InfiniBandArbiter::send_high(Heads heads, bool count) {
  const Table::Sent sent = high_.send(heads, config_.flit_bytes);
  paying_entry_ = static_cast<int>(sent.entry);
  const Head& head = heads[static_cast<std::size_t>(sent.vl)];
  if (count) {
    const std::uint64_t bytes = std::uint64_t{head.flits} * config_.flit_bytes;
    hi_bytes_ = std::min(hi_bytes_ + bytes, kHighBytesMax);
  }
  return {sent.vl, head.flits, head.age};
}

Decision InfiniBandArbiter::send_low(Heads heads) {
  const Table::Sent sent = low_.send(heads, config_.flit_bytes);
  paying_entry_ = static_cast<int>(config_.high.size() + sent.entry);
  in_low_turn_ = config_.low_turn == InfiniBandConfig::LowTurn::Entry && !sent.used_up;
  if (!in_low_turn_) {
    hi_bytes_ = 0;
  }
  const Head& head = heads[static_cast<std::size_t>(sent.vl)];
  return {sent.vl, head.flits, head.age};
}

bool InfiniBandArbiter::append_state(std::vector<std::uint64_t>& numbers) const {
  high_.append_state(numbers);
  low_.append_state(numbers);
  numbers.push_back(hi_bytes_);
  numbers.push_back(in_low_turn_ ? 1 : 0);
  return true;
}

std::string InfiniBandArbiter::describe() const {
  return fmt::format("high={} low={} high_bytes={} low_turn={}", high_.describe(), low_.describe(),
                     hi_bytes_, in_low_turn_);
}

}  // namespace qosarb
