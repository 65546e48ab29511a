// A PortModel of a class that Verilator made.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cosim/port_model.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "verilated_fst_c.h"

namespace qosarb::verilated {

// A packed vector is an integer of up to 64 bits, or an array of words.

template <typename T>
std::uint32_t field(const T& vector, std::size_t bit, std::size_t width) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint32_t>((std::uint64_t{vector} >> bit) & ((1ULL << width) - 1));
  } else {
    const std::uint64_t low = vector[bit / 32];
    const bool has_more = bit / 32 + 1 < sizeof(T) / sizeof(EData);
    const std::uint64_t high = has_more ? vector[bit / 32 + 1] : 0;
    return static_cast<std::uint32_t>(((high << 32 | low) >> (bit % 32)) & ((1ULL << width) - 1));
  }
}

template <typename T>
void set_field(T& vector, std::size_t bit, std::size_t width, std::uint32_t value) {
  if constexpr (std::is_integral_v<T>) {
    const std::uint64_t mask = ((1ULL << width) - 1) << bit;
    vector = static_cast<T>((std::uint64_t{vector} & ~mask) | std::uint64_t{value} << bit);
  } else {
    const std::uint64_t mask = ((1ULL << width) - 1) << (bit % 32);
    const std::uint64_t shifted = std::uint64_t{value} << (bit % 32);
    EData& low = vector[bit / 32];
    low = (low & ~static_cast<EData>(mask)) | static_cast<EData>(shifted);
    if ((mask >> 32) != 0) {
      EData& high = vector[bit / 32 + 1];
      high = (high & ~static_cast<EData>(mask >> 32)) | static_cast<EData>(shifted >> 32);
    }
  }
}

constexpr std::size_t kFieldBits = 9;  // of an element of age_field_i, in all builds

// V is the class that Verilator made, with a name for what is inside of it; Queues its parameter,
// FlitsBits the bits of an element of flits_i.
template <typename V, int Queues, std::size_t FlitsBits>
class ModelOf final : public PortModel {
 public:
  ModelOf(VerilatedContext& context, const char* name)
      : v_(&context, name), root_(*v_.rootp), pins_{v_.rst_ni,
                                                    v_.psel_i,
                                                    v_.penable_i,
                                                    v_.pwrite_i,
                                                    v_.paddr_i,
                                                    v_.pwdata_i,
                                                    v_.pstrb_i,
                                                    v_.pready_o,
                                                    v_.prdata_o,
                                                    v_.pslverr_o,
                                                    v_.request_i,
                                                    v_.grant_valid_o,
                                                    v_.age_timestamp_i,
                                                    v_.age_epoch_i,
                                                    v_.age_inhibit_i,
                                                    v_.left_o,
                                                    v_.left_epoch_o,
                                                    v_.left_age_o,
                                                    v_.age_clock_period_o,
                                                    v_.table_applied_o,
                                                    v_.idle_o} {
    v_.eval();
  }

  [[nodiscard]] const Pins& pins() const override { return pins_; }
  void show() override { evaluate(false, true); }
  void clock() override { evaluate(true, false); }
  void clock_and_show() override { evaluate(true, true); }
  void trace(VerilatedFstC& fst) override {
    if constexpr (requires { v_.trace(&fst, 99); }) {
      v_.trace(&fst, 99);
      traced_ = true;
    } else {
      throw std::logic_error("this port was built without waveforms");
    }
  }

  void set_head(std::size_t queue, bool valid, std::uint32_t flits) override {
    set_field(v_.valid_i, queue, 1, valid ? 1 : 0);
    set_field(v_.flits_i, queue * FlitsBits, FlitsBits, flits);
  }
  void set_second(std::size_t queue, bool valid, std::uint32_t flits, AgeStamp stamp) override {
    set_field(v_.next_valid_i, queue, 1, valid ? 1 : 0);
    set_field(v_.next_flits_i, queue * FlitsBits, FlitsBits, flits);
    set_field(v_.next_age_field_i, queue * kFieldBits, kFieldBits, stamp.field);
    set_field(v_.next_age_in_epoch_i, queue, 1, stamp.epoch ? 1 : 0);
  }
  void set_stopped(std::size_t queue, bool stopped) override {
    set_field(v_.pfc_stop_i, queue, 1, stopped ? 1 : 0);
  }
  void set_stamp(std::size_t queue, AgeStamp stamp) override {
    set_field(v_.age_field_i, queue * kFieldBits, kFieldBits, stamp.field);
    set_field(v_.age_in_epoch_i, queue, 1, stamp.epoch ? 1 : 0);
  }
  [[nodiscard]] std::uint32_t grant() const override { return v_.grant_o; }
  [[nodiscard]] std::size_t grant_queue() const override { return v_.grant_queue_o; }
  [[nodiscard]] std::uint8_t request_bias(std::size_t input_port) const override {
    return static_cast<std::uint8_t>(field(v_.req_age_bias_o, 3 * input_port, 3));
  }
  [[nodiscard]] std::uint8_t response_bias(std::size_t input_port) const override {
    return static_cast<std::uint8_t>(field(v_.rsp_age_bias_o, 3 * input_port, 3));
  }

  [[nodiscard]] std::uint32_t state(std::size_t word) const override {
    return root_.port_pins__DOT__qosarb_port__DOT__u_ports__DOT__state[word];
  }
  [[nodiscard]] std::uint32_t own_state(std::size_t index) const override {
    constexpr std::size_t kWords =
        sizeof(root_.port_pins__DOT__qosarb_port__DOT__u_ports__DOT__state) / sizeof(EData);
    return state(kWords - (Queues > 2 ? 2 * Queues : 4) + index);
  }

