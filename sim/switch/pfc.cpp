#include "qosarb/switch/pfc.hpp"

#include <algorithm>

namespace qosarb {

std::uint32_t pause_frame_flits(std::uint32_t flit_bytes) {
  return divided_up(std::uint32_t{kPauseFrameBytes}, flit_bytes);
}

std::uint32_t pfc_headroom(const PauseLoop& loop) {
  const std::uint32_t groups = (loop.queues + kClassesPerFrame - 1) / kClassesPerFrame;
  const Cycle packet = loop.rate.cycles_of(loop.max_packet_flits);
  const Cycle frame = loop.rate.cycles_of(loop.frame_flits);
  const Cycle cycles = 2 * Cycle{loop.wire_delay} + loop.receiver_latency + loop.sender_latency +
                       groups * frame + std::max(packet, frame) - 1 + packet - 1;
  return static_cast<std::uint32_t>((cycles * loop.rate.flits + loop.rate.flits - 1) /
                                    loop.rate.cycles);
}

void PauseSender::set(int queue, bool paused) {
  const std::uint64_t bit = std::uint64_t{1} << queue;
  want_ = paused ? want_ | bit : want_ & ~bit;
}

std::uint32_t PauseSender::next_frame() {
  constexpr std::uint32_t kGroups = kMaxSwitchQueues / kClassesPerFrame;
  constexpr std::uint64_t kClasses = (std::uint64_t{1} << kClassesPerFrame) - 1;
  std::uint32_t shift = 0;
  do {
    last_ = (last_ + 1) % kGroups;
    shift = last_ * kClassesPerFrame;
  } while (((want_ ^ told_) >> shift & kClasses) == 0);
  told_ ^= (want_ ^ told_) & kClasses << shift;
  return last_ << 8U | static_cast<std::uint32_t>(want_ >> shift & kClasses);
}

}  // namespace qosarb
