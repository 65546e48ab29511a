#include "qosarb/network/port_log.hpp"

#include <exception>
#include <memory>
#include <string>

#include "qosarb/events/observed_arbiter.hpp"
#include "qosarb/network/network.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

/// Whether the arbiter there has no queues of its own, but is shown packets of several in turn.
bool is_shown_in_turn(const Scenario& scenario, const PortPlace& place) {
  const bool of_inputs = !scenario.switches.architecture->has_output_queues && place.port != "nic";
  return of_inputs || scenario.channels_per_queue > 1;
}

}  // namespace

std::vector<LogCase> logs_of_port(const Scenario& scenario, const PortPlace& place, Cycle last,
                                  const ArbiterFactory& arbiters) {
  const ArbiterConfig& config = scenario.arbiter_at(place.chip, place.port);
  const bool shares_clock = config.policy->shares_chip_clock();
  EventRecorder recorder(shares_clock);
  ChipRecorder chip;
  const auto observer_of = [&](const std::string& name) -> PortObserver* {
    if (name == place.chip + "." + place.port) {
      return &recorder;
    }
    if (!shares_clock || !name.starts_with(place.chip + ".")) {
      return nullptr;
    }
    const std::string port = name.substr(place.chip.size() + 1);
    const bool shares_it = scenario.arbiter_at(place.chip, port).policy->shares_chip_clock();
    return shares_it ? &chip : nullptr;
  };
  const bool in_turn = is_shown_in_turn(scenario, place);
  const ArbiterFactory factory = [&](const ArbiterConfig& one,
                                     const PortPlace& at) -> std::unique_ptr<Arbiter> {
    PortObserver* const observer = in_turn ? observer_of(at.chip + "." + at.port) : nullptr;
    return observer == nullptr ? arbiters(one, at)
                               : std::make_unique<ObservedArbiter>(arbiters(one, at), one.queues,
                                                                   shares_clock, *observer);
  };
  Network network(scenario, factory);
  for (const Network::NamedPort& named : network.ports()) {
    if (!in_turn) {
      named.port->observe(observer_of(named.name));
    }
  }
  try {
    network.run(last + 1);
  } catch (const std::exception&) {
    // Whoever asks knows it.
  }
  std::vector<LogCase> logs = {{config, recorder.events()}};
  if (shares_clock) {
    logs.push_back({config, chip.with(recorder.events())});
  }
  return logs;
}

}  // namespace qosarb
