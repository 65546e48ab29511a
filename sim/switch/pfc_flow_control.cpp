#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/switch/flow_control.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

/// One class of one input port. Flits in minus flits out, both in closed form.
struct alignas(64) InputQueue {
  std::uint64_t in = 0;    ///< flits of packets whose first flit has arrived
  Cycle last_arrival = 0;  ///< of the last of them
  std::uint64_t out = 0;   ///< flits of packets that started to cross
  Cycle cross_start = 0;   ///< of the last of those, with the cycle in which it was ready
  Cycle cross_ready = 0;
  Cycle level_at = 0;  ///< a Level event comes then; none if that is past
  std::uint32_t cross_flits = 0;
  LinkRate rate;           ///< of the port's link
  std::uint8_t spare = 0;  ///< that the last packet left on it, if it is slow
  bool paused = false;     ///< what the sender is to be told

  [[nodiscard]] std::uint64_t arrived(Cycle now) const {  // up to and with cycle now
    if (last_arrival <= now) {
      return in;
    }
    const Cycle later = last_arrival - now;
    return in - (rate.slow() ? rate.left(later, spare) : later);
  }
  [[nodiscard]] std::uint64_t read(Cycle now, const Speedup& speedup) const {  // before cycle now
    return out - cross_flits + read_before(now, cross_start, cross_ready, cross_flits, speedup);
  }
  [[nodiscard]] std::uint32_t flits(Cycle now, const Speedup& speedup) const {
    return static_cast<std::uint32_t>(arrived(now) - read(now, speedup));
  }
  /// No fewer than flits() says.
  [[nodiscard]] std::uint64_t flits_at_most() const { return in - out + cross_flits; }
};

/// Priority flow control: pause frames at XOFF and XON (docs/switch-model.md).
class PriorityFlowControl final : public FlowControl {
 public:
  explicit PriorityFlowControl(Switch& at)
      : at_(at),
        speedup_(at.reader()),
        queues_(at.queues()),
        queue_flits_(at.config().input_queue_flits),
        inputs_(at.ports() * queues_),
        xoff_(at.ports()) {
    inputs_are(inputs_);
  }

  void connect(int port, const Upstream& upstream) override {
    const Wire& wire = at_.sender(port).wire();
    const std::uint32_t headroom = pfc_headroom({.wire_delay = wire.delay,
                                                 .receiver_latency = wire.latency,
                                                 .sender_latency = upstream.latency,
                                                 .max_packet_flits = at_.max_packet_flits(),
                                                 .frame_flits = wire.frame_flits,
                                                 .queues = queues_,
                                                 .rate = wire.rate});
    xoff_[port] = queue_flits_ - headroom + at_.config().headroom_cut;
    for (int queue = 0; queue < queues_; ++queue) {
      input(port, queue).rate = wire.rate;
    }
  }

  void arrives(Fabric& fabric, int port, const Packet& packet, Late late) override {
    const Cycle now = fabric.events.now();
    InputQueue& queue = input(port, packet.vc);
    queue.in += packet.flits;
    queue.last_arrival = now + packet.flits - 1 + late.cycles;
    queue.spare = static_cast<std::uint8_t>(late.spare);
    watch_level_if_near(fabric, port, packet.vc);
  }

  void starts_to_cross(Fabric& fabric, int port, const Packet& packet) override {
    const Cycle now = fabric.events.now();
    InputQueue& from = input(port, packet.vc);
    see_peak(from, now);
    from.out += packet.flits;
    from.cross_start = now;
    from.cross_ready = now - since(packet.ready, now);
    from.cross_flits = packet.flits;
    if (from.paused) {
      watch_level(fabric, port, packet.vc);
    }
  }

  void level(Fabric& fabric, int port, int queue) override {
    const Cycle now = fabric.events.now();
    InputQueue& in = input(port, queue);
    if (in.level_at == now) {
      in.level_at = 0;
    }
    const std::uint32_t flits = in.flits(now, speedup_);
    const std::uint32_t xoff = xoff_[port];
    if (flits > queue_flits_) {
      throw CheckFailure(fmt::format("{}: the input queue holds {} flits, more than its {}",
                                     at_.where(now, port, queue), flits, queue_flits_));
    }
    if (in.paused ? flits <= xoff - at_.max_packet_flits() : flits >= xoff) {
      in.paused = !in.paused;
      at_.pause_upstream(fabric, port, queue, in.paused);
    }
    watch_level_if_near(fabric, port, queue);
  }

