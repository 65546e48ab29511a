#include "qosarb/analyze/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "qosarb/analyze/trtcm_burst.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb {

namespace {

constexpr double kShareWorthTelling = 0.001;  // of the link

using Lines = std::vector<std::string>;

// Table entries of any policy, in the order of paying_entry(): what they serve and their weight.
struct Entry {
  int user = 0;  // queue, VL or SL
  std::uint64_t weight = 0;
  const char* table = "table";
  std::size_t index = 0;  // in its table
};

std::vector<Entry> entries_of(const ArbiterConfig& config) {
  std::vector<Entry> entries;
  const auto add = [&entries](int user, std::uint64_t weight, const char* table,
                              std::size_t index) {
    entries.push_back({user, weight, table, index});
  };
  if (const auto* bxi = config.parameters.get_if<BxiConfig>()) {
    for (std::size_t e = 0; e < bxi->table.size(); ++e) {
      add(bxi->table[e].queue, bxi->quantum(e), "table", e);
    }
  } else if (const auto* sbt = config.parameters.get_if<SbtConfig>()) {
    for (std::size_t e = 0; e < sbt->table.size(); ++e) {
      add(sbt->table[e].sl, sbt->table[e].weight, "table", e);
    }
  } else if (const auto* dtable = config.parameters.get_if<DTableConfig>()) {
    for (std::size_t e = 0; e < dtable->table.size(); ++e) {
      add(dtable->table[e].sl, dtable->table[e].weight, "table", e);
    }
  } else if (const auto* ib = config.parameters.get_if<InfiniBandConfig>()) {
    for (std::size_t e = 0; e < ib->high.size(); ++e) {
      add(ib->high[e].vl, ib->high[e].weight, "high", e);
    }
    for (std::size_t e = 0; e < ib->low.size(); ++e) {
      add(ib->low[e].vl, ib->low[e].weight, "low", e);
    }
  }
  return entries;
}

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

void warn_of_starvation(const ArbiterConfig& config, const MixAnalysis& found, Lines& lines) {
  for (const BackloggedShare& queue : found.queues) {
    if (queue.share > Rational(0)) {
      continue;
    }
    const bool named = config.policy != kInfiniBand || [&] {
      for (const Entry& entry : entries_of(config)) {
        if (entry.user == queue.index) {
          return true;
        }
      }
      return false;
    }();
    lines.push_back(
        named ? fmt::format("queue {} starves while the others are backlogged", queue.index)
              : fmt::format("queue {} stands in no table: its packets never leave", queue.index));
  }
  if (found.idle_cycles > 0) {
    lines.push_back(fmt::format("the link idles for {} of {} cycles although all queues wait",
                                found.idle_cycles, found.idle_cycles + found.flits));
  }
}

void warn_of_unreached_entries(const std::vector<Entry>& entries, const MixAnalysis& found,
                               Lines& lines) {
  const std::set<int> paying(found.paying_entries.begin(), found.paying_entries.end());
  for (const char* const table : {"table", "high", "low"}) {
    std::vector<std::size_t> unreached;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      if (std::string(entries[e].table) == table && !paying.contains(static_cast<int>(e))) {
        unreached.push_back(entries[e].index);
      }
    }
    if (!unreached.empty()) {
      lines.push_back(fmt::format("{}: entries {} never send while all queues are backlogged",
                                  table, ranges(unreached)));
    }
  }
}

