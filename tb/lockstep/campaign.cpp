#include "lockstep/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "cosim/age_chip.hpp"
#include "cosim/build_choice.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/reproducer.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "cosim/run_log.hpp"
#include "kernel/random_traffic.hpp"
#include "kernel/recorder.hpp"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {

namespace {

// What the port's counters of packets and flits hold, and what they held at the last snapshot.
class GrantCounters {
 public:
  explicit GrantCounters(int queues) : queues_(static_cast<std::size_t>(queues)) {}

  void start_over() { queues_.assign(queues_.size(), {}); }
  void granted(Cycle now, const Decision& decision) {
    if (decision.queue >= 0) {
      Queue& queue = queues_[static_cast<std::size_t>(decision.queue)];
      queue.recent.push_back({now, std::max(decision.flits, 1U)});  // one that says 0 counts as 1
    }
  }
  /// A snapshot was taken that holds the grants before cycle `end`.
  void snapshot(Cycle end) {
    for (Queue& queue : queues_) {
      while (!queue.recent.empty() && queue.recent.front().cycle < end) {
        queue.packets += 1;
        queue.flits += queue.recent.front().flits;
        queue.recent.pop_front();
      }
    }
  }
  /// The lower 32 bits of a counter of `queue` in the last snapshot.
  [[nodiscard]] std::uint32_t value(int queue, bool flits) const {
    const Queue& counted = queues_[static_cast<std::size_t>(queue)];
    return static_cast<std::uint32_t>(flits ? counted.flits : counted.packets);
  }

 private:
  struct Grant {
    Cycle cycle = 0;
    std::uint32_t flits = 0;
  };
  struct Queue {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::deque<Grant> recent;  // behind the last snapshot
  };
  std::vector<Queue> queues_;
};

// The longest wait of a head of each queue, as the port takes it with a snapshot: the most cycles
// in which one head stood, was not stopped and did not win.
class LongestWaits {
 public:
  explicit LongestWaits(int queues) : queues_(static_cast<std::size_t>(queues)) {}

  void start_over() {
    queues_.assign(queues_.size(), {});
    spans_.clear();
  }
  /// In the cycles from `begin` to before `end` these were the heads, and `winner`, if any, won.
  void passed(Cycle begin, Cycle end, Heads heads, int winner) {
    Span span{.begin = begin, .end = end};
    for (std::size_t q = 0; q < heads.size(); ++q) {
      const bool wins = std::cmp_equal(q, winner);
      span.waiting |= heads[q].active() && !wins ? 1U << q : 0;
      span.ended |= heads[q].flits == 0 || wins ? 1U << q : 0;
    }
    if (begin < end) {
      spans_.push_back(span);
    }
  }
  /// A snapshot was taken of the cycles before `end`.
  void snapshot(Cycle end) {
    while (!spans_.empty() && spans_.front().begin < end) {
      Span& span = spans_.front();
      const Cycle until = std::min(span.end, end);
      for (std::size_t q = 0; q < queues_.size(); ++q) {
        Queue& queue = queues_[q];
        queue.wait += (span.waiting >> q & 1U) != 0 ? until - span.begin : 0;
        queue.longest = std::max(queue.longest, queue.wait);
        queue.wait = (span.ended >> q & 1U) != 0 ? 0 : queue.wait;
      }
      span.begin = until;
      if (until == span.end) {
        spans_.pop_front();
      }
    }
    for (Queue& queue : queues_) {
      queue.taken = queue.longest;
      queue.longest = queue.wait;
    }
  }
  [[nodiscard]] std::uint32_t value(int queue) const {
    return static_cast<std::uint32_t>(queues_[static_cast<std::size_t>(queue)].taken);
  }

