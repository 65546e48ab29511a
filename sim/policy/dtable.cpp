#include "qosarb/policy/dtable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

DeficitTable::DeficitTable(const DTableConfig& config, Variant variant)
    : variant_(variant),
      table_(config.table),
      sl_mtu_(config.sl_mtu),
      queue_sl_(config.queue_sl),
      queues_(config.queue_sl, count(config.sl_mtu)),
      entry_(config.table.size() - 1),
      deficit_(config.sl_mtu.size(), 0) {}

// The paper sends messages as whole MTUs; the corrected variant pays for what is sent.
std::uint64_t DeficitTable::cost(Index queue, Heads heads) const {
  const Index q = queue;
  return variant_ == Variant::Printed ? sl_mtu_[queue_sl_[q]] : heads[q].flits;
}

Decision DeficitTable::decide(Cycle /*now*/, Heads heads) {
  return narrated(narrator_, [this, heads](const auto& tell) { return decide(heads, tell); });
}

Decision DeficitTable::decide(Heads heads, const auto& tell) {
  Index queue = -1;
  if (selected_ >= 0) {
    const Index sl = selected_;
    queue = queues_.candidate(selected_, heads, tell);
    if (queue < 0) {
      tell("SL {} has no active queue: its turn ends, its {} left and its deficit are lost",
           selected_, FlitsInWords{acc_});
      acc_ = 0;
      deficit_[sl] = 0;
      selected_ = -1;
    } else if (cost(queue, heads) > acc_) {
      const bool too_long = cost(queue, heads) > sl_mtu_[sl];
      tell("SL {}: queue {} costs {}, more than the {} left: its turn ends, {} {}", selected_,
           queue, FlitsInWords{cost(queue, heads)}, acc_, acc_,
           too_long ? "lost, as that is above its MTU" : "saved as its deficit");
      deficit_[sl] = too_long ? 0 : acc_;
      selected_ = -1;
    }
  }
  if (selected_ < 0) {
    for (std::size_t i = 1; i <= table_.size() && selected_ < 0; ++i) {  // entry+1 ... entry+N
      const std::size_t e = (entry_ + i) % table_.size();
      queue = queues_.candidate(table_[e].sl, heads, tell);
      if (queue >= 0) {
        entry_ = e;
        selected_ = table_[e].sl;
        acc_ = deficit_[selected_] + table_[e].weight;
        ++paying_turn_;
        tell("entry {} (SL {}) begins its turn: deficit {} + weight {}", e, selected_,
             acc_ - table_[e].weight, table_[e].weight);
      } else {
        tell("entry {} (SL {}): no active queue, passed over", e, table_[e].sl);
      }
    }
    if (selected_ < 0) {
      tell("no entry's SL has an active queue");
      return {};
    }
  }
  tell("entry {} (SL {}, {} left): queue {} is granted and costs {}", entry_, selected_,
       FlitsInWords{acc_}, queue, FlitsInWords{cost(queue, heads)});
  acc_ -= std::min(acc_, cost(queue, heads));
  paying_entry_ = static_cast<int>(entry_);
  queues_.granted(selected_, queue);
  const Head& head = heads[queue];
  return {queue, head.flits, head.age};
}

std::string DeficitTable::describe() const {
  return fmt::format(
      "selected_sl={} current_entry={} accumulated_weight={} deficits=[{}] first_queues=[{}]",
      selected_, entry_, acc_, fmt::join(deficit_, " "), fmt::join(queues_.first_tried(), " "));
}

bool DeficitTable::append_state(std::vector<std::uint64_t>& numbers) const {
  numbers.push_back(selected_ + 1);
  numbers.push_back(entry_);
  numbers.push_back(acc_);
  numbers.insert(numbers.end(), deficit_.begin(), deficit_.end());
  queues_.append_state(numbers);
  return true;
}

namespace {

constexpr std::array<std::string_view, 3> kDTableKeys = {"queue_sl", "sl_mtu", "table"};

class DTablePolicy final : public Policy {
 public:
  constexpr DTablePolicy()
      : Policy({.name = "dtable", .paper = "Omni-Path, Algorithm 2", .keys = kDTableKeys}) {}

  Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const override {
    DTableConfig dtable;
    dtable.sl_mtu =
        reader.integers<std::uint32_t>("sl_mtu", 1, config.max_packet_flits, 1, kMaxQueues);
    const int sls = count(dtable.sl_mtu);
    dtable.queue_sl = parse_queue_sl(reader, config, sls);
    for (const auto& entry : reader.items("table", 1, kMaxTableEntries)) {
      const int sl = entry->index("sl", 0, sls - 1);
      const std::uint32_t weight = entry->unsigned_32("weight", 0, UINT32_MAX);
      entry->finish();
      if (const std::uint32_t mtu = dtable.sl_mtu[sl]; weight < mtu) {
        throw entry->error("weight",
                           fmt::format("a weight of {} flits does not hold SL {}'s MTU of {} flits",
                                       weight, sl, mtu));
      }
      dtable.table.push_back({sl, weight});
    }
    refuse_starved_sl(reader, config, dtable.queue_sl, dtable.table);
    return dtable;
  }

  [[nodiscard]] std::string to_yaml(const Parameters& parameters) const override {
    const auto& dtable = parameters.get<DTableConfig>();
    return fmt::format("  queue_sl: [{}]\n  sl_mtu: [{}]\n", fmt::join(dtable.queue_sl, ", "),
                       fmt::join(dtable.sl_mtu, ", ")) +
           qosarb::to_yaml(dtable.table);
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return std::make_unique<DeficitTable>(config.parameters.get<DTableConfig>(), config.variant);
  }

  [[nodiscard]] std::uint32_t longest_packet(const ArbiterConfig& config,
                                             Index queue) const override {
    const auto& dtable = config.parameters.get<DTableConfig>();
    const int sl = dtable.queue_sl[queue];
    return dtable.sl_mtu[sl];
  }

  std::vector<LowerableNumber> numbers(Parameters& parameters) const override {
    auto& dtable = parameters.get<DTableConfig>();
    std::vector<LowerableNumber> numbers;
    for (std::uint32_t& mtu : dtable.sl_mtu) {
      numbers.emplace_back(mtu, 1);
    }
    for (DTableConfig::Entry& entry : dtable.table) {
      numbers.emplace_back(entry.weight, 1);
    }
    return numbers;
  }

  std::vector<EntryList> tables(Parameters& parameters) const override {
    return {EntryList(parameters.get<DTableConfig>().table)};
  }

  void leave_out_queues(Parameters& parameters, int first, int /*count*/) const override {
    auto& queue_sl = parameters.get<DTableConfig>().queue_sl;
    queue_sl.erase(queue_sl.begin() + first);
  }
};

constexpr DTablePolicy kDTablePolicy;

}  // namespace

const Policy& kDTable = kDTablePolicy;

}  // namespace qosarb
