#include "qosarb/policy/age_clock.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace qosarb {

void AgeClock::advance(Cycle now) {
  if (now < now_) {
    throw std::logic_error(
        fmt::format("age clock: cycle {} has passed, it is cycle {}", now, now_));
  }
  if (now > now_) {
    tick(1, at_start_);  // the present cycle
    tick(now - now_ - 1, count_);
    at_start_ = count_;
    now_ = now;
  }
}

// Procedure 3 for `cycles` cycles that all begin with `counts`, in leaps to the cycles in which
// more than the countdown changes.
void AgeClock::tick(Cycle cycles, const Counts& counts) {
  const auto others_wait = [&] { return counts[epoch_ ? 0 : 1] > 0; };
  while (cycles > 0) {
    if (inhibit_) {
      if (others_wait()) {
        return;
      }
      inhibit_ = false;
      cycles -= 1;
    } else if (counts[0] == 0 && counts[1] == 0 && cycles >= Cycle{512} * period_) {
      cycles %= Cycle{512} * period_;  // an empty chip is back where it was after two epochs
    } else if (cycles < countdown_) {
      countdown_ -= static_cast<std::uint32_t>(cycles);
      return;
    } else {
      cycles -= countdown_;
      countdown_ = period_;
      if (timestamp_ < 255) {
        ++timestamp_;
      } else if (others_wait()) {
        inhibit_ = true;
      } else {
        timestamp_ = 0;
        epoch_ = !epoch_;
      }
    }
  }
}

AgeStamp AgeClock::arrive(std::uint8_t age) {
  ++count_[epoch_ ? 1 : 0];
  AgeStamp stamp{.epoch = epoch_};
  stamp.field = (age - timestamp_) & 0x1FF;
  return stamp;
}

void AgeClock::leave(bool in_epoch) {
  if (!stands_for_another_) {
    --count_[in_epoch ? 1 : 0];
  }
}

std::string AgeClock::describe() const {
  const std::string seen =
      fmt::format("timestamp={} epoch={} inhibit={}", timestamp_, epoch_ ? 1 : 0, inhibit_);
  return stands_for_another_ ? seen
                             : fmt::format("{} countdown={} packet_count=[{} {}]", seen, countdown_,
                                           count_[0], count_[1]);
}

void AgeClock::append_state(std::vector<std::uint64_t>& numbers) const {
  const std::array<std::uint64_t, 8> state = {timestamp_,   epoch_ ? 1U : 0U, inhibit_ ? 1U : 0U,
                                              countdown_,   count_[0],        count_[1],
                                              at_start_[0], at_start_[1]};
  numbers.insert(numbers.end(), state.begin(), state.end());
}

}  // namespace qosarb
