#include "qosarb/policy/ets.hpp"

#include "Vets_semantics.h"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {
namespace {

template <typename Build>
class EtsTranscription final : public Transcription<Build> {
 public:
  using Transcription<Build>::Transcription;

  void program(const ArbiterConfig& config, Random& random) override {
    const auto& ets = config.parameters.get<EtsConfig>();
    auto& model = this->model_;
    entries_ = count(ets.table().table);
    for (Index q = 0; q < Build::kQueues; ++q) {
      const bool used = q < count(ets.classes);
      const bool strict = used && ets.classes[q].strict_priority;
      set_field(model.strict_i, q, 1, strict ? 1 : 0);
      set_field(model.weighted_i, q, 1, used && !strict ? 1 : 0);
      set_element(model.quantum_i, q, Build::kQuantumWidth,
                  used && !strict ? std::uint64_t{ets.classes[q].weight} * ets.quantum_scale
                                  : random.below(1U << Build::kQuantumWidth));
    }
    set_field(model.max_packet_flits_i, 0, 32, config.max_packet_flits);
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    const auto& model = this->model_;
    if (entries_ > 0) {
      numbers = {model.cur_o, model.rem_o};
      for (Index e = 0; e < entries_; ++e) {
        numbers.push_back(element(model.deficit_o, e, this->kRemainingWidth));
      }
      numbers.push_back(model.fresh_o);
    }
    return true;
  }

 private:
  Index entries_ = 0;
};

const Registered kEts({"ets", made<EtsTranscription, Vets_semantics>});

}  // namespace
}  // namespace qosarb::test
