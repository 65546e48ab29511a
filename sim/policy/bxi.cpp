#include "qosarb/policy/bxi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "qosarb/config/ratio.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb {

BxiTable::BxiTable(const BxiConfig& config, std::uint32_t max_packet_flits, bool deficits,
                   Variant variant)
    : max_packet_flits_(max_packet_flits), deficits_on_(deficits), variant_(variant) {
  entries_.reserve(config.table.size());
  for (std::size_t e = 0; e < config.table.size(); ++e) {
    entries_.push_back({.queue = config.table[e].queue, .quantum = config.quantum(e)});
  }
  rem_ = entries_[0].quantum;
  fresh_ = entries_[0].quantum > 0;
}

Decision BxiTable::decide(Cycle /*now*/, Heads heads) {
  return narrated(narrator_, [this, heads](const auto& tell) {
    return variant_ == Variant::Corrected ? decide_corrected(heads, tell)
                                          : decide_printed(heads, tell);
  });
}

Decision BxiTable::decide_corrected(Heads heads, const auto& tell) {
  const auto active = [heads](Index queue) { return heads[queue].active(); };
  if (std::ranges::none_of(entries_, active, &Entry::queue)) {
    tell("no queue of the table is active: nothing changes");
    return {};
  }
  // One visit more than entries: the current one may be met again with a fresh quantum.
  for (std::size_t visit = 0; visit < entries_.size() + 1; ++visit) {
    const bool fits = head(heads).flits <= rem_ || (too_long(head(heads)) && fresh_);
    if (head(heads).active() && fits) {
      const Decision granted = grant(heads, tell);
      rem_ -= std::min<std::uint64_t>(rem_, granted.flits);
      fresh_ = false;
      if (rem_ == 0) {
        step(tell);
      }
      return granted;
    }
    tell_passed_over(heads, tell);
    const bool saves = head(heads).active() && !too_long(head(heads)) && deficits_on_;
    entries_[cur_].deficit = saves ? rem_ : 0;
    step(tell);
  }
  tell("no entry can send after {} visits", entries_.size() + 1);
  return {};
}

void BxiTable::step(const auto& tell) {
  turn_to_next();
  tell("entry {} begins its turn: quantum {} + deficit {}", cur_, entries_[cur_].quantum,
       entries_[cur_].deficit);
  rem_ = entries_[cur_].quantum + entries_[cur_].deficit;
  fresh_ = entries_[cur_].quantum > 0;
  entries_[cur_].deficit = 0;
}

// Line by line, errors included; the line numbers are those of Algorithm 2.
Decision BxiTable::decide_printed(Heads heads, const auto& tell) {
  if (std::all_of(heads.begin(), heads.end(), [](const Head& h) { return h.flits == 0; })) {
    tell("all queues of the port are empty: nothing changes");
    return {};
  }
  for (std::size_t visit = 0; visit < entries_.size(); ++visit) {  // 1
    const bool queue_active = head(heads).active();                // 2-4
    const bool enough_weight = head(heads).flits <= rem_;          // 5, 6
    if (queue_active && enough_weight) {                           // 7
      const Decision granted = grant(heads, tell);                 // 8
      rem_ -= granted.flits;                                       // 9
      if (rem_ == 0) {                                             // 10
        turn_to_next();                                            // 11
        rem_ = entries_[cur_].quantum;                             // 12
        tell("line 12: entry {} begins its turn: quantum {}; its deficit of {} is not added", cur_,
             rem_, entries_[cur_].deficit);
      }
      return granted;  // 14
    }
    tell_passed_over(heads, tell);
    if (deficits_on_) {
      entries_[cur_].deficit = queue_active ? rem_ : 0;  // 16-20
    }
    turn_to_next();                                          // 22
    rem_ = entries_[cur_].quantum + entries_[cur_].deficit;  // 23
    tell("line 23: entry {} begins its turn: quantum {} + deficit {}, which stays", cur_,
         entries_[cur_].quantum, entries_[cur_].deficit);
  }
  tell("line 25: no entry can send after {} visits", entries_.size());
  return {};  // 25
}

const Head& BxiTable::head(Heads heads) const { return heads[entries_[cur_].queue]; }

Decision BxiTable::grant(Heads heads, const auto& tell) {
  paying_entry_ = static_cast<int>(cur_);
  paying_turn_ = turn_;
  const Head& granted = head(heads);
  if (granted.flits <= rem_) {
    tell("entry {} (queue {}, {} left): the head of {} fits and is granted, {} left", cur_,
         entries_[cur_].queue, FlitsInWords{rem_}, FlitsInWords{granted.flits},
         rem_ - granted.flits);
  } else {
    tell(
        "entry {} (queue {}, {} left): the head of {} is longer than any packet may be; it fits a "
        "fresh turn and is granted, nothing left",
        cur_, entries_[cur_].queue, FlitsInWords{rem_}, FlitsInWords{granted.flits});
  }
  return {entries_[cur_].queue, granted.flits, granted.age};
}

// Before the turn ends: what remains of it is saved or lost.
void BxiTable::tell_passed_over(Heads heads, const auto& tell) const {
  const Head& seen = head(heads);
  if (seen.active()) {
    tell("entry {} (queue {}, {} left): the head of {} does not fit, {} {}", cur_,
         entries_[cur_].queue, FlitsInWords{rem_}, FlitsInWords{seen.flits}, rem_,
         !deficits_on_ ? "lost"
         : variant_ == Variant::Corrected && too_long(seen)
             ? "lost, as it is longer than any packet may be"
             : "saved as its deficit");
  } else {
    tell("entry {} (queue {}, {} left): {}, {} lost", cur_, entries_[cur_].queue,
         FlitsInWords{rem_}, HeadInWords{seen}, rem_);
  }
}

