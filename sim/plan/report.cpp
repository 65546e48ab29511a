#include "qosarb/plan/report.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

std::string percent(const Rational& share) { return fmt::format("{:.2f}", 100.0 * share.value()); }
std::string fixed5(const Rational& number) { return fmt::format("{:.5f}", number.value()); }

// A number, and the fraction that it is.
void put(Json& object, const std::string& key, const Rational& number) {
  object[key] = number.value();
  object[key + "_exact"] = number.text();
}

std::string warnings_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) {
    text += "warning: " + warning + "\n";
  }
  return text;
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
    const int queue = requirements.service_levels[i].queue;
    const Rational analyzed = plan.check.queues[static_cast<std::size_t>(queue)].share;
    const Rational of_entries(level.entries, static_cast<std::int64_t>(table.table.size()));
    text.row({std::to_string(queue), std::to_string(level.total_flits),
              std::to_string(level.entries), std::to_string(level.max_distance),
              std::to_string(level.weight), std::to_string(level.quantum_flits),
              percent(of_entries), percent(level.planned), percent(level.wanted),
              percent(analyzed)});
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
    put(item, "analyzed_share", analyzed);
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
    put(item, "analyzed_share",
        plan.check.service_levels[static_cast<std::size_t>(asked.sl)].share);
    report.json["service_levels"].push_back(item);
  }
  report.json["warnings"] = plan.warnings;
  report.text =
      fmt::format("pool {} flits, at most {} an entry\n", plan.pool, plan.max_entry_weight) +
      text.text() + warnings_text(plan.warnings);
  return report;
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
    item["max_distance"] = lane.max_distance;
    item["distance_missed_by"] = lane.distance_missed;
    report.json["vls"].push_back(item);
  }
  report.json["opensm"] = report.opensm;
  report.text =
      fmt::format("limit {}, {} high and {} low entries; {} configurations analyzed: {}\n",
                  tables.limit_of_high_priority, tables.high.size(), tables.low.size(),
                  plan.candidates,
                  plan.met ? "every requirement is met" : "not every requirement can be met") +
      text.text() + report.opensm;
  return report;
}

