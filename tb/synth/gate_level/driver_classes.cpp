// trtcm, with the rates, bursts and priorities of its classes.
#include <algorithm>
#include <array>
#include <utility>

#include "driver.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::gate_level {
namespace {

constexpr std::uint32_t kOneFlitACycle = 65536;
constexpr std::size_t kRateWidth = 17;

std::uint32_t random_rate(Random& random) {
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return kOneFlitACycle;
    case 2:
      return static_cast<std::uint32_t>(random.within(1, 50));
    case 3:
      return static_cast<std::uint32_t>(random.within(1, kOneFlitACycle));
    default:
      return static_cast<std::uint32_t>(random.within(1, kOneFlitACycle / kQueues));
  }
}

std::uint64_t random_burst(Random& random) {
  const std::uint64_t usual = std::min<std::uint64_t>(highest(kBurstWidth), 4 * kMaxPacketFlits);
  return random.within(kMaxPacketFlits, random.once_in(4) ? highest(kBurstWidth) : usual);
}

class ClassesDriver final : public Driver {
 public:
  ArbiterConfig random_config(Random& random) override {
    ArbiterConfig config = plain_config();
    TrtcmConfig trtcm;
    for (std::size_t q = 0; q < kQueues; ++q) {
      const std::array<std::uint32_t, 2> rates = {random_rate(random), random_rate(random)};
      TrtcmConfig::Class c;
      c.priority = static_cast<int>(q);
      c.assured_rate = std::min(rates[0], rates[1]);
      c.peak_rate = std::max(rates[0], rates[1]);
      c.assured_burst = random_burst(random);
      c.peak_burst = random_burst(random);
      trtcm.classes.push_back(c);
    }
    for (std::size_t q = kQueues; q > 1; --q) {
      std::swap(trtcm.classes[q - 1].priority, trtcm.classes[random.below(q)].priority);
    }
    config.parameters = std::move(trtcm);
    return config;
  }

  void program(Vgates& pins, const ArbiterConfig& config) override {
    const auto& classes = config.parameters.get<TrtcmConfig>().classes;
    for (std::size_t q = 0; q < kQueues; ++q) {
      const TrtcmConfig::Class& c = classes[q];
      put_element(pins.priority_i, q, kQueueWidth, static_cast<std::uint64_t>(c.priority));
      put_element(pins.assured_rate_i, q, kRateWidth, c.assured_rate);
      put_element(pins.peak_rate_i, q, kRateWidth, c.peak_rate);
      put_element(pins.assured_burst_i, q, kBurstWidth, c.assured_burst);
      put_element(pins.peak_burst_i, q, kBurstWidth, c.peak_burst);
    }
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<ClassesDriver>(); }

}  // namespace qosarb::gate_level
