// The reference of a policy as a SystemC module with the pins of the RTL's qosarb_port.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/sc/pins.hpp"
#include "qosarb/sc/reference.hpp"

namespace qosarb::sc {

/// Stands wherever a Verilated qosarb_port with the same parameters can stand, without an APB: the
/// table is the one of the constructor.
///
/// Timing, as of the RTL:
///   - The grant is combinational. It follows valid_i, pfc_stop_i, flits_i and request_i of the
///   same
///     cycle one delta cycle later, however often they change; nothing is remembered of what they
///     were before they settled.
///   - The state changes with the rising edge of clk_i, by the inputs as they stand then. The new
///     state shows in the grant two delta cycles later.
///   - While rst_ni is low the state is that of the beginning, and nothing is granted. Cycle 0 ends
///     with the first rising edge that finds rst_ni high.
///
/// Errors, through SystemC's reports, at a rising edge: a queue with a packet of 0 flits or of more
/// than config.max_packet_flits (dtable: than the MTU of its SL), or a packet in a queue that the
/// config does not have.
template <int Queues = 8, int MaxPacketFlits = 1023>
class Port final : public sc_core::sc_module {
 public:
  using Size = PortSize<Queues, MaxPacketFlits>;

  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_ni{"rst_ni"};  ///< active low, asynchronous

  sc_core::sc_in<typename Size::PerQueue> valid_i{"valid_i"};        ///< queue q has a packet
  sc_core::sc_in<typename Size::PerQueue> pfc_stop_i{"pfc_stop_i"};  ///< queue q must not start
  sc_core::sc_in<typename Size::Flits> flits_i{"flits_i"};           ///< length of each head
  sc_core::sc_in<bool> request_i{"request_i"};                       ///< the link takes a packet
  /// seastar-age: the stamps of the heads, and what the chip's age clock says in this cycle.
  sc_core::sc_in<typename Size::AgeFields> age_field_i{"age_field_i"};
  sc_core::sc_in<typename Size::PerQueue> age_in_epoch_i{"age_in_epoch_i"};
  sc_core::sc_in<std::uint32_t> age_timestamp_i{"age_timestamp_i"};
  sc_core::sc_in<bool> age_epoch_i{"age_epoch_i"};
  sc_core::sc_in<bool> age_inhibit_i{"age_inhibit_i"};

  sc_core::sc_out<bool> grant_valid_o{"grant_valid_o"};
  sc_core::sc_out<typename Size::PerQueue> grant_o{"grant_o"};  ///< one-hot
  /// Meaningful with grant_valid_o; else 0.
  sc_core::sc_out<typename Size::QueueIndex> grant_queue_o{"grant_queue_o"};
  /// The packet that was granted in the cycle before, its epoch and its new age as seastar-age has
  /// them.
  sc_core::sc_out<bool> left_o{"left_o"};
  sc_core::sc_out<bool> left_epoch_o{"left_epoch_o"};
  sc_core::sc_out<std::uint32_t> left_age_o{"left_age_o"};

  /// Errors: std::invalid_argument if `config` needs more queues or longer packets than the pins
  /// can show.
  Port(const sc_core::sc_module_name& name, const ArbiterConfig& config)
      : sc_core::sc_module(name), reference_(config) {
    if (config.queues > Queues || config.max_packet_flits > Size::kMaxPacketFlits) {
      throw std::invalid_argument(fmt::format(
          "a port of {} queues and packets of up to {} flits cannot have {} queues with "
          "packets of up to {} flits",
          Queues, MaxPacketFlits, config.queues, config.max_packet_flits));
    }
    SC_METHOD(answer);
    sensitive << rst_ni << valid_i << pfc_stop_i << flits_i << request_i << state_changed_
              << age_field_i << age_in_epoch_i << age_timestamp_i << age_epoch_i << age_inhibit_i;
    SC_METHOD(clock_edge);
    dont_initialize();
    sensitive << clk_i.pos() << rst_ni.neg();
  }

  /// The state in one line, as the reference tells it.
  [[nodiscard]] std::string describe() const { return reference_.describe(); }
  /// Rising edges since the reset.
  [[nodiscard]] Cycle now() const { return reference_.now(); }

 private:
  SC_HAS_PROCESS(Port);

  [[nodiscard]] Heads heads() {
    heads_ = Size::heads({valid_i.read(), pfc_stop_i.read(), flits_i.read(), age_field_i.read(),
                          age_in_epoch_i.read()});
    reference_.show_clock(static_cast<std::uint8_t>(age_timestamp_i.read()), age_epoch_i.read(),
                          age_inhibit_i.read());
    return Heads(heads_).first(reference_.config().queues);
  }

  void answer() {
    const bool asked = request_i.read() && rst_ni.read();
    const Decision decision = asked ? reference_.answer(heads()) : Decision{};
    const bool granted = decision.queue >= 0;
    typename Size::PerQueue one_hot{};
    if (granted) {
      put_field(one_hot, decision.queue, 1);
    }
    grant_valid_o.write(granted);
    grant_o.write(one_hot);
    grant_queue_o.write(static_cast<typename Size::QueueIndex>(granted ? decision.queue : 0));
  }

  void clock_edge() {
    if (!rst_ni.read()) {
      reference_.reset();
      show_left(false, false, 0);
    } else {
      const Heads shown = heads();
      check();
      const Decision decision = reference_.clock(shown, request_i.read());
      const AgeStamp stamp = decision.queue >= 0 ? shown[decision.queue].stamp : AgeStamp{};
      show_left(decision.queue >= 0, stamp.epoch,
                new_age(stamp, static_cast<std::uint8_t>(age_timestamp_i.read()),
                        age_epoch_i.read(), Variant::Corrected));
    }
    state_changed_.notify(sc_core::SC_ZERO_TIME);
  }

  void show_left(bool left, bool epoch, std::uint8_t age) {
    left_o.write(left);
    left_epoch_o.write(epoch);
    left_age_o.write(age);
  }

  void check() const {
    const ArbiterConfig& config = reference_.config();
    for (Index q = 0; q < Queues; ++q) {
      const std::uint32_t flits = heads_[q].flits;
      const bool exists = q < config.queues;
      const std::uint32_t longest = exists ? max_packet_flits(config, q) : config.max_packet_flits;
      if (field(valid_i.read(), q, 1) != 0 && (!exists || flits == 0 || flits > longest)) {
        SC_REPORT_ERROR("/qosarb/port",
                        fmt::format("{}: queue {} of {} shows a packet of {} flits; they have 1 to "
                                    "{}",
                                    this->name(), q, config.queues, flits, longest)
                            .c_str());
      }
    }
  }

  ClockedReference reference_;
  typename Size::HeadArray heads_{};
  sc_core::sc_event state_changed_{"state_changed"};
};

}  // namespace qosarb::sc
