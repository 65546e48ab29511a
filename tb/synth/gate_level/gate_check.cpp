// Runs random traffic through a mapped netlist and holds every decision against the C++ reference.
//
//   Vgates [SEED [TABLES [GATE]]]
//
// GATE is for a netlist with wrong gates to choose among: each is inverted by one bit of fault_i.
// The netlist stands between registers: what is put in before clock edge t decides after it, and
// the grant is seen after edge t + 1. Built with QOSARB_ACTIVITY, the first table's run leaves
// activity.vcd, from which power is estimated.
#include <fmt/format.h>
#include <verilated.h>
#ifdef QOSARB_ACTIVITY
#include <verilated_vcd_c.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "gate_parameters.hpp"  // Gates, GatePins, kPolicy, kHeadsMayLie

namespace qosarb::test {
namespace {

class Netlist final : public GatePins {
 public:
  Netlist(VerilatedContext& context, std::optional<Index> wrong_gate) : GatePins(context) {
    invert(model_, wrong_gate);
  }

  [[nodiscard]] Index latency() const override { return GatePins::latency() + 2; }
  [[nodiscard]] bool starts_with_load() const override { return true; }
  [[nodiscard]] std::uint32_t longest_shown() const override {
    return kHeadsMayLie ? GatePins::longest_shown() : 0;
  }

  void reset(Random& random) override {
    GatePins::reset(random);
    model_.rst_ni = 0;
    for (int i = 0; i < 4; ++i) {
      settle();
      clock_edge();
    }
    model_.rst_ni = 1;
  }
  void clock_edge() override {
    GatePins::clock_edge();
#ifdef QOSARB_ACTIVITY
    if (tracing_) vcd_.dump(++time_);
#endif
  }

  /// The values after each clock edge from now on go into activity.vcd.
  void begin_trace() {
#ifdef QOSARB_ACTIVITY
    model_.trace(&vcd_, 1);
    vcd_.open("activity.vcd");
    tracing_ = true;
#endif
  }
  void end_trace() {
#ifdef QOSARB_ACTIVITY
    if (tracing_) vcd_.close();
    tracing_ = false;
#endif
  }

 private:
  // What comes out of registers says nothing yet.
  void check_silent() const override {}

  static void invert(auto& pins, std::optional<Index> gate) {
    if constexpr (requires { pins.fault_i; }) {
      pins.fault_i = 0;
      if (gate) set_field(pins.fault_i, *gate, 1, 1);
    }
  }

#ifdef QOSARB_ACTIVITY
  VerilatedVcdC vcd_;
  bool tracing_ = false;
  std::uint64_t time_ = 0;
#endif
};

int run(std::uint64_t seed, int tables, std::optional<Index> wrong_gate) {
  Random random(seed);
  VerilatedContext context;
  context.randReset(2);  // registers without a reset wake up at random
  context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
#ifdef QOSARB_ACTIVITY
  context.traceEverOn(true);
#endif
  Netlist gates(context, wrong_gate);
  ModuleFigures figures;
  gates.begin_trace();
  for (int table = 0; table < tables; ++table) {
    try {
      run_life(gates, kPolicy, random,
               {.cycles = 2000, .load_once_in = table == 0 ? 0U : 700U, .all_queues = true},
               figures);
    } catch (const Difference& difference) {
      fmt::print(stderr, "seed {}, table {}, {}\n", seed, table, difference.what());
      return 1;
    }
    gates.end_trace();
  }
  fmt::print("seed {}: {} decisions, {} grants, all as the reference\n", seed, figures.decisions,
             figures.grants);
  return figures.grants > 0 ? 0 : 1;
}

}  // namespace
}  // namespace qosarb::test

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1;
  const int tables = argc > 2 ? std::atoi(argv[2]) : 20;
  std::optional<qosarb::Index> wrong_gate;
  if (argc > 3) wrong_gate = std::atoi(argv[3]);
  return qosarb::test::run(seed, tables, wrong_gate);
}
