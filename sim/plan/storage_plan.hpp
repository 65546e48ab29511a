// Bits that arbitration tables cost (BXIv3 paper, Sect. 3.5), and those that this RTL holds.
#pragma once

#include <cstdint>
#include <vector>

namespace qosarb {

struct StorageRequirements {
  std::uint32_t entries = 32;
  std::uint32_t queues = 16;
  std::uint32_t weight_bits = 16;  ///< of a table entry, and of what remains of a turn
  std::uint32_t current_entry_bits = 8;
  std::uint32_t radix = 48;              ///< ports of the switch
  std::uint32_t max_packet_flits = 512;  ///< decides the RTL's deficit width
};

/// By the paper's formulas: one table per device, registers per port.
struct PaperStorage {
  std::uint64_t table_bits = 0;
  std::uint64_t port_basic_bits = 0;    ///< remaining quantum and current entry
  std::uint64_t port_deficit_bits = 0;  ///< and a deficit as wide as a weight for each entry
  std::uint64_t nic_basic_bits = 0;     ///< table and one port
  std::uint64_t nic_deficit_bits = 0;
  std::uint64_t switch_basic_bits = 0;  ///< table and all ports
  std::uint64_t switch_deficit_bits = 0;
};

/// Flip-flops of rtl/policy/qosarb_bxi_table.sv with its table, which every port has for itself.
struct RtlStorage {
  std::uint64_t table_bits = 0;   ///< in force: queue and quantum of each entry, entries used
  std::uint64_t shadow_bits = 0;  ///< being written
  std::uint64_t state_basic_bits = 0;
  std::uint64_t state_deficit_bits = 0;
  std::uint32_t deficit_bits = 0;       ///< of one deficit: ceil(log2(longest packet))
  std::uint64_t switch_basic_bits = 0;  ///< all three for all ports
  std::uint64_t switch_deficit_bits = 0;
};

struct StoragePlan {
  struct Point {
    std::uint32_t entries = 0;
    std::uint32_t radix = 0;  ///< 1: a NIC
    PaperStorage paper;
    RtlStorage rtl;
  };
  PaperStorage paper;
  RtlStorage rtl;
  std::vector<Point> nic_curve;     ///< the paper's Fig. 8
  std::vector<Point> switch_curve;  ///< the paper's Fig. 9
};

/// Of a device with `radix` ports, each with the table and the state that `requirements` ask for.
PaperStorage paper_storage(const StorageRequirements& requirements);
RtlStorage rtl_storage(const StorageRequirements& requirements);

/// The curves take 8 to 256 entries and switches of 16 to 128 ports by powers of two, besides the
/// required ones.
StoragePlan plan_storage(const StorageRequirements& requirements);

}  // namespace qosarb
