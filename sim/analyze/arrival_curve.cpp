#include "qosarb/analyze/arrival_curve.hpp"

#include <fmt/format.h>

#include <set>

#include "qosarb/analyze/read_rational.hpp"
#include "qosarb/config/yaml_reader.hpp"

namespace qosarb {

// The service curve has sent all X <= burst + rate x u flits that came up to the packet, u cycles
// after the backlog began, by latency + X / service.rate. Minus u that is largest at u = 0.
std::optional<std::int64_t> delay_bound(const ArrivalCurve& curve,
                                        const ServiceGuarantee& service) {
  if (curve.rate > service.rate) {
    return std::nullopt;
  }
  return service.latency_flits + (Rational(curve.burst_flits) / service.rate).ceil();
}

std::vector<ArrivalCurve> load_curves(const std::string& file, const ArbiterConfig& config) {
  MapReader top(load_yaml_map(file), file, "the file");
  std::vector<ArrivalCurve> curves;
  std::set<int> seen;
  for (MapReader& reader : top.maps("curves", 1, config.queues)) {
    ArrivalCurve curve;
    curve.queue = reader.index("queue", 0, config.queues - 1);
    if (!seen.insert(curve.queue).second) {
      throw reader.error("queue", fmt::format("queue {} has two curves", curve.queue));
    }
    const std::uint32_t longest = max_packet_flits(config, curve.queue);
    curve.packets.max_flits = reader.unsigned_32_or("max_packet_flits", 1, longest, longest);
    curve.packets.min_flits =
        reader.unsigned_32_or("min_packet_flits", 1, curve.packets.max_flits, 1);
    curve.rate = read_rational(reader, "rate", Rational(0), Rational(1));
    curve.burst_flits = reader.integer("burst", curve.packets.max_flits, std::int64_t{1} << 40);
    reader.finish();
    curves.push_back(curve);
  }
  top.finish();
  return curves;
}

}  // namespace qosarb
