// Modules by themselves, reference and RTL in lockstep.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer;
// QOSARB_FAULT=n selects a fault of faults.toml in builds that have them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "Vbxi_lookahead_basic.h"
#include "Vbxi_lookahead_large.h"
#include "Vbxi_lookahead_odd.h"
#include "Vdtable_lookahead_large.h"
#include "Vdtable_lookahead_odd.h"
#include "Vtrtcm_classes.h"
#include "kernel/pins/bxi.hpp"
#include "kernel/pins/classes.hpp"
#include "kernel/pins/levels.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::test {
namespace {

// The parameters that CMakeLists.txt gives: the size of the figures in docs/area-and-timing.md, and
// one in which no number is a power of two and a quantum hardly holds a packet.
template <typename V>
struct Large {
  using Model = V;
  static constexpr Index kQueues = 8;
  static constexpr std::uint32_t kEntries = 32;
  static constexpr Index kQuantumWidth = 16;
  static constexpr std::uint32_t kMaxPacketFlits = 255;
};
template <typename V>
struct Odd {
  using Model = V;
  static constexpr Index kQueues = 5;
  static constexpr std::uint32_t kEntries = 13;
  static constexpr Index kQuantumWidth = 5;
  static constexpr std::uint32_t kMaxPacketFlits = 21;
};
struct Classes {
  using Model = Vtrtcm_classes;
  static constexpr Index kQueues = 8;
  static constexpr Index kBurstWidth = 16;
  static constexpr std::uint32_t kMaxPacketFlits = 1023;
};
template <typename Build>
constexpr Index kDeficitWidth = index_width(Build::kMaxPacketFlits);

// A turn that is used up is handed on at once by the reference, and with the next grant by the RTL.
template <typename Build>
class BxiLookahead final : public BxiPins<Build> {
 public:
  using BxiPins<Build>::BxiPins;

  void program(const ArbiterConfig& config, Random& random) override {
    BxiPins<Build>::program(config, random);
    bxi_ = config.parameters.get<BxiConfig>();
    turn_is_nobodys_ = true;
  }
  void clock_edge() override {
    turn_is_nobodys_ = turn_is_nobodys_ && this->granted() < 0;
    BxiPins<Build>::clock_edge();
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    Index current = this->model_.current_o;
    std::uint64_t remaining = this->model_.remaining_o;
    numbers.resize(2);
    for (Index e = 0; e < count(bxi_.table); ++e) {
      numbers.push_back(element(this->model_.deficit_o, e, kDeficitWidth<Build>));
    }
    const bool used_up = remaining == 0;
    if (used_up) {
      current = turn_is_nobodys_ ? 0 : (current + 1) % count(bxi_.table);
      remaining = bxi_.quantum(current) + std::exchange(numbers[2 + current], 0);
    }
    numbers[0] = current;
    numbers[1] = remaining;
    numbers.push_back(used_up ? 1 : 0);
    return true;
  }

 private:
  BxiConfig bxi_;
  bool turn_is_nobodys_ = true;  // no grant yet under this table
};

// Where the round robins of the SLs stand cannot be read.
template <typename Build>
class DTableLookahead final : public LevelPins<Build> {
 public:
  using LevelPins<Build>::LevelPins;

  void program(const ArbiterConfig& config, Random& random) override {
    LevelPins<Build>::program(config, random);
    dtable_ = config.parameters.get<DTableConfig>();
    before_first_grant_ = true;
  }
  void clock_edge() override {
    before_first_grant_ = before_first_grant_ && this->granted() < 0;
    LevelPins<Build>::clock_edge();
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    const auto& model = this->model_;
    const bool at_start = before_first_grant_ && model.current_o == Build::kEntries - 1;
    numbers = {std::uint64_t{model.selected_sl_o} + (model.selected_o != 0 ? 1 : 0),
               at_start ? dtable_.table.size() - 1 : std::size_t{model.current_o},
               model.remaining_o};
    for (Index s = 0; s < count(dtable_.sl_mtu); ++s) {
      numbers.push_back(element(model.deficit_o, s, kDeficitWidth<Build>));
    }
    return true;
  }

 private:
  DTableConfig dtable_;
  bool before_first_grant_ = true;
};

// With counters of the stalls, which are a cycle late and wrap.
class TrtcmClasses final : public ClassPins<Classes> {
 public:
  using ClassPins::ClassPins;
  using Stalls = std::vector<TwoRateArbiter::Stalls>;

