#include "qosarb/traffic/application.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <functional>

namespace qosarb {

namespace {

/// One rank's program: steps, each of which waits for all of the step before.
class Steps {
 public:
  explicit Steps(TraceBuilder& builder) : builder_(builder) {}

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

/// `communicate(rank, steps)` for each rank and iteration.
Trace repeated(const Iterations& iterations, const std::function<void(int, Steps&)>& communicate) {
  TraceBuilder builder(iterations.ranks, kMostOperations);
  for (int rank = 0; rank < iterations.ranks; ++rank) {
    builder.begin_rank(rank);
    Steps steps(builder);
    for (int i = 0; i < iterations.count; ++i) {
      if (iterations.calculate_ns > 0) {
        steps.calculate(iterations.calculate_ns);
        steps.next();
      }
      communicate(rank, steps);
      steps.next();
    }
    builder.end_rank();
  }
  return builder.finish();
}

}  // namespace

Trace allreduce(const Iterations& iterations) {
  const int ranks = iterations.ranks;
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  const int extra = ranks - power;  // of the first 2 x extra ranks, even ones join the odd ones
  constexpr std::uint32_t kBefore = 100;
  constexpr std::uint32_t kAfter = 101;
  return repeated(iterations, [=, &iterations](int rank, Steps& steps) {
    const std::uint64_t bytes = iterations.bytes;
    if (rank < 2 * extra && rank % 2 == 0) {
      steps.send(rank + 1, bytes, kBefore);
      steps.receive(rank + 1, kAfter);
      return;
    }
    if (rank < 2 * extra) {
      steps.receive(rank - 1, kBefore);
      steps.next();
    }
    const int place = rank < 2 * extra ? rank / 2 : rank - extra;
    std::uint32_t tag = 0;
    for (int distance = 1; distance < power; distance *= 2) {
      const int other = place ^ distance;
      const int partner = other < extra ? 2 * other + 1 : other + extra;
      steps.send(partner, bytes, tag);
      steps.receive(partner, tag++);
      steps.next();
    }
    if (rank < 2 * extra) {
      steps.send(rank - 1, bytes, kAfter);
    }
  });
}

Trace all_to_all(const Iterations& iterations) {
  const int ranks = iterations.ranks;
  return repeated(iterations, [=, &iterations](int rank, Steps& steps) {
    for (int step = 1; step < ranks; ++step) {
      steps.send((rank + step) % ranks, iterations.bytes, 0);
      steps.receive((rank + ranks - step) % ranks, 0);
      steps.next();
    }
  });
}

Trace halo(const Iterations& iterations, std::span<const int> dims) {
  return repeated(iterations, [&](int rank, Steps& steps) {
    int stride = 1;
    std::uint32_t tag = 0;
    for (const int size : dims) {
      const int place = rank / stride % size;
      const int up = rank + ((place + 1) % size - place) * stride;
      const int down = rank + ((place + size - 1) % size - place) * stride;
      if (size > 1) {
        steps.send(up, iterations.bytes, tag);
        steps.send(down, iterations.bytes, tag + 1);
        steps.receive(down, tag);
        steps.receive(up, tag + 1);
      }
      stride *= size;
      tag += 2;
    }
  });
}

std::span<const ApplicationKind> applications() {
  static constexpr std::array kAll = {
      ApplicationKind{
          "allreduce",
          [](ConfigReader&, const Iterations& iterations) { return allreduce(iterations); }},
      ApplicationKind{
          "all-to-all",
          [](ConfigReader&, const Iterations& iterations) { return all_to_all(iterations); }},
      ApplicationKind{"halo", [](ConfigReader& reader, const Iterations& iterations) {
                        std::vector<int> dims;
                        std::int64_t product = 1;
                        for (const std::int64_t size :
                             reader.integers("dims", 1, iterations.ranks, 1, 3)) {
                          dims.push_back(static_cast<int>(size));
                          product *= size;
                        }
                        if (product != iterations.ranks) {
                          throw reader.error(
                              "dims", fmt::format("{} has {} places for {} ranks",
                                                  reader.path("dims"), product, iterations.ranks));
                        }
                        return halo(iterations, dims);
                      }}};
  return kAll;
}

}  // namespace qosarb
