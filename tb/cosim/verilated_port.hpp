// A PortModel of a class that Verilator made.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <memory>
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

// The same in all builds.
constexpr std::size_t kFlitsBits = 10;  // of an element of flits_i
constexpr std::size_t kFieldBits = 9;   // of an element of age_field_i

// V is the class that Verilator made, with a name for what is inside of it; Queues its parameter.
template <typename V, int Queues>
class ModelOf final : public PortModel {
 public:
  ModelOf(VerilatedContext& context, const char* name)
      : v_(&context, name), root_(*v_.rootp), pins_{v_.clk_i,           v_.rst_ni,
                                                    v_.psel_i,          v_.penable_i,
                                                    v_.pwrite_i,        v_.paddr_i,
                                                    v_.pwdata_i,        v_.pstrb_i,
                                                    v_.pready_o,        v_.prdata_o,
                                                    v_.pslverr_o,       v_.request_i,
                                                    v_.grant_valid_o,   v_.age_timestamp_i,
                                                    v_.age_epoch_i,     v_.age_inhibit_i,
                                                    v_.left_o,          v_.left_epoch_o,
                                                    v_.left_age_o,      v_.age_clock_period_o,
                                                    v_.table_applied_o, v_.idle_o} {}

  [[nodiscard]] const Pins& pins() const override { return pins_; }
  void eval() override { v_.eval(); }
  void trace(VerilatedFstC& fst) override { v_.trace(&fst, 99); }

