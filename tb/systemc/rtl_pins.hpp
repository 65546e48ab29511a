// The pins of the RTL port that only a chip has a use for.
#pragma once

#include <systemc>

#include "qosarb/sc/pins.hpp"

namespace qosarb {

/// Leaves open: table_applied_o, interrupt_o, what takes a port out of service, what the chip of a
/// seastar-age port reads of its configuration. SystemC names every pin that nothing is bound to
/// when the simulation starts: a pin that is new in the RTL needs a line here, or a signal of its
/// own. With Latency 0 nothing reads the packets behind the heads. `InputPorts` are those of
/// seastar-age.
template <typename Size, int InputPorts>
class UnusedPins {
 public:
  template <typename Rtl>
  void bind(Rtl& rtl) {
    rtl.next_valid_i(next_valid_);
    rtl.next_flits_i(next_flits_);
    rtl.next_age_field_i(next_age_field_);
    rtl.next_age_in_epoch_i(next_age_in_epoch_);
    rtl.table_applied_o(table_applied_);
    rtl.interrupt_o(interrupt_);
    rtl.drain_o(drain_);
    rtl.drop_o(drop_);
    rtl.soft_reset_o(soft_reset_);
    rtl.idle_o(idle_);
    rtl.age_others_wait_o(age_others_wait_);
    rtl.age_clock_period_o(age_clock_period_);
    rtl.req_age_bias_o(req_age_bias_);
    rtl.rsp_age_bias_o(rsp_age_bias_);
  }

 private:
  template <int Width>
  using Signal = sc_core::sc_signal<sc::PinType<Width>>;

  sc_core::sc_signal<typename Size::PerQueue> next_valid_;
  sc_core::sc_signal<typename Size::Flits> next_flits_;
  sc_core::sc_signal<typename Size::AgeFields> next_age_field_;
  sc_core::sc_signal<typename Size::PerQueue> next_age_in_epoch_;
  Signal<1> table_applied_;
  Signal<1> interrupt_;
  Signal<1> drain_;
  sc_core::sc_signal<typename Size::PerQueue> drop_;
  Signal<1> soft_reset_;
  Signal<1> idle_;
  Signal<1> age_others_wait_;
  Signal<32> age_clock_period_;
  Signal<3 * InputPorts> req_age_bias_;
  Signal<3 * InputPorts> rsp_age_bias_;
};

}  // namespace qosarb
