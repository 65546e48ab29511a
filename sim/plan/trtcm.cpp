// The method trtcm of qosarb plan: its part of the file, and its report.
#include <fmt/format.h>

#include "qosarb/analyze/read_rational.hpp"
#include "qosarb/plan/method.hpp"
#include "qosarb/plan/trtcm_plan.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

TrtcmRequirements read_trtcm(MapReader& reader) {
  TrtcmRequirements spec;
  spec.max_packet_flits = reader.unsigned_32("max_packet_flits", 1, kMaxPacketFlits);
  std::set<int> queues;
  std::vector<MapReader> classes = reader.maps("classes", 1, kMaxQueues);
  for (MapReader& one : classes) {
    TrtcmRequirements::Class item;
    item.queue = fresh(one, "queue", count(classes) - 1, queues);
    item.assured = read_rational(one, "assured", Rational(0), Rational(kMostShare));
    item.peak =
        one.has("peak") ? read_rational(one, "peak", Rational(0), Rational(1)) : Rational(1);
    one.finish();
    spec.classes.push_back(item);
  }
  return spec;
}

PlanReport report(const TrtcmRequirements& requirements) {
  const TrtcmPlan plan = plan_trtcm(requirements);
  PlanReport report{.arbiter = plan.arbiter};
  report.json = {{"method", "trtcm"}};
  put(report.json, "unassured", plan.unassured);
  TextTable text(
      {"queue", "priority", "assured %", "peak %", "assured burst", "peak burst", "longest wait"});
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    const TrtcmPlan::Class& one = plan.classes[i];
    const TrtcmRequirements::Class& asked = requirements.classes[i];
    const bool bounded = one.service.guarantee.has_value();
    text.row({std::to_string(asked.queue), std::to_string(one.priority), percent(asked.assured),
              percent(asked.peak), std::to_string(one.assured_burst),
              std::to_string(one.peak_burst),
              bounded ? std::to_string(one.service.guarantee->max_wait_flits) : "none"});
    Json item = {{"queue", asked.queue}, {"priority", one.priority}};
    put(item, "assured_rate", asked.assured);
    put(item, "peak_rate", asked.peak);
    item["assured_burst"] = one.assured_burst;
    item["peak_burst"] = one.peak_burst;
    item["max_wait_flits"] = bounded ? Json(one.service.guarantee->max_wait_flits) : Json(nullptr);
    report.json["classes"].push_back(item);
  }
  report.json["warnings"] = plan.warnings;
  report.text = text.text() +
                fmt::format("{} % of the link are assured to nobody\n", percent(plan.unassured)) +
                warnings_text(plan.warnings);
  return report;
}

}  // namespace

const PlanMethod& trtcm_method() {
  static const PlanMethodOf<TrtcmRequirements> method("trtcm", read_trtcm, report);
  return method;
}

}  // namespace qosarb
