// infiniband: two tables of virtual lanes, each of kEntries.
#pragma once

#include "kernel/pins/pins.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb::test {

template <typename Build>
class LanePins : public Pins<Build> {
 public:
  using Pins<Build>::Pins;

  [[nodiscard]] RtlLimits limits() const override {
    RtlLimits limits = Pins<Build>::limits();
    limits.entries *= 2;  // in both tables
    return limits;
  }
  [[nodiscard]] bool passes_over_unused_queues() const override { return true; }

  void program(const ArbiterConfig& config, Random& random) override {
    const auto& ib = config.parameters.get<InfiniBandConfig>();
    auto& model = this->model_;
    program(model.high_used_i, model.high_vl_i, model.high_weight_i, ib.high, random);
    program(model.low_used_i, model.low_vl_i, model.low_weight_i, ib.low, random);
    set_field(model.limit_i, 0, 8, ib.limit_of_high_priority);
    model.low_turn_packet_i = ib.low_turn == InfiniBandConfig::LowTurn::Packet ? 1 : 0;
    set_field(model.flit_bytes_log2_i, 0, 3, std::countr_zero(ib.flit_bytes));
  }

 private:
  static void program(auto& used, auto& lane, auto& weight,
                      const std::vector<InfiniBandConfig::Entry>& table, Random& random) {
    for (Index e = 0; std::cmp_less(e, Build::kEntries); ++e) {
      const bool is_used = e < count(table);
      set_field(used, e, 1, is_used ? 1 : 0);
      set_element(lane, e, kQueueWidth<Build>,
                  is_used ? table[e].vl : random.from(0, Build::kQueues - 1));
      set_element(weight, e, 8, is_used ? table[e].weight : random.below(256U));
    }
  }
};

}  // namespace qosarb::test
