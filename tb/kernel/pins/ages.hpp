// seastar-age: the stamps of the packets and the chip's age clock, which is the reference's.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernel/pins/pins.hpp"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"

namespace qosarb::test {

template <typename Build>
class AgePins : public Pins<Build> {
 public:
  using Pins<Build>::Pins;

  [[nodiscard]] RtlLimits limits() const override {
    RtlLimits limits = Pins<Build>::limits();
    limits.vcs = 2;
    return limits;
  }

  void reset(Random& random) override {
    clock_.reset();
    now_ = {};
    Pins<Build>::reset(random);
    before_ = {};
  }
  void program(const ArbiterConfig& config, Random& /*random*/) override {
    this->model_.age_rr_select_i = config.parameters.get<SeastarConfig>().age_rr_select;
  }
  // The clock goes on over a load.
  std::unique_ptr<Arbiter> reference(const ArbiterConfig& config) override {
    if (clock_ == nullptr) {
      clock_ = std::make_shared<AgeClock>(config.parameters.get<SeastarConfig>().age_clock_period);
    }
    return config.policy->make_reference(config, clock_);
  }

  void show(Index queue, const Shown& shown, Random& random) override {
    Pins<Build>::show(queue, shown, random);
    const AgeStamp stamp =
        shown.flits ? shown.stamp : AgeStamp{random.from<std::uint16_t>(0, 511), random.chance(50)};
    set_element(this->model_.field_i, queue, 9, stamp.field);
    set_field(this->model_.in_epoch_i, queue, 1, stamp.epoch ? 1 : 0);
    now_.epoch.at(queue) = shown.flits ? std::optional(stamp.epoch) : std::nullopt;
  }
  void ask(bool request, bool load) override {
    Pins<Build>::ask(request, load);
    if (clock_ != nullptr) {
      this->model_.timestamp_i = clock_->timestamp();
      this->model_.epoch_i = clock_->epoch() ? 1 : 0;
      this->model_.inhibit_i = clock_->inhibit() ? 1 : 0;
      now_.others = std::any_of(now_.epoch.begin(), now_.epoch.end(), [this](const auto& epoch) {
        return epoch && *epoch != clock_->epoch();
      });
    }
  }

  void watch(const Arbiter& /*reference*/) override {
    chip_.clear();
    clock_->append_state(chip_);
  }
  /// Of what a chip shares. The module's own state stands behind it.
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    numbers = chip_;
    return false;
  }

  void clock_edge() override {
    before_ = now_;
    Pins<Build>::clock_edge();
  }

  /// The age with which a packet leaves, and its epoch, follow its grant by a cycle; so does
  /// whether packets of the other epoch stand.
  [[nodiscard]] std::string difference(const Decision& before) const override {
    return difference(this->model_, before);
  }

 private:
  struct Stands {
    std::array<std::optional<bool>, Build::kQueues> epoch;  // of each queue's head
    bool others = false;                                    // some are not of the clock's epoch
  };

  [[nodiscard]] std::string difference(const auto& model, const Decision& before) const {
    if constexpr (requires { model.left_o; }) {
      const bool left = before.queue >= 0;
      const bool epoch = left && before_.epoch.at(before.queue).value_or(false);
      if ((model.left_o != 0) != left ||
          (left && (model.left_age_o != before.age || (model.left_epoch_o != 0) != epoch)) ||
          (model.others_wait_o != 0) != before_.others) {
        return fmt::format(
            "queue {} leaves with age {} of epoch {}, others wait: {}; the module says {}, {}, {} "
            "and {}",
            before.queue, before.age, epoch, before_.others, model.left_o, model.left_age_o,
            model.left_epoch_o, model.others_wait_o);
      }
    }
    return {};
  }

  std::shared_ptr<AgeClock> clock_;
  std::vector<std::uint64_t> chip_;  // its state, as the reference had it in this cycle
  Stands now_;                       // in this cycle
  Stands before_;                    // in the one before
};

}  // namespace qosarb::test
