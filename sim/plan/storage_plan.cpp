#include "qosarb/plan/storage_plan.hpp"

#include <bit>
#include <set>

namespace qosarb {

namespace {

// $clog2 of the RTL.
std::uint32_t clog2(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::bit_width(number - 1));
}

// index_width() of rtl/qosarb_pkg.sv.
std::uint32_t index_width(std::uint32_t count) { return count > 1 ? clog2(count) : 1; }

}  // namespace

PaperStorage paper_storage(const StorageRequirements& requirements) {
  const std::uint64_t n = requirements.entries;
  PaperStorage bits;
  bits.table_bits = n * (index_width(requirements.queues) + requirements.weight_bits);
  bits.port_basic_bits = requirements.weight_bits + requirements.current_entry_bits;
  bits.port_deficit_bits = bits.port_basic_bits + n * requirements.weight_bits;
  bits.nic_basic_bits = bits.table_bits + bits.port_basic_bits;
  bits.nic_deficit_bits = bits.table_bits + bits.port_deficit_bits;
  bits.switch_basic_bits = bits.table_bits + bits.port_basic_bits * requirements.radix;
  bits.switch_deficit_bits = bits.table_bits + bits.port_deficit_bits * requirements.radix;
  return bits;
}

// The registers of qosarb_bxi_table: the current entry and those behind it (one-hot), its queue and
// the last grant (one-hot), what remains, and the heads of the last cycle. With deficits also the
// one just added, and for each entry one with a mark whether it counts.
RtlStorage rtl_storage(const StorageRequirements& requirements) {
  const std::uint64_t n = requirements.entries;
  const std::uint64_t queues = requirements.queues;
  const std::uint32_t flits = clog2(std::uint64_t{requirements.max_packet_flits} + 1);
  const std::uint32_t remaining =
      clog2((std::uint64_t{1} << requirements.weight_bits) + requirements.max_packet_flits - 1);
  RtlStorage bits;
  bits.shadow_bits = n * (index_width(requirements.queues) + requirements.weight_bits);
  bits.table_bits = bits.shadow_bits + n;
  bits.deficit_bits = index_width(requirements.max_packet_flits);
  const std::uint64_t common = 2 * n + 2 * queues + queues * flits;
  bits.state_basic_bits = common + requirements.weight_bits;
  bits.state_deficit_bits = common + remaining + bits.deficit_bits + n * (bits.deficit_bits + 1);
  const std::uint64_t tables = bits.table_bits + bits.shadow_bits;
  bits.switch_basic_bits = (tables + bits.state_basic_bits) * requirements.radix;
  bits.switch_deficit_bits = (tables + bits.state_deficit_bits) * requirements.radix;
  return bits;
}

StoragePlan plan_storage(const StorageRequirements& requirements) {
  StoragePlan plan{.paper = paper_storage(requirements), .rtl = rtl_storage(requirements)};
  std::set<std::uint32_t> entries{requirements.entries};
  for (std::uint32_t n = 8; n <= 256; n *= 2) {
    entries.insert(n);
  }
  std::set<std::uint32_t> radices{requirements.radix};
  for (std::uint32_t radix = 16; radix <= 128; radix *= 2) {
    radices.insert(radix);
  }
  const auto point = [&requirements](std::uint32_t n, std::uint32_t radix) {
    StorageRequirements at = requirements;
    at.entries = n;
    at.radix = radix;
    return StoragePlan::Point{n, radix, paper_storage(at), rtl_storage(at)};
  };
  for (const std::uint32_t n : entries) {
    plan.nic_curve.push_back(point(n, 1));
  }
  for (const std::uint32_t radix : radices) {
    for (const std::uint32_t n : entries) {
      plan.switch_curve.push_back(point(n, radix));
    }
  }
  return plan;
}

}  // namespace qosarb
