// trtcm: the rates, bursts and priorities of its classes.
#pragma once

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
};

}  // namespace qosarb::test
