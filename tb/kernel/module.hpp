// A clocked module that decides for one port, RTL or mapped gates, beside the reference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cosim/rtl_limits.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "random/random.hpp"

namespace qosarb::test {

/// What a queue shows in a cycle: its first two packets, in flits.
struct Shown {
  std::optional<std::uint32_t> flits;
  std::optional<std::uint32_t> next_flits;
  bool stopped = false;
  AgeStamp stamp;
};

/// What a module has to answer to a cycle: its decision, which is of no queue where none was asked
/// for, and the state before it.
struct Expected {
  Decision decision;
  std::vector<std::uint64_t> state;
};

/// An adapter: the pins of one module. Inputs are those of a cycle, from settle() to clock_edge().
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  /// What a configuration may have.
  [[nodiscard]] virtual RtlLimits limits() const = 0;
  /// Cycles from a request to its answer.
  [[nodiscard]] virtual Index latency() const { return 0; }
  /// A decision takes one cycle more. In that cycle the winner is still shown, with what will be
  /// the head behind it, and a request that comes with a load has no answer.
  [[nodiscard]] virtual bool looks_ahead() const { return false; }
  /// The longest packet that the pins can show; 0 if they show no lengths.
  [[nodiscard]] virtual std::uint32_t longest_shown() const = 0;

  /// Heads that have not won may be dropped, and not only stay until they are granted.
  [[nodiscard]] virtual bool heads_may_go() const { return !looks_ahead(); }

  /// Packets may stand in queues that the configuration does not have: none of them is granted.
  [[nodiscard]] virtual bool passes_over_unused_queues() const { return false; }

  /// The answer to a request in the cycle behind a load or a reset is undefined: none comes in it.
  [[nodiscard]] virtual bool idle_after_load() const { return false; }

  /// After a reset and before its first request the module is loaded.
  [[nodiscard]] virtual bool starts_with_load() const { return false; }

  /// Resets the module, in the middle of anything. Errors: Difference if it grants in it.
  virtual void reset(Random& random) = 0;
  /// `config` stands at the pins from now on; its state begins after a reset or a load.
  virtual void program(const ArbiterConfig& config, Random& random) = 0;
  /// The reference of `config`, in cycle 0.
  virtual std::unique_ptr<Arbiter> reference(const ArbiterConfig& config) {
    return make_reference(config);
  }

  /// Where no packet is its length means nothing, so it must not matter: random bits stand there.
  virtual void show(Index queue, const Shown& shown, Random& random) = 0;
  virtual void ask(bool request, bool load) = 0;
  virtual void settle() = 0;
  virtual void clock_edge() = 0;

  /// The queue that is granted, -1 for none, and the one-hot form.
  [[nodiscard]] virtual Index granted() const = 0;
  [[nodiscard]] virtual std::uint64_t one_hot() const = 0;
  /// The state as the reference has it, or the first of its numbers; false where it cannot be seen.
  virtual bool append_state(std::vector<std::uint64_t>& /*numbers*/) const { return false; }
  /// The reference, in each cycle before it decides.
  virtual void watch(const Arbiter& /*reference*/) {}
  /// What else differs, in words; empty if nothing does. `before` was answered in the cycle before
  /// this one.
  [[nodiscard]] virtual std::string difference(const Decision& /*before*/) const { return {}; }
};

/// What was compared, and what came up in it.
struct ModuleFigures {
  std::uint64_t decisions = 0;
  std::uint64_t states = 0;
  std::uint64_t grants = 0;
  std::uint64_t contested = 0;     ///< grants with two or more active queues
  std::uint64_t back_to_back = 0;  ///< grants to the queue that was granted in the cycle before
  std::uint64_t loads = 0;         ///< under traffic
  std::uint64_t zero = 0;          ///< grants of heads that say they have no flits
  std::uint64_t too_long = 0;      ///< grants of heads longer than the configuration allows
};
std::string text_of(const ModuleFigures& figures);

/// The first difference between a module and its reference.
class Difference : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ModuleLife {
  Cycle cycles = 0;
  std::uint64_t load_once_in = 0;  ///< cycles; 0: never. A load brings another random table.
  bool all_queues = false;         ///< are in use
  bool steady = false;  ///< of run_backlog: nothing is stopped or lacks, and no length lies
};

/// One life of `module` from its reset on, under random tables and traffic of `policy`. Each answer
/// is compared with what the reference decided `latency` cycles before, and the state with the one
/// that it had then. Errors: Difference.
void run_life(Module& module, PolicyRef policy, Random& random, const ModuleLife& life,
              ModuleFigures& figures);

/// The same with queues that are mostly backlogged and a request in nearly each cycle: several
/// times as many contested grants a second. Of a module without a latency of more than one cycle,
/// and `life` has loads.
void run_backlog(Module& module, PolicyRef policy, Random& random, const ModuleLife& life,
                 ModuleFigures& figures);

}  // namespace qosarb::test
