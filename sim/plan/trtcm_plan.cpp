#include "qosarb/plan/trtcm_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "qosarb/analyze/trtcm_burst.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb {

namespace {

// Downwards, so that rounding never assures more than the link.
std::uint32_t fixed_rate(const Rational& share) {
  return static_cast<std::uint32_t>((share * Rational(65536)).floor());
}

}  // namespace

TrtcmPlan plan_trtcm(const TrtcmRequirements& requirements) {
  Rational assured;
  for (const TrtcmRequirements::Class& one : requirements.classes) {
    if (one.peak < one.assured) {
      throw std::invalid_argument(
          fmt::format("queue {}: the peak, {}, is below the assured share, "
                      "{}",
                      one.queue, one.peak.text(), one.assured.text()));
    }
    assured += one.assured;
  }
  if (assured > Rational(1)) {
    throw std::invalid_argument(
        fmt::format("{:.2f} % of the link are assured in all; more than 100 % cannot be kept",
                    100.0 * assured.value()));
  }

  TrtcmPlan plan;
  plan.unassured = Rational(1) - assured;
  TrtcmConfig parameters;
  parameters.classes.resize(requirements.classes.size());
  const std::uint64_t longest = requirements.max_packet_flits;
  std::uint64_t higher_bursts = 0;
  int priority = 0;
  for (const TrtcmRequirements::Class& one : requirements.classes) {
    TrtcmPlan::Class planned{.priority = priority++};
    planned.assured_burst = std::max(4 * longest, sufficient_burst(longest, higher_bursts));
    planned.peak_burst = planned.assured_burst;
    if (planned.assured_burst > kMaxQuantumFlits) {
      throw std::invalid_argument(
          fmt::format("queue {} needs bursts of {} flits, as those of the classes above it add up; "
                      "a bucket holds {} at most",
                      one.queue, planned.assured_burst, kMaxQuantumFlits));
    }
    const std::uint32_t rate = fixed_rate(one.assured);
    higher_bursts += rate > 0 ? planned.assured_burst : 0;
    if (rate == 0) {
      plan.warnings.push_back(
          fmt::format("queue {}: nothing is assured; it can starve", one.queue));
    }
    parameters.classes[one.queue] = {planned.priority, rate, fixed_rate(one.peak),
                                     planned.assured_burst, planned.peak_burst};
    plan.classes.push_back(planned);
  }
  plan.arbiter = {.policy = kTrtcm,
                  .queues = count(requirements.classes),
                  .max_packet_flits = requirements.max_packet_flits,
                  .parameters = parameters};
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    plan.classes[i].service = guaranteed_service(plan.arbiter, requirements.classes[i].queue);
  }
  return plan;
}

}  // namespace qosarb
