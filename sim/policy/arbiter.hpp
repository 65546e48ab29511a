// The one interface through which anybody asks for a decision.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "qosarb/policy/config.hpp"
#include "qosarb/policy/narration.hpp"
#include "qosarb/policy/types.hpp"

namespace qosarb {

/// Chooses the next packet of one output port.
///
/// Three implementations exist: the references in sim/policy, the Verilated RTL, and lockstep
/// (both, compared at every decision). Ports, NICs and the event-log runner hold an Arbiter and
/// never ask which. The caller keeps the queues (see Port) and calls, in order of time:
///
///   advance(c, heads)   before anything happens in cycle c, if time moved on since the last call
///   arrive(...)         for each packet that arrives in cycle c
///   decide(c, heads)    at most once in cycle c, after the arrivals, stops and starts of that
///   cycle
class Arbiter {
 public:
  Arbiter() = default;
  Arbiter& operator=(const Arbiter&) = delete;
  virtual ~Arbiter() = default;

  /// All cycles before `now` end; since the last call the heads stood as given and, but for a
  /// decision already made, nothing was asked. Policies without a notion of time ignore it.
  virtual void advance(Cycle now, Heads heads);

  /// A packet arrives at `queue` in cycle `now` with `age`; returns what the packet has to carry.
  virtual AgeStamp arrive(Cycle now, Index queue, std::uint8_t age);

  /// False if advance() and arrive() do nothing, ever: nobody needs to call them.
  [[nodiscard]] virtual bool keeps_time() const { return true; }

  /// False if arrive() does nothing, ever: nobody needs to call it, nor advance() before it.
  [[nodiscard]] virtual bool stamps() const { return keeps_time(); }

  /// One arbitration in cycle `now`. The winner's head is taken from its queue by the caller.
  virtual Decision decide(Cycle now, Heads heads) = 0;

  /// The arbiter's state in one line, for people who look for a difference.
  [[nodiscard]] virtual std::string describe() const = 0;

  /// Appends all that later decisions depend on, besides time and heads, to `numbers`: two arbiters
  /// of one config with equal states go on alike. False, with nothing appended, where an
  /// implementation cannot tell; only the references have to.
  virtual bool append_state(std::vector<std::uint64_t>& numbers) const;

  /// An arbiter in the same state that goes on by itself, for whoever wants to know a decision
  /// without making it. It tells no narrator, and under seastar-age has a copy of the age clock.
  /// Null where an implementation cannot; only the references have to.
  [[nodiscard]] virtual std::unique_ptr<Arbiter> clone() const;

  /// The table entry that paid for the last grant (infiniband: the low table's entries count on
  /// behind the high table's); -1 before the first grant and for policies without a table.
  [[nodiscard]] virtual int paying_entry() const { return -1; }

  /// The turn of paying_entry() in which that was: two turns of one entry that follow each other
  /// have different numbers. 0 for policies without a table.
  [[nodiscard]] virtual std::uint64_t paying_turn() const { return 0; }

  /// From now on tells `narrator`, which is not owned, every step of arrive() and decide(); null:
  /// nobody. Only the references can tell; all others but lockstep ignore it.
  virtual void narrate(Narrator* narrator);

 protected:
  Arbiter(const Arbiter&) = default;

  /// For clone().
  template <typename Reference>
  static std::unique_ptr<Reference> copy_of(const Reference& arbiter) {
    auto copy = std::make_unique<Reference>(arbiter);
    copy->narrate(nullptr);
    return copy;
  }
};

/// The C++ reference of a policy, for a port that stands alone: under seastar-age it has an age
/// clock of its own (see make_reference_factory() for whole chips).
/// Errors: none; a config that parsed is one that the reference can run.
std::unique_ptr<Arbiter> make_reference(const ArbiterConfig& config);

/// Where an arbiter stands: "switch0" and "port3", or "host5" and "nic".
struct PortPlace {
  std::string chip;
  std::string port;
};

/// Builds the arbiter of a port. A switch is given one and never asks what it builds: references,
/// Verilated RTL, or both in lockstep.
using ArbiterFactory =
    std::function<std::unique_ptr<Arbiter>(const ArbiterConfig& config, const PortPlace& place)>;

/// Builds references; under seastar-age the ports of one chip share that chip's age clock, as long
/// as one of them lives.
ArbiterFactory make_reference_factory();

}  // namespace qosarb
