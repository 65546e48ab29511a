#include "qosarb/analyze/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/analyze/warnings.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

// Distances in turns or flits, under keys with the given ending; null where there are none.
void put_distances(Json& object, const std::string& ending,
                   const std::optional<Distances>& distances) {
  const bool known = distances.has_value();
  object["min_distance" + ending] = known ? Json(distances->min) : Json(nullptr);
  object["max_distance" + ending] = known ? Json(distances->max) : Json(nullptr);
  object["mean_distance" + ending] = known ? Json(distances->mean.value()) : Json(nullptr);
  object["mean_distance" + ending + "_exact"] =
      known ? Json(distances->mean.text()) : Json(nullptr);
}

Json json_of(const BackloggedShare& share, const char* index_key, bool exact) {
  const auto known = [&share](const auto& value) {
    return share.idle ? Json(nullptr) : Json(value);
  };
  Json item = {{index_key, share.index}, {"share", known(share.share.value())}};
  item["share_exact"] = exact ? known(share.share.text()) : Json(nullptr);
  item["share_error"] = known(share.share_error);
  put_distances(item, "", share.in_turns);
  put_distances(item, "_flits", share.in_flits);
  item["longest_gap_flits"] =
      share.longest_gap_flits ? known(*share.longest_gap_flits) : Json(nullptr);
  return item;
}

Json json_of(const MixAnalysis& found) {
  Json mix = {{"packets", found.mix.name}, {"exact", found.exact}};
  mix["period_decisions"] = found.exact ? Json(found.decisions) : Json(nullptr);
  mix["decisions_followed"] = found.decisions;
  mix["period_flits"] = found.flits;
  mix["idle_cycles"] = found.idle_cycles;
  mix["queues"] = Json::array();
  for (const BackloggedShare& queue : found.queues) {
    mix["queues"].push_back(json_of(queue, "queue", found.exact));
  }
  if (!found.service_levels.empty()) {
    for (const BackloggedShare& level : found.service_levels) {
      mix["service_levels"].push_back(json_of(level, "sl", found.exact));
    }
  }
  return mix;
}

std::string text_of(const std::optional<Distances>& distances) {
  return distances.has_value() ? fmt::format("{} / {:.2f} / {}", distances->min,
                                             distances->mean.value(), distances->max)
                               : "-";
}

std::string text_of(const MixAnalysis& found, const char* name,
                    const std::vector<BackloggedShare>& shares) {
  TextTable table({name, "share %", found.exact ? "exactly" : "+- %", "turns apart", "flits apart",
                   "longest gap"});
  for (const BackloggedShare& share : shares) {
    if (share.idle) {
      table.row({std::to_string(share.index), "-", "-", "-", "-", "-"});
      continue;
    }
    table.row({std::to_string(share.index), fmt::format("{:.4f}", 100.0 * share.share.value()),
               found.exact ? share.share.text() : fmt::format("{:.4f}", 100.0 * share.share_error),
               text_of(share.in_turns), text_of(share.in_flits),
               share.longest_gap_flits ? std::to_string(*share.longest_gap_flits) : "-"});
  }
  return table.text();
}

std::string text_of(const MixAnalysis& found) {
  std::string text =
      fmt::format("packets {}: {} {} decisions, {} flits{}\n", found.mix.name,
                  found.exact ? "repeats after" : "sampled over", found.decisions, found.flits,
                  found.idle_cycles > 0 ? fmt::format(", {} idle cycles", found.idle_cycles) : "");
  text += text_of(found, "queue", found.queues);
  if (!found.service_levels.empty()) {
    text += text_of(found, "SL", found.service_levels);
  }
  return text;
}

const ArrivalCurve* curve_of(const std::vector<ArrivalCurve>& curves, Index queue) {
  for (const ArrivalCurve& curve : curves) {
    if (curve.queue == queue) {
      return &curve;
    }
  }
  return nullptr;
}