  void reset(Random& random) override {
    ClassPins::reset(random);
    model_.clear_i = 1;
    stalls_.clear();
    queues_ = 0;
  }
  void program(const ArbiterConfig& config, Random& random) override {
    ClassPins::program(config, random);
    queues_ = config.queues;
    cleared_ = false;
  }
  void ask(bool request, bool load) override {
    ClassPins::ask(request, load);
    model_.clear_i = cleared_ ? 0 : 1;
  }
  void watch(const Arbiter& reference) override {
    stalls_of_before_ =
        std::exchange(stalls_, Stalls(dynamic_cast<const TwoRateArbiter&>(reference).stalls()));
    cleared_ = true;
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    numbers = {std::min<std::uint64_t>(model_.last_red_o, queues_ - 1), 0};
    for (Index q = 0; q < queues_; ++q) {
      numbers.push_back(model_.assured_tokens_o[q]);
      numbers.push_back(model_.peak_tokens_o[q]);
    }
    return true;
  }
  [[nodiscard]] std::string difference(const Decision& /*before*/) const override {
    constexpr Index kWidth = 8;
    const auto counter = [](const auto& counters, Index q) { return element(counters, q, kWidth); };
    const auto differs = [&](const auto& counters, Index q, std::uint64_t stalls) {
      return counter(counters, q) != (stalls & ((1U << kWidth) - 1));
    };
    for (Index q = 0; q < count(stalls_of_before_); ++q) {
      const TwoRateArbiter::Stalls& stalls = stalls_of_before_[q];
      if (differs(model_.green_stalls_o, q, stalls.green) ||
          differs(model_.yellow_stalls_o, q, stalls.yellow) ||
          differs(model_.red_stalls_o, q, stalls.red)) {
        return fmt::format(
            "queue {} has stalled {}, {} and {} cycles, green, yellow and red, and the counters "
            "are "
            "{}, {} and {}",
            q, stalls.green, stalls.yellow, stalls.red, counter(model_.green_stalls_o, q),
            counter(model_.yellow_stalls_o, q), counter(model_.red_stalls_o, q));
      }
    }
    return {};
  }

