#include "qosarb/policy/sbt.hpp"

#include "Vsbt_semantics.h"
#include "transcriptions/levels.hpp"

namespace qosarb::test {
namespace {

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
  /// It has as many entries as queues.
  [[nodiscard]] Index table_entries() const override { return Build::kQueues; }

  Index entries_ = 1;
  Index sls_ = 1;
};

const Registered kSbt({"sbt", made<SbtTranscription, Vsbt_semantics>});

}  // namespace
}  // namespace qosarb::test
