// sbt and dtable: tables of SLs.
#pragma once

#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/sbt.hpp"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {

template <typename Build>
class LevelTranscription : public Transcription<Build> {
 public:
  using Transcription<Build>::Transcription;

 protected:
  void program_levels(const std::vector<int>& queue_sl, const std::vector<SlEntry>& table,
                      Random& random) {
    auto& model = this->model_;
    queue_sl_ = queue_sl;
    set_field(model.last_entry_i, 0, 32, count(table) - 1);
    for (Index q = 0; q < Build::kQueues; ++q) {
      set_element(model.queue_sl_i, q, kQueueWidth<Build>,
                  q < count(queue_sl) ? queue_sl[q] : random.from(0, Build::kQueues - 1));
    }
    for (Index e = 0; std::cmp_less(e, table_entries()); ++e) {
      const bool used = e < count(table);
      set_element(model.sl_i, e, kQueueWidth<Build>,
                  used ? table[e].sl : random.from(0, Build::kQueues - 1));
      set_element(model.weight_i, e, Build::kQuantumWidth,
                  used ? table[e].weight : random.below(1U << Build::kQuantumWidth));
    }
  }
  /// The reference numbers the queues of an SL, and says which of them comes first.
  void append_round_robins(Index sls, std::vector<std::uint64_t>& numbers) const {
    for (Index sl = 0; sl < sls; ++sl) {
      const Index last = element(this->model_.last_o, sl, kQueueWidth<Build>);
      std::uint64_t passed = 0;
      std::uint64_t all = 0;
      for (Index q = 0; q < count(queue_sl_); ++q) {
        if (queue_sl_[q] == sl) {
          ++all;
          passed += q <= last ? 1 : 0;
        }
      }
      numbers.push_back(all == 0 ? 0 : passed % all);
    }
  }
  [[nodiscard]] virtual Index table_entries() const { return Build::kEntries; }

 private:
  std::vector<int> queue_sl_;
};

}  // namespace qosarb::test
