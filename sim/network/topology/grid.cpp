// Meshes and tori of one to three dimensions, each with its own number of switches.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "qosarb/network/topology.hpp"
#include "qosarb/policy/config_reader.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

constexpr int kMostDims = 3;
using Coordinates = std::array<std::uint16_t, kMostDims>;

/// Of switch `number`: the first dimension varies fastest.
Coordinates coordinates_of(int number, const std::vector<int>& dims) {
  Coordinates at{};
  for (Index d = 0; d < count(dims); ++d) {
    at[d] = static_cast<std::uint16_t>(number % dims[d]);
    number /= dims[d];
  }
  return at;
}

int switches_of(const TopologyConfig& config) { return product_up_to(config.dims, kMostSwitches); }

/// The first of the trunk's ports. They stand behind those of the hosts, up and down in each
/// dimension.
int port_of(const TopologyConfig& config, Index dim, bool up) {
  return config.hosts_per_switch + (2 * dim + (up ? 0 : 1)) * config.trunk;
}

int radix_of(const TopologyConfig& config) { return port_of(config, count(config.dims), true); }

/// What the virtual channels of a dimension are for.
enum class Stages { Mesh, AheadOfWrap, Dateline };

/// Dimension order (e-cube), the first dimension first. In a ring a packet that has the wrap link
/// still before it is in stage 0, and one that has not in stage 1 (Dally and Seitz 1987): nobody in
/// stage 1 takes the wrap link and nobody in stage 0 leaves switch 0 upward or the last one
/// downward for more than the way to that link, so neither stage has a ring of channels. `Dateline`
/// is SeaStar's way (Cray XT paper, Sect. 1.1): stage 0 up to the wrap link, 1 on it and behind it.
/// A dimension without wrap links is all stage 0. Of a trunk's links a packet takes the one of the
/// sum of its source and its destination, so that a flow keeps its order.
class DimensionOrder final : public Routing {
 public:
  DimensionOrder(const TopologyConfig& config, Stages stages)
      : wraps_(stages != Stages::Mesh),
        dateline_(stages == Stages::Dateline),
        split_(config.ties_split),
        mesh_dims_(config.mesh_dims),
        trunk_(config.trunk),
        hosts_per_switch_(config.hosts_per_switch) {
    for (std::size_t d = 0; d < config.dims.size(); ++d) {
      length_[d] = config.dims[d];
    }
    const int switches = switches_of(config);
    for (int number = 0; number < switches; ++number) {
      const Coordinates at = coordinates_of(number, config.dims);
      at_.push_back(at[0] | std::uint64_t{at[1]} << kBits | std::uint64_t{at[2]} << 2 * kBits);
    }
  }

  [[nodiscard]] int stages() const override { return wraps_ ? 2 : 1; }
  [[nodiscard]] bool by_destination() const override {
    return trunk_ == 1 && (!wraps_ || (!dateline_ && !split_));
  }

  [[nodiscard]] Hop hop(Index at, int /*in_port*/, Packet& packet, const PacketRecord& record,
                        const Congestion* /*congestion*/) const override {
    const Index target =
        hosts_per_switch_ == 1 ? packet.destination : packet.destination / hosts_per_switch_;
    if (target == at) {
      return {packet.destination - target * hosts_per_switch_, 0};
    }
    const std::uint64_t here = at_[at];
    const std::uint64_t there = at_[target];
    const int dim = std::countr_zero(here ^ there) / kBits;
    const int way = coordinate(there, dim) - coordinate(here, dim);
    bool up = way > 0;
    int stage = 0;
    if (wraps_ && ((mesh_dims_ >> dim) & 1U) == 0) {
      const int distance = way < 0 ? way + length_[dim] : way;  // upward
      up = 2 * distance != length_[dim] ? 2 * distance < length_[dim]
                                        : !split_ || tie_goes_up(dim, there, record);
      if (!dateline_) {
        stage = up == (way > 0) ? 1 : 0;
      } else {  // packets enter a dimension where they come from
        const int next = coordinate(here, dim) + (up ? 1 : -1);
        const int from = coordinate(at_[record.source / hosts_per_switch_], dim);
        stage = (up ? next == length_[dim] || next < from : next < 0 || next > from) ? 1 : 0;
      }
    }
    const int first = hosts_per_switch_ + (2 * dim + (up ? 0 : 1)) * trunk_;
    return {trunk_ == 1 ? first : first + (record.source + record.destination) % trunk_, stage};
  }

