// Runs mutants of a port's commit behind random software, of which a search reaches only the first
// transfers, and watches what is proved of the commit (see mutant_runs.hpp).
#include <verilated.h>

#include <array>
#include <cstdint>

#include "Vport_commit_proof.h"
#include "formal/mutant_runs.hpp"
#include "port/qosarb_port_regs.h"
#include "random/random.hpp"

namespace qosarb::test {
namespace {

// One more than the mutants' size has of each.
constexpr std::uint32_t kQueues = 3;
constexpr std::uint32_t kEntries = 4;

bool all_holds(const Vport_commit_proof& model) {
  return (model.changes_by_itself_o | model.not_as_a_whole_o | model.written_otherwise_o |
          model.out_of_range_o | model.takes_too_long_o | model.answers_otherwise_o |
          model.begins_otherwise_o | model.stays_out_o | model.not_strict_o) == 0;
}

/// What all policies share of a configuration.
std::uint32_t shared_register(Random& random) {
  switch (random.below(8)) {
    case 0:
      return QOSARB_PORT_POLICY_OFFSET;
    case 1:
      return QOSARB_PORT_TABLE_ENTRIES_OFFSET;
    case 2:
      return QOSARB_PORT_MAX_PACKET_FLITS_OFFSET;
    case 3:
      return QOSARB_PORT_QUEUES_IN_USE_OFFSET;
    case 4:
      return QOSARB_PORT_QUEUE_SL_OFFSET(random.below<std::uint32_t>(kQueues));
    default:
      return QOSARB_PORT_TABLE_OFFSET(random.below<std::uint32_t>(kEntries));
  }
}

/// What a policy has beside it.
std::uint32_t own_register(Random& random) {
  const std::uint32_t queue = random.below<std::uint32_t>(kQueues);
  return random.one_of(std::array<std::uint32_t, 11>{
      QOSARB_PORT_VL_HIGH_LIMIT_OFFSET, QOSARB_PORT_FLIT_BYTES_OFFSET,
      QOSARB_PORT_STRICT_PRIORITY_OFFSET, QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET,
      QOSARB_PORT_AGE_BIAS_OFFSET(queue), QOSARB_PORT_SL_MTU_OFFSET(queue),
      QOSARB_PORT_CLASS_PRIORITY_OFFSET(queue), QOSARB_PORT_ASSURED_RATE_OFFSET(queue),
      QOSARB_PORT_PEAK_RATE_OFFSET(queue), QOSARB_PORT_ASSURED_BURST_OFFSET(queue),
      QOSARB_PORT_PEAK_BURST_OFFSET(queue)});
}

/// What can only be read.
std::uint32_t register_in_force(Random& random) {
  const std::uint32_t entry =
      QOSARB_PORT_TABLE_IN_FORCE_OFFSET(random.below<std::uint32_t>(kEntries));
  return random.one_of(std::array<std::uint32_t, 8>{
      QOSARB_PORT_POLICY_IN_FORCE_OFFSET, QOSARB_PORT_TABLE_ENTRIES_IN_FORCE_OFFSET,
      QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET, QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET,
      entry, entry, entry, entry});
}

std::uint32_t data_for(Random& random, std::uint32_t address) {
  if (random.once_in(32)) {
    return random.once_in(2) ? random.below<std::uint32_t>(~0U)
                             : 1U << random.below<std::uint32_t>(32);
  }
  if (address >= QOSARB_PORT_TABLE_OFFSET(0) && address < QOSARB_PORT_TABLE_IN_FORCE_OFFSET(0)) {
    return random.below<std::uint32_t>(kQueues) | (random.below<std::uint32_t>(9) << 8U);
  }
  return random.below<std::uint32_t>(address == QOSARB_PORT_POLICY_OFFSET ? 10 : 5);
}

/// What software asks for next, if it asks for anything.
void draw_transfer(Random& random, Vport_commit_proof& model) {
  const std::uint32_t what = random.below<std::uint32_t>(16);
  model.write_i = 1;
  if (what < 7) {
    model.address_i = shared_register(random);
  } else if (what < 8) {
    model.address_i = own_register(random);
  } else if (what < 11) {
    model.address_i = QOSARB_PORT_COMMIT_OFFSET;
  } else if (what < 13) {
    model.address_i = QOSARB_PORT_STATUS_OFFSET;
    model.write_i = 0;
  } else if (what < 15) {
    model.address_i = register_in_force(random);
    model.write_i = 0;
  } else {
    model.address_i = random.below<std::uint32_t>(QOSARB_PORT_WINDOW_BYTES);
  }
  if (random.once_in(16)) {
    model.write_i = !model.write_i;
  }
  model.data_i =
      model.address_i == QOSARB_PORT_COMMIT_OFFSET ? 1 : data_for(random, model.address_i);
  model.strobes_i = random.once_in(32) ? random.below<std::uint32_t>(16) : 15;
}

/// Whether all that is proved holds from a reset on over so many cycles.
bool holds_over(std::uint32_t number, std::uint64_t cycles) {
  VerilatedContext context;
  context.threads(1);
  Vport_commit_proof model(&context);
  Random random(1);
  model.mutant = number;
  bool is_busy = true;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    if (random.once_in(64)) {
      is_busy = !random.once_in(3);
    }
    model.reset_i = cycle < 3 || random.once_in(1024) ? 1 : 0;
    model.start_i = is_busy || random.once_in(8) ? 1 : 0;
    draw_transfer(random, model);
    for (std::size_t word = 0; word < sizeof(model.traffic_i) / sizeof(EData); ++word) {
      model.traffic_i[word] = random.below<std::uint32_t>(~0U);
    }
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
}  // namespace qosarb::test

int main(int argc, char** argv) { qosarb::test::run_mutants(argc, argv, qosarb::test::holds_over); }
