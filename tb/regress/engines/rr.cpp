// Round robin.
#include "Vsoak_rr.h"
#include "kernel/pins/pins.hpp"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

[[maybe_unused]] const bool kAdded = add_soak_engine<Pins, SoakBuild<Vsoak_rr>>("rr");

}  // namespace
}  // namespace qosarb::test
