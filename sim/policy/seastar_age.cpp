#include "qosarb/policy/seastar_age.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

/// The queue after `queue`, circularly.
int next(Index queue, Heads heads) { return queue + 1 == count(heads) ? 0 : queue + 1; }

}  // namespace

std::uint8_t new_age(AgeStamp stamp, std::uint8_t timestamp, bool epoch, Variant variant) {
  const bool rollover = stamp.epoch != epoch;
  const unsigned sum = stamp.field + (rollover ? 256U : 0U) + timestamp;  // ten bits
  const bool sum8 = (sum & 0x100U) != 0;
  const bool sum9 = (sum & 0x200U) != 0;
  const bool field8 = (stamp.field & 0x100U) != 0;
  const bool overflow = sum8 || (sum9 && (variant == Variant::Printed ? field8 : !field8));
  return overflow ? 255U : sum & 0xFFU;
}

AgeBasedArbiter::AgeBasedArbiter(const SeastarConfig& config, int queues, Variant variant,
                                 std::shared_ptr<AgeClock> clock)
    : config_(config),
      variant_(variant),
      clock_(std::move(clock)),
      last_rr_(queues - 1),
      last_age_(queues - 1) {
  const Index vcs = config.vcs;
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
AgeStamp AgeBasedArbiter::arrive(Cycle now, Index queue, std::uint8_t age) {
  clock_->advance(now);
  const Index port = queue / config_.vcs;
  const bool request = queue % config_.vcs < config_.vcs / 2;
  const unsigned bias = request ? config_.req_age_bias[port] : config_.rsp_age_bias[port];
  const std::uint8_t biased = std::min(age + bias, 255U) & 0xffU;
  const AgeStamp stamp = clock_->arrive(biased);
  narrated(narrator_, [&](const auto& tell) {
    tell("queue {}: age {} + bias {} = {}; field {} at timestamp {}, in_epoch {}", queue, age, bias,
         biased, stamp.field, clock_->timestamp(), int{stamp.epoch});
  });
  return stamp;
}

void AgeBasedArbiter::enter_elsewhere(Cycle now, std::uint32_t packets) {
  clock_->advance(now);
  for (; packets > 0; --packets) {
    clock_->arrive(0);
  }
}

void AgeBasedArbiter::leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) {
  clock_->advance(now);
  for (; packets > 0 && clock_->packet_count(epoch) > 0; --packets) {
    clock_->leave(epoch);
  }
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

  const Head& head = heads[winner];
  const std::uint8_t age = age_of(head);
  clock_->leave(head.stamp.epoch);
  const Index vc = winner % config_.vcs;
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
  Index queue = last_age_;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    queue = next(queue, heads);
    const Head& head = heads[queue];
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
  Index queue = last_rr_;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    queue = next(queue, heads);
    const Head& head = heads[queue];
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
  const Index vcs = config_.vcs;
  bool waiting = false;
  bool all_stopped = true;
  for (Index vc = 0; vc < vcs; ++vc) {
    bool blocked = false;
    for (Index q = vc; q < count(heads); q += vcs) {
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

void AgeBasedArbiter::append_counters(std::vector<CounterValue>& counters) const {
  counters.push_back({"age_stalled", 0, counters_.stalled_cycles});
  for (Index vc = 0; vc < config_.vcs; ++vc) {
    counters.insert(counters.end(), {{"vc_blocked", vc, counters_.blocked_cycles[vc]},
                                     {"vc_packets", vc, counters_.packets[vc]},
                                     {"vc_flits", vc, counters_.flits[vc]}});
  }
  for (Index group = 0; group < count(counters_.age_groups); ++group) {
    counters.push_back({"age_group", group, counters_.age_groups[group]});
  }
}

std::string AgeBasedArbiter::describe() const {
  return fmt::format("{} last_rr={} last_age={} grants={}", clock_->describe(), last_rr_, last_age_,
                     grants_);
}

bool AgeBasedArbiter::append_state(std::vector<std::uint64_t>& numbers) const {
  clock_->append_state(numbers);
  numbers.push_back(last_rr_);
  numbers.push_back(last_age_);
  numbers.push_back(grants_);
  return true;
}

std::unique_ptr<Arbiter> AgeBasedArbiter::clone() const {
  auto copy = copy_of(*this);
  copy->clock_ = std::make_shared<AgeClock>(*clock_);
  return copy;
}

namespace {

constexpr std::array<std::string_view, 5> kSeastarKeys = {"vcs", "req_age_bias", "rsp_age_bias",
                                                          "age_clock_period", "age_rr_select"};

class SeastarPolicy final : public Policy {
 public:
  constexpr SeastarPolicy()
      : Policy(
            {.name = "seastar-age", .paper = "Cray XT, Procedures 1 to 3", .keys = kSeastarKeys}) {}

  Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const override {
    SeastarConfig seastar;
    seastar.vcs = reader.index("vcs", 2, kMaxQueues);
    if (seastar.vcs % 2 != 0 || config.queues % seastar.vcs != 0) {
      throw reader.error("vcs", fmt::format("{} VCs: their number must be even and divide the {} "
                                            "queues (input ports x vcs)",
                                            seastar.vcs, config.queues));
    }
    const Index ports = config.queues / seastar.vcs;
    seastar.req_age_bias = parse_biases(reader, "req_age_bias", ports);
    seastar.rsp_age_bias = parse_biases(reader, "rsp_age_bias", ports);
    seastar.age_clock_period = reader.unsigned_32("age_clock_period", 1, UINT32_MAX);
    seastar.age_rr_select = reader.unsigned_64("age_rr_select");
    return seastar;
  }

  [[nodiscard]] std::string to_yaml(const Parameters& parameters) const override {
    const auto& seastar = parameters.get<SeastarConfig>();
    return fmt::format(
        "  vcs: {}\n  req_age_bias: [{}]\n  rsp_age_bias: [{}]\n  age_clock_period: {}\n"
        "  age_rr_select: 0x{:016x}\n",
        seastar.vcs, fmt::join(seastar.req_age_bias, ", "), fmt::join(seastar.rsp_age_bias, ", "),
        seastar.age_clock_period, seastar.age_rr_select);
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const override {
    return make_reference(config, make_chip_clock(config));
  }

  [[nodiscard]] bool shares_chip_clock() const override { return true; }

  [[nodiscard]] std::shared_ptr<AgeClock> make_chip_clock(
      const ArbiterConfig& config) const override {
    return std::make_shared<AgeClock>(config.parameters.get<SeastarConfig>().age_clock_period);
  }

  [[nodiscard]] std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config, const std::shared_ptr<AgeClock>& clock) const override {
    return std::make_unique<AgeBasedArbiter>(config.parameters.get<SeastarConfig>(), config.queues,
                                             config.variant, clock);
  }

  std::vector<LowerableNumber> numbers(Parameters& parameters) const override {
    auto& seastar = parameters.get<SeastarConfig>();
    std::vector<LowerableNumber> numbers;
    for (auto* const biases : {&seastar.req_age_bias, &seastar.rsp_age_bias}) {
      for (std::uint32_t& bias : *biases) {
        numbers.emplace_back(bias, 0);
      }
    }
    numbers.emplace_back(seastar.age_clock_period, 1);
    numbers.emplace_back(seastar.age_rr_select, 0);
    return numbers;
  }

  // An input port has a queue for each VC.
  [[nodiscard]] int queues_together(const Parameters& parameters) const override {
    return parameters.get<SeastarConfig>().vcs;
  }

  void leave_out_queues(Parameters& parameters, int first, int count) const override {
    auto& seastar = parameters.get<SeastarConfig>();
    for (auto* const biases : {&seastar.req_age_bias, &seastar.rsp_age_bias}) {
      biases->erase(biases->begin() + first / count);
    }
  }

 private:
  // One for each of the input ports.
  static std::vector<std::uint32_t> parse_biases(ConfigReader& reader, const std::string& key,
                                                 std::size_t ports) {
    if (!reader.has(key)) {
      return std::vector<std::uint32_t>(ports, 1);  // the paper's default
    }
    return reader.integers<std::uint32_t>(key, 0, 7, ports, ports);
  }
};

constexpr SeastarPolicy kSeastarPolicy;

}  // namespace

const Policy& kSeastarAge = kSeastarPolicy;

}  // namespace qosarb
