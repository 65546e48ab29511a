// seastar-age, with the stamps of the packets and the chip's age clock.
#include <array>
#include <utility>

#include "driver.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"

namespace qosarb::gate_level {
namespace {

class AgesDriver final : public Driver {
 public:
  ArbiterConfig random_config(Random& random) override {
    ArbiterConfig config = plain_config();
    SeastarConfig seastar;
    seastar.vcs = static_cast<int>(kQueues);  // one input port
    seastar.req_age_bias = {static_cast<std::uint32_t>(random.below(8))};
    seastar.rsp_age_bias = {static_cast<std::uint32_t>(random.below(8))};
    // Short periods, so that there are many epochs.
    seastar.age_clock_period = random.one_of(std::array<std::uint32_t, 4>{1, 1, 2, 7});
    const std::uint64_t all = ~std::uint64_t{0};
    seastar.age_rr_select = random.one_of(std::array<std::uint64_t, 4>{all, all, random.bits(), 0});
    config.parameters = std::move(seastar);
    return config;
  }

  void program(Vgates& pins, const ArbiterConfig& config) override {
    pins.age_rr_select_i = config.parameters.get<SeastarConfig>().age_rr_select;
  }

  std::unique_ptr<Arbiter> reference(const ArbiterConfig& config) override {
    const auto& seastar = config.parameters.get<SeastarConfig>();
    clock_ = std::make_shared<AgeClock>(seastar.age_clock_period);
    return config.policy->make_reference(config, clock_);
  }

  void show_cycle(Vgates& pins) override {
    pins.timestamp_i = clock_->timestamp();
    pins.epoch_i = clock_->epoch() ? 1 : 0;
    pins.inhibit_i = clock_->inhibit() ? 1 : 0;
  }

  void show(Vgates& pins, std::size_t queue, const Shown& shown, Random& random) override {
    Driver::show(pins, queue, shown, random);
    const bool valid = shown.flits != 0;
    put_element(pins.field_i, queue, 9, valid ? shown.stamp.field : random.below(512));
    put(pins.in_epoch_i, queue, 1, valid ? (shown.stamp.epoch ? 1 : 0) : random.below(2));
  }

 private:
  std::shared_ptr<AgeClock> clock_;
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<AgesDriver>(); }

}  // namespace qosarb::gate_level
