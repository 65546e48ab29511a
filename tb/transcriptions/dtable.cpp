#include "qosarb/policy/dtable.hpp"

#include "Vdtable_semantics.h"
#include "transcriptions/levels.hpp"

namespace qosarb::test {
namespace {

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

const Registered kDtable({"dtable", made<DTableTranscription, Vdtable_semantics>});

}  // namespace
}  // namespace qosarb::test
