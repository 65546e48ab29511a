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

/// Has as many entries as queues.
template <typename Build>
class SbtTranscription final : public LevelTranscription<Build> {
 public:
  using LevelTranscription<Build>::LevelTranscription;

  [[nodiscard]] RtlLimits limits() const override {
    RtlLimits limits = LevelTranscription<Build>::limits();
    limits.entries = Build::kQueues;
    return limits;
  }
  void program(const ArbiterConfig& config, Random& random) override {
    const auto& sbt = config.parameters.get<SbtConfig>();
    this->program_levels(sbt.queue_sl, sbt.table, random);
    entries_ = count(sbt.table);
    sls_ = 0;
    for (const SlEntry& entry : sbt.table) {
      sls_ = std::max(sls_, entry.sl + 1);
    }
    for (const int sl : sbt.queue_sl) {
      sls_ = std::max(sls_, sl + 1);
    }
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    numbers = {this->model_.cur_o, 0};  // the second one is the printed variant's
    for (Index e = 0; e < entries_; ++e) {
      numbers.push_back(element(this->model_.left_o, e, Build::kQuantumWidth));
    }
    this->append_round_robins(sls_, numbers);
    return true;
  }

 private:
  [[nodiscard]] Index table_entries() const override { return Build::kQueues; }

  Index entries_ = 1;
  Index sls_ = 1;
};

template <typename Build>
class DTableTranscription final : public LevelTranscription<Build> {
 public:
  using LevelTranscription<Build>::LevelTranscription;

  void program(const ArbiterConfig& config, Random& random) override {
    const auto& dtable = config.parameters.get<DTableConfig>();
    this->program_levels(dtable.queue_sl, dtable.table, random);
    sls_ = count(dtable.sl_mtu);
    for (Index sl = 0; sl < Build::kQueues; ++sl) {
      set_element(this->model_.sl_mtu_i, sl, kFlitsWidth<Build>,
                  sl < sls_ ? dtable.sl_mtu[sl] : random.below(1U << kFlitsWidth<Build>));
    }
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    const auto& model = this->model_;
    numbers = {model.selected_o != 0 ? std::uint64_t{model.sl_o} + 1 : 0, model.entry_o,
               model.acc_o};
    for (Index sl = 0; sl < sls_; ++sl) {
      numbers.push_back(element(model.deficit_o, sl, this->kRemainingWidth));
    }
    this->append_round_robins(sls_, numbers);
    return true;
  }

 private:
  Index sls_ = 1;
};

}  // namespace qosarb::test
