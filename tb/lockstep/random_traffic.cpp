#include "lockstep/random_traffic.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cosim/build_choice.hpp"
#include "cosim/rtl_arbiter.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/dtable.hpp"
#include "qosarb/policy/infiniband.hpp"
#include "qosarb/policy/rr.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/sl_queues.hpp"
#include "qosarb/policy/trtcm.hpp"

namespace qosarb::test {

namespace {

// Short, middling and extreme values alike.
std::uint64_t spread(Random& random, std::uint64_t low, std::uint64_t high) {
  switch (random.below(5)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return std::min(high, low + random.below(8));
    case 3:
      return std::min(high, low + random.below(64));
    default:
      return random.within(low, high);
  }
}

template <typename T, std::size_t N>
T one_of(Random& random, const std::array<T, N>& values) {
  return values[random.below(N)];
}

}  // namespace

namespace {

// Fisher-Yates.
template <typename T>
void shuffle(Random& random, std::vector<T>& values) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(i)]);
  }
}

void random_bxi(Random& random, const RtlLimits& limits, ArbiterConfig& config) {
  BxiConfig bxi;
  const std::uint64_t highest_quantum = (1ULL << limits.quantum_bits) - 1;
  // One range for the whole table, so that tables of short and of long quanta come up, too; and
  // some whose quanta with a deficit need one bit more, with few entries, so that turns come round.
  const bool at_the_top = random.chance(20);
  const std::size_t depth = at_the_top ? random.within(1, 8) : spread(random, 1, limits.entries);
  const std::uint64_t shortest_quantum =
      at_the_top ? highest_quantum - random.below(32) : config.max_packet_flits;
  const std::uint64_t longest_quantum =
      at_the_top ? highest_quantum : spread(random, config.max_packet_flits, highest_quantum);
  std::uint32_t served = 0;
  for (std::size_t e = 0; e < depth; ++e) {
    const auto queue =
        static_cast<int>(e < static_cast<std::size_t>(config.queues) &&
                                 depth >= static_cast<std::size_t>(config.queues)
                             ? e
                             : random.below(static_cast<std::uint64_t>(config.queues)));
    served |= 1U << queue;
    bxi.table.push_back(
        {queue, static_cast<std::uint32_t>(spread(random, shortest_quantum, longest_quantum))});
  }
  shuffle(random, bxi.table);
  // A table too short for all queues starves some, which is refused when strict.
  config.strict = served == (1U << config.queues) - 1;
  config.parameters = std::move(bxi);
}

// Any SLs of the build, several queues in one, some without a queue.
std::vector<int> random_levels(Random& random, const RtlLimits& limits, int queues) {
  const std::uint64_t sls = random.within(1, static_cast<std::uint64_t>(limits.queues));
  std::vector<int> queue_sl;
  for (int q = 0; q < queues; ++q) {
    queue_sl.push_back(sls >= static_cast<std::uint64_t>(queues) && random.chance(70)
                           ? q
                           : static_cast<int>(random.below(sls)));
  }
  return queue_sl;
}

bool serves_all(const std::vector<SlEntry>& table, const std::vector<int>& queue_sl) {
  return std::all_of(queue_sl.begin(), queue_sl.end(), [&table](int sl) {
    return std::any_of(table.begin(), table.end(),
                       [sl](const SlEntry& entry) { return entry.sl == sl; });
  });
}

void random_sbt(Random& random, const RtlLimits& limits, ArbiterConfig& config) {
  SbtConfig sbt;
  sbt.queue_sl = random_levels(random, limits, config.queues);
  std::vector<int> sls;
  for (int sl = 0; sl < limits.queues; ++sl) {
    sls.push_back(sl);
  }
  shuffle(random, sls);
  if (random.chance(40)) {  // no entry for some
    sls.resize(random.within(1, sls.size()));
  }
  // Small weights are used up and restored often.
  const std::uint64_t highest = random.chance(60) ? 6 : (1ULL << limits.quantum_bits) - 1;
  for (const int sl : sls) {
    sbt.table.push_back({sl, static_cast<std::uint32_t>(spread(random, 1, highest))});
  }
  config.strict = serves_all(sbt.table, sbt.queue_sl);
  config.parameters = std::move(sbt);
}