/// What a queue is sure of whatever the others do: into `item`; its row of the table.
std::vector<std::string> bound_of(const AnalysisRequest& request, Index queue, Json& item,
                                  std::vector<std::string>& warnings) {
  const ServiceBound any = guaranteed_service(request.config, queue, request.strict_load);
  item["max_wait_flits"] =
      any.guarantee.has_value() ? Json(any.guarantee->max_wait_flits) : Json(nullptr);
  item["why_no_bound"] = any.guarantee.has_value() ? Json(nullptr) : Json(any.why_not);
  std::vector<std::string> row = {std::to_string(queue), "none: " + any.why_not, "-", "-", "-"};
  const ArrivalCurve* const curve = curve_of(request.curves, queue);
  if (!any.guarantee.has_value()) {
    for (const char* const key : {"guaranteed_rate", "guaranteed_rate_exact", "latency_flits"}) {
      item[key] = nullptr;
    }
    if (curve != nullptr) {
      item["delay_bound_flits"] = nullptr;
    }
    return row;
  }
  const ServiceGuarantee service =
      curve == nullptr
          ? *any.guarantee
          : *guaranteed_service(request.config, queue, curve->packets, request.strict_load)
                 .guarantee;
  row[1] = std::to_string(any.guarantee->max_wait_flits);
  row[2] = fmt::format("{:.5f}", service.rate.value());
  row[3] = std::to_string(service.latency_flits);
  item["guaranteed_rate"] = service.rate.value();
  item["guaranteed_rate_exact"] = service.rate.text();
  item["latency_flits"] = service.latency_flits;
  if (curve != nullptr) {
    const auto delay = delay_bound(*curve, service);
    item["delay_bound_flits"] = delay.has_value() ? Json(*delay) : Json(nullptr);
    row[4] = delay.has_value() ? std::to_string(*delay) : "none";
    if (!delay.has_value()) {
      warnings.push_back(fmt::format(
          "queue {}: its arrival rate, {}, is above the guaranteed one, {}: no delay bound", queue,
          curve->rate.text(), service.rate.text()));
    }
  }
  return row;
}

}  // namespace

AnalysisReport report_analysis(const AnalysisRequest& request) {
  AnalysisReport report;
  std::vector<std::string> warnings = request.warnings;
  std::vector<Json> mixes;
  const std::vector<int> strict = analysis_of(request.config.policy).strict_queues(request.config);
  for (PacketMix mix : request.mixes) {
    if (request.strict_load.has_value()) {
      for (const Index queue : strict) {
        mix.flits[queue].clear();
      }
    }
    MixAnalysis found = analyze_backlogged(request.config, mix, request.limits);
    for (const std::string& warning : warnings_of(request.config, found)) {
      const std::string line =
          request.mixes.size() > 1 ? fmt::format("packets {}: {}", mix.name, warning) : warning;
      warnings.push_back(line);
    }
    if (request.strict_load.has_value()) {
      const Rational left = Rational(1) - request.strict_load->rate;
      for (BackloggedShare& share : found.queues) {
        share.share = share.share * left;
        share.share_error *= left.value();
      }
    }
    report.text += text_of(found) + "\n";
    mixes.push_back(json_of(found));
  }
  report.json = mixes[0];
  report.json["policy"] = request.config.policy.name();
  if (request.strict_load.has_value()) {
    report.json["strict_priority"] = {{"queues", strict},
                                      {"load", request.strict_load->rate.value()},
                                      {"burst_flits", request.strict_load->burst_flits}};
    report.text += fmt::format(
        "strict priority, queues {}: {} of the link, bursts of {} flits; the others share the "
        "rest, "
        "and distances and gaps are without its packets\n\n",
        fmt::join(strict, ", "), request.strict_load->rate.text(),
        request.strict_load->burst_flits);
  }

  TextTable bounds({"queue", "longest wait", "guaranteed rate", "latency", "delay bound"});
  for (Index queue = 0; queue < request.config.queues; ++queue) {
    bounds.row(bound_of(request, queue, report.json["queues"][queue], warnings));
  }
  report.text += bounds.text();
  if (mixes.size() > 1) {
    report.json["mixes"] = mixes;
  }
  report.json["warnings"] = warnings;
  for (const std::string& warning : warnings) {
    report.text += "warning: " + warning + "\n";
  }
  return report;
}

}  // namespace qosarb
