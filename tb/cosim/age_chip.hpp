// The Verilated parts of a chip that its seastar-age ports share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "qosarb/policy/types.hpp"

namespace qosarb {

class Waves;

/// The RTL of the age clock and of the input side (Procedures 3 and 1 of the Cray XT paper) of one
/// chip, clocked in step with its ports.
///
/// Like AgeClock, whose RTL it is: ports may call in any order within a cycle, but never for a
/// cycle that has passed. Cycles in which nothing but the countdown changes are leapt over.
class RtlAgeChip {
 public:
  /// A chip in reset, whose clock then stands until it gets a period. `name` is that of the chip's
  /// scope in a waveform; `waves` clocks it if given, and must outlive it; `plusargs` are the
  /// RTL's.
  explicit RtlAgeChip(const std::string& name, Waves* waves = nullptr,
                      const std::vector<std::string>& plusargs = {});
  ~RtlAgeChip();
  RtlAgeChip(const RtlAgeChip&) = delete;
  RtlAgeChip& operator=(const RtlAgeChip&) = delete;

  /// Another output port; returns its number. Errors: std::length_error beyond 64 ports.
  unsigned add_port();
  /// Cycles for each unit of age: what the clock sees from cycle `since` on, or from the present
  /// one if that is later. While Waves clocks, `since` is not looked at.
  void set_period(std::uint32_t period, Cycle since);

  /// Ends all cycles before `now`. While Waves clocks, its end_of_cycle() does that.
  void advance(Cycle now);
  /// A packet arrives in the present cycle `now` and is stamped.
  AgeStamp arrive(Cycle now, std::uint8_t age, bool response, std::uint8_t request_bias,
                  std::uint8_t response_bias);
  /// Port `port` grants a packet of epoch `epoch` in the present cycle `now`.
  void leave(Cycle now, unsigned port, bool epoch);

  /// `packets` that go to ports without RTL arrive in the present cycle.
  void enter(Cycle now, std::uint32_t packets);
  /// Such ports grant `packets` of epoch `epoch` in the present cycle, but no more than are there.
  void leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets);

  [[nodiscard]] std::uint8_t timestamp() const;
  [[nodiscard]] bool epoch() const;
  [[nodiscard]] bool inhibit() const;
  /// Whether a check that is bound to the clock or the input side has failed.
  [[nodiscard]] bool failed_a_check() const;
  [[nodiscard]] std::string describe() const;
  /// The numbers of AgeClock::append_state().
  void append_state(std::vector<std::uint64_t>& numbers) const;

 private:
  class Rtl;
  std::unique_ptr<Rtl> rtl_;
};

}  // namespace qosarb
