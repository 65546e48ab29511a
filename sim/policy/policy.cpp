#include "qosarb/policy/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace qosarb {

std::shared_ptr<AgeClock> Policy::make_chip_clock(const ArbiterConfig& /*config*/) const {
  throw std::logic_error(fmt::format("the ports of a chip share nothing under {}", name()));
}

std::unique_ptr<Arbiter> Policy::make_reference(const ArbiterConfig& config,
                                                const std::shared_ptr<AgeClock>& /*clock*/) const {
  return make_reference(config);
}

std::uint32_t Policy::longest_packet(const ArbiterConfig& config, int /*queue*/) const {
  return config.max_packet_flits;
}

std::optional<double> Policy::asked_share(const ArbiterConfig& /*config*/, int /*queue*/) const {
  return std::nullopt;
}

std::vector<LowerableNumber> Policy::numbers(Parameters& /*parameters*/) const { return {}; }

std::vector<EntryList> Policy::tables(Parameters& /*parameters*/) const { return {}; }

int Policy::queues_together(const Parameters& /*parameters*/) const { return 1; }

void Policy::leave_out_queues(Parameters& /*parameters*/, int /*first*/, int /*count*/) const {}

bool Policy::unscale(Parameters& /*parameters*/) const { return false; }

bool Policy::shorten_turns(Parameters& /*parameters*/, int /*queue*/,
                           std::uint32_t /*flits*/) const {
  return false;
}

void refuse_starved(const ConfigReader& reader, const std::string& key, const ArbiterConfig& config,
                    const std::vector<bool>& served) {
  const auto starved = std::find(served.begin(), served.end(), false);
  if (config.strict && starved != served.end()) {
    throw reader.error(
        key, fmt::format("no entry with a weight serves queue {} (strict: false accepts that)",
                         starved - served.begin()));
  }
}

}  // namespace qosarb
