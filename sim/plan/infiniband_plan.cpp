#include "qosarb/plan/infiniband_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <tuple>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/config/ratio.hpp"
#include "qosarb/plan/spread.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

namespace {

constexpr std::size_t kKeptTables = 8;  // of each kind go to the analyzer
constexpr std::uint64_t kCheckedDecisions = 1U << 18U;

using Entries = std::vector<InfiniBandConfig::Entry>;
using Lane = InfiniBandRequirements::Lane;

struct Candidate {
  Entries entries;
  std::uint32_t limit = kNoHighPriorityLimit;  // low tables only
  double error = 0.0;                          // largest predicted error of a share of the link
};

// Keeps the best, and among equally good ones the first.
void keep_best(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.error < b.error; });
  if (candidates.size() > kKeptTables) {
    candidates.resize(kKeptTables);
  }
}

class Search {
 public:
  explicit Search(const InfiniBandRequirements& requirements)
      : requirements_(requirements),
        packet_cost_(divided_up(std::uint64_t{requirements.packet_flits} * requirements.flit_bytes,
                                kWeightUnitBytes)),
        most_packets_(divided_up(kMaxVlWeight, packet_cost_)) {
    Rational all;
    for (const Lane& lane : requirements.lanes) {
      all += lane.share;
    }
    for (const Lane& lane : requirements.lanes) {
      wanted_.push_back(lane.share / all);
      (lane.high ? high_ : low_).push_back(wanted_.size() - 1);
      (lane.high ? high_share_ : low_share_) += wanted_.back().value();
    }
    if (high_.empty()) {
      throw std::invalid_argument("no VL is in the high table");
    }
  }

  InfiniBandPlan best() {
    std::vector<Candidate> low_tables = low_candidates();
    InfiniBandPlan best;
    bool first = true;
    for (const Order& order : high_orders()) {
      for (const Candidate& high : high_candidates(order)) {
        for (const Candidate& low : low_tables) {
          InfiniBandPlan plan = checked(high.entries, low);
          if (first || score(plan) < score(best)) {
            plan.candidates = best.candidates;
            best = std::move(plan);
            first = false;
          }
          ++best.candidates;
        }
      }
      if (best.met) {
        break;  // later orders are worse for latency
      }
    }
    return best;
  }

 private:
  // Orders of the high lanes: as asked, and one tighter, for turns of the low table come in
  // between.
  [[nodiscard]] std::vector<Order> high_orders() const {
    std::vector<Order> orders;
    if (high_.size() > requirements_.max_entries) {
      throw std::invalid_argument(fmt::format("{} VLs do not fit a table of {} entries",
                                              high_.size(), requirements_.max_entries));
    }
    const bool asked = std::any_of(high_.begin(), high_.end(), [this](std::size_t lane) {
      return requirements_.lanes[lane].distance.has_value();
    });
    if (!asked) {
      // The more entries the urgent lanes have, the more a round sends from them at least: where
      // shares run against the order of latency, only a shorter table can hold them.
      for (std::uint32_t entries = requirements_.max_entries; entries >= high_.size();
           entries /= 2) {
        orders.push_back(spread_by_strides(geometric_strides(high_.size(), entries)));
      }
      orders.push_back(spread_by_strides(geometric_strides(high_.size(), count(high_))));
      return orders;
    }
    for (const std::uint32_t tighter : {0U, 1U, 2U}) {
      std::vector<std::uint32_t> distances;
      for (const std::size_t lane : high_) {
        const std::uint32_t distance =
            requirements_.lanes[lane].distance.value_or(requirements_.max_entries);
        distances.push_back(std::max(1U, distance - std::min(distance, tighter)));
      }
      Order order = shortest_spread(distances, requirements_.max_entries).order;
      if (!order.empty()) {
        orders.push_back(order);
      }
    }
    if (orders.empty()) {
      throw std::invalid_argument(
          fmt::format("no table of at most {} entries was found that keeps the distances",
                      requirements_.max_entries));
    }
    return orders;
  }

