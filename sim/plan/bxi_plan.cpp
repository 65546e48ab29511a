#include "qosarb/plan/bxi_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "qosarb/plan/spread.hpp"
#include "qosarb/plan/weights.hpp"
#include "qosarb/policy/bxi.hpp"

namespace qosarb {

namespace {

Order spread(const BxiRequirements& requirements, BxiPlan& plan) {
  const std::size_t users = requirements.service_levels.size();
  if (users > requirements.max_entries) {
    throw std::invalid_argument(fmt::format("{} service levels do not fit a table of {} entries",
                                            users, requirements.max_entries));
  }
  if (requirements.geometric) {
    return spread_by_strides(geometric_strides(users, requirements.max_entries));
  }
  std::vector<std::uint32_t> distances;
  Rational turns;
  for (const BxiRequirements::ServiceLevel& level : requirements.service_levels) {
    distances.push_back(level.distance.value_or(requirements.max_entries));
    turns += Rational(1, distances.back());
  }
  if (turns > Rational(1)) {
    throw std::invalid_argument(
        fmt::format("the distances ask for {:.1f} % of the turns", 100.0 * turns.value()));
  }
  const ShortestSpread shortest = shortest_spread(distances, requirements.max_entries);
  if (shortest.order.empty()) {
    throw std::invalid_argument(
        fmt::format("no table of at most {} entries was found that keeps the distances",
                    requirements.max_entries));
  }
  plan.lower_bound = shortest.lower_bound;
  plan.proven_shortest = shortest.proven_shortest;
  return shortest.order;
}

}  // namespace

BxiPlan plan_bxi(const BxiRequirements& requirements) {
  BxiPlan plan;
  const auto& levels = requirements.service_levels;
  const Order order = spread(requirements, plan);
  const std::vector<std::uint32_t> entries = entries_per_user(order, levels.size());
  const std::vector<std::uint32_t> distances = largest_distances(order, levels.size());

  std::vector<Rational> per_entry;
  Rational all_shares;
  int queues = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    per_entry.push_back(levels[i].share / Rational(entries[i]));
    all_shares += levels[i].share;
    queues = std::max(queues, levels[i].queue + 1);
  }
  const Weights weights = proportional_weights(per_entry, requirements.max_packet_flits,
                                               requirements.max_quantum_flits);
  if (weights.weight.empty()) {
    throw std::invalid_argument(
        fmt::format("shares per entry are so far apart that the largest quantum is beyond {} flits "
                    "when the smallest holds a packet of {}",
                    requirements.max_quantum_flits, requirements.max_packet_flits));
  }
  plan.exact = weights.exact;

  BxiConfig table{.quantum_scale = weights.scale};
  std::int64_t round_weight = 0;
  for (const int user : order) {
    const Index u = user;
    table.table.push_back({levels[u].queue, weights.weight[u]});
    round_weight += weights.weight[u];
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    BxiPlan::ServiceLevel level;
    level.entries = entries[i];
    level.max_distance = distances[i];
    level.weight = weights.weight[i];
    level.quantum_flits = std::uint64_t{level.weight} * weights.scale;
    level.total_flits = level.quantum_flits * level.entries;
    level.wanted = levels[i].share / all_shares;
    level.planned = Rational(std::int64_t{level.weight} * level.entries, round_weight);
    plan.service_levels.push_back(level);
  }
  plan.arbiter = {.policy = requirements.policy,
                  .queues = queues,
                  .max_packet_flits = requirements.max_packet_flits,
                  // A queue that no service level uses has no entry; strict would refuse that.
                  .strict = queues == count(levels),
                  .parameters = table};
  plan.check = analyze_backlogged(plan.arbiter, longest_packets(plan.arbiter));
  if (requirements.policy == kBxiBasic) {  // what whole packets leave of a turn is lost
    for (std::size_t i = 0; i < levels.size(); ++i) {
      plan.exact =
          plan.exact && plan.check.queues[levels[i].queue].share == plan.service_levels[i].planned;
    }
  }
  return plan;
}

}  // namespace qosarb
