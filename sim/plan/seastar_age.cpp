// The method seastar-age of qosarb plan: its part of the file, and its report.
#include <fmt/format.h>

#include "qosarb/analyze/read_rational.hpp"
#include "qosarb/plan/method.hpp"
#include "qosarb/plan/seastar_plan.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

SeastarRequirements read_seastar(MapReader& reader) {
  SeastarRequirements spec;
  for (MapReader& dimension : reader.maps("dimensions", 1, 7)) {
    SeastarRequirements::Dimension item;
    item.radix = dimension.unsigned_32("radix", 1, 1U << 16U);
    item.torus = dimension.choice_or("kind", {"torus", "mesh"}, 0) == 0;
    dimension.finish();
    spec.dimensions.push_back(item);
  }
  spec.vcs = reader.unsigned_32_or("vcs", 2, 64, spec.vcs);
  if (spec.vcs % 2 != 0) {
    throw reader.error("vcs", "vcs must be even: half for requests, half for responses");
  }
  spec.packet_flits = reader.unsigned_32_or("packet_flits", 1, kMaxPacketFlits, spec.packet_flits);
  spec.input_queue_flits =
      reader.unsigned_32_or("input_queue_flits", 1, kMaxPacketFlits, spec.input_queue_flits);
  spec.staging_flits =
      reader.unsigned_32_or("staging_flits", 1, kMaxPacketFlits, spec.staging_flits);
  spec.processor_age_bias =
      reader.unsigned_32_or("processor_age_bias", 0, 7, spec.processor_age_bias);
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

}  // namespace

const PlanMethod& seastar_age_method() {
  static const PlanMethodOf<SeastarRequirements> method("seastar-age", read_seastar, report);
  return method;
}

}  // namespace qosarb
