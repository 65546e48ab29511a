// A dragonfly of one dimension (Kim, Dally, Scott, Abts 2008): the switches of a group are all
// joined, and so are the groups. Port j of switch r in group g joins group
// (g + r x global_links + j + 1) mod groups; ports past the last group are unused.
#include <fmt/format.h>

#include "qosarb/network/topology.hpp"
#include "qosarb/policy/config_reader.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

/// Ports of a switch: those of the hosts, one for each other switch of its group, global ones.
struct Ports {
  explicit Ports(const TopologyConfig& config)
      : hosts(config.hosts_per_switch),
        switches(config.switches),
        globals(config.global_links),
        groups(config.groups) {}
  /// Of switch `from` to switch `to` of its group.
  [[nodiscard]] int local(Index from, Index to) const { return hosts + to - (to > from ? 1 : 0); }
  [[nodiscard]] int global(Index link) const { return hosts + switches - 1 + link; }
  /// The link of group `from` to group `to`: number link mod globals of switch link / globals.
  [[nodiscard]] Index link(Index from, Index to) const {
    return to > from ? to - from - 1 : to + groups - from - 1;
  }
  [[nodiscard]] bool is_host(int port) const { return port < hosts; }
  [[nodiscard]] bool is_global(int port) const { return port >= global(0); }

  int hosts;
  int switches;
  int globals;
  int groups;
};

/// What all dragonfly routings share: the one way to another group.
class DragonflyRouting : public Routing {
 public:
  explicit DragonflyRouting(const TopologyConfig& config) : ports_(config) {}

 protected:
  /// The port at switch `at` on the shortest way to group `to`, which is another one.
  [[nodiscard]] int toward_group(Index at, Index to) const {
    const Index own = at % ports_.switches;
    const Index link = ports_.link(at / ports_.switches, to);
    const Index gateway = link / ports_.globals;
    return gateway == own ? ports_.global(link % ports_.globals) : ports_.local(own, gateway);
  }
  /// The port at switch `at`, which is in the destination's group.
  [[nodiscard]] int toward_host(Index at, Index host) const {
    const Index target = host / ports_.hosts;
    return target == at ? host % ports_.hosts
                        : ports_.local(at % ports_.switches, target % ports_.switches);
  }
  [[nodiscard]] Index group_of_host(Index host) const {
    return host / (ports_.hosts * ports_.switches);
  }
  /// A group that is neither the source's nor the destination's; kNone if there is no such group or
  /// both are in one group.
  [[nodiscard]] Index draw_group(const PacketRecord& record, Random& random) const {
    const Index from = group_of_host(record.source);
    const Index to = group_of_host(record.destination);
    if (from == to || ports_.groups < 3) {
      return kNone;
    }
    Index group = random.below<Index>(ports_.groups - 2);
    group += group >= std::min(from, to) ? 1 : 0;
    group += group >= std::max(from, to) ? 1 : 0;
    return group;
  }

  // Packet::route: the group to go through first, and what has happened.
  static constexpr Index kNone = 0xffff;
  static constexpr std::uint32_t kGroup = 0xffff;
  static constexpr std::uint32_t kDiverted = 1U << 16;
  static constexpr std::uint32_t kWentLocal = 1U << 17;
  static constexpr std::uint32_t kGlobalHop = 1U << 24;  ///< counted from here on
  static Index group_in(const Packet& packet) { return static_cast<Index>(packet.route & kGroup); }
  static int global_hops(const Packet& packet) {
    return static_cast<int>(packet.route / kGlobalHop);
  }

  Ports ports_;
};

/// Local, global, local. Stage 0 before the global link and on it, stage 1 behind it: a channel
/// only waits for later ones in the order local 0, global 0, local 1.
class Minimal final : public DragonflyRouting {
 public:
  using DragonflyRouting::DragonflyRouting;
  [[nodiscard]] int stages() const override { return 2; }
  [[nodiscard]] Hop hop(Index at, int in_port, Packet& packet, const PacketRecord& /*record*/,
                        const Congestion* /*congestion*/) const override {
    const Index to = group_of_host(packet.destination);
    if (to != at / ports_.switches) {
      return {toward_group(at, to), 0};
    }
    return {toward_host(at, packet.destination), ports_.is_host(in_port) ? 0 : 1};
  }
};

/// Every packet goes through a group drawn at its source (Valiant 1982). The stage counts the
/// global links behind it: local 0, global 0, local 1, global 1, local 2.
class Valiant final : public DragonflyRouting {
 public:
  using DragonflyRouting::DragonflyRouting;
  [[nodiscard]] int stages() const override { return 3; }
  [[nodiscard]] bool in_order() const override { return false; }
  std::uint32_t start(const PacketRecord& record, Random& random) const override {
    return draw_group(record, random);
  }
  [[nodiscard]] Hop hop(Index at, int in_port, Packet& packet, const PacketRecord& /*record*/,
                        const Congestion* /*congestion*/) const override {
    const Index here = at / ports_.switches;
    if (ports_.is_global(in_port)) {
      packet.route += kGlobalHop;
    }
    if (group_in(packet) == here) {
      packet.route |= kNone;
    }
    const Index through = group_in(packet);
    const Index to = through == kNone ? group_of_host(packet.destination) : through;
    return {to != here ? toward_group(at, to) : toward_host(at, packet.destination),
            global_hops(packet)};
  }
};

