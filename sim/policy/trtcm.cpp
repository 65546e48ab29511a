#include "qosarb/policy/trtcm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>

#include "qosarb/config/fixed_point.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb {

TokenBucket::TokenBucket(std::uint32_t rate, std::uint64_t burst)
    : rate_(rate), size_(rate == 0 ? 0 : burst << 16), level_(size_) {}

namespace {

// Below it the tokens of that many cycles fit 64 bits, and no quotient is needed.
constexpr Cycle kProductFits = Cycle{1} << 31;

}  // namespace

void TokenBucket::fill(Cycle cycles) {
  if (rate_ == 0) {
    return;
  }
  if (cycles >= kProductFits && cycles > (size_ - level_) / rate_) {
    level_ = size_;
  } else {
    level_ = std::min(size_, level_ + cycles * rate_);
  }
}

Cycle TokenBucket::cycles_short_of(std::uint32_t flits, bool too_long, Cycle cycles) const {
  const std::uint64_t need = too_long && size_ > 0 ? std::min(size_, tokens(flits)) : tokens(flits);
  if (level_ >= need || cycles == 0) {
    return 0;
  }
  if (size_ < need || (cycles < kProductFits && level_ + (cycles - 1) * rate_ < need)) {
    return cycles;
  }
  return std::min(cycles, (need - level_ + rate_ - 1) / rate_);
}

namespace {

double in_flits(std::uint64_t tokens) { return static_cast<double>(tokens) / 65536; }

const char* name_of(TwoRateArbiter::Colour colour) {
  return colour == TwoRateArbiter::Colour::Green    ? "green"
         : colour == TwoRateArbiter::Colour::Yellow ? "yellow"
                                                    : "red";
}

}  // namespace

TwoRateArbiter::TwoRateArbiter(const TrtcmConfig& config, std::uint32_t max_packet_flits)
    : max_packet_flits_(max_packet_flits),
      by_priority_(config.classes.size()),
      last_red_(count(config.classes) - 1),
      stalls_(config.classes.size()) {
  for (const TrtcmConfig::Class& c : config.classes) {
    classes_.push_back({{c.assured_rate, c.assured_burst}, {c.peak_rate, c.peak_burst}});
  }
  std::iota(by_priority_.begin(), by_priority_.end(), 0);
  std::sort(by_priority_.begin(), by_priority_.end(), [&config](int a, int b) {
    return config.classes[a].priority < config.classes[b].priority;
  });
}

void TwoRateArbiter::advance(Cycle now, Heads heads) {
  if (now <= now_) {
    return;
  }
  // The cycle of a decision already has its stalls counted, but not its fill.
  const Cycle decided = counted_ - now_;
  const Cycle uncounted = now - counted_;
  for (std::size_t q = 0; q < classes_.size(); ++q) {
    if (uncounted > 0 && heads[q].active()) {
      classes_[q].fill(decided);
      count_stalls(q, heads[q].flits, uncounted);
      classes_[q].fill(uncounted);
    } else {
      classes_[q].fill(now - now_);
    }
  }
  now_ = now;
  counted_ = now;
}

TwoRateArbiter::Colour TwoRateArbiter::colour(Index queue, std::uint32_t flits) const {
  const Class& c = classes_[queue];
  if (!c.peak.fits(flits, too_long(flits))) {
    return Colour::Red;
  }
  return c.assured.fits(flits, too_long(flits)) ? Colour::Green : Colour::Yellow;
}

Decision TwoRateArbiter::decide(Cycle now, Heads heads) {
  advance(now, heads);
  counted_ = now + 1;
  return narrated(narrator_, [this, heads](const auto& tell) { return choose(heads, tell); });
}

