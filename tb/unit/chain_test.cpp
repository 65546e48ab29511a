// The line of the Cray XT paper's Fig. 4(a): P0 to P6 all send to P7, and at each node the packets
// that come from behind merge with the node's own.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <optional>

#include "policy_under_test.hpp"

namespace qosarb::test {
namespace {

constexpr int kSources = 7;
constexpr int kPorts = 8;            // the links out of P0 to P6, and P7's own ejection
constexpr std::size_t kBuffer = 16;  // packets in a staging buffer (16 entries in SeaStar)

/// When a packet's age begins.
enum class AgeFrom {
  Entry,     ///< at age 0 where it enters the network, as SeaStar has it
  Creation,  ///< when its source made it; the wait in the source counts
};

struct Line {
  ArbiterConfig config;
  int through = 0;  ///< the queue of packets from behind
  int local = 1;    ///< the queue of the node's own
  AgeFrom age_from = AgeFrom::Entry;
  std::uint64_t age_period = 1;  ///< cycles per unit of an age counted from creation
  std::size_t window = kBuffer;  ///< Creation: packets of a source that are under way or wait
};

/// The share of each source in what P7 receives. One-flit packets, one cycle from port to port;
/// each source always has packets. A source whose ages count from creation makes a new packet when
/// an earlier one is received, so that it always has `window` of them.
std::vector<double> shares(const Line& line, Cycle cycles) {
  std::vector<Port> ports;
  for (int p = 0; p < kPorts; ++p) {
    ports.push_back(port_under_test(line.config));
  }
  struct OnWire {
    std::uint8_t age;
    std::uint64_t source;
  };
  std::vector<std::optional<OnWire>> wire(kPorts);   // out of each port
  std::vector<std::deque<Cycle>> created(kSources);  // packets not yet in the network
  for (auto& packets : created) {
    packets.assign(line.window, 0);
  }
  std::vector<double> received(kSources, 0.0);
  double total = 0;
  for (Cycle now = 0; now < cycles; ++now) {
    for (std::size_t p = 0; p < kPorts; ++p) {
      Port& port = ports[p];
      if (p > 0 && wire[p - 1]) {
        port.arrive(now, line.through, 1, wire[p - 1]->age, wire[p - 1]->source);
        wire[p - 1].reset();
      }
      if (p < kSources && port.packets(line.local) < kBuffer) {
        if (line.age_from == AgeFrom::Entry) {
          port.arrive(now, line.local, 1, 0, p);
        } else if (!created[p].empty()) {
          const std::uint64_t age = (now - created[p].front()) / line.age_period;
          port.arrive(now, line.local, 1,
                      static_cast<std::uint8_t>(std::min<std::uint64_t>(255, age)), p);
          created[p].pop_front();
        }
      }
    }
    for (std::size_t p = 0; p < kPorts; ++p) {
      const bool full = p + 1 < kPorts && ports[p + 1].packets(line.through) >= kBuffer;
      ports[p].stop(now, line.through, full);
      ports[p].stop(now, line.local, full);
    }
    for (std::size_t p = 0; p < kPorts; ++p) {
      const Port::Grant grant = ports[p].arbitrate(now);
      if (grant.decision.queue < 0) {
        continue;
      }
      const std::uint64_t source = grant.packet.handle;
      if (p + 1 < kPorts) {
        wire[p] = OnWire{grant.decision.age, source};
      } else {
        created[source].push_back(now + 1);
        if (now >= cycles / 10) {  // when the line has filled
          received[source] += 1;
          total += 1;
        }
      }
    }
  }
  for (double& share : received) {
    share /= total;
  }
  return received;
}

ArbiterConfig by_age(std::uint32_t period, int bias) {
  return arbiter_config(fmt::format(
      "{{policy: seastar-age, queues: 4, max_packet_flits: 9, vcs: 2, req_age_bias: [{0}, {0}], "
      "age_clock_period: {1}, age_rr_select: 0xffffffffffffffff}}",
      bias, period));
}

void report(const std::string& name, const std::vector<double>& all) {
  std::cout << fmt::format("{}, P0 to P6 in %: ", name);
  for (const double share : all) {
    std::cout << fmt::format("{:.2f} ", 100 * share);
  }
  std::cout << "\n";
}

// "P6 will get 1/2 of the available bandwidth", P5 1/4, ... P1 and P0 1/64 each.
TEST(Chain, RoundRobinHalvesTheShareAtEachHop) {
  const Line line{.config = arbiter_config("{policy: rr, queues: 2, max_packet_flits: 9}")};
  const std::vector<double> all = shares(line, 160000);
  report("round robin", all);
  for (std::size_t source = 0; source < kSources; ++source) {
    const double due = source == 0 ? 1.0 / 64 : 1.0 / static_cast<double>(1U << (7 - source));
    EXPECT_NEAR(all[source], due, 1e-4) << "P" << source;
  }
}

// The sources that round robin serves worst, P0 and P1, get more than eight times their share. P0
// gets even more than anybody else: ages begin at 0 in the first staging buffer, so that what makes
// a packet old is the queues behind it. Where two streams merge, both have waited alike; P0's
// packets have waited in two full buffers at node 1 and P1's in one, hence twice the rate for P0,
// and so on: towards P7 each source has less behind it.
TEST(Chain, ByAgeTheWorstServedSourcesGetEightTimesTheirRoundRobinShare) {
  for (const std::uint32_t period : {4U, 8U, 16U}) {
    const Line line{.config = by_age(period, 1), .through = 0, .local = 2};
    const std::vector<double> all = shares(line, 160000);
    report(fmt::format("by age from entry, period {}", period), all);
    EXPECT_GT(all[0], 8.0 / 64);
    EXPECT_GT(all[1], 8.0 / 64);
    EXPECT_NEAR(all[0] / all[1], 2, 0.3);
    // Nobody is left with less than three times what round robin gives its worst.
    EXPECT_GT(*std::min_element(all.begin(), all.end()), 3.0 / 64);
  }
}

// With 128 packets of each source under way an age from creation is 7 x 128 = 896 cycles old at P7,
// 224 units of 4 cycles: below 255, so that ages can be told apart.
TEST(Chain, AnAgeFromCreationGivesAllTheSame) {
  const auto line = [](std::uint32_t period) {
    return Line{.config = by_age(period, 0),
                .through = 0,
                .local = 2,
                .age_from = AgeFrom::Creation,
                .age_period = period,
                .window = 128};
  };
  const std::vector<double> all = shares(line(4), 640000);
  report("by age from creation, period 4", all);
  for (const double share : all) {
    EXPECT_NEAR(share * kSources, 1, 0.02);
  }
  // With a unit of one cycle all ages saturate, and ties are round robin.
  const std::vector<double> saturated = shares(line(1), 160000);
  report("by age from creation, period 1", saturated);
  EXPECT_NEAR(saturated[0], 1.0 / 64, 1e-3);
  EXPECT_NEAR(saturated[6], 1.0 / 2, 1e-2);
}

}  // namespace
}  // namespace qosarb::test
