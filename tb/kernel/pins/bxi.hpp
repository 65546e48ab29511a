// bxi-basic and bxi-deficit: a table of queues and quanta.
#pragma once

#include "kernel/pins/pins.hpp"
#include "qosarb/policy/bxi.hpp"

namespace qosarb::test {

template <typename Build>
class BxiPins : public Pins<Build> {
 public:
  using Pins<Build>::Pins;

  [[nodiscard]] bool passes_over_unused_queues() const override { return true; }

  void program(const ArbiterConfig& config, Random& random) override {
    program_table(config.parameters.get<BxiConfig>(), config, random);
  }

 protected:
  void program_table(const BxiConfig& bxi, const ArbiterConfig& config, Random& random) {
    auto& model = this->model_;
    for (Index e = 0; std::cmp_less(e, Build::kEntries); ++e) {
      const bool used = e < count(bxi.table);
      set_field(model.entry_used_i, e, 1, used ? 1 : 0);
      set_element(model.entry_queue_i, e, kQueueWidth<Build>,
                  used ? bxi.table[e].queue : random.from(0, Build::kQueues - 1));
      set_element(model.entry_quantum_i, e, Build::kQuantumWidth,
                  used ? bxi.quantum(e) : random.below(1U << Build::kQuantumWidth));
    }
    set_the_rest(model, config);
  }

 private:
  static void set_the_rest(auto& model, const ArbiterConfig& config) {
    if constexpr (requires { model.max_packet_flits_i; }) {
      set_field(model.max_packet_flits_i, 0, kFlitsWidth<Build>, config.max_packet_flits);
    }
    if constexpr (requires { model.deficits_on_i; }) {
      model.deficits_on_i = config.policy == kBxiDeficit ? 1 : 0;
    }
  }
};

}  // namespace qosarb::test
