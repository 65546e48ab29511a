#include "policy_under_test.hpp"

#include <yaml-cpp/yaml.h>

#include <numeric>

#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/ratio.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::test {

ArbiterConfig arbiter_config(const std::string& yaml) {
  return parse_arbiter(YAML::Load(yaml), "test");
}

Port port_under_test(const ArbiterConfig& config) {
  return {config.queues, arbiter_under_test(config)};
}

void arrive(Port& port, Cycle now, Index queue, const std::vector<std::uint32_t>& flits) {
  for (const std::uint32_t length : flits) {
    port.arrive(now, queue, length);
  }
}

std::vector<int> winners(Port& port, int count, Cycle first) {
  std::vector<int> queues;
  queues.reserve(count);
  for (int i = 0; i < count; ++i) {
    queues.push_back(port.arbitrate(first + i).decision.queue);
  }
  return queues;
}

std::vector<std::uint64_t> backlogged_flits(const ArbiterConfig& config,
                                            const std::vector<std::uint32_t>& flits,
                                            int decisions) {
  Port port = port_under_test(config);
  std::vector<std::uint64_t> sent(flits.size(), 0);
  for (Index q = 0; q < count(flits); ++q) {
    arrive(port, 0, q, {flits[q], flits[q]});
  }
  for (int i = 0; i < decisions; ++i) {
    const Cycle now = i;
    const Decision decision = port.arbitrate(now).decision;
    if (decision.queue >= 0) {
      const Index q = decision.queue;
      sent[q] += decision.flits;
      port.arrive(now + 1, decision.queue, flits[q]);
    }
  }
  return sent;
}

std::vector<double> backlogged_shares(const ArbiterConfig& config,
                                      const std::vector<std::uint32_t>& flits, int decisions) {
  const std::vector<std::uint64_t> sent = backlogged_flits(config, flits, decisions);
  const std::uint64_t total = std::accumulate(sent.begin(), sent.end(), std::uint64_t{0});
  std::vector<double> shares;
  shares.reserve(sent.size());
  for (const std::uint64_t own : sent) {
    shares.push_back(ratio(own, total));
  }
  return shares;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyRef policy : policies()) {
    names.emplace_back(policy.name());
  }
  return names;
}

std::vector<double> half_corrected_shares(bool clear, bool line12) {
  const std::vector<int> quantum = {50, 30, 20};
  const std::vector<int> flits = {13, 7, 1};
  std::vector<int> deficit(3, 0);
  std::vector<double> sent(3, 0.0);
  std::size_t cur = 0;
  int rem = quantum[0];
  double total = 0;
  const auto load = [&](bool add) {
    cur = (cur + 1) % 3;
    rem = quantum[cur] + (add ? deficit[cur] : 0);
    deficit[cur] = add && clear ? 0 : deficit[cur];
  };
  for (int i = 0; i < 200000; ++i) {
    while (flits[cur] > rem) {
      deficit[cur] = rem;
      load(true);
    }
    rem -= flits[cur];
    sent[cur] += flits[cur];
    total += flits[cur];
    if (rem == 0) {
      load(line12);
    }
  }
  return {sent[0] / total, sent[1] / total, sent[2] / total};
}

}  // namespace qosarb::test
