#include "qosarb/switch/vc_allocation.hpp"

#include <array>
#include <bit>

namespace qosarb {

namespace {

int nth_bit(std::uint64_t mask, int n) {
  for (; n > 0; --n) {
    mask &= mask - 1;
  }
  return std::countr_zero(mask);
}

/// All packets of a flow take the same one, so that they stay in order; flows are spread.
class ByFlow final : public VcAllocation {
 public:
  [[nodiscard]] std::string_view name() const override { return "by-flow"; }
  [[nodiscard]] int choose(std::uint64_t vcs, const PacketRecord& packet) const override {
    return nth_bit(vcs, (packet.source + packet.destination) % std::popcount(vcs));
  }
};

/// The lowest one.
class Lowest final : public VcAllocation {
 public:
  [[nodiscard]] std::string_view name() const override { return "lowest"; }
  [[nodiscard]] int choose(std::uint64_t vcs, const PacketRecord& /*packet*/) const override {
    return std::countr_zero(vcs);
  }
};

}  // namespace

std::span<const VcAllocation* const> vc_allocations() {
  static const ByFlow by_flow;
  static const Lowest lowest;
  static const std::array<const VcAllocation*, 2> all = {&by_flow, &lowest};
  return all;
}

}  // namespace qosarb
