#include "qosarb/policy/infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

bool active(int vl, Heads heads) { return heads[vl].active(); }

}  // namespace

InfiniBandArbiter::Table::Table(const char* name,
                                const std::vector<InfiniBandConfig::Entry>& entries)
    : name_(name), entries_(entries), remaining_(entries.empty() ? 0 : entries[0].weight) {}

bool InfiniBandArbiter::Table::ready(Heads heads) const {
  return std::any_of(entries_.begin(), entries_.end(), [heads](const auto& entry) {
    return entry.weight > 0 && active(entry.vl, heads);
  });
}

bool InfiniBandArbiter::Table::current_active(Heads heads) const {
  return active(entries_[cur_].vl, heads);
}

void InfiniBandArbiter::Table::next_entry(const auto& tell) {
  cur_ = (cur_ + 1) % entries_.size();
  remaining_ = entries_[cur_].weight;
  ++turn_;
  tell("{} table: entry {} (VL {}) is the current one, weight {}", name_, cur_, entries_[cur_].vl,
       remaining_);
}

const char* InfiniBandArbiter::Table::why_skipped(Heads heads) const {
  const Head& head = heads[entries_[cur_].vl];
  return entries_[cur_].weight == 0 ? "weight 0"
         : head.flits == 0          ? "its VL is empty"
         : head.stopped             ? "its VL is stopped"
                                    : "no weight left";
}

InfiniBandArbiter::Table::Sent InfiniBandArbiter::Table::send(Heads heads, std::uint32_t flit_bytes,
                                                              const auto& tell) {
  while (entries_[cur_].weight == 0 || !current_active(heads) || remaining_ <= 0) {
    tell("{} table: entry {} (VL {}, {} left) is skipped: {}", name_, cur_, entries_[cur_].vl,
         remaining_, why_skipped(heads));
    next_entry(tell);
  }
  Sent sent{cur_, entries_[cur_].vl, false, turn_};
  const std::uint64_t bytes = std::uint64_t{heads[sent.vl].flits} * flit_bytes;
  const auto cost = static_cast<std::int64_t>((bytes + 63) / 64);
  tell("{} table: entry {} (VL {}, {} left) sends {} bytes for {} units of 64 bytes, {} left",
       name_, cur_, sent.vl, remaining_, bytes, cost, remaining_ - cost);
  remaining_ -= cost;
  sent.used_up = remaining_ <= 0;
  if (sent.used_up) {
    next_entry(tell);
  }
  return sent;
}

void InfiniBandArbiter::Table::append_state(std::vector<std::uint64_t>& numbers) const {
  numbers.push_back(cur_);
  numbers.push_back(remaining_);
}

std::string InfiniBandArbiter::Table::describe() const {
  return fmt::format("(entry={} remaining={})", cur_, remaining_);
}

InfiniBandArbiter::InfiniBandArbiter(const InfiniBandConfig& config)
    : config_(config), high_("high", config.high), low_("low", config.low) {}

// Flattened, for both forms of narrated() keep the compiler from inlining what each calls.
[[gnu::flatten]] Decision InfiniBandArbiter::decide(Cycle /*now*/, Heads heads) {
  return narrated(narrator_, [this, heads](const auto& tell) { return decide(heads, tell); });
}

Decision InfiniBandArbiter::decide(Heads heads, const auto& tell) {
  // A turn that an inactive VL cuts short ends before anything else is decided.
  if (in_low_turn_ && !low_.current_active(heads)) {
    tell("the low turn is cut short, its VL is not active; high_bytes {} -> 0", hi_bytes_);
    low_.next_entry(tell);
    in_low_turn_ = false;
    hi_bytes_ = 0;
  }
  if (in_low_turn_) {
    tell("the low entry's turn goes on");
    return send_low(heads, tell);
  }
  const bool high_ready = high_.ready(heads);
  if (high_ready && high_open()) {
    tell("the high table is ready and open (high_bytes {}, LimitOfHighPriority {})", hi_bytes_,
         config_.limit_of_high_priority);
    return send_high(heads, true, tell);
  }
  if (high_ready) {
    tell("the high table is ready, but closed (high_bytes {}, LimitOfHighPriority {})", hi_bytes_,
         config_.limit_of_high_priority);
  } else {
    tell("the high table is not ready: no entry with a weight has an active VL");
  }
  if (low_.ready(heads)) {
    tell("the low table is ready");
    return send_low(heads, tell);
  }
  tell("the low table is not ready: no entry with a weight has an active VL");
  if (high_ready) {
    tell("the high table sends though it is closed; high_bytes stays");
    return send_high(heads, false, tell);
  }
  return {};
}

bool InfiniBandArbiter::high_open() const {
  const std::uint64_t limit = config_.limit_of_high_priority;
  return limit == 255 || (limit == 0 && hi_bytes_ == 0) || hi_bytes_ < limit * 4096;
}

Decision InfiniBandArbiter::send_high(Heads heads, bool count, const auto& tell) {
  const Table::Sent sent = high_.send(heads, config_.flit_bytes, tell);
  paying_entry_ = static_cast<int>(sent.entry);
  paying_turn_ = sent.turn;
  const Head& head = heads[sent.vl];
  if (count) {
    const std::uint64_t bytes = std::uint64_t{head.flits} * config_.flit_bytes;
    tell("high_bytes {} + {}{}", hi_bytes_, bytes,
         hi_bytes_ + bytes > kHighBytesMax ? ", saturated" : "");
    hi_bytes_ = std::min(hi_bytes_ + bytes, kHighBytesMax);
  }
  return {sent.vl, head.flits, head.age};
}

