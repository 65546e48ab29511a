// The Verilated netlist: its pins, its clock and, for power, its waveform.
#pragma once

#include <verilated.h>
#ifdef QOSARB_ACTIVITY
#include <verilated_vcd_c.h>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "Vgates.h"

namespace qosarb::gate_level {

/// Writes `width` bits from bit `lsb` on, whatever type Verilator chose for the port.
template <typename T>
void put(T& port, std::size_t lsb, std::size_t width, std::uint64_t value) {
  for (std::size_t i = 0; i < width; ++i) {
    const bool bit = ((value >> i) & 1U) != 0;
    const std::size_t position = lsb + i;
    if constexpr (std::is_integral_v<T>) {
      const T mask = static_cast<T>(T{1} << position);
      port = static_cast<T>(bit ? (port | mask) : (port & static_cast<T>(~mask)));
    } else {
      const std::uint32_t mask = 1U << (position % 32);
      auto& word = port[position / 32];
      word = bit ? (word | mask) : (word & ~mask);
    }
  }
}

/// Element `index` of an array whose elements have `width` bits.
template <typename T>
void put_element(T& port, std::size_t index, std::size_t width, std::uint64_t value) {
  put(port, index * width, width, value);
}

/// A netlist after reset and a load. Its registers at inputs and outputs make what is put in before
/// one clock edge decide in the cycle after it, and show the outputs of a cycle after its end.
class Netlist {
 public:
  explicit Netlist(VerilatedContext& context) : model_(&context) {
    no_faults(model_);
    model_.rst_ni = 0;
    model_.load_i = 0;
    model_.request_i = 0;
    for (int i = 0; i < 4; ++i) clock();
    model_.rst_ni = 1;
    model_.load_i = 1;  // as a commit does before a policy is asked
    clock();
  }

  [[nodiscard]] Vgates& pins() { return model_; }
  [[nodiscard]] const Vgates& pins() const { return model_; }

  void clock() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
#ifdef QOSARB_ACTIVITY
    if (tracing_) vcd_.dump(++time_);
#endif
  }

#ifdef QOSARB_ACTIVITY
  /// From now on, the values after each clock edge go into `file`.
  void trace(const char* file) {
    model_.trace(&vcd_, 1);
    vcd_.open(file);
    tracing_ = true;
  }
  void end_trace() {
    if (tracing_) vcd_.close();
    tracing_ = false;
  }
#endif

  /// The queue granted, -1 for none.
  [[nodiscard]] int granted() const {
    return model_.grant_valid_o ? static_cast<int>(model_.grant_queue_o) : -1;
  }
  [[nodiscard]] std::uint64_t one_hot() const { return model_.grant_o; }

 private:
  static void no_faults(auto& pins) {
    if constexpr (requires { pins.fault_i; }) pins.fault_i = 0;
  }

  Vgates model_;
#ifdef QOSARB_ACTIVITY
  VerilatedVcdC vcd_;
  bool tracing_ = false;
  std::uint64_t time_ = 0;
#endif
};

}  // namespace qosarb::gate_level
