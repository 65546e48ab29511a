#include "cosim/run_log.hpp"

#include "cosim/lockstep.hpp"

namespace qosarb {

std::vector<TimedDecision> run_log(const ArbiterConfig& config, EventSource& events, Engine engine,
                                   const FactoryOptions& options) {
  Port port(config.queues, make_factory(engine, options)(config, kLonePort));
  Cycle after = 0;
  std::vector<TimedDecision> decisions = replay(events, port);
  after = decisions.empty() ? 0 : decisions.back().cycle + 1;
  if (auto* lockstep = dynamic_cast<LockstepArbiter*>(&port.arbiter())) {
    lockstep->check_state(after, port.heads());
  }
  return decisions;
}

}  // namespace qosarb
