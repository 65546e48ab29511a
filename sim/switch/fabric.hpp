// What all nodes of a network share, or those of one of its shards.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "qosarb/switch/credits.hpp"
#include "qosarb/switch/event_queue.hpp"
#include "qosarb/switch/packet.hpp"
#include "qosarb/switch/pfc.hpp"
#include "qosarb/switch/routing.hpp"
#include "qosarb/switch/vc_allocation.hpp"

namespace qosarb {

/// A Hop in a byte.
struct KnownHop {
  std::uint8_t port : 6 = 0;
  std::uint8_t stage : 2 = 0;
};

struct Fabric {
  /// Stands for the shard whose fabric this is.
  static constexpr Index kHere = -1;
  /// What happens in another shard.
  struct Post {
    Cycle when = 0;
    SimEvent event;
    SimEventKind kind = SimEventKind::Generate;
  };

  EventQueue events;
  /// [shard]: what it is to be told, at the latest before the first of these happens.
  std::vector<std::vector<Post>> posts;
  PacketPool packets;
  /// When the first of what `posts` has happens.
  Cycle first_post = kNever;
  /// Of each virtual channel of each link, if there are any; besides, the first never runs out.
  Credits* credits = nullptr;
  bool gives_credits = false;  ///< some receiver does
  /// Of each service level of each sender that has a link: together, as every packet counts here.
  std::uint64_t* sent_flits = nullptr;
  Speedup reader;  ///< how fast switches read their input queues
  const Routing* routing = nullptr;
  /// What the routing says, [switch][destination], where it depends on nothing else and the network
  /// is small enough; null otherwise.
  const KnownHop* known_hops = nullptr;
  Index hosts = 0;
  bool adaptive = false;  ///< the routing is
  bool large = false;     ///< too large for the cache: memory is asked for in advance
  const VcAllocation* vc_allocation = nullptr;
  VcMap vcs;
  static constexpr std::uint8_t kSeveralVcs = 0xff;
  static constexpr int kMostStages = 4;
  /// [service level][stage]: the virtual channel, or kSeveralVcs.
  std::array<std::uint8_t, kMaxSwitchQueues * kMostStages> only_vcs{};
  std::uint64_t decisions = 0;    ///< arbitrations asked for, at all ports
  std::uint64_t packet_hops = 0;  ///< packets granted at a switch
  std::uint64_t flit_hops = 0;    ///< flits of packets put on any wire, whole at the grant
  std::uint64_t pause_frames = 0;

  /// As events.schedule(), in `shard`.
  void schedule_in(Index shard, Cycle when, SimEventKind kind, SimEvent event) {
    if (shard == kHere) [[likely]] {
      events.schedule(when, kind, event);
    } else {
      posts[shard].push_back({when, event, kind});
      first_post = std::min(first_post, when);
    }
  }

  /// Handles events of the kind Credits.
  void credits_come_back(const EventList& of) {
    const Cycle now = events.now();
    Credits* const all = credits;
    for (const SimEvent& event : of) {
      Credits& these = all[event.where];
      if (these.come_back(now, event.data)) [[unlikely]] {
        events.schedule(now, SimEventKind::CreditWake, SimEvent{these.waits(), 0});
      }
    }
  }

  /// The virtual channel, or kSeveralVcs.
  [[nodiscard]] std::uint8_t only_vc(int service_level, int stage) const {
    return only_vcs[service_level * kMostStages + stage];
  }
  /// The virtual channel that packet `id` takes.
  [[nodiscard]] int vc_of(int service_level, int stage, PacketId id) const {
    const std::uint8_t only = only_vc(service_level, stage);
    return only != kSeveralVcs
               ? only
               : vc_allocation->choose(vcs.of(service_level, stage), packets.record(id));
  }
  /// After vcs is set. Errors: std::logic_error for a routing of more than kMostStages.
  void find_only_vcs() {
    if (vcs.stages > kMostStages) {
      throw std::logic_error("a routing has more stages than a Fabric keeps");
    }
    for (Index i = 0; i < count(vcs.masks); ++i) {
      const std::uint64_t mask = vcs.masks[i];
      only_vcs.at(i / vcs.stages * kMostStages + i % vcs.stages) =
          std::has_single_bit(mask) ? static_cast<std::uint8_t>(std::countr_zero(mask))
                                    : kSeveralVcs;
    }
  }
};

}  // namespace qosarb
