// infiniband: two tables.
#include "Vsoak_infiniband.h"
#include "kernel/pins/lanes.hpp"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

[[maybe_unused]] const bool kAdded =
    add_soak_engine<LanePins, SoakBuild<Vsoak_infiniband>>("infiniband");

}  // namespace
}  // namespace qosarb::test
