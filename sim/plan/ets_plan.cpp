#include "qosarb/plan/ets_plan.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "qosarb/plan/weights.hpp"
#include "qosarb/policy/ets.hpp"

namespace qosarb {

EtsPlan plan_ets(const EtsRequirements& requirements) {
  std::vector<Rational> percents;
  Rational all;
  for (const EtsRequirements::Class& one : requirements.classes) {
    if (one.percent.has_value()) {
      percents.push_back(*one.percent);
      all += *one.percent;
    }
  }
  Weights weights;
  if (!percents.empty()) {
    if (all != Rational(100)) {
      throw std::invalid_argument(fmt::format("the percentages add up to {}, not 100", all.text()));
    }
    weights = proportional_weights(percents, requirements.max_packet_flits,
                                   requirements.max_quantum_flits);
    if (weights.weight.empty()) {
      throw std::invalid_argument(
          fmt::format("the percentages are so far apart that the largest quantum is beyond {} "
                      "flits when the smallest holds a packet of {}",
                      requirements.max_quantum_flits, requirements.max_packet_flits));
    }
  }

  EtsPlan plan;
  plan.exact = percents.empty() || weights.exact;
  EtsConfig ets{.quantum_scale = weights.scale};
  ets.classes.resize(requirements.classes.size());
  std::int64_t all_weights = 0;
  for (const std::uint32_t weight : weights.weight) {
    all_weights += weight;
  }
  auto next = weights.weight.begin();
  for (const EtsRequirements::Class& one : requirements.classes) {
    EtsPlan::Class planned;
    if (one.percent.has_value()) {
      planned.weight = *next++;
      planned.quantum_flits = std::uint64_t{planned.weight} * weights.scale;
      planned.share = Rational(planned.weight, all_weights);
    }
    ets.classes[one.queue] = {!one.percent.has_value(), planned.weight};
    plan.classes.push_back(planned);
  }
  plan.arbiter = {.policy = kEts,
                  .queues = count(requirements.classes),
                  .max_packet_flits = requirements.max_packet_flits,
                  .parameters = ets};
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    plan.classes[i].service =
        guaranteed_service(plan.arbiter, requirements.classes[i].queue, requirements.strict_load);
  }
  return plan;
}

}  // namespace qosarb
