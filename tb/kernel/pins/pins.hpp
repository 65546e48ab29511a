// The pins that all policies' modules have. `Build` has the class that Verilator made, Model, and
// the module's parameters: kQueues, kMaxPacketFlits and what else the policy has.
#pragma once

#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernel/fields.hpp"
#include "kernel/module.hpp"
#include "verilated.h"

namespace qosarb::test {

/// The bits of an index below `count`.
constexpr Index index_width(std::uint32_t count) {
  return count == 1 ? 1 : static_cast<Index>(std::bit_width(count - 1));
}

template <typename Build>
constexpr Index kQueueWidth = index_width(Build::kQueues);
template <typename Build>
constexpr Index kFlitsWidth = std::bit_width(Build::kMaxPacketFlits);

/// A module without a configuration: round robin.
template <typename Build>
class Pins : public Module {
 public:
  using Model = typename Build::Model;

  explicit Pins(VerilatedContext& context) : model_(&context, "") {}

  [[nodiscard]] RtlLimits limits() const override {
    RtlLimits limits{.queues = Build::kQueues, .packet_flits = Build::kMaxPacketFlits};
    if constexpr (requires { Build::kEntries; }) {
      limits.entries = Build::kEntries;
    }
    if constexpr (requires { Build::kQuantumWidth; }) {
      limits.quantum_bits = Build::kQuantumWidth;
    }
    return limits;
  }
  [[nodiscard]] Index latency() const override { return looks_ahead() ? 1 : 0; }
  [[nodiscard]] bool looks_ahead() const override {
    if constexpr (requires { Build::kLatency; }) {
      return Build::kLatency != 0;
    }
    return requires(Model & model) { model.next_valid_i; };
  }
  [[nodiscard]] bool idle_after_load() const override {
    if constexpr (requires { Build::kIdleAfterLoad; }) {
      return Build::kIdleAfterLoad != 0;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t longest_shown() const override {
    return requires(Model & model) { model.flits_i; }
    ? (1U << kFlitsWidth<Build>)-1 : 0;
  }

  /// Over any number of clock edges. Every queue shows packets in it, none of which may be granted
  /// or count.
  void reset(Random& random) override {
    model_.rst_ni = 1;
    settle();
    for (Index q = 0; q < Build::kQueues; ++q) {
      show(q, {.flits = 1, .next_flits = 1}, random);
    }
    ask(true, false);
    model_.rst_ni = 0;
    settle();
    check_silent();
    for (std::uint64_t edges = random.below(3); edges > 0; --edges) {
      clock_edge();
      check_silent();
      settle();
      check_silent();
    }
    model_.rst_ni = 1;
    for (Index q = 0; q < Build::kQueues; ++q) {
      show(q, {}, random);
    }
    ask(false, false);
    settle();
    check_silent();
  }

  void program(const ArbiterConfig& /*config*/, Random& /*random*/) override {}

  void show(Index queue, const Shown& shown, Random& random) override {
    set_field(model_.valid_i, queue, 1, shown.flits ? 1 : 0);
    set_field(model_.stopped_i, queue, 1, shown.stopped ? 1 : 0);
    show_lengths(model_, queue, shown, random);
  }
  void ask(bool request, bool load) override {
    model_.request_i = request ? 1 : 0;
    model_.load_i = load ? 1 : 0;
  }
  void settle() override { settle(model_); }
  void clock_edge() override { clock_edge(model_); }
  [[nodiscard]] Index granted() const override {
    return model_.grant_valid_o != 0 ? Index{model_.grant_queue_o} : -1;
  }
  [[nodiscard]] std::uint64_t one_hot() const override { return model_.grant_o; }

  [[nodiscard]] Model& model() { return model_; }

 protected:
  /// In a reset.
  virtual void check_silent() const {
    if (model_.grant_valid_o != 0 || model_.grant_o != 0) {
      throw Difference("something is granted in a reset");
    }
  }

  Model model_;

 private:
  // Behind registers (shown.py) a clock edge comes with the inputs of the next cycle.
  void settle(auto& model) {
    model.clk_i = 0;
    if constexpr (requires { model.show_i; }) {
      model.show_i = 0;
      model.eval();
      model.show_i = 1;
      model.clk_i = edge_is_due_ ? 1 : 0;
      edge_is_due_ = false;
    }
    model.eval();
  }
  void clock_edge(auto& model) {
    if constexpr (requires { model.show_i; }) {
      edge_is_due_ = true;
    } else {
      model.clk_i = 1;
      model.eval();
    }
  }

  static void show_lengths(auto& model, Index queue, const Shown& shown, Random& random) {
    const auto show = [&](auto& flits_i, std::optional<std::uint32_t> flits) {
      constexpr Index kWidth = kFlitsWidth<Build>;
      set_element(flits_i, queue, kWidth, flits ? *flits : random.below(1U << kWidth));
    };
    if constexpr (requires { model.flits_i; }) {
      show(model.flits_i, shown.flits);
    }
    if constexpr (requires { model.next_valid_i; }) {
      set_field(model.next_valid_i, queue, 1, shown.next_flits ? 1 : 0);
      show(model.next_flits_i, shown.next_flits);
    }
  }

  bool edge_is_due_ = false;
};

}  // namespace qosarb::test
