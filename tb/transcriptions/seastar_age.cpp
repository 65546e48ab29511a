#include "qosarb/policy/seastar_age.hpp"

#include "Vseastar_age_semantics.h"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {
namespace {

/// The chip's age clock is the reference's.
template <typename Build>
class SeastarTranscription final : public Transcription<Build> {
 public:
  using Transcription<Build>::Transcription;

  void reset(Random& random) override {
    clock_.reset();
    Transcription<Build>::reset(random);
  }
  [[nodiscard]] bool starts_with_load() const override { return true; }
  std::unique_ptr<Arbiter> reference(const ArbiterConfig& config) override {
    if (clock_ == nullptr) {
      clock_ = std::make_shared<AgeClock>(config.parameters.get<SeastarConfig>().age_clock_period);
    }
    return config.policy->make_reference(config, clock_);
  }
  void program(const ArbiterConfig& config, Random& /*random*/) override {
    queues_ = config.queues;
    this->model_.age_rr_select_i = config.parameters.get<SeastarConfig>().age_rr_select;
  }
  void show(Index queue, const Shown& shown, Random& random) override {
    Transcription<Build>::show(queue, shown, random);
    const AgeStamp stamp =
        shown.flits ? shown.stamp : AgeStamp{random.from<std::uint16_t>(0, 511), random.chance(50)};
    set_element(this->model_.field_i, queue, 9, stamp.field);
    set_field(this->model_.in_epoch_i, queue, 1, stamp.epoch ? 1 : 0);
  }
  void ask(bool request, bool load) override {
    Transcription<Build>::ask(request, load);
    if (clock_ != nullptr) {
      this->model_.timestamp_i = clock_->timestamp();
      this->model_.epoch_i = clock_->epoch() ? 1 : 0;
      this->model_.inhibit_i = clock_->inhibit() ? 1 : 0;
    }
  }
  void watch(const Arbiter& /*reference*/) override {
    clock_state_.clear();
    clock_->append_state(clock_state_);
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    const auto& model = this->model_;
    numbers = clock_state_;
    for (const std::uint64_t last : {model.rr_pointer_o, model.age_pointer_o}) {
      numbers.push_back(this->last_of(last, queues_));
    }
    numbers.push_back(model.grants_o);
    return true;
  }

 private:
  std::shared_ptr<AgeClock> clock_;
  std::vector<std::uint64_t> clock_state_;  // before the decision, which changes it
  Index queues_ = 1;
};

// A chip's age clock has more states than can be visited.
const Registered kSeastarAge({"seastar-age", made<SeastarTranscription, Vseastar_age_semantics>,
                              false});

}  // namespace
}  // namespace qosarb::test
