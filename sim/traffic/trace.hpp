// Programs of ranks: operations that send, receive and calculate, and wait for each other.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// A rank is on a host, and no network has more.
inline constexpr int kMostRanks = 1 << 17;

/// What the ranks of an application do. Operations are numbered over all ranks, each rank's one
/// after the other. Some 24 bytes an operation with one dependency.
class Trace {
 public:
  /// Delay: its time passes without a CPU.
  enum class Kind : std::uint8_t { Send, Receive, Calculate, Delay };

  struct Operation {
    std::uint32_t amount_low = 0;
    std::uint32_t channel = 0;  ///< Send, Receive
    std::uint16_t amount_high = 0;
    Kind kind = Kind::Calculate;
    std::uint8_t cpu = 0;  ///< Calculate

    /// Send: bytes; Calculate, Delay: ns.
    [[nodiscard]] std::uint64_t amount() const {
      return (std::uint64_t{amount_high} << 32U) | amount_low;
    }
  };

  /// One operation waits for another: for its end (GOAL's requires) or its start (irequires).
  struct Successor {
    std::uint32_t operation : 31 = 0;
    std::uint32_t on_start : 1 = 0;
  };

  /// The file that it stands in, or that asks for the application it is of, and the line there.
  std::string file;
  int line = 0;

  [[nodiscard]] int ranks() const { return count(rank_ends_); }
  [[nodiscard]] std::uint32_t operations() const {
    return static_cast<std::uint32_t>(operations_.size());
  }
  /// The operations begin(rank) to end(rank) - 1 are those of a rank.
  [[nodiscard]] std::uint32_t begin(int rank) const { return rank_begins_[rank]; }
  [[nodiscard]] std::uint32_t end(int rank) const { return rank_ends_[rank]; }
  [[nodiscard]] const Operation& operation(std::uint32_t number) const {
    return operations_[number];
  }
  /// visit(successor) for all that wait for an operation.
  template <typename Visitor>
  void for_each_successor(std::uint32_t number, Visitor&& visit) const {
    const std::uint32_t last = successor_begins_[number + 1];
    for (std::uint32_t at = successor_begins_[number]; at < last; ++at) {
      visit(successors_[at]);
    }
  }
  /// All messages from one rank to another with one tag are a channel: the n-th receive of a
  /// channel gets its n-th message.
  [[nodiscard]] std::uint32_t channels() const {
    return static_cast<std::uint32_t>(destinations_.size());
  }
  /// The rank that receives.
  [[nodiscard]] Index destination(std::uint32_t channel) const { return destinations_[channel]; }

 private:
  friend class TraceBuilder;
  // Deques grow without being copied: a trace may take most of the memory.
  std::deque<Operation> operations_;
  std::deque<std::uint32_t> successor_begins_;
  std::deque<Successor> successors_;
  std::deque<Index> destinations_;
  std::vector<std::uint32_t> rank_begins_;
  std::vector<std::uint32_t> rank_ends_;
};

/// Why a trace cannot be run.
struct TraceFault {
  std::uint32_t operation = 0;
  std::string says;
};

/// Makes a Trace, rank by rank.
class TraceBuilder {
 public:
  static constexpr std::uint32_t kMaxOperations = std::uint32_t{1} << 31U;
  static constexpr std::uint64_t kMaxAmount = (std::uint64_t{1} << 48U) - 1;

  /// Of `ranks` ranks and at most `most` operations, up to kMaxOperations.
  explicit TraceBuilder(int ranks, std::uint32_t most = kMaxOperations);

  /// What follows belongs to `rank`, which had nothing before.
  void begin_rank(int rank);
  /// These return the operation's number. Errors: TraceFault if there are too many.
  std::uint32_t send(int to, std::uint64_t bytes, std::uint32_t tag);
  std::uint32_t receive(int from, std::uint32_t tag);
  std::uint32_t calculate(std::uint64_t ns, std::uint8_t cpu);
  std::uint32_t delay(std::uint64_t ns);
  /// `later` waits for the end of `earlier`, or for its start. Both belong to this rank.
  void depends(std::uint32_t later, std::uint32_t earlier, bool on_start = false);
  /// Errors: TraceFault for an operation of this rank that waits for itself.
  void end_rank();

  /// When every rank had its turn. Errors: TraceFault for a receive that no send matches.
  Trace finish();

  [[nodiscard]] std::uint32_t operations() const { return trace_.operations(); }
  [[nodiscard]] bool has(int rank) const { return trace_.rank_ends_[rank] != kNone; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Edge {
    std::uint32_t earlier = 0;
    Trace::Successor later;
  };
  struct Slot {         ///< of the table of channels
    Index source = -1;  ///< -1: it is free
    Index destination = 0;
    std::uint32_t tag = 0;
    std::uint32_t channel = 0;
  };
  std::uint32_t add(Trace::Kind kind, std::uint64_t amount, std::uint32_t channel,
                    std::uint8_t cpu);
  std::uint32_t channel_of(Index source, Index destination, std::uint32_t tag);
  [[nodiscard]] Slot& find(Index source, Index destination, std::uint32_t tag);
  void check_order(std::uint32_t first);

  Trace trace_;
  std::uint32_t most_;
  Index rank_ = 0;
  std::vector<Edge> edges_;  ///< of this rank
  std::vector<Slot> table_;  ///< open addressing; a power of two
  std::uint32_t used_ = 0;
  std::deque<std::int32_t> balances_;  ///< [channel]: sends - receives
};

}  // namespace qosarb
