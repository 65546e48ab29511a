// seastar-age: the stamps of the packets and the chip's age clock, which is the reference's.
#pragma once

#include <fmt/format.h>

#include <algorithm>

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
    Pins<Build>::reset(random);
  }
  void program(const ArbiterConfig& config, Random& /*random*/) override {
    this->model_.age_rr_select_i = config.parameters.get<SeastarConfig>().age_rr_select;
  }
  [[nodiscard]] bool starts_with_load() const override { return true; }
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
  }
  void ask(bool request, bool load) override {
    Pins<Build>::ask(request, load);
    if (clock_ != nullptr) {
      this->model_.timestamp_i = clock_->timestamp();
      this->model_.epoch_i = clock_->epoch() ? 1 : 0;
      this->model_.inhibit_i = clock_->inhibit() ? 1 : 0;
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

  /// The age with which a packet leaves follows its grant by a cycle.
  [[nodiscard]] std::string difference(const Decision& before) const override {
    return difference(this->model_, before);
  }

 private:
  static std::string difference(const auto& model, const Decision& before) {
    if constexpr (requires { model.left_o; }) {
      const bool left = before.queue >= 0;
      if ((model.left_o != 0) != left || (left && model.left_age_o != before.age)) {
        return fmt::format("queue {} leaves with age {}, the module says {} and {}", before.queue,
                           before.age, model.left_o, model.left_age_o);
      }
    }
    return {};
  }

  std::shared_ptr<AgeClock> clock_;
  std::vector<std::uint64_t> chip_;  // its state, as the reference had it in this cycle
};

}  // namespace qosarb::test
