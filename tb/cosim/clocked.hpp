// What a waveform clocks and shows.
#pragma once

class VerilatedFstC;

namespace qosarb {

/// A Verilated model with a clock that Waves drives.
class Clocked {
 public:
  Clocked() = default;
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;
  virtual ~Clocked() = default;
  /// The end of a cycle.
  virtual void clock_edge() = 0;
  /// Makes all signals part of a waveform that is not open yet.
  virtual void trace(VerilatedFstC& fst) = 0;
};

}  // namespace qosarb