 private:
  static constexpr int kBits = 16;  ///< of a coordinate; the first dimension in the lowest bits
  static int coordinate(std::uint64_t at, int dim) {
    return static_cast<int>((at >> (dim * kBits)) & 0xffffU);
  }

  // Only met where a packet enters the dimension. Parity of the source's coordinates and of the
  // destination's other ones.
  [[nodiscard]] bool tie_goes_up(int dim, std::uint64_t there, const PacketRecord& record) const {
    const std::uint64_t from = at_[record.source / hosts_per_switch_];
    int sum = 0;
    for (int d = 0; d < kMostDims; ++d) {
      sum += coordinate(from, d) + (d == dim ? 0 : coordinate(there, d));
    }
    return sum % 2 == 0;
  }

  bool wraps_;
  bool dateline_;
  bool split_;
  std::uint32_t mesh_dims_;
  int trunk_;
  int hosts_per_switch_;
  std::array<int, kMostDims> length_{};
  std::vector<std::uint64_t> at_;  ///< [switch]: its coordinates
};

constexpr RoutingKind kMeshRoutings[] = {
    {"dimension-order", [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<DimensionOrder>(config, Stages::Mesh);
     }}};
constexpr RoutingKind kTorusRoutings[] = {
    {"dimension-order",
     [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<DimensionOrder>(config, Stages::AheadOfWrap);
     }},
    {"dateline", [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<DimensionOrder>(config, Stages::Dateline);
     }}};

class GridKind final : public TopologyKind {
 public:
  explicit GridKind(bool wraps) : wraps_(wraps) {}

  [[nodiscard]] std::string_view name() const override { return wraps_ ? "torus" : "mesh"; }

  void parse(ConfigReader& reader, TopologyConfig& config) const override {
    config.dims = reader.integers<int>("dims", 1, 65535, 1, kMostDims);
    config.hosts_per_switch = reader.index_or("hosts_per_switch", 1, 64, 1);
    config.trunk = reader.index_or("trunk", 1, kMaxRadix, 1);
    if (wraps_) {
      config.ties_split = reader.choice_or("ties", {"up", "split"}, 0) == 1;
      config.mesh_dims = 0;
      if (reader.has("mesh_dims")) {
        const Index last = count(config.dims) - 1;
        for (const Index dim : reader.integers<Index>("mesh_dims", 0, last, 1, kMostDims)) {
          config.mesh_dims |= 1U << dim;
        }
      }
    }
    const int switches = product_up_to(config.dims, kMostSwitches);
    if (switches < 0 || switches > kMostHosts / config.hosts_per_switch) {
      throw reader.error("dims", fmt::format("the product of dims is more than {} switches or {} "
                                             "hosts",
                                             kMostSwitches, kMostHosts));
    }
    if (switches * config.hosts_per_switch < 2) {
      throw reader.error("dims", "a network has at least two hosts");
    }
    const int radix = radix_of(config);
    if (radix > kMaxRadix) {
      throw reader.error(
          "hosts_per_switch",
          fmt::format("a switch has at most {} ports; {} are asked for", kMaxRadix, radix));
    }
  }

  [[nodiscard]] Topology build(const TopologyConfig& config) const override {
    Topology topology;
    const int switches = switches_of(config);
    const int hosts = config.hosts_per_switch;
    topology.hosts = switches * hosts;
    topology.switch_ports.assign(switches, radix_of(config));
    for (int number = 0; number < switches; ++number) {
      for (int port = 0; port < hosts; ++port) {
        topology.join_host(number * hosts + port, number, port);
      }
      const Coordinates at = coordinates_of(number, config.dims);
      int stride = 1;
      for (Index d = 0; d < count(config.dims); ++d) {
        const int length = config.dims[d];
        const bool last = at[d] == length - 1;
        const bool wraps = wraps_ && ((config.mesh_dims >> d) & 1U) == 0;
        if (length > 1 && (wraps || !last)) {
          const int next = last ? number - (length - 1) * stride : number + stride;
          for (int link = 0; link < config.trunk; ++link) {
            topology.join(number, port_of(config, d, true) + link, next,
                          port_of(config, d, false) + link);
          }
        }
        stride *= length;
      }
    }
    return topology;
  }

  [[nodiscard]] std::span<const RoutingKind> routings() const override {
    return wraps_ ? std::span<const RoutingKind>(kTorusRoutings)
                  : std::span<const RoutingKind>(kMeshRoutings);
  }

 private:
  bool wraps_;
};

const GridKind kMeshKind(false);
const GridKind kTorusKind(true);

}  // namespace

const TopologyKind& kMesh = kMeshKind;
const TopologyKind& kTorus = kTorusKind;

}  // namespace qosarb