  [[nodiscard]] std::uint32_t weight_of(std::uint64_t packets) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(packets * packet_cost_, kMaxVlWeight));
  }

  // Whole packets per lane for every length of the round, spread over the lane's entries.
  [[nodiscard]] std::vector<Candidate> high_candidates(const Order& order) const {
    const std::vector<std::uint32_t> entries = entries_per_user(order, high_.size());
    std::vector<Candidate> candidates;
    for (std::uint64_t round = order.size(); round <= order.size() * most_packets_; ++round) {
      std::vector<std::uint64_t> packets;
      std::uint64_t sum = 0;
      bool fits = true;
      for (std::size_t i = 0; i < high_.size(); ++i) {
        const double ideal = static_cast<double>(round) * wanted_[high_[i]].value() / high_share_;
        packets.push_back(std::max<std::uint64_t>(entries[i], std::llround(ideal)));
        fits = fits && packets[i] <= entries[i] * most_packets_;
        sum += packets[i];
      }
      if (!fits && !candidates.empty()) {
        continue;
      }
      Candidate candidate;
      for (std::size_t i = 0; i < high_.size(); ++i) {
        packets[i] = std::min(packets[i], entries[i] * most_packets_);
        const double got = ratio(packets[i], sum);
        candidate.error =
            std::max(candidate.error, std::abs(got * high_share_ - wanted_[high_[i]].value()));
      }
      std::vector<std::uint64_t> met(high_.size(), 0);
      for (const int user : order) {
        const Index u = user;
        const std::uint64_t before = packets[u] * met[u] / entries[u];
        const std::uint64_t now = packets[u] * ++met[u] / entries[u];
        candidate.entries.push_back({requirements_.lanes[high_[u]].vl, weight_of(now - before)});
      }
      candidates.push_back(candidate);
    }
    keep_best(candidates);
    return candidates;
  }

  // Packets of the high table between two turns of the low one.
  [[nodiscard]] std::uint64_t phase(std::uint32_t limit) const {
    const std::uint64_t packet_bytes =
        std::uint64_t{requirements_.packet_flits} * requirements_.flit_bytes;
    return limit == 0 ? 1 : divided_up(limit * kLimitUnitBytes, packet_bytes);
  }

  [[nodiscard]] std::vector<Candidate> low_candidates() const {
    if (low_.empty()) {
      return {Candidate{{}, requirements_.limit.value_or(kNoHighPriorityLimit)}};
    }
    if (requirements_.limit == kNoHighPriorityLimit) {
      throw std::invalid_argument(
          "limit 255 lets the low table send nothing while the high one has packets, so a low VL "
          "has no share");
    }
    if (low_.size() > requirements_.max_entries) {
      throw std::invalid_argument(fmt::format("{} low VLs do not fit a table of {} entries",
                                              low_.size(), requirements_.max_entries));
    }
    std::vector<Candidate> candidates;
    for (std::uint32_t limit = 0; limit < kNoHighPriorityLimit; ++limit) {
      if (requirements_.limit.value_or(limit) == limit) {
        candidates.push_back(low_candidate(limit));
      }
    }
    keep_best(candidates);
    return candidates;
  }

  // One low turn after each phase of the high table. A lane whose turns would be too long comes
  // more often, as long as the table has room for that.
  [[nodiscard]] Candidate low_candidate(std::uint32_t limit) const {
    const bool per_packet = requirements_.low_turn == InfiniBandConfig::LowTurn::Packet;
    const auto phase_packets = static_cast<double>(phase(limit));
    std::vector<std::uint64_t> visits(low_.size(), 1);
    std::vector<std::uint64_t> packets(low_.size(), 1);
    std::uint64_t all_visits = low_.size();
    for (bool settled = false; !settled;) {
      settled = true;
      for (std::size_t i = 0; i < low_.size(); ++i) {
        const double share = wanted_[low_[i]].value();
        // With a turn per packet only the proportions among the low lanes are free.
        const double per_cycle =
            per_packet ? share / low_share_ * static_cast<double>(all_visits * most_packets_) / 2
                       : share / high_share_ * static_cast<double>(all_visits) * phase_packets;
        const auto ideal = std::llround(per_cycle / static_cast<double>(visits[i]));
        packets[i] = std::max<std::uint64_t>(1, ideal);
        if (packets[i] > most_packets_) {
          if (all_visits == requirements_.max_entries) {
            packets[i] = most_packets_;
            continue;
          }
          ++visits[i];
          ++all_visits;
          settled = false;
        }
      }
    }
    double low_packets = 0.0;
    for (std::size_t i = 0; i < low_.size(); ++i) {
      low_packets += static_cast<double>(visits[i] * packets[i]);
    }
    const double high_packets =
        phase_packets * (per_packet ? low_packets : static_cast<double>(all_visits));
    Candidate candidate{{}, limit};
    std::vector<std::pair<double, std::size_t>> places;
    for (std::size_t i = 0; i < low_.size(); ++i) {
      const double got = static_cast<double>(visits[i] * packets[i]) / (low_packets + high_packets);
      candidate.error = std::max(candidate.error, std::abs(got - wanted_[low_[i]].value()));
      for (std::uint64_t k = 0; k < visits[i]; ++k) {
        places.emplace_back((static_cast<double>(k) + 0.5) / static_cast<double>(visits[i]), i);
      }
    }
    std::sort(places.begin(), places.end());
    for (const auto& [place, i] : places) {
      candidate.entries.push_back({requirements_.lanes[low_[i]].vl, weight_of(packets[i])});
    }
    return candidate;
  }

  [[nodiscard]] InfiniBandPlan checked(const Entries& high, const Candidate& low) const {
    InfiniBandPlan plan;
    int vls = 0;
    for (const Lane& lane : requirements_.lanes) {
      vls = std::max(vls, lane.vl + 1);
    }
    plan.arbiter = {.policy = kInfiniBand,
                    .queues = vls,
                    .max_packet_flits = requirements_.max_packet_flits,
                    .strict = vls == count(requirements_.lanes),
                    .parameters = InfiniBandConfig{requirements_.flit_bytes, low.limit,
                                                   requirements_.low_turn, high, low.entries}};
    PacketMix mix{std::to_string(requirements_.packet_flits), {}};
    mix.flits.resize(vls, {requirements_.packet_flits});
    plan.check = analyze_backlogged(plan.arbiter, mix, {.max_decisions = kCheckedDecisions});
    plan.met = true;
    for (std::size_t i = 0; i < requirements_.lanes.size(); ++i) {
      const Lane& lane = requirements_.lanes[i];
      const BackloggedShare& seen = plan.check.queues[lane.vl];
      InfiniBandPlan::Lane result{.wanted = wanted_[i], .got = seen.share};
      const Rational error = std::max(result.wanted - result.got, result.got - result.wanted);
      result.missed = std::max(Rational(0), error - requirements_.tolerance);
      result.max_distance = seen.in_turns.has_value() ? seen.in_turns->max : 0;
      if (lane.distance.has_value() && result.max_distance > *lane.distance) {
        result.distance_missed = result.max_distance - *lane.distance;
      }
      for (const Entries* table : {&high, &low.entries}) {
        for (const auto& entry : *table) {
          result.entries += entry.vl == lane.vl ? 1 : 0;
        }
      }
      plan.met = plan.met && result.missed == Rational(0) && result.distance_missed == 0;
      plan.lanes.push_back(result);
    }
    return plan;
  }

  // Smaller is better.
  [[nodiscard]] static std::tuple<double, std::uint64_t, double> score(const InfiniBandPlan& plan) {
    double missed = 0.0;
    double error = 0.0;
    std::uint64_t distance = 0;
    for (const InfiniBandPlan::Lane& lane : plan.lanes) {
      missed += lane.missed.value();
      distance += lane.distance_missed;
      error = std::max(error, std::abs(lane.got.value() - lane.wanted.value()));
    }
    return {missed, distance, error};
  }

  const InfiniBandRequirements& requirements_;
  std::uint64_t packet_cost_;   // units of weight
  std::uint64_t most_packets_;  // of one visit
  std::vector<Rational> wanted_;
  std::vector<std::size_t> high_;  // lanes, by rising latency
  std::vector<std::size_t> low_;
  double high_share_ = 0.0;
  double low_share_ = 0.0;
};

