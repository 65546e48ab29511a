#include "qosarb/traffic/application.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <numeric>

#include "qosarb/traffic/collective.hpp"

namespace qosarb {

namespace {

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

std::vector<int> all_ranks(const Iterations& iterations) {
  std::vector<int> ranks(iterations.ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

Trace allreduce(const Iterations& iterations) {
  const std::vector<int> ranks = all_ranks(iterations);
  return repeated(iterations, [&](int rank, Steps& steps) {
    allreduce(steps, {.ranks = ranks, .place = rank}, iterations.bytes);
  });
}

Trace all_to_all(const Iterations& iterations) {
  const std::vector<int> ranks = all_ranks(iterations);
  return repeated(iterations, [&](int rank, Steps& steps) {
    all_to_all(steps, {.ranks = ranks, .place = rank},
               [&](int /*place*/) { return iterations.bytes; });
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
                        const std::vector<int> dims =
                            reader.integers<int>("dims", 1, iterations.ranks, 1, 3);
                        std::int64_t product = 1;
                        for (const int size : dims) {
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
