// ets.
#include "kernel/pins/ets.hpp"

#include "Vsoak_ets.h"
#include "Vsoak_ets_next.h"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

[[maybe_unused]] const bool kAdded = add_soak_engine<EtsPins, SoakBuild<Vsoak_ets>>("ets") &&
                                     add_soak_engine<EtsPins, SoakBuild<Vsoak_ets_next, 1>>("ets");

}  // namespace
}  // namespace qosarb::test