// Compares shares of those who stand in one table with their weights.
void warn_of_lost_shares(const std::vector<Entry>& entries,
                         const std::vector<BackloggedShare>& shares, const char* user_name,
                         Lines& lines) {
  std::map<int, std::set<std::string>> tables;
  for (const Entry& entry : entries) {
    tables[entry.user].insert(entry.table);
  }
  for (const char* const table : {"table", "high", "low"}) {
    std::map<int, double> weights;
    double all_weights = 0.0;
    double all_shares = 0.0;
    for (const Entry& entry : entries) {
      if (std::string(entry.table) == table && tables[entry.user].size() == 1 &&
          static_cast<std::size_t>(entry.user) < shares.size()) {
        weights[entry.user] += static_cast<double>(entry.weight);
        all_weights += static_cast<double>(entry.weight);
      }
    }
    for (const auto& [user, weight] : weights) {
      all_shares += shares[static_cast<std::size_t>(user)].share.value();
    }
    for (const auto& [user, weight] : weights) {
      const BackloggedShare& share = shares[static_cast<std::size_t>(user)];
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

void warn_of_odd_weights(const ArbiterConfig& config, const std::vector<Entry>& entries,
                         std::uint64_t packet, const char* what, Lines& lines) {
  std::set<std::uint64_t> odd;
  for (const Entry& entry : entries) {
    if (entry.weight % packet != 0) {
      odd.insert(entry.weight);
    }
  }
  if (odd.empty()) {
    return;
  }
  std::string list;
  for (const std::uint64_t weight : odd) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", weight);
  }
  lines.push_back(fmt::format(
      "{} {} are not a multiple of the longest packet ({}): {}", what, list, packet,
      config.policy == kInfiniBand ? "each turn is rounded up" : "what is left of a turn is lost"));
}

void warn_of_infiniband(const ArbiterConfig& config, const InfiniBandConfig& ib, Lines& lines) {
  const std::uint64_t packet_bytes = std::uint64_t{config.max_packet_flits} * ib.flit_bytes;
  const std::uint32_t limit = ib.limit_of_high_priority;
  if (ib.low.empty() || ib.high.empty()) {
    lines.push_back(fmt::format("limit_of_high_priority has no effect: the {} table is empty",
                                ib.low.empty() ? "low" : "high"));
  } else if (limit == 255) {
    lines.push_back(
        "limit_of_high_priority 255 is no limit: the high table can starve the low one");
  } else if (limit > 0 && limit * std::uint64_t{4096} <= packet_bytes) {
    lines.push_back(
        fmt::format("limit_of_high_priority {} is no more than a packet of {} bytes: it closes the "
                    "high table after each, as 0 does",
                    limit, packet_bytes));
  }
}

void warn_of_trtcm(const ArbiterConfig& config, const TrtcmConfig& trtcm, Lines& lines) {
  std::uint64_t assured = 0;
  for (std::size_t q = 0; q < trtcm.classes.size(); ++q) {
    const TrtcmConfig::Class& one = trtcm.classes[q];
    assured += one.assured_rate;
    if (one.assured_rate == 0) {
      lines.push_back(fmt::format("queue {} is assured nothing: it can starve", q));
      continue;
    }
    std::uint64_t higher = 0;
    for (const TrtcmConfig::Class& other : trtcm.classes) {
      higher += other.priority < one.priority && other.assured_rate > 0 ? other.assured_burst : 0;
    }
    const std::uint64_t burst = sufficient_burst(config.max_packet_flits, higher);
    if (one.assured_burst < burst) {
      lines.push_back(
          fmt::format("queue {}: an assured burst of {} flits can overflow while packets wait, so "
                      "the assured rate may be missed; {} are always enough",
                      q, one.assured_burst, burst));
    }
    if (one.peak_rate >= 65536) {
      lines.push_back(fmt::format("queue {}: a peak rate of the whole link limits nothing", q));
    }
  }
  if (assured > 65536) {
    lines.push_back(fmt::format("{:.2f} % of the link are assured in all: more than there is",
                                100.0 * static_cast<double>(assured) / 65536.0));
  }
}

void warn_of_seastar(const SeastarConfig& seastar, Lines& lines) {
  if (seastar.age_rr_select == 0) {
    lines.push_back("age_rr_select 0 never looks at ages: biases and age clock have no effect");
  }
}

}  // namespace

std::vector<std::string> warnings_of(const ArbiterConfig& config, const MixAnalysis& found) {
  Lines lines;
  warn_of_starvation(config, found, lines);
  const std::vector<Entry> entries = entries_of(config);
  warn_of_unreached_entries(entries, found, lines);
  const bool by_level = !found.service_levels.empty();
  warn_of_lost_shares(entries, by_level ? found.service_levels : found.queues,
                      by_level ? "SL" : "queue", lines);
  if (config.policy == kBxiBasic) {
    warn_of_odd_weights(config, entries, config.max_packet_flits, "quanta", lines);
  } else if (const auto* ib = config.parameters.get_if<InfiniBandConfig>()) {
    const std::uint64_t bytes = std::uint64_t{config.max_packet_flits} * ib->flit_bytes;
    warn_of_odd_weights(config, entries, (bytes + 63) / 64, "weights", lines);
    warn_of_infiniband(config, *ib, lines);
  } else if (const auto* trtcm = config.parameters.get_if<TrtcmConfig>()) {
    warn_of_trtcm(config, *trtcm, lines);
  } else if (const auto* seastar = config.parameters.get_if<SeastarConfig>()) {
    warn_of_seastar(*seastar, lines);
  }
  return lines;
}

}  // namespace qosarb
