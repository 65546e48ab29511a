#include "cosim/run_log.hpp"

#include "cosim/lockstep.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/waves.hpp"

namespace qosarb {

namespace {

/// Brings `config` into force at `port` from cycle `now` on, which the port has reached.
void commit(Cycle now, const ArbiterConfig& config, Engine engine, const ArbiterFactory& references,
            Port& port) {
  switch (engine) {
    case Engine::Model:
      port.restart(references(config, kLonePort));
      break;
    case Engine::Rtl:
      dynamic_cast<RtlArbiter&>(port.arbiter()).commit(config);
      break;
    case Engine::Lockstep: {
      auto& lockstep = dynamic_cast<LockstepArbiter&>(port.arbiter());
      lockstep.restart(references(config, kLonePort));
      dynamic_cast<RtlArbiter&>(lockstep.rtl()).commit(config);
      lockstep.reference().advance(now, port.heads());
      break;
    }
  }
}

}  // namespace

std::vector<TimedDecision> run_log(std::span<const ArbiterConfig> sections, EventSource& events,
                                   Engine engine, FactoryOptions options,
                                   Explanation* explanation) {
  options.commits = sections.subspan(1);
  const ArbiterFactory references = make_reference_factory();
  Port port(sections.front().queues,
            make_factory(engine, options, references)(sections.front(), kLonePort));
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
      return options.waves->next_after(now);
    };
  }
  std::vector<TimedDecision> decisions =
      replay(events, port, end_of_cycle, [&](Cycle now, std::size_t section) {
        commit(now, options.commits[section], engine, references, port);
        if (explanation != nullptr) {
          explanation->on_commit(now, options.commits[section]);
        }
      });
  if (const auto* lockstep = dynamic_cast<LockstepArbiter*>(&port.arbiter())) {
    lockstep->check_state(decisions.empty() ? 0 : decisions.back().cycle, port.heads());
  } else if (auto* rtl = dynamic_cast<RtlArbiter*>(&port.arbiter())) {
    rtl->finish();
  }
  return decisions;
}

std::vector<ArbiterConfig> sections_of(const LogCase& log_case) {
  std::vector<ArbiterConfig> sections = {log_case.config};
  sections.insert(sections.end(), log_case.commits.begin(), log_case.commits.end());
  return sections;
}

}  // namespace qosarb