  [[nodiscard]] std::uint32_t peak(Cycle now) const override {
    std::uint32_t peak = peak_;
    for (const InputQueue& queue : inputs_) {
      peak = std::max(peak, now > 0 ? queue.flits(now - 1, speedup_) : 0);
    }
    return peak;
  }
  [[nodiscard]] std::uint32_t headroom(int port) const override {
    return queue_flits_ - xoff_[port];
  }

 private:
  // At the start of each transfer. What is read is never slower than what arrives, so while a
  // transfer lasts there are no more than at its start, and behind it they become more until the
  // next one.
  void see_peak(const InputQueue& queue, Cycle now) {
    if (queue.flits_at_most() > peak_) [[unlikely]] {
      peak_ = std::max(peak_, queue.flits(now, speedup_));
    }
  }
  [[nodiscard]] InputQueue& input(int port, int queue) { return inputs_[port * queues_ + queue]; }

  // Not if no level is reached even if nothing of the last transfer has been read.
  void watch_level_if_near(Fabric& fabric, int port, int queue) {
    const InputQueue& in = input(port, queue);
    if (in.paused || in.flits_at_most() >= xoff_[port]) [[unlikely]] {
      watch_level(fabric, port, queue);
    }
  }

  // Schedules a Level event for the first cycle in which the queue can cross a level that matters:
  // upward XOFF or, when the sender is told to pause, the queue's size; downward XON. Upward the
  // estimate takes it that nothing more is read, downward that nothing more arrives. What really
  // happens can only be later, and then the event looks again. Arrivals can make an upward
  // crossing possible, a transfer a downward one; both call this.
  void watch_level(Fabric& fabric, int port, int queue) {
    const Cycle now = fabric.events.now();
    InputQueue& in = input(port, queue);
    const bool paused = in.paused;
    const std::uint64_t xoff = xoff_[port];
    const std::uint64_t upper = paused ? std::uint64_t{queue_flits_} + 1 : xoff;
    Cycle when = kNever;
    const std::uint64_t read = in.read(now, speedup_);
    if (in.in - read >= upper) {
      const std::uint64_t more = in.in - read - upper;
      const Cycle early = in.rate.slow() ? in.rate.last_cycles(more, in.spare) : more;
      when = early > in.last_arrival ? now : std::max(now, in.last_arrival - early);
    }
    if (paused) {
      const std::uint64_t xon = xoff - at_.max_packet_flits();
      const std::uint64_t here = in.arrived(now);
      if (here - read <= xon) {
        when = now;
      } else if (here <= in.out + xon) {  // by the transfer that runs
        const std::uint64_t nth = here - xon - (in.out - in.cross_flits);
        when = std::min(when, read_cycle(in.cross_start, in.cross_ready, nth - 1, speedup_) + 1);
      }
    }
    if (when != kNever && !(in.level_at >= now && in.level_at <= when && in.level_at != 0)) {
      in.level_at = when;
      fabric.events.schedule(when, SimEventKind::Level, SimEvent::at(at_.node(), port, queue));
    }
  }

  Switch& at_;
  Speedup speedup_;
  int queues_;
  std::uint32_t queue_flits_;
  std::vector<InputQueue> inputs_;   ///< [port][queue]
  std::vector<std::uint32_t> xoff_;  ///< of each input port, in flits
  std::uint32_t peak_ = 0;           ///< before a cycle's crossings
};

std::optional<std::string> pfc_too_small(std::uint32_t queue_flits, const PauseLoop& link) {
  const std::uint32_t headroom = pfc_headroom(link);
  if (queue_flits >= headroom + link.max_packet_flits) {
    return std::nullopt;
  }
  return fmt::format(
      "an input queue of {} flits cannot hold the PFC headroom of {} flits and a packet of {}",
      queue_flits, headroom, link.max_packet_flits);
}

}  // namespace

const FlowControlKind kPfc = {"pfc", false, &pfc_too_small,
                              [](Switch& at) -> std::unique_ptr<FlowControl> {
                                return std::make_unique<PriorityFlowControl>(at);
                              }};

std::span<const FlowControlKind* const> flow_controls() {
  static constexpr std::array<const FlowControlKind*, 2> kAll = {&kPfc, &kCredit};
  return kAll;
}

}  // namespace qosarb
