#include "cosim/run_log.hpp"

#include "cosim/lockstep.hpp"
#include "cosim/waves.hpp"

namespace qosarb {

std::vector<TimedDecision> run_log(const ArbiterConfig& config, EventSource& events, Engine engine,
                                   const FactoryOptions& options, Explanation* explanation) {
  Port port(config.queues, make_factory(engine, options)(config, kLonePort));
  if (explanation != nullptr) {
    explanation->listen_to(port);
  }
  CycleHook end_of_cycle;
  if (options.waves != nullptr) {
    end_of_cycle = [&port, &options](Cycle now) {
      if (options.waves->concerns(now)) {
        port.reach(now + 1);
        options.waves->end_of_cycle(now);
      }
    };
  }
  std::vector<TimedDecision> decisions = replay(events, port, end_of_cycle);
  if (const auto* lockstep = dynamic_cast<LockstepArbiter*>(&port.arbiter())) {
    lockstep->check_state(decisions.empty() ? 0 : decisions.back().cycle, port.heads());
  }
  return decisions;
}

}  // namespace qosarb
