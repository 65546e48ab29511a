// The pins of the RTL port that only a chip has a use for.
#pragma once

#include <cstdint>
#include <systemc>

#include "qosarb/sc/pins.hpp"

namespace qosarb {

/// Leaves table_applied_o, interrupt_o and what the chip of a seastar-age port reads of its
/// configuration open. SystemC names every pin that nothing is bound to when the simulation starts:
/// a pin that is new in the RTL needs a line here, or a signal of its own. `InputPorts` are those
/// of seastar-age.
template <int InputPorts>
class UnusedPins {
 public:
  template <typename Rtl>
  void bind(Rtl& rtl) {
    rtl.table_applied_o(table_applied_);
    rtl.interrupt_o(interrupt_);
    rtl.age_others_wait_o(age_others_wait_);
    rtl.age_clock_period_o(age_clock_period_);
    rtl.req_age_bias_o(req_age_bias_);
    rtl.rsp_age_bias_o(rsp_age_bias_);
  }

 private:
  template <int Width>
  using Signal = sc_core::sc_signal<sc::PinType<Width>>;

  Signal<1> table_applied_;
  Signal<1> interrupt_;
  Signal<1> age_others_wait_;
  Signal<32> age_clock_period_;
  Signal<3 * InputPorts> req_age_bias_;
  Signal<3 * InputPorts> rsp_age_bias_;
};

}  // namespace qosarb
