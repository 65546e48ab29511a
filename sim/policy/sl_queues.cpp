#include "qosarb/policy/sl_queues.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

std::vector<int> parse_queue_sl(ConfigReader& reader, const ArbiterConfig& config, int sls) {
  return reader.integers<int>("queue_sl", 0, sls - 1, config.queues, config.queues);
}

void refuse_starved_sl(const ConfigReader& reader, const ArbiterConfig& config,
                       const std::vector<int>& queue_sl, const std::vector<SlEntry>& table) {
  std::vector<bool> served;
  served.reserve(queue_sl.size());
  for (const int sl : queue_sl) {
    served.push_back(std::any_of(table.begin(), table.end(),
                                 [sl](const SlEntry& entry) { return entry.sl == sl; }));
  }
  refuse_starved(reader, "table", config, served);
}

std::string to_yaml(const std::vector<SlEntry>& table) {
  std::string text = "  table:\n";
  for (const SlEntry& entry : table) {
    text += fmt::format("    - {{sl: {}, weight: {}}}\n", entry.sl, entry.weight);
  }
  return text;
}

}  // namespace qosarb
