// Part of the runtime of Verilated SystemC modules, in place of Verilator's vl_stop(), which ends
// the program.
#include "systemc/bound_checks.hpp"

#include <systemc>

#include "verilated.h"

// Which assertion it is, the RTL has told on stderr.
void vl_stop(const char* /*filename*/, int /*linenum*/, const char* /*hier*/) {
  Verilated::threadContextp()->gotError(true);
  SC_REPORT_ERROR(qosarb::kBoundCheckFails, "a check that is bound to the RTL fails");
}
