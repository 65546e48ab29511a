// Runs random traffic through mutants of an engine and holds decisions and state against the C++
// reference:
//
//   mutants SEED DECISIONS NUMBER...
//
// NUMBER says which mutant of the netlist is switched on, 0 none. For each one line: its number,
// `killed` or `survived`, and after how many decisions. A killed one is told apart, by the same
// seed, each time.
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "kernel/pins/state.hpp"
#include "mutant_parameters.hpp"  // Engine, kPolicy

namespace qosarb::test {
namespace {

class Mutant final : public Engine {
 public:
  Mutant(VerilatedContext& context, std::uint32_t number) : Engine(context) {
    model_.mutant = number;
  }

  // As the proofs have it. An engine that looks ahead asks for heads that stay, but in a port those
  // of queues that are stopped may go.
  [[nodiscard]] bool heads_may_go() const override { return true; }
};

struct Tested {
  bool killed = false;
  std::uint64_t decisions = 0;
};

Tested test(std::uint32_t number, std::uint64_t seed, std::uint64_t decisions) {
  Random random(seed);
  VerilatedContext context;
  context.threads(1);
  context.randReset(2);
  context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
  Mutant mutant(context, number);
  ModuleFigures figures;
  try {
    while (figures.decisions < decisions) {
      // Most mutants are told apart in some short life; long turns need long ones, and what is
      // summed up comes far in steady ones only.
      const std::uint64_t longest = random.once_in(8) ? 30'000 : 3000;
      ModuleLife life{
          .cycles = random.within(1, std::clamp<std::uint64_t>(figures.decisions, 200, longest)),
          .load_once_in = random.one_of(std::array{30U, 300U, 1000U, 20'000U}),
          .all_queues = random.chance(50)};
      if (figures.decisions > 20'000 && random.once_in(3)) {
        const bool far = figures.decisions > 2'000'000 && random.once_in(4);
        life.cycles = far ? random.within(30'000, 50'000) : random.within(3000, 6000);
        life.load_once_in = 1'000'000;
        life.steady = true;
      }
      const auto& run = life.steady || random.chance(50) ? run_backlog : run_life;
      run(mutant, kPolicy, random, life, figures);
    }
  } catch (const Difference& difference) {
    if (number == 0) {
      fmt::print(stderr, "{}\n", difference.what());
    }
    return {true, figures.decisions};
  }
  return {false, figures.decisions};
}

}  // namespace
}  // namespace qosarb::test

int main(int argc, char** argv) {
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 0);
  const std::uint64_t decisions = std::strtoull(argv[2], nullptr, 0);
  for (int i = 3; i < argc; ++i) {
    const auto number = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 0));
    const auto tested = qosarb::test::test(number, seed, decisions);
    fmt::print("{} {} {}\n", number, tested.killed ? "killed" : "survived", tested.decisions);
    std::fflush(stdout);
  }
}
