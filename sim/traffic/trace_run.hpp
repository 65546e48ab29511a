// A trace as it runs: what each rank has done, and what is under way between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/traffic/source.hpp"
#include "qosarb/traffic/trace.hpp"

namespace qosarb {

/// Exact time: a whole number of parts of a cycle, of which a whole number is a nanosecond.
struct TimeBase {
  std::uint64_t per_cycle = 1;
  std::uint64_t per_ns = 1;

  /// Of links of `mbps` Mb/s with flits of `flit_bytes`.
  static TimeBase of(std::uint64_t mbps, std::uint32_t flit_bytes);
  /// The first cycle not before `time`.
  [[nodiscard]] Cycle cycle(std::uint64_t time) const { return divided_up(time, per_cycle); }
};

/// One traffic entry that runs a trace, each rank on a host of its own.
///
/// A send takes no time; its message comes to the NIC in the first cycle not before it. A receive
/// ends in the cycle in which the last flit of its message is in, or when it is posted, if that is
/// later. A calculation waits until its CPU has done those that were ready before. A message to the
/// own rank arrives at once.
class TraceRun {
 public:
  /// The host of rank r is hosts[r]; there are as many as ranks, or more.
  /// `trace` must outlive this. Errors: InputError if its calculations take too long for any run.
  TraceRun(const Trace& trace, std::vector<int> hosts, const TimeBase& time,
           std::uint32_t flit_bytes);
  ~TraceRun();
  TraceRun(const TraceRun&) = delete;
  TraceRun& operator=(const TraceRun&) = delete;

  /// What a rank sends. Valid as long as this.
  std::unique_ptr<Source> source(int rank);
  [[nodiscard]] int host(int rank) const { return hosts_[rank]; }
  /// Those of the ranks that ever send to another one, by rank.
  [[nodiscard]] const std::vector<int>& hosts_that_send() const { return hosts_that_send_; }

  /// All ranks are done.
  [[nodiscard]] bool finished() const { return unfinished_ == 0; }
  /// No rank has anything left to send that another one receives.
  [[nodiscard]] bool all_sent() const { return unsent_ == 0; }
  /// When the last operation of a rank ended, in ns from cycle 0; none if one has not.
  [[nodiscard]] std::optional<double> finish_ns(int rank) const;
  /// Messages that receives got, and their bytes.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  class Rank;
  struct List {  ///< of nodes
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Channel {
    std::uint32_t sent = 0;
    std::uint32_t posted = 0;
    std::uint32_t wanted = 0;  ///< messages not sent yet that another rank receives
    List waiting;              ///< receives without their message
    List early;                ///< messages without their receive
  };
  struct Node {
    std::uint32_t number = 0;
    std::uint32_t operation = 0;  ///< of a receive
    std::uint32_t bytes = 0;      ///< of a message
    std::uint32_t next = kNone;
  };
  struct UnderWay {
    std::uint32_t channel = 0;
    std::uint32_t number = 0;
    std::uint32_t bytes = 0;
  };

  void add_node(List& list, const Node& node);
  /// The node of `number` out of a list, if it is there; it is free then.
  std::optional<Node> remove_node(List& list, std::uint32_t number);
  /// The operation that receives a message, if it has been posted.
  std::optional<std::uint32_t> arrive(const UnderWay& message);
  /// Whether the message of a receive is in already.
  bool post(std::uint32_t operation);
  void received(std::uint32_t bytes) {
    ++messages_;
    bytes_ += bytes;
  }
  /// Errors: InputError if the ranks wait for each other for ever.
  void check_stuck() const;

  const Trace& trace_;
  std::vector<int> hosts_;
  std::vector<int> hosts_that_send_;
  TimeBase time_;
  std::uint32_t flit_bytes_;
  std::vector<std::uint32_t> blockers_;  ///< [operation]: it still waits for so many
  std::vector<Channel> channels_;
  std::vector<Node> nodes_;
  std::uint32_t free_node_ = kNone;
  std::vector<UnderWay> messages_under_way_;
  std::vector<std::uint32_t> free_messages_;
  struct Progress {
    std::uint32_t left = 0;  ///< operations
    std::uint64_t last = 0;  ///< end, exact
  };
  std::vector<Progress> ranks_;
  int unfinished_ = 0;
  std::size_t unsent_ = 0;  ///< wanted messages of all channels
  std::uint64_t pending_ =
      0;  ///< what will happen by itself: ends of calculations and delays, arrivals
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace qosarb
