// Parallel-ports generalized fat trees, PGFT(h; m; w; p) (Zahavi, "D-Mod-K routing providing
// non-blocking traffic for shift permutations on real life fat trees", 2010), and k-ary n-trees
// (Petrini and Vanneschi 1997), which are PGFT(n; k, ..., k; 1, k, ..., k; 1, ..., 1).
#include <fmt/format.h>

#include "qosarb/network/topology.hpp"
#include "qosarb/policy/config_reader.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

constexpr int kMostLevels = 3;

/// A switch of level l (1 is next to the hosts) has the digits b_1 ... b_l, b_i < w_i, and
/// a_(l+1) ... a_h, a_i < m_i; its index within the level counts them in that order, b_1 fastest.
/// It has m_l x p_l ports down and w_(l+1) x p_(l+1) up behind them. Up port q goes to the parent
/// whose digit b_(l+1) is q mod w_(l+1), by parallel link floor(q / w_(l+1)); the parent's port
/// down for child a and parallel link j is a + j x m.
class Shape {
 public:
  explicit Shape(const TopologyConfig& config)
      : m_(config.down), w_(config.up), p_(config.parallel) {
    first_.push_back(0);
    for (std::size_t level = 1; level <= levels(); ++level) {
      first_.push_back(first_.back() + switches(level));
    }
  }
  [[nodiscard]] std::size_t levels() const { return m_.size(); }
  [[nodiscard]] int m(std::size_t level) const { return m_[level - 1]; }
  [[nodiscard]] int w(std::size_t level) const { return w_[level - 1]; }
  [[nodiscard]] int p(std::size_t level) const { return p_[level - 1]; }
  [[nodiscard]] int hosts() const { return below(levels()); }
  /// Product of m_1 ... m_level.
  [[nodiscard]] int below(std::size_t level) const {
    int product = 1;
    for (std::size_t l = 1; l <= level; ++l) {
      product *= m(l);
    }
    return product;
  }
  /// Product of w_1 ... w_level.
  [[nodiscard]] int roots(std::size_t level) const {
    int product = 1;
    for (std::size_t l = 1; l <= level; ++l) {
      product *= w(l);
    }
    return product;
  }
  [[nodiscard]] int switches(std::size_t level) const {
    return roots(level) * (hosts() / below(level));
  }
  [[nodiscard]] int first(std::size_t level) const { return first_[level - 1]; }
  [[nodiscard]] int all() const { return first_.back(); }
  [[nodiscard]] int down_ports(std::size_t level) const { return m(level) * p(level); }
  [[nodiscard]] int up_ports(std::size_t level) const {
    return level == levels() ? 0 : w(level + 1) * p(level + 1);
  }

 private:
  std::vector<int> m_;
  std::vector<int> w_;
  std::vector<int> p_;
  std::vector<int> first_;  ///< number of the first switch of each level, from level 1
};

/// Up until the destination is below, then the one way down. Channels up wait for channels up or
/// down, and those down only for those down: no ring.
class UpDown : public Routing {
 public:
  explicit UpDown(const TopologyConfig& config) : shape_(config) {
    for (std::size_t level = 1; level <= shape_.levels(); ++level) {
      for (int index = 0; index < shape_.switches(level); ++index) {
        at_.push_back({level, index / shape_.roots(level)});
      }
      levels_.push_back({shape_.below(level), shape_.below(level - 1), shape_.roots(level),
                         shape_.roots(level - 1)});
    }
  }

  [[nodiscard]] Hop hop(Index at, int /*in_port*/, Packet& packet, const PacketRecord& /*record*/,
                        const Congestion* /*congestion*/) const override {
    const Place& place = at_[at];
    const Level& level = levels_[place.level - 1];
    if (packet.destination / level.below == place.subtree) {
      const int m = shape_.m(place.level);
      const int child = packet.destination / level.below_child % m;
      const int w = shape_.w(place.level);
      const int p = shape_.p(place.level);
      const int link = packet.destination / level.roots_child % (w * p) / w;
      return {child + link * m, 0};
    }
    const int ports = shape_.up_ports(place.level);
    return {shape_.down_ports(place.level) + up(packet, place.level, level.roots, ports), 0};
  }

 protected:
  /// The up port of `ports` at a switch of `level`; `roots` is w_1 ... w_level.
  [[nodiscard]] virtual int up(const Packet& packet, std::size_t level, int roots,
                               int ports) const = 0;
  [[nodiscard]] const Shape& shape() const { return shape_; }

 private:
  struct Place {
    std::size_t level = 1;
    int subtree = 0;  ///< which of the subtrees of that height
  };
  struct Level {
    int below = 1;
    int below_child = 1;
    int roots = 1;
    int roots_child = 1;
  };
  Shape shape_;
  std::vector<Place> at_;      ///< [switch]
  std::vector<Level> levels_;  ///< [level - 1]
};

class DModK final : public UpDown {
 public:
  using UpDown::UpDown;
  [[nodiscard]] bool by_destination() const override { return true; }

 protected:
  [[nodiscard]] int up(const Packet& packet, std::size_t /*level*/, int roots,
                       int ports) const override {
    return packet.destination / roots % ports;
  }
};

