// Round robin that says it granted queue 2 where it granted queue 3.
#include "Vsoak_rr.h"
#include "kernel/pins/pins.hpp"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

template <typename Build>
class Lies : public Pins<Build> {
 public:
  using Pins<Build>::Pins;
  [[nodiscard]] Index granted() const override {
    const Index queue = Pins<Build>::granted();
    return queue == 3 ? 2 : queue;
  }
};

[[maybe_unused]] const bool kAdded = add_soak_engine<Lies, SoakBuild<Vsoak_rr>>("rr");

}  // namespace
}  // namespace qosarb::test
