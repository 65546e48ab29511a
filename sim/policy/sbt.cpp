#include "qosarb/policy/sbt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

int sl_count(const SbtConfig& config) {
  int highest = *std::max_element(config.queue_sl.begin(), config.queue_sl.end());
  for (const SbtConfig::Entry& entry : config.table) {
    highest = std::max(highest, entry.sl);
  }
  return highest + 1;
}

}  // namespace

SimpleBandwidthTable::SimpleBandwidthTable(const SbtConfig& config, Variant variant)
    : variant_(variant),
      queue_entry_(config.queue_sl.size(), -1),
      queues_(config.queue_sl, sl_count(config)) {
  for (Index e = 0; e < count(config.table); ++e) {
    sl_.push_back(config.table[e].sl);
    weight_.push_back(config.table[e].weight);
    for (std::size_t q = 0; q < config.queue_sl.size(); ++q) {
      if (config.queue_sl[q] == config.table[e].sl) {
        queue_entry_[q] = e;
      }
    }
  }
  left_ = weight_;
}

// Flattened, for both forms of narrated() keep the compiler from inlining what each calls.
[[gnu::flatten]] Decision SimpleBandwidthTable::decide(Cycle /*now*/, Heads heads) {
  return narrated(narrator_, [this, heads](const auto& tell) {
    return variant_ == Variant::Corrected ? decide_corrected(heads, tell)
                                          : decide_printed(heads, tell);
  });
}

Decision SimpleBandwidthTable::decide_corrected(Heads heads, const auto& tell) {
  if (std::none_of(heads.begin(), heads.end(), [](const Head& h) { return h.active(); })) {
    tell("no queue is active: nothing changes");
    return {};
  }
  const std::size_t entries = sl_.size();
  const auto grant = [&](std::size_t e, Index queue) {
    left_[e] -= 1;
    tell("entry {} (SL {}): queue {} is granted, weight left {} -> {}", e, sl_[e], queue,
         left_[e] + 1, left_[e]);
    cur_ = e;
    paying_entry_ = static_cast<int>(e);
    queues_.granted(sl_[e], queue);
    const Head& head = heads[queue];
    return Decision{queue, head.flits, head.age};
  };
  for (std::size_t i = 0; i < entries; ++i) {  // cur, cur+1, ... cur+N-1
    const std::size_t e = (cur_ + i) % entries;
    if (left_[e] > 0) {
      if (const Index queue = queues_.candidate(sl_[e], heads, tell); queue >= 0) {
        return grant(e, queue);
      }
    }
    tell("entry {} (SL {}): {}, passed over", e, sl_[e],
         left_[e] > 0 ? "no active queue" : "no weight left");
  }
  tell("no entry with weight left has an active queue: all weights are restored");
  left_ = weight_;
  ++paying_turn_;
  for (std::size_t i = 1; i <= entries; ++i) {  // cur+1, ... cur+N
    const std::size_t e = (cur_ + i) % entries;
    if (const Index queue = queues_.candidate(sl_[e], heads, tell); queue >= 0) {
      return grant(e, queue);
    }
    tell("entry {} (SL {}): no active queue, passed over", e, sl_[e]);
  }
  tell("all active queues are of SLs without an entry");
  return {};  // only queues that no entry serves are active (strict: false)
}

// The line numbers are those of Algorithm 1.
Decision SimpleBandwidthTable::decide_printed(Heads heads, const auto& tell) {
  const Index queues = count(heads);
  Index exhausted = -1;           // 5
  std::size_t empty_entries = 0;  // 6
  const auto grant = [&](Index queue) {
    last_ = queue;
    paying_entry_ = queue_entry_[queue];
    return Decision{queue, heads[queue].flits, heads[queue].age};
  };
  for (Index i = 0; i < queues; ++i) {         // 7
    const Index queue = (last_ + i) % queues;  // 8
    const Index entry = queue_entry_[queue];   // 9, 10
    if (heads[queue].active()) {               // 11
      if (entry >= 0 && left_[entry] > 0) {    // 12
        left_[entry] -= 1;                     // 14
        tell("queue {} ({}): entry {} has weight left, granted; weight left {} -> {}", queue,
             HeadInWords{heads[queue]}, entry, left_[entry] + 1, left_[entry]);
        return grant(queue);  // 13, 15
      }
      exhausted = queue;  // 17
      ++empty_entries;    // 18
      tell("queue {} ({}): its SL has no weight left; active and exhausted so far: {}", queue,
           HeadInWords{heads[queue]}, empty_entries);
    } else {
      tell("queue {} ({}): passed over", queue, HeadInWords{heads[queue]});
    }
  }
  if (empty_entries == sl_.size()) {  // 22
    left_ = weight_;                  // 23
    ++paying_turn_;
    tell("line 23: {} exhausted, as many as entries: all weights are restored", empty_entries);
  } else {
    tell("line 22: {} exhausted, {} entries: nothing is restored", empty_entries, sl_.size());
  }
  if (exhausted >= 0) {  // 25
    tell("queue {} is the last exhausted one and is granted, no weight charged", exhausted);
    return grant(exhausted);  // 26, 27
  }
  return {};  // 29
}