/// Draws one of all ways up for each packet at its source; each level takes its own digit of it.
class RandomUp final : public UpDown {
 public:
  using UpDown::UpDown;
  [[nodiscard]] bool in_order() const override { return false; }
  std::uint32_t start(const PacketRecord& /*record*/, Random& random) const override {
    std::uint32_t ways = 1;
    for (std::size_t level = 1; level < shape().levels(); ++level) {
      ways *= shape().up_ports(level);
    }
    return random.below<std::uint32_t>(ways);
  }

 protected:
  [[nodiscard]] int up(const Packet& packet, std::size_t level, int /*roots*/,
                       int ports) const override {
    const std::uint32_t way = level == 1 ? packet.route : packet.route / shape().up_ports(1);
    return static_cast<int>(way % ports);
  }
};

constexpr RoutingKind kTreeRoutings[] = {
    {"d-mod-k",
     [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<DModK>(config);
     }},
    {"random-up", [](const TopologyConfig& config) -> std::unique_ptr<Routing> {
       return std::make_unique<RandomUp>(config);
     }}};

class Tree : public TopologyKind {
 public:
  [[nodiscard]] Topology build(const TopologyConfig& config) const override {
    const Shape shape(config);
    Topology topology;
    topology.hosts = shape.hosts();
    for (std::size_t level = 1; level <= shape.levels(); ++level) {
      topology.switch_ports.insert(topology.switch_ports.end(), shape.switches(level),
                                   shape.down_ports(level) + shape.up_ports(level));
    }
    for (int host = 0; host < topology.hosts; ++host) {
      topology.join_host(host, host / shape.m(1), host % shape.m(1));
    }
    for (std::size_t level = 1; level < shape.levels(); ++level) {
      const int roots = shape.roots(level);
      for (int index = 0; index < shape.switches(level); ++index) {
        const int subtree = index / roots;
        for (int q = 0; q < shape.up_ports(level); ++q) {
          const int digit = q % shape.w(level + 1);
          const int link = q / shape.w(level + 1);
          const int parent =
              index % roots + digit * roots + subtree / shape.m(level + 1) * shape.roots(level + 1);
          topology.join(shape.first(level) + index, shape.down_ports(level) + q,
                        shape.first(level + 1) + parent,
                        subtree % shape.m(level + 1) + link * shape.m(level + 1));
        }
      }
    }
    return topology;
  }
  [[nodiscard]] std::span<const RoutingKind> routings() const override { return kTreeRoutings; }

 protected:
  static void check(ConfigReader& reader, const std::string& key, const TopologyConfig& config) {
    int switches = 0;
    for (std::size_t level = 1; level <= config.down.size(); ++level) {
      const std::span<const int> below = std::span(config.down).subspan(level);
      std::vector<int> factors = config.up;
      factors.resize(level);
      factors.insert(factors.end(), below.begin(), below.end());
      const int here = product_up_to(factors, kMostSwitches);
      switches = here < 0 ? kMostSwitches + 1 : switches + here;
      if (switches > kMostSwitches || product_up_to(config.down, kMostHosts) < 0) {
        throw reader.error(key, fmt::format("the tree has more than {} switches or {} hosts",
                                            kMostSwitches, kMostHosts));
      }
    }
    if (product_up_to(config.down, kMostHosts) < 2) {
      throw reader.error(key, "a network has at least two hosts");
    }
    const Shape shape(config);
    for (std::size_t level = 1; level <= shape.levels(); ++level) {
      const int radix = shape.down_ports(level) + shape.up_ports(level);
      if (radix > kMaxRadix) {
        throw reader.error(
            key, fmt::format("a switch of level {} would have {} ports, more than {}", level, radix,
                             kMaxRadix));
      }
    }
  }
};

class KaryNtree final : public Tree {
 public:
  [[nodiscard]] std::string_view name() const override { return "kary-ntree"; }
  void parse(ConfigReader& reader, TopologyConfig& config) const override {
    const int k = reader.index("k", 2, kMaxRadix);
    const std::size_t n = reader.index("n", 1, kMostLevels);
    config.down.assign(n, k);
    config.up.assign(n, k);
    config.up[0] = 1;
    config.parallel.assign(n, 1);
    check(reader, "k", config);
  }
};

class Pgft final : public Tree {
 public:
  [[nodiscard]] std::string_view name() const override { return "pgft"; }
  void parse(ConfigReader& reader, TopologyConfig& config) const override {
    const auto list = [&reader](const char* key) {
      return reader.integers<int>(key, 1, kMostHosts, 1, kMostLevels);
    };
    config.down = list("down");
    config.up = list("up");
    config.parallel = list("parallel");
    if (config.up.size() != config.down.size()) {
      throw reader.error(
          "up", fmt::format("up has {} levels and down {}", config.up.size(), config.down.size()));
    }
    if (config.parallel.size() != config.down.size()) {
      throw reader.error("parallel", fmt::format("parallel has {} levels and down {}",
                                                 config.parallel.size(), config.down.size()));
    }
    if (config.up[0] != 1 || config.parallel[0] != 1) {
      throw reader.error(config.up[0] != 1 ? "up" : "parallel",
                         "a host has one link: up and parallel begin with 1");
    }
    for (const int value : config.parallel) {
      if (value > kMaxRadix) {
        throw reader.error("parallel",
                           fmt::format("{} parallel links are more than {}", value, kMaxRadix));
      }
    }
    check(reader, "down", config);
  }
};

const KaryNtree kKaryKind;
const Pgft kPgftKind;

}  // namespace

const TopologyKind& kKaryNtree = kKaryKind;
const TopologyKind& kPgft = kPgftKind;

}  // namespace qosarb