/// Progressive adaptive routing (Jiang, Kim, Dally 2009): in the source's group each switch
/// compares what waits for the minimal way with what waits for the way through a group drawn at the
/// source, as UGAL does, with the global links of both as weights; the difference has to exceed a
/// threshold. A packet that has been diverted
/// stays so. Channels in the order local 0, local 1 (a second one in the source's group), global 0,
/// local 2, global 1, local 3 (in the destination's group).
class Adaptive final : public DragonflyRouting {
 public:
  explicit Adaptive(const TopologyConfig& config)
      : DragonflyRouting(config),
        own_class_(config.own_class_view),
        threshold_(config.divert_above_flits) {}
  [[nodiscard]] int stages() const override { return 4; }
  [[nodiscard]] bool in_order() const override { return false; }
  [[nodiscard]] bool adaptive() const override { return true; }
  std::uint32_t start(const PacketRecord& record, Random& random) const override {
    return draw_group(record, random);
  }
  [[nodiscard]] Hop hop(Index at, int in_port, Packet& packet, const PacketRecord& /*record*/,
                        const Congestion* congestion) const override {
    const Index here = at / ports_.switches;
    const Index target = group_of_host(packet.destination);
    if (ports_.is_global(in_port)) {
      packet.route += kGlobalHop;
    }
    if (here == target) {
      return {toward_host(at, packet.destination), global_hops(packet) == 0 ? 0 : 3};
    }
    const Index through = group_in(packet);
    if (global_hops(packet) != 0) {  // in the group that it was diverted to
      const int port = toward_group(at, target);
      return {port, ports_.is_global(port) ? 1 : 2};
    }
    int port = toward_group(at, (packet.route & kDiverted) != 0 ? through : target);
    if ((packet.route & kDiverted) == 0 && through != kNone) {
      const int other = toward_group(at, through);
      const int service_level = own_class_ ? packet.service_level : -1;
      if (congestion->waiting_flits(port, service_level) >
          2 * congestion->waiting_flits(other, service_level) + threshold_) {
        packet.route |= kDiverted;
        port = other;
      }
    }
    if (ports_.is_global(port)) {
      return {port, 0};
    }
    const bool second = (packet.route & kWentLocal) != 0;
    packet.route |= kWentLocal;
    return {port, second ? 1 : 0};
  }

 private:
  bool own_class_;
  std::uint64_t threshold_;
};

constexpr RoutingKind kDragonflyRoutings[] = {
    {"minimal",
     [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<Minimal>(config);
     }},
    {"valiant",
     [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<Valiant>(config);
     }},
    {"adaptive", [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<Adaptive>(config);
     }}};

class Dragonfly final : public TopologyKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "dragonfly"; }
  [[nodiscard]] bool has_groups() const override { return true; }

  void parse(ConfigReader& reader, TopologyConfig& config) const override {
    config.groups = reader.index("groups", 1, 65534);
    config.switches = reader.index("switches", 1, kMaxRadix);
    config.hosts_per_switch = reader.index("hosts_per_switch", 1, kMaxRadix);
    config.global_links = reader.index("global_links", 1, kMaxRadix);
    config.own_class_view = reader.choice_or("congestion", {"own-class", "all-classes"}, 0) == 0;
    config.divert_above_flits = reader.unsigned_32_or("divert_above_flits", 0, 1U << 24, 0);
    const int links = config.switches * config.global_links;
    if (config.groups > links + 1) {
      throw reader.error("groups",
                         fmt::format("{} global links a group reach {} other groups; of {} groups "
                                     "some would be reached by nothing",
                                     links, links, config.groups));
    }
    const int radix = config.hosts_per_switch + config.switches - 1 + config.global_links;
    if (radix > kMaxRadix) {
      throw reader.error(
          "hosts_per_switch",
          fmt::format("a switch has at most {} ports; {} are asked for", kMaxRadix, radix));
    }
    const std::int64_t hosts =
        std::int64_t{config.groups} * config.switches * config.hosts_per_switch;
    if (hosts > kMostHosts || hosts < 2) {
      throw reader.error("groups", fmt::format("{} hosts are not within 2..{}", hosts, kMostHosts));
    }
  }

  [[nodiscard]] Topology build(const TopologyConfig& config) const override {
    const Ports ports(config);
    Topology topology;
    topology.in_groups = true;
    const int switches = config.groups * config.switches;
    topology.hosts = switches * config.hosts_per_switch;
    topology.switch_ports.assign(switches, ports.global(ports.globals));
    for (int host = 0; host < topology.hosts; ++host) {
      topology.join_host(host, host / config.hosts_per_switch, host % config.hosts_per_switch);
    }
    for (Index group = 0; group < ports.groups; ++group) {
      const Index first = group * ports.switches;
      for (Index a = 0; a < ports.switches; ++a) {
        for (Index b = a + 1; b < ports.switches; ++b) {
          topology.join(first + a, ports.local(a, b), first + b, ports.local(b, a));
        }
      }
      for (Index other = group + 1; other < ports.groups; ++other) {
        const Index there = ports.link(group, other);
        const Index back = ports.link(other, group);
        topology.join(first + there / ports.globals, ports.global(there % ports.globals),
                      other * ports.switches + back / ports.globals,
                      ports.global(back % ports.globals), LinkKind::Global);
      }
    }
    return topology;
  }

  [[nodiscard]] std::span<const RoutingKind> routings() const override {
    return kDragonflyRoutings;
  }
};

const Dragonfly kDragonflyKind;

}  // namespace

const TopologyKind& kDragonfly = kDragonflyKind;

}  // namespace qosarb