 private:
  struct Span {
    Cycle begin = 0;
    Cycle end = 0;
    std::uint32_t waiting = 0;  // a bit for each queue
    std::uint32_t ended = 0;    // no head, or not for longer
  };
  struct Queue {
    Cycle wait = 0;  // of the head that stands
    Cycle longest = 0;
    Cycle taken = 0;
  };
  std::vector<Queue> queues_;
  std::deque<Span> spans_;  // behind the last snapshot
};

// A port from a reset on.
class Life {
 public:
  Life(Random& random, const CampaignOptions& options, const PortBuild& build,
       CampaignResult& result)
      : random_(random),
        options_(options),
        result_(result),
        limits_(build.limits),
        age_clock_period_(random.chance(80) ? random.spread(1U, 40U)
                                            : random.spread(41U, 1'000'000U)),
        config_(with_period(first_config(random, options, build.limits))),
        recorder_(config_),
        counters_(config_.queues),
        waits_(config_.queues) {
    for (const PolicyRef policy : options.policies) {
      if (rtl_of(policy).built_in(limits_) && random_of(policy).can_have(config_.queues, limits_)) {
        policies_.push_back(policy);
        clocked_always_ = clocked_always_ || rtl_of(policy).clocked_in_every_cycle();
        chip_clock_ = chip_clock_ || policy->shares_chip_clock();
      }
    }
    if (chip_clock_) {
      clock_ = std::make_shared<AgeClock>(age_clock_period_);
      chip_ = std::make_shared<RtlAgeChip>("chip", nullptr, options.plusargs);
      chip_->set_period(age_clock_period_, 0);
    }
    auto rtl = std::make_unique<RtlArbiter>(
        config_, kLonePort,
        RtlArbiter::Options{.age_chip = chip_, .plusargs = options.plusargs, .build = &build});
    rtl_ = rtl.get();
    auto both = std::make_unique<LockstepArbiter>(reference(), std::move(rtl), kLonePort);
    lockstep_ = both.get();
    port_ = std::make_unique<Port>(config_.queues, std::move(both));
    port_->observe(&recorder_);
    tables_ = rtl_->tables_applied();
  }

  void run(std::uint64_t decisions) {
    RandomTraffic traffic(random_, config_, clocked_always_,
                          options_.lying ? longest_shown(limits_) : 0);
    if (options_.busy_percent != 0 && random_.chance(options_.busy_percent)) {
      traffic.be_busy();
    }
    try {
      for (std::uint64_t i = 0; i < decisions; ++i) {
        now_ = traffic.next_cycle();
        reach(now_);
        if (options_.disturbed) {
          disturb();
        }
        traffic.happen(*port_, draining_);
        if (rtl_->latency() != 0 && rtl_->applies_table()) {
          traffic.sent({});
          continue;
        }
        heads_.assign(port_->heads().begin(), port_->heads().end());
        const Decision decision = port_->arbitrate(now_).decision;
        counters_.granted(now_ + rtl_->latency(), decision);
        if (rtl_->latency() == 0) {
          won_ = {now_, decision.queue};
          stands(now_ + 1, heads_);
        } else {
          stands(now_ + 1, heads_);
          won_ = {now_ + 1, decision.queue};
        }
        ++result_.decisions;
        if (decision.queue >= 0) {
          ++result_.grants;
          result_.zero += decision.flits == 0 ? 1 : 0;
          result_.too_long += is_too_long(decision.queue, decision.flits) ? 1 : 0;
        }
        result_.contested +=
            decision.queue >= 0 && recorder_.active_queues() > 1 && is_wanted() ? 1 : 0;
        traffic.sent(decision);
      }
      reach(++now_);
      if (rtl_->latency() == 0) {
        lockstep_->check_state(now_, port_->heads());
      }
    } catch (const Mismatch& mismatch) {
      throw with_reproducer(mismatch, options_.reproducer, recorder_.logs(),
                            fmt::format("randomized lockstep, {}, seed {}, after {} decisions",
                                        config_.policy.name(), options_.seed, result_.decisions),
                            options_.plusargs);
    }
  }

 private:
  static ArbiterConfig first_config(Random& random, const CampaignOptions& options,
                                    const RtlLimits& limits) {
    std::vector<PolicyRef> built_in;
    for (const PolicyRef policy : options.policies) {
      if (rtl_of(policy).built_in(limits)) {
        built_in.push_back(policy);
      }
    }
    return random_config(random, random.one_of(built_in), limits);
  }

  // For what is wrong without a decision that differs. Errors: Mismatch.
  void insist(bool holds, const std::string& otherwise) const {
    if (!holds) {
      throw Mismatch(now_, kLonePort,
                     fmt::format("mismatch in cycle {} at port: {}", now_, otherwise));
    }
  }

  // Of the config in force. The age clock outlives a commit: packets are under way.
  std::unique_ptr<Arbiter> reference() {
    return config_.policy->shares_chip_clock() ? config_.policy->make_reference(config_, clock_)
                                               : make_reference(config_);
  }

  // The chip's clock goes on as it is.
  [[nodiscard]] ArbiterConfig with_period(ArbiterConfig config) const {
    if (auto* seastar = config.parameters.get_if<SeastarConfig>()) {
      seastar->age_clock_period = age_clock_period_;
    }
    return config;
  }

  [[nodiscard]] bool is_too_long(int queue, std::uint32_t flits) const {
    return flits > max_packet_flits(config_, queue);
  }
  [[nodiscard]] std::size_t too_long_heads() const {
    std::size_t count = 0;
    for (int queue = 0; const Head& head : port_->heads()) {
      count += is_too_long(queue, head.flits) ? 1 : 0;
      ++queue;
    }
    return count;
  }

