// A waveform of the RTL of all ports.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cosim/layout.hpp"
#include "qosarb/policy/types.hpp"

class VerilatedContext;
class VerilatedFstC;

namespace qosarb {

class Clocked;
class UnfinishedWaveform;

/// The cycles that a waveform shows, both included.
struct TraceWindow {
  Cycle from = 0;
  Cycle to = std::numeric_limits<Cycle>::max();
};

/// Writes an FST file in which one cycle is 1 ns: cycle c begins at c ns, shows its candidates and
/// its decision, and has its clock edge, after which the new state shows, in its middle. A layout
/// for GTKWave is written beside it, with the suffix .gtkw instead of .fst. Until it is complete
/// the file is FILE.part and the number of the process, so that runs at the same time do not meet,
/// and what FILE was before stays. Of a process that a signal ends that is left; the writer of FST
/// can learn by a signal that the disk is full. A program whose signals are its own has
/// InterruptsRemoveWaves (cosim/interrupts_remove_waves.hpp) against it.
///
/// Models join as their arbiters are built; the window's first cycle begins the file. For each
/// cycle that concerns() it, every port must have been brought to its end (Port::reach(now + 1))
/// before end_of_cycle(now) is called. From the window's first cycle to its last that clocks them
/// all; before and after it they are clocked as without a waveform.
class Waves {
 public:
  /// Both go where links of their names end. Errors: InputError if `file` cannot be written, or it
  /// or its layout is there and not a plain file (output_place()).
  explicit Waves(const std::string& file, TraceWindow window = {});
  ~Waves();
  Waves(const Waves&) = delete;
  Waves& operator=(const Waves&) = delete;

  /// True for the cycles of the window and the one before it.
  [[nodiscard]] bool concerns(Cycle now) const {
    return now + 1 >= window_.from && now <= window_.to;
  }
  /// The next of them after `now`; behind the last one none that there is.
  [[nodiscard]] Cycle next_after(Cycle now) const {
    const Cycle next = now + 1 < window_.from ? window_.from - 1 : now + 1;
    return next <= window_.to ? next : std::numeric_limits<Cycle>::max();
  }
  /// Errors: the first Mismatch that a model finds at its clock edge, once the cycle is written.
  void end_of_cycle(Cycle now);

  /// Completes the file, with a marker of the layout at the beginning of cycle `marked` if given.
  /// Of the layout's ports those come first, and the first of them opened, whose path begins with
  /// `first`.
  /// Errors: InputError if the file did not become complete, or the run ended before the window.
  void finish(std::optional<Cycle> marked = std::nullopt, const std::string& first = {});
  /// Puts what is complete in its place. Without it nothing is left of the waveform.
  /// Errors: InputError if it cannot get there.
  void put_in_place();
  /// Both.
  void close(std::optional<Cycle> marked = std::nullopt, const std::string& first = {});

  /// The same after a failed check, a mismatch in cycle `marked` for one. What cannot be written is
  /// said on stderr and no error: the failure is what has to be reported.
  void close_after_failure(std::optional<Cycle> marked, const std::string& first = {});

  /// Where the layout of a waveform goes.
  static std::string layout_beside(const std::string& file);

  /// For the arbiters: the context of their models, a model that joins, and what a layout shows of
  /// it; whether the waveform clocks the models now.
  VerilatedContext& context() { return *context_; }
  void add(Clocked& model);
  void show(LayoutScope scope) { scopes_.push_back(std::move(scope)); }
  [[nodiscard]] bool clocks() const { return clocks_; }

 private:
  std::string file_;
  std::string layout_;
  std::string file_place_;  ///< where links end
  std::string layout_place_;
  std::string part_;  ///< follows both places until they are complete
  TraceWindow window_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<VerilatedFstC> fst_;
  std::vector<Clocked*> models_;
  std::vector<LayoutScope> scopes_;
  bool clocks_ = false;
  bool open_ = false;
  bool begun_ = false;
  std::unique_ptr<UnfinishedWaveform> unfinished_;
};

}  // namespace qosarb
