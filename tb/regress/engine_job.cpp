// One job of scripts/regress --kind engines: an engine by itself and a seed, reference and RTL in
// lockstep (kernel/module.hpp).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cosim/context.hpp"
#include "kernel/module.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/policy.hpp"
#include "regress/soak_engine.hpp"
#include "regress/write_whole.hpp"

namespace qosarb::test {

std::vector<SoakEngine>& soak_engines() {
  static std::vector<SoakEngine> all;
  return all;
}

namespace {

using Json = nlohmann::ordered_json;

struct Job {
  const SoakEngine* engine = nullptr;
  std::uint64_t seed = 1;
  std::uint64_t contested = 0;
};

// A difference is told with the cycle and the configuration; the same job comes to it again.
Json run(const Job& job) {
  const auto begin = std::chrono::steady_clock::now();
  Random random(job.seed);
  const std::unique_ptr<VerilatedContext> context = single_threaded();
  const std::unique_ptr<Module> module = job.engine->make(prepare(*context, {}));
  const PolicyRef policy = policy_named(job.engine->policy);
  ModuleFigures figures;
  std::uint64_t lives = 0;
  std::string failure;
  try {
    while (figures.contested < job.contested) {
      // Long turns need long lives.
      run_backlog(*module, policy, random,
                  {.cycles = random.within(1, random.once_in(8) ? 30'000 : 5000),
                   .load_once_in = random.one_of(std::array{300U, 1000U, 20'000U}),
                   .all_queues = random.chance(50)},
                  figures);
      ++lives;
    }
  } catch (const Difference& difference) {
    failure = fmt::format("after {} decisions, in {}", figures.decisions, difference.what());
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {{"subject", job.engine->name()},
          {"seed", job.seed},
          {"passed", failure.empty()},
          {"failure", failure},
          {"decisions", figures.decisions},
          {"grants", figures.grants},
          {"contested", figures.contested},
          {"states", figures.states},
          {"back_to_back", figures.back_to_back},
          {"lives", lives},
          {"loads", figures.loads},
          {"too_long_heads", figures.too_long},
          {"zero_flit_heads", figures.zero},
          {"backlog", nullptr},
          {"seconds", elapsed.count()}};
}

}  // namespace
}  // namespace qosarb::test

int main(int argc, char** argv) {
  using namespace qosarb::test;
  CLI::App app("One job of a regression: an engine by itself and its reference in lockstep.");
  Job job;
  std::string engine;
  std::string out;
  bool list = false;
  app.add_flag("--list", list, "Print the engines, one a line");
  app.add_option("--policy", engine,
                 "The engine: a policy, with -next where it answers in the next cycle");
  app.add_option("--seed", job.seed, "What all that is random comes from")->capture_default_str();
  app.add_option("--contested", job.contested,
                 "How many grants at least while two or more queues are active")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U));
  app.add_option("--out", out, "The result, as JSON");
  app.failure_message(
      [](const CLI::App*, const CLI::Error& error) { return fmt::format("{}\n", error.what()); });
  try {
    app.parse(argc, argv);
    for (const SoakEngine& one : soak_engines()) {
      if (list) {
        fmt::print("{}\n", one.name());
      }
      job.engine = one.name() == engine ? &one : job.engine;
    }
    if (list) {
      return 0;
    }
    if (job.engine == nullptr) {
      throw CLI::ValidationError("--policy", "there is no engine '" + engine + "'");
    }
    if (out.empty()) {
      throw CLI::RequiredError("--out");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const Json result = run(job);
    write_whole(
        out, result.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    fmt::print(stderr, "{}", result["failure"].get<std::string>());
    return result["passed"].get<bool>() ? 0 : 1;
  } catch (const qosarb::InputError& error) {
    fmt::print(stderr, "engine_job: {}\n", error.what());
    return 2;
  }
}