Decision TwoRateArbiter::choose(Heads heads, const auto& tell) {
  int green = -1;
  int yellow = -1;
  int red = -1;
  for (const Index queue : by_priority_) {
    const Head& head = heads[queue];
    if (head.active()) {
      const Colour c = colour(queue, head.flits);
      tell("queue {} ({}): peak bucket {:.5f}, assured bucket {:.5f}: {}", queue, HeadInWords{head},
           in_flits(peak_tokens(queue)), in_flits(assured_tokens(queue)), name_of(c));
      stall(queue, c) += 1;  // the winner's is taken back
      if (c == Colour::Green && green < 0) {
        green = queue;
      } else if (c == Colour::Yellow && yellow < 0) {
        yellow = queue;
      }
    } else {
      tell("queue {} ({}): passed over", queue, HeadInWords{head});
    }
  }
  const int queues = count(heads);
  for (int i = 1; green < 0 && yellow < 0 && red < 0 && i <= queues; ++i) {
    const Index queue = (last_red_ + i) % queues;
    red = heads[queue].active() ? queue : -1;
    tell("round robin among red: queue {} {}", queue, red >= 0 ? "is next" : "is not active");
  }
  const int winner = green >= 0 ? green : yellow >= 0 ? yellow : red;
  if (winner < 0) {
    tell("no queue is active");
    return {};
  }
  const Head& head = heads[winner];
  Class& paying = classes_[winner];
  if (winner == green) {
    tell("queue {} is the first green one: pays {} from both buckets", winner,
         FlitsInWords{head.flits});
    stall(winner, Colour::Green) -= 1;
    paying.assured.pay(head.flits);
    paying.peak.pay(head.flits);
  } else if (winner == yellow) {
    tell("none is green; queue {} is the first yellow one: pays {} from the peak bucket", winner,
         FlitsInWords{head.flits});
    stall(winner, Colour::Yellow) -= 1;
    paying.peak.pay(head.flits);
  } else {
    tell("none is green or yellow; queue {} wins as a red one and pays nothing", winner);
    stall(winner, Colour::Red) -= 1;
    last_red_ = winner;
  }
  return {winner, head.flits, head.age};
}

std::uint64_t& TwoRateArbiter::stall(Index queue, Colour colour) {
  Stalls& stalls = stalls_[queue];
  return colour == Colour::Green    ? stalls.green
         : colour == Colour::Yellow ? stalls.yellow
                                    : stalls.red;
}

// First the head is red, then yellow until the assured bucket holds it too, then green.
void TwoRateArbiter::count_stalls(std::size_t queue, std::uint32_t flits, Cycle cycles) {
  const Class& c = classes_[queue];
  const Cycle red = c.peak.cycles_short_of(flits, too_long(flits), cycles);
  const Cycle not_green = std::max(red, c.assured.cycles_short_of(flits, too_long(flits), cycles));
  stalls_[queue].red += red;
  stalls_[queue].yellow += not_green - red;
  stalls_[queue].green += cycles - not_green;
}

void TwoRateArbiter::append_counters(std::vector<CounterValue>& counters) const {
  for (Index queue = 0; queue < count(stalls_); ++queue) {
    const Stalls& stalls = stalls_[queue];
    counters.insert(counters.end(), {{"green_stalls", queue, stalls.green},
                                     {"yellow_stalls", queue, stalls.yellow},
                                     {"red_stalls", queue, stalls.red}});
  }
}

std::uint64_t TwoRateArbiter::assured_tokens(Index queue) const {
  return classes_[queue].assured.level();
}

std::uint64_t TwoRateArbiter::peak_tokens(Index queue) const {
  return classes_[queue].peak.level();
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
  numbers.push_back(last_red_);
  numbers.push_back(counted_ - now_);
  for (const Class& c : classes_) {
    numbers.push_back(c.assured.level());
    numbers.push_back(c.peak.level());
  }
  return true;
}