Decision InfiniBandArbiter::send_low(Heads heads, const auto& tell) {
  const Table::Sent sent = low_.send(heads, config_.flit_bytes, tell);
  paying_entry_ = static_cast<int>(config_.high.size() + sent.entry);
  paying_turn_ = sent.turn;
  in_low_turn_ = config_.low_turn == InfiniBandConfig::LowTurn::Entry && !sent.used_up;
  if (!in_low_turn_) {
    tell("the low turn ends, high_bytes {} -> 0", hi_bytes_);
    hi_bytes_ = 0;
  }
  const Head& head = heads[sent.vl];
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

namespace {

constexpr std::array<std::string_view, 5> kInfiniBandKeys = {"flit_bytes", "limit_of_high_priority",
                                                             "low_turn", "high", "low"};
constexpr std::array<std::string_view, 2> kLowTurnNames = {"entry", "packet"};

std::string entries_to_yaml(const std::string& key,
                            const std::vector<InfiniBandConfig::Entry>& table) {
  std::string text = fmt::format("  {}:{}\n", key, table.empty() ? " []" : "");
  for (const InfiniBandConfig::Entry& entry : table) {
    text += fmt::format("    - {{vl: {}, weight: {}}}\n", entry.vl, entry.weight);
  }
  return text;
}

class InfiniBandPolicy final : public Policy {
 public:
  constexpr InfiniBandPolicy()
      : Policy({.name = "infiniband",
                .paper = "InfiniBand",
                .keys = kInfiniBandKeys,
                .printed_variant = false}) {}

  Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const override {
    if (config.queues > kMaxDataVls) {
      throw reader.error("queues", fmt::format("infiniband has up to {} data VLs, not {}",
                                               kMaxDataVls, config.queues));
    }
    InfiniBandConfig ib;
    ib.flit_bytes = reader.unsigned_32_or("flit_bytes", 1, 65536, 64);
    ib.limit_of_high_priority = reader.unsigned_32("limit_of_high_priority", 0, 255);
    ib.low_turn = reader.choice_or("low_turn", kLowTurnNames, InfiniBandConfig::LowTurn{});
    std::vector<bool> served(config.queues, false);
    ib.high = parse_table(reader, "high", served);
    ib.low = parse_table(reader, "low", served);
    if (ib.high.empty() && ib.low.empty()) {
      throw reader.error("high", "the tables high and low have no entry");
    }
    refuse_starved(reader, ib.low.empty() ? "high" : "low", config, served);
    return ib;
  }

  [[nodiscard]] std::string to_yaml(const Parameters& parameters) const override {
    const auto& ib = parameters.get<InfiniBandConfig>();
    return fmt::format("  flit_bytes: {}\n  limit_of_high_priority: {}\n  low_turn: {}\n",
                       ib.flit_bytes, ib.limit_of_high_priority,
                       kLowTurnNames[static_cast<std::size_t>(ib.low_turn)]) +
           entries_to_yaml("high", ib.high) + entries_to_yaml("low", ib.low);
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return std::make_unique<InfiniBandArbiter>(config.parameters.get<InfiniBandConfig>());
  }

  std::vector<LowerableNumber> numbers(Parameters& parameters) const override {
    auto& ib = parameters.get<InfiniBandConfig>();
    std::vector<LowerableNumber> numbers;
    numbers.emplace_back(ib.limit_of_high_priority, 0);
    for (auto* const table : {&ib.high, &ib.low}) {
      for (InfiniBandConfig::Entry& entry : *table) {
        numbers.emplace_back(entry.weight, 0);
      }
    }
    return numbers;
  }

  std::vector<EntryList> tables(Parameters& parameters) const override {
    auto& ib = parameters.get<InfiniBandConfig>();
    return {EntryList(ib.high), EntryList(ib.low)};
  }

  void leave_out_queues(Parameters& parameters, int first, int count) const override {
    auto& ib = parameters.get<InfiniBandConfig>();
    for (auto* const table : {&ib.high, &ib.low}) {
      leave_queues_out_of(*table, first, count, &InfiniBandConfig::Entry::vl);
    }
  }

 private:
  // `served` has an element for each VL of the port.
  static std::vector<InfiniBandConfig::Entry> parse_table(ConfigReader& reader,
                                                          const std::string& key,
                                                          std::vector<bool>& served) {
    std::vector<InfiniBandConfig::Entry> table;
    if (!reader.has(key)) {
      return table;
    }
    for (const auto& entry : reader.items(key, 0, kMaxVlArbitrationEntries)) {
      const int vl = entry->index("vl", 0, kMaxDataVls);
      const std::uint32_t weight = entry->unsigned_32("weight", 0, 255);
      entry->finish();
      if (vl == kMaxDataVls) {
        throw entry->error("vl", "VL15 is for subnet management and stands in no table");
      }
      if (vl >= count(served)) {
        throw entry->error("vl",
                           fmt::format("VL {} is beyond the port's {} VLs", vl, served.size()));
      }
      table.push_back({vl, weight});
      if (weight > 0) {
        served[vl] = true;
      }
    }
    return table;
  }
};

constexpr InfiniBandPolicy kInfiniBandPolicy;

}  // namespace

const Policy& kInfiniBand = kInfiniBandPolicy;

}  // namespace qosarb
