#include "qosarb/network/topology.hpp"

namespace qosarb {

namespace {

class SingleSwitchRouting final : public Routing {
 public:
  [[nodiscard]] int output(std::uint32_t /*node*/, int /*in_port*/,
                           const Packet& packet) const override {
    return packet.destination;
  }
};

}  // namespace

Topology single_switch(int ports) {
  Topology topology;
  topology.hosts = ports;
  topology.switch_ports = {ports};
  for (int port = 0; port < ports; ++port) {
    topology.links.push_back(
        {{static_cast<std::uint32_t>(port), 0},
         {static_cast<std::uint32_t>(ports), static_cast<std::uint16_t>(port)}});
  }
  topology.routing = std::make_unique<SingleSwitchRouting>();
  return topology;
}

}  // namespace qosarb
