// What keeps the input queues of a switch from overflowing: one small class for each way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/switch/egress.hpp"
#include "qosarb/switch/fabric.hpp"
#include "qosarb/switch/pfc.hpp"

namespace qosarb {

class Switch;

/// The sender at the other end of a port's link.
struct Upstream {
  std::uint32_t delay = 0;      ///< of the wire
  std::uint32_t latency = 0;    ///< from its grant to its wire
  Index first_credits = 0;      ///< the number of its Credits of queue 0, if it gets any
  Index shard = Fabric::kHere;  ///< that it is in, if that is another one
};

/// The input queues of one switch, one for each virtual channel of each port, as a flow control
/// sees them that does not give their senders credits. Errors of all handlers: CheckFailure.
class FlowControl {
 public:
  virtual ~FlowControl() = default;
  /// The switch's port `port` has this sender. Called once for each port that has a link.
  virtual void connect(int port, const Upstream& upstream) = 0;
  /// `packet`, which came by `port` and Packet::vc, starts to cross in this cycle.
  virtual void starts_to_cross(Fabric& fabric, int port, const Packet& packet) = 0;
  /// How a packet comes by a slow link; by another one both are 0.
  struct Late {
    std::uint32_t cycles = 0;  ///< its last flit comes so much later than one flit a cycle would
    std::uint32_t spare = 0;   ///< that it left; see LinkRate
  };
  /// The head of `packet` arrives in this cycle.
  virtual void arrives(Fabric& fabric, int port, const Packet& packet, Late late) = 0;
  /// Asks for the memory of an input queue, [port][queue].
  void ask_for_memory(std::size_t input) const {
    __builtin_prefetch(first_input_ + input * bytes_of_input_);
  }
  /// A Level event.
  virtual void level(Fabric& fabric, int port, int queue) = 0;
  /// Most flits in one queue in the cycles before `now`.
  [[nodiscard]] virtual std::uint32_t peak(Cycle now) const = 0;
  /// Flits that a queue of `port` takes after it has asked its sender to stop.
  [[nodiscard]] virtual std::uint32_t headroom(int port) const = 0;

 protected:
  /// What ask_for_memory() asks for: [port][queue], for good.
  template <typename Input>
  void inputs_are(const std::vector<Input>& inputs) {
    first_input_ = static_cast<const std::byte*>(static_cast<const void*>(inputs.data()));
    bytes_of_input_ = sizeof(Input);
  }

 private:
  const std::byte* first_input_ = nullptr;
  std::size_t bytes_of_input_ = 0;
};

/// One entry of the list of flow controls.
struct FlowControlKind {
  std::string_view name;
  /// The sender keeps count of the room, in Credits, and the switch sends back a credit for each
  /// flit that leaves, over a wire of their own (Switch::leaves()).
  bool gives_credits;
  /// Why an input queue of so many flits is too small for a link, if it is.
  std::optional<std::string> (*too_small)(std::uint32_t queue_flits, const PauseLoop& link);
  std::unique_ptr<FlowControl> (*make)(Switch& at);  ///< null where it gives credits
};

extern const FlowControlKind kPfc;
extern const FlowControlKind kCredit;

/// All there are.
std::span<const FlowControlKind* const> flow_controls();

}  // namespace qosarb
