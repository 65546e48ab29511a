#include "policy_under_test.hpp"

#include <yaml-cpp/yaml.h>

#include <numeric>

namespace qosarb::test {

ArbiterConfig arbiter_config(const std::string& yaml) {
  return parse_arbiter(YAML::Load(yaml), "test");
}

Port reference_port(const ArbiterConfig& config) { return {config.queues, make_reference(config)}; }

std::vector<int> winners(Port& port, int count, Cycle first) {
  std::vector<int> queues;
  for (int i = 0; i < count; ++i) {
    queues.push_back(port.arbitrate(first + static_cast<Cycle>(i)).decision.queue);
  }
  return queues;
}

std::vector<double> backlogged_shares(const ArbiterConfig& config,
                                      const std::vector<std::uint32_t>& flits, int decisions) {
  Port port = reference_port(config);
  std::vector<double> sent(flits.size(), 0.0);
  for (std::size_t q = 0; q < flits.size(); ++q) {
    port.arrive(0, static_cast<int>(q), flits[q]);
    port.arrive(0, static_cast<int>(q), flits[q]);
  }
  for (int i = 0; i < decisions; ++i) {
    const auto now = static_cast<Cycle>(i);
    const Decision decision = port.arbitrate(now).decision;
    if (decision.queue >= 0) {
      const auto q = static_cast<std::size_t>(decision.queue);
      sent[q] += decision.flits;
      port.arrive(now + 1, decision.queue, flits[q]);
    }
  }
  const double total = std::accumulate(sent.begin(), sent.end(), 0.0);
  for (double& share : sent) {
    share /= total;
  }
  return sent;
}

}  // namespace qosarb::test
