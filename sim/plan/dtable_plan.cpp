#include "qosarb/plan/dtable_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "qosarb/plan/spread.hpp"
#include "qosarb/policy/dtable.hpp"

namespace qosarb {

namespace {

using Level = DTableRequirements::ServiceLevel;

Order spread(const DTableRequirements& requirements) {
  std::vector<std::uint32_t> distances;
  for (const Level& level : requirements.service_levels) {
    distances.push_back(level.distance);
  }
  Order order = spread_in(distances, requirements.entries);
  if (order.empty()) {
    throw std::invalid_argument(fmt::format(
        "no table of {} entries was found that keeps the distances", requirements.entries));
  }
  return order;
}

// A correction adds less to an entry than the table has entries.
constexpr std::uint64_t kMostOfAnEntry = UINT32_MAX - kMaxTableEntries;

void check_parameters(const DTableRequirements& requirements) {
  const std::uint64_t most = std::uint64_t{requirements.gmtu} * requirements.w;
  if (most > kMostOfAnEntry) {
    throw std::invalid_argument(fmt::format(
        "M = GMTU x w = {} flits is more than the weight of an entry holds; {} are planned at most",
        most, kMostOfAnEntry));
  }
  if (requirements.k > requirements.w) {
    throw std::invalid_argument(
        fmt::format("k = {} is above w = {}: the pool would not fit the "
                    "entries",
                    requirements.k, requirements.w));
  }
  for (const Level& level : requirements.service_levels) {
    if (level.mtu > requirements.gmtu) {
      throw std::invalid_argument(fmt::format("the MTU of SL {}, {}, is above the general MTU, {}",
                                              level.sl, level.mtu, requirements.gmtu));
    }
  }
}

ArbiterConfig arbiter_of(const DTableRequirements& requirements, const Order& order,
                         const std::vector<std::uint32_t>& weights) {
  DTableConfig table;
  ArbiterConfig arbiter{.policy = kDTable, .queues = 0};
  for (const Level& level : requirements.service_levels) {
    for (const Index queue : level.queues) {
      arbiter.queues = std::max(arbiter.queues, queue + 1);
      table.queue_sl.resize(arbiter.queues, level.sl);
      table.queue_sl[queue] = level.sl;
    }
    const Index sl = level.sl;
    table.sl_mtu.resize(std::max(count(table.sl_mtu), sl + 1), 1);
    table.sl_mtu[sl] = level.mtu;
    arbiter.max_packet_flits = std::max(arbiter.max_packet_flits, level.mtu);
  }
  for (std::size_t e = 0; e < order.size(); ++e) {
    table.table.push_back({requirements.service_levels[order[e]].sl, weights[e]});
  }
  arbiter.parameters = table;
  return arbiter;
}

/// What each service level has of the pool, and what its entries weigh if all weigh the same.
/// Errors: std::invalid_argument for a share that its entries cannot take.
void divide_pool(const DTableRequirements& requirements, const Order& order, DTablePlan& plan) {
  const auto& levels = requirements.service_levels;
  const std::vector<std::uint32_t> entries = entries_per_user(order, levels.size());
  const std::vector<std::uint32_t> distances = largest_distances(order, levels.size());
  const Rational pool(plan.pool);
  Rational all_shares;
  for (const Level& level : levels) {
    all_shares += level.share;
  }
  std::uint64_t rounded = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    DTablePlan::ServiceLevel level;
    level.entries = entries[i];
    level.max_distance = distances[i];
    level.min_share = Rational(std::int64_t{entries[i]} * levels[i].mtu) / pool;
    level.max_share = Rational(entries[i] * plan.max_entry_weight) / pool;
    level.share = levels[i].share / all_shares;
    if (level.share < level.min_share || level.share > level.max_share) {
      throw std::invalid_argument(fmt::format(
          "the share of SL {}, {:.5f}, is outside {:.5f}..{:.5f}, which its {} entries of {} to {} "
          "flits can take from a pool of {}",
          levels[i].sl, level.share.value(), level.min_share.value(), level.max_share.value(),
          level.entries, levels[i].mtu, plan.max_entry_weight, plan.pool));
    }
    level.total_weight = pool * level.share;
    level.entry_weight =
        static_cast<std::uint32_t>((level.total_weight / Rational(level.entries)).ceil());
    level.rounded_weight = std::uint64_t{level.entry_weight} * level.entries;
    rounded += level.rounded_weight;
    plan.service_levels.push_back(level);
  }
  for (DTablePlan::ServiceLevel& level : plan.service_levels) {
    level.rounded_share = Rational(level.rounded_weight, rounded);
    level.correction = -((level.rounded_share - level.share) * Rational(rounded)).round();
  }
}

/// What each service level has in the end. Nothing of a correction is left: what rounding up added
/// to n entries is less than n flits, and only entries that were rounded up give some back.
void sum_up(const std::vector<Level>& levels, const Order& order,
            const std::vector<std::uint32_t>& weights, DTablePlan& plan) {
  const std::int64_t final_weight =
      std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  for (Index i = 0; i < count(levels); ++i) {
    DTablePlan::ServiceLevel& level = plan.service_levels[i];
    level.lowest_entry = UINT32_MAX;
    for (std::size_t e = 0; e < order.size(); ++e) {
      if (order[e] == i) {
        level.final_weight += weights[e];
        level.lowest_entry = std::min(level.lowest_entry, weights[e]);
        level.highest_entry = std::max(level.highest_entry, weights[e]);
      }
    }
    level.final_share = Rational(level.final_weight, final_weight);
    if (level.highest_entry > plan.max_entry_weight) {
      plan.warnings.push_back(fmt::format(
          "SL {}: the correction raises entries to {}, above M = {}; the table needs wider weights",
          levels[i].sl, level.highest_entry, plan.max_entry_weight));
    }
  }
}

}  // namespace

void correct_weights(const std::vector<int>& order, std::vector<std::uint32_t>& weights,
                     std::vector<std::int64_t>& corrections,
                     const std::vector<std::uint32_t>& least) {
  for (Index user = 0; user < count(corrections); ++user) {
    std::int64_t& left = corrections[user];
    for (bool changed = true; left != 0 && changed;) {
      changed = false;
      for (std::size_t e = order.size(); e-- > 0 && left != 0;) {
        if (order[e] != user || (left < 0 && weights[e] <= least[user])) {
          continue;
        }
        weights[e] += left > 0 ? 1U : -1U;
        left += left > 0 ? -1 : 1;
        changed = true;
      }
    }
  }
}

DTablePlan plan_dtable(const DTableRequirements& requirements) {
  check_parameters(requirements);
  const auto& levels = requirements.service_levels;
  const Order order = spread(requirements);

  DTablePlan plan;
  plan.max_entry_weight = std::uint64_t{requirements.gmtu} * requirements.w;
  plan.pool = std::uint64_t{requirements.entries} * requirements.gmtu * requirements.k;
  divide_pool(requirements, order, plan);

  std::vector<std::int64_t> corrections;
  std::vector<std::uint32_t> least;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    corrections.push_back(plan.service_levels[i].correction);
    least.push_back(levels[i].mtu);
  }
  std::vector<std::uint32_t> weights;
  for (const int user : order) {
    weights.push_back(plan.service_levels[user].entry_weight);
  }
  correct_weights(order, weights, corrections, least);
  sum_up(levels, order, weights, plan);

  plan.arbiter = arbiter_of(requirements, order, weights);
  plan.check = analyze_backlogged(plan.arbiter, longest_packets(plan.arbiter));
  return plan;
}

}  // namespace qosarb
