// Priority flow control (IEEE 802.1Qbb) of one direction of a link: the frames that an input port
// sends back, and the room that it must keep until they have worked.
#pragma once

#include <cstdint>

#include "qosarb/switch/link_rate.hpp"

namespace qosarb {

/// Largest number of queues of a port: the masks of the switch have a bit for each.
inline constexpr int kMaxSwitchQueues = 64;
/// A PFC frame carries the state of this many classes.
inline constexpr int kClassesPerFrame = 8;
inline constexpr int kPauseFrameBytes = 64;

/// What decides how long a pause takes to work. Delays and latencies in cycles.
struct PauseLoop {
  std::uint32_t wire_delay = 0;        ///< of one direction
  std::uint32_t receiver_latency = 0;  ///< from the receiver's grant to its wire
  std::uint32_t sender_latency = 0;    ///< from the sender's grant to its wire
  std::uint32_t max_packet_flits = 1;
  std::uint32_t frame_flits = 1;
  int queues = 1;
  LinkRate rate;  ///< of both directions
};

/// Flits of one class that can still arrive after the cycle in which its queue reached XOFF.
///
/// The queue reaches XOFF in cycle t. Packets and frames stand for the cycles that they take on the
/// link. In the worst case
///  - the receiver's wire toward the sender took a largest packet (or, if longer, a frame) in
///    cycle t-1, and frames for the other groups of eight classes wait already: the frame
///    starts at f = t + max(packet, frame) - 1 + (groups - 1) * frame;
///  - its last flit is in at the sender at e = f + receiver_latency + frame + wire_delay, before
///    the sender's arbitration of that cycle;
///  - in cycle e-1 the sender started a largest packet of this class, whose last flit is in at
///    e - 1 + sender_latency + packet + wire_delay.
/// The cycles from t+1 to that one are
///   D = 2 * wire_delay + receiver_latency + sender_latency + groups * frame
///       + max(packet, frame) - 1 + packet - 1,
/// in which a link of f flits in c cycles brings at most floor((D * f + f - 1) / c): when the flit
/// of cycle t is in, at most f - 1 parts of the next one are, of c. The bound is reached: a test
/// finds the alignment in which one flit less overflows.
std::uint32_t pfc_headroom(const PauseLoop& loop);

/// Flits of one PFC frame.
std::uint32_t pause_frame_flits(std::uint32_t flit_bytes);

/// The pause states that an input port wants its sender to know, as frames to send.
class PauseSender {
 public:
  /// The state of `queue` is to be `paused`. Saying it twice changes nothing.
  void set(int queue, bool paused);

  /// True if a frame has to be sent: what the sender was told last is not what is wanted.
  [[nodiscard]] bool pending() const { return want_ != told_; }

  /// The next frame to put on the wire; only while one is pending. Bits 0..7 are the states of the
  /// eight classes of group (frame >> 8). Groups take turns.
  std::uint32_t next_frame();

  [[nodiscard]] bool paused(int queue) const { return ((want_ >> queue) & 1U) != 0; }

 private:
  std::uint64_t want_ = 0;
  std::uint64_t told_ = 0;  ///< in the frames sent so far
  std::uint32_t last_ = 0;  ///< the group that was sent last
};

}  // namespace qosarb
