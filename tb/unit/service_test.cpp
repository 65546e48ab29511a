// No queue waits longer than its guarantee says: random configurations of every policy with a
// bound, random hostile traffic, the references behind a link of one flit a cycle.
#include "qosarb/analyze/service.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "policy_under_test.hpp"
#include "qosarb/analyze/arrival_curve.hpp"
#include "qosarb/analyze/frame.hpp"
#include "qosarb/analyze/trtcm_burst.hpp"

namespace qosarb::test {
namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + item;
  }
  return "[" + text + "]";
}

std::string random_bxi(Random& random, bool deficit) {
  const int queues = random.between(2, 5);
  const int longest = random.between(1, 12);
  const int scale = random.between(1, 3);
  std::vector<std::string> entries;
  for (int e = 0, count = queues + random.between(0, 4); e < count; ++e) {
    entries.push_back(fmt::format("{{queue: {}, weight: {}}}",
                                  e < queues ? e : random.between(0, queues - 1),
                                  (longest + scale - 1) / scale + random.between(0, 8)));
  }
  std::rotate(entries.begin(), entries.begin() + random.between(0, queues - 1), entries.end());
  return fmt::format("policy: {}\nqueues: {}\nmax_packet_flits: {}\nquantum_scale: {}\ntable: {}\n",
                     deficit ? "bxi-deficit" : "bxi-basic", queues, longest, scale,
                     joined(entries));
}

std::string random_levels(Random& random, int queues, int levels) {
  std::vector<std::string> queue_sl;
  for (int q = 0; q < queues; ++q) {
    queue_sl.push_back(std::to_string(q < levels ? q : random.between(0, levels - 1)));
  }
  return joined(queue_sl);
}

std::string random_sbt(Random& random) {
  const int levels = random.between(1, 4);
  const int queues = levels + random.between(0, 2);
  std::vector<std::string> entries;
  for (int sl = 0; sl < levels; ++sl) {
    entries.push_back(fmt::format("{{sl: {}, weight: {}}}", sl, random.between(1, 6)));
  }
  return fmt::format("policy: sbt\nqueues: {}\nmax_packet_flits: {}\nqueue_sl: {}\ntable: {}\n",
                     queues, random.between(1, 9), random_levels(random, queues, levels),
                     joined(entries));
}

std::string random_dtable(Random& random) {
  const int levels = random.between(1, 4);
  const int queues = levels + random.between(0, 2);
  std::vector<std::string> mtus;
  std::vector<int> mtu;
  for (int sl = 0; sl < levels; ++sl) {
    mtu.push_back(random.between(1, 10));
    mtus.push_back(std::to_string(mtu.back()));
  }
  std::vector<std::string> entries;
  for (int e = 0, count = levels + random.between(0, 5); e < count; ++e) {
    const int sl = e < levels ? e : random.between(0, levels - 1);
    entries.push_back(fmt::format("{{sl: {}, weight: {}}}", sl,
                                  mtu[static_cast<std::size_t>(sl)] + random.between(0, 9)));
  }
  return fmt::format(
      "policy: dtable\nqueues: {}\nmax_packet_flits: 10\nqueue_sl: {}\nsl_mtu: {}\ntable: {}\n",
      queues, random_levels(random, queues, levels), joined(mtus), joined(entries));
}

std::string random_infiniband(Random& random) {
  const int queues = random.between(2, 5);
  const int flit_bytes = std::vector{16, 48, 64, 96, 512}[random.below(5)];
  std::vector<std::string> tables[2];
  const auto add = [&](int which, int vl, int lowest) {
    tables[which].push_back(fmt::format("{{vl: {}, weight: {}}}", vl, random.between(lowest, 20)));
  };
  for (int vl = 0; vl < queues; ++vl) {
    add(vl == 0 ? 0 : random.between(0, 1), vl, 1);
  }
  for (int e = 0, count = random.between(0, 5); e < count; ++e) {
    add(random.between(0, 1), random.between(0, queues - 1), 0);
  }
  return fmt::format(
      "policy: infiniband\nqueues: {}\nmax_packet_flits: {}\nflit_bytes: {}\n"
      "limit_of_high_priority: {}\nlow_turn: {}\nhigh: {}\nlow: {}\nstrict: false\n",
      queues, random.between(1, 9), flit_bytes, std::vector{0, 1, 2, 3, 255}[random.below(5)],
      random.once_in(2) ? "entry" : "packet", joined(tables[0]), joined(tables[1]));
}

