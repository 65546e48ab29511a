// How hosts and switches are joined. A topology is a list of links and a routing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "qosarb/switch/routing.hpp"

namespace qosarb {

/// Nodes 0..hosts-1 are hosts with the one port 0; those after them are switches.
struct Topology {
  struct End {
    std::uint32_t node = 0;
    std::uint16_t port = 0;
  };
  struct Link {  ///< both directions
    End a;
    End b;
  };
  int hosts = 0;
  std::vector<int> switch_ports;  ///< of each switch
  std::vector<Link> links;
  std::unique_ptr<Routing> routing;
};

/// One switch, a host at each of its ports: host i at port i. `ports` is 2..kMaxRadix.
Topology single_switch(int ports);

}  // namespace qosarb
