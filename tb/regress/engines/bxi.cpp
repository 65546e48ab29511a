// bxi-basic and bxi-deficit, one engine at run time.
#include "kernel/pins/bxi.hpp"

#include "Vsoak_bxi.h"
#include "Vsoak_bxi_next.h"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

[[maybe_unused]] const bool kAdded =
    add_soak_engine<BxiPins, SoakBuild<Vsoak_bxi>>("bxi-basic") &&
    add_soak_engine<BxiPins, SoakBuild<Vsoak_bxi_next, 1>>("bxi-basic") &&
    add_soak_engine<BxiPins, SoakBuild<Vsoak_bxi>>("bxi-deficit") &&
    add_soak_engine<BxiPins, SoakBuild<Vsoak_bxi_next, 1>>("bxi-deficit");

}  // namespace
}  // namespace qosarb::test
