// Notices when a state comes back.
#pragma once

#include <cstdint>
#include <vector>

namespace qosarb {

/// Keeps the states of steps 0, 1, 2, 4, 8, ...: the first of them that lies within the cycle is
/// met again after one period, so at most the transient is walked twice.
class Landmarks {
 public:
  /// Step `now` begins in `state`. The earlier step that began in it, or `now` if none was kept.
  /// Steps are visited in order.
  std::size_t visit(std::size_t now, const std::vector<std::uint64_t>& state) {
    std::uint64_t hash = 0x9e3779b97f4a7c15U;
    for (const std::uint64_t number : state) {
      hash = (hash ^ number) * 0xff51afd7ed558ccdU;
      hash ^= hash >> 32U;
    }
    for (const Landmark& landmark : kept_) {
      if (landmark.hash == hash && landmark.state == state) {
        return landmark.step;
      }
    }
    if (now == due_) {
      kept_.push_back({hash, now, state});
      due_ = now == 0 ? 1 : now * 2;
    }
    return now;
  }

 private:
  struct Landmark {
    std::uint64_t hash;
    std::size_t step;
    std::vector<std::uint64_t> state;
  };
  std::vector<Landmark> kept_;
  std::size_t due_ = 0;
};

}  // namespace qosarb
