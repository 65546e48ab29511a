#include <vector>

#include "Vport.h"
#include "Vport___024root.h"
#include "Vport_ages.h"
#include "Vport_ages___024root.h"
#include "Vport_classes.h"
#include "Vport_classes___024root.h"
#include "Vport_lanes.h"
#include "Vport_lanes___024root.h"
#include "Vport_levels.h"
#include "Vport_levels___024root.h"
#include "Vport_packets.h"
#include "Vport_packets___024root.h"
#include "cosim/port_model.hpp"
#include "cosim/verilated_port.hpp"

namespace qosarb {

std::span<const PortBuild> port_builds() {
  static const std::vector<PortBuild> builds = {
      verilated::build<Vport, 8, 4>("port"),
      verilated::build<Vport_packets, 8, 4>("port_packets"),
      verilated::build<Vport_levels, 8, 4>("port_levels"),
      verilated::build<Vport_lanes, 8, 4>("port_lanes"),
      verilated::build<Vport_classes, 8, 4>("port_classes"),
      verilated::build<Vport_ages, 28, 4>("port_ages")};
  return builds;
}

}  // namespace qosarb
