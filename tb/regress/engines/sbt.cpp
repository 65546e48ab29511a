// sbt: an entry for each queue.
#include "Vsoak_sbt.h"
#include "kernel/pins/levels.hpp"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

template <typename V>
struct SbtBuild : SoakBuild<V> {
  static constexpr std::uint32_t kEntries = SoakBuild<V>::kQueues;
};

[[maybe_unused]] const bool kAdded = add_soak_engine<LevelPins, SbtBuild<Vsoak_sbt>>("sbt");

}  // namespace
}  // namespace qosarb::test
