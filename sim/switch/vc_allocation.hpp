// Which of several virtual channels a packet takes: one small class for each way to choose.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "qosarb/switch/packet.hpp"

namespace qosarb {

/// The virtual channels of each service level: one set, as a mask, for each stage of the routing.
struct VcMap {
  int stages = 1;
  std::vector<std::uint64_t> masks;  ///< [service level][stage]

  [[nodiscard]] int service_levels() const { return count(masks) / stages; }
  [[nodiscard]] std::uint64_t of(int service_level, int stage) const {
    return masks[service_level * stages + stage];
  }
};

/// Asked for packets that may use more than one virtual channel of the next link.
class VcAllocation {
 public:
  virtual ~VcAllocation() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// One of the set bits of `vcs`: the same for all packets of a flow, which would else get out of
  /// order.
  [[nodiscard]] virtual int choose(std::uint64_t vcs, const PacketRecord& packet) const = 0;
};

/// All there are; the first is the default.
std::span<const VcAllocation* const> vc_allocations();

}  // namespace qosarb
