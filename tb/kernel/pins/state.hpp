// The state of an engine beside its reference, read at the engine's own outputs: the words are
// those that the policy's slot makes of them in a port (rtl/policy/qosarb_NAME_slot.sv).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"
#include "kernel/pins/pins.hpp"

namespace qosarb::test {

/// The pins of an engine, `EnginePins<Build>`, and the state at its outputs.
template <template <typename> typename EnginePins, typename Build>
class WithState : public EnginePins<Build>, private PortState {
 public:
  using EnginePins<Build>::EnginePins;

  void program(const ArbiterConfig& config, Random& random) override {
    EnginePins<Build>::program(config, random);
    config_ = config;
    policy_ = &rtl_of(config.policy);
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    EnginePins<Build>::append_state(numbers);
    policy_->append_state(*this, config_, numbers);
    return true;
  }

 private:
  [[nodiscard]] std::uint32_t state(std::size_t word) const override {
    switch (word) {
      case 0:
        return current_of(this->model_);
      case 1:
        return remaining_of(this->model_);
      default:
        return entry_of(this->model_, word - 2);
    }
  }
  [[nodiscard]] std::uint32_t own_state(std::size_t index) const override {
    return own_of(this->model_, index);
  }

  static std::uint32_t current_of(const auto& model) {
    if constexpr (requires { model.last_rr_o; }) {
      return model.last_rr_o;
    } else if constexpr (requires { model.last_red_o; }) {
      return model.last_red_o;
    } else {
      return model.current_o;
    }
  }
  static std::uint32_t remaining_of(const auto& model) {
    if constexpr (requires { model.remaining_o; }) {
      return model.remaining_o;
    }
    return 0;
  }
  static std::uint32_t entry_of(const auto& model, std::size_t entry) {
    if constexpr (requires { model.deficit_o; }) {
      return element(model.deficit_o, entry, index_width(Build::kMaxPacketFlits));
    } else if constexpr (requires {
                           model.left_o;
                           Build::kQuantumWidth;
                         }) {
      return element(model.left_o, entry, Build::kQuantumWidth);
    }
    return 0;
  }
  static std::uint32_t own_of(const auto& model, std::size_t index) {
    if constexpr (requires { model.assured_tokens_o; }) {
      constexpr Index kWidth = Build::kBurstWidth + 16;
      return element(index % 2 == 0 ? model.assured_tokens_o : model.peak_tokens_o, index / 2,
                     kWidth);
    } else if constexpr (requires { model.selected_sl_o; }) {
      return index == 0 ? (model.selected_o != 0 ? model.selected_sl_o + 1U : 0U) : model.behind_o;
    } else if constexpr (requires { model.low_current_o; }) {
      const std::array<std::uint32_t, 4> words = {model.low_current_o, model.low_remaining_o,
                                                  model.high_bytes_o, model.in_low_turn_o};
      return words.at(index);
    } else if constexpr (requires { model.last_age_o; }) {
      return index == 0 ? model.last_age_o : model.grants_o;
    } else if constexpr (requires { model.had_turn_o; }) {
      return model.had_turn_o;
    } else if constexpr (requires { model.behind_o; }) {
      return model.behind_o;
    }
    return 0;
  }

  ArbiterConfig config_;
  const PolicyRtl* policy_ = nullptr;  // of it
};

}  // namespace qosarb::test
