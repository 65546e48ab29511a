#include "qosarb/policy/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "qosarb/config/yaml_reader.hpp"

namespace qosarb {

namespace {

constexpr std::array<std::string_view, 3> kPolicyNames = {"rr", "bxi-basic", "bxi-deficit"};
constexpr std::array<std::string_view, 2> kVariantNames = {"corrected", "printed"};

template <std::size_t N>
std::vector<std::string> texts(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

BxiConfig parse_bxi(MapReader& reader, const ArbiterConfig& config) {
  BxiConfig bxi;
  bxi.quantum_scale =
      static_cast<std::uint32_t>(reader.integer_or("quantum_scale", 1, UINT32_MAX, 1));
  std::vector<bool> served(static_cast<std::size_t>(config.queues), false);
  for (MapReader& entry : reader.maps("table", 1, kMaxTableEntries)) {
    const auto queue = static_cast<int>(entry.integer("queue", 0, config.queues - 1));
    const auto weight = static_cast<std::uint32_t>(entry.integer("weight", 0, UINT32_MAX));
    entry.finish();
    bxi.table.push_back({queue, weight});
    const std::uint64_t quantum = bxi.quantum(bxi.table.size() - 1);
    if (quantum > kMaxQuantumFlits) {
      throw entry.error(
          "weight", fmt::format("a quantum of {} flits is beyond {}", quantum, kMaxQuantumFlits));
    }
    if (config.strict && quantum < config.max_packet_flits) {
      throw entry.error("weight",
                        fmt::format("a quantum of {} flits ({} x {}) does not hold a packet of {} "
                                    "flits (strict: false accepts that)",
                                    quantum, weight, bxi.quantum_scale, config.max_packet_flits));
    }
    served[static_cast<std::size_t>(queue)] = served[static_cast<std::size_t>(queue)] || weight > 0;
  }
  const auto starved = std::find(served.begin(), served.end(), false);
  if (config.strict && starved != served.end()) {
    throw reader.error("table", fmt::format("no entry with a weight serves queue {} (strict: false "
                                            "accepts that)",
                                            starved - served.begin()));
  }
  return bxi;
}

}  // namespace

std::string_view name_of(Policy policy) { return kPolicyNames[static_cast<std::size_t>(policy)]; }

std::string_view name_of(Variant variant) {
  return kVariantNames[static_cast<std::size_t>(variant)];
}

ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file) {
  MapReader reader(node, file, "arbiter");
  ArbiterConfig config;
  config.policy = static_cast<Policy>(reader.choice("policy", texts(kPolicyNames)));
  config.variant = static_cast<Variant>(reader.choice_or("variant", texts(kVariantNames), 0));
  config.queues = static_cast<int>(reader.integer("queues", 1, kMaxQueues));
  config.max_packet_flits =
      static_cast<std::uint32_t>(reader.integer("max_packet_flits", 1, kMaxPacketFlits));
  config.strict = reader.boolean_or("strict", true);
  switch (config.policy) {
    case Policy::Rr:
      break;
    case Policy::BxiBasic:
    case Policy::BxiDeficit:
      config.parameters = parse_bxi(reader, config);
      break;
  }
  reader.finish();
  return config;
}

ArbiterConfig load_arbiter(const std::string& file) {
  MapReader top(load_yaml_map(file), file, "the file");
  ArbiterConfig config = parse_arbiter(top.node("arbiter"), file);
  top.finish();
  return config;
}

std::string to_yaml(const ArbiterConfig& config) {
  std::string text = fmt::format(
      "arbiter:\n  policy: {}\n  variant: {}\n  queues: {}\n  max_packet_flits: {}\n  strict: {}\n",
      name_of(config.policy), name_of(config.variant), config.queues, config.max_packet_flits,
      config.strict);
  if (const auto* bxi = std::get_if<BxiConfig>(&config.parameters)) {
    text += fmt::format("  quantum_scale: {}\n  table:\n", bxi->quantum_scale);
    for (const BxiConfig::Entry& entry : bxi->table) {
      text += fmt::format("    - {{queue: {}, weight: {}}}\n", entry.queue, entry.weight);
    }
  }
  return text;
}

}  // namespace qosarb
