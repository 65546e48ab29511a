#include "qosarb/plan/seastar_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "qosarb/policy/seastar_age.hpp"

namespace qosarb {

namespace {

constexpr std::size_t kMaxAgeBias = 7;       // three bits
constexpr std::int64_t kMiddleOfAges = 128;  // ages are to spread evenly around it

std::uint32_t in_whole_packets(std::uint32_t queue_flits, std::uint32_t packet_flits,
                               const char* name) {
  if (queue_flits < packet_flits) {
    throw std::invalid_argument(fmt::format("{} of {} flits does not hold a packet of {}", name,
                                            queue_flits, packet_flits));
  }
  return queue_flits / packet_flits;
}

SeastarPlan::Dimension hops_and_load(const SeastarRequirements::Dimension& dimension) {
  const std::int64_t k = dimension.radix;
  SeastarPlan::Dimension plan;
  plan.average_hops = dimension.torus ? Rational(k, 4) : Rational(k + 1, 3);
  plan.whole_hops = plan.average_hops.round();
  plan.channel_load = dimension.torus ? Rational(k, 8) : Rational(k, 4);
  return plan;
}

// Equations 10 to 12: the last dimension in which a packet moves is i when it starts at its
// ordinate in every later one; the last dimension takes the rest.
void ejection_probabilities(const SeastarRequirements& requirements, SeastarPlan& plan) {
  Rational rest(1);
  const std::size_t n = plan.dimensions.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t k = requirements.dimensions[i].radix;
    Rational probability(k - 1, k);
    for (std::size_t later = i + 1; later < n; ++later) {
      probability = probability / Rational(requirements.dimensions[later].radix);
    }
    plan.dimensions[i].ejection_probability = i + 1 < n ? probability : rest;
    rest = rest - probability;
  }
}

// Equations 14 to 16, from the last dimension back: each passes on at most what the next takes.
void ejection_rates(const SeastarRequirements& requirements, SeastarPlan& plan) {
  Rational accepted = requirements.ejection_gbytes;
  for (std::size_t i = plan.dimensions.size(); i-- > 0;) {
    const Rational own = requirements.channel_gbytes / plan.dimensions[i].channel_load;
    accepted = std::min(own, accepted);
    plan.dimensions[i].ejection_gbytes = accepted;
  }
}

ArbiterConfig arbiter_of(const SeastarRequirements& requirements, const SeastarPlan& plan) {
  SeastarConfig age;
  age.vcs = static_cast<int>(requirements.vcs);
  for (const SeastarPlan::Dimension& dimension : plan.dimensions) {
    age.req_age_bias.insert(age.req_age_bias.end(), 2, dimension.age_bias);
  }
  age.req_age_bias.push_back(requirements.processor_age_bias);
  age.rsp_age_bias = age.req_age_bias;
  age.age_clock_period = plan.age_clock_period;
  age.age_rr_select = ~std::uint64_t{0};  // always by age
  const int ports = count(age.req_age_bias);
  return {.policy = kSeastarAge,
          .queues = ports * age.vcs,
          .max_packet_flits = requirements.packet_flits,
          .parameters = age};
}

}  // namespace

SeastarPlan plan_seastar(const SeastarRequirements& requirements) {
  if (requirements.dimensions.size() > kMaxAgeBias) {
    throw std::invalid_argument(fmt::format("{} dimensions need biases above {}",
                                            requirements.dimensions.size(), kMaxAgeBias));
  }
  SeastarPlan plan;
  for (const SeastarRequirements::Dimension& dimension : requirements.dimensions) {
    plan.dimensions.push_back(hops_and_load(dimension));
  }
  ejection_probabilities(requirements, plan);
  ejection_rates(requirements, plan);

  // Packets that are routed first have more hops before them: they age fastest (Sect. 3.1).
  std::uint32_t bias = count(plan.dimensions);
  for (SeastarPlan::Dimension& dimension : plan.dimensions) {
    dimension.age_bias = bias--;
    plan.hops += dimension.whole_hops;
    plan.bias_age += dimension.whole_hops * dimension.age_bias;
  }
  if (plan.bias_age >= kMiddleOfAges) {
    throw std::invalid_argument(fmt::format(
        "the biases add {} to an average packet's age; the age range is centred on {}, so nothing "
        "is left for queueing",
        plan.bias_age, kMiddleOfAges));
  }

  // Section 3.2: the rest of the way to the middle of the range comes from queueing.
  plan.ticks_per_hop = std::max<std::int64_t>(
      1, Rational(kMiddleOfAges - plan.bias_age, std::max<std::int64_t>(1, plan.hops)).round());
  plan.queued_packets =
      in_whole_packets(requirements.input_queue_flits, requirements.packet_flits,
                       "an input queue") +
      in_whole_packets(requirements.staging_flits, requirements.packet_flits, "a staging buffer");
  const std::uint32_t cycles_per_packet = requirements.vcs / 2 * requirements.packet_flits;
  plan.queueing_cycles = plan.queued_packets * cycles_per_packet;
  plan.age_clock_period = static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, Rational(plan.queueing_cycles, plan.ticks_per_hop).round()));
  if (requirements.measured.has_value()) {
    const std::uint64_t packets =
        requirements.measured->vc0_packets + requirements.measured->vc1_packets;
    if (packets == 0) {
      throw std::invalid_argument("measured: no packets were counted");
    }
    plan.occupancy = Rational(requirements.measured->stalled_cycles, packets);
  }
  plan.arbiter = arbiter_of(requirements, plan);
  return plan;
}

}  // namespace qosarb
