#include "cosim/programming.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {

namespace {

// What a driver writes for one policy, before it commits.

void write_table(const BxiConfig& bxi, std::vector<RegisterWrite>& writes) {
  for (std::size_t e = 0; e < bxi.table.size(); ++e) {
    writes.push_back(
        {QOSARB_PORT_TABLE_OFFSET(e), QOSARB_PORT_TABLE_QUEUE_ID_PUT(bxi.table[e].queue) |
                                          QOSARB_PORT_TABLE_QUANTUM_PUT(bxi.quantum(e))});
  }
  writes.push_back(
      {QOSARB_PORT_TABLE_ENTRIES_OFFSET, static_cast<std::uint32_t>(bxi.table.size())});
}

void write_levels(const std::vector<int>& queue_sl, const std::vector<SlEntry>& table,
                  std::vector<RegisterWrite>& writes) {
  for (std::size_t q = 0; q < queue_sl.size(); ++q) {
    writes.push_back({QOSARB_PORT_QUEUE_SL_OFFSET(q), static_cast<std::uint32_t>(queue_sl[q])});
  }
  for (std::size_t e = 0; e < table.size(); ++e) {
    writes.push_back(
        {QOSARB_PORT_TABLE_OFFSET(e), QOSARB_PORT_TABLE_QUEUE_ID_PUT(table[e].sl) |
                                          QOSARB_PORT_TABLE_QUANTUM_PUT(table[e].weight)});
  }
  writes.push_back({QOSARB_PORT_TABLE_ENTRIES_OFFSET, static_cast<std::uint32_t>(table.size())});
}

void write_levels(const SbtConfig& sbt, std::vector<RegisterWrite>& writes) {
  write_levels(sbt.queue_sl, sbt.table, writes);
}

void write_levels(const DTableConfig& dtable, std::vector<RegisterWrite>& writes) {
  write_levels(dtable.queue_sl, dtable.table, writes);
  for (std::size_t sl = 0; sl < dtable.sl_mtu.size(); ++sl) {
    writes.push_back({QOSARB_PORT_SL_MTU_OFFSET(sl), dtable.sl_mtu[sl]});
  }
}

// Entries that a table does not have get no weight.
void write_lanes(const InfiniBandConfig& ib, std::size_t entries,
                 std::vector<RegisterWrite>& writes) {
  std::size_t offset = 0;
  for (const auto* table : {&ib.high, &ib.low}) {
    for (std::size_t e = 0; e < entries / 2; ++e) {
      const InfiniBandConfig::Entry entry =
          e < table->size() ? (*table)[e] : InfiniBandConfig::Entry{};
      writes.push_back(
          {QOSARB_PORT_TABLE_OFFSET(offset + e),
           QOSARB_PORT_TABLE_QUEUE_ID_PUT(entry.vl) | QOSARB_PORT_TABLE_QUANTUM_PUT(entry.weight)});
    }
    offset += entries / 2;
  }
  writes.push_back({QOSARB_PORT_VL_HIGH_LIMIT_OFFSET, ib.limit_of_high_priority});
  writes.push_back({QOSARB_PORT_VL_LOW_TURN_OFFSET, ib.low_turn == InfiniBandConfig::LowTurn::Packet
                                                        ? QOSARB_PORT_VL_LOW_TURN_RULE_PACKET
                                                        : QOSARB_PORT_VL_LOW_TURN_RULE_ENTRY});
  writes.push_back(
      {QOSARB_PORT_FLIT_BYTES_OFFSET, static_cast<std::uint32_t>(std::countr_zero(ib.flit_bytes))});
}

void write_ages(const SeastarConfig& seastar, std::vector<RegisterWrite>& writes) {
  const auto select = seastar.age_rr_select;
  writes.push_back({QOSARB_PORT_AGE_RR_SELECT_OFFSET(0), static_cast<std::uint32_t>(select)});
  writes.push_back({QOSARB_PORT_AGE_RR_SELECT_OFFSET(1), static_cast<std::uint32_t>(select >> 32)});
  writes.push_back({QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET, seastar.age_clock_period});
  for (std::size_t input = 0; input < seastar.req_age_bias.size(); ++input) {
    writes.push_back({QOSARB_PORT_AGE_BIAS_OFFSET(input),
                      QOSARB_PORT_AGE_BIAS_REQUEST_PUT(seastar.req_age_bias[input]) |
                          QOSARB_PORT_AGE_BIAS_RESPONSE_PUT(seastar.rsp_age_bias[input])});
  }
}

// Priorities are written as ranks, from 0 on without gaps. Classes of the build that are not in use
// have the ranks that are left, and no rate.
void write_classes(const TrtcmConfig& trtcm, std::size_t queues,
                   std::vector<RegisterWrite>& writes) {
  for (std::size_t q = 0; q < queues; ++q) {
    const bool used = q < trtcm.classes.size();
    const TrtcmConfig::Class c = used ? trtcm.classes[q] : TrtcmConfig::Class{};
    const auto rank = std::count_if(
        trtcm.classes.begin(), trtcm.classes.end(),
        [&c](const TrtcmConfig::Class& other) { return other.priority < c.priority; });
    writes.push_back({QOSARB_PORT_CLASS_PRIORITY_OFFSET(q),
                      static_cast<std::uint32_t>(used ? static_cast<std::size_t>(rank) : q)});
    writes.push_back({QOSARB_PORT_ASSURED_RATE_OFFSET(q), c.assured_rate});
    writes.push_back({QOSARB_PORT_PEAK_RATE_OFFSET(q), c.peak_rate});
    writes.push_back({QOSARB_PORT_ASSURED_BURST_OFFSET(q),
                      c.assured_rate == 0 ? 0 : static_cast<std::uint32_t>(c.assured_burst)});
    writes.push_back({QOSARB_PORT_PEAK_BURST_OFFSET(q),
                      c.peak_rate == 0 ? 0 : static_cast<std::uint32_t>(c.peak_burst)});
  }
}

// The queues that a commit insists on: all, or where the config is not strict those that are
// served.
std::uint32_t queues_to_serve(const ArbiterConfig& config) {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << config.queues) - 1);
  if (config.strict) {
    return all;
  }
  std::uint32_t served = 0;
  if (const auto* bxi = std::get_if<BxiConfig>(&config.parameters)) {
    for (const BxiConfig::Entry& entry : bxi->table) {
      served |= 1U << entry.queue;
    }
    return served;
  }
  if (const auto* ib = std::get_if<InfiniBandConfig>(&config.parameters)) {
    for (const auto* table : {&ib->high, &ib->low}) {
      for (const InfiniBandConfig::Entry& entry : *table) {
        served |= entry.weight > 0 ? 1U << entry.vl : 0;
      }
    }
    return served;
  }
  const auto of_levels = [&served](const std::vector<int>& queue_sl,
                                   const std::vector<SlEntry>& table) {
    for (std::size_t q = 0; q < queue_sl.size(); ++q) {
      for (const SlEntry& entry : table) {
        served |= entry.sl == queue_sl[q] ? 1U << q : 0;
      }
    }
    return served;
  };
  if (const auto* sbt = std::get_if<SbtConfig>(&config.parameters)) {
    return of_levels(sbt->queue_sl, sbt->table);
  }
  if (const auto* dtable = std::get_if<DTableConfig>(&config.parameters)) {
    return of_levels(dtable->queue_sl, dtable->table);
  }
  return all;
}

}  // namespace

