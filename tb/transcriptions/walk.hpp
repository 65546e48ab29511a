// Every input in every state that a small configuration can reach.
#pragma once

#include <cstdint>

#include "transcriptions/transcription.hpp"

namespace qosarb::test {

/// What was walked through, over all configurations.
struct WalkFigures {
  std::uint64_t configurations = 0;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;  ///< pairs of a state and an input
  std::uint64_t cycles = 0;       ///< more than transitions, as the way to some is known
};

/// Walks `module` and its reference of `config` through every state that can be reached by packets
/// of up to a flit more than the longest, none, and heads of 0 flits, each queue by itself and with
/// each of the module's stamps, in each of its surroundings; and in each state through every such
/// input, with a request, and one without. The states are those of the reference; the module has to
/// grant and to move as it does. Errors: Difference; std::runtime_error if there are more states
/// than a test can visit.
void walk(AnyTranscription& module, const ArbiterConfig& config, Random& random,
          WalkFigures& figures);

}  // namespace qosarb::test
