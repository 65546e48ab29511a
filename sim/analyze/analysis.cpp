#include "qosarb/analyze/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

#include "qosarb/analyze/backlog.hpp"
#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/config/ratio.hpp"

namespace qosarb {

namespace {

using Sequence = std::span<const Sent>;

// Measures how far apart things of one kind lie.
class Spacing {
 public:
  void at(std::uint64_t position, bool count) {
    if (seen_ && count) {
      const std::uint64_t distance = position - last_;
      found_.min = found_.turns == 0 ? distance : std::min(found_.min, distance);
      found_.max = std::max(found_.max, distance);
      sum_ += distance;
      ++found_.turns;
    }
    last_ = position;
    seen_ = true;
  }

  [[nodiscard]] std::optional<Distances> distances() const {
    if (found_.turns == 0) {
      return std::nullopt;
    }
    Distances result = found_;
    result.mean = Rational(sum_, found_.turns);
    return result;
  }

 private:
  bool seen_ = false;
  std::uint64_t last_ = 0;
  std::uint64_t sum_ = 0;
  Distances found_;
};

struct Tally {
  Spacing turns;
  Spacing flits;
  std::uint64_t sent = 0;
  std::uint64_t last_turn = UINT64_MAX;
  bool has_sent = false;
  std::uint64_t last_end = 0;
  std::optional<std::uint64_t> longest_gap;
};

// Where turns begin: at every packet of a policy without a table, else where the entry changes or
// has another turn. There is no such place where one entry pays in a turn without end, as sbt as
// printed may let it; there, every packet counts.
std::vector<bool> turn_begins(Sequence period, bool exact) {
  std::vector<bool> begins(period.size());
  bool any = false;
  for (std::size_t i = 0; i < period.size(); ++i) {
    const Sent* before = i > 0 ? &period[i - 1] : exact ? &period.back() : nullptr;
    begins[i] = period[i].entry < 0 || period[i].begins || before == nullptr ||
                before->entry != period[i].entry;
    any = any || (begins[i] && period[i].queue >= 0);
  }
  if (!any) {
    begins.assign(period.size(), true);
  }
  return begins;
}

// Walks a period once, or twice when it repeats: then the first walk only says what came before.
// kind_of[q] is queue q, or its service level.
std::vector<Tally> tally(Sequence period, bool exact, Index kinds,
                         const std::vector<Index>& kind_of) {
  std::vector<Tally> tallies(kinds);
  const std::vector<bool> begins = turn_begins(period, exact);
  std::uint64_t turn = 0;
  std::uint64_t time = 0;
  for (int walk = exact ? 0 : 1; walk < 2; ++walk) {
    const bool count = walk == 1;
    for (std::size_t i = 0; i < period.size(); ++i) {
      const Sent& sent = period[i];
      if (sent.queue < 0) {
        ++time;
        continue;
      }
      turn += begins[i] ? 1 : 0;
      Tally& own = tallies[kind_of[sent.queue]];
      if (turn != own.last_turn) {
        own.turns.at(turn, count);
        own.flits.at(time, count);
        own.last_turn = turn;
      }
      if (count) {
        own.sent += sent.flits;
        if (own.has_sent) {
          own.longest_gap = std::max(own.longest_gap.value_or(0), time - own.last_end);
        }
      }
      time += sent.flits;
      own.last_end = time;
      own.has_sent = true;
    }
  }
  return tallies;
}

// Two standard errors of the share, from `batches` batches of about equally many flits.
double batch_error(Sequence sent, std::uint64_t total, std::uint64_t batches, Index kind,
                   const std::vector<Index>& kind_of) {
  const std::uint64_t batch_flits = std::max<std::uint64_t>(1, total / batches);
  std::vector<double> shares;
  std::uint64_t all = 0;
  std::uint64_t own = 0;
  for (const Sent& one : sent) {
    all += one.flits;
    own += one.queue >= 0 && kind_of[one.queue] == kind ? one.flits : 0;
    if (all >= batch_flits) {
      shares.push_back(ratio(own, all));
      all = own = 0;
    }
  }
  if (shares.size() < 2) {
    return 1.0;
  }
  const int n = count(shares);
  double mean = 0.0;
  for (const double share : shares) {
    mean += share / n;
  }
  double variance = 0.0;
  for (const double share : shares) {
    variance += (share - mean) * (share - mean) / (n - 1);
  }
  return 2.0 * std::sqrt(variance / n);
}

std::vector<BackloggedShare> shares_of(Sequence period, const MixAnalysis& found,
                                       std::uint64_t batches, const std::vector<Index>& kind_of) {
  const Index kinds = *std::max_element(kind_of.begin(), kind_of.end()) + 1;
  std::vector<BackloggedShare> shares;
  const std::vector<Tally> tallies = tally(period, found.exact, kinds, kind_of);
  for (Index k = 0; k < kinds; ++k) {
    const Tally& own = tallies[k];
    BackloggedShare share;
    share.index = k;
    if (found.flits > 0) {
      share.share = Rational(own.sent, found.flits);
    }
    if (!found.exact) {
      share.share_error =
          found.whole_cycle ? batch_error(period, found.flits, batches, k, kind_of) : 1.0;
    }
    share.in_turns = own.turns.distances();
    share.in_flits = own.flits.distances();
    share.longest_gap_flits = own.longest_gap;
    shares.push_back(share);
  }
  return shares;
}

bool strict_queues_idle(const ArbiterConfig& config, const PacketMix& mix) {
  const std::vector<int> strict = analysis_of(config.policy).strict_queues(config);
  return std::all_of(strict.begin(), strict.end(),
                     [&mix](Index queue) { return mix.flits[queue].empty(); });
}

}  // namespace

std::uint64_t table_cycle_flits(const ArbiterConfig& config, const PacketMix& mix) {
  return std::max<std::uint64_t>(1, analysis_of(config.policy).cycle_flits(config, mix));
}

MixAnalysis analyze_backlogged(const ArbiterConfig& config, const PacketMix& mix,
                               const AnalysisLimits& limits) {
  const Schedule schedule = follow_backlogged(config, mix, limits.max_decisions);
  Sequence period(schedule.sent);
  MixAnalysis found;
  found.mix = mix;
  found.exact = schedule.exact;
  found.strict_idle = strict_queues_idle(config, mix);
  if (schedule.exact) {
    period = period.subspan(schedule.period_begin);
  } else {
    // The last table cycles, as many as asked for or as were followed: what reset left has faded.
    const std::uint64_t wanted = at_most_64_bits(table_cycle_flits(config, mix), limits.runs);
    std::uint64_t flits = 0;
    std::size_t first = period.size();
    while (first > 0 && flits < wanted) {
      flits += period[--first].flits;
    }
    period = period.subspan(first);
  }
  std::set<int> paying;
  int last_entry = -1;
  for (const Sent& sent : period) {
    found.flits += sent.flits;
    found.decisions += sent.decisions;
    found.idle_cycles += sent.queue < 0 ? 1 : 0;
    if (sent.entry != last_entry && sent.entry >= 0) {
      paying.insert(sent.entry);
    }
    last_entry = sent.entry;
  }
  found.paying_entries.assign(paying.begin(), paying.end());
  found.whole_cycle =
      found.exact || found.flits + found.idle_cycles >= table_cycle_flits(config, mix);
  std::vector<Index> queues(config.queues);
  std::iota(queues.begin(), queues.end(), 0);
  found.queues = shares_of(period, found, limits.runs, queues);
  for (std::size_t q = 0; q < queues.size(); ++q) {
    found.queues[q].idle = mix.flits[q].empty();
  }
  if (const auto* queue_sl = analysis_of(config.policy).service_levels(config);
      queue_sl != nullptr) {
    found.service_levels = shares_of(period, found, limits.runs, *queue_sl);
  }
  return found;
}

}  // namespace qosarb
