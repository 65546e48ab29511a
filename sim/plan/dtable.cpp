// The method dtable of qosarb plan: its part of the file, and its report.
#include <fmt/format.h>

#include "qosarb/config/yaml_reader.hpp"
#include "qosarb/plan/dtable_plan.hpp"
#include "qosarb/plan/method.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

DTableRequirements read_dtable(MapReader& reader) {
  DTableRequirements spec;
  spec.entries = reader.unsigned_32("entries", 1, kMaxTableEntries);
  spec.gmtu = reader.unsigned_32("gmtu", 1, kMaxPacketFlits);
  spec.w = reader.unsigned_32("w", 1, 4096);
  spec.k = reader.unsigned_32("k", 1, 4096);
  std::set<int> levels;
  std::set<int> queues;
  for (MapReader& level : reader.maps("service_levels", 1, kMaxQueues)) {
    DTableRequirements::ServiceLevel item;
    item.sl = fresh(level, "sl", kMaxQueues - 1, levels);
    item.mtu = level.unsigned_32("mtu", 1, kMaxPacketFlits);
    item.distance = level.unsigned_32("distance", 1, kMaxTableEntries);
    item.share = read_share(level);
    if (level.has("queues")) {
      const YAML::Node list = level.node("queues");
      if (!list.IsSequence() || list.size() == 0) {
        throw level.error("queues", "queues must be a list of queues");
      }
      for (const auto& queue : list) {
        const Index q = yaml_integer(level.file(), queue, "a queue", 0, kMaxQueues - 1);
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
  if (*queues.rbegin() != count(queues) - 1) {
    throw reader.error("service_levels",
                       fmt::format("queues go up to {}, but only {} of them carry an SL",
                                   *queues.rbegin(), queues.size()));
  }
  return spec;
}

PlanReport report(const DTableRequirements& requirements) {
  const DTablePlan plan = plan_dtable(requirements);
  PlanReport report{.arbiter = plan.arbiter};
  report.json = {{"method", "dtable"},
                 {"entries", requirements.entries},
                 {"pool", plan.pool},
                 {"max_entry_weight", plan.max_entry_weight}};
  TextTable text({"SL", "entries", "distance", "MTU", "min share", "max share", "share",
                  "total weight", "entry", "rounded", "R share", "R - share", "correction", "final",
                  "F share", "entries"});
  for (std::size_t i = 0; i < plan.service_levels.size(); ++i) {
    const DTablePlan::ServiceLevel& level = plan.service_levels[i];
    const DTableRequirements::ServiceLevel& asked = requirements.service_levels[i];
    text.row({std::to_string(asked.sl), std::to_string(level.entries),
              std::to_string(level.max_distance), std::to_string(asked.mtu),
              fixed5(level.min_share), fixed5(level.max_share), fixed5(level.share),
              fixed5(level.total_weight), std::to_string(level.entry_weight),
              std::to_string(level.rounded_weight), fixed5(level.rounded_share),
              fixed5(level.rounded_share - level.share), std::to_string(level.correction),
              std::to_string(level.final_weight), fixed5(level.final_share),
              level.lowest_entry == level.highest_entry
                  ? std::to_string(level.lowest_entry)
                  : fmt::format("{}-{}", level.lowest_entry, level.highest_entry)});
    Json item = {{"sl", asked.sl},
                 {"entries", level.entries},
                 {"max_distance", level.max_distance},
                 {"mtu", asked.mtu}};
    put(item, "min_share", level.min_share);
    put(item, "max_share", level.max_share);
    put(item, "share", level.share);
    put(item, "total_weight", level.total_weight);
    item["entry_weight"] = level.entry_weight;
    item["rounded_weight"] = level.rounded_weight;
    put(item, "rounded_share", level.rounded_share);
    item["correction"] = level.correction;
    item["final_weight"] = level.final_weight;
    put(item, "final_share", level.final_share);
    item["lowest_entry_weight"] = level.lowest_entry;
    item["highest_entry_weight"] = level.highest_entry;
    put_analyzed(item, plan.check, plan.check.service_levels[asked.sl]);
    report.json["service_levels"].push_back(item);
  }
  report.json["warnings"] = plan.warnings;
  report.text =
      fmt::format("pool {} flits, at most {} an entry\n", plan.pool, plan.max_entry_weight) +
      text.text() + warnings_text(plan.warnings);
  return report;
}

}  // namespace

const PlanMethod& dtable_method() {
  static const PlanMethodOf<DTableRequirements> method("dtable", read_dtable, report);
  return method;
}

}  // namespace qosarb
