#include "qosarb/policy/config.hpp"

#include <fmt/format.h>

#include <array>
#include <ostream>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

constexpr std::array<std::string_view, 2> kVariantNames = {"corrected", "printed"};
constexpr std::array<std::string_view, 5> kCommonKeys = {"policy", "variant", "queues",
                                                         "max_packet_flits", "strict"};

PolicyRef parse_policy(ConfigReader& reader) {
  std::vector<std::string_view> names;
  for (const PolicyRef policy : policies()) {
    names.push_back(policy.name());
  }
  return policies()[reader.choice("policy", names)];
}

}  // namespace

std::string_view PolicyRef::name() const { return policy_->name(); }

std::ostream& operator<<(std::ostream& out, PolicyRef policy) { return out << policy.name(); }

std::string_view name_of(Variant variant) {
  return kVariantNames[static_cast<std::size_t>(variant)];
}

std::span<const std::string_view> common_keys() { return kCommonKeys; }

ArbiterConfig parse_arbiter(ConfigReader& reader) {
  ArbiterConfig config;
  config.policy = parse_policy(reader);
  config.variant = reader.choice_or("variant", kVariantNames, Variant{});
  config.queues = reader.index("queues", 1, kMaxQueues);
  config.max_packet_flits = reader.unsigned_32("max_packet_flits", 1, kMaxPacketFlits);
  config.strict = reader.boolean_or("strict", true);
  if (config.variant == Variant::Printed && !config.policy->has_printed_variant()) {
    throw reader.error("variant",
                       fmt::format("{} has one variant only, corrected", config.policy.name()));
  }
  config.parameters = config.policy->parse(reader, config);
  reader.finish();
  config.section.line = reader.line();
  return config;
}

std::string to_yaml(const ArbiterConfig& config) {
  return fmt::format(
             "arbiter:\n  policy: {}\n  variant: {}\n  queues: {}\n  max_packet_flits: {}\n"
             "  strict: {}\n",
             config.policy.name(), name_of(config.variant), config.queues, config.max_packet_flits,
             config.strict) +
         config.policy->to_yaml(config.parameters);
}

std::uint32_t max_packet_flits(const ArbiterConfig& config, Index queue) {
  return config.policy->longest_packet(config, queue);
}

}  // namespace qosarb
