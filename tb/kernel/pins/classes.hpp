// trtcm: the rates, bursts and priorities of its classes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "kernel/pins/pins.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::test {

template <typename Build>
class ClassPins : public Pins<Build> {
 public:
  using Pins<Build>::Pins;

  [[nodiscard]] RtlLimits limits() const override {
    RtlLimits limits = Pins<Build>::limits();
    limits.quantum_bits = Build::kBurstWidth;
    return limits;
  }
  [[nodiscard]] bool starts_with_load() const override { return true; }

  void show(Index queue, const Shown& shown, Random& random) override {
    Pins<Build>::show(queue, shown, random);
    heads_.at(queue) = shown.flits;
  }
  void watch(const Arbiter& reference) override {
    const auto& classes = dynamic_cast<const TwoRateArbiter&>(reference);
    for (Index q = 0; q < Build::kQueues; ++q) {
      colours_.at(q).reset();
      if (heads_.at(q)) {
        colours_.at(q) = classes.colour(q, std::max(1U, *heads_.at(q)));
      }
    }
  }
  /// The colours of the heads, where they are seen in the cycle of the decision.
  [[nodiscard]] std::string difference(const Decision& /*before*/) const override {
    return difference(this->model_);
  }

  // A class without a queue would be one of the others' priorities.
  void program(const ArbiterConfig& config, Random& /*random*/) override {
    constexpr Index kRateWidth = 17;
    const auto& classes = config.parameters.get<TrtcmConfig>().classes;
    auto& model = this->model_;
    for (Index q = 0; q < Build::kQueues; ++q) {
      const bool used = q < count(classes);
      const TrtcmConfig::Class c = used ? classes[q] : TrtcmConfig::Class{.priority = q};
      set_element(model.priority_i, q, kQueueWidth<Build>, c.priority);
      set_element(model.assured_rate_i, q, kRateWidth, c.assured_rate);
      set_element(model.peak_rate_i, q, kRateWidth, c.peak_rate);
      set_element(model.assured_burst_i, q, Build::kBurstWidth, c.assured_burst);
      set_element(model.peak_burst_i, q, Build::kBurstWidth, c.peak_burst);
    }
  }

 private:
  using Colour = TwoRateArbiter::Colour;

  [[nodiscard]] std::string difference(const auto& model) const {
    if constexpr (requires { model.green_o; }) {
      for (Index q = 0; this->latency() == 0 && q < Build::kQueues; ++q) {
        const bool green = field(model.green_o, q, 1) != 0;
        const bool yellow = field(model.yellow_o, q, 1) != 0;
        if (colours_.at(q) && (green != (colours_.at(q) == Colour::Green) ||
                               yellow != (colours_.at(q) == Colour::Yellow))) {
          return fmt::format("the head of queue {} has another colour: green {}, yellow {}", q,
                             green, yellow);
        }
      }
    }
    return {};
  }

  std::array<std::optional<std::uint32_t>, Build::kQueues> heads_;  // as they are shown, flits
  std::array<std::optional<Colour>, Build::kQueues> colours_;       // in this cycle
};

}  // namespace qosarb::test
