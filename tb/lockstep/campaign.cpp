#include "lockstep/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "cosim/lockstep.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/run_log.hpp"
#include "lockstep/random_traffic.hpp"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"

namespace qosarb::test {

namespace {

// Keeps what a port was shown since its arbiter started, and can start over in between.
class LifeRecorder final : public PortObserver {
 public:
  explicit LifeRecorder(int queues)
      : queued_(static_cast<std::size_t>(queues)), stopped_(static_cast<std::size_t>(queues)) {}

  void on_arrive(Cycle now, int queue, std::uint32_t flits, std::uint8_t age) override {
    const Event event{
        .cycle = now, .kind = EventKind::Arrive, .age = age, .queue = queue, .flits = flits};
    queued_[static_cast<std::size_t>(queue)].push_back(event);
    events_.push_back(event);
  }
  void on_stop(Cycle now, int queue, bool stopped) override {
    stopped_[static_cast<std::size_t>(queue)] = stopped;
    events_.push_back(
        {.cycle = now, .kind = stopped ? EventKind::Stop : EventKind::Start, .queue = queue});
  }
  void on_decision(Cycle now, const Decision& decision) override {
    if (decision.queue >= 0) {
      queued_[static_cast<std::size_t>(decision.queue)].pop_front();
    }
    events_.push_back({.cycle = now, .kind = EventKind::Arb});
  }

  // Forgets the past but for what stands in the queues, as if it all came in cycle `now`.
  void start_over(Cycle now) {
    events_.clear();
    for (std::size_t q = 0; q < queued_.size(); ++q) {
      for (Event event : queued_[q]) {
        event.cycle = now;
        events_.push_back(event);
      }
      if (stopped_[q]) {
        events_.push_back({.cycle = now, .kind = EventKind::Stop, .queue = static_cast<int>(q)});
      }
    }
  }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
  std::vector<std::deque<Event>> queued_;
  std::vector<bool> stopped_;
};

class Life {
 public:
  Life(Random& random, const CampaignOptions& options, CampaignResult& result)
      : random_(random),
        options_(options),
        result_(result),
        config_(random_config(random, options.policy)),
        recorder_(config_.queues) {}

  void run(std::uint64_t decisions) {
    auto rtl = std::make_unique<RtlArbiter>(config_, kLonePort,
                                            RtlArbiter::Options{.plusargs = options_.plusargs});
    RtlArbiter& port_rtl = *rtl;
    auto both = std::make_unique<LockstepArbiter>(reference(), std::move(rtl), kLonePort);
    LockstepArbiter& lockstep = *both;
    Port port(config_.queues, std::move(both));
    port.observe(&recorder_);
    RandomTraffic traffic(random_, config_);
    std::uint64_t tables = port_rtl.tables_applied();
    ArbiterConfig next;
    try {
      Cycle now = 0;
      for (std::uint64_t i = 0; i < decisions; ++i) {
        now = traffic.next_cycle();
        port.reach(now);
        if (port_rtl.tables_applied() != tables) {
          tables = port_rtl.tables_applied();
          ++result_.commits;
          config_ = next;
          lockstep.restart(reference());
          recorder_.start_over(now);
        }
        if (options_.commits && !port_rtl.reprogramming() && random_.below(1500) == 0) {
          next = random_config(random_, options_.policy, config_.queues, config_.max_packet_flits);
          if (auto* seastar = next.parameters.get_if<SeastarConfig>()) {
            // The chip's clock goes on as it is.
            seastar->age_clock_period = config_.parameters.get<SeastarConfig>().age_clock_period;
          }
          port_rtl.reprogram(next);
        }
        traffic.happen(port);
        const Decision decision = port.arbitrate(now).decision;
        ++result_.decisions;
        result_.grants += decision.queue >= 0 ? 1 : 0;
        traffic.sent(decision);
      }
      port.reach(now + 1);
      if (port_rtl.tables_applied() == tables) {
        lockstep.check_state(now, port.heads());
      }
    } catch (const Mismatch& mismatch) {
      throw with_reproducer(mismatch, options_.reproducer, config_, recorder_.events(),
                            fmt::format("randomized lockstep, {}, seed {}, after {} decisions",
                                        options_.policy.name(), options_.seed, result_.decisions),
                            options_.plusargs);
    }
  }

 private:
  // Of the config in force. The age clock outlives a commit: packets are under way.
  std::unique_ptr<Arbiter> reference() {
    const auto* seastar = config_.parameters.get_if<SeastarConfig>();
    if (seastar == nullptr) {
      return make_reference(config_);
    }
    if (clock_ == nullptr) {
      clock_ = std::make_shared<AgeClock>(seastar->age_clock_period);
    }
    return config_.policy->make_reference(config_, clock_);
  }

  Random& random_;
  const CampaignOptions& options_;
  CampaignResult& result_;
  ArbiterConfig config_;  // in force
  std::shared_ptr<AgeClock> clock_;
  LifeRecorder recorder_;
};

}  // namespace

void run_campaign(const CampaignOptions& options, CampaignResult& result) {
  Random random(options.seed);
  while (result.decisions < options.decisions) {
    Life life(random, options, result);
    const std::uint64_t longest = random.chance(5) ? 40'000 : 4'000;  // long turns need long lives
    life.run(std::min(options.decisions - result.decisions, random.within(1, longest)));
    ++result.lives;
  }
}

}  // namespace qosarb::test
