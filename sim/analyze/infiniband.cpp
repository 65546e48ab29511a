#include "qosarb/policy/infiniband.hpp"

#include <algorithm>

#include "qosarb/analyze/frame.hpp"
#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/config/divided_up.hpp"

namespace qosarb {

namespace {

using Entries = std::vector<InfiniBandConfig::Entry>;

class InfiniBandService {
 public:
  InfiniBandService(const ArbiterConfig& config, int vl, const OwnPackets& own)
      : ib_(config.parameters.get<InfiniBandConfig>()),
        vl_(vl),
        own_(own),
        longest_(config.max_packet_flits) {}

  [[nodiscard]] ServiceBound bound() const {
    const bool in_high = serves(ib_.high);
    const bool in_low = serves(ib_.low);
    if (in_high && in_low) {
      return better(high(), low());
    }
    if (in_high) {
      return high();
    }
    return in_low ? low() : no_service("no table entry serves it");
  }

 private:
  [[nodiscard]] bool serves(const Entries& table) const {
    return std::any_of(table.begin(), table.end(), [this](const InfiniBandConfig::Entry& entry) {
      return entry.vl == vl_ && entry.weight > 0;
    });
  }

  // What a table promises holds whatever the other one sends, packets of the same VL too.
  static ServiceBound better(const ServiceBound& high, const ServiceBound& low) {
    if (!low.guarantee.has_value()) {
      return high;
    }
    ServiceGuarantee best =
        std::ranges::max(*high.guarantee, *low.guarantee, {}, &ServiceGuarantee::rate);
    best.max_wait_flits = std::min(high.guarantee->max_wait_flits, low.guarantee->max_wait_flits);
    return {best, {}};
  }

  [[nodiscard]] std::int64_t cost(std::int64_t flits) const {
    return (flits * ib_.flit_bytes + kWeightUnitBytes - 1) / kWeightUnitBytes;
  }

  // The most flits of one visit: the last packet may overdraw the weight.
  [[nodiscard]] std::int64_t most(std::uint32_t weight) const {
    return (weight + cost(longest_) - 1) * kWeightUnitBytes / ib_.flit_bytes;
  }

  // The fewest flits of a backlogged visit of its own: lengths that fill their last unit the worst.
  // How well a length fills it repeats every 64 flits and only gets better with length.
  [[nodiscard]] std::int64_t least(std::uint32_t weight) const {
    Rational worst(kWeightUnitBytes);
    const std::int64_t up_to =
        std::min<std::int64_t>(own_.max_flits, own_.min_flits + kWeightUnitBytes);
    for (std::int64_t flits = own_.min_flits; flits <= up_to; ++flits) {
      worst = std::min(worst, Rational(flits, cost(flits)));
    }
    return std::max<std::int64_t>(1, (Rational(weight) * worst).ceil());
  }

  // The visits of a table; others send `before_each` flits before any visit, and `per_packet` flits
  // more before each packet of the others.
  [[nodiscard]] FrameService frame(const Entries& table, std::int64_t before_each,
                                   std::int64_t per_packet) const {
    std::vector<FrameEntry> round;
    for (const InfiniBandConfig::Entry& entry : table) {
      if (entry.weight == 0) {
        continue;
      }
      std::int64_t others = before_each;
      if (entry.vl != vl_) {
        const std::int64_t packets = (entry.weight + cost(1) - 1) / cost(1);
        others += most(entry.weight) + packets * per_packet;
      }
      const std::uint64_t before = others;
      round.push_back({false, before, 0, 0});
      if (entry.vl == vl_) {
        const std::uint64_t own = least(entry.weight);
        round.push_back({true, own, 0, 0});
      }
    }
    return frame_service(round);
  }

  // Between two turns of the low table the high one sends up to `phase` flits.
  [[nodiscard]] ServiceBound low() const {
    const bool high_used = std::any_of(ib_.high.begin(), ib_.high.end(),
                                       [](const auto& entry) { return entry.weight > 0; });
    const std::uint32_t limit = ib_.limit_of_high_priority;
    if (high_used && limit == kNoHighPriorityLimit) {
      return no_service("high-priority traffic without a limit can starve the low table");
    }
    const std::int64_t bytes = std::int64_t{limit} * std::int64_t{kLimitUnitBytes};
    const std::int64_t before_last =
        limit == 0 ? 0 : (bytes + ib_.flit_bytes - 1) / ib_.flit_bytes - 1;
    const std::int64_t phase = high_used ? before_last + longest_ : 0;
    if (ib_.low_turn == InfiniBandConfig::LowTurn::Entry) {
      const FrameService service = frame(ib_.low, phase, 0);
      return finish(service.longest_gap, service.latency, service.rate);
    }
    return before_each_packet(ib_.low, phase);
  }

