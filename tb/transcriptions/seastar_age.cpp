#include "qosarb/policy/seastar_age.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "Vseastar_age_semantics.h"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {
namespace {

/// The chip's age clock is the reference's. Where every state is visited it is set to all that it
/// can show, as the states of its own are too many.
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
  void make_small(ArbiterConfig& config, Random& random) override {
    auto& seastar = config.parameters.get<SeastarConfig>();
    seastar.age_clock_period = kPeriod;
    // Of two configurations the second one goes by age where the first one does not.
    if (last_select_) {
      seastar.age_rr_select = ~*last_select_;
      last_select_.reset();
    } else {
      last_select_ = seastar.age_rr_select;
    }
    views_.clear();
    for (const bool epoch : {false, true}) {
      for (unsigned timestamp = 0; timestamp < 256; ++timestamp) {
        views_.push_back({static_cast<std::uint8_t>(timestamp), epoch, false});
      }
      views_.push_back({255, epoch, true});  // it is inhibited at its last timestamp only
    }
    stamps_.clear();
    for (Index i = 0; i < kFields; ++i) {
      const auto field = random.from<std::uint16_t>(0, 511);
      stamps_.push_back({field, false});
      stamps_.push_back({field, true});
    }
  }
  [[nodiscard]] std::uint32_t surroundings() const override {
    return static_cast<std::uint32_t>(views_.size());
  }
  void surround(std::uint32_t number, Cycle now) override {
    const View& view = views_[number];
    *clock_ = AgeClock(kPeriod);
    clock_->advance(now);
    clock_->show(view.timestamp, view.epoch, view.inhibit);
  }
  [[nodiscard]] std::vector<AgeStamp> stamps() const override { return stamps_; }
  [[nodiscard]] std::optional<std::uint8_t> age_of(Index queue) const override {
    if (queue < 0) {
      return {};
    }
    return static_cast<std::uint8_t>(element(this->model_.new_age_o, queue, 8));
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

  // What the clock shows, and the stamps of packets, as they are visited.
  struct View {
    std::uint8_t timestamp = 0;
    bool epoch = false;
    bool inhibit = false;
  };
  static constexpr Index kFields = 3;
  static constexpr std::uint32_t kPeriod = ~std::uint32_t{0};  // longer than any walk
  std::optional<std::uint64_t> last_select_;
  std::vector<View> views_;
  std::vector<AgeStamp> stamps_;
};

const Registered kSeastarAge({"seastar-age", made<SeastarTranscription, Vseastar_age_semantics>,
                              4});

// Of any two heads the same goes first, with the same age: by each stamp that they can have, in the
// state after a load. QOSARB_CONFIGURATIONS=514 looks at all that a clock can show.
TEST(SeastarTranscriptionTest, AgesAnyTwoHeadsAsTheReference) {
  constexpr std::uint32_t kStamps = 1024;
  Random random(test_seed());
  VerilatedContext context;
  SeastarTranscription<Build<Vseastar_age_semantics>> module(context);
  ArbiterConfig config =
      random_config(random, policy_named("seastar-age"),
                    {.queues = 2, .entries = 1, .quantum_bits = 2, .packet_flits = 2, .vcs = 2});
  config.parameters.get<SeastarConfig>().age_rr_select = ~std::uint64_t{0};
  module.reset(random);
  module.make_small(config, random);
  module.program(config, random);
  const std::unique_ptr<Arbiter> reference = module.reference(config);
  const std::uint64_t views = from_environment("QOSARB_CONFIGURATIONS", 3);
  const std::uint64_t first = random.below(module.surroundings());
  std::array<std::uint64_t, 2> wins{};
  for (std::uint64_t view = 0; view < std::min<std::uint64_t>(views, module.surroundings());
       ++view) {
    // In steps that come by each of them.
    module.surround(static_cast<std::uint32_t>((first + view * 173) % module.surroundings()), 0);
    module.ask(true, false);
    for (std::uint32_t choice = 0; choice < (kStamps + 1) * (kStamps + 1); ++choice) {
      std::array<Head, 2> heads;
      for (Index q = 0; q < 2; ++q) {
        const std::uint32_t stamp = q == 0 ? choice % (kStamps + 1) : choice / (kStamps + 1);
        Shown shown;
        if (stamp < kStamps) {
          heads.at(q).flits = 1;
          heads.at(q).stamp = {static_cast<std::uint16_t>(stamp / 2), stamp % 2 != 0};
          shown = {.flits = 1, .stamp = heads.at(q).stamp};
        }
        module.show(q, shown, random);
      }
      module.settle();
      const Decision decision = reference->clone()->decide(0, heads);
      ASSERT_EQ(module.granted(), decision.queue);
      if (decision.queue >= 0) {
        ASSERT_EQ(module.age_of(decision.queue), decision.age);
        ++wins.at(decision.queue);
      }
    }
  }
  EXPECT_GT(wins[0], 0U);
  EXPECT_GT(wins[1], 0U);
}

}  // namespace
}  // namespace qosarb::test
