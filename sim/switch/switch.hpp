// A CIOQ switch: input queues per class with virtual output queues and PFC, a crossbar with
// speedup, output queues per class in front of an arbitrated port (BXIv3 paper, Sect. 2.1, 4.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/switch/egress.hpp"

namespace qosarb {

/// Ports of a switch: the masks of its crossbar have a bit for each. BXIv3's has 64.
inline constexpr int kMaxRadix = 64;

/// Crossbar rate over link rate, as a fraction >= 1.
struct Speedup {
  std::uint32_t flits = 2;   ///< may cross from one input to one output ...
  std::uint32_t cycles = 1;  ///< ... in so many cycles
};

struct SwitchConfig {
  std::uint32_t input_queue_flits = 768;   ///< of each class of each input port
  std::uint32_t output_queue_flits = 768;  ///< of each class of each output port
  Speedup speedup;
  std::uint32_t input_latency = 4;     ///< cycles from a flit's arrival until it may cross
  std::uint32_t crossbar_latency = 2;  ///< cycles from an input queue to an output queue, >= 1
  std::uint32_t output_latency = 2;    ///< cycles from the grant to the wire
  /// Only for tests: the headroom is that much smaller than pfc_headroom() says.
  std::uint32_t headroom_cut = 0;
};

/// What a switch saw, for reports.
struct SwitchPeaks {
  std::uint32_t input_queue_flits =
      0;  ///< most flits in one input queue, before a cycle's crossings
  std::uint32_t output_queue_flits = 0;  ///< most flits reserved in one output queue
};

/// Handlers of the events of one switch. A network creates it, connects its ports, and calls the
/// handler that an event names, in the order of SimEventKind within each cycle.
///
/// Times are exact although packets move as one object: flits arrive one a cycle; a packet that
/// starts to cross in cycle x has flit i read in max(x + ceil((i+1)/speedup) - 1, ready + i), and
/// the output's wire takes one a cycle. So every occupancy has a closed form in the time.
class Switch {
 public:
  /// `place` ("switch0") and `node` say where it stands. `arbiter` holds for every output port.
  Switch(const SwitchConfig& config, std::string place, std::uint32_t node, int ports,
         const ArbiterConfig& arbiter, const ArbiterFactory& factory);

  /// Joins output `port` to what receives there, and input `port` to the sender at the same link,
  /// whose latency from grant to wire is `sender_latency`.
  /// Errors: std::invalid_argument if the input queue cannot hold the headroom and a packet.
  void connect(int port, const Wire& wire, std::uint32_t sender_latency);

  // The handlers, by event. All errors are CheckFailures.
  void head_arrives(Fabric& fabric, int port, PacketId packet);
  void pause_frame(Fabric& fabric, int port, std::uint32_t frame);
  void level(Fabric& fabric, int port, int queue);
  void ready(Fabric& fabric, int port, PacketId packet);
  void transfer_ends(Fabric& fabric, int in, int out);
  void room(Fabric& fabric, int out);
  void match(Fabric& fabric);
  void visible(Fabric& fabric, int out, PacketId packet);
  void serve(Fabric& fabric, int out);

  [[nodiscard]] int ports() const { return ports_; }
  [[nodiscard]] Egress& egress(int port) { return egress_[static_cast<std::size_t>(port)]; }
  [[nodiscard]] const Egress& egress(int port) const {
    return egress_[static_cast<std::size_t>(port)];
  }
  /// Flits in the input queue of `queue` at `port` in cycle `now`, before that cycle's crossings.
  [[nodiscard]] std::uint32_t input_flits(int port, int queue, Cycle now) const {
    return input(port, queue).flits(now);
  }
  /// Flits that the output queue holds or has promised room to.
  [[nodiscard]] std::uint32_t output_flits(int port, int queue, Cycle now) const {
    return output(port, queue).flits(now);
  }
  /// In the cycles before `now`.
  [[nodiscard]] SwitchPeaks peaks(Cycle now) const;
  /// Flits of headroom of the input queues of `port`.
  [[nodiscard]] std::uint32_t headroom(int port) const {
    return config_.input_queue_flits - xoff_[static_cast<std::size_t>(port)];
  }

  /// Every packet that waits for the crossbar.
  template <typename Visitor>
  void for_each_waiting(const PacketPool& packets, Visitor&& visit) const {
    for (const Voq& voq : voqs_) {
      for (PacketId id = voq.first; id != kNoPacket; id = packets[id].next) {
        visit(id);
      }
    }
  }

 private:
  using Mask = std::uint64_t;

  /// One class of one input port. Flits in minus flits out, both in closed form.
  struct InputQueue {
    std::uint64_t in = 0;    ///< flits of packets whose first flit has arrived
    Cycle last_arrival = 0;  ///< of the last of them
    std::uint64_t out = 0;   ///< flits of packets that started to cross
    Cycle cross_start = 0;   ///< of the last of those, with the cycle in which it was ready
    Cycle cross_ready = 0;
    std::uint32_t cross_flits = 0;
    Speedup speedup;
    Cycle level_at = 0;  ///< a Level event comes then; none if that is past

