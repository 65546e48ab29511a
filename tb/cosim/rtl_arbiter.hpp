// The Verilated output port as an arbiter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cosim/lockstep.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/chip_clock.hpp"

namespace qosarb {

class RtlAgeChip;
class RtlPort;
struct PortBuild;
class Waves;

/// Decides by the Verilated module qosarb_port, in the smallest build that can hold the config. It
/// is reset and programmed through its APB as a driver would do it, and is then in cycle 0 of the
/// simulation.
///
/// Between two calls the candidates stand still and nothing is requested. All that changes in such
/// cycles are the counters of blocked and waiting cycles, which grow evenly. So the port is clocked
/// as long as something else can change, and the counters are set forward over the rest. The
/// registers and decisions are those of a port that is clocked in every cycle. Under trtcm every
/// cycle fills the buckets, so it is clocked in each.
///
/// A build with Latency 1 answers a cycle after the request, from registers. It is clocked on to
/// that cycle at once, so that decide() tells the same as with any other build; in the cycle of the
/// answer it is still shown the packet that was granted, and behind it what the queue has by then.
/// Such a build cannot have a waveform.
class RtlArbiter final : public Arbiter, public LateState, public SharesChipClock {
 public:
  enum class Clocking {
    /// At each decision, and in one cycle whenever the heads have changed in between: what
    /// a port does that is not asked can be seen.
    WhenNeeded,
    AtDecisions,  ///< only, where the policy allows it: the quickest
    EveryCycle,   ///< the plain way, to compare with
    Gated,        ///< in every cycle, but those in which idle_o says that there is no need
  };
  struct Options {
    /// The file that the config comes from, for messages.
    std::string config_file;
    Clocking clocking = Clocking::WhenNeeded;
    /// seastar-age: what the ports of the chip share; null: a chip of the port's own.
    std::shared_ptr<RtlAgeChip> age_chip;
    /// Shows this port, clocked in every cycle by Waves::end_of_cycle(); must outlive the arbiter.
    Waves* waves = nullptr;
    /// Given to the RTL; only test builds of it look at them.
    std::vector<std::string> plusargs;
    /// The build to take; null: the smallest of those that ship in which the config fits.
    const PortBuild* build = nullptr;
    /// What commit() will bring into force: the build must hold it, too.
    std::span<const ArbiterConfig> commits{};
  };

  /// Errors: InputError if the RTL cannot hold `config` or refuses it.
  RtlArbiter(const ArbiterConfig& config, const PortPlace& place, const Options& options);
  ~RtlArbiter() override;
  RtlArbiter(const RtlArbiter&) = delete;
  RtlArbiter& operator=(const RtlArbiter&) = delete;

  void advance(Cycle now, Heads heads) override;
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override;
  void enter_elsewhere(Cycle now, std::uint32_t packets) override;
  void leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) override;
  /// Errors: Mismatch if the grant's one-hot and index forms disagree, or an empty or stopped queue
  /// is granted.
  Decision decide(Cycle now, Heads heads) override;
  /// The state as the reference of the same policy holds it, in the cycle that the last advance()
  /// reached; a decision shows in it after the next one.
  [[nodiscard]] std::string describe() const override;
  bool append_state(std::vector<std::uint64_t>& numbers) const override;

  /// Writes another configuration while time goes on, one APB transfer after the other, and commits
  /// it. `config` must be one that the RTL can hold. Only when no reprogramming() is under way.
  void reprogram(const ArbiterConfig& config);
  [[nodiscard]] bool reprogramming() const;
  /// How many commits took effect in the cycles that have passed, the first one being that of the
  /// constructor. The arbiter starts over with each.
  [[nodiscard]] std::uint64_t tables_applied() const;

  /// Cycles from a request to its answer.
  [[nodiscard]] Cycle latency() const;
  /// A commit takes effect at the end of the present cycle. With latency() a request in it would
  /// have no answer, so nothing may be decided in it.
  [[nodiscard]] bool applies_table();

  /// Commits another configuration, beside simulated time: it is in force from the present cycle
  /// on, before anything happens in it. Not while reprogramming(). Errors: InputError naming
  /// Options::config_file if the RTL refuses it.
  void commit(const ArbiterConfig& config);

  /// Resets the port, between two cycles: from now on it is round robin over its queues. What
  /// reprogram() and queue_read() have begun is forgotten.
  void reset();
  /// Begins an APB read of the register at `offset`, which goes on with simulated time. While it is
  /// under way reprogramming() is true. Only when that is not.
  void queue_read(std::uint32_t offset);
  /// Begins the write that takes a snapshot of the counters of all queues, in the same way; it is
  /// taken when reprogramming() is false again. It holds what happened before the cycle of its
  /// access, snapshot_cycle().
  void queue_snapshot();
  [[nodiscard]] Cycle snapshot_cycle() const;
  struct Read {
    Cycle cycle = 0;  ///< of the access
    std::uint32_t offset = 0;
    std::uint32_t value = 0;
  };
  /// The answers since the last call.
  std::vector<Read> take_reads();

  /// Makes the last clock edge, behind which a check that is bound to the RTL can fail. Errors:
  /// Mismatch if one does.
  void finish();

  /// The value of a register at `offset` (qosarb_port_regs.h), read by an APB transfer that takes
  /// two cycles beside simulated time. The port sees its candidates, but no request, in them.
  /// Errors: std::logic_error if the RTL answers with an error.
  std::uint32_t read_register(std::uint32_t offset);
  /// Takes a snapshot of the counters of all queues, which are then read, by APB transfers as
  /// read_register() makes them.
  void snapshot();

  /// Clock edges so far, those of programming included.
  [[nodiscard]] std::uint64_t edges() const;

 private:
  std::unique_ptr<RtlPort> port_;
};

}  // namespace qosarb
