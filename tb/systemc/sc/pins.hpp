// The pins of an output port in SystemC: their types, and the signals that join them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
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
  using HeadArray = std::array<Head, kQueues>;

  /// What stands at the pins, as heads. The flits of a queue without a packet do not matter.
  static HeadArray heads(PerQueue valid, PerQueue pfc_stop, const Flits& flits) {
    HeadArray heads;
    for (int q = 0; q < kQueues; ++q) {
      Head& head = heads[static_cast<std::size_t>(q)];
      head.flits = field(valid, q, 1) != 0 ? field(flits, q * kFlitsWidth, kFlitsWidth) : 0;
      head.stopped = field(pfc_stop, q, 1) != 0;
    }
    return heads;
  }

  /// The other way round. At most kQueues heads, none longer than kMaxPacketFlits; further queues
  /// are empty.
  struct Shown {
    PerQueue valid{};
    PerQueue pfc_stop{};
    Flits flits{};
  };
  static Shown shown(Heads heads) {
    Shown pins;
    for (std::size_t q = 0; q < heads.size(); ++q) {
      const int queue = static_cast<int>(q);
      put_field(pins.valid, queue, heads[q].flits != 0 ? 1 : 0);
      put_field(pins.pfc_stop, queue, heads[q].stopped ? 1 : 0);
      put_field(pins.flits, queue * kFlitsWidth, heads[q].flits);
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
        grant_queue((prefix + "_grant_queue").c_str()) {}

  sc_core::sc_signal<bool> grant_valid;
  sc_core::sc_signal<typename Size::PerQueue> grant;
  sc_core::sc_signal<typename Size::QueueIndex> grant_queue;

  /// Joins the outputs of `port`, which is any module with the pins of qosarb_port.
  template <typename Port>
  void bind_grant(Port& port) {
    port.grant_valid_o(grant_valid);
    port.grant_o(grant);
    port.grant_queue_o(grant_queue);
  }
  /// The queue that wins, or -1.
  [[nodiscard]] int granted() const {
    return grant_valid.read() ? static_cast<int>(grant_queue.read()) : -1;
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
        request((prefix + "_request").c_str()) {}

  sc_core::sc_signal<typename Size::PerQueue> valid;
  sc_core::sc_signal<typename Size::PerQueue> pfc_stop;
  sc_core::sc_signal<typename Size::Flits> flits;
  sc_core::sc_signal<bool> request;

  /// Joins the inputs of `port`.
  template <typename Port>
  void bind_inputs(Port& port) {
    port.valid_i(valid);
    port.pfc_stop_i(pfc_stop);
    port.flits_i(flits);
    port.request_i(request);
  }
  /// Joins all pins of `port` but clk_i and rst_ni.
  template <typename Port>
  void bind(Port& port) {
    bind_inputs(port);
    this->bind_grant(port);
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
    request.write(link_ready);
  }
};

}  // namespace qosarb::sc
