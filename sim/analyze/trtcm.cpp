#include "qosarb/policy/trtcm.hpp"

#include <algorithm>

#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/analyze/trtcm_burst.hpp"

namespace qosarb {

namespace {

constexpr std::int64_t kOneFlitPerCycle = 65536;

}  // namespace

std::uint64_t sufficient_burst(std::uint64_t longest_packet, std::uint64_t higher_bursts) {
  return 3 * longest_packet + higher_bursts + 1;
}

namespace {

class TrtcmAnalysis final : public PolicyAnalysis {
 public:
  TrtcmAnalysis() : PolicyAnalysis(kTrtcm) {}

  [[nodiscard]] ServiceBound service(const ArbiterConfig& config, Index queue,
                                     const OwnPackets& own,
                                     const std::optional<StrictLoad>& /*strict*/) const override {
    const auto& classes = config.parameters.get<TrtcmConfig>().classes;
    const TrtcmConfig::Class& self = classes[queue];
    if (self.assured_rate == 0) {
      return no_service("its assured rate is 0");
    }
    if (self.assured_burst < own.max_flits || self.peak_burst < own.max_flits) {
      return no_service("a bucket that does not hold its longest packet never makes it green");
    }
    const std::int64_t longest = config.max_packet_flits;
    std::int64_t higher_rates = 0;
    std::uint64_t higher_bursts = 0;
    for (const TrtcmConfig::Class& other : classes) {
      if (other.priority < self.priority && other.assured_rate > 0) {
        higher_rates += other.assured_rate;
        higher_bursts += other.assured_burst;
      }
    }
    if (higher_rates >= kOneFlitPerCycle) {
      return no_service("classes of higher priority are assured the whole link");
    }
    // Green after the tokens of one packet; then behind what the higher classes can have green.
    const Rational assured(self.assured_rate, kOneFlitPerCycle);
    const Rational left(kOneFlitPerCycle - higher_rates, kOneFlitPerCycle);
    const Rational blocked = (Rational(longest) + Rational(higher_bursts)) / left;
    const std::int64_t wait = (Rational(own.max_flits) / assured).ceil() + blocked.ceil();

    ServiceGuarantee service{wait, Rational(own.min_flits, wait), longest + wait};
    const std::uint64_t burst = sufficient_burst(longest, higher_bursts);
    if (assured <= left && self.assured_burst >= burst &&
        self.peak_burst + own.max_flits >= self.assured_burst) {
      // The bucket never overflows under backlog, so no token is lost.
      service.rate = assured;
      service.latency_flits = longest + (Rational(burst) / assured).ceil();
    }
    return {service, {}};
  }

  // The lowest assured rate, and what no class is assured, bring a packet, once the bursts are
  // spent with which all buckets begin.
  [[nodiscard]] std::uint64_t cycle_flits(const ArbiterConfig& config,
                                          const PacketMix& mix) const override {
    const auto& classes = config.parameters.get<TrtcmConfig>().classes;
    std::int64_t left = kOneFlitPerCycle;
    std::int64_t lowest = kOneFlitPerCycle;
    for (const TrtcmConfig::Class& one : classes) {
      left -= one.assured_rate;
      lowest = one.assured_rate > 0 ? std::min<std::int64_t>(lowest, one.assured_rate) : lowest;
    }
    lowest = left > 0 ? std::min(lowest, left) : lowest;
    return flits_of_bursts(classes) +
           std::max(PolicyAnalysis::cycle_flits(config, mix),
                    mix.longest() * std::uint64_t{kOneFlitPerCycle} / lowest);
  }

  void warn(const ArbiterConfig& config, std::vector<std::string>& lines) const override {
    const auto& trtcm = config.parameters.get<TrtcmConfig>();
    std::uint64_t assured = 0;
    for (std::size_t q = 0; q < trtcm.classes.size(); ++q) {
      const TrtcmConfig::Class& one = trtcm.classes[q];
      assured += one.assured_rate;
      if (one.assured_rate == 0) {
        lines.push_back(fmt::format("queue {} is assured nothing: it can starve", q));
        continue;
      }
      std::uint64_t higher = 0;
      for (const TrtcmConfig::Class& other : trtcm.classes) {
        higher += other.priority < one.priority && other.assured_rate > 0 ? other.assured_burst : 0;
      }
      const std::uint64_t burst = sufficient_burst(config.max_packet_flits, higher);
      if (one.assured_burst < burst) {
        lines.push_back(fmt::format(
            "queue {}: an assured burst of {} flits can overflow while packets wait, so "
            "the assured rate may be missed; {} are always enough",
            q, one.assured_burst, burst));
      } else if (one.peak_burst + config.max_packet_flits < one.assured_burst) {
        lines.push_back(fmt::format(
            "queue {}: a peak burst of {} flits can be spent while the assured one is not, so the "
            "assured rate may be missed; {} are always enough",
            q, one.peak_burst, one.assured_burst - config.max_packet_flits));
      }
      if (one.peak_rate >= 65536) {
        lines.push_back(fmt::format("queue {}: a peak rate of the whole link limits nothing", q));
      }
    }
    if (assured > 65536) {
      lines.push_back(fmt::format("{:.2f} % of the link are assured in all: more than there is",
                                  100.0 * static_cast<double>(assured) / 65536.0));
    }
  }

 private:
  // What the link carries until full buckets are spent, class by class, the highest priority first.
  // Green heads go before those of lower classes and all that are not green, yellow ones before
  // others that are not green. A bucket that gains all that the link leaves it is never spent.
  static std::uint64_t flits_of_bursts(std::vector<TrtcmConfig::Class> classes) {
    std::sort(classes.begin(), classes.end(),
              [](const auto& a, const auto& b) { return a.priority < b.priority; });
    const bool some_unassured = std::any_of(classes.begin(), classes.end(),
                                            [](const auto& one) { return one.assured_rate == 0; });
    std::uint64_t flits = 0;
    std::int64_t left = kOneFlitPerCycle;
    for (const TrtcmConfig::Class& one : classes) {
      left -= one.assured_rate;
      const bool before_others = some_unassured || one.priority != classes.back().priority;
      if (one.assured_rate > 0 && left > 0 && before_others) {
        flits += one.assured_burst * kOneFlitPerCycle / left;
      }
      if (one.peak_rate > 0 && one.peak_rate < kOneFlitPerCycle) {
        flits += one.peak_burst * kOneFlitPerCycle / (kOneFlitPerCycle - one.peak_rate);
      }
    }
    return flits;
  }
};

}  // namespace

const PolicyAnalysis& trtcm_analysis() {
  static const TrtcmAnalysis analysis;
  return analysis;
}

}  // namespace qosarb
