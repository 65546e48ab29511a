#include "qosarb/network/topology.hpp"
#include "qosarb/policy/config_reader.hpp"
#include "qosarb/switch/switch.hpp"

namespace qosarb {

namespace {

class ToHostsPort final : public Routing {
 public:
  [[nodiscard]] Hop hop(Index /*at*/, int /*in_port*/, Packet& packet,
                        const PacketRecord& /*record*/,
                        const Congestion* /*congestion*/) const override {
    return {packet.destination, 0};
  }
};

constexpr RoutingKind kSingleSwitchRoutings[] = {
    {"direct", [](const TopologyConfig& /*config*/) -> std::unique_ptr<Routing> {
       return std::make_unique<ToHostsPort>();
     }}};

/// One switch, a host at each of its ports: host i at port i.
class SingleSwitch final : public TopologyKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "single-switch"; }
  void parse(ConfigReader& reader, TopologyConfig& config) const override {
    config.ports = reader.index("ports", 2, kMaxRadix);
  }
  [[nodiscard]] Topology build(const TopologyConfig& config) const override {
    Topology topology;
    topology.hosts = config.ports;
    topology.switch_ports = {config.ports};
    for (int port = 0; port < config.ports; ++port) {
      topology.join_host(port, 0, port);
    }
    return topology;
  }
  [[nodiscard]] std::span<const RoutingKind> routings() const override {
    return kSingleSwitchRoutings;
  }
};

const SingleSwitch kSingleSwitchKind;

}  // namespace

const TopologyKind& kSingleSwitch = kSingleSwitchKind;

TopologyConfig single_switch(int ports) {
  return {.kind = &kSingleSwitchKind, .routing = kSingleSwitchRoutings, .ports = ports};
}

}  // namespace qosarb
