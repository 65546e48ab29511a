// Tables of service levels, and the queues of each, served round robin (sbt and dtable).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/policy/config.hpp"
#include "qosarb/policy/narration.hpp"
#include "qosarb/policy/types.hpp"

namespace qosarb {

/// An entry of a table whose entries are service levels: sbt, dtable.
struct SlEntry {
  int sl = 0;
  std::uint32_t weight = 0;

  friend bool operator==(const SlEntry&, const SlEntry&) = default;
};

class SlQueues {
 public:
  /// `queue_sl[q]` is the SL of queue q, within 0..sls-1.
  SlQueues(const std::vector<int>& queue_sl, int sls) : groups_(sls) {
    for (Index q = 0; q < count(queue_sl); ++q) {
      groups_[queue_sl[q]].queues.push_back(q);
    }
  }

  /// The candidate of `sl`: its next active queue, the lowest-numbered one first; -1 when none is.
  [[nodiscard]] int candidate(int sl, Heads heads, const auto& tell) const {
    const Group& group = groups_[sl];
    for (std::size_t i = 0; i < group.queues.size(); ++i) {
      const Index queue = group.queues[(group.next + i) % group.queues.size()];
      const Head& head = heads[queue];
      if (head.active()) {
        tell("SL {}: queue {} ({}) is its candidate", sl, queue, HeadInWords{head});
        return queue;
      }
      tell("SL {}: queue {} ({}), passed over", sl, queue, HeadInWords{head});
    }
    return -1;
  }

  /// `queue` of `sl` has won: the next one after it is tried first from now on.
  void granted(int sl, Index queue) {
    Group& group = groups_[sl];
    for (std::size_t i = 0; i < group.queues.size(); ++i) {
      if (group.queues[i] == queue) {
        group.next = (i + 1) % group.queues.size();
      }
    }
  }

  /// The queue of each SL that is tried first; -1 for an SL without queues.
  [[nodiscard]] std::vector<int> first_tried() const {
    std::vector<int> queues;
    for (const Group& group : groups_) {
      queues.push_back(group.queues.empty() ? -1 : group.queues[group.next]);
    }
    return queues;
  }

  /// Appends the SLs' round-robin pointers.
  void append_state(std::vector<std::uint64_t>& numbers) const {
    for (const Group& group : groups_) {
      numbers.push_back(group.next);
    }
  }

 private:
  struct Group {
    std::vector<int> queues;  ///< ascending
    std::size_t next = 0;     ///< index in `queues` that is tried first
  };
  std::vector<Group> groups_;  ///< of each SL
};

/// For the configs of sbt and dtable: the key queue_sl, an SL within 0..sls-1 for each queue.
/// Errors: InputError.
std::vector<int> parse_queue_sl(ConfigReader& reader, const ArbiterConfig& config, int sls);
/// Under strict the SL of every queue must stand in the table. Errors: InputError.
void refuse_starved_sl(const ConfigReader& reader, const ArbiterConfig& config,
                       const std::vector<int>& queue_sl, const std::vector<SlEntry>& table);
/// The lines of the key table.
std::string to_yaml(const std::vector<SlEntry>& table);

}  // namespace qosarb
