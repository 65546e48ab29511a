#include "qosarb/plan/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "qosarb/analyze/read_rational.hpp"
#include "qosarb/config/yaml_reader.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

namespace {

constexpr std::int64_t kMost = 1'000'000'000;  // beyond which a share is taken for a mistake

std::uint32_t natural(MapReader& reader, const std::string& key, std::uint32_t high,
                      std::uint32_t low = 1) {
  return static_cast<std::uint32_t>(reader.integer(key, low, high));
}

std::uint32_t natural_or(MapReader& reader, const std::string& key, std::uint32_t high,
                         std::uint32_t otherwise, std::uint32_t low = 1) {
  return reader.has(key) ? natural(reader, key, high, low) : otherwise;
}

Rational share(MapReader& reader) {
  Rational value = read_rational(reader, "share", Rational(0), Rational(kMost));
  if (value == Rational(0)) {
    throw reader.error("share", "a share must be above 0");
  }
  return value;
}

// An index that no item had before.
int fresh(MapReader& reader, const std::string& key, int high, std::set<int>& seen) {
  const auto value = static_cast<int>(reader.integer(key, 0, high));
  if (!seen.insert(value).second) {
    throw reader.error(key, fmt::format("{} {} is given twice", key, value));
  }
  return value;
}

BxiRequirements read_bxi(MapReader& reader) {
  BxiRequirements spec;
  spec.policy =
      reader.choice_or("policy", {"bxi-deficit", "bxi-basic"}, 0) == 0 ? kBxiDeficit : kBxiBasic;
  spec.max_packet_flits = natural(reader, "max_packet_flits", kMaxPacketFlits);
  spec.max_entries = natural_or(reader, "max_entries", kMaxTableEntries, spec.max_entries);
  spec.max_quantum_flits = natural_or(reader, "max_quantum_flits", UINT32_MAX,
                                      static_cast<std::uint32_t>(spec.max_quantum_flits));
  if (spec.max_quantum_flits < spec.max_packet_flits) {
    throw reader.error("max_quantum_flits", "a quantum must hold the longest packet");
  }
  spec.geometric = reader.choice_or("spread", {"geometric", "distances"}, 0) == 0;
  std::set<int> queues;
  for (MapReader& level : reader.maps("service_levels", 1, kMaxQueues)) {
    BxiRequirements::ServiceLevel item;
    item.queue = fresh(level, "queue", kMaxQueues - 1, queues);
    item.share = share(level);
    if (level.has("distance")) {
      item.distance = natural(level, "distance", kMaxTableEntries);
      if (spec.geometric) {
        throw level.error("distance", "distances need 'spread: distances'");
      }
    }
    level.finish();
    spec.service_levels.push_back(item);
  }
  return spec;
}

DTableRequirements read_dtable(MapReader& reader) {
  DTableRequirements spec;
  spec.entries = natural(reader, "entries", kMaxTableEntries);
  spec.gmtu = natural(reader, "gmtu", kMaxPacketFlits);
  spec.w = natural(reader, "w", 4096);
  spec.k = natural(reader, "k", 4096);
  std::set<int> levels;
  std::set<int> queues;
  for (MapReader& level : reader.maps("service_levels", 1, kMaxQueues)) {
    DTableRequirements::ServiceLevel item;
    item.sl = fresh(level, "sl", kMaxQueues - 1, levels);
    item.mtu = natural(level, "mtu", kMaxPacketFlits);
    item.distance = natural(level, "distance", kMaxTableEntries);
    item.share = share(level);
    if (level.has("queues")) {
      const YAML::Node list = level.node("queues");
      if (!list.IsSequence() || list.size() == 0) {
        throw level.error("queues", "queues must be a list of queues");
      }
      for (const auto& queue : list) {
        const auto q =
            static_cast<int>(yaml_integer(level.file(), queue, "a queue", 0, kMaxQueues - 1));
        if (!queues.insert(q).second) {
          throw level.error("queues", fmt::format("queue {} is given twice", q));
        }
        item.queues.push_back(q);
      }
    } else {
      if (!queues.insert(item.sl).second) {
        throw level.error("sl", fmt::format("queue {} carries another SL", item.sl));
      }
      item.queues.push_back(item.sl);
    }
    level.finish();
    spec.service_levels.push_back(item);
  }
  if (*queues.rbegin() != static_cast<int>(queues.size()) - 1) {
    throw reader.error("service_levels",
                       fmt::format("queues go up to {}, but only {} of them carry an SL",
                                   *queues.rbegin(), queues.size()));
  }
  return spec;
}

InfiniBandRequirements read_infiniband(MapReader& reader) {
  InfiniBandRequirements spec;
  spec.flit_bytes = natural_or(reader, "flit_bytes", 4096, spec.flit_bytes);
  spec.max_packet_flits = natural(reader, "max_packet_flits", kMaxPacketFlits);
  spec.packet_flits =
      natural_or(reader, "packet_flits", spec.max_packet_flits, spec.max_packet_flits);
  spec.low_turn = reader.choice_or("low_turn", {"entry", "packet"}, 0) == 0
                      ? InfiniBandConfig::LowTurn::Entry
                      : InfiniBandConfig::LowTurn::Packet;
  spec.max_entries =
      natural_or(reader, "max_entries", kMaxVlArbitrationEntries, kMaxVlArbitrationEntries);
  if (reader.has("limit")) {
    spec.limit = natural(reader, "limit", 255, 0);
  }
  if (reader.has("tolerance")) {
    spec.tolerance = read_rational(reader, "tolerance", Rational(0), Rational(1));
  }
  std::set<int> vls;
  for (MapReader& lane : reader.maps("vls", 1, kMaxDataVls)) {
    InfiniBandRequirements::Lane item;
    if (lane.integer("vl", 0, 15) == kMaxDataVls) {
      throw lane.error("vl", "VL15 carries subnet management and is not arbitrated by tables");
    }
    item.vl = fresh(lane, "vl", kMaxDataVls - 1, vls);
    item.share = share(lane);
    item.high = lane.choice_or("table", {"high", "low"}, 0) == 0;
    if (lane.has("distance")) {
      item.distance = natural(lane, "distance", 1U << 20U);
    }
    lane.finish();
    spec.lanes.push_back(item);
  }
  return spec;
}

SeastarRequirements read_seastar(MapReader& reader) {
  SeastarRequirements spec;
  for (MapReader& dimension : reader.maps("dimensions", 1, 7)) {
    SeastarRequirements::Dimension item;
    item.radix = natural(dimension, "radix", 1U << 16U);
    item.torus = dimension.choice_or("kind", {"torus", "mesh"}, 0) == 0;
    dimension.finish();
    spec.dimensions.push_back(item);
  }
  spec.vcs = natural_or(reader, "vcs", 64, spec.vcs, 2);
  if (spec.vcs % 2 != 0) {
    throw reader.error("vcs", "vcs must be even: half for requests, half for responses");
  }
  spec.packet_flits = natural_or(reader, "packet_flits", kMaxPacketFlits, spec.packet_flits);
  spec.input_queue_flits =
      natural_or(reader, "input_queue_flits", kMaxPacketFlits, spec.input_queue_flits);
  spec.staging_flits = natural_or(reader, "staging_flits", kMaxPacketFlits, spec.staging_flits);
  spec.processor_age_bias = natural_or(reader, "processor_age_bias", 7, spec.processor_age_bias, 0);
  const auto rate = [&reader](const std::string& key, Rational& value) {
    if (reader.has(key)) {
      value = read_rational(reader, key, Rational(1, 1000), Rational(1'000'000));
    }
  };
  rate("channel_gbytes", spec.channel_gbytes);
  rate("ejection_gbytes", spec.ejection_gbytes);
  if (reader.has("measured")) {
    MapReader measured = reader.map("measured");
    constexpr std::int64_t kCounter = std::int64_t{1} << 60;
    spec.measured = SeastarRequirements::Measured{
        static_cast<std::uint64_t>(measured.integer("stalled_cycles", 0, kCounter)),
        static_cast<std::uint64_t>(measured.integer("vc0_packets", 0, kCounter)),
        static_cast<std::uint64_t>(measured.integer("vc1_packets", 0, kCounter))};
    measured.finish();
  }
  return spec;
}

TrtcmRequirements read_trtcm(MapReader& reader) {
  TrtcmRequirements spec;
  spec.max_packet_flits = natural(reader, "max_packet_flits", kMaxPacketFlits);
  std::set<int> queues;
  std::vector<MapReader> classes = reader.maps("classes", 1, kMaxQueues);
  for (MapReader& one : classes) {
    TrtcmRequirements::Class item;
    item.queue = fresh(one, "queue", static_cast<int>(classes.size()) - 1, queues);
    item.assured = read_rational(one, "assured", Rational(0), Rational(kMost));
    item.peak =
        one.has("peak") ? read_rational(one, "peak", Rational(0), Rational(1)) : Rational(1);
    one.finish();
    spec.classes.push_back(item);
  }
  return spec;
}

StorageRequirements read_storage(MapReader& reader) {
  StorageRequirements spec;
  spec.entries = natural_or(reader, "entries", kMaxTableEntries, spec.entries);
  spec.queues = natural_or(reader, "queues", kMaxQueues, spec.queues);
  spec.weight_bits = natural_or(reader, "weight_bits", 32, spec.weight_bits);
  spec.current_entry_bits = natural_or(reader, "current_entry_bits", 32, spec.current_entry_bits);
  spec.radix = natural_or(reader, "radix", 4096, spec.radix);
  spec.max_packet_flits =
      natural_or(reader, "max_packet_flits", kMaxPacketFlits, spec.max_packet_flits);
  return spec;
}

PlanRequirements read_requirements(MapReader& reader) {
  switch (
      reader.choice("method", {"bxi", "dtable", "infiniband", "seastar-age", "trtcm", "storage"})) {
    case 0:
      return read_bxi(reader);
    case 1:
      return read_dtable(reader);
    case 2:
      return read_infiniband(reader);
    case 3:
      return read_seastar(reader);
    case 4:
      return read_trtcm(reader);
    default:
      return read_storage(reader);
  }
}

}  // namespace

PlanSpec load_plan_spec(const std::string& file) {
  MapReader top(load_yaml_map(file), file, "the file");
  MapReader reader(top.node("plan"), file, "plan");
  PlanSpec spec{file, reader.line(), read_requirements(reader)};
  reader.finish();
  top.finish();
  return spec;
}

}  // namespace qosarb