  [[nodiscard]] bool counters_settled() const override { return v_.settled_o != 0; }
  [[nodiscard]] std::size_t counters() const override { return v_.counters_o; }
  void leap(std::uint64_t cycles, bool counted, bool edge_is_due) override {
    Leap& to = edge_is_due ? asked_ : next_;
    to.any = true;
    for (std::size_t q = 0; q < Queues; ++q) {
      if (field(v_.valid_i, q, 1) != 0) {
        to.cycles[field(v_.pfc_stop_i, q, 1) != 0 ? q : Queues + q] += cycles;
      }
    }
    for (std::size_t other = 2 * Queues; counted && other < kLeapt; ++other) {
      to.cycles[other] += field(v_.counted_o, other - 2 * Queues, 1) != 0 ? cycles : 0;
    }
  }

 private:
  // What rises stays high until the next evaluation, as waveforms show it. A leap is made up for in
  // an evaluation that comes anyway.
  void evaluate(bool clocks, bool shows) {
    if (due_) {
      v_.clk_i = 0;
      v_.show_i = 0;
      v_.leap_i = 1;
      eval();
      v_.leap_i = 0;
    } else {
      fall();
    }
    v_.clk_i = clocks ? 1 : 0;
    v_.show_i = shows ? 1 : 0;
    eval();
    due_ = clocks && next_.any;
    if (due_) {
      std::copy(next_.cycles.begin(), next_.cycles.end(), &v_.leap_cycles_i[0]);
    }
    if (clocks && (next_.any || asked_.any)) {
      next_ = std::exchange(asked_, {});
    }
    if (v_.rst_ni == 0 && (due_ || next_.any || asked_.any)) {  // it clears what was counted
      due_ = false;
      next_ = {};
      asked_ = {};
    }
  }

  // What rose falls. Nothing waits for that, so where it is known how Verilator remembers it, no
  // evaluation has to find out.
  void fall() {
    if constexpr (requires { root_.__Vtrigprevexpr___TOP__clk_i__0; }) {
      root_.__Vtrigprevexpr___TOP__clk_i__0 = 0;
      root_.__Vtrigprevexpr___TOP__show_i__0 = 0;
    } else if constexpr (requires { root_.__Vtrigrprev__TOP__clk_i; }) {  // Verilator 5.006
      root_.__Vtrigrprev__TOP__clk_i = 0;
      root_.__Vtrigrprev__TOP__show_i = 0;
    } else {
      v_.clk_i = 0;
      v_.show_i = 0;
      eval();
    }
  }

  // The model has been evaluated once, in the constructor.
  void eval() {
    if (traced_) {
      v_.eval();
    } else {
      evaluate_alone(v_);  // of the header that cmake/join_model.cmake writes
    }
  }

  V v_;
  bool traced_ = false;
  static constexpr std::size_t kLeapt =
      sizeof(V::leap_cycles_i) / sizeof(std::uint64_t);  // as port_pins.sv has them
  struct Leap {
    std::array<std::uint64_t, kLeapt> cycles{};
    bool any = false;
  };
  Leap asked_;        // before the edge that was due
  Leap next_;         // made up for behind the next edge
  bool due_ = false;  // behind that: in the next evaluation
  decltype(*std::declval<V>().rootp) root_;
  Pins pins_;
};

inline RtlLimits limits_of(PortModel& port) {
  const PortModel::Pins& pins = port.pins();
  const auto read = [&](std::uint32_t offset) {
    std::uint32_t value = 0;
    pins.paddr_i = static_cast<SData>(offset);
    pins.psel_i = 1;
    for (const int enable : {0, 1}) {
      pins.penable_i = static_cast<CData>(enable);
      port.show();
      value = pins.prdata_o;
      port.clock();
    }
    pins.psel_i = 0;
    pins.penable_i = 0;
    return value;
  };
  pins.rst_ni = 1;
  const std::uint32_t sizes = read(QOSARB_PORT_SIZES_OFFSET);
  return {static_cast<int>(QOSARB_PORT_SIZES_QUEUES_GET(sizes)),
          QOSARB_PORT_SIZES_ENTRIES_GET(sizes),
          QOSARB_PORT_SIZES_QUANTUM_WIDTH_GET(sizes),
          read(QOSARB_PORT_PACKET_LIMIT_OFFSET),
          read(QOSARB_PORT_POLICIES_OFFSET),
          0};
}

/// The build whose class V is. The parameters are those that CMakeLists.txt gives it. Errors:
/// std::logic_error for a MaxPacketFlits of other than FlitsBits bits.
template <typename V, int Queues, int Vcs, std::size_t FlitsBits = 10>
PortBuild build(std::string_view name, Cycle latency = 0) {
  PortBuild result;
  result.name = name;
  result.latency = latency;
  result.make = [](VerilatedContext& context, const char* scope) -> std::unique_ptr<PortModel> {
    return std::make_unique<ModelOf<V, Queues, FlitsBits>>(context, scope);
  };
  VerilatedContext context;
  context.threads(1);
  std::array<const char*, 1> arguments = {"qosarb"};
  context.commandArgs(static_cast<int>(arguments.size()), arguments.data());
  result.limits = limits_of(*result.make(context, ""));
  result.limits.vcs = Vcs;
  if (std::cmp_not_equal(std::bit_width(result.limits.packet_flits), FlitsBits)) {
    throw std::logic_error("the lengths of a port's heads have another width");
  }
  return result;
}

}  // namespace qosarb::verilated
