// What a run measures, exactly and in bounded memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// How often each number of cycles was seen. Exact for any value: one count per value up to
/// 2^20 cycles, a map beyond.
class LatencyCounts {
 public:
  void add(Cycle cycles) {
    if (cycles < small_.size()) [[likely]] {
      ++small_[cycles];
    } else {
      add_new(cycles);
    }
  }

  /// What another one has counted.
  void add(const LatencyCounts& other);

  [[nodiscard]] std::uint64_t count() const;
  /// 0 if nothing was counted.
  [[nodiscard]] Cycle max() const;
  /// 0 if nothing was counted.
  [[nodiscard]] double mean() const;
  /// The smallest value that at least `percent` of 100 of all values do not exceed (nearest
  /// rank); 0 if nothing was counted.
  [[nodiscard]] Cycle percentile(unsigned percent) const { return quantile(percent, 100); }
  /// The same for `part` of `of`.
  [[nodiscard]] Cycle quantile(std::uint64_t part, std::uint64_t of) const;
  /// visit(cycles, times) for every value that was seen, in order.
  template <typename Visitor>
  void for_each(Visitor&& visit) const {
    for (Cycle cycles = 0; cycles < small_.size(); ++cycles) {
      if (small_[cycles] != 0) {
        visit(cycles, small_[cycles]);
      }
    }
    for (const auto& [cycles, times] : large_) {
      visit(cycles, times);
    }
  }

 private:
  void add_new(Cycle cycles);

  std::vector<std::uint64_t> small_;
  std::map<Cycle, std::uint64_t> large_;
};

/// One item of the traffic list. Flits are counted in the cycle in which they are generated or
/// arrive; both within the measuring window only.
struct ClassStatistics {
  std::uint64_t offered_flits = 0;
  std::uint64_t accepted_flits = 0;
  /// Of packets generated within the window whose last flit arrives within it.
  LatencyCounts packet_latency;   ///< from generation to the last flit's arrival
  LatencyCounts network_latency;  ///< from the first flit's injection to the last one's arrival
  /// The same of messages: from generation to the arrival of the last flit.
  LatencyCounts message_latency;

  /// What another one has counted.
  void add(const ClassStatistics& other);
};

/// One host. Flits are counted as in ClassStatistics.
struct HostStatistics {
  std::uint64_t offered_flits = 0;    ///< generated at this host
  std::uint64_t delivered_flits = 0;  ///< of this host, that arrived anywhere
};

/// One traffic entry at one host that sends; as in ClassStatistics, but without the flits of a
/// packet whose last one has not arrived yet.
struct SenderStatistics {
  std::uint64_t offered_flits = 0;
  std::uint64_t accepted_flits = 0;
  std::uint64_t packets = 0;
  std::uint64_t latency = 0;  ///< of packets, summed
  Cycle longest = 0;          ///< latency of a packet

  /// What another one has counted.
  void add(const SenderStatistics& other) {
    offered_flits += other.offered_flits;
    accepted_flits += other.accepted_flits;
    packets += other.packets;
    latency += other.latency;
    longest = std::max(longest, other.longest);
  }
};

/// One traffic entry, from cycle 0 on, whatever the window.
struct ClassTotals {
  std::uint64_t delivered_flits = 0;  ///< of packets delivered whole
  std::uint64_t packets = 0;
  std::uint64_t latency = 0;  ///< of packets, summed

  /// What another one has counted.
  void add(const ClassTotals& other) {
    delivered_flits += other.delivered_flits;
    packets += other.packets;
    latency += other.latency;
  }
};

}  // namespace qosarb