// With `any_mtu` the SLs' MTUs differ; else each holds the longest packet, whichever waits already.
void random_dtable(Random& random, const RtlLimits& limits, ArbiterConfig& config, bool any_mtu) {
  DTableConfig dtable;
  dtable.queue_sl = random_levels(random, limits, config.queues);
  for (int sl = 0; sl < limits.queues; ++sl) {
    dtable.sl_mtu.push_back(static_cast<std::uint32_t>(
        any_mtu && random.chance(50) ? random.within(1, config.max_packet_flits)
                                     : config.max_packet_flits));
  }
  const std::uint64_t highest_weight = (1ULL << limits.quantum_bits) - 1;
  const bool at_the_top = random.chance(20);  // with a deficit, one bit more than a weight
  const std::size_t depth = at_the_top ? random.within(1, 8) : spread(random, 1, limits.entries);
  const std::uint64_t longest_weight =
      spread(random, config.max_packet_flits, std::min<std::uint64_t>(highest_weight, 5000));
  for (std::size_t e = 0; e < depth; ++e) {
    const int sl = random.chance(90)
                       ? dtable.queue_sl[random.below(dtable.queue_sl.size())]
                       : static_cast<int>(random.below(static_cast<std::uint64_t>(limits.queues)));
    const std::uint64_t mtu = dtable.sl_mtu[static_cast<std::size_t>(sl)];
    dtable.table.push_back(
        {sl, static_cast<std::uint32_t>(at_the_top ? highest_weight - random.below(32)
                                                   : spread(random, mtu, longest_weight))});
  }
  config.strict = serves_all(dtable.table, dtable.queue_sl);
  config.parameters = std::move(dtable);
}

void random_infiniband(Random& random, const RtlLimits& limits, ArbiterConfig& config) {
  InfiniBandConfig ib;
  ib.flit_bytes = random.chance(50) ? 64U : 1U << random.below(8);
  ib.limit_of_high_priority = static_cast<std::uint32_t>(
      one_of(random, std::array<std::uint64_t, 8>{0, 0, 1, 2, 10, 254, 255, random.below(256)}));
  ib.low_turn =
      random.chance(50) ? InfiniBandConfig::LowTurn::Entry : InfiniBandConfig::LowTurn::Packet;
  const std::uint64_t heaviest = one_of(random, std::array<std::uint64_t, 3>{3, 40, 255});
  const std::uint32_t skipped_percent = one_of(random, std::array{0U, 20U, 60U});
  std::uint32_t served = 0;
  for (auto* table : {&ib.high, &ib.low}) {
    const std::uint64_t vls = random.within(1, static_cast<std::uint64_t>(config.queues));
    const std::size_t depth =
        random.chance(10) ? random.below(2)
                          : spread(random, 1, std::min<std::size_t>(limits.entries / 2, 64));
    for (std::size_t e = 0; e < depth; ++e) {
      const auto vl = static_cast<int>(random.below(vls));
      const auto weight = static_cast<std::uint32_t>(
          random.chance(skipped_percent) ? 0 : random.within(1, heaviest));
      served |= weight > 0 ? 1U << vl : 0;
      table->push_back({vl, weight});
    }
  }
  config.strict = served == (1U << config.queues) - 1;
  config.parameters = std::move(ib);
}

// Without queues that are given, `config.queues` is made a multiple of the VCs.
void random_seastar(Random& random, const RtlLimits& limits, ArbiterConfig& config,
                    bool any_queues) {
  SeastarConfig seastar;
  const int most_inputs = limits.queues / limits.vcs;
  if (any_queues) {
    seastar.vcs = one_of(random, std::array{2, 4, 4, 4, 6, 14});
    const auto inputs = random.within(
        1, static_cast<std::uint64_t>(std::min(most_inputs, limits.queues / seastar.vcs)));
    config.queues = static_cast<int>(inputs) * seastar.vcs;
  } else {
    seastar.vcs = config.queues % limits.vcs == 0 ? limits.vcs : 2;
    if (config.queues / seastar.vcs > most_inputs) {
      seastar.vcs = config.queues;
    }
  }
  for (int input = 0; input < config.queues / seastar.vcs; ++input) {
    seastar.req_age_bias.push_back(static_cast<std::uint32_t>(random.below(8)));
    seastar.rsp_age_bias.push_back(static_cast<std::uint32_t>(random.below(8)));
  }
  // Short periods, so that there are many epochs.
  seastar.age_clock_period = static_cast<std::uint32_t>(spread(random, 1, 40));
  const std::uint64_t some = random.bits();
  seastar.age_rr_select = one_of(random, std::array{~std::uint64_t{0}, ~std::uint64_t{0},
                                                    std::uint64_t{0}, some, some | random.bits()});
  config.parameters = std::move(seastar);
}

void random_trtcm(Random& random, ArbiterConfig& config) {
  TrtcmConfig trtcm;
  constexpr std::uint64_t kOneFlitACycle = 65536;
  constexpr std::uint64_t kLargestBurst = 65535;
  std::vector<int> priorities;
  for (int q = 0; q < config.queues; ++q) {
    priorities.push_back(q);
  }
  shuffle(random, priorities);
  // Rates that the traffic can use up, and such that it cannot.
  const std::uint64_t highest =
      random.chance(50) ? kOneFlitACycle / priorities.size() : kOneFlitACycle;
  for (const int priority : priorities) {
    TrtcmConfig::Class c{.priority = priority};
    c.peak_rate = static_cast<std::uint32_t>(random.chance(5) ? 0 : random.within(1, highest));
    c.assured_rate =
        static_cast<std::uint32_t>(random.chance(20) ? 0 : random.within(0, c.peak_rate));
    c.assured_burst = spread(random, config.max_packet_flits, kLargestBurst);
    c.peak_burst = spread(random, config.max_packet_flits, kLargestBurst);
    trtcm.classes.push_back(c);
  }
  config.parameters = std::move(trtcm);
}

}  // namespace

