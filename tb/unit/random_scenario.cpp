// Random scenarios: small networks of any kind with queues that barely suffice.
#include <algorithm>
#include <array>

#include "naive_network.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"
#include "qosarb/traffic/random.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {

namespace {

/// Draws one part of a scenario after the other; what a part needs of earlier ones stands in it.
class Draw {
 public:
  Draw(std::uint64_t seed, const TopologyConfig& topology) : random_(seed) {
    s_.seed = seed;
    s_.topology = topology;
    const auto routings = s_.topology.kind->routings();
    s_.topology.routing = &routings[random_.below(routings.size())];
    s_.topology.own_class_view = pick(0, 1) == 1;
    stages_ = s_.topology.routing->make(s_.topology)->stages();
    built_ = s_.topology.kind->build(s_.topology);
  }

  Scenario scenario() {
    links();
    const SwitchKind& architecture = *switch_kinds()[random_.below(switch_kinds().size())];
    arbiter(architecture);
    if (s_.seed % 3 == 0) {
      shared_queues();
    }
    switches(architecture);
    buffers();
    for (int entry = 0; entry < levels_ + 1; ++entry) {
      s_.traffic.push_back(traffic());
    }
    s_.warmup = 0;
    s_.measure = 800;
    return s_;
  }

 private:
  template <typename T>
  T pick(T low, T high) {
    return low + random_.below<T>(high - low + 1);
  }

  template <std::size_t N, typename T>
  T one_of(const std::array<T, N>& all) {
    return all[pick(0, static_cast<int>(N) - 1)];
  }

  void links() {
    s_.flit_bytes = one_of(std::array<std::uint32_t, 3>{16, 32, 64});
    for (std::uint32_t& delay : s_.link_delays) {
      delay = pick(0, 12);
    }
    if (s_.seed % 2 == 0) {
      delays_of_their_own();
    }
    if (s_.seed % 4 != 3) {
      slower_links();
    }
  }

  void delays_of_their_own() {
    qosarb::Random own(~s_.seed);
    for (const Topology::Link& link : built_.links) {
      if (own.below(3) == 0) {
        const auto delay = own.below<std::uint32_t>(25);
        s_.own_delays[{link.a.node, link.a.port}] = delay;
        s_.own_delays[{link.b.node, link.b.port}] = delay;
      }
    }
  }

  void slower_links() {
    qosarb::Random own(~s_.seed << 1U);
    const std::array<LinkRate, 8> rates = {LinkRate{1, 1}, {1, 1}, {1, 2}, {1, 4},
                                           {2, 3},         {2, 5}, {3, 4}, {7, 9}};
    for (LinkRate& rate : s_.link_rates) {
      rate = rates[own.below(rates.size())];
    }
    for (const Topology::Link& link : built_.links) {
      if (own.below(3) == 0) {
        const LinkRate rate = rates[own.below(rates.size())];
        s_.own_rates[{link.a.node, link.a.port}] = rate;
        s_.own_rates[{link.b.node, link.b.port}] = rate;
      }
    }
  }

  void arbiter(const SwitchKind& architecture) {
    const int ports = *std::max_element(built_.switch_ports.begin(), built_.switch_ports.end());
    const int channels = architecture.queue_per_input ? std::min(8, kMaxSwitchQueues / ports) : 8;
    levels_ = pick(1, channels / stages_);
    s_.arbiter.queues = levels_ * stages_;
    s_.arbiter.max_packet_flits = pick(1, 12);
    build_with(s_, architecture);
    if (architecture.queue_per_input && s_.switches.vcs % 2 == 0 && pick(0, 1) == 0) {
      by_age();
    } else if (pick(0, 2) != 0) {
      by_table();
    }
    by_colour();
  }

  /// Service levels that share queues, and may take one of several. Each queue is of one stage, as
  /// a ring of packets could wait for itself otherwise.
  void shared_queues() {
    qosarb::Random own(~s_.seed << 2U);
    const int queues = s_.link_vcs();
    levels_ = static_cast<int>(1 + own.below(2 * levels_ + 2));
    s_.vcs.stages = stages_;
    for (int level = 0; level < levels_; ++level) {
      for (int stage = 0; stage < stages_; ++stage) {
        Mask all = 0;
        for (int queue = stage; queue < queues; queue += stages_) {
          all |= bit(queue);
        }
        const Mask some = all & own.bits();
        s_.vcs.masks.push_back(some != 0 ? some : all);
      }
    }
    s_.vc_allocation = vc_allocations()[own.below(vc_allocations().size())];
  }

