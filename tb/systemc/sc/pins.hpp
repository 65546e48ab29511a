// The pins of an output port in SystemC: their types, and the signals that join them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <systemc>
#include <type_traits>

#include "qosarb/policy/types.hpp"

namespace qosarb::sc {

/// The type of a pin of `Width` bits, as `verilator --sc` chooses it without --pins options.
template <int Width>
using PinType = std::conditional_t<
    Width == 1, bool,
    std::conditional_t<
        Width <= 32, std::uint32_t,
        std::conditional_t<Width <= 64, std::uint64_t, sc_dt::sc_bv<Width == 0 ? 1 : Width>>>>;

/// Bits [bit, bit + width) of a pin; width <= 32.
template <typename Word>
requires std::is_integral_v<Word> std::uint32_t field(Word value, int bit, int width) {
  return static_cast<std::uint32_t>((std::uint64_t{value} >> bit) & ((1ULL << width) - 1));
}
template <int Width>
std::uint32_t field(const sc_dt::sc_bv<Width>& value, int bit, int width) {
  const int word = bit / 32;
  const std::uint64_t low = value.get_word(word);
  const std::uint64_t high = word + 1 < value.size() ? value.get_word(word + 1) : 0;
  return static_cast<std::uint32_t>(((high << 32 | low) >> (bit % 32)) & ((1ULL << width) - 1));
}

/// Adds `field_value` to a pin whose bits from `bit` on are 0 so far; it has at most 32 bits.
template <typename Word>
requires std::is_integral_v<Word>
void put_field(Word& value, int bit, std::uint32_t field_value) {
  value = static_cast<Word>(value | static_cast<Word>(std::uint64_t{field_value} << bit));
}
template <int Width>
void put_field(sc_dt::sc_bv<Width>& value, int bit, std::uint32_t field_value) {
  const int word = bit / 32;
  const std::uint64_t shifted = std::uint64_t{field_value} << (bit % 32);
  value.set_word(word, value.get_word(word) | static_cast<std::uint32_t>(shifted));
  if (const auto carried = static_cast<std::uint32_t>(shifted >> 32); carried != 0) {
    value.set_word(word + 1, value.get_word(word + 1) | carried);
  }
}

/// The pins of a port with these parameters of the RTL. A bit, or FlitsWidth bits, for each queue;
/// queue 0 is the least significant.
template <int Queues_, int MaxPacketFlits_>
struct PortSize {
  static_assert(Queues_ >= 1 && Queues_ <= 32, "Queues must be within 1..32");
  static_assert(MaxPacketFlits_ >= 1 && MaxPacketFlits_ <= 65535,
                "MaxPacketFlits must be within 1..65535");

  static constexpr int kQueues = Queues_;
  static constexpr std::uint32_t kMaxPacketFlits = MaxPacketFlits_;
  static constexpr int kFlitsWidth = std::bit_width(unsigned{MaxPacketFlits_});
  static constexpr int kQueueWidth = Queues_ == 1 ? 1 : std::bit_width(unsigned{Queues_ - 1});

  using PerQueue = PinType<kQueues>;             ///< valid, pfc_stop, grant
  using Flits = PinType<kQueues * kFlitsWidth>;  ///< flits
  using QueueIndex = PinType<kQueueWidth>;       ///< grant_queue
  static constexpr int kAgeFieldWidth = 9;
  using AgeFields = PinType<kQueues * kAgeFieldWidth>;  ///< age_field
  using HeadArray = std::array<Head, kQueues>;

  /// The pins that show heads.
  struct Shown {
    PerQueue valid{};
    PerQueue pfc_stop{};
    Flits flits{};
    AgeFields age_field{};
    PerQueue age_in_epoch{};
  };
  /// What stands at the pins, as heads. The flits of a queue without a packet do not matter.
  static HeadArray heads(const Shown& pins) {
    HeadArray heads;
    for (Index q = 0; q < kQueues; ++q) {
      Head& head = heads[q];
      head.flits =
          field(pins.valid, q, 1) != 0 ? field(pins.flits, q * kFlitsWidth, kFlitsWidth) : 0;
      head.stopped = field(pins.pfc_stop, q, 1) != 0;
      head.stamp.field =
          static_cast<std::uint16_t>(field(pins.age_field, q * kAgeFieldWidth, kAgeFieldWidth));
      head.stamp.epoch = field(pins.age_in_epoch, q, 1) != 0;
    }
    return heads;
  }
  /// The other way round. At most kQueues heads, none longer than kMaxPacketFlits; further queues
  /// are empty.
  static Shown shown(Heads heads) {
    Shown pins;
    for (Index q = 0; q < count(heads); ++q) {
      put_field(pins.valid, q, heads[q].flits != 0 ? 1 : 0);
      put_field(pins.pfc_stop, q, heads[q].stopped ? 1 : 0);
      put_field(pins.flits, q * kFlitsWidth, heads[q].flits);
      put_field(pins.age_field, q * kAgeFieldWidth, heads[q].stamp.field);
      put_field(pins.age_in_epoch, q, heads[q].stamp.epoch ? 1 : 0);
    }
    return pins;
  }
};

/// The signals with a port's answer, named PREFIX_grant_valid and so on.
template <int Queues = 8, int MaxPacketFlits = 1023>
struct GrantSignals {
  using Size = PortSize<Queues, MaxPacketFlits>;

