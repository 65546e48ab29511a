// What a rank sends and receives in a collective operation, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "qosarb/traffic/trace.hpp"

namespace qosarb {

/// One rank's program: steps, each of which waits for all of the step before.
class Steps {
 public:
  explicit Steps(TraceBuilder& builder) : builder_(builder) {}
  /// The first step waits for `first`, an operation of the rank.
  Steps(TraceBuilder& builder, std::uint32_t first) : builder_(builder), before_{first} {}

  void calculate(std::uint64_t ns) { add(builder_.calculate(ns, 0)); }
  void send(int to, std::uint64_t bytes, std::uint32_t tag) { add(builder_.send(to, bytes, tag)); }
  void receive(int from, std::uint32_t tag) { add(builder_.receive(from, tag)); }
  /// What follows waits for what was added since the last call.
  void next() {
    if (!step_.empty()) {
      before_ = std::move(step_);
      step_.clear();
    }
  }
  /// What has to end for all to be done.
  [[nodiscard]] const std::vector<std::uint32_t>& last() {
    next();
    return before_;
  }

 private:
  void add(std::uint32_t operation) {
    for (const std::uint32_t earlier : before_) {
      builder_.depends(operation, earlier);
    }
    step_.push_back(operation);
  }

  TraceBuilder& builder_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> step_;
};

/// One rank in a collective operation. Each pair of ranks may have other operations with this tag
/// if it has all of them in the same order.
struct Member {
  std::span<const int> ranks;  ///< of all members
  int place = 0;               ///< of this one in `ranks`
  std::uint32_t tag = 0;

  [[nodiscard]] int size() const { return count(ranks); }
  /// The rank `distance` places further on, circularly; -size() < distance < size().
  [[nodiscard]] int beside(int distance) const {
    return ranks[(place + distance + size()) % size()];
  }
};

/// Of a place.
using BytesOf = std::function<std::uint64_t(int place)>;

// Each adds the steps of one member; those of all are the operation. Bytes are of a message.

/// Down a binomial tree from the member at `root`.
void broadcast(Steps& steps, const Member& member, int root, std::uint64_t bytes);
/// Up the same tree.
void reduce(Steps& steps, const Member& member, int root, std::uint64_t bytes);
/// Recursive doubling (Thakur, Rabenseifner, Gropp: "Optimization of collective communication
/// operations in MPICH", 2005): log2 steps, in step k all exchanged with place xor 2^k. Of a number
/// of members that is no power of two, the first ones join in pairs before and are told after.
void allreduce(Steps& steps, const Member& member, std::uint64_t bytes);
/// All to the root at once; `bytes` of each place.
void gather(Steps& steps, const Member& member, int root, const BytesOf& bytes);
/// From the root to all at once; `bytes` of each place.
void scatter(Steps& steps, const Member& member, int root, const BytesOf& bytes);
/// Around a ring: in each step what came in the step before, at first the own block; `bytes` of
/// each place.
void allgather(Steps& steps, const Member& member, const BytesOf& bytes);
/// Dissemination (Hensgen, Finkel, Manber: "Two algorithms for barrier synchronization", 1988): in
/// step k an empty message to place + 2^k, one from place - 2^k.
void barrier(Steps& steps, const Member& member);
/// In step k to place + k, from place - k; `bytes` to a place.
void all_to_all(Steps& steps, const Member& member, const BytesOf& bytes);

}  // namespace qosarb
