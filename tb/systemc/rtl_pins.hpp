// The pins of the RTL port that a bench without ages leaves alone.
#pragma once

#include <cstdint>
#include <systemc>

#include "qosarb/sc/pins.hpp"

namespace qosarb {

/// Ties the inputs of seastar-age to 0 and leaves its outputs, table_applied_o and interrupt_o open. SystemC
/// names every pin that nothing is bound to when the simulation starts: a pin that is new in the
/// RTL needs a line here, or a signal of its own.
class UnusedPins {
 public:
  template <typename Rtl>
  void bind(Rtl& rtl) {
    rtl.table_applied_o(table_applied_);
    rtl.interrupt_o(interrupt_);
    rtl.age_field_i(age_field_);
    rtl.age_in_epoch_i(age_in_epoch_);
    rtl.age_timestamp_i(age_timestamp_);
    rtl.age_epoch_i(age_epoch_);
    rtl.age_inhibit_i(age_inhibit_);
    rtl.left_o(left_);
    rtl.left_epoch_o(left_epoch_);
    rtl.left_age_o(left_age_);
    rtl.age_others_wait_o(age_others_wait_);
    rtl.age_clock_period_o(age_clock_period_);
    rtl.req_age_bias_o(req_age_bias_);
    rtl.rsp_age_bias_o(rsp_age_bias_);
  }

 private:
  static constexpr int kQueues = 8;
  template <int Width>
  using Signal = sc_core::sc_signal<sc::PinType<Width>>;

  Signal<1> table_applied_;
  Signal<1> interrupt_;
  Signal<9 * kQueues> age_field_;
  Signal<kQueues> age_in_epoch_;
  Signal<8> age_timestamp_;
  Signal<1> age_epoch_;
  Signal<1> age_inhibit_;
  Signal<1> left_;
  Signal<1> left_epoch_;
  Signal<8> left_age_;
  Signal<1> age_others_wait_;
  Signal<32> age_clock_period_;
  Signal<6> req_age_bias_;  // of two input ports
  Signal<6> rsp_age_bias_;
};

}  // namespace qosarb