  // The other table sends up to `flits` before every packet of this one, the own ones included.
  [[nodiscard]] ServiceBound before_each_packet(const Entries& table, std::int64_t flits) const {
    const FrameService service = frame(table, 0, flits);
    const Rational slowness = Rational(1) / service.rate + Rational(flits, own_.min_flits);
    return finish(service.longest_gap + flits, service.latency + Rational(flits),
                  Rational(1) / slowness);
  }

  // One turn of the low table may come at once, and another after every `limit` of high bytes, or
  // after every packet.
  [[nodiscard]] ServiceBound high() const {
    std::int64_t turn = 0;
    for (const InfiniBandConfig::Entry& entry : ib_.low) {
      if (entry.weight > 0) {
        turn = std::max(
            turn, ib_.low_turn == InfiniBandConfig::LowTurn::Entry ? most(entry.weight) : longest_);
      }
    }
    const std::uint32_t limit = ib_.limit_of_high_priority;
    if (limit == 0) {
      return before_each_packet(ib_.high, turn);
    }
    const FrameService service = frame(ib_.high, 0, 0);
    Rational turns_per_flit(0);
    if (limit != kNoHighPriorityLimit) {
      turns_per_flit = Rational(ib_.flit_bytes, limit * kLimitUnitBytes);
    }
    const std::int64_t gap = service.longest_gap;
    const std::int64_t wait = gap + turn * (1 + (Rational(gap) * turns_per_flit).floor());
    const Rational stretch = Rational(1) + turns_per_flit * Rational(turn);
    return finish(wait, service.latency * stretch + Rational(turn), service.rate / stretch);
  }

  // Adds the packet that was on the link.
  [[nodiscard]] ServiceBound finish(std::int64_t wait, const Rational& latency,
                                    const Rational& rate) const {
    return {ServiceGuarantee{longest_ + wait, rate, longest_ + latency.ceil()}, {}};
  }

  const InfiniBandConfig& ib_;
  int vl_;
  OwnPackets own_;
  std::int64_t longest_;
};

}  // namespace

namespace {

class InfiniBandAnalysis final : public PolicyAnalysis {
 public:
  InfiniBandAnalysis() : PolicyAnalysis(kInfiniBand) {}

  [[nodiscard]] ServiceBound service(const ArbiterConfig& config, Index queue,
                                     const OwnPackets& own,
                                     const std::optional<StrictLoad>& /*strict*/) const override {
    return InfiniBandService(config, queue, own).bound();
  }

  [[nodiscard]] std::vector<WeightedEntry> entries(const ArbiterConfig& config) const override {
    const auto& ib = config.parameters.get<InfiniBandConfig>();
    std::vector<WeightedEntry> entries;
    for (std::size_t e = 0; e < ib.high.size(); ++e) {
      entries.push_back({ib.high[e].vl, ib.high[e].weight, "high", e});
    }
    for (std::size_t e = 0; e < ib.low.size(); ++e) {
      entries.push_back({ib.low[e].vl, ib.low[e].weight, "low", e});
    }
    return entries;
  }

