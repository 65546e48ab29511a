// Applications whose messages wait for others, as programs of ranks.
#pragma once

#include <span>
#include <string_view>

#include "qosarb/policy/config_reader.hpp"
#include "qosarb/traffic/trace.hpp"

namespace qosarb {

/// What every application has: it repeats calculating and communicating.
struct Iterations {
  int ranks = 2;
  int count = 1;
  std::uint64_t calculate_ns = 0;  ///< of each rank, before it communicates
  std::uint64_t bytes = 1;         ///< of a message: see each kind
};

/// A program may have so many operations. Errors of what follows: TraceFault if it would have more.
inline constexpr std::uint32_t kMostOperations = 1U << 26U;

/// The collective operation of that name among all ranks, with `bytes` in each message: see
/// collective.hpp.
Trace allreduce(const Iterations& iterations);
Trace all_to_all(const Iterations& iterations);

/// Ranks in a torus of `dims` (their product is the number of ranks, the first varies fastest) send
/// `bytes` to both neighbours in each dimension, at once, and go on when all theirs have come.
Trace halo(const Iterations& iterations, std::span<const int> dims);

/// One entry of the list of applications.
struct ApplicationKind {
  std::string_view name;
  /// Reads its own keys. Errors: InputError.
  Trace (*make)(ConfigReader& reader, const Iterations& iterations);
};

/// All there are.
std::span<const ApplicationKind> applications();

}  // namespace qosarb
