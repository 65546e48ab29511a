#include "qosarb/policy/seastar_age.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace qosarb {

namespace {

/// The queue after `queue`, circularly.
int next(int queue, Heads heads) {
  return queue + 1 == static_cast<int>(heads.size()) ? 0 : queue + 1;
}

}  // namespace

std::uint8_t new_age(AgeStamp stamp, std::uint8_t timestamp, bool epoch, Variant variant) {
  const bool rollover = stamp.epoch != epoch;
  const unsigned sum = stamp.field + (rollover ? 256U : 0U) + timestamp;  // ten bits
  const bool sum8 = (sum & 0x100U) != 0;
  const bool sum9 = (sum & 0x200U) != 0;
  const bool field8 = (stamp.field & 0x100U) != 0;
  const bool overflow = sum8 || (sum9 && (variant == Variant::Printed ? field8 : !field8));
  return static_cast<std::uint8_t>(overflow ? 255U : sum & 0xFFU);
}

AgeBasedArbiter::AgeBasedArbiter(const SeastarConfig& config, int queues, Variant variant,
                                 std::shared_ptr<AgeClock> clock)
    : config_(config),
      variant_(variant),
      clock_(std::move(clock)),
      last_rr_(queues - 1),
      last_age_(queues - 1) {
  const auto vcs = static_cast<std::size_t>(config.vcs);
  counters_.blocked_cycles.resize(vcs);
  counters_.packets.resize(vcs);
  counters_.flits.resize(vcs);
}

void AgeBasedArbiter::advance(Cycle now, Heads heads) {
  if (now > counted_) {
    count_waiting(heads, now - counted_);
    counted_ = now;
  }
  clock_->advance(now);
}

// Procedure 1.
AgeStamp AgeBasedArbiter::arrive(Cycle now, int queue, std::uint8_t age) {
  clock_->advance(now);
  const auto port = static_cast<std::size_t>(queue / config_.vcs);
  const bool request = queue % config_.vcs < config_.vcs / 2;
  const unsigned bias = request ? config_.req_age_bias[port] : config_.rsp_age_bias[port];
  const auto biased = static_cast<std::uint8_t>(std::min(age + bias, 255U));
  const AgeStamp stamp = clock_->arrive(biased);
  narrated(narrator_, [&](const auto& tell) {
    tell("queue {}: age {} + bias {} = {}; field {} at timestamp {}, in_epoch {}", queue, age, bias,
         biased, stamp.field, clock_->timestamp(), int{stamp.epoch});
  });
  return stamp;
}

Decision AgeBasedArbiter::decide(Cycle now, Heads heads) {
  clock_->advance(now);
  count_waiting(heads, 1);
  counted_ = now + 1;
  return narrated(narrator_, [this, heads](const auto& tell) { return choose(heads, tell); });
}

Decision AgeBasedArbiter::choose(Heads heads, const auto& tell) {
  const bool by_age = !clock_->inhibit() && ((config_.age_rr_select >> grants_) & 1U) != 0;
  tell("timestamp {}, epoch {}{}; grant counter {}: {}", clock_->timestamp(), int{clock_->epoch()},
       clock_->inhibit() ? ", age-based choice inhibited" : "", grants_,
       by_age ? "by age" : "round robin");
  int winner = -1;
  if (by_age) {
    winner = oldest(heads, tell);
  } else {
    winner = clock_->inhibit() ? round_robin(heads, true, tell) : -1;
    winner = winner >= 0 ? winner : round_robin(heads, false, tell);
  }
  if (winner < 0) {
    tell("no queue is active: nothing changes");
    return {};
  }
  (by_age ? last_age_ : last_rr_) = winner;
  grants_ = (grants_ + 1) % 64;

  const Head& head = heads[static_cast<std::size_t>(winner)];
  const std::uint8_t age = age_of(head);
  clock_->leave(head.stamp.epoch);
  const auto vc = static_cast<std::size_t>(winner % config_.vcs);
  counters_.packets[vc] += 1;
  counters_.flits[vc] += head.flits;
  counters_.age_groups[age / 64U] += 1;
  tell("queue {} wins and leaves with age {}; packet_count[{}] -> {}", winner, age,
       int{head.stamp.epoch}, clock_->packet_count(head.stamp.epoch));
  return {winner, head.flits, age};
}

