#include "qosarb/policy/trtcm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace qosarb {

TokenBucket::TokenBucket(std::uint32_t rate, std::uint64_t burst)
    : rate_(rate), size_(rate == 0 ? 0 : burst << 16), level_(size_) {}

void TokenBucket::fill(Cycle cycles) {
  if (rate_ == 0) {
    return;
  }
  // The quotient is only needed where the product could overflow.
  constexpr Cycle kProductFits = Cycle{1} << 31;
  if (cycles >= kProductFits && cycles > (size_ - level_) / rate_) {
    level_ = size_;
  } else {
    level_ = std::min(size_, level_ + cycles * rate_);
  }
}

Cycle TokenBucket::cycles_short_of(std::uint32_t flits, Cycle cycles) const {
  const std::uint64_t need = tokens(flits);
  if (level_ >= need) {
    return 0;
  }
  if (cycles == 1 || size_ < need) {
    return cycles;
  }
  return std::min(cycles, (need - level_ + rate_ - 1) / rate_);
}

TwoRateArbiter::TwoRateArbiter(const TrtcmConfig& config)
    : by_priority_(config.classes.size()),
      last_red_(static_cast<int>(config.classes.size()) - 1),
      stalls_(config.classes.size()) {
  for (const TrtcmConfig::Class& c : config.classes) {
    classes_.push_back({{c.assured_rate, c.assured_burst}, {c.peak_rate, c.peak_burst}});
  }
  std::iota(by_priority_.begin(), by_priority_.end(), 0);
  std::sort(by_priority_.begin(), by_priority_.end(), [&config](int a, int b) {
    return config.classes[static_cast<std::size_t>(a)].priority <
           config.classes[static_cast<std::size_t>(b)].priority;
  });
}

void TwoRateArbiter::advance(Cycle now, Heads heads) {
  // The cycle of a decision already has its stalls counted, but not its fill.
  const Cycle decided = counted_ - now_;
  if (now > now_ && decided > 0) {
    for (Class& c : classes_) {
      c.assured.fill(decided);
      c.peak.fill(decided);
    }
    now_ += decided;
  }
  if (now > now_) {
    count_stalls(heads, now - now_, -1);
    for (Class& c : classes_) {
      c.assured.fill(now - now_);
      c.peak.fill(now - now_);
    }
    now_ = now;
    counted_ = now;
  }
}

TwoRateArbiter::Colour TwoRateArbiter::colour(int queue, std::uint32_t flits) const {
  const Class& c = classes_[static_cast<std::size_t>(queue)];
  if (!c.peak.holds(flits)) {
    return Colour::Red;
  }
  return c.assured.holds(flits) ? Colour::Green : Colour::Yellow;
}

Decision TwoRateArbiter::decide(Cycle now, Heads heads) {
  advance(now, heads);
  int green = -1;
  int yellow = -1;
  int red = -1;
  for (const int queue : by_priority_) {
    const Head& head = heads[static_cast<std::size_t>(queue)];
    if (head.active()) {
      const Colour c = colour(queue, head.flits);
      if (c == Colour::Green && green < 0) {
        green = queue;
      } else if (c == Colour::Yellow && yellow < 0) {
        yellow = queue;
      }
    }
  }
  const int queues = static_cast<int>(heads.size());
  for (int i = 1; green < 0 && yellow < 0 && red < 0 && i <= queues; ++i) {
    const int queue = (last_red_ + i) % queues;
    red = heads[static_cast<std::size_t>(queue)].active() ? queue : -1;
  }
  const int winner = green >= 0 ? green : yellow >= 0 ? yellow : red;
  count_stalls(heads, 1, winner);
  counted_ = now + 1;
  if (winner < 0) {
    return {};
  }
  const Head& head = heads[static_cast<std::size_t>(winner)];
  Class& paying = classes_[static_cast<std::size_t>(winner)];
  if (winner == green) {
    paying.assured.pay(head.flits);
    paying.peak.pay(head.flits);
  } else if (winner == yellow) {
    paying.peak.pay(head.flits);
  } else {
    last_red_ = winner;
  }
  return {winner, head.flits, head.age};
}

void TwoRateArbiter::count_stalls(Heads heads, Cycle cycles, int winner) {
  for (std::size_t q = 0; q < heads.size(); ++q) {
    if (heads[q].active() && static_cast<int>(q) != winner) {
      // First the head is red, then yellow until the assured bucket holds it too, then green.
      const Cycle red = classes_[q].peak.cycles_short_of(heads[q].flits, cycles);
      const Cycle not_green =
          std::max(red, classes_[q].assured.cycles_short_of(heads[q].flits, cycles));
      stalls_[q].red += red;
      stalls_[q].yellow += not_green - red;
      stalls_[q].green += cycles - not_green;
    }
  }
}

std::uint64_t TwoRateArbiter::assured_tokens(int queue) const {
  return classes_[static_cast<std::size_t>(queue)].assured.level();
}

std::uint64_t TwoRateArbiter::peak_tokens(int queue) const {
  return classes_[static_cast<std::size_t>(queue)].peak.level();
}

std::string TwoRateArbiter::describe() const {
  std::string text =
      fmt::format("cycle={} last_red={} tokens(assured/peak, 1/65536 flits)=[", now_, last_red_);
  for (std::size_t q = 0; q < classes_.size(); ++q) {
    text += fmt::format("{}{}/{}", q == 0 ? "" : " ", classes_[q].assured.level(),
                        classes_[q].peak.level());
  }
  return text + "]";
}

bool TwoRateArbiter::append_state(std::vector<std::uint64_t>& numbers) const {
  numbers.push_back(static_cast<std::uint64_t>(last_red_));
  numbers.push_back(counted_ - now_);
  for (const Class& c : classes_) {
    numbers.push_back(c.assured.level());
    numbers.push_back(c.peak.level());
  }
  return true;
}

}  // namespace qosarb
