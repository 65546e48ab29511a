// Prints one table of docs/ in Markdown: docs_tables NAME. scripts/docs puts it into its page.
// Everything here is computed by the references and the switch model; nothing is typed in.

#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "chain.hpp"
#include "policy_under_test.hpp"
#include "qosarb/network/network.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/network/scenario.hpp"

namespace qosarb::docs {
namespace {

using test::arbiter_config;
using test::backlogged_shares;

constexpr int kDecisions = 300000;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string head(const std::vector<std::string>& cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

/// Shares of flits of `config`'s arbiter with each variant and packet-size mix.
std::string bxi_errata() {
  const std::vector<std::vector<std::uint32_t>> mixes = {{13, 7, 1}, {1, 7, 13}, {13, 13, 13}};
  const std::string table =
      "queues: 3\nquantum_scale: 10\nmax_packet_flits: 13\n"
      "table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]\n";
  std::string text =
      head({"packets of queues 0, 1, 2", "policy", "variant", "queue 0", "queue 1", "queue 2"});
  for (const auto& flits : mixes) {
    for (const std::string policy : {"bxi-basic", "bxi-deficit"}) {
      for (const std::string variant : {"printed", "corrected"}) {
        const auto shares = backlogged_shares(
            arbiter_config("policy: " + policy + "\nvariant: " + variant + "\n" + table), flits,
            kDecisions);
        text += row({fmt::format("{} flits", fmt::join(flits, ", ")), policy, variant,
                     percent(shares[0]), percent(shares[1]), percent(shares[2])});
      }
    }
  }
  return text;
}

/// What each of the first two errata of Algorithm 2 costs.
std::string bxi_errata_each() {
  const auto line = [](const std::string& what, bool clear, bool line12) {
    const auto shares = test::half_corrected_shares(clear, line12);
    return row({what, percent(shares[0]), percent(shares[1]), percent(shares[2])});
  };
  return head({"Algorithm 2, packets of 13, 7, 1 flits", "queue 0", "queue 1", "queue 2"}) +
         line("as printed", false, false) +
         line("with line 12 corrected: what the uncleared deficit costs", false, true) +
         line("with the deficit cleared: what line 12 costs", true, false) +
         line("both corrected", true, true);
}

/// What the 8-port scenarios of one of the paper's tables give.
std::string scenario_results(const std::string& name) {
  std::string text = head({"arbiter", "got, SL 0 to 4, in % of a link", "mean packet latency, us",
                           "p99 packet latency, us"});
  for (const std::string arbiter : {"rr", "basic", "basic-spread", "deficit", "deficit-spread"}) {
    const Scenario scenario = load_scenario(fmt::format("scenarios/{}-{}-8.yaml", name, arbiter));
    Network network(scenario, make_reference_factory());
    network.run(scenario.warmup + scenario.measure);
    std::vector<std::string> got;
    std::vector<std::string> mean;
    std::vector<std::string> p99;
    for (const ClassReport& report : report_of(network).classes) {
      got.push_back(fmt::format("{:.1f}", 100 * report.accepted));
      mean.push_back(fmt::format("{:.1f}", report.packet_latency.mean / 1000));
      p99.push_back(fmt::format("{:.1f}", report.packet_latency.p99 / 1000));
    }
    text +=
        row({arbiter, fmt::format("{}", fmt::join(got, " / ")),
             fmt::format("{}", fmt::join(mean, " / ")), fmt::format("{}", fmt::join(p99, " / "))});
  }
  return text;
}

/// What each source of the Cray XT paper's line of eight nodes gets of the last link.
std::string line_shares() {
  namespace chain = test::chain;
  constexpr Cycle kCycles = 640000;
  std::string text = head({"of the last link, %", "P0", "P1", "P2", "P3", "P4", "P5", "P6"});
  const auto line = [&text](const std::string& name, const chain::Line& config) {
    std::vector<std::string> cells = {name};
    for (const double share : chain::shares(config, kCycles)) {
      cells.push_back(fmt::format("{:.2f}", 100 * share));
    }
    text += row(cells);
  };
  line("round robin", {.config = arbiter_config("{policy: rr, queues: 2, max_packet_flits: 9}")});
  for (const std::uint32_t period : {4U, 8U, 16U}) {
    line(fmt::format("age 0 at entry, period {}", period),
         {.config = chain::by_age(period, 1), .through = 0, .local = 2});
  }
  line("age from creation, period 4", {.config = chain::by_age(4, 0),
                                       .through = 0,
                                       .local = 2,
                                       .age_from = chain::AgeFrom::Creation,
                                       .age_period = 4,
                                       .window = 128});
  return text;
}

}  // namespace
}  // namespace qosarb::docs

int main(int argc, char** argv) {
  const std::map<std::string, std::function<std::string()>> tables = {
      {"bxi-errata", qosarb::docs::bxi_errata},
      {"bxi-errata-each", qosarb::docs::bxi_errata_each},
      {"line-shares", qosarb::docs::line_shares},
      {"scenario-fair", [] { return qosarb::docs::scenario_results("fair"); }},
      {"scenario-step", [] { return qosarb::docs::scenario_results("step"); }},
      {"scenario-2powers", [] { return qosarb::docs::scenario_results("2powers"); }},
  };
  if (argc == 1) {
    for (const auto& [name, make] : tables) {
      std::cout << name << '\n';
    }
    return 0;
  }
  const auto table = argc == 2 ? tables.find(argv[1]) : tables.end();
  if (table == tables.end()) {
    std::cerr << "usage: docs_tables NAME, where NAME is one of";
    for (const auto& [name, make] : tables) {
      std::cerr << ' ' << name;
    }
    std::cerr << '\n';
    return 2;
  }
  std::cout << table->second();
  return 0;
}
