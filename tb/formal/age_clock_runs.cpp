// Runs mutants of the age clock for whole periods, which no search reaches, and watches what is
// proved of the clock (see mutant_runs.hpp). A period for each BIT, of 2^BIT cycles, is run from
// reset on, without a packet.
#include <verilated.h>

#include <cstdint>

#include "Vage_clock_proof.h"
#include "formal/mutant_runs.hpp"

namespace {

bool all_holds(const Vage_clock_proof& model) {
  return (model.counts_otherwise_o | model.leaves_some_behind_o | model.jumps_o |
          model.stands_too_long_o | model.inhibited_too_long_o | model.gives_up_early_o |
          model.counts_down_otherwise_o | model.inhibited_otherwise_o |
          model.saturates_otherwise_o) == 0;
}

/// Whether all that is proved holds from a reset on over a period of so many cycles and what
/// follows it.
bool holds_over(std::uint32_t number, std::uint64_t period) {
  VerilatedContext context;
  context.threads(1);
  Vage_clock_proof model(&context);
  model.mutant = number;
  model.period_i = static_cast<std::uint32_t>(period);
  model.arrived_i = 0;
  model.left_i = 0;
  model.left_epoch_i = 0;
  model.others_wait_i = 0;
  for (std::uint64_t cycle = 0; cycle < period + 10; ++cycle) {
    model.reset_i = cycle < 3 ? 1 : 0;
    model.clk_i = 0;
    model.eval();
    if (!all_holds(model)) {
      return false;
    }
    model.clk_i = 1;
    model.eval();
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) { qosarb::test::run_mutants(argc, argv, holds_over); }