std::string SimpleBandwidthTable::describe() const {
  return variant_ == Variant::Corrected
             ? fmt::format("current_entry={} weights_left=[{}] first_queues=[{}]", cur_,
                           fmt::join(left_, " "), fmt::join(queues_.first_tried(), " "))
             : fmt::format("last_queue={} weights_left=[{}]", last_, fmt::join(left_, " "));
}

bool SimpleBandwidthTable::append_state(std::vector<std::uint64_t>& numbers) const {
  numbers.push_back(cur_);
  numbers.push_back(last_);
  numbers.insert(numbers.end(), left_.begin(), left_.end());
  queues_.append_state(numbers);
  return true;
}

namespace {

constexpr std::array<std::string_view, 2> kSbtKeys = {"queue_sl", "table"};

class SbtPolicy final : public Policy {
 public:
  constexpr SbtPolicy()
      : Policy({.name = "sbt", .paper = "Omni-Path, Algorithm 1", .keys = kSbtKeys}) {}

  Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const override {
    SbtConfig sbt;
    sbt.queue_sl = parse_queue_sl(reader, config, kMaxQueues);
    for (const auto& entry : reader.items("table", 1, kMaxQueues)) {
      const int sl = entry->index("sl", 0, kMaxQueues - 1);
      const std::uint32_t weight = entry->unsigned_32("weight", 1, UINT32_MAX);
      entry->finish();
      if (std::any_of(sbt.table.begin(), sbt.table.end(),
                      [sl](const SlEntry& other) { return other.sl == sl; })) {
        throw entry->error("sl", fmt::format("SL {} has two entries; sbt has one for each SL", sl));
      }
      sbt.table.push_back({sl, weight});
    }
    refuse_starved_sl(reader, config, sbt.queue_sl, sbt.table);
    return sbt;
  }

  [[nodiscard]] std::string to_yaml(const Parameters& parameters) const override {
    const auto& sbt = parameters.get<SbtConfig>();
    return fmt::format("  queue_sl: [{}]\n", fmt::join(sbt.queue_sl, ", ")) +
           qosarb::to_yaml(sbt.table);
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return std::make_unique<SimpleBandwidthTable>(config.parameters.get<SbtConfig>(),
                                                  config.variant);
  }

  std::vector<LowerableNumber> numbers(Parameters& parameters) const override {
    std::vector<LowerableNumber> numbers;
    for (SbtConfig::Entry& entry : parameters.get<SbtConfig>().table) {
      numbers.emplace_back(entry.weight, 1);
    }
    return numbers;
  }

  std::vector<EntryList> tables(Parameters& parameters) const override {
    return {EntryList(parameters.get<SbtConfig>().table)};
  }

  void leave_out_queues(Parameters& parameters, int first, int /*count*/) const override {
    auto& queue_sl = parameters.get<SbtConfig>().queue_sl;
    queue_sl.erase(queue_sl.begin() + first);
  }

  bool shorten_turns(Parameters& parameters, Index queue, std::uint32_t /*flits*/) const override {
    auto& sbt = parameters.get<SbtConfig>();
    const auto entry = std::find_if(sbt.table.begin(), sbt.table.end(), [&](const auto& e) {
      return e.sl == sbt.queue_sl[queue] && e.weight > 1;
    });
    if (entry == sbt.table.end()) {
      return false;
    }
    entry->weight -= 1;
    return true;
  }
};

constexpr SbtPolicy kSbtPolicy;

}  // namespace

const Policy& kSbt = kSbtPolicy;

}  // namespace qosarb