std::string BxiTable::describe() const {
  return fmt::format("current_entry={} remaining_flits={} deficits=[{}]", cur_, rem_,
                     fmt::join(deficits(), " "));
}

std::vector<std::uint64_t> BxiTable::deficits() const {
  std::vector<std::uint64_t> deficits;
  std::ranges::transform(entries_, std::back_inserter(deficits), &Entry::deficit);
  return deficits;
}

bool BxiTable::append_state(std::vector<std::uint64_t>& numbers) const {
  numbers.push_back(cur_);
  numbers.push_back(rem_);
  std::ranges::transform(entries_, std::back_inserter(numbers), &Entry::deficit);
  numbers.push_back(fresh_ ? 1 : 0);
  return true;
}

namespace {

constexpr std::array<std::string_view, 2> kBxiKeys = {"quantum_scale", "table"};

class BxiPolicy final : public Policy {
 public:
  constexpr BxiPolicy(std::string_view name, std::string_view paper, bool deficits)
      : Policy({.name = name, .paper = paper, .keys = kBxiKeys}), deficits_(deficits) {}

  Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const override {
    BxiConfig bxi;
    bxi.quantum_scale = reader.unsigned_32_or("quantum_scale", 1, UINT32_MAX, 1);
    std::vector<bool> served(config.queues, false);
    for (const auto& entry : reader.items("table", 1, kMaxTableEntries)) {
      const Index queue = entry->index("queue", 0, config.queues - 1);
      const std::uint32_t weight = entry->unsigned_32("weight", 0, UINT32_MAX);
      entry->finish();
      refuse_quantum(*entry, config, weight, bxi.quantum_scale);
      bxi.table.push_back({queue, weight});
      if (weight > 0) {
        served[queue] = true;
      }
    }
    refuse_starved(reader, "table", config, served);
    return bxi;
  }

  [[nodiscard]] std::string to_yaml(const Parameters& parameters) const override {
    const auto& bxi = parameters.get<BxiConfig>();
    std::string text = fmt::format("  quantum_scale: {}\n  table:\n", bxi.quantum_scale);
    for (const BxiConfig::Entry& entry : bxi.table) {
      text += fmt::format("    - {{queue: {}, weight: {}}}\n", entry.queue, entry.weight);
    }
    return text;
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return std::make_unique<BxiTable>(config.parameters.get<BxiConfig>(), config.max_packet_flits,
                                      deficits_, config.variant);
  }

  [[nodiscard]] std::optional<double> asked_share(const ArbiterConfig& config,
                                                  Index queue) const override {
    const auto& bxi = config.parameters.get<BxiConfig>();
    std::uint64_t own = 0;
    std::uint64_t all = 0;
    for (std::size_t e = 0; e < bxi.table.size(); ++e) {
      all += bxi.quantum(e);
      own += bxi.table[e].queue == queue ? bxi.quantum(e) : 0;
    }
    return all == 0 ? std::nullopt : std::optional(ratio(own, all));
  }

  std::vector<LowerableNumber> numbers(Parameters& parameters) const override {
    std::vector<LowerableNumber> numbers;
    for (BxiConfig::Entry& entry : parameters.get<BxiConfig>().table) {
      numbers.emplace_back(entry.weight, 0);
    }
    return numbers;
  }

  std::vector<EntryList> tables(Parameters& parameters) const override {
    return {EntryList(parameters.get<BxiConfig>().table)};
  }

  void leave_out_queues(Parameters& parameters, int first, int count) const override {
    leave_queues_out_of(parameters.get<BxiConfig>().table, first, count, &BxiConfig::Entry::queue);
  }

  bool unscale(Parameters& parameters) const override {
    auto& bxi = parameters.get<BxiConfig>();
    if (bxi.quantum_scale == 1) {
      return false;
    }
    for (std::size_t e = 0; e < bxi.table.size(); ++e) {
      bxi.table[e].weight =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(bxi.quantum(e), UINT32_MAX));
    }
    bxi.quantum_scale = 1;
    return true;
  }

  bool shorten_turns(Parameters& parameters, Index queue, std::uint32_t flits) const override {
    auto& bxi = parameters.get<BxiConfig>();
    if (bxi.quantum_scale != 1) {
      return false;
    }
    for (BxiConfig::Entry& entry : bxi.table) {
      entry.weight -= entry.queue == queue ? std::min(entry.weight, flits) : 0;
    }
    return true;
  }

 private:
  bool deficits_;
};

constexpr BxiPolicy kBasic("bxi-basic", "BXIv3, Algorithm 1", false);
constexpr BxiPolicy kDeficit("bxi-deficit", "BXIv3, Algorithm 2", true);

}  // namespace

const Policy& kBxiBasic = kBasic;
const Policy& kBxiDeficit = kDeficit;

void refuse_quantum(const ConfigReader& entry, const ArbiterConfig& config, std::uint32_t weight,
                    std::uint32_t scale) {
  const std::uint64_t quantum = std::uint64_t{weight} * scale;
  if (quantum > kMaxQuantumFlits) {
    throw entry.error("weight",
                      fmt::format("a quantum of {} flits is beyond {}", quantum, kMaxQuantumFlits));
  }
  if (config.strict && quantum < config.max_packet_flits) {
    throw entry.error("weight",
                      fmt::format("a quantum of {} flits ({} x {}) does not hold a packet of {} "
                                  "flits (strict: false accepts that)",
                                  quantum, weight, scale, config.max_packet_flits));
  }
}

}  // namespace qosarb
