// One job of scripts/regress: a policy and a seed, reference and RTL in lockstep.
//
// Two parts, in which every decision and state is compared:
//   1. the campaign (lockstep/campaign.hpp): random tables and traffic, with commits, refused ones
//      too, resets and reads of counters during traffic;
//   2. every queue backlogged, on the arbiter of a scenario that ships: what each queue gets, and
//      how long a head waits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cosim/coverage.hpp"
#include "cosim/engine.hpp"
#include "cosim/interrupts_remove_waves.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/run_log.hpp"
#include "lockstep/campaign.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/network/scenario.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/random.hpp"
#include "regress/write_whole.hpp"

namespace qosarb::test {
namespace {

using Json = nlohmann::ordered_json;

struct Job {
  PolicyRef policy;
  std::uint64_t seed = 1;
  std::uint64_t decisions = 0;
  std::uint64_t contested = 0;
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
  const auto refill = [&](Cycle now, Index queue) {
    while (bench.port.packets(queue) < 3) {
      bench.port.arrive(now, queue, random.from(1U, max_packet_flits(config, queue)));
    }
  };
  std::vector<QueueFigures> queues(config.queues);
  const std::uint64_t decisions =
      std::min<std::uint64_t>(std::max(job.decisions, job.contested), 20'000);
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
      QueueFigures& winner = queues[decision.queue];
      winner.flits += decision.flits;
      winner.waits.push_back(now - winner.head_since);
      now += decision.flits;
      winner.head_since = now;
      refill(now, decision.queue);
    }
  } catch (const Mismatch& mismatch) {
    throw with_reproducer(mismatch, job.reproducer, {{config, bench.recorder.events()}},
                          fmt::format("backlogged queues, {}, seed {}", job.scenario, job.seed),
                          job.plusargs);
  }
  return {{"scenario", std::filesystem::path(job.scenario).filename().string()},
          {"decisions", decisions},
          {"cycles", now},
          {"queues", figures_of(queues)}};
}

int run(const Job& job, const std::string& out, const std::string& coverage) {
  const auto begin = std::chrono::steady_clock::now();
  Json result = {{"subject", job.policy.name()}, {"seed", job.seed}};
  CampaignResult campaign;
  Json backlog = nullptr;
  std::string failure;
  try {
    run_campaign({.seed = job.seed,
                  .policies = {job.policy},
                  .decisions = job.decisions,
                  .contested = job.contested,
                  .busy_percent = 70,
                  .reproducer = job.reproducer,
                  .plusargs = job.plusargs},
                 campaign);
    if (!job.scenario.empty()) {
      Random random(job.seed);
      backlog = run_backlogged(job, random);
    }
  } catch (const Mismatch& mismatch) {
    failure = mismatch.what();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  result["passed"] = failure.empty();
  result["failure"] = failure;
  for (const auto& [name, figure] : figures(campaign)) {
    result[name] = figure;
  }
  result["backlog"] = backlog;
  result["seconds"] = elapsed.count();
  if (!coverage.empty()) {
    const std::string part = coverage + ".part";
    write_coverage(part);
    std::filesystem::rename(part, coverage);
  }
  write_whole(out,
              result.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  if (!failure.empty()) {
    fmt::print(stderr, "{}\n", failure);
  }
  return failure.empty() ? 0 : 1;
}

}  // namespace
}  // namespace qosarb::test

int main(int argc, char** argv) {
  using namespace qosarb;
  const InterruptsRemoveWaves guard;
  CLI::App app("One job of a regression: reference and RTL in lockstep, for one policy and seed.");
  test::Job job;
  std::string policy;
  std::string out;
  std::string coverage;
  bool list = false;
  app.add_flag("--list", list, "Print the policies that have RTL, one a line");
  app.add_option("--policy", policy, "The policy");
  app.add_option("--seed", job.seed, "What all that is random comes from")->capture_default_str();
  const CLI::Range some(std::uint64_t{1}, std::uint64_t{1} << 40U);
  app.add_option("--decisions", job.decisions, "How many random decisions are made at least")
      ->check(some);
  app.add_option("--contested", job.contested,
                 "And how many grants at least while two or more queues are active")
      ->check(some);
  app.add_option("--scenario", job.scenario, "Whose arbiter the backlogged queues have");
  app.add_option("--out", out, "The result, as JSON");
  app.add_option("--reproducer", job.reproducer, "Directory for what reproduces a failure");
  app.add_option("--coverage", coverage, "Coverage of the RTL, for verilator_coverage");
  app.add_option("--plusarg", job.plusargs, "Given to the RTL; only test builds look at it");
  app.failure_message(
      [](const CLI::App*, const CLI::Error& error) { return fmt::format("{}\n", error.what()); });
  try {
    app.parse(argc, argv);
    for (const PolicyRtl* known : policies_with_rtl()) {
      if (list) {
        fmt::print("{}\n", known->policy().name());
      }
    }
    if (list) {
      return 0;
    }
    try {
      job.policy = rtl_of(policy_named(policy)).policy();
    } catch (const std::invalid_argument&) {
      throw CLI::ValidationError("--policy", "there is no RTL of '" + policy + "'");
    }
    if (out.empty()) {
      throw CLI::RequiredError("--out");
    }
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
