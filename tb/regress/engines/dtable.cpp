// dtable.
#include "Vsoak_dtable.h"
#include "Vsoak_dtable_next.h"
#include "kernel/pins/levels.hpp"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

[[maybe_unused]] const bool kAdded =
    add_soak_engine<LevelPins, SoakBuild<Vsoak_dtable>>("dtable") &&
    add_soak_engine<LevelPins, SoakBuild<Vsoak_dtable_next, 1>>("dtable");

}  // namespace
}  // namespace qosarb::test