std::uint32_t policy_code(Policy policy) {
  switch (policy) {
    case Policy::Rr:
      return QOSARB_PORT_POLICY_RR;
    case Policy::BxiBasic:
      return QOSARB_PORT_POLICY_BXI_BASIC;
    case Policy::BxiDeficit:
      return QOSARB_PORT_POLICY_BXI_DEFICIT;
    case Policy::Sbt:
      return QOSARB_PORT_POLICY_SBT;
    case Policy::DTable:
      return QOSARB_PORT_POLICY_DTABLE;
    case Policy::InfiniBand:
      return QOSARB_PORT_POLICY_INFINIBAND;
    case Policy::SeastarAge:
      return QOSARB_PORT_POLICY_SEASTAR_AGE;
    case Policy::Trtcm:
      return QOSARB_PORT_POLICY_TRTCM;
  }
  throw std::invalid_argument("no such policy");
}

std::vector<RegisterWrite> register_writes(const ArbiterConfig& config, std::size_t entries,
                                           std::size_t queues) {
  std::vector<RegisterWrite> writes;
  if (const auto* bxi = std::get_if<BxiConfig>(&config.parameters)) {
    write_table(*bxi, writes);
  } else if (const auto* sbt = std::get_if<SbtConfig>(&config.parameters)) {
    write_levels(*sbt, writes);
  } else if (const auto* dtable = std::get_if<DTableConfig>(&config.parameters)) {
    write_levels(*dtable, writes);
  } else if (const auto* ib = std::get_if<InfiniBandConfig>(&config.parameters)) {
    write_lanes(*ib, entries, writes);
  } else if (const auto* seastar = std::get_if<SeastarConfig>(&config.parameters)) {
    write_ages(*seastar, writes);
  } else if (const auto* trtcm = std::get_if<TrtcmConfig>(&config.parameters)) {
    write_classes(*trtcm, queues, writes);
  }
  writes.push_back({QOSARB_PORT_POLICY_OFFSET, policy_code(config.policy)});
  writes.push_back({QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, config.max_packet_flits});
  writes.push_back({QOSARB_PORT_QUEUES_IN_USE_OFFSET, queues_to_serve(config)});
  writes.push_back({QOSARB_PORT_COMMIT_OFFSET, 1});
  return writes;
}

}  // namespace qosarb
