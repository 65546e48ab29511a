// ets: the queues of strict priority above a table of queues and quanta.
#pragma once

#include "kernel/pins/bxi.hpp"
#include "qosarb/policy/ets.hpp"

namespace qosarb::test {

template <typename Build>
class EtsPins : public BxiPins<Build> {
 public:
  using BxiPins<Build>::BxiPins;

  void program(const ArbiterConfig& config, Random& random) override {
    const auto& ets = config.parameters.get<EtsConfig>();
    for (Index q = 0; q < Build::kQueues; ++q) {
      const bool strict = q < count(ets.classes) && ets.classes[q].strict_priority;
      set_field(this->model_.strict_i, q, 1, strict ? 1 : 0);
    }
    this->program_table(ets.table(), config, random);
  }
};

}  // namespace qosarb::test
