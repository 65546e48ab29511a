#include "qosarb/network/places.hpp"

#include <fmt/format.h>

namespace qosarb {

std::set<std::string> place_names(const Topology& topology) {
  std::set<std::string> names = {"nics", "switches"};
  for (int host = 0; host < topology.hosts; ++host) {
    names.insert({fmt::format("host{}", host), fmt::format("host{}.nic", host)});
  }
  for (std::size_t s = 0; s < topology.switch_ports.size(); ++s) {
    names.insert(fmt::format("switch{}", s));
    for (int port = 0; port < topology.switch_ports[s]; ++port) {
      names.insert(fmt::format("switch{}.port{}", s, port));
    }
  }
  return names;
}

bool names_port(std::string_view place, std::string_view chip, std::string_view port) {
  return place == (port == "nic" ? "nics" : "switches") || place == chip ||
         place == fmt::format("{}.{}", chip, port);
}

}  // namespace qosarb