    [[nodiscard]] std::uint64_t arrived(Cycle now) const {  // up to and with cycle now
      return in - (last_arrival > now ? last_arrival - now : 0);
    }
    [[nodiscard]] std::uint64_t read(Cycle now) const;  // before cycle now
    [[nodiscard]] std::uint32_t flits(Cycle now) const {
      return static_cast<std::uint32_t>(arrived(now) - read(now));
    }
    /// Most flits from the last start of a transfer up to `now`. What is read is never slower than
    /// what arrives, so that is when the last flit came or, if later, when the transfer started.
    [[nodiscard]] std::uint32_t peak(Cycle now) const {
      return flits(std::min(now, std::max(last_arrival, cross_start)));
    }
  };

  /// One class of one output port.
  struct OutputQueue {
    std::uint32_t promised = 0;   ///< flits of all packets that did not start on the wire
    Cycle wire_end = 0;           ///< the cycle after the last flit of the one that did
    std::uint32_t waits_for = 0;  ///< room for so many flits would let a packet in; 0: none waits
    [[nodiscard]] std::uint32_t flits(Cycle now) const {
      return promised + static_cast<std::uint32_t>(wire_end > now ? wire_end - now : 0);
    }
  };

  /// Packets of one class from one input to one output, in order, that may cross.
  struct Voq {
    PacketId first = kNoPacket;
    PacketId last = kNoPacket;
  };
  struct Request {
    int queue = -1;
    int input = -1;
  };

  [[nodiscard]] std::size_t of(int port, int queue) const {
    return static_cast<std::size_t>(port) * static_cast<std::size_t>(queues_) +
           static_cast<std::size_t>(queue);
  }
  [[nodiscard]] std::size_t pair(int in, int out) const {
    return static_cast<std::size_t>(in) * static_cast<std::size_t>(ports_) +
           static_cast<std::size_t>(out);
  }
  [[nodiscard]] std::size_t of(int in, int queue, int out) const {
    return (static_cast<std::size_t>(in) * static_cast<std::size_t>(queues_) +
            static_cast<std::size_t>(queue)) *
               static_cast<std::size_t>(ports_) +
           static_cast<std::size_t>(out);
  }
  [[nodiscard]] InputQueue& input(int port, int queue) { return inputs_[of(port, queue)]; }
  [[nodiscard]] const InputQueue& input(int port, int queue) const {
    return inputs_[of(port, queue)];
  }
  [[nodiscard]] OutputQueue& output(int port, int queue) { return outputs_[of(port, queue)]; }
  [[nodiscard]] const OutputQueue& output(int port, int queue) const {
    return outputs_[of(port, queue)];
  }
  [[nodiscard]] Cycle read_cycle(Cycle start, Cycle ready, std::uint32_t flit) const;
  [[nodiscard]] std::string where(Cycle now, int port, int queue) const;

  void watch_level(Fabric& fabric, int port, int queue);
  void want_match(Fabric& fabric, Mask outputs);
  PacketId pop(PacketPool& packets, int in, int queue, int out);
  Request grant(Fabric& fabric, int out);
  void wait_for_room(Fabric& fabric, int out, Cycle when);
  void transfer(Fabric& fabric, int in, int queue, int out);

  SwitchConfig config_;
  std::string place_;
  std::uint32_t node_;
  int ports_;
  int queues_;
  std::uint32_t max_packet_flits_;
  std::vector<Egress> egress_;
  SwitchPeaks peaks_;

  std::vector<InputQueue> inputs_;    ///< [port][queue]
  std::vector<std::uint32_t> xoff_;   ///< of each input port, in flits
  std::vector<Cycle> link_end_;       ///< of each input port: the last flit announced so far
  std::vector<OutputQueue> outputs_;  ///< [port][queue]

  std::vector<Voq> voqs_;                  ///< [input][queue][output]
  std::vector<std::uint32_t> head_flits_;  ///< [output][queue][input], of the first packet
  std::vector<Mask> requests_;             ///< [output][queue]: inputs with a packet
  std::vector<Mask> request_queues_;       ///< [output]: queues with a request
  std::vector<Mask> pair_queues_;          ///< [input][output]: queues with a packet
  std::vector<Mask> request_outputs_;      ///< [input]: outputs with a request from it
  Mask free_inputs_ = 0;
  Mask free_outputs_ = 0;
  Mask dirty_ = 0;  ///< outputs for which something changed since the last matching
  Cycle match_at_ = ~Cycle{0};
  std::vector<Cycle> room_at_;  ///< [output]: a Room event comes then

  // Round-robin pointers: who was connected last. The next one after it comes first.
  std::vector<int> grant_queue_;    ///< [output]
  std::vector<int> grant_input_;    ///< [output][queue]
  std::vector<int> accept_queue_;   ///< [input]
  std::vector<int> accept_output_;  ///< [input][queue]
  std::vector<Mask> granted_by_;    ///< [input]: outputs that grant it in this iteration
  std::vector<int> granted_queue_;  ///< [output]: the queue that it grants
};

}  // namespace qosarb
