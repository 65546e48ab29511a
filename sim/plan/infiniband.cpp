// The method infiniband of qosarb plan: its part of the file, and its report.
#include "qosarb/policy/infiniband.hpp"

#include <fmt/format.h>

#include "qosarb/analyze/read_rational.hpp"
#include "qosarb/plan/infiniband_plan.hpp"
#include "qosarb/plan/method.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

InfiniBandRequirements read_infiniband(MapReader& reader) {
  InfiniBandRequirements spec;
  spec.flit_bytes = reader.unsigned_32_or("flit_bytes", 1, 4096, spec.flit_bytes);
  spec.max_packet_flits = reader.unsigned_32("max_packet_flits", 1, kMaxPacketFlits);
  spec.packet_flits =
      reader.unsigned_32_or("packet_flits", 1, spec.max_packet_flits, spec.max_packet_flits);
  spec.low_turn = reader.choice_or("low_turn", {"entry", "packet"}, 0) == 0
                      ? InfiniBandConfig::LowTurn::Entry
                      : InfiniBandConfig::LowTurn::Packet;
  spec.max_entries =
      reader.unsigned_32_or("max_entries", 1, kMaxVlArbitrationEntries, kMaxVlArbitrationEntries);
  if (reader.has("limit")) {
    spec.limit = reader.unsigned_32("limit", 0, 255);
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
    item.share = read_share(lane);
    item.high = lane.choice_or("table", {"high", "low"}, 0) == 0;
    if (lane.has("distance")) {
      item.distance = lane.unsigned_32("distance", 1, 1U << 20U);
    }
    lane.finish();
    spec.lanes.push_back(item);
  }
  return spec;
}

PlanReport report(const InfiniBandRequirements& requirements) {
  const InfiniBandPlan plan = plan_infiniband(requirements);
  const auto& tables = plan.arbiter.parameters.get<InfiniBandConfig>();
  PlanReport report{.arbiter = plan.arbiter, .opensm = opensm_options(tables, plan.arbiter.queues)};
  report.json = {{"method", "infiniband"},
                 {"met", plan.met},
                 {"limit_of_high_priority", tables.limit_of_high_priority},
                 {"high_entries", tables.high.size()},
                 {"low_entries", tables.low.size()},
                 {"candidates", plan.candidates},
                 {"exact", plan.check.exact}};
  TextTable text({"VL", "table", "entries", "wanted %", "share %", "missed by %", "distance",
                  "asked", "missed by"});
  for (std::size_t i = 0; i < plan.lanes.size(); ++i) {
    const InfiniBandPlan::Lane& lane = plan.lanes[i];
    const InfiniBandRequirements::Lane& asked = requirements.lanes[i];
    text.row({std::to_string(asked.vl), asked.high ? "high" : "low", std::to_string(lane.entries),
              percent(lane.wanted), percent(lane.got), percent(lane.missed),
              std::to_string(lane.max_distance),
              asked.distance.has_value() ? std::to_string(*asked.distance) : "-",
              std::to_string(lane.distance_missed)});
    Json item = {
        {"vl", asked.vl}, {"table", asked.high ? "high" : "low"}, {"entries", lane.entries}};
    put(item, "wanted_share", lane.wanted);
    put(item, "share", lane.got);
    put(item, "share_missed_by", lane.missed);
    if (!plan.check.exact) {
      item["share_exact"] = nullptr;
      item["share_missed_by_exact"] = nullptr;
    }
    item["max_distance"] = lane.max_distance;
    item["distance_missed_by"] = lane.distance_missed;
    report.json["vls"].push_back(item);
  }
  report.json["opensm"] = report.opensm;
  report.text =
      fmt::format("limit {}, {} high and {} low entries; {} configurations analyzed{}: {}\n",
                  tables.limit_of_high_priority, tables.high.size(), tables.low.size(),
                  plan.candidates,
                  plan.check.exact
                      ? ""
                      : fmt::format(", this one over its last {} decisions", plan.check.decisions),
                  plan.met ? "every requirement is met" : "not every requirement is met") +
      text.text() + report.opensm;
  return report;
}

}  // namespace

const PlanMethod& infiniband_method() {
  static const PlanMethodOf<InfiniBandRequirements> method("infiniband", read_infiniband, report);
  return method;
}

}  // namespace qosarb
