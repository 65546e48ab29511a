// How hosts and switches are joined: one small class for each kind, which knows its routings.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "qosarb/switch/routing.hpp"

namespace qosarb {

class ConfigReader;

/// Links differ in their delay and rate only.
enum class LinkKind : std::uint8_t {
  Host,    ///< between a host and its switch
  Local,   ///< between switches
  Global,  ///< between the groups of a dragonfly
};

/// Nodes 0..hosts-1 are hosts with the one port 0; those after them are switches. Host h is on
/// switch floor(h / hosts_per_switch), if it has that many, at that switch's port h mod
/// hosts_per_switch; other ports of a switch follow.
struct Topology {
  struct End {
    Index node = 0;
    Index port = 0;
  };
  struct Link {  ///< both directions
    End a;
    End b;
    LinkKind kind = LinkKind::Local;
  };
  int hosts = 0;
  std::vector<int> switch_ports;  ///< of each switch
  std::vector<Link> links;
  bool in_groups = false;  ///< local links join the switches of a group

  /// The node of switch `number`.
  [[nodiscard]] Index node_of(Index number) const { return hosts + number; }
  void join_host(Index host, Index number, Index port) {
    links.push_back({{host, 0}, {node_of(number), port}, LinkKind::Host});
  }
  void join(Index a, Index port_a, Index b, Index port_b, LinkKind kind = LinkKind::Local) {
    links.push_back({{node_of(a), port_a}, {node_of(b), port_b}, kind});
  }
};

class TopologyKind;
struct RoutingKind;

/// The `topology:` and `routing:` keys of a scenario. Each kind reads its own.
struct TopologyConfig {
  const TopologyKind* kind = nullptr;
  const RoutingKind* routing = nullptr;
  int ports = 8;                ///< single-switch
  std::vector<int> dims;        ///< mesh, torus
  bool ties_split = false;      ///< torus
  std::uint32_t mesh_dims = 0;  ///< torus: a bit for each dimension without wrap links
  int trunk = 1;                ///< mesh, torus: links between two neighbours
  int hosts_per_switch = 1;     ///< mesh, torus, dragonfly
  std::vector<int> down;        ///< trees: m of PGFT(h; m; w; p)
  std::vector<int> up;          ///< trees: w
  std::vector<int> parallel;    ///< trees: p
  int groups = 1;               ///< dragonfly
  int switches = 1;             ///< dragonfly: of a group
  int global_links = 1;         ///< dragonfly: of a switch
  bool own_class_view = true;   ///< adaptive: counts what waits in the packet's own class only
  std::uint32_t divert_above_flits = 0;  ///< adaptive: what the minimal way may have more waiting
};

/// A routing of a topology.
struct RoutingKind {
  std::string_view name;
  std::unique_ptr<Routing> (*make)(const TopologyConfig& config);
};

class TopologyKind {
 public:
  virtual ~TopologyKind() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Reads all keys but `kind`. Errors: InputError.
  virtual void parse(ConfigReader& reader, TopologyConfig& config) const = 0;
  /// Errors: none; what parse() accepts can be built.
  [[nodiscard]] virtual Topology build(const TopologyConfig& config) const = 0;
  /// Whether some of its links are global.
  [[nodiscard]] virtual bool has_groups() const { return false; }
  /// The routings that cover it; the first is the default.
  [[nodiscard]] virtual std::span<const RoutingKind> routings() const = 0;
};

extern const TopologyKind& kSingleSwitch;
extern const TopologyKind& kMesh;
extern const TopologyKind& kTorus;
extern const TopologyKind& kKaryNtree;
extern const TopologyKind& kPgft;
extern const TopologyKind& kDragonfly;

/// All there are.
std::span<const TopologyKind* const> topology_kinds();

/// Beyond these a number is taken for a mistake.
inline constexpr int kMostHosts = 1 << 17;
inline constexpr int kMostSwitches = 1 << 17;

/// The product of `factors`, or -1 if it is above `most`.
int product_up_to(std::span<const int> factors, int most);

/// One switch, a host at each of its ports: host i at port i. `ports` is 2..kMaxRadix.
TopologyConfig single_switch(int ports);

}  // namespace qosarb
