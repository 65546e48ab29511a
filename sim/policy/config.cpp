#include "qosarb/policy/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "qosarb/config/fixed_point.hpp"
#include "qosarb/config/yaml_reader.hpp"

namespace qosarb {

namespace {

constexpr std::array<std::string_view, 8> kPolicyNames = {
    "rr", "bxi-basic", "bxi-deficit", "sbt", "dtable", "infiniband", "seastar-age", "trtcm"};
constexpr std::array<std::string_view, 2> kVariantNames = {"corrected", "printed"};

template <std::size_t N>
std::vector<std::string> texts(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

// Under strict every queue must be served: `served` says which ones some entry with a weight names.
void refuse_starved(const MapReader& reader, const std::string& key, const ArbiterConfig& config,
                    const std::vector<bool>& served) {
  const auto starved = std::find(served.begin(), served.end(), false);
  if (config.strict && starved != served.end()) {
    throw reader.error(
        key, fmt::format("no entry with a weight serves queue {} (strict: false accepts that)",
                         starved - served.begin()));
  }
}

BxiConfig parse_bxi(MapReader& reader, const ArbiterConfig& config) {
  BxiConfig bxi;
  bxi.quantum_scale =
      static_cast<std::uint32_t>(reader.integer_or("quantum_scale", 1, UINT32_MAX, 1));
  std::vector<bool> served(static_cast<std::size_t>(config.queues), false);
  for (MapReader& entry : reader.maps("table", 1, kMaxTableEntries)) {
    const auto queue = static_cast<int>(entry.integer("queue", 0, config.queues - 1));
    const auto weight = static_cast<std::uint32_t>(entry.integer("weight", 0, UINT32_MAX));
    entry.finish();
    bxi.table.push_back({queue, weight});
    const std::uint64_t quantum = bxi.quantum(bxi.table.size() - 1);
    if (quantum > kMaxQuantumFlits) {
      throw entry.error(
          "weight", fmt::format("a quantum of {} flits is beyond {}", quantum, kMaxQuantumFlits));
    }
    if (config.strict && quantum < config.max_packet_flits) {
      throw entry.error("weight",
                        fmt::format("a quantum of {} flits ({} x {}) does not hold a packet of {} "
                                    "flits (strict: false accepts that)",
                                    quantum, weight, bxi.quantum_scale, config.max_packet_flits));
    }
    served[static_cast<std::size_t>(queue)] = served[static_cast<std::size_t>(queue)] || weight > 0;
  }
  refuse_starved(reader, "table", config, served);
  return bxi;
}

std::vector<int> parse_queue_sl(MapReader& reader, const ArbiterConfig& config, int sls) {
  const auto queues = static_cast<std::size_t>(config.queues);
  std::vector<int> queue_sl;
  queue_sl.reserve(queues);
  for (const std::int64_t sl : reader.integers("queue_sl", 0, sls - 1, queues, queues)) {
    queue_sl.push_back(static_cast<int>(sl));
  }
  return queue_sl;
}

void refuse_starved_sl(const MapReader& reader, const ArbiterConfig& config,
                       const std::vector<int>& queue_sl, const std::vector<SlEntry>& table) {
  std::vector<bool> served;
  served.reserve(queue_sl.size());
  for (const int sl : queue_sl) {
    served.push_back(std::any_of(table.begin(), table.end(),
                                 [sl](const SlEntry& entry) { return entry.sl == sl; }));
  }
  refuse_starved(reader, "table", config, served);
}

SbtConfig parse_sbt(MapReader& reader, const ArbiterConfig& config) {
  SbtConfig sbt;
  sbt.queue_sl = parse_queue_sl(reader, config, kMaxQueues);
  for (MapReader& entry : reader.maps("table", 1, kMaxQueues)) {
    const auto sl = static_cast<int>(entry.integer("sl", 0, kMaxQueues - 1));
    const auto weight = static_cast<std::uint32_t>(entry.integer("weight", 1, UINT32_MAX));
    entry.finish();
    if (std::any_of(sbt.table.begin(), sbt.table.end(),
                    [sl](const SlEntry& other) { return other.sl == sl; })) {
      throw entry.error("sl", fmt::format("SL {} has two entries; sbt has one for each SL", sl));
    }
    sbt.table.push_back({sl, weight});
  }
  refuse_starved_sl(reader, config, sbt.queue_sl, sbt.table);
  return sbt;
}

DTableConfig parse_dtable(MapReader& reader, const ArbiterConfig& config) {
  DTableConfig dtable;
  for (const std::int64_t mtu : reader.integers("sl_mtu", 1, kMaxPacketFlits, 1, kMaxQueues)) {
    dtable.sl_mtu.push_back(static_cast<std::uint32_t>(mtu));
  }
  const auto sls = static_cast<int>(dtable.sl_mtu.size());
  dtable.queue_sl = parse_queue_sl(reader, config, sls);
  for (MapReader& entry : reader.maps("table", 1, kMaxTableEntries)) {
    const auto sl = static_cast<int>(entry.integer("sl", 0, sls - 1));
    const auto weight = static_cast<std::uint32_t>(entry.integer("weight", 0, UINT32_MAX));
    entry.finish();
    if (const std::uint32_t mtu = dtable.sl_mtu[static_cast<std::size_t>(sl)]; weight < mtu) {
      throw entry.error("weight",
                        fmt::format("a weight of {} flits does not hold SL {}'s MTU of {} "
                                    "flits",
                                    weight, sl, mtu));
    }
    dtable.table.push_back({sl, weight});
  }
  refuse_starved_sl(reader, config, dtable.queue_sl, dtable.table);
  return dtable;
}

constexpr std::array<std::string_view, 2> kLowTurnNames = {"entry", "packet"};

InfiniBandConfig parse_infiniband(MapReader& reader, const ArbiterConfig& config) {
  if (config.queues > kMaxDataVls) {
    throw reader.error("queues", fmt::format("infiniband has up to {} data VLs, not {}",
                                             kMaxDataVls, config.queues));
  }
  InfiniBandConfig ib;
  ib.flit_bytes = static_cast<std::uint32_t>(reader.integer_or("flit_bytes", 1, 65536, 64));
  ib.limit_of_high_priority =
      static_cast<std::uint32_t>(reader.integer("limit_of_high_priority", 0, 255));
  ib.low_turn =
      static_cast<InfiniBandConfig::LowTurn>(reader.choice_or("low_turn", texts(kLowTurnNames), 0));
  std::vector<bool> served(static_cast<std::size_t>(config.queues), false);
  const auto parse_table = [&](const std::string& key) {
    std::vector<InfiniBandConfig::Entry> table;
    if (!reader.has(key)) {
      return table;
    }
    for (MapReader& entry : reader.maps(key, 0, kMaxVlArbitrationEntries)) {
      const auto vl = static_cast<int>(entry.integer("vl", 0, kMaxDataVls));
      const auto weight = static_cast<std::uint32_t>(entry.integer("weight", 0, 255));
      entry.finish();
      if (vl == kMaxDataVls) {
        throw entry.error("vl", "VL15 is for subnet management and stands in no table");
      }
      if (vl >= config.queues) {
        throw entry.error("vl",
                          fmt::format("VL {} is beyond the port's {} VLs", vl, config.queues));
      }
      table.push_back({vl, weight});
      if (weight > 0) {
        served[static_cast<std::size_t>(vl)] = true;
      }
    }
    return table;
  };
  ib.high = parse_table("high");
  ib.low = parse_table("low");
  if (ib.high.empty() && ib.low.empty()) {
    throw reader.error("high", "the tables high and low have no entry");
  }
  refuse_starved(reader, ib.low.empty() ? "high" : "low", config, served);
  return ib;
}

SeastarConfig parse_seastar(MapReader& reader, const ArbiterConfig& config) {
  SeastarConfig seastar;
  seastar.vcs = static_cast<int>(reader.integer("vcs", 2, kMaxQueues));
  if (seastar.vcs % 2 != 0 || config.queues % seastar.vcs != 0) {
    throw reader.error("vcs", fmt::format("{} VCs: their number must be even and divide the {} "
                                          "queues (input ports x vcs)",
                                          seastar.vcs, config.queues));
  }
  const auto ports = static_cast<std::size_t>(config.queues / seastar.vcs);
  const auto biases = [&](const std::string& key) {
    if (!reader.has(key)) {
      return std::vector<std::uint32_t>(ports, 1);  // the paper's default
    }
    std::vector<std::uint32_t> values;
    for (const std::int64_t bias : reader.integers(key, 0, 7, ports, ports)) {
      values.push_back(static_cast<std::uint32_t>(bias));
    }
    return values;
  };
  seastar.req_age_bias = biases("req_age_bias");
  seastar.rsp_age_bias = biases("rsp_age_bias");
  seastar.age_clock_period =
      static_cast<std::uint32_t>(reader.integer("age_clock_period", 1, UINT32_MAX));
  seastar.age_rr_select = reader.unsigned_64("age_rr_select");
  return seastar;
}

std::uint32_t parse_rate(MapReader& reader, const std::string& key) {
  reader.number(key, 0, UINT16_MAX);  // names the common faults
  const auto rate = fixed_16_16(reader.text(key));
  if (!rate) {
    throw reader.error(key, fmt::format("{} must be a decimal number of flits per cycle", key));
  }
  return *rate;
}

TrtcmConfig parse_trtcm(MapReader& reader, const ArbiterConfig& config) {
  TrtcmConfig trtcm;
  const auto queues = static_cast<std::size_t>(config.queues);
  for (MapReader& item : reader.maps("classes", queues, queues)) {
    TrtcmConfig::Class c;
    c.priority = static_cast<int>(item.integer("priority", 0, kMaxQueues - 1));
    c.assured_rate = parse_rate(item, "assured_rate");
    c.peak_rate = parse_rate(item, "peak_rate");
    const auto burst = [&](const std::string& key, std::uint32_t rate) {
      const auto flits = static_cast<std::uint64_t>(
          item.integer_or(key, 0, static_cast<std::int64_t>(kMaxQuantumFlits),
                          4 * static_cast<std::int64_t>(config.max_packet_flits)));
      if (config.strict && rate > 0 && flits < config.max_packet_flits) {
        throw item.error(key, fmt::format("a bucket of {} flits does not hold a packet of {} flits "
                                          "(strict: false accepts that)",
                                          flits, config.max_packet_flits));
      }
      return flits;
    };
    c.assured_burst = burst("assured_burst", c.assured_rate);
    c.peak_burst = burst("peak_burst", c.peak_rate);
    item.finish();
    if (c.assured_rate > c.peak_rate) {
      throw item.error("assured_rate", "the assured rate is above the peak rate");
    }
    if (std::any_of(
            trtcm.classes.begin(), trtcm.classes.end(),
            [&c](const TrtcmConfig::Class& other) { return other.priority == c.priority; })) {
      throw item.error("priority", fmt::format("priority {} is given to two classes", c.priority));
    }
    trtcm.classes.push_back(c);
  }
  return trtcm;
}

// What `printed` would mean is only defined where semantics.md has two variants; under rr, which
// no pseudocode prints, both are the same.
void refuse_printed(const MapReader& reader, const ArbiterConfig& config) {
  if (config.variant == Variant::Printed &&
      (config.policy == Policy::InfiniBand || config.policy == Policy::Trtcm)) {
    throw reader.error("variant",
                       fmt::format("{} has one variant only, corrected", name_of(config.policy)));
  }
}

std::string entries_to_yaml(const std::string& key, const std::vector<SlEntry>& table) {
  std::string text = fmt::format("  {}:\n", key);
  for (const SlEntry& entry : table) {
    text += fmt::format("    - {{sl: {}, weight: {}}}\n", entry.sl, entry.weight);
  }
  return text;
}

std::string entries_to_yaml(const std::string& key,
                            const std::vector<InfiniBandConfig::Entry>& table) {
  std::string text = fmt::format("  {}:{}\n", key, table.empty() ? " []" : "");
  for (const InfiniBandConfig::Entry& entry : table) {
    text += fmt::format("    - {{vl: {}, weight: {}}}\n", entry.vl, entry.weight);
  }
  return text;
}

// n/65536 has at most 16 decimal places, so the text is exact.
std::string rate_to_yaml(std::uint32_t rate) { return fmt::format("{:.16f}", rate / 65536.0); }

std::string parameters_to_yaml(const std::monostate& /*rr*/) { return ""; }

std::string parameters_to_yaml(const BxiConfig& bxi) {
  std::string text = fmt::format("  quantum_scale: {}\n  table:\n", bxi.quantum_scale);
  for (const BxiConfig::Entry& entry : bxi.table) {
    text += fmt::format("    - {{queue: {}, weight: {}}}\n", entry.queue, entry.weight);
  }
  return text;
}

std::string parameters_to_yaml(const SbtConfig& sbt) {
  return fmt::format("  queue_sl: [{}]\n", fmt::join(sbt.queue_sl, ", ")) +
         entries_to_yaml("table", sbt.table);
}

std::string parameters_to_yaml(const DTableConfig& dtable) {
  return fmt::format("  queue_sl: [{}]\n  sl_mtu: [{}]\n", fmt::join(dtable.queue_sl, ", "),
                     fmt::join(dtable.sl_mtu, ", ")) +
         entries_to_yaml("table", dtable.table);
}

std::string parameters_to_yaml(const InfiniBandConfig& ib) {
  return fmt::format("  flit_bytes: {}\n  limit_of_high_priority: {}\n  low_turn: {}\n",
                     ib.flit_bytes, ib.limit_of_high_priority,
                     kLowTurnNames[static_cast<std::size_t>(ib.low_turn)]) +
         entries_to_yaml("high", ib.high) + entries_to_yaml("low", ib.low);
}

std::string parameters_to_yaml(const SeastarConfig& seastar) {
  return fmt::format(
      "  vcs: {}\n  req_age_bias: [{}]\n  rsp_age_bias: [{}]\n  age_clock_period: {}\n"
      "  age_rr_select: 0x{:016x}\n",
      seastar.vcs, fmt::join(seastar.req_age_bias, ", "), fmt::join(seastar.rsp_age_bias, ", "),
      seastar.age_clock_period, seastar.age_rr_select);
}

std::string parameters_to_yaml(const TrtcmConfig& trtcm) {
  std::string text = "  classes:\n";
  for (const TrtcmConfig::Class& c : trtcm.classes) {
    text += fmt::format(
        "    - {{priority: {}, assured_rate: {}, peak_rate: {}, assured_burst: {}, peak_burst: {}}}"
        "\n",
        c.priority, rate_to_yaml(c.assured_rate), rate_to_yaml(c.peak_rate), c.assured_burst,
        c.peak_burst);
  }
  return text;
}

}  // namespace

std::string_view name_of(Policy policy) { return kPolicyNames[static_cast<std::size_t>(policy)]; }

std::string_view name_of(Variant variant) {
  return kVariantNames[static_cast<std::size_t>(variant)];
}

ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file) {
  MapReader reader(node, file, "arbiter");
  ArbiterConfig config;
  config.policy = static_cast<Policy>(reader.choice("policy", texts(kPolicyNames)));
  config.variant = static_cast<Variant>(reader.choice_or("variant", texts(kVariantNames), 0));
  config.queues = static_cast<int>(reader.integer("queues", 1, kMaxQueues));
  config.max_packet_flits =
      static_cast<std::uint32_t>(reader.integer("max_packet_flits", 1, kMaxPacketFlits));
  config.strict = reader.boolean_or("strict", true);
  refuse_printed(reader, config);
  switch (config.policy) {
    case Policy::Rr:
      break;
    case Policy::BxiBasic:
    case Policy::BxiDeficit:
      config.parameters = parse_bxi(reader, config);
      break;
    case Policy::Sbt:
      config.parameters = parse_sbt(reader, config);
      break;
    case Policy::DTable:
      config.parameters = parse_dtable(reader, config);
      break;
    case Policy::InfiniBand:
      config.parameters = parse_infiniband(reader, config);
      break;
    case Policy::SeastarAge:
      config.parameters = parse_seastar(reader, config);
      break;
    case Policy::Trtcm:
      config.parameters = parse_trtcm(reader, config);
      break;
  }
  reader.finish();
  return config;
}

ArbiterConfig load_arbiter(const std::string& file) {
  MapReader top(load_yaml_map(file), file, kWholeFile);
  ArbiterConfig config = parse_arbiter(top.node("arbiter"), file);
  top.finish();
  return config;
}

std::string to_yaml(const ArbiterConfig& config) {
  return fmt::format(
             "arbiter:\n  policy: {}\n  variant: {}\n  queues: {}\n  max_packet_flits: {}\n"
             "  strict: {}\n",
             name_of(config.policy), name_of(config.variant), config.queues,
             config.max_packet_flits, config.strict) +
         std::visit([](const auto& parameters) { return parameters_to_yaml(parameters); },
                    config.parameters);
}

std::uint32_t max_packet_flits(const ArbiterConfig& config, int queue) {
  if (const auto* dtable = std::get_if<DTableConfig>(&config.parameters)) {
    const int sl = dtable->queue_sl[static_cast<std::size_t>(queue)];
    return std::min(config.max_packet_flits, dtable->sl_mtu[static_cast<std::size_t>(sl)]);
  }
  return config.max_packet_flits;
}

}  // namespace qosarb
