// How scenarios and options name ports: "nics", "switches", "host5", "host5.nic", "switch3",
// "switch3.port2".
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "qosarb/network/topology.hpp"

namespace qosarb {

/// All names that mean a port of `topology`, or several.
std::set<std::string> place_names(const Topology& topology);

/// Whether `place`, one of them, means the port `port` ("nic", "port2") of `chip` ("host5",
/// "switch3"), alone or with others.
bool names_port(std::string_view place, std::string_view chip, std::string_view port);

}  // namespace qosarb
