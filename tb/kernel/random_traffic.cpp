#include "kernel/random_traffic.hpp"

#include <algorithm>
#include <array>

namespace qosarb::test {

RandomTraffic::RandomTraffic(Random& random, const ArbiterConfig& config, bool each_cycle_clocked,
                             std::uint32_t longest_shown)
    : random_(random),
      each_cycle_clocked_(each_cycle_clocked),
      longest_shown_(longest_shown),
      lie_percent_(longest_shown == 0 ? 0 : random.one_of(std::array{0U, 0U, 2U, 30U})),
      sizes_(random.one_of(
          std::array{Sizes::AllOne, Sizes::AllLongest, Sizes::Bimodal, Sizes::Uniform})),
      pace_(random.one_of(std::array{Pace::EveryCycle, Pace::EveryCycle, Pace::RandomGaps,
                                     Pace::LinkRate, Pace::LongGaps})),
      arrival_percent_(random.one_of(std::array{3U, 10U, 30U, 100U})),
      stop_percent_(random.one_of(std::array{0U, 1U, 5U, 30U})),
      start_percent_(random.one_of(std::array{5U, 30U, 90U})),
      freeze_percent_(random.one_of(std::array{0U, 0U, 1U, 5U})) {
  for (Index queue = 0; queue < config.queues; ++queue) {
    longest_.push_back(max_packet_flits(config, queue));
  }
}

void RandomTraffic::be_busy() {
  pace_ = Pace::EveryCycle;
  arrival_percent_ = 100;
  stop_percent_ = std::min<std::uint64_t>(stop_percent_, 5);
  start_percent_ = std::max<std::uint64_t>(start_percent_, 30);
}

Cycle RandomTraffic::next_cycle() {
  if (!begun_) {
    begun_ = true;
    return now_;
  }
  switch (pace_) {
    case Pace::EveryCycle:
      ++now_;
      break;
    case Pace::RandomGaps:
      now_ += random_.within(1, 4);
      break;
    case Pace::LinkRate:
      now_ = std::max(now_ + 1, link_free_);
      break;
    case Pace::LongGaps:
      if (!each_cycle_clocked_) {
        now_ += random_.spread<Cycle>(1, 100'000);
      } else {
        now_ += random_.once_in(40) ? random_.spread<Cycle>(1, 2'000) : random_.within(1, 4);
      }
      break;
  }
  return now_;
}

void RandomTraffic::happen_at(Cycle now, Port& port, bool drain) {
  const bool freeze = random_.chance(freeze_percent_) && !drain;
  for (Index queue = 0; const Head& head : port.heads()) {
    constexpr std::size_t kBacklog = 6;
    if (!drain && port.packets(queue) < kBacklog && random_.chance(arrival_percent_)) {
      const std::uint64_t burst = random_.chance(20) ? random_.within(2, 5) : 1;
      for (std::uint64_t i = 0; i < burst; ++i) {
        // One draw a statement: of arguments, each compiler has its own order.
        const auto age = random_.from<std::uint8_t>(0, 255);
        port.arrive(now, queue, size(queue), age);
      }
    }
    if (head.stopped ? drain || (random_.chance(start_percent_) && !freeze)
                     : freeze || (!drain && random_.chance(stop_percent_))) {
      port.stop(now, queue, !head.stopped);
    }
    ++queue;
  }
}

void RandomTraffic::sent(const Decision& decision) { link_free_ = now_ + decision.flits; }

std::uint32_t RandomTraffic::size(Index queue) {
  const std::uint32_t longest = longest_[queue];
  if (lie_percent_ != 0 && random_.chance(lie_percent_)) {
    return longest < longest_shown_ && random_.chance(50)
               ? random_.spread(longest + 1, longest_shown_)
               : 0;
  }
  switch (sizes_) {
    case Sizes::AllOne:
      return 1;
    case Sizes::AllLongest:
      return longest;
    case Sizes::Bimodal:
      return random_.chance(50) ? 1 : longest;
    case Sizes::Uniform:
      return random_.from(1U, longest);
  }
  return 1;  // not reached: every mix is named above
}

}  // namespace qosarb::test
