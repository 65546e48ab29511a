#include "qosarb/policy/bxi.hpp"

#include "Vbxi_semantics.h"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {
namespace {

template <typename Build>
class BxiTranscription final : public Transcription<Build> {
 public:
  using Transcription<Build>::Transcription;

  void program(const ArbiterConfig& config, Random& random) override {
    const auto& bxi = config.parameters.get<BxiConfig>();
    auto& model = this->model_;
    entries_ = count(bxi.table);
    set_field(model.last_entry_i, 0, 32, entries_ - 1);
    for (Index e = 0; std::cmp_less(e, Build::kEntries); ++e) {
      const bool used = e < entries_;
      set_element(model.queue_i, e, kQueueWidth<Build>,
                  used ? bxi.table[e].queue : random.from(0, Build::kQueues - 1));
      set_element(model.quantum_i, e, Build::kQuantumWidth,
                  used ? bxi.quantum(e) : random.below(1U << Build::kQuantumWidth));
    }
    model.deficits_on_i = config.policy == kBxiDeficit ? 1 : 0;
    set_field(model.max_packet_flits_i, 0, 32, config.max_packet_flits);
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    const auto& model = this->model_;
    numbers = {model.cur_o, model.rem_o};
    for (Index e = 0; e < entries_; ++e) {
      numbers.push_back(element(model.deficit_o, e, this->kRemainingWidth));
    }
    numbers.push_back(model.fresh_o);
    return true;
  }

 private:
  Index entries_ = 1;
};

const Registered kBxiBasic({"bxi-basic", made<BxiTranscription, Vbxi_semantics>});
const Registered kBxiDeficit({"bxi-deficit", made<BxiTranscription, Vbxi_semantics>});

}  // namespace
}  // namespace qosarb::test
