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

  void program(const ArbiterConfig& config, Random& /*random*/) override {
    const auto& ib = config.parameters.get<InfiniBandConfig>();
    auto& model = this->model_;
    program(model.high_used_i, model.high_vl_i, model.high_weight_i, ib.high);
    program(model.low_used_i, model.low_vl_i, model.low_weight_i, ib.low);
    set_field(model.limit_i, 0, 8, ib.limit_of_high_priority);
    model.low_turn_packet_i = ib.low_turn == InfiniBandConfig::LowTurn::Packet ? 1 : 0;
    set_field(model.flit_bytes_log2_i, 0, 3, std::countr_zero(ib.flit_bytes));
  }

 private:
  static void program(auto& used, auto& lane, auto& weight,
                      const std::vector<InfiniBandConfig::Entry>& table) {
    for (Index e = 0; std::cmp_less(e, Build::kEntries); ++e) {
      const InfiniBandConfig::Entry entry = e < count(table) ? table[e] : InfiniBandConfig::Entry{};
      set_field(used, e, 1, e < count(table) ? 1 : 0);
      set_element(lane, e, kQueueWidth<Build>, entry.vl);
      set_element(weight, e, 8, entry.weight);
    }
  }
};

}  // namespace qosarb::test