// Ties go to the first after the age pointer.
int AgeBasedArbiter::oldest(Heads heads, const auto& tell) const {
  int best = -1;
  int best_age = -1;
  int queue = last_age_;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    queue = next(queue, heads);
    const Head& head = heads[static_cast<std::size_t>(queue)];
    if (head.active()) {
      const int age = age_of(head);
      tell("queue {} ({}): field {}, in_epoch {}{}: new age {}{}", queue, HeadInWords{head},
           head.stamp.field, int{head.stamp.epoch},
           head.stamp.epoch != clock_->epoch() ? " (rollover)" : "", age,
           age > best_age ? ", the oldest so far" : "");
      if (age > best_age) {
        best = queue;
        best_age = age;
      }
    } else {
      tell("queue {} ({}): passed over", queue, HeadInWords{head});
    }
  }
  return best;
}

int AgeBasedArbiter::round_robin(Heads heads, bool other_epoch_only, const auto& tell) const {
  int queue = last_rr_;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    queue = next(queue, heads);
    const Head& head = heads[static_cast<std::size_t>(queue)];
    if (head.active() && (!other_epoch_only || head.stamp.epoch != clock_->epoch())) {
      tell("queue {} ({}): the next one of round robin", queue, HeadInWords{head});
      return queue;
    }
    tell("queue {} ({}): passed over{}", queue, HeadInWords{head},
         head.active() ? ", its head is of the present epoch" : "");
  }
  if (other_epoch_only) {
    tell("no active queue has a head of the other epoch: round robin among all");
  }
  return -1;
}

std::uint8_t AgeBasedArbiter::age_of(const Head& head) const {
  return new_age(head.stamp, clock_->timestamp(), clock_->epoch(), variant_);
}

void AgeBasedArbiter::count_waiting(Heads heads, Cycle cycles) {
  if (std::none_of(heads.begin(), heads.end(), [](const Head& head) { return head.stopped; })) {
    return;
  }
  const auto vcs = static_cast<std::size_t>(config_.vcs);
  bool waiting = false;
  bool all_stopped = true;
  for (std::size_t vc = 0; vc < vcs; ++vc) {
    bool blocked = false;
    for (std::size_t q = vc; q < heads.size(); q += vcs) {
      if (heads[q].flits != 0) {
        waiting = true;
        blocked = blocked || heads[q].stopped;
        all_stopped = all_stopped && heads[q].stopped;
      }
    }
    counters_.blocked_cycles[vc] += blocked ? cycles : 0;
  }
  counters_.stalled_cycles += waiting && all_stopped ? cycles : 0;
}

std::string AgeBasedArbiter::describe() const {
  return fmt::format("{} last_rr={} last_age={} grants={}", clock_->describe(), last_rr_, last_age_,
                     grants_);
}

bool AgeBasedArbiter::append_state(std::vector<std::uint64_t>& numbers) const {
  clock_->append_state(numbers);
  numbers.push_back(static_cast<std::uint64_t>(last_rr_));
  numbers.push_back(static_cast<std::uint64_t>(last_age_));
  numbers.push_back(grants_);
  return true;
}

std::unique_ptr<Arbiter> AgeBasedArbiter::clone() const {
  auto copy = copy_of(*this);
  copy->clock_ = std::make_shared<AgeClock>(*clock_);
  return copy;
}

std::unique_ptr<Arbiter> make_seastar(const ArbiterConfig& config,
                                      std::shared_ptr<AgeClock> clock) {
  return std::make_unique<AgeBasedArbiter>(std::get<SeastarConfig>(config.parameters),
                                           config.queues, config.variant, std::move(clock));
}

}  // namespace qosarb