  explicit GrantSignals(const std::string& prefix)
      : grant_valid((prefix + "_grant_valid").c_str()),
        grant((prefix + "_grant").c_str()),
        grant_queue((prefix + "_grant_queue").c_str()),
        left((prefix + "_left").c_str()),
        left_epoch((prefix + "_left_epoch").c_str()),
        left_age((prefix + "_left_age").c_str()) {}

  sc_core::sc_signal<bool> grant_valid;
  sc_core::sc_signal<typename Size::PerQueue> grant;
  sc_core::sc_signal<typename Size::QueueIndex> grant_queue;
  /// seastar-age: the packet that was granted in the cycle before.
  sc_core::sc_signal<bool> left;
  sc_core::sc_signal<bool> left_epoch;
  sc_core::sc_signal<std::uint32_t> left_age;

  /// Joins the outputs of `port`, which is any module with the pins of qosarb_port.
  template <typename Port>
  void bind_grant(Port& port) {
    port.grant_valid_o(grant_valid);
    port.grant_o(grant);
    port.grant_queue_o(grant_queue);
    port.left_o(left);
    port.left_epoch_o(left_epoch);
    port.left_age_o(left_age);
  }
  /// The queue that wins, or -1.
  [[nodiscard]] Index granted() const {
    return grant_valid.read() ? Index(grant_queue.read()) : -1;
  }
};

/// All signals between a port, the RTL's or the reference's, and the owner of its queues.
template <int Queues = 8, int MaxPacketFlits = 1023>
struct PortSignals : GrantSignals<Queues, MaxPacketFlits> {
  using Size = PortSize<Queues, MaxPacketFlits>;

  explicit PortSignals(const std::string& prefix)
      : GrantSignals<Queues, MaxPacketFlits>(prefix),
        valid((prefix + "_valid").c_str()),
        pfc_stop((prefix + "_pfc_stop").c_str()),
        flits((prefix + "_flits").c_str()),
        request((prefix + "_request").c_str()),
        age_field((prefix + "_age_field").c_str()),
        age_in_epoch((prefix + "_age_in_epoch").c_str()),
        age_timestamp((prefix + "_age_timestamp").c_str()),
        age_epoch((prefix + "_age_epoch").c_str()),
        age_inhibit((prefix + "_age_inhibit").c_str()) {}

  sc_core::sc_signal<typename Size::PerQueue> valid;
  sc_core::sc_signal<typename Size::PerQueue> pfc_stop;
  sc_core::sc_signal<typename Size::Flits> flits;
  sc_core::sc_signal<bool> request;
  /// seastar-age: the stamps of the heads, and the chip's age clock. Others do not look at them.
  sc_core::sc_signal<typename Size::AgeFields> age_field;
  sc_core::sc_signal<typename Size::PerQueue> age_in_epoch;
  sc_core::sc_signal<std::uint32_t> age_timestamp;
  sc_core::sc_signal<bool> age_epoch;
  sc_core::sc_signal<bool> age_inhibit;

  /// Joins the inputs of `port`.
  template <typename Port>
  void bind_inputs(Port& port) {
    port.valid_i(valid);
    port.pfc_stop_i(pfc_stop);
    port.flits_i(flits);
    port.request_i(request);
    port.age_field_i(age_field);
    port.age_in_epoch_i(age_in_epoch);
    port.age_timestamp_i(age_timestamp);
    port.age_epoch_i(age_epoch);
    port.age_inhibit_i(age_inhibit);
  }
  /// Joins all pins of `port` but clk_i and rst_ni.
  template <typename Port>
  void bind(Port& port) {
    bind_inputs(port);
    this->bind_grant(port);
  }
  /// Joins an owner of the queues that has the pins of seastar-age, too.
  template <typename Owner>
  void bind_owner_with_ages(Owner& owner) {
    bind_owner(owner);
    owner.age_field_o(age_field);
    owner.age_in_epoch_o(age_in_epoch);
    owner.age_timestamp_o(age_timestamp);
    owner.age_epoch_o(age_epoch);
    owner.age_inhibit_o(age_inhibit);
  }
  /// Joins the owner of the queues, whose pins are named alike and point the other way.
  template <typename Owner>
  void bind_owner(Owner& owner) {
    owner.valid_o(valid);
    owner.pfc_stop_o(pfc_stop);
    owner.flits_o(flits);
    owner.request_o(request);
    owner.grant_valid_i(this->grant_valid);
    owner.grant_queue_i(this->grant_queue);
  }

  /// For test benches without a module that owns the queues: shows these heads, and whether the
  /// link can take a packet.
  void show(Heads heads, bool link_ready) {
    const typename Size::Shown pins = Size::shown(heads);
    valid.write(pins.valid);
    pfc_stop.write(pins.pfc_stop);
    flits.write(pins.flits);
    age_field.write(pins.age_field);
    age_in_epoch.write(pins.age_in_epoch);
    request.write(link_ready);
  }
  /// For the same: what the chip's age clock says.
  void show_clock(std::uint8_t timestamp, bool epoch, bool inhibit) {
    age_timestamp.write(timestamp);
    age_epoch.write(epoch);
    age_inhibit.write(inhibit);
  }
  /// What stands at the pins.
  [[nodiscard]] typename Size::HeadArray heads() const {
    return Size::heads(
        {valid.read(), pfc_stop.read(), flits.read(), age_field.read(), age_in_epoch.read()});
  }
};

}  // namespace qosarb::sc
