// seastar-age.
#include "Vsoak_seastar_age.h"
#include "kernel/pins/ages.hpp"
#include "regress/soak_engine.hpp"

namespace qosarb::test {
namespace {

[[maybe_unused]] const bool kAdded =
    add_soak_engine<AgePins, SoakBuild<Vsoak_seastar_age>>("seastar-age");

}  // namespace
}  // namespace qosarb::test