  // Weights count 64 bytes, and the last packet of a turn may overdraw them. Before each turn of
  // the low table the high one sends its limit and what its last packet overdraws; after as much of
  // a round of the high table the low one has a turn.
  [[nodiscard]] std::uint64_t cycle_flits(const ArbiterConfig& config,
                                          const PacketMix& mix) const override {
    const auto& ib = config.parameters.get<InfiniBandConfig>();
    const std::uint64_t packet = mix.longest() * ib.flit_bytes;
    const auto turn = [packet](const InfiniBandConfig::Entry& entry) {
      return entry.weight > 0 ? entry.weight * kWeightUnitBytes + packet : 0;
    };
    std::uint64_t high_round = 0;
    for (const InfiniBandConfig::Entry& entry : ib.high) {
      high_round += turn(entry);
    }
    const bool waits = ib.limit_of_high_priority != kNoHighPriorityLimit && high_round > 0;
    const std::uint64_t limit = ib.limit_of_high_priority * kLimitUnitBytes;
    std::uint64_t low_round = 0;
    std::uint64_t low_turn = 0;  // the longest
    for (const InfiniBandConfig::Entry& entry : ib.low) {
      const std::uint64_t turns = waits && entry.weight > 0 ? turns_of(ib, mix, entry) : 0;
      low_round += turn(entry) + turns * (limit + packet);
      low_turn = std::max(low_turn,
                          ib.low_turn == InfiniBandConfig::LowTurn::Entry ? turn(entry) : packet);
    }
    const std::uint64_t phase = std::max<std::uint64_t>(limit, shortest(mix) * ib.flit_bytes);
    const std::uint64_t between = waits ? at_most_64_bits(high_round / phase + 1, low_turn) : 0;
    return divided_up(std::max(high_round + between, low_round), ib.flit_bytes);
  }

  // A turn sends a packet, however small the weight.
  [[nodiscard]] std::uint64_t turns_for_all(const ArbiterConfig& /*config*/,
                                            const PacketMix& /*mix*/) const override {
    return 1;
  }

  [[nodiscard]] Schedule follow(const ArbiterConfig& config, const PacketMix& mix,
                                std::uint64_t max_decisions) const override {
    const bool one_length =
        std::all_of(mix.flits.begin(), mix.flits.end(),
                    [](const std::vector<std::uint32_t>& lengths) { return lengths.size() == 1; });
    return one_length ? follow_turns(config.parameters.get<InfiniBandConfig>(), mix, max_decisions)
                      : follow_reference(config, mix, max_decisions);
  }

  void warn(const ArbiterConfig& config, std::vector<std::string>& lines) const override {
    const auto& ib = config.parameters.get<InfiniBandConfig>();
    warn_of_odd_weights(entries(config),
                        (std::uint64_t{config.max_packet_flits} * ib.flit_bytes + 63) / 64,
                        "weights", "each turn is rounded up", lines);
    const std::uint64_t packet_bytes = std::uint64_t{config.max_packet_flits} * ib.flit_bytes;
    const std::uint32_t limit = ib.limit_of_high_priority;
    const auto sends = [](const InfiniBandConfig::Entry& entry) { return entry.weight > 0; };
    const bool low_sends = std::any_of(ib.low.begin(), ib.low.end(), sends);
    const bool high_sends = std::any_of(ib.high.begin(), ib.high.end(), sends);
    if (!low_sends || !high_sends) {
      const auto& idle = low_sends ? ib.high : ib.low;
      lines.push_back(fmt::format("limit_of_high_priority has no effect: the {} table {}",
                                  low_sends ? "high" : "low",
                                  idle.empty() ? "is empty" : "has no weight"));
    } else if (limit == 255) {
      lines.push_back(
          "limit_of_high_priority 255 is no limit: the high table can starve the low one");
    } else if (limit > 0 && limit * std::uint64_t{4096} <= packet_bytes) {
      lines.push_back(fmt::format(
          "limit_of_high_priority {} is no more than a packet of {} bytes: after each of those it "
          "closes the high table, as 0 does",
          limit, packet_bytes));
    }
  }

 private:
  static std::uint64_t shortest(const PacketMix& mix) {
    std::uint32_t shortest = UINT32_MAX;
    for (const std::vector<std::uint32_t>& lengths : mix.flits) {
      for (const std::uint32_t length : lengths) {
        shortest = std::min(shortest, length);
      }
    }
    return shortest;
  }

  // Turns of the low table in a visit of `entry`: one, or one for each packet.
  static std::uint64_t turns_of(const InfiniBandConfig& ib, const PacketMix& mix,
                                const InfiniBandConfig::Entry& entry) {
    const std::vector<std::uint32_t>& lengths = mix.flits[entry.vl];
    if (ib.low_turn == InfiniBandConfig::LowTurn::Entry || lengths.empty()) {
      return 1;
    }
    const std::uint64_t shortest = *std::min_element(lengths.begin(), lengths.end());
    return divided_up(entry.weight, divided_up(shortest * ib.flit_bytes, kWeightUnitBytes));
  }
};

}  // namespace

const PolicyAnalysis& infiniband_analysis() {
  static const InfiniBandAnalysis analysis;
  return analysis;
}

}  // namespace qosarb
