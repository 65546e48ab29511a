#include "qosarb/policy/trtcm.hpp"

#include "Vtrtcm_semantics.h"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {
namespace {

template <typename Build>
class TrtcmTranscription final : public Transcription<Build> {
 public:
  using Transcription<Build>::Transcription;

  [[nodiscard]] bool starts_with_load() const override { return true; }
  void program(const ArbiterConfig& config, Random& /*random*/) override {
    constexpr Index kRateWidth = 17;
    const auto& classes = config.parameters.get<TrtcmConfig>().classes;
    auto& model = this->model_;
    queues_ = config.queues;
    set_field(model.max_packet_flits_i, 0, 32, config.max_packet_flits);
    for (Index q = 0; q < Build::kQueues; ++q) {
      const TrtcmConfig::Class c = q < queues_ ? classes[q] : TrtcmConfig::Class{.priority = q};
      set_element(model.priority_i, q, kQueueWidth<Build>, c.priority);
      set_element(model.assured_rate_i, q, kRateWidth, c.assured_rate);
      set_element(model.peak_rate_i, q, kRateWidth, c.peak_rate);
      set_element(model.assured_burst_i, q, Build::kQuantumWidth, c.assured_burst);
      set_element(model.peak_burst_i, q, Build::kQuantumWidth, c.peak_burst);
    }
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    const auto& model = this->model_;
    constexpr Index kLevelWidth = Build::kQuantumWidth + 16;
    numbers = {this->last_of(model.last_red_o, queues_), 0};  // of the cycles none is uncounted
    for (Index q = 0; q < queues_; ++q) {
      numbers.push_back(element(model.assured_o, q, kLevelWidth));
      numbers.push_back(element(model.peak_o, q, kLevelWidth));
    }
    return true;
  }
  /// Half flits.
  void make_small(ArbiterConfig& config, Random& /*random*/) override {
    constexpr std::uint32_t kHalf = 1U << 15;
    for (TrtcmConfig::Class& c : config.parameters.get<TrtcmConfig>().classes) {
      c.assured_rate = c.assured_rate % 3 * kHalf;
      c.peak_rate = std::max(c.peak_rate % 3 * kHalf, c.assured_rate);
    }
  }

 private:
  Index queues_ = 1;
};

const Registered kTrtcm({"trtcm", made<TrtcmTranscription, Vtrtcm_semantics>});

}  // namespace
}  // namespace qosarb::test