ArbiterConfig random_config(Random& random, PolicyRef policy, int queues, std::uint32_t longest) {
  const RtlLimits& limits = rtl_limits(policy);
  ArbiterConfig config;
  config.policy = policy;
  config.queues = queues > 0 ? queues : static_cast<int>(random.within(1, limits.queues));
  config.max_packet_flits = static_cast<std::uint32_t>(
      spread(random, std::max<std::uint32_t>(longest, 1), limits.packet_flits));
  if (policy == kBxiBasic || policy == kBxiDeficit) {
    random_bxi(random, limits, config);
  } else if (policy == kSbt) {
    random_sbt(random, limits, config);
  } else if (policy == kDTable) {
    random_dtable(random, limits, config, longest == 0);
  } else if (policy == kInfiniBand) {
    random_infiniband(random, limits, config);
  } else if (policy == kSeastarAge) {
    random_seastar(random, limits, config, queues == 0);
  } else if (policy == kTrtcm) {
    random_trtcm(random, config);
  }
  return config;
}

RandomTraffic::Pace RandomTraffic::random_pace(Random& random, const ArbiterConfig& config) {
  if (config.policy == kTrtcm) {  // its RTL is clocked in every cycle
    return one_of(random, std::array{Pace::EveryCycle, Pace::EveryCycle, Pace::RandomGaps});
  }
  return one_of(random, std::array{Pace::EveryCycle, Pace::EveryCycle, Pace::RandomGaps,
                                   Pace::LinkRate, Pace::LongGaps});
}

RandomTraffic::RandomTraffic(Random& random, const ArbiterConfig& config)
    : random_(random),
      queues_(config.queues),
      sizes_(static_cast<Sizes>(random.below(4))),
      pace_(random_pace(random, config)),
      arrival_percent_(one_of(random, std::array{3U, 10U, 30U, 100U})),
      stop_percent_(one_of(random, std::array{0U, 1U, 5U, 30U})),
      start_percent_(one_of(random, std::array{5U, 30U, 90U})),
      freeze_percent_(one_of(random, std::array{0U, 0U, 1U, 5U})) {
  for (int queue = 0; queue < queues_; ++queue) {
    longest_.push_back(max_packet_flits(config, queue));
  }
}

Cycle RandomTraffic::next_cycle() {
  if (!begun_) {
    begun_ = true;
    return now_;
  }
  switch (pace_) {
    case Pace::EveryCycle:
      ++now_;
      break;
    case Pace::RandomGaps:
      now_ += random_.within(1, 4);
      break;
    case Pace::LinkRate:
      now_ = std::max(now_ + 1, link_free_);
      break;
    case Pace::LongGaps:
      now_ += spread(random_, 1, 100000);
      break;
  }
  return now_;
}

void RandomTraffic::happen(Port& port) {
  const bool freeze = random_.chance(freeze_percent_);
  for (int queue = 0; queue < queues_; ++queue) {
    constexpr std::size_t kBacklog = 6;
    if (port.packets(queue) < kBacklog && random_.chance(arrival_percent_)) {
      const std::uint64_t burst = random_.chance(20) ? random_.within(2, 5) : 1;
      for (std::uint64_t i = 0; i < burst; ++i) {
        port.arrive(now_, queue, size(queue), static_cast<std::uint8_t>(random_.below(256)));
      }
    }
    const bool stopped = port.heads()[static_cast<std::size_t>(queue)].stopped;
    if (stopped ? random_.chance(start_percent_) && !freeze
                : freeze || random_.chance(stop_percent_)) {
      port.stop(now_, queue, !stopped);
    }
  }
}

void RandomTraffic::sent(const Decision& decision) { link_free_ = now_ + decision.flits; }

std::uint32_t RandomTraffic::size(int queue) {
  const std::uint32_t longest = longest_[static_cast<std::size_t>(queue)];
  switch (sizes_) {
    case Sizes::AllOne:
      return 1;
    case Sizes::AllLongest:
      return longest;
    case Sizes::Bimodal:
      return random_.chance(50) ? 1 : longest;
    case Sizes::Uniform:
      return static_cast<std::uint32_t>(random_.within(1, longest));
  }
  return 1;  // not reached: every mix is named above
}

}  // namespace qosarb::test
