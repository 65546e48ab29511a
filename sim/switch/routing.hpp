#pragma once

#include <cstdint>

#include "qosarb/switch/packet.hpp"

namespace qosarb {

/// The way of packets through a topology: one small class for each.
class Routing {
 public:
  virtual ~Routing() = default;
  /// The output port by which `packet`, which came in by `in_port`, leaves the switch `node`.
  [[nodiscard]] virtual int output(std::uint32_t node, int in_port, const Packet& packet) const = 0;
};

}  // namespace qosarb
