#include "qosarb/analyze/backlog.hpp"

#include <utility>

#include "qosarb/analyze/landmarks.hpp"
#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/policy/arbiter.hpp"

namespace qosarb {

namespace {

// Queues that never run empty in front of one arbiter.
class BackloggedPort {
 public:
  BackloggedPort(const ArbiterConfig& config, const PacketMix& mix)
      : mix_(mix),
        arbiter_(make_reference(config)),
        heads_(mix.flits.size()),
        place_(mix.flits.size(), 0) {
    for (Index q = 0; q < count(heads_); ++q) {
      if (!mix.flits[q].empty()) {
        refill(q);
      }
    }
  }

  // The next decision, and the state on which it was taken.
  Sent next(std::vector<std::uint64_t>& state) {
    reach(now_);
    state.clear();
    arbiter_->append_state(state);  // a reference can tell
    for (std::size_t q = 0; q < heads_.size(); ++q) {
      if (mix_.flits[q].size() > 1) {
        state.push_back(place_[q]);
      }
      const AgeStamp stamp = heads_[q].stamp;
      if (stamp.field != 0 || stamp.epoch) {  // seastar-age
        state.push_back((std::uint64_t{q} << 32U) | (std::uint64_t{stamp.field} << 1U) |
                        (stamp.epoch ? 1U : 0U));
      }
    }
    const Decision decision = arbiter_->decide(now_, heads_);
    if (decision.queue < 0) {
      ++now_;
      return {};
    }
    const Index q = decision.queue;
    heads_[q] = Head{};
    reach(now_ + 1);  // the packet behind comes a cycle later
    place_[q] = (place_[q] + 1) % mix_.flits[q].size();
    refill(q);
    now_ += decision.flits;
    const std::uint64_t turn_before = std::exchange(turn_, arbiter_->paying_turn());
    return {decision.queue, arbiter_->paying_entry(), decision.flits, 1, turn_ != turn_before};
  }

 private:
  void reach(Cycle cycle) {
    if (cycle > reached_) {
      arbiter_->advance(cycle, heads_);
      reached_ = cycle;
    }
  }

  void refill(Index q) {
    heads_[q] = Head{.flits = mix_.flits[q][place_[q]], .stamp = arbiter_->arrive(reached_, q, 0)};
  }

  const PacketMix& mix_;
  std::unique_ptr<Arbiter> arbiter_;
  std::vector<Head> heads_;
  std::vector<std::size_t> place_;   // of the head in its queue's sequence
  std::uint64_t turn_ = UINT64_MAX;  // that paid last
  Cycle now_ = 0;
  Cycle reached_ = 0;
};

}  // namespace

Schedule follow_backlogged(const ArbiterConfig& config, const PacketMix& mix,
                           std::uint64_t max_decisions) {
  return analysis_of(config.policy).follow(config, mix, max_decisions);
}

Schedule follow_reference(const ArbiterConfig& config, const PacketMix& mix,
                          std::uint64_t max_decisions) {
  BackloggedPort port(config, mix);
  Landmarks landmarks;
  Schedule schedule;
  std::vector<std::uint64_t> state;
  while (schedule.sent.size() < max_decisions) {
    const Sent sent = port.next(state);
    const std::size_t now = schedule.sent.size();
    schedule.period_begin = landmarks.visit(now, state);
    if (schedule.period_begin != now) {
      schedule.exact = true;
      return schedule;
    }
    schedule.sent.push_back(sent);
  }
  schedule.period_begin = 0;
  return schedule;
}

}  // namespace qosarb
