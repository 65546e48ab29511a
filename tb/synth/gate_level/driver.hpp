// What the gate-level check has to know of one family of policies: how its RTL is configured and
// what it is shown of the queues. Each family has its own file; one of them is built in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gate_parameters.hpp"
#include "netlist.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "random/random.hpp"

namespace qosarb::gate_level {

using test::Random;

/// What the netlist is to say in one cycle.
struct Expected {
  int queue = -1;
  std::uint8_t age = 0;  ///< seastar-age: with which the packet leaves
};

/// The packets that a queue shows. `flits` is 0 where there is none.
struct Shown {
  std::uint32_t flits = 0;
  std::uint32_t next_flits = 0;  ///< of the packet behind it
  bool stopped = false;
  AgeStamp stamp;
};

template <typename Pins>
constexpr bool kShowsNext = requires(Pins pins) {
  pins.next_valid_i;
};

/// Cycles from the request to its answer. Where queues show the packet behind their head too, a
/// decision takes two cycles.
constexpr std::size_t kLatency = kShowsNext<Vgates> ? 1 : 0;

class Driver {
 public:
  virtual ~Driver() = default;

  /// What the netlist's policy may be configured to, of its full size.
  virtual ArbiterConfig random_config(Random& random) = 0;
  /// `config` is in force from the next cycle on.
  virtual void program(Vgates& pins, const ArbiterConfig& config) = 0;
  /// A reference whose time starts at cycle 0.
  virtual std::unique_ptr<Arbiter> reference(const ArbiterConfig& config) {
    return make_reference(config);
  }

  /// What all queues see in this cycle, beside their packets.
  virtual void show_cycle(Vgates& pins) { static_cast<void>(pins); }
  /// Without a packet its length means nothing, so it must not matter: random bits stand there.
  /// Shows the packet behind the head to a netlist that asks for it.
  virtual void show(Vgates& pins, std::size_t queue, const Shown& shown, Random& random);

  /// What outputs beside the grant say otherwise than expected; empty where they agree. `before`
  /// was expected one cycle before `now`.
  [[nodiscard]] virtual std::string difference(const Vgates& pins, const Expected& before,
                                               const Expected& now) const;
};

/// The driver of the policy family that is built in.
std::unique_ptr<Driver> make_driver();

/// A configuration of the netlist's policy and size, without its parameters.
ArbiterConfig plain_config();

/// The highest number of `width` bits.
constexpr std::uint64_t highest(std::size_t width) { return (std::uint64_t{1} << width) - 1; }

}  // namespace qosarb::gate_level
