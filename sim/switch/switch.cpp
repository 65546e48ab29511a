#include "qosarb/switch/switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "qosarb/config/check_failure.hpp"

namespace qosarb {

Switch::Switch(const SwitchParts& parts, const Speedup& reader)
    : config_(parts.config),
      place_(parts.place),
      max_packet_flits_(parts.max_packet_flits),
      reader_(reader),
      number_(parts.number),
      service_levels_(parts.service_levels),
      node_(parts.node),
      match_bit_(bit(number_ % 64)),
      match_word_(static_cast<std::uint32_t>(number_) / 64),
      ports_(parts.ports),
      queues_(parts.queues),
      reads_faster_(reader.flits != reader.cycles),
      gives_credits_(config_.flow_control->gives_credits) {
  all_out_queues_.resize(ports_);
  all_in_.resize(ports_);
  out_queues_ = all_out_queues_.data();
  in_ = all_in_.data();
  const std::size_t lanes = of(ports_, 0);
  all_lane_heads_.resize(lanes, {.connected = ports_ - 1});
  all_voqs_.resize(lanes * ports_);
  lane_heads_ = all_lane_heads_.data();
  voqs_ = all_voqs_.data();
  flow_control_ = config_.flow_control->make(*this);
}

void Switch::connect(Fabric& fabric, int port, const Wire& wire, const Upstream& upstream) {
  sender(port).connect(fabric, wire);
  slow_links_ |= Mask{wire.rate.slow()} << port;
  if (flow_control_ != nullptr) {
    flow_control_->connect(port, upstream);
  }
  if (fabric.known_hops != nullptr) {
    known_hops_ = &fabric.known_hops[number_ * fabric.hosts];
  }
  const std::uint32_t cycles = upstream.delay + 1;
  in_[port].first_credits = upstream.first_credits;
  in_[port].credit_cycles = cycles;
  in_[port].shard = upstream.shard;
  const bool all_alike = std::all_of(all_in_.begin(), all_in_.end(), [cycles](const InPort& one) {
    return one.credit_cycles == 0 ||  // not connected
           (one.credit_cycles == cycles && one.shard == Fabric::kHere);
  });
  credit_pipe_ =
      gives_credits_ && all_alike ? fabric.events.pipe(cycles, SimEventKind::Credits) : nullptr;
}

std::string Switch::where(Cycle now, int port, int queue) const {
  return fmt::format("cycle {}, {}.port{} queue {}", now, place_, port, queue);
}

// Flits come further apart than one a cycle, so if the last one is there in time all are.
FlowControl::Late Switch::comes_slowly(const Fabric& fabric, int port, PacketId id) const {
  const std::uint32_t behind_head = fabric.packets[id].flits - 1U;
  const std::uint32_t spare = fabric.packets.record(id).spare;
  const Cycle cycles = sender(port).wire().rate.last_cycles(behind_head, spare);
  return {static_cast<std::uint32_t>(cycles - behind_head), spare};
}

Hop Switch::ask_routing(Fabric& fabric, int port, PacketId id, Packet& packet) {
  const PacketRecord& record = fabric.packets.record(id);
  if (!fabric.adaptive) {
    return fabric.routing->hop(number_, port, packet, record, nullptr);
  }
  make_routing_view(fabric.events.now());
  const Hop hop = fabric.routing->hop(number_, port, packet, record, this);
  fresh_.push_back({of_level(hop.port, packet.service_level), packet.flits});
  return hop;
}

// The routing sees the switch as the last cycle left it, whatever the order within this one.
void Switch::make_routing_view(Cycle now) {
  if (waiting_.empty()) {
    waiting_.resize(ports_ * service_levels_);
  }
  if (fresh_at_ != now) {
    for (const Fresh& fresh : fresh_) {
      waiting_[fresh.at] += fresh.flits;
    }
    fresh_.clear();
    fresh_at_ = now;
  }
}

void Switch::fail_arrival(const Fabric& fabric, int port, PacketId id) const {
  throw CheckFailure(fmt::format("{}: packet {} arrives while another one does",
                                 where(fabric.events.now(), port, fabric.packets[id].vc),
                                 name_of(fabric.packets.record(id))));
}

void Switch::fail_dry(const Fabric& fabric, int port, PacketId id) const {
  throw CheckFailure(fmt::format("{}: packet {} runs dry on the wire",
                                 where(fabric.events.now(), port, fabric.packets[id].next_vc),
                                 name_of(fabric.packets.record(id))));
}

void Switch::for_each_waiting(const PacketPool& packets,
                              const std::function<void(const Waiting&)>& visit) const {
  for (int out = 0; out < ports_; ++out) {
    for (int vc = 0; vc < queues_; ++vc) {
      for (int in = 0; in < ports_; ++in) {
        lane(out, vc).queue(in).for_each(
            packets, [&](PacketId id) { visit({.packet = id, .input = in, .output = out}); });
      }
    }
  }
}

std::uint64_t Switch::waiting_flits(int port, int service_level) const {
  if (service_level >= 0) {
    return waiting_[of_level(port, service_level)];
  }
  std::uint64_t sum = 0;
  for (int level = 0; level < service_levels_; ++level) {
    sum += waiting_[of_level(port, level)];
  }
  return sum;
}

std::span<const SwitchKind* const> switch_kinds() {
  static constexpr std::array<const SwitchKind*, 4> kAll = {&kCioq, &kInputQueued, &kSeastar,
                                                            &kHierarchical};
  return kAll;
}

}  // namespace qosarb
