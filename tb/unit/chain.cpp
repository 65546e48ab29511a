#include "chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

namespace qosarb::test::chain {

std::vector<double> shares(const Line& line, Cycle cycles) {
  std::vector<Port> ports;
  ports.reserve(kPorts);
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

}  // namespace qosarb::test::chain