  void start_over(const ArbiterConfig& config) {
    const std::size_t before = too_long_heads();
    config_ = config;
    result_.lowered += too_long_heads() > before ? 1 : 0;
    lockstep_->restart(reference());
    lockstep_->advance(now_, port_->heads());
  }

  // All cycles before `now` end, and what their end tells is looked at.
  void reach(Cycle now) {
    stands(now, port_->heads());
    port_->reach(now);
    if (clock_ != nullptr) {
      clock_->advance(now);
    }
    if (rtl_->tables_applied() != tables_) {
      tables_ = rtl_->tables_applied();
      insist(next_.has_value(),
             fmt::format("a commit that must be refused for reason {} took effect",
                         refusal_.value_or(0)));
      ++result_.commits;
      result_.changes += next_->policy != config_.policy ? 1 : 0;
      recorder_.commit(now_, *next_);
      start_over(*next_);
      next_.reset();
      draining_ = false;
    }
    for (const auto& [cycle, offset, value] : rtl_->take_reads()) {
      if (offset == QOSARB_PORT_STATUS_OFFSET) {
        check_refusal(value);
      } else {
        check_counter(cycle, offset, value);
      }
    }
  }

  // In the cycles up to `end` that are not counted yet these were the heads. The winner is told in
  // one of them or, with Latency 1, in the first cycle behind those of the decision: its head
  // stands in that cycle, too, as the packet that leaves.
  void stands(Cycle end, Heads heads) {
    if (counted_ < end && won_.cycle == counted_) {
      waits_.passed(counted_, counted_ + 1, heads, won_.queue);
      ++counted_;
    }
    waits_.passed(counted_, end, heads, -1);
    counted_ = std::max(counted_, end);
  }

  void check_refusal(std::uint32_t status) {
    insist(refusal_.has_value() &&
               QOSARB_PORT_STATUS_OUTCOME_GET(status) == QOSARB_PORT_STATUS_OUTCOME_REFUSED &&
               QOSARB_PORT_STATUS_REASON_GET(status) == *refusal_,
           fmt::format("a commit that must be refused for reason {} ends with STATUS {:#x}",
                       refusal_.value_or(0), status));
    refusal_.reset();
    ++result_.refused;
  }

  void check_counter(Cycle cycle, std::uint32_t offset, std::uint32_t value) {
    for (int queue = 0; queue < config_.queues; ++queue) {
      const auto q = static_cast<std::uint32_t>(queue);
      for (const bool flits : {false, true}) {
        if (offset == (flits ? QOSARB_PORT_FLITS_OFFSET(q) : QOSARB_PORT_PACKETS_OFFSET(q))) {
          insist(value == counters_.value(queue, flits),
                 fmt::format("the counter of queue {}'s {} reads {} in cycle {}", queue,
                             flits ? "flits" : "packets", value, cycle));
          ++result_.reads;
          longest_wait_ = waits_.value(queue);
          ask_for_wait_ = random_.chance(50);
        }
      }
    }
    if (offset == QOSARB_PORT_LONGEST_WAIT_OFFSET) {
      insist(value == longest_wait_, fmt::format("the longest wait reads {} in cycle {}, not {}",
                                                 value, cycle, longest_wait_));
      ++result_.waits;
    }
  }

  // One thing at a time: a reset, or what the APB has to do.
  void disturb() {
    if (random_.once_in(6000)) {
      reset();
      return;
    }
    if (rtl_->reprogramming()) {
      return;
    }
    if (refusal_ && !next_) {
      rtl_->queue_read(QOSARB_PORT_STATUS_OFFSET);
      return;
    }
    if (snapshot_) {
      counters_.snapshot(rtl_->snapshot_cycle());
      waits_.snapshot(rtl_->snapshot_cycle());
      snapshot_ = false;
    }
    if (draining_) {
      if (!any_packet()) {
        rtl_->reprogram(*next_);
      }
    } else if (!is_wanted() || random_.once_in(1500)) {
      commit(!is_wanted() || random_.chance(70) ? random_.one_of(policies_) : config_.policy);
    } else if (random_.once_in(2000)) {
      commit_what_is_wrong();
    } else if (ask_for_wait_) {
      rtl_->queue_read(QOSARB_PORT_LONGEST_WAIT_OFFSET);
      ask_for_wait_ = false;
    } else if (random_.once_in(300)) {
      rtl_->queue_snapshot();
      snapshot_ = true;
    } else if (random_.once_in(100)) {
      const auto q = random_.from(0U, static_cast<std::uint32_t>(config_.queues) - 1);
      rtl_->queue_read(random_.chance(50) ? QOSARB_PORT_PACKETS_OFFSET(q)
                                          : QOSARB_PORT_FLITS_OFFSET(q));
    }
  }

