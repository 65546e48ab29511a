#include "qosarb/policy/ets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

BxiConfig EtsConfig::table() const {
  BxiConfig table{.quantum_scale = quantum_scale};
  Index queue = 0;
  for (const Class& c : classes) {
    if (!c.strict_priority) {
      table.table.push_back({queue, c.weight});
    }
    ++queue;
  }
  return table;
}

EnhancedTransmissionSelection::EnhancedTransmissionSelection(const EtsConfig& config,
                                                             std::uint32_t max_packet_flits) {
  Index queue = 0;
  for (const EtsConfig::Class& c : config.classes) {
    if (c.strict_priority) {
      strict_.insert(strict_.begin(), queue);
    }
    ++queue;
  }
  if (const BxiConfig table = config.table(); !table.table.empty()) {
    table_.emplace(table, max_packet_flits, true, Variant::Corrected);
  }
}

Decision EnhancedTransmissionSelection::decide(Cycle now, Heads heads) {
  const Decision strict =
      narrated(narrator_, [this, heads](const auto& tell) { return decide_strict(heads, tell); });
  if (strict.queue >= 0) {
    paying_entry_ = -1;  // nobody pays
    return strict;
  }
  if (!table_) {
    return {};
  }
  const Decision weighted = table_->decide(now, heads);
  if (weighted.queue >= 0) {
    paying_entry_ = table_->paying_entry();
    paying_turn_ = table_->paying_turn();
  }
  return weighted;
}

Decision EnhancedTransmissionSelection::decide_strict(Heads heads, const auto& tell) {
  for (const Index queue : strict_) {
    const Head& head = heads[queue];
    if (head.active()) {
      tell("queue {} ({}) has strict priority and wins; the table of weights stays as it is", queue,
           HeadInWords{head});
      return {queue, head.flits, head.age};
    }
    tell("queue {} ({}) has strict priority: passed over", queue, HeadInWords{head});
  }
  if (!table_) {
    tell("no queue has a weight: none wins");
  }
  return {};
}

void EnhancedTransmissionSelection::narrate(Narrator* narrator) {
  TableArbiter::narrate(narrator);
  if (table_) {
    table_->narrate(narrator);
  }
}

std::string EnhancedTransmissionSelection::describe() const {
  return table_ ? table_->describe() : "no table";
}

bool EnhancedTransmissionSelection::append_state(std::vector<std::uint64_t>& numbers) const {
  return !table_ || table_->append_state(numbers);
}

namespace {

constexpr std::array<std::string_view, 2> kEtsKeys = {"quantum_scale", "classes"};

class EtsPolicy final : public Policy {
 public:
  constexpr EtsPolicy()
      : Policy({.name = "ets",
                .paper = "IEEE 802.1Q, enhanced transmission selection",
                .keys = kEtsKeys,
                .printed_variant = false}) {}

  Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const override {
    EtsConfig ets;
    ets.quantum_scale = reader.unsigned_32_or("quantum_scale", 1, UINT32_MAX, 1);
    const Index queues = config.queues;
    for (const auto& item : reader.items("classes", queues, queues)) {
      EtsConfig::Class c;
      c.strict_priority = item->boolean_or("strict_priority", false);
      if (item->has("strict_priority") == item->has("weight") ||
          (item->has("strict_priority") && !c.strict_priority)) {
        throw item->error("strict_priority",
                          "a class has either a weight or strict_priority: true");
      }
      if (!c.strict_priority) {
        c.weight = item->unsigned_32("weight", 1, UINT32_MAX);
        refuse_quantum(*item, config, c.weight, ets.quantum_scale);
      }
      item->finish();
      ets.classes.push_back(c);
    }
    return ets;
  }

  [[nodiscard]] std::string to_yaml(const Parameters& parameters) const override {
    const auto& ets = parameters.get<EtsConfig>();
    std::string text = fmt::format("  quantum_scale: {}\n  classes:\n", ets.quantum_scale);
    for (const EtsConfig::Class& c : ets.classes) {
      text += c.strict_priority ? "    - {strict_priority: true}\n"
                                : fmt::format("    - {{weight: {}}}\n", c.weight);
    }
    return text;
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return std::make_unique<EnhancedTransmissionSelection>(config.parameters.get<EtsConfig>(),
                                                           config.max_packet_flits);
  }

  // Of what strict priority leaves.
  [[nodiscard]] std::optional<double> asked_share(const ArbiterConfig& config,
                                                  Index queue) const override {
    const auto& ets = config.parameters.get<EtsConfig>();
    double all = 0;
    for (const EtsConfig::Class& c : ets.classes) {
      all += c.weight;
    }
    const EtsConfig::Class& own = ets.classes[queue];
    return own.strict_priority ? std::nullopt : std::optional(own.weight / all);
  }

  std::vector<LowerableNumber> numbers(Parameters& parameters) const override {
    std::vector<LowerableNumber> numbers;
    for (EtsConfig::Class& c : parameters.get<EtsConfig>().classes) {
      if (!c.strict_priority) {
        numbers.emplace_back(c.weight, 1);
      }
    }
    return numbers;
  }

  void leave_out_queues(Parameters& parameters, int first, int /*count*/) const override {
    auto& classes = parameters.get<EtsConfig>().classes;
    classes.erase(classes.begin() + first);
  }

  bool unscale(Parameters& parameters) const override {
    auto& ets = parameters.get<EtsConfig>();
    if (ets.quantum_scale == 1) {
      return false;
    }
    for (EtsConfig::Class& c : ets.classes) {
      const std::uint64_t quantum = std::uint64_t{c.weight} * ets.quantum_scale;
      c.weight = static_cast<std::uint32_t>(std::min<std::uint64_t>(quantum, UINT32_MAX));
    }
    ets.quantum_scale = 1;
    return true;
  }

  bool shorten_turns(Parameters& parameters, Index queue, std::uint32_t flits) const override {
    auto& ets = parameters.get<EtsConfig>();
    EtsConfig::Class& c = ets.classes[queue];
    if (ets.quantum_scale != 1 || c.weight <= flits) {
      return false;
    }
    c.weight -= flits;
    return true;
  }
};

constexpr EtsPolicy kEtsPolicy;

}  // namespace

const Policy& kEts = kEtsPolicy;

}  // namespace qosarb
