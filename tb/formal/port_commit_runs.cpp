// Runs mutants of a port's commit behind random software, of which a search reaches only the first
// transfers, and watches what is proved of the commit:
//
//   port_commit_runs NUMBER[/BIT]...
//
// NUMBER says which mutant of the netlist is switched on, 0 none. For each BIT 2^BIT cycles are run
// from reset on. For each mutant one line: its number, and `killed` or `survived`.
#include <fmt/format.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "Vport_commit_proof.h"
#include "port/qosarb_port_regs.h"

namespace {

// One more than the mutants' size has of each.
constexpr std::uint32_t kQueues = 3;
constexpr std::uint32_t kEntries = 4;

bool all_holds(const Vport_commit_proof& model) {
  return (model.changes_by_itself_o | model.not_as_a_whole_o | model.written_otherwise_o |
          model.out_of_range_o | model.takes_too_long_o | model.answers_otherwise_o |
          model.begins_otherwise_o | model.stays_out_o | model.not_strict_o) == 0;
}

/// splitmix64.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  /// Below `bound`.
  std::uint32_t below(std::uint32_t bound) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>(((z ^ (z >> 31U)) >> 32U) * bound >> 32U);
  }
  bool one_in(std::uint32_t bound) { return below(bound) == 0; }
  template <std::size_t Count>
  std::uint32_t one_of(const std::array<std::uint32_t, Count>& some) {
    return some[below(Count)];
  }

 private:
  std::uint64_t state_;
};

/// What all policies share of a configuration.
std::uint32_t shared_register(Draw& draw) {
  switch (draw.below(8)) {
    case 0:
      return QOSARB_PORT_POLICY_OFFSET;
    case 1:
      return QOSARB_PORT_TABLE_ENTRIES_OFFSET;
    case 2:
      return QOSARB_PORT_MAX_PACKET_FLITS_OFFSET;
    case 3:
      return QOSARB_PORT_QUEUES_IN_USE_OFFSET;
    case 4:
      return QOSARB_PORT_QUEUE_SL_OFFSET(draw.below(kQueues));
    default:
      return QOSARB_PORT_TABLE_OFFSET(draw.below(kEntries));
  }
}

/// What a policy has beside it.
std::uint32_t own_register(Draw& draw) {
  const std::uint32_t queue = draw.below(kQueues);
  return draw.one_of<11>(
      {QOSARB_PORT_VL_HIGH_LIMIT_OFFSET, QOSARB_PORT_FLIT_BYTES_OFFSET,
       QOSARB_PORT_STRICT_PRIORITY_OFFSET, QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET,
       QOSARB_PORT_AGE_BIAS_OFFSET(queue), QOSARB_PORT_SL_MTU_OFFSET(queue),
       QOSARB_PORT_CLASS_PRIORITY_OFFSET(queue), QOSARB_PORT_ASSURED_RATE_OFFSET(queue),
       QOSARB_PORT_PEAK_RATE_OFFSET(queue), QOSARB_PORT_ASSURED_BURST_OFFSET(queue),
       QOSARB_PORT_PEAK_BURST_OFFSET(queue)});
}

/// What can only be read.
std::uint32_t register_in_force(Draw& draw) {
  const std::uint32_t entry = QOSARB_PORT_TABLE_IN_FORCE_OFFSET(draw.below(kEntries));
  return draw.one_of<8>({QOSARB_PORT_POLICY_IN_FORCE_OFFSET,
                         QOSARB_PORT_TABLE_ENTRIES_IN_FORCE_OFFSET,
                         QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET,
                         QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET, entry, entry, entry, entry});
}

std::uint32_t data_for(Draw& draw, std::uint32_t address) {
  if (draw.one_in(32)) {
    return draw.one_in(2) ? draw.below(~0U) : 1U << draw.below(32);
  }
  if (address >= QOSARB_PORT_TABLE_OFFSET(0) && address < QOSARB_PORT_TABLE_IN_FORCE_OFFSET(0)) {
    return draw.below(kQueues) | (draw.below(9) << 8U);
  }
  return draw.below(address == QOSARB_PORT_POLICY_OFFSET ? 10 : 5);
}

/// What software asks for next, if it asks for anything.
void draw_transfer(Draw& draw, Vport_commit_proof& model) {
  const std::uint32_t what = draw.below(16);
  model.write_i = 1;
  if (what < 7) {
    model.address_i = shared_register(draw);
  } else if (what < 8) {
    model.address_i = own_register(draw);
  } else if (what < 11) {
    model.address_i = QOSARB_PORT_COMMIT_OFFSET;
  } else if (what < 13) {
    model.address_i = QOSARB_PORT_STATUS_OFFSET;
    model.write_i = 0;
  } else if (what < 15) {
    model.address_i = register_in_force(draw);
    model.write_i = 0;
  } else {
    model.address_i = draw.below(1U << 12U);
  }
  if (draw.one_in(16)) {
    model.write_i = !model.write_i;
  }
  model.data_i = model.address_i == QOSARB_PORT_COMMIT_OFFSET ? 1 : data_for(draw, model.address_i);
  model.strobes_i = draw.one_in(32) ? draw.below(16) : 15;
}

/// Whether all that is proved holds from a reset on over so many cycles.
bool holds_over(std::uint32_t number, std::uint64_t cycles) {
  VerilatedContext context;
  context.threads(1);
  Vport_commit_proof model(&context);
  Draw draw(1);
  model.mutant = number;
  bool is_busy = true;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    if (draw.one_in(64)) {
      is_busy = !draw.one_in(3);
    }
    model.reset_i = cycle < 3 || draw.one_in(1024) ? 1 : 0;
    model.start_i = is_busy || draw.one_in(8) ? 1 : 0;
    draw_transfer(draw, model);
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

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char* rest = nullptr;
    const auto number = static_cast<std::uint32_t>(std::strtoul(argv[i], &rest, 10));
    bool holds = true;
    while (holds && *rest == '/') {
      holds = holds_over(number, std::uint64_t{1} << std::strtoul(rest + 1, &rest, 10));
    }
    fmt::print("{} {}\n", number, holds ? "survived" : "killed");
    std::fflush(stdout);
  }
}
