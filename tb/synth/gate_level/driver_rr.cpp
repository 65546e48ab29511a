// rr has no configuration.
#include "driver.hpp"

namespace qosarb::gate_level {
namespace {

class RoundRobinDriver final : public Driver {
 public:
  ArbiterConfig random_config(Random& /*random*/) override { return plain_config(); }
  void program(Vgates& /*pins*/, const ArbiterConfig& /*config*/) override {}
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<RoundRobinDriver>(); }

}  // namespace qosarb::gate_level
