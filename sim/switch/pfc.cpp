#include "qosarb/switch/pfc.hpp"

#include <algorithm>

namespace qosarb {

std::uint32_t pause_frame_flits(std::uint32_t flit_bytes) {
  return (kPauseFrameBytes + flit_bytes - 1) / flit_bytes;
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

std::optional<std::uint32_t> PauseSender::next_frame() {
  constexpr std::uint32_t kGroups = kMaxSwitchQueues / kClassesPerFrame;
  for (std::uint32_t step = 1; step <= kGroups && pending(); ++step) {
    const std::uint32_t group = (last_ + step) % kGroups;
    const std::uint32_t shift = group * kClassesPerFrame;
    const std::uint64_t mask = std::uint64_t{0xff} << shift;
    if (((want_ ^ told_) & mask) != 0) {
      told_ = (told_ & ~mask) | (want_ & mask);
      last_ = group;
      const std::uint32_t states = want_ >> shift & 0xffU;
      return group << 8U | states;
    }
  }
  return std::nullopt;
}

}  // namespace qosarb
