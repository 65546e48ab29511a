// The method ets of qosarb plan: its part of the file, and its report.
#include "qosarb/policy/ets.hpp"

#include <fmt/format.h>

#include "qosarb/analyze/read_rational.hpp"
#include "qosarb/plan/ets_plan.hpp"
#include "qosarb/plan/method.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

EtsRequirements read_ets(MapReader& reader) {
  EtsRequirements spec;
  spec.max_packet_flits = reader.unsigned_32("max_packet_flits", 1, kMaxPacketFlits);
  spec.max_quantum_flits =
      reader.unsigned_32_or("max_quantum_flits", 1, UINT32_MAX, spec.max_quantum_flits);
  if (spec.max_quantum_flits < spec.max_packet_flits) {
    throw reader.error("max_quantum_flits", "a quantum must hold the longest packet");
  }
  std::set<int> queues;
  std::uint32_t strict = 0;
  std::vector<MapReader> classes = reader.maps("classes", 1, kMaxQueues);
  for (MapReader& one : classes) {
    EtsRequirements::Class item;
    item.queue = fresh(one, "queue", count(classes) - 1, queues);
    const bool strict_priority = one.boolean_or("strict_priority", false);
    if (one.has("percent") == strict_priority) {
      throw one.error("strict_priority", "a class has either percent or strict_priority: true");
    }
    if (strict_priority) {
      ++strict;
    } else {
      item.percent = read_rational(one, "percent", Rational(0), Rational(100));
      if (*item.percent == Rational(0)) {
        throw one.error("percent", "a percentage must be above 0");
      }
    }
    one.finish();
    spec.classes.push_back(item);
  }
  if (reader.has("strict_burst") && !reader.has("strict_load")) {
    throw reader.error("strict_burst", "strict_burst needs strict_load");
  }
  if (reader.has("strict_load")) {
    if (strict == 0) {
      throw reader.error("strict_load", "no class has strict priority");
    }
    spec.strict_load = StrictLoad{
        read_rational(reader, "strict_load", Rational(0), Rational(1)),
        reader.unsigned_32_or("strict_burst", 1, UINT32_MAX, strict * spec.max_packet_flits)};
  }
  return spec;
}

PlanReport report(const EtsRequirements& requirements) {
  const EtsPlan plan = plan_ets(requirements);
  const std::uint32_t scale = plan.arbiter.parameters.get<EtsConfig>().quantum_scale;
  PlanReport report{.arbiter = plan.arbiter};
  report.json = {{"method", "ets"}, {"quantum_scale", scale}, {"exact", plan.exact}};
  TextTable text({"queue", "wanted %", "weight", "quantum", "share %", "longest wait"});
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    const EtsPlan::Class& one = plan.classes[i];
    const EtsRequirements::Class& asked = requirements.classes[i];
    const auto& bound = one.service.guarantee;
    const std::string wait = bound.has_value() ? std::to_string(bound->max_wait_flits) : "none";
    Json item = {{"queue", asked.queue}, {"strict_priority", !asked.percent.has_value()}};
    if (asked.percent.has_value()) {
      text.row({std::to_string(asked.queue), percent(*asked.percent / Rational(100)),
                std::to_string(one.weight), std::to_string(one.quantum_flits), percent(one.share),
                wait});
      item["weight"] = one.weight;
      item["quantum_flits"] = one.quantum_flits;
      put(item, "share", one.share);
    } else {
      text.row({std::to_string(asked.queue), "strict", "-", "-", "-", wait});
    }
    item["max_wait_flits"] = bound.has_value() ? Json(bound->max_wait_flits) : Json(nullptr);
    report.json["classes"].push_back(item);
  }
  report.text = fmt::format("quantum_scale {}: shares hold {}\n", scale,
                            plan.exact ? "exactly" : "with the error that the table shows") +
                text.text();
  return report;
}

}  // namespace

const PlanMethod& ets_method() {
  static const PlanMethodOf<EtsRequirements> method("ets", read_ets, report);
  return method;
}

}  // namespace qosarb
