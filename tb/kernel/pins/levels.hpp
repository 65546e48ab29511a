// sbt and dtable: a table of SLs and weights, and which queue is of which SL.
#pragma once

#include "kernel/pins/pins.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/sl_queues.hpp"

namespace qosarb::test {

template <typename Build>
class LevelPins : public Pins<Build> {
 public:
  using Pins<Build>::Pins;

  void program(const ArbiterConfig& config, Random& random) override {
    if (const auto* dtable = config.parameters.get_if<DTableConfig>()) {
      program(dtable->queue_sl, dtable->table, random);
      program_mtus(this->model_, *dtable);
    } else {
      const auto& sbt = config.parameters.get<SbtConfig>();
      program(sbt.queue_sl, sbt.table, random);
    }
  }

 private:
  void program(const std::vector<int>& queue_sl, const std::vector<SlEntry>& table,
               Random& random) {
    auto& model = this->model_;
    for (Index q = 0; q < count(queue_sl); ++q) {
      set_element(model.queue_sl_i, q, kQueueWidth<Build>, queue_sl[q]);
    }
    for (Index e = 0; std::cmp_less(e, Build::kEntries); ++e) {
      const bool used = e < count(table);
      set_field(model.entry_used_i, e, 1, used ? 1 : 0);
      set_element(model.entry_sl_i, e, kQueueWidth<Build>,
                  used ? table[e].sl : random.from(0, Build::kQueues - 1));
      set_element(model.entry_weight_i, e, Build::kQuantumWidth,
                  used ? table[e].weight : random.below(1U << Build::kQuantumWidth));
    }
  }

  // sbt has none.
  static void program_mtus(auto& model, const DTableConfig& dtable) {
    if constexpr (requires { model.queue_mtu_i; }) {
      for (Index q = 0; q < count(dtable.queue_sl); ++q) {
        set_element(model.queue_mtu_i, q, kFlitsWidth<Build>, dtable.sl_mtu[dtable.queue_sl[q]]);
      }
    }
  }
};

}  // namespace qosarb::test