  // After a reset the policy is round robin, which may be none of the campaign's.
  [[nodiscard]] bool is_wanted() const {
    return std::find(policies_.begin(), policies_.end(), config_.policy) != policies_.end();
  }

  void commit(PolicyRef policy) {
    next_ = with_period(random_successor(random_, policy, limits_, config_, options_.lying));
    // The age clock counts the packets of its policy, so none may wait when that comes or goes.
    if (policy->shares_chip_clock() != config_.policy->shares_chip_clock()) {
      draining_ = true;
    } else {
      rtl_->reprogram(*next_);
    }
  }

  void commit_what_is_wrong() {
    const std::vector<Refusal> all = random_of(config_.policy).refusals(random_, config_);
    if (!all.empty()) {
      const Refusal& wrong = random_.one_of(all);
      refusal_ = wrong.reason;
      rtl_->reprogram(wrong.config);
    }
  }

  // The port starts over as round robin, whatever it was about to do. Its queues stay as they are.
  void reset() {
    rtl_->reset();
    ++result_.resets;
    next_.reset();
    refusal_.reset();
    draining_ = false;
    counters_.start_over();
    waits_.start_over();
    won_ = {};
    longest_wait_ = 0;
    ask_for_wait_ = false;
    snapshot_ = false;
    ArbiterConfig config;
    config.queues = config_.queues;
    config.max_packet_flits = config_.max_packet_flits;
    recorder_.reset(now_, config);
    start_over(config);
  }

  [[nodiscard]] bool any_packet() const {
    return std::any_of(port_->heads().begin(), port_->heads().end(),
                       [](const Head& head) { return head.flits != 0; });
  }

  Random& random_;
  const CampaignOptions& options_;
  CampaignResult& result_;
  RtlLimits limits_;
  std::uint32_t age_clock_period_;
  ArbiterConfig config_;  // in force
  Recorder recorder_;
  GrantCounters counters_;
  LongestWaits waits_;
  std::vector<Head> heads_;  // of the decision
  Cycle counted_ = 0;        // the cycle up to which waits_ knows the heads
  struct Won {
    Cycle cycle = 0;  // in which it is told
    int queue = -1;
  };
  Won won_;
  std::uint32_t longest_wait_ = 0;  // that of the queue whose counter was read last
  bool ask_for_wait_ = false;
  std::vector<PolicyRef> policies_;  // that the port can have
  bool clocked_always_ = false;
  bool chip_clock_ = false;
  std::shared_ptr<AgeClock> clock_;
  std::shared_ptr<RtlAgeChip> chip_;
  RtlArbiter* rtl_ = nullptr;
  LockstepArbiter* lockstep_ = nullptr;
  std::unique_ptr<Port> port_;
  Cycle now_ = 0;
  std::uint64_t tables_ = 0;
  std::optional<ArbiterConfig> next_;     // of the commit that is on its way
  std::optional<std::uint32_t> refusal_;  // the reason that a commit must be refused for
  bool snapshot_ = false;                 // one is on its way
  bool draining_ = false;                 // before that commit
};

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> figures(const CampaignResult& result) {
  return {{"decisions", result.decisions},
          {"grants", result.grants},
          {"contested", result.contested},
          {"lives", result.lives},
          {"commits", result.commits},
          {"policy_changes", result.changes},
          {"refused_commits", result.refused},
          {"resets", result.resets},
          {"reads", result.reads},
          {"longest_waits", result.waits},
          {"too_long_heads", result.too_long},
          {"zero_flit_heads", result.zero},
          {"lowering_commits", result.lowered}};
}

void run_campaign(const CampaignOptions& options, CampaignResult& result) {
  Random random(options.seed);
  const std::span<const PortBuild> all = options.builds.empty() ? port_builds() : options.builds;
  std::vector<const PortBuild*> builds;
  for (const PortBuild& build : all) {
    if (std::any_of(options.policies.begin(), options.policies.end(),
                    [&build](PolicyRef policy) { return rtl_of(policy).built_in(build.limits); })) {
      builds.push_back(&build);
    }
  }
  if (builds.empty()) {
    throw std::invalid_argument("no build of the RTL has one of the campaign's policies");
  }
  while (result.decisions < options.decisions || result.contested < options.contested) {
    // Long turns need long lives.
    const std::uint64_t longest = random.chance(5) ? 40'000 : 4'000;
    const std::uint64_t length = random.within(1, longest);
    Life life(random, options, options.builds.empty() ? *builds.front() : *random.one_of(builds),
              result);
    life.run(result.decisions < options.decisions
                 ? std::min(options.decisions - result.decisions, length)
                 : length);
    ++result.lives;
  }
}

}  // namespace qosarb::test