namespace {

constexpr std::array<std::string_view, 1> kTrtcmKeys = {"classes"};

std::uint32_t parse_rate(ConfigReader& reader, const std::string& key) {
  reader.number(key, 0, UINT16_MAX);  // names the common faults
  const std::string text = reader.text(key);
  const auto rate = fixed_16_16(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
  if (!rate) {
    throw reader.error(key, fmt::format("{} must be a decimal number of flits per cycle", key));
  }
  return *rate;
}

std::uint64_t parse_burst(ConfigReader& reader, const std::string& key, std::uint32_t rate,
                          const ArbiterConfig& config) {
  const std::uint64_t flits =
      reader.integer_or(key, 0, kMaxQuantumFlits, std::int64_t{4} * config.max_packet_flits);
  if (config.strict && rate > 0 && flits < config.max_packet_flits) {
    throw reader.error(key, fmt::format("a bucket of {} flits does not hold a packet of {} flits "
                                        "(strict: false accepts that)",
                                        flits, config.max_packet_flits));
  }
  return flits;
}

// n/65536 has at most 16 decimal places, so the text is exact.
std::string rate_to_yaml(std::uint32_t rate) { return fmt::format("{:.16f}", rate / 65536.0); }

class TrtcmPolicy final : public Policy {
 public:
  constexpr TrtcmPolicy()
      : Policy({.name = "trtcm",
                .paper = "dragonfly classes, Sect. III-A; RFC 2698",
                .keys = kTrtcmKeys,
                .printed_variant = false}) {}

  Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const override {
    TrtcmConfig trtcm;
    const Index queues = config.queues;
    for (const auto& item : reader.items("classes", queues, queues)) {
      TrtcmConfig::Class c;
      c.priority = item->index("priority", 0, kMaxQueues - 1);
      c.assured_rate = parse_rate(*item, "assured_rate");
      c.peak_rate = parse_rate(*item, "peak_rate");
      c.assured_burst = parse_burst(*item, "assured_burst", c.assured_rate, config);
      c.peak_burst = parse_burst(*item, "peak_burst", c.peak_rate, config);
      item->finish();
      if (c.assured_rate > c.peak_rate) {
        throw item->error("assured_rate", "the assured rate is above the peak rate");
      }
      if (std::any_of(
              trtcm.classes.begin(), trtcm.classes.end(),
              [&c](const TrtcmConfig::Class& other) { return other.priority == c.priority; })) {
        throw item->error("priority",
                          fmt::format("priority {} is given to two classes", c.priority));
      }
      trtcm.classes.push_back(c);
    }
    return trtcm;
  }

  [[nodiscard]] std::string to_yaml(const Parameters& parameters) const override {
    std::string text = "  classes:\n";
    for (const TrtcmConfig::Class& c : parameters.get<TrtcmConfig>().classes) {
      text += fmt::format(
          "    - {{priority: {}, assured_rate: {}, peak_rate: {}, assured_burst: {}, "
          "peak_burst: {}}}\n",
          c.priority, rate_to_yaml(c.assured_rate), rate_to_yaml(c.peak_rate), c.assured_burst,
          c.peak_burst);
    }
    return text;
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return std::make_unique<TwoRateArbiter>(config.parameters.get<TrtcmConfig>(),
                                            config.max_packet_flits);
  }

  std::vector<LowerableNumber> numbers(Parameters& parameters) const override {
    std::vector<LowerableNumber> numbers;
    for (TrtcmConfig::Class& c : parameters.get<TrtcmConfig>().classes) {
      numbers.emplace_back(c.assured_burst, 0);
      numbers.emplace_back(c.peak_burst, 0);
      numbers.emplace_back(c.assured_rate, 0);
      numbers.emplace_back(c.peak_rate, 0);
    }
    return numbers;
  }

  void leave_out_queues(Parameters& parameters, int first, int /*count*/) const override {
    auto& classes = parameters.get<TrtcmConfig>().classes;
    classes.erase(classes.begin() + first);
  }
};

constexpr TrtcmPolicy kTrtcmPolicy;

}  // namespace

const Policy& kTrtcm = kTrtcmPolicy;

}  // namespace qosarb
