#include "qosarb/analyze/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "qosarb/analyze/policy_analysis.hpp"

namespace qosarb {

namespace {

constexpr double kShareWorthTelling = 0.001;  // of the link

using Lines = std::vector<std::string>;

// "0, 2-5, 9"
std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    text += last > i ? fmt::format("-{}", numbers[last]) : "";
    i = last + 1;
  }
  return text;
}

void warn_of_starvation(const PolicyAnalysis& policy, const ArbiterConfig& config,
                        const MixAnalysis& found, Lines& lines) {
  const std::vector<WeightedEntry> entries = policy.entries(config);
  const bool by_queue = !entries.empty() && policy.service_levels(config) == nullptr;
  const std::vector<int> strict = policy.strict_queues(config);
  for (const BackloggedShare& queue : found.queues) {
    const bool is_strict = std::find(strict.begin(), strict.end(), queue.index) != strict.end();
    if (queue.share > Rational(0) || queue.idle) {
      continue;
    }
    const bool named =
        !by_queue || is_strict ||
        std::any_of(entries.begin(), entries.end(),
                    [&queue](const WeightedEntry& entry) { return entry.user == queue.index; });
    if (!named) {
      lines.push_back(
          fmt::format("queue {} stands in no table: its packets never leave", queue.index));
    } else if (found.whole_cycle) {
      lines.push_back(fmt::format("queue {} starves while the others are backlogged", queue.index));
    }
  }
  const bool some_wait = std::any_of(found.queues.begin(), found.queues.end(),
                                     [](const BackloggedShare& queue) { return !queue.idle; });
  if (found.idle_cycles > 0 && some_wait) {
    lines.push_back(fmt::format("the link idles for {} of {} cycles although all queues wait",
                                found.idle_cycles, found.idle_cycles + found.flits));
  }
}

void warn_of_unreached_entries(const std::vector<WeightedEntry>& entries, const MixAnalysis& found,
                               Lines& lines) {
  const std::set<int> paying(found.paying_entries.begin(), found.paying_entries.end());
  for (const char* const table : {"table", "high", "low"}) {
    std::vector<std::size_t> unreached;
    for (Index e = 0; e < count(entries); ++e) {
      if (std::string(entries[e].table) == table && !paying.contains(e)) {
        unreached.push_back(entries[e].index);
      }
    }
    if (!unreached.empty()) {
      lines.push_back(fmt::format("{}: entries {} never send while all queues are backlogged",
                                  table, ranges(unreached)));
    }
  }
}

bool all_are_as_long(const PacketMix& mix) {
  std::set<std::uint32_t> lengths;
  for (const std::vector<std::uint32_t>& of_queue : mix.flits) {
    lengths.insert(of_queue.begin(), of_queue.end());
  }
  return lengths.size() <= 1;
}

// Compares shares of those who stand in one table and send with their weights.
void warn_of_lost_shares(const std::vector<WeightedEntry>& entries,
                         const std::vector<BackloggedShare>& shares, const char* user_name,
                         Lines& lines) {
  std::map<int, std::set<std::string>> tables;
  for (const WeightedEntry& entry : entries) {
    tables[entry.user].insert(entry.table);
  }
  for (const char* const table : {"table", "high", "low"}) {
    std::map<int, double> weights;
    double all_weights = 0.0;
    double all_shares = 0.0;
    for (const WeightedEntry& entry : entries) {
      if (std::string(entry.table) == table && tables[entry.user].size() == 1 &&
          entry.user < count(shares) && shares[entry.user].share > Rational(0)) {
        const auto weight = static_cast<double>(entry.weight);
        weights[entry.user] += weight;
        all_weights += weight;
      }
    }
    for (const auto& [user, weight] : weights) {
      all_shares += shares[user].share.value();
    }
    for (const auto& [user, weight] : weights) {
      const BackloggedShare& share = shares[user];
      const double nominal = weight / all_weights * all_shares;
      if (std::abs(share.share.value() - nominal) > kShareWorthTelling + share.share_error) {
        lines.push_back(
            fmt::format("{}: {} {} gets {:.2f} % of the link, its weights say {:.2f} %; whole "
                        "packets do not fill the turns",
                        table, user_name, user, 100.0 * share.share.value(), 100.0 * nominal));
      }
    }
  }
}

}  // namespace

std::vector<std::string> warnings_of(const ArbiterConfig& config, const MixAnalysis& found) {
  Lines lines;
  const PolicyAnalysis& policy = analysis_of(config.policy);
  warn_of_starvation(policy, config, found, lines);
  if (!found.whole_cycle) {
    lines.push_back(fmt::format(
        "{} flits were followed and a cycle has {}: who starves and what the shares are is not "
        "known; --max-decisions follows more",
        found.flits, table_cycle_flits(config, found.mix)));
  }
  const std::vector<int> strict = policy.strict_queues(config);
  if (!strict.empty()) {
    lines.push_back(
        fmt::format("strict priority of queues {} may starve all others", fmt::join(strict, ", ")));
    if (!found.strict_idle) {
      return lines;  // while those queues are backlogged, tables say nothing
    }
  }
  const std::vector<WeightedEntry> entries = policy.entries(config);
  if (found.whole_cycle) {
    warn_of_unreached_entries(entries, found, lines);
  }
  if (!policy.weights_count_packets() || all_are_as_long(found.mix)) {
    const bool by_level = !found.service_levels.empty();
    warn_of_lost_shares(entries, by_level ? found.service_levels : found.queues,
                        by_level ? "SL" : "queue", lines);
  }
  policy.warn(config, lines);
  return lines;
}

}  // namespace qosarb
