// From a config and an event log that fail to small ones that still do.
#pragma once

#include <functional>
#include <optional>

#include "qosarb/events/event_log.hpp"

namespace qosarb {

/// The cycle in which a case fails first; nothing if it does not fail or cannot be run at all. The
/// same case must always give the same answer.
using Fails = std::function<std::optional<Cycle>(const LogCase&)>;

/// How far shrink() is.
struct ShrinkProgress {
  std::size_t events = 0;  ///< of the smallest case that failed so far
  int runs = 0;            ///< calls of Fails
};

struct Shrunk {
  LogCase smallest;
  int runs = 0;
};

/// A small case that fails as `failing` does, or in another way: all that counts is fails().
///
/// Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input",
/// IEEE TSE 28(2), 2002), in which complements alone are tested. What follows the failure is cut
/// off. Chunks of events are left out, halves first and single events last; then packets together
/// with the arbitration that serves them, in a short log any two and any three events, queues, and
/// table entries. When nothing more can be left out all numbers are lowered: queues, packets, ages,
/// cycles, weights, limits. That is repeated until lower numbers let nothing more be left out. No
/// single event of the outcome can be left out, unless more than 100 are left: such a log is worked
/// on only while a round takes a tenth of it away. A smaller case that takes several steps at once
/// may exist.
///
/// Every case that is tried is a valid one: its config can be written, read back and, where it was
/// strict, is strict, and its log suits it. Of a raw case the same holds for each section, and no
/// smaller one has more packets whose length lies.
///
/// Nothing if `failing` does not fail. `progress` may be empty; else it is called after each run.
/// Errors: those of `fails`.
std::optional<Shrunk> shrink(const LogCase& failing, const Fails& fails,
                             const std::function<void(const ShrinkProgress&)>& progress = {});

}  // namespace qosarb