  void by_age() {
    s_.arbiter.policy = kSeastarAge;
    SeastarConfig ages{.vcs = s_.switches.vcs};
    for (int input = 0; input < s_.arbiter.queues / s_.switches.vcs; ++input) {
      ages.req_age_bias.push_back(pick(0, 7));
      ages.rsp_age_bias.push_back(pick(0, 7));
    }
    ages.age_clock_period = pick(1, 20);
    ages.age_rr_select = random_.bits();
    s_.arbiter.parameters = ages;
  }

  /// Instead of what it is, in two of five.
  void by_colour() {
    if (s_.seed % 5 > 1) {
      return;
    }
    qosarb::Random own(~s_.seed << 3U);
    s_.arbiter.policy = kTrtcm;
    TrtcmConfig colours;
    for (int queue = 0; queue < s_.arbiter.queues; ++queue) {
      const auto peak = own.below<std::uint32_t>(65537);
      const std::uint64_t longest = s_.arbiter.max_packet_flits;
      colours.classes.push_back({.priority = s_.arbiter.queues - 1 - queue,
                                 .assured_rate = own.below<std::uint32_t>(peak + 1),
                                 .peak_rate = peak,
                                 .assured_burst = longest + own.below(40),
                                 .peak_burst = longest + own.below(80)});
    }
    s_.arbiter.parameters = colours;
  }

  void by_table() {
    s_.arbiter.policy = pick(0, 1) == 0 ? kBxiBasic : kBxiDeficit;
    BxiConfig bxi;
    for (int entry = 0; entry < 2 * s_.arbiter.queues; ++entry) {
      bxi.table.push_back({entry % s_.arbiter.queues, s_.arbiter.max_packet_flits + pick(0, 20)});
    }
    s_.arbiter.parameters = bxi;
  }

  void switches(const SwitchKind& architecture) {
    SwitchConfig& switches = s_.switches;
    switches.speedup =
        one_of(std::array<Speedup, 6>{Speedup{1, 1}, {2, 1}, {3, 2}, {5, 4}, {11, 10}, {4, 1}});
    if (architecture.has_central_buffers) {
      switches.mport_ports = pick(1, 4);
      switches.central_queue_flits = s_.arbiter.max_packet_flits + pick(0, 30);
      switches.central_speedup =
          one_of(std::array<Speedup, 4>{Speedup{1, 1}, {4, 1}, {5, 4}, {3, 2}});
      switches.central_latency = pick(1, 3);
    }
    switches.input_latency = pick(0, 5);
    switches.crossbar_latency = pick(1, 4);
    switches.output_latency = pick(0, 4);
    switches.flow_control = flow_controls()[pick(0, count(flow_controls()) - 1)];
    if (architecture.queue_per_input && switches.flow_control->gives_credits) {
      switches.ejection =
          one_of(std::array<Speedup, 4>{Speedup{1, 1}, {417, 1000}, {3, 4}, {1, 7}});
    }
  }

  /// As small as they may be, or somewhat larger.
  void buffers() {
    s_.switches.output_queue_flits =
        s_.arbiter.max_packet_flits + (pick(0, 1) == 0 ? 0 : pick(0, 60));
    s_.switches.input_queue_flits = s_.arbiter.max_packet_flits;
    while (fault_of_switch(s_, built_)) {
      ++s_.switches.input_queue_flits;
    }
    s_.switches.input_queue_flits += pick(0, 1) == 0 ? 0 : pick(0, 40);
  }

  TrafficEntry traffic() {
    const std::uint32_t most = s_.arbiter.max_packet_flits * s_.flit_bytes;
    const int queue = pick(0, levels_ - 1);
    const std::uint32_t low = pick(1U, most);
    const MessageSizes sizes = MessageSizes::range(low, pick(low, 2 * most));
    const double load = pick(1, 80) / 100.0;
    TrafficEntry entry = uniform_traffic(queue, load, sizes, built_.hosts);
    switch (pick(0, 3)) {
      case 0:
        entry = hot_spot_traffic(queue, load, sizes, pick(0, 1), built_.hosts);
        break;
      case 1:
        entry.pattern = Pattern::Permutation;
        break;
      case 2:
        entry.arrival = Arrival::Poisson;
        break;
      default:
        entry.arrival = Arrival::Burst;
        entry.burst_bytes = pick(1U, 20 * most);
        entry.burst_period = pick(50, 800);
        entry.burst_offset = pick(0, 300);
    }
    return entry;
  }

  qosarb::Random random_;
  Scenario s_;
  Topology built_;
  int stages_ = 1;
  int levels_ = 1;  ///< service levels
};

}  // namespace

Scenario random_scenario(std::uint64_t seed, const TopologyConfig& topology) {
  return Draw(seed, topology).scenario();
}

}  // namespace qosarb::test
