#include "Vrr_semantics.h"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {
namespace {

template <typename Build>
class RrTranscription final : public Transcription<Build> {
 public:
  using Transcription<Build>::Transcription;

  void program(const ArbiterConfig& config, Random& /*random*/) override {
    queues_ = config.queues;
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    numbers.push_back(this->last_of(this->model_.last_o, queues_));
    return true;
  }

 private:
  Index queues_ = 1;
};

const Registered kRr({"rr", made<RrTranscription, Vrr_semantics>});

}  // namespace
}  // namespace qosarb::test