std::string random_trtcm(Random& random) {
  const int queues = random.between(2, 4);
  const int longest = random.between(1, 8);
  std::vector<int> priority(static_cast<std::size_t>(queues));
  for (int q = 0; q < queues; ++q) {
    priority[static_cast<std::size_t>(q)] = q;
  }
  for (std::size_t q = priority.size(); q-- > 1;) {
    std::swap(priority[q], priority[random.below(q + 1)]);
  }
  const bool large = random.once_in(2);
  std::vector<std::string> classes;
  int left = 100;
  for (int q = 0; q < queues; ++q) {
    const int assured = random.between(1, std::max(1, left / 2));
    left -= assured;
    const int burst = large ? longest * (3 << (priority[static_cast<std::size_t>(q)] + 1)) + 50
                            : longest + random.between(0, 20);
    classes.push_back(
        fmt::format("{{priority: {}, assured_rate: {:.2f}, peak_rate: {:.2f}, assured_burst: {}, "
                    "peak_burst: {}}}",
                    priority[static_cast<std::size_t>(q)], assured / 100.0,
                    random.between(assured, 100) / 100.0, burst, burst + random.between(0, 20)));
  }
  return fmt::format("policy: trtcm\nqueues: {}\nmax_packet_flits: {}\nclasses: {}\n", queues,
                     longest, joined(classes));
}

std::string random_config(Random& random, const std::string& policy) {
  if (policy == "rr") {
    return fmt::format("policy: rr\nqueues: {}\nmax_packet_flits: {}\n", random.between(1, 6),
                       random.between(1, 9));
  }
  if (policy == "sbt") {
    return random_sbt(random);
  }
  if (policy == "dtable") {
    return random_dtable(random);
  }
  if (policy == "infiniband") {
    return random_infiniband(random);
  }
  return policy == "trtcm" ? random_trtcm(random) : random_bxi(random, policy == "bxi-deficit");
}

// A queue's traffic: bursts and silences, packets that tend to the extremes, within a curve if it
// has one.
class Source {
 public:
  Source(Random& random, const OwnPackets& packets)
      : random_(random), packets_(packets), mood_(random.below(4)) {}

  void regulate(const ArrivalCurve& curve) {
    curve_ = curve;
    tokens_ = Rational(static_cast<std::int64_t>(curve.burst_flits));
  }

  // The lengths of the packets that come in this cycle.
  std::vector<std::uint32_t> cycle(std::size_t waiting) {
    if (random_.once_in(60)) {
      mood_ = random_.below(4);
    }
    std::vector<std::uint32_t> packets;
    if (curve_.has_value()) {
      tokens_ = std::min(tokens_ + curve_->rate,
                         Rational(static_cast<std::int64_t>(curve_->burst_flits)));
      if (mood_ != 3) {
        while (true) {
          const std::uint32_t flits = length();
          if (tokens_ < Rational(flits)) {
            break;
          }
          tokens_ = tokens_ - Rational(flits);
          packets.push_back(flits);
        }
      }
      return packets;
    }
    // Always backlogged, one at a time, sparse, or silent.
    const bool come = (mood_ == 0 && waiting < 2) || (mood_ == 1 && waiting == 0) ||
                      (mood_ == 2 && random_.once_in(3 * packets_.max_flits));
    if (come) {
      packets.push_back(length());
    }
    return packets;
  }

 private:
  std::uint32_t length() {
    switch (random_.below(3)) {
      case 0:
        return packets_.max_flits;
      case 1:
        return packets_.min_flits;
      default:
        return packets_.min_flits + static_cast<std::uint32_t>(
                                        random_.below(packets_.max_flits - packets_.min_flits + 1));
    }
  }

  Random& random_;
  OwnPackets packets_;
  std::uint64_t mood_;
  std::optional<ArrivalCurve> curve_;
  Rational tokens_;
};

// Ratios of what was seen to what was promised, the largest over all queues.
struct Observed {
  double wait = 0.0;
  double delay = 0.0;
};