 private:
  Index queues_ = 0;
  bool cleared_ = false;
  Stalls stalls_;            // of the cycles before this one
  Stalls stalls_of_before_;  // the same, a cycle ago
};

// Threads are of no use to these small models.
void prepare(VerilatedContext& context) {
  context.threads(1);
  const std::string fault = fmt::format("+fault={}", from_environment("QOSARB_FAULT", 0));
  std::array<const char*, 2> arguments = {"modules", fault.c_str()};
  context.commandArgs(count(arguments), arguments.data());
}

struct Tested {
  const char* name;
  std::function<std::unique_ptr<Module>(VerilatedContext&)> make;
  std::vector<const char*> policies;
};
template <typename M>
std::unique_ptr<Module> made(VerilatedContext& context) {
  return std::make_unique<M>(context);
}
void PrintTo(const Tested& tested, std::ostream* out) { *out << tested.name; }

const std::vector<Tested> kModules = {
    {"BxiLookaheadLarge",
     made<BxiLookahead<Large<Vbxi_lookahead_large>>>,
     {"bxi-deficit", "bxi-deficit", "bxi-basic"}},
    {"BxiLookaheadOdd",
     made<BxiLookahead<Odd<Vbxi_lookahead_odd>>>,
     {"bxi-deficit", "bxi-deficit", "bxi-basic"}},
    {"BxiLookaheadBasic", made<BxiLookahead<Odd<Vbxi_lookahead_basic>>>, {"bxi-basic"}},
    {"DTableLookaheadLarge", made<DTableLookahead<Large<Vdtable_lookahead_large>>>, {"dtable"}},
    {"DTableLookaheadOdd", made<DTableLookahead<Odd<Vdtable_lookahead_odd>>>, {"dtable"}},
    {"TrtcmClasses", made<TrtcmClasses>, {"trtcm"}},
};

class Modules : public ::testing::TestWithParam<Tested> {
 protected:
  /// Lives as `run` runs them, until `usual` decisions were compared, or as many as the environment
  /// says. Too few of them for the other expectations give nothing.
  std::optional<ModuleFigures> compare(decltype(run_life)& run, std::uint64_t usual) {
    Random random(test_seed());
    const std::uint64_t decisions = from_environment("QOSARB_DECISIONS", usual);
    VerilatedContext context;
    prepare(context);
    const std::unique_ptr<Module> module = GetParam().make(context);
    ModuleFigures figures;
    try {
      while (figures.decisions < decisions) {
        run(*module, policy_named(random.one_of(GetParam().policies)), random,
            {.cycles = random.within(1, random.once_in(8) ? 30'000 : 5000),
             .load_once_in = random.one_of(std::array{300U, 1000U, 20'000U})},
            figures);
      }
    } catch (const Difference& difference) {
      ADD_FAILURE() << "after " << figures.decisions << " decisions, in " << difference.what();
      return {};
    }
    std::cout << text_of(figures) << "\n";
    EXPECT_GE(figures.states, figures.decisions);
    return decisions < usual ? std::nullopt : std::optional(figures);
  }
};

TEST_P(Modules, AgreeWithTheReference) {
  if (const auto figures = compare(run_life, 500'000)) {
    EXPECT_GT(figures->contested, figures->decisions / 10);
    EXPECT_GT(figures->back_to_back, figures->decisions / 200);
    EXPECT_GT(figures->zero, figures->decisions / 500);
    EXPECT_GT(figures->loads, figures->decisions / 10'000);
  }
}

TEST_P(Modules, AgreeWhenBacklogged) {
  if (const auto figures = compare(run_backlog, 200'000)) {
    EXPECT_GT(figures->contested, figures->decisions / 2);
    EXPECT_GT(figures->zero, figures->decisions / 500);
    EXPECT_GT(figures->loads, figures->decisions / 10'000);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Modules, ::testing::ValuesIn(kModules),
                         [](const auto& tested) { return tested.param.name; });

// The waveform of docs/integration.md, worked by hand. Entry 0 is of queue 0, entry 1 of queue 1,
// both with a quantum of 8 flits. Queue 0 has packets of 3, 4 and 2 flits, queue 1 one of 5.
TEST(BxiLookahead, TheWaveformOfTheIntegrationGuide) {
  struct InCycle {
    bool request;
    std::array<std::uint32_t, 2> heads;    // flits of the heads of queues 0 and 1; 0: none
    std::array<std::uint32_t, 2> seconds;  // of the packets behind them
    Index granted;                         // in this cycle; -1: none
  };
  const std::vector<InCycle> cycles = {
      {true, {3, 5}, {4, 0}, -1},  // chooses the packet of 3 flits
      {true, {3, 5}, {4, 0}, 0},   // 5 remain, the packet of 4 flits fits: chooses it
      {true, {4, 5}, {2, 0}, 0},   // 1 remains, the packet of 2 flits does not fit: queue 1 it is
      {true, {2, 5}, {0, 0}, 1},   // queue 0 again, on 8 + 1 flits
      {false, {2, 0}, {0, 0}, 0},  // nothing is asked for
      {true, {0, 0}, {0, 0}, -1},  // nothing is there
      {false, {0, 0}, {0, 0}, -1},
  };
  const auto packet = [](std::uint32_t flits) {
    return flits == 0 ? std::nullopt : std::optional(flits);
  };
  Random random(1);
  VerilatedContext context;
  prepare(context);
  BxiPins<Odd<Vbxi_lookahead_odd>> rtl(context);
  rtl.reset(random);
  rtl.program({.policy = kBxiDeficit,
               .queues = 2,
               .max_packet_flits = 21,
               .parameters = BxiConfig{.quantum_scale = 1, .table = {{0, 8}, {1, 8}}}},
              random);
  for (Index c = 0; c < count(cycles); ++c) {
    rtl.ask(cycles[c].request, false);
    for (Index q = 0; q < 2; ++q) {
      rtl.show(q, {.flits = packet(cycles[c].heads[q]), .next_flits = packet(cycles[c].seconds[q])},
               random);
    }
    rtl.settle();
    EXPECT_EQ(rtl.granted(), cycles[c].granted) << "in cycle " << c;
    rtl.clock_edge();
  }
}

}  // namespace
}  // namespace qosarb::test
