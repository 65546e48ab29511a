// Who writes and reads the registers of a port.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "cosim/port_model.hpp"
#include "cosim/programming.hpp"
#include "cosim/rtl_arbiter.hpp"

namespace qosarb {

/// The master of a port's APB: one whole transfer at a time beside the simulated cycles, or queued
/// ones that go on with them, one phase in each cycle.
class ApbDriver {
 public:
  /// `settle` lets the port follow its pins, `clock_edge` ends a cycle of it.
  ApbDriver(const PortModel::Pins& pins, std::function<void()> settle,
            std::function<void()> clock_edge)
      : pins_(pins), settle_(std::move(settle)), clock_edge_(std::move(clock_edge)) {}

  /// Two clock cycles; the word read. Errors: std::logic_error if the port answers with an error.
  std::uint32_t transfer(bool write, std::uint32_t offset, std::uint32_t value = 0);

  /// Queues transfers; `aftermath` cycles after the last one may still change something.
  void write(const std::vector<RegisterWrite>& writes, Cycle aftermath);
  void read(std::uint32_t offset);
  /// The cycle of the access of the last queued write.
  [[nodiscard]] Cycle last_write() const { return last_write_; }
  /// True as long as queued transfers, or what they set off, go on.
  [[nodiscard]] bool busy() const { return busy_ > 0; }
  /// The cycle begins: idle, setup, or access after a setup.
  void begin_cycle();
  /// The cycle `now` ends, before its clock edge. Errors: std::logic_error if the port answers with
  /// an error.
  void end_cycle(Cycle now);
  /// Drops what is queued.
  void reset();

  /// The answers to queued reads since the last call.
  std::vector<RtlArbiter::Read> take_reads() { return std::exchange(reads_, {}); }

 private:
  struct Transfer {
    bool write = false;
    RegisterWrite word;
  };

  const PortModel::Pins& pins_;
  std::function<void()> settle_;
  std::function<void()> clock_edge_;
  std::deque<Transfer> queued_;
  std::vector<RtlArbiter::Read> reads_;
  Cycle busy_ = 0;
  Cycle last_write_ = 0;
};

}  // namespace qosarb