Observed run(Random& random, const std::string& yaml, Cycle cycles) {
  const ArbiterConfig config = arbiter_config(yaml);
  const auto queues = static_cast<std::size_t>(config.queues);
  Port port = reference_port(config);
  std::vector<ServiceBound> bounds;
  std::vector<std::optional<std::uint64_t>> delays(queues);
  std::vector<Source> sources;
  for (std::size_t q = 0; q < queues; ++q) {
    const int queue = static_cast<int>(q);
    const std::uint32_t longest = max_packet_flits(config, queue);
    OwnPackets packets{1, longest};
    if (random.once_in(3)) {
      packets.max_flits = static_cast<std::uint32_t>(random.between(1, static_cast<int>(longest)));
      packets.min_flits =
          static_cast<std::uint32_t>(random.between(1, static_cast<int>(packets.max_flits)));
    }
    bounds.push_back(guaranteed_service(config, queue, packets));
    sources.emplace_back(random, packets);
    if (bounds[q].guarantee.has_value() && random.once_in(2)) {
      ArrivalCurve curve{.queue = queue, .packets = packets};
      // Rates of a thousandth at most as fine, so that fractions stay short.
      const auto most = (bounds[q].guarantee->rate * Rational(1000)).floor();
      curve.rate = Rational(random.between(0, static_cast<int>(most)), 1000);
      curve.burst_flits = packets.max_flits + random.below(3 * longest + 1);
      delays[q] = delay_bound(curve, *bounds[q].guarantee);
      sources[q].regulate(curve);
    }
  }
  Observed observed;
  std::vector<std::deque<Cycle>> arrived(queues);
  std::vector<Cycle> head_since(queues, 0);
  Cycle free = 0;
  for (Cycle now = 0; now < cycles; ++now) {
    for (std::size_t q = 0; q < queues; ++q) {
      for (const std::uint32_t flits : sources[q].cycle(arrived[q].size())) {
        port.arrive(now, static_cast<int>(q), flits);
        if (arrived[q].empty()) {
          head_since[q] = now;
        }
        arrived[q].push_back(now);
      }
    }
    if (now < free) {
      continue;
    }
    const Decision decision = port.arbitrate(now).decision;
    if (decision.queue < 0) {
      continue;
    }
    const auto q = static_cast<std::size_t>(decision.queue);
    free = now + decision.flits;
    if (bounds[q].guarantee.has_value()) {
      const Cycle wait = now - head_since[q];
      const std::uint64_t promised = bounds[q].guarantee->max_wait_flits;
      EXPECT_LE(wait, promised) << "queue " << q << " cycle " << now << "\n" << yaml;
      observed.wait =
          std::max(observed.wait, static_cast<double>(wait) / static_cast<double>(promised));
    }
    if (delays[q].has_value()) {
      const Cycle delay = free - arrived[q].front();
      EXPECT_LE(delay, *delays[q]) << "queue " << q << " cycle " << now << "\n" << yaml;
      observed.delay =
          std::max(observed.delay, static_cast<double>(delay) / static_cast<double>(*delays[q]));
    }
    arrived[q].pop_front();
    head_since[q] = now;
  }
  return observed;
}

class Guarantee : public ::testing::TestWithParam<const char*> {};

TEST_P(Guarantee, HoldsAgainstHostileTraffic) {
  Random random(20250213);
  Observed most;
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    const Observed observed = run(random, random_config(random, GetParam()), 4000);
    most.wait = std::max(most.wait, observed.wait);
    most.delay = std::max(most.delay, observed.delay);
  }
  // A bound that nothing comes near would hold as well if it were wrong.
  EXPECT_GT(most.wait, 0.5);
  EXPECT_GT(most.delay, 0.1);
  RecordProperty("largest_wait_to_bound", fmt::format("{:.3f}", most.wait));
  RecordProperty("largest_delay_to_bound", fmt::format("{:.3f}", most.delay));
  fmt::print("{}: waits up to {:.3f} of the bound, delays up to {:.3f}\n", GetParam(), most.wait,
             most.delay);
}

INSTANTIATE_TEST_SUITE_P(Policies, Guarantee,
                         ::testing::Values("rr", "bxi-basic", "bxi-deficit", "sbt", "dtable",
                                           "infiniband", "trtcm"));

}  // namespace
}  // namespace qosarb::test
