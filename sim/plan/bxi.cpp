// The method bxi of qosarb plan: its part of the file, and its report.
#include "qosarb/policy/bxi.hpp"

#include <fmt/format.h>

#include "qosarb/plan/bxi_plan.hpp"
#include "qosarb/plan/method.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

BxiRequirements read_bxi(MapReader& reader) {
  BxiRequirements spec;
  spec.policy =
      reader.choice_or("policy", {"bxi-deficit", "bxi-basic"}, 0) == 0 ? kBxiDeficit : kBxiBasic;
  spec.max_packet_flits = reader.unsigned_32("max_packet_flits", 1, kMaxPacketFlits);
  spec.max_entries = reader.unsigned_32_or("max_entries", 1, kMaxTableEntries, spec.max_entries);
  spec.max_quantum_flits = reader.unsigned_32_or(
      "max_quantum_flits", 1, UINT32_MAX, static_cast<std::uint32_t>(spec.max_quantum_flits));
  if (spec.max_quantum_flits < spec.max_packet_flits) {
    throw reader.error("max_quantum_flits", "a quantum must hold the longest packet");
  }
  spec.geometric = reader.choice_or("spread", {"geometric", "distances"}, 0) == 0;
  std::set<int> queues;
  for (MapReader& level : reader.maps("service_levels", 1, kMaxQueues)) {
    BxiRequirements::ServiceLevel item;
    item.queue = fresh(level, "queue", kMaxQueues - 1, queues);
    item.share = read_share(level);
    if (level.has("distance")) {
      item.distance = level.unsigned_32("distance", 1, kMaxTableEntries);
      if (spec.geometric) {
        throw level.error("distance", "distances need 'spread: distances'");
      }
    }
    level.finish();
    spec.service_levels.push_back(item);
  }
  return spec;
}

PlanReport report(const BxiRequirements& requirements) {
  const BxiPlan plan = plan_bxi(requirements);
  const auto& table = plan.arbiter.parameters.get<BxiConfig>();
  PlanReport report{.arbiter = plan.arbiter};
  report.json = {{"method", "bxi"},
                 {"policy", requirements.policy.name()},
                 {"entries", table.table.size()},
                 {"quantum_scale", table.quantum_scale},
                 {"exact", plan.exact}};
  if (!requirements.geometric) {
    report.json["lower_bound_entries"] = plan.lower_bound;
    report.json["proven_shortest"] = plan.proven_shortest;
  }
  TextTable text({"queue", "total flits", "entries", "distance", "weight", "flits/entry",
                  "% entries", "share %", "wanted %", "analyzed %"});
  for (std::size_t i = 0; i < plan.service_levels.size(); ++i) {
    const BxiPlan::ServiceLevel& level = plan.service_levels[i];
    const Index queue = requirements.service_levels[i].queue;
    const std::optional<Rational> analyzed = plan.check.known_share(plan.check.queues[queue]);
    const Rational of_entries(level.entries, count(table.table));
    text.row({std::to_string(queue), std::to_string(level.total_flits),
              std::to_string(level.entries), std::to_string(level.max_distance),
              std::to_string(level.weight), std::to_string(level.quantum_flits),
              percent(of_entries), percent(level.planned), percent(level.wanted),
              analyzed ? percent(*analyzed) : "-"});
    Json item = {{"queue", queue},
                 {"entries", level.entries},
                 {"max_distance", level.max_distance},
                 {"weight", level.weight},
                 {"flits_per_entry", level.quantum_flits},
                 {"total_flits", level.total_flits}};
    put(item, "entry_share", of_entries);
    put(item, "wanted_share", level.wanted);
    put(item, "share", level.planned);
    put(item, "error", level.planned - level.wanted);
    put_analyzed(item, plan.check, plan.check.queues[queue]);
    report.json["service_levels"].push_back(item);
  }
  report.text = fmt::format("{} entries, quantum_scale {}: shares hold {}\n", table.table.size(),
                            table.quantum_scale,
                            plan.exact ? "exactly" : "with the error that the table shows");
  if (!requirements.geometric) {
    report.text += fmt::format("no table has fewer than {} entries{}\n", plan.lower_bound,
                               plan.proven_shortest ? "; this one is the shortest" : "");
  }
  report.text += text.text();
  return report;
}

}  // namespace

const PlanMethod& bxi_method() {
  static const PlanMethodOf<BxiRequirements> method("bxi", read_bxi, report);
  return method;
}

}  // namespace qosarb