PlanReport report(const SeastarRequirements& requirements) {
  const SeastarPlan plan = plan_seastar(requirements);
  PlanReport report{.arbiter = plan.arbiter};
  report.json = {{"method", "seastar-age"},
                 {"average_hops", plan.hops},
                 {"bias_age", plan.bias_age},
                 {"ticks_per_hop", plan.ticks_per_hop},
                 {"queued_packets", plan.queued_packets},
                 {"queueing_cycles_per_hop", plan.queueing_cycles},
                 {"age_clock_period", plan.age_clock_period}};
  TextTable text({"dimension", "radix", "kind", "hops", "load", "ejected", "GB/s", "age bias"});
  for (std::size_t i = 0; i < plan.dimensions.size(); ++i) {
    const SeastarPlan::Dimension& dimension = plan.dimensions[i];
    const SeastarRequirements::Dimension& asked = requirements.dimensions[i];
    const char* const kind = asked.torus ? "torus" : "mesh";
    text.row({std::to_string(i), std::to_string(asked.radix), kind,
              fmt::format("{:.2f}", dimension.average_hops.value()),
              fmt::format("{:.3f}", dimension.channel_load.value()),
              fixed5(dimension.ejection_probability),
              fmt::format("{:.2f}", dimension.ejection_gbytes.value()),
              std::to_string(dimension.age_bias)});
    Json item = {{"radix", asked.radix}, {"kind", kind}, {"age_bias", dimension.age_bias}};
    put(item, "average_hops", dimension.average_hops);
    put(item, "channel_load", dimension.channel_load);
    put(item, "ejection_probability", dimension.ejection_probability);
    put(item, "port_ejection_probability", dimension.ejection_probability / Rational(2));
    put(item, "ejection_gbytes", dimension.ejection_gbytes);
    report.json["dimensions"].push_back(item);
  }
  report.text =
      text.text() + fmt::format(
                        "{} hops on average; the biases add {} to an age\n"
                        "{} packets queued per hop, {} cycles for {} ticks: age_clock_period {}\n",
                        plan.hops, plan.bias_age, plan.queued_packets, plan.queueing_cycles,
                        plan.ticks_per_hop, plan.age_clock_period);
  if (plan.occupancy.has_value()) {
    put(report.json, "occupancy", *plan.occupancy);
    report.text += fmt::format("measured occupancy: {:.2f} stalled cycles per packet\n",
                               plan.occupancy->value());
  }
  return report;
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

Json json_of(const PaperStorage& bits) {
  return {{"table_bits", bits.table_bits},
          {"port_basic_bits", bits.port_basic_bits},
          {"port_deficit_bits", bits.port_deficit_bits},
          {"nic_basic_bits", bits.nic_basic_bits},
          {"nic_deficit_bits", bits.nic_deficit_bits},
          {"switch_basic_bits", bits.switch_basic_bits},
          {"switch_deficit_bits", bits.switch_deficit_bits}};
}

Json json_of(const RtlStorage& bits) {
  return {{"table_bits", bits.table_bits},
          {"shadow_bits", bits.shadow_bits},
          {"state_basic_bits", bits.state_basic_bits},
          {"state_deficit_bits", bits.state_deficit_bits},
          {"deficit_bits", bits.deficit_bits},
          {"switch_basic_bits", bits.switch_basic_bits},
          {"switch_deficit_bits", bits.switch_deficit_bits}};
}

PlanReport report(const StorageRequirements& requirements) {
  const StoragePlan plan = plan_storage(requirements);
  PlanReport report;
  report.json = {{"method", "storage"}, {"paper", json_of(plan.paper)}, {"rtl", json_of(plan.rtl)}};
  TextTable text({"bits", "paper", "RTL"});
  const auto row = [&text](const char* name, std::uint64_t paper, std::uint64_t rtl) {
    text.row({name, std::to_string(paper), std::to_string(rtl)});
  };
  row("table", plan.paper.table_bits, plan.rtl.table_bits);
  row("shadow table", 0, plan.rtl.shadow_bits);
  row("port state, basic", plan.paper.port_basic_bits, plan.rtl.state_basic_bits);
  row("port state, deficit", plan.paper.port_deficit_bits, plan.rtl.state_deficit_bits);
  row("one deficit", requirements.weight_bits, plan.rtl.deficit_bits);
  row("switch, basic", plan.paper.switch_basic_bits, plan.rtl.switch_basic_bits);
  row("switch, deficit", plan.paper.switch_deficit_bits, plan.rtl.switch_deficit_bits);
  TextTable nics({"entries", "NIC basic", "NIC deficit", "RTL basic", "RTL deficit"});
  for (const StoragePlan::Point& point : plan.nic_curve) {
    nics.row({std::to_string(point.entries), std::to_string(point.paper.nic_basic_bits),
              std::to_string(point.paper.nic_deficit_bits),
              std::to_string(point.rtl.switch_basic_bits),
              std::to_string(point.rtl.switch_deficit_bits)});
    report.json["nic_curve"].push_back({{"entries", point.entries},
                                        {"paper_basic_bits", point.paper.nic_basic_bits},
                                        {"paper_deficit_bits", point.paper.nic_deficit_bits},
                                        {"rtl_basic_bits", point.rtl.switch_basic_bits},
                                        {"rtl_deficit_bits", point.rtl.switch_deficit_bits}});
  }
  TextTable switches(
      {"radix", "entries", "switch basic", "switch deficit", "RTL basic", "RTL deficit"});
  for (const StoragePlan::Point& point : plan.switch_curve) {
    switches.row({std::to_string(point.radix), std::to_string(point.entries),
                  std::to_string(point.paper.switch_basic_bits),
                  std::to_string(point.paper.switch_deficit_bits),
                  std::to_string(point.rtl.switch_basic_bits),
                  std::to_string(point.rtl.switch_deficit_bits)});
    report.json["switch_curve"].push_back({{"radix", point.radix},
                                           {"entries", point.entries},
                                           {"paper_basic_bits", point.paper.switch_basic_bits},
                                           {"paper_deficit_bits", point.paper.switch_deficit_bits},
                                           {"rtl_basic_bits", point.rtl.switch_basic_bits},
                                           {"rtl_deficit_bits", point.rtl.switch_deficit_bits}});
  }
  report.text =
      text.text() + "\nNICs (Fig. 8)\n" + nics.text() + "\nswitches (Fig. 9)\n" + switches.text();
  return report;
}

}  // namespace

PlanReport report_plan(const PlanSpec& spec) {
  try {
    return std::visit([](const auto& requirements) { return report(requirements); },
                      spec.requirements);
  } catch (const std::invalid_argument& error) {
    throw InputError(spec.file, spec.line, error.what());
  } catch (const std::overflow_error&) {
    throw InputError(spec.file, spec.line, "the shares need fractions of more than 64 bits");
  }
}

}  // namespace qosarb
