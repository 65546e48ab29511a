// One job of scripts/regress: a policy and a seed, reference and RTL in lockstep.
//
// Three parts, in which every decision and state is compared:
//   1. random tables and traffic, with new tables during traffic (lockstep/campaign.hpp);
//   2. commits that must be refused, during traffic, while the counters are near their highest
//   value;
//   3. every queue backlogged, on the arbiter of a scenario that ships: what each queue gets, and
//   how
//      long a head waits.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cosim/build_choice.hpp"
#include "cosim/coverage.hpp"
#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/run_log.hpp"
#include "lockstep/campaign.hpp"
#include "lockstep/random_traffic.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/network/scenario.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/sl_queues.hpp"
#include "qosarb/policy/trtcm.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb::test {
namespace {

using Json = nlohmann::ordered_json;

bool has_rtl(PolicyRef policy) {
  try {
    rtl_limits(policy);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

struct Job {
  PolicyRef policy = kRr;
  std::uint64_t seed = 1;
  std::uint64_t decisions = 100'000;
  std::string scenario;
  std::string reproducer;
  std::vector<std::string> plusargs;
};

// A port that asks both sides, and writes down what it shows them.
struct Bench {
  explicit Bench(const ArbiterConfig& config, const Job& job)
      : Bench(config, make_rtl(config, job)) {}

  RtlArbiter& rtl;
  Port port;
  EventRecorder recorder;

 private:
  static std::unique_ptr<RtlArbiter> make_rtl(const ArbiterConfig& config, const Job& job) {
    return std::make_unique<RtlArbiter>(config, kLonePort,
                                        RtlArbiter::Options{.plusargs = job.plusargs});
  }
  Bench(const ArbiterConfig& config, std::unique_ptr<RtlArbiter> both)
      : rtl(*both),
        port(config.queues, std::make_unique<LockstepArbiter>(make_reference(config),
                                                              std::move(both), kLonePort)) {
    port.observe(&recorder);
  }
};

// A wrong config, and how a commit of it must end.
struct Refusal {
  ArbiterConfig config;
  std::uint32_t reason;
};

void spoil(Random& random, std::vector<SlEntry>& table, std::uint32_t weight) {
  table[random.below(table.size())].weight = weight;
}

// `config`, spoiled in one of the ways that its policy has; nothing where any commit is right.
std::vector<Refusal> refusals(Random& random, const ArbiterConfig& config) {
  std::vector<Refusal> all;
  const auto add = [&all, &config](std::uint32_t reason, const auto& change) {
    ArbiterConfig wrong = config;
    change(wrong);
    all.push_back({std::move(wrong), reason});
  };
  const std::uint32_t longest = config.max_packet_flits;
  if (config.parameters.get_if<BxiConfig>() != nullptr) {
    add(QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM, [&](ArbiterConfig& c) {
      auto& table = c.parameters.get<BxiConfig>().table;
      table[random.below(table.size())].weight = longest - 1;
    });
    if (config.queues > 1) {
      add(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, [](ArbiterConfig& c) {
        c.strict = true;
        for (auto& entry : c.parameters.get<BxiConfig>().table) {
          entry.queue = 0;
        }
      });
    }
  } else if (const auto* sbt = config.parameters.get_if<SbtConfig>()) {
    add(QOSARB_PORT_STATUS_REASON_ZERO_WEIGHT,
        [&](ArbiterConfig& c) { spoil(random, c.parameters.get<SbtConfig>().table, 0); });
    if (sbt->table.size() > 1) {
      add(QOSARB_PORT_STATUS_REASON_REPEATED_SL, [](ArbiterConfig& c) {
        auto& table = c.parameters.get<SbtConfig>().table;
        table.back().sl = table.front().sl;
      });
      add(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, [](ArbiterConfig& c) {
        c.strict = true;
        auto& parameters = c.parameters.get<SbtConfig>();
        parameters.queue_sl[0] = parameters.table.back().sl;
        parameters.table.pop_back();
      });
    }
  } else if (const auto* dtable = config.parameters.get_if<DTableConfig>()) {
    add(QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM, [&](ArbiterConfig& c) {
      auto& parameters = c.parameters.get<DTableConfig>();
      auto& entry = parameters.table[random.below(parameters.table.size())];
      entry.weight = parameters.sl_mtu[static_cast<std::size_t>(entry.sl)] - 1;
    });
    if (dtable->sl_mtu.size() > 1) {
      add(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, [longest](ArbiterConfig& c) {
        c.strict = true;
        auto& parameters = c.parameters.get<DTableConfig>();
        parameters.queue_sl[0] = 1;
        for (SlEntry& entry : parameters.table) {
          entry = {0, std::max(entry.weight, longest)};
        }
      });
    }
  } else if (config.parameters.get_if<InfiniBandConfig>() != nullptr) {
    add(QOSARB_PORT_STATUS_REASON_LARGE_WEIGHT, [](ArbiterConfig& c) {
      auto& low = c.parameters.get<InfiniBandConfig>().low;
      low.resize(std::max<std::size_t>(low.size(), 1));
      low.back() = {0, 256};
    });
    add(QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE, [](ArbiterConfig& c) {
      c.strict = true;
      auto& parameters = c.parameters.get<InfiniBandConfig>();
      for (auto* table : {&parameters.high, &parameters.low}) {
        for (auto& entry : *table) {
          entry.weight = 0;
        }
      }
    });
  } else if (config.parameters.get_if<TrtcmConfig>() != nullptr) {
    const auto some_class = [&random](ArbiterConfig& c) -> TrtcmConfig::Class& {
      auto& classes = c.parameters.get<TrtcmConfig>().classes;
      return classes[random.below(classes.size())];
    };
    add(QOSARB_PORT_STATUS_REASON_RATES, [&](ArbiterConfig& c) {
      auto& spoiled = some_class(c);
      spoiled.assured_rate = spoiled.peak_rate + 1;
      spoiled.assured_burst = spoiled.peak_burst;
    });
    add(QOSARB_PORT_STATUS_REASON_SHORT_BURST, [&](ArbiterConfig& c) {
      auto& spoiled = some_class(c);
      spoiled.peak_rate = std::max(spoiled.peak_rate, 1U);
      spoiled.peak_burst = longest - 1;
    });
    if (config.queues > 1) {
      add(QOSARB_PORT_STATUS_REASON_REPEATED_PRIORITY, [](ArbiterConfig& c) {
        auto& classes = c.parameters.get<TrtcmConfig>().classes;
        classes.back().priority = classes.front().priority;
      });
    }
  }
  return all;
}

// For what is wrong without a decision that differs. Errors: Mismatch.
void insist(bool holds, Cycle now, const std::string& otherwise) {
  if (!holds) {
    throw Mismatch(now, kLonePort, fmt::format("cycle {}: {}", now, otherwise));
  }
}

constexpr std::array kCounters = {
    +[](std::size_t q) -> std::uint32_t { return QOSARB_PORT_PACKETS_OFFSET(q); },
    +[](std::size_t q) -> std::uint32_t { return QOSARB_PORT_FLITS_OFFSET(q); },
    +[](std::size_t q) -> std::uint32_t { return QOSARB_PORT_BLOCKED_OFFSET(q); },
    +[](std::size_t q) -> std::uint32_t { return QOSARB_PORT_WAITING_OFFSET(q); }};

// A refused commit changes nothing: decisions go on by the old table, and STATUS tells the reason.
// Counters that are near their highest value never fall. One short life, one commit.
std::uint64_t refuse_a_commit(const Job& job, Random& random) {
  const ArbiterConfig config = random_config(random, job.policy, 0, 2);  // a quantum can be short
  const std::vector<Refusal> all = refusals(random, config);
  const Refusal* const wrong = all.empty() ? nullptr : &all[random.below(all.size())];
  Bench bench(config, job);
  RandomTraffic traffic(random, config);
  const std::uint32_t lowest = UINT32_MAX - static_cast<std::uint32_t>(random.within(0, 200));
  bench.rtl.set_counters(lowest);
  const std::uint64_t tables = bench.rtl.tables_applied();
  const std::uint64_t start = random.within(1, 50);
  Cycle now = 0;
  try {
    for (std::uint64_t i = 0; i < 2 * start || bench.rtl.reprogramming(); ++i) {
      now = traffic.next_cycle();
      if (i == start && wrong != nullptr) {
        bench.port.reach(now);
        bench.rtl.reprogram(wrong->config);
      }
      traffic.happen(bench.port);
      traffic.sent(bench.port.arbitrate(now).decision);
    }
    bench.port.reach(now + 1);
    insist(bench.rtl.tables_applied() == tables, now, "a commit that must be refused took effect");
    if (wrong != nullptr) {
      const std::uint32_t status = bench.rtl.read_register(QOSARB_PORT_STATUS_OFFSET);
      insist(QOSARB_PORT_STATUS_OUTCOME_GET(status) == QOSARB_PORT_STATUS_OUTCOME_REFUSED &&
                 QOSARB_PORT_STATUS_REASON_GET(status) == wrong->reason,
             now,
             fmt::format("a commit that must be refused for reason {} ends with STATUS {:#x}",
                         wrong->reason, status));
    }
    for (std::size_t q = 0; q < static_cast<std::size_t>(config.queues); ++q) {
      for (const auto& offset : kCounters) {
        const std::uint32_t value = bench.rtl.read_register(offset(q));
        insist(value >= lowest, now,
               fmt::format("a counter of queue {} went from {} to {}", q, lowest, value));
      }
    }
  } catch (const Mismatch& mismatch) {
    throw with_reproducer(mismatch, job.reproducer, config, bench.recorder.events(),
                          fmt::format("refused commits, {}, seed {}", job.policy.name(), job.seed),
                          job.plusargs);
  }
  return wrong == nullptr ? 0 : 1;
}

struct QueueFigures {
  std::uint64_t flits = 0;
  Cycle head_since = 0;
  std::vector<Cycle> waits;  // of each packet, as a head, in cycles
};

Json figures_of(std::vector<QueueFigures>& queues) {
  std::uint64_t total = 0;
  for (const QueueFigures& queue : queues) {
    total += queue.flits;
  }
  Json rows = Json::array();
  for (std::size_t q = 0; q < queues.size(); ++q) {
    std::vector<Cycle>& waits = queues[q].waits;
    std::sort(waits.begin(), waits.end());
    double sum = 0;
    for (const Cycle wait : waits) {
      sum += static_cast<double>(wait);
    }
    const std::size_t count = waits.size();
    rows.push_back({{"queue", q},
                    {"packets", count},
                    {"share", static_cast<double>(queues[q].flits) / static_cast<double>(total)},
                    {"wait_mean", count == 0 ? 0 : sum / static_cast<double>(count)},
                    {"wait_p99", count == 0 ? 0 : waits[(count * 99 - 1) / 100]},
                    {"wait_max", count == 0 ? 0 : waits.back()}});
  }
  return rows;
}

// Every queue always has packets, of any length; the link sends one flit a cycle without a pause.
Json run_backlogged(const Job& job, Random& random) {
  const ArbiterConfig config = load_scenario(job.scenario).arbiter;
  if (rtl_obstacle(config).has_value()) {
    return nullptr;
  }
  Bench bench(config, job);
  const auto refill = [&](Cycle now, int queue) {
    while (bench.port.packets(queue) < 3) {
      bench.port.arrive(
          now, queue,
          static_cast<std::uint32_t>(random.within(1, max_packet_flits(config, queue))));
    }
  };
  std::vector<QueueFigures> queues(static_cast<std::size_t>(config.queues));
  const std::uint64_t decisions = std::min<std::uint64_t>(job.decisions, 20'000);
  Cycle now = 0;
  try {
    for (int q = 0; q < config.queues; ++q) {
      refill(now, q);
    }
    for (std::uint64_t i = 0; i < decisions; ++i) {
      const Decision decision = bench.port.arbitrate(now).decision;
      if (decision.queue < 0) {
        ++now;
        continue;
      }
      QueueFigures& winner = queues[static_cast<std::size_t>(decision.queue)];
      winner.flits += decision.flits;
      winner.waits.push_back(now - winner.head_since);
      now += decision.flits;
      winner.head_since = now;
      refill(now, decision.queue);
    }
  } catch (const Mismatch& mismatch) {
    throw with_reproducer(mismatch, job.reproducer, config, bench.recorder.events(),
                          fmt::format("backlogged queues, {}, seed {}", job.scenario, job.seed),
                          job.plusargs);
  }
  return {{"scenario", std::filesystem::path(job.scenario).filename().string()},
          {"decisions", decisions},
          {"cycles", now},
          {"queues", figures_of(queues)}};
}

// A file is there as a whole or not at all, whatever interrupts the job.
void write_whole(const std::string& file, const std::string& text) {
  const std::string part = fmt::format("{}.part.{}", file, getpid());
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  std::error_code fault;
  if (out) {
    std::filesystem::rename(part, file, fault);
  }
  if (!out || fault) {
    std::filesystem::remove(part, fault);
    throw InputError(file, 0, "cannot be written");
  }
}

int run(const Job& job, const std::string& out, const std::string& coverage) {
  const auto begin = std::chrono::steady_clock::now();
  Json result = {{"policy", job.policy.name()}, {"seed", job.seed}};
  CampaignResult campaign;
  std::uint64_t refused = 0;
  Json backlog = nullptr;
  std::string failure;
  try {
    run_campaign({.seed = job.seed,
                  .policy = job.policy,
                  .decisions = job.decisions,
                  .reproducer = job.reproducer,
                  .plusargs = job.plusargs},
                 campaign);
    Random random(job.seed);
    const std::uint64_t lives = std::clamp<std::uint64_t>(job.decisions / 1000, 8, 100);
    for (std::uint64_t i = 0; i < lives; ++i) {
      refused += refuse_a_commit(job, random);
    }
    if (!job.scenario.empty()) {
      backlog = run_backlogged(job, random);
    }
  } catch (const Mismatch& mismatch) {
    failure = mismatch.what();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  result["passed"] = failure.empty();
  result["failure"] = failure;
  result["decisions"] = campaign.decisions;
  result["grants"] = campaign.grants;
  result["lives"] = campaign.lives;
  result["commits"] = campaign.commits;
  result["refused_commits"] = refused;
  result["backlog"] = backlog;
  result["seconds"] = elapsed.count();
  if (!coverage.empty()) {
    const std::string part = coverage + ".part";
    write_coverage(part);
    std::filesystem::rename(part, coverage);
  }
  write_whole(out, result.dump(1) + "\n");
  if (!failure.empty()) {
    fmt::print(stderr, "{}\n", failure);
  }
  return failure.empty() ? 0 : 1;
}

}  // namespace
}  // namespace qosarb::test

int main(int argc, char** argv) {
  using namespace qosarb;
  CLI::App app("One job of a regression: reference and RTL in lockstep, for one policy and seed.");
  test::Job job;
  std::string policy;
  std::string out;
  std::string coverage;
  bool list = false;
  app.add_flag("--list", list, "Print the policies that have RTL, one a line");
  app.add_option("--policy", policy, "The policy");
  app.add_option("--seed", job.seed, "What all that is random comes from")->capture_default_str();
  app.add_option("--decisions", job.decisions, "How many random decisions are made")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U));
  app.add_option("--scenario", job.scenario, "Whose arbiter the backlogged queues have");
  app.add_option("--out", out, "The result, as JSON");
  app.add_option("--reproducer", job.reproducer, "Directory for what reproduces a failure");
  app.add_option("--coverage", coverage, "Coverage of the RTL, for verilator_coverage");
  app.add_option("--plusarg", job.plusargs, "Given to the RTL; only test builds look at it");
  try {
    app.parse(argc, argv);
    const auto all = policies();
    for (const PolicyRef known : all) {
      if (test::has_rtl(known) && list) {
        fmt::print("{}\n", known.name());
      }
    }
    if (list) {
      return 0;
    }
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&policy](PolicyRef known) { return known.name() == policy; });
    if (found == all.end() || !test::has_rtl(*found)) {
      throw CLI::ValidationError("--policy", "there is no RTL of '" + policy + "'");
    }
    if (out.empty()) {
      throw CLI::RequiredError("--out");
    }
    job.policy = *found;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return test::run(job, out, coverage);
  } catch (const InputError& error) {
    fmt::print(stderr, "regress_job: {}\n", error.what());
    return 2;
  }
}
