#include "kernel/recorder.hpp"

#include <algorithm>
#include <utility>

#include "qosarb/policy/policy.hpp"

namespace qosarb::test {

Recorder::Recorder(ArbiterConfig config)
    : queued_(config.queues),
      stopped_(config.queues),
      config_(config),
      life_{std::move(config), {}} {}

void Recorder::on_arrive(Cycle now, Index queue, std::uint32_t flits, std::uint8_t age) {
  const Event event{
      .cycle = now, .kind = EventKind::Arrive, .age = age, .queue = queue, .flits = flits};
  queued_[queue].push_back(event);
  record(event);
}

void Recorder::on_stop(Cycle now, Index queue, bool stopped) {
  stopped_[queue] = stopped;
  record({.cycle = now, .kind = stopped ? EventKind::Stop : EventKind::Start, .queue = queue});
}

void Recorder::on_arbitration(Cycle /*now*/, Heads heads) {
  active_ = 0;
  for (const Head& head : heads) {
    active_ += head.active() ? 1 : 0;
  }
}

void Recorder::on_decision(Cycle now, const Decision& decision) {
  if (decision.queue >= 0) {
    queued_[decision.queue].pop_front();
  }
  record({.cycle = now, .kind = EventKind::Arb});
}

void Recorder::commit(Cycle now, const ArbiterConfig& config) {
  life_.events.push_back({.cycle = now, .kind = EventKind::Commit, .queue = count(life_.commits)});
  life_.commits.push_back(config);
  start_over(now, config);
}

void Recorder::reset(Cycle now, const ArbiterConfig& config) {
  start_over(now, config);
  life_ = {config, events_};
}

void Recorder::start_over(Cycle now, const ArbiterConfig& config) {
  config_ = config;
  events_.clear();
  for (Index q = 0; q < count(queued_); ++q) {
    for (Event event : queued_[q]) {
      event.cycle = now;
      events_.push_back(event);
    }
    if (stopped_[q]) {
      events_.push_back({.cycle = now, .kind = EventKind::Stop, .queue = q});
    }
  }
}

std::vector<LogCase> Recorder::logs() const {
  std::vector<LogCase> logs = {{config_, events_}};
  if (std::all_of(life_.commits.begin(), life_.commits.end(), [this](const ArbiterConfig& c) {
        return c.policy->shares_chip_clock() == life_.config.policy->shares_chip_clock();
      })) {
    logs.push_back(life_);
  }
  return logs;
}

void Recorder::record(const Event& event) {
  events_.push_back(event);
  life_.events.push_back(event);
}

}  // namespace qosarb::test