std::string vl_list(const Entries& entries) {
  std::string text;
  for (const InfiniBandConfig::Entry& entry : entries) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", entry.vl, entry.weight);
  }
  return text.empty() ? "0:0" : text;  // an entry of weight 0 is skipped
}

}  // namespace

InfiniBandPlan plan_infiniband(const InfiniBandRequirements& requirements) {
  return Search(requirements).best();
}

std::string opensm_options(const InfiniBandConfig& config, int vls) {
  std::set<int> planned;
  for (const Entries* table : {&config.high, &config.low}) {
    for (const InfiniBandConfig::Entry& entry : *table) {
      planned.insert(entry.vl);
    }
  }
  const std::vector<int> in_turn(planned.begin(), planned.end());
  std::string sl2vl;
  for (int sl = 0; sl < 16; ++sl) {
    const int vl =
        planned.contains(sl) ? sl : in_turn[static_cast<std::size_t>(sl) % in_turn.size()];
    sl2vl += fmt::format("{}{}", sl == 0 ? "" : ",", vl);
  }
  return fmt::format(
      "qos TRUE\nqos_max_vls {}\nqos_high_limit {}\nqos_vlarb_high {}\nqos_vlarb_low {}\n"
      "qos_sl2vl {}\n",
      vls, config.limit_of_high_priority, vl_list(config.high), vl_list(config.low), sl2vl);
}

}  // namespace qosarb