  void set_head(std::size_t queue, bool valid, std::uint32_t flits) override {
    set_field(v_.valid_i, queue, 1, valid ? 1 : 0);
    set_field(v_.flits_i, queue * kFlitsBits, kFlitsBits, flits);
  }
  void set_second(std::size_t queue, bool valid, std::uint32_t flits, AgeStamp stamp) override {
    set_field(v_.next_valid_i, queue, 1, valid ? 1 : 0);
    set_field(v_.next_flits_i, queue * kFlitsBits, kFlitsBits, flits);
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
  [[nodiscard]] std::uint32_t valid() const override { return v_.valid_i; }
  [[nodiscard]] std::uint32_t stopped() const override { return v_.pfc_stop_i; }
  [[nodiscard]] std::uint32_t grant() const override { return v_.grant_o; }
  [[nodiscard]] std::size_t grant_queue() const override { return v_.grant_queue_o; }
  [[nodiscard]] std::uint8_t request_bias(std::size_t input_port) const override {
    return static_cast<std::uint8_t>(field(v_.req_age_bias_o, 3 * input_port, 3));
  }
  [[nodiscard]] std::uint8_t response_bias(std::size_t input_port) const override {
    return static_cast<std::uint8_t>(field(v_.rsp_age_bias_o, 3 * input_port, 3));
  }

  [[nodiscard]] std::uint32_t state(std::size_t word) const override {
    return root_.qosarb_port__DOT__u_ports__DOT__state[word];
  }
  [[nodiscard]] std::uint32_t own_state(std::size_t index) const override {
    constexpr std::size_t kWords =
        sizeof(root_.qosarb_port__DOT__u_ports__DOT__state) / sizeof(EData);
    return state(kWords - (Queues > 2 ? 2 * Queues : 4) + index);
  }

  [[nodiscard]] bool counters_settled() const override {
    return root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__stays_q !=
               0 &&
           root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__snaps_q ==
               0 &&
           root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__clear_left_q ==
               0 &&
           root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__cleared_q ==
               0 &&
           root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__snapshot_left_q ==
               0 &&
           root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__copies_q ==
               0 &&
           root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__writes_copy_q ==
               0;
  }
  [[nodiscard]] std::size_t counters() const override {
    return sizeof(
               root_
                   .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_counters__DOT__words_q) /
           sizeof(QData);
  }
  void count_idle(std::uint64_t cycles) override {
    const std::uint32_t blocked = valid() & stopped();
    const std::uint32_t waiting = valid() & ~stopped();
    for (std::size_t q = 0; q < Queues; ++q) {
      if ((blocked >> q & 1U) != 0) {
        add_to_counter(2 * Queues + q, cycles);
      } else if ((waiting >> q & 1U) != 0) {
        add_to_counter(3 * Queues + q, cycles);
        add_to_wait(q, cycles);
      }
    }
    // What happens in each of these cycles to the counters behind those of the queues.
    const auto& others =
        root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__others_q;
    for (std::size_t c = 0; c < counters() - 4 * Queues; ++c) {
      if (field(others, c, 1) != 0) {
        add_to_counter(4 * Queues + c, cycles);
      }
    }
  }

 private:
  // A counter of 48 bits that wraps. Where the sweep has just read its word, or made the lower half
  // of the sum, the sum is written here and not by the RTL.
  void add_to_counter(std::size_t counter, std::uint64_t cycles) {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
    constexpr int kLower = 24;
    QData& word =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_counters__DOT__words_q
                [counter];
    auto& sums =
        root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__sums_q;
    auto& writes =
        root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__writes_q;
    if (sums != 0 &&
        root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__summed_q ==
            counter) {
      word =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_counters__DOT__read_data_q +
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__taken_q;
      sums = 0;
    } else if (
        writes != 0 &&
        root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__written_q ==
            counter) {
      word =
          (QData{
               root_
                   .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__upper_q}
           << kLower) +
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__lower_q;
      writes = 0;
    }
    word = (word + cycles) & kMask;
  }

  // What qosarb_port_waits knows of a queue's heads behind the one whose wait stands in the word.
  struct Waits {
    bool past = false;
    bool ended = false;
    std::uint32_t more = 0;
    std::uint32_t other = 0;
    std::uint32_t head = 0;
  };
  static constexpr std::size_t kLowBits = std::bit_width(2 * std::max(2U, unsigned{Queues}));
  static std::uint32_t later(std::uint32_t wait, std::uint64_t cycles) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(UINT32_MAX, wait + cycles));
  }
  // The word behind a visit of the sweep that finds this.
  static QData visited(QData word, const Waits& waits) {
    const std::uint32_t first = later(static_cast<std::uint32_t>(word), waits.more);
    const std::uint32_t longest =
        std::max({static_cast<std::uint32_t>(word >> 32), waits.past ? 0 : first, waits.other});
    return std::uint64_t{longest} << 32 | (waits.ended ? waits.head : first);
  }
  // The queue is visited out of turn, and its head waits for longer. Where its word has just been
  // read, or summed, the RTL writes what is put here in the word's place: as of a head that has
  // ended before the last snapshot, no longest wait follows from it.
  void add_to_wait(std::size_t q, std::uint64_t cycles) {
    auto& past =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__past_q;
    auto& ended =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__ended_q;
    auto& more =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__more_q;
    auto& other =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__other_q;
    auto& head =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__head_q;
    const bool of_copy =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__of_copy_q !=
        0;
    const bool sums =
        root_
            .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__sums_q !=
        0;
    const auto waited_until_now = [&](QData word) {
      word = visited(word, {.past = field(past, q, 1) != 0,
                            .ended = field(ended, q, 1) != 0,
                            .more = field(more, q * kLowBits, kLowBits),
                            .other = field(other, q * kLowBits, kLowBits),
                            .head = field(head, q * kLowBits, kLowBits)});
      return (word >> 32) << 32 | later(static_cast<std::uint32_t>(word), cycles);
    };
    if (sums && of_copy &&
        root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__visit_q ==
            q) {
      auto& taken =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__taken_q;
      auto& head_ended =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__ended_taken_q;
      QData& word =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__u_waits__DOT__read_data_q;
      word = waited_until_now(visited(
          word,
          {.past = field(taken, 2 * kLowBits, 1) != 0,
           .ended = head_ended != 0,
           .more = field(taken, kLowBits, kLowBits),
           .other = field(taken, 0, kLowBits),
           .head =
               root_
                   .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__head_taken_q}));
      taken = 0;
      set_field(taken, 2 * kLowBits, 1, 1);
      head_ended = 0;
    } else if (
        sums && !of_copy &&
        root_.qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__written_q ==
            q) {
      auto& longer =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__longer_q;
      auto& first =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__first_q;
      auto& first_past =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__first_past_q;
      auto& first_ended =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__first_ended_q;
      const QData word = waited_until_now(visited(
          QData{longer} << 32 | first,
          {.past = first_past != 0,
           .ended = first_ended != 0,
           .head =
               root_
                   .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__first_head_q}));
      longer = static_cast<std::uint32_t>(word >> 32);
      first = static_cast<std::uint32_t>(word);
      first_past = 1;
      first_ended = 0;
    } else {
      QData& word =
          root_
              .qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_waits__DOT__u_waits__DOT__words_q
                  [q];
      word = waited_until_now(word);
    }
    set_field(past, q, 1, 0);
    set_field(ended, q, 1, 0);
    for (auto* low : {&more, &other, &head}) {
      set_field(*low, q * kLowBits, kLowBits, 0);
    }
  }

  V v_;
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
      pins.clk_i = 0;
      port.eval();
      value = pins.prdata_o;
      pins.clk_i = 1;
      port.eval();
    }
    pins.psel_i = 0;
    pins.penable_i = 0;
    return value;
  };
  port.eval();
  pins.rst_ni = 1;
  const std::uint32_t sizes = read(QOSARB_PORT_SIZES_OFFSET);
  return {static_cast<int>(QOSARB_PORT_SIZES_QUEUES_GET(sizes)),
          QOSARB_PORT_SIZES_ENTRIES_GET(sizes),
          QOSARB_PORT_SIZES_QUANTUM_WIDTH_GET(sizes),
          read(QOSARB_PORT_PACKET_LIMIT_OFFSET),
          read(QOSARB_PORT_POLICIES_OFFSET),
          0};
}

/// The build whose class V is. The parameters are those that CMakeLists.txt gives it.
template <typename V, int Queues, int Vcs>
PortBuild build(std::string_view name, Cycle latency = 0) {
  PortBuild result;
  result.name = name;
  result.latency = latency;
  result.make = [](VerilatedContext& context, const char* scope) -> std::unique_ptr<PortModel> {
    return std::make_unique<ModelOf<V, Queues>>(context, scope);
  };
  VerilatedContext context;
  context.threads(1);
  std::array<const char*, 1> arguments = {"qosarb"};
  context.commandArgs(static_cast<int>(arguments.size()), arguments.data());
  result.limits = limits_of(*result.make(context, ""));
  result.limits.vcs = Vcs;
  return result;
}

}  // namespace qosarb::verilated
