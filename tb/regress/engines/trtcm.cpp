// trtcm.
#include "Vsoak_trtcm.h"
#include "kernel/pins/classes.hpp"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

[[maybe_unused]] const bool kAdded = add_soak_engine<ClassPins, SoakBuild<Vsoak_trtcm>>("trtcm");

}  // namespace
}  // namespace qosarb::test
