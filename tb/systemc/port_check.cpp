// sc::Port under inputs that change several times in a cycle, against the reference asked once.
//
// In each cycle the pins show heads that are then changed again, at the same moment and later; only
// what stands at the rising edge counts. The same arbiter, without pins, is asked once about that.
// Prints QOSARB_TEST_SEED; that variable replays a run. Exit status 1 if an answer differs.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/sc/port.hpp"

namespace {

using namespace qosarb;

constexpr int kQueues = 4;
constexpr std::uint32_t kLongest = 20;
constexpr int kCycles = 4000;

const char* const kArbiters = R"(
- {policy: rr, queues: 4, max_packet_flits: 20}
- policy: bxi-basic
  queues: 4
  max_packet_flits: 20
  quantum_scale: 7
  table:
    - {queue: 0, weight: 5}
    - {queue: 1, weight: 3}
    - {queue: 2, weight: 4}
    - {queue: 0, weight: 6}
    - {queue: 3, weight: 3}
- policy: bxi-deficit
  queues: 4
  max_packet_flits: 20
  quantum_scale: 7
  table:
    - {queue: 0, weight: 5}
    - {queue: 1, weight: 3}
    - {queue: 2, weight: 4}
    - {queue: 0, weight: 6}
    - {queue: 3, weight: 3}
- policy: bxi-deficit
  variant: printed
  queues: 3
  max_packet_flits: 20
  quantum_scale: 7
  table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 4}]
- policy: sbt
  queues: 4
  max_packet_flits: 20
  queue_sl: [0, 0, 1, 2]
  table: [{sl: 0, weight: 5}, {sl: 1, weight: 3}, {sl: 2, weight: 1}]
- policy: dtable
  queues: 4
  max_packet_flits: 20
  queue_sl: [0, 0, 1, 1]
  sl_mtu: [20, 20]
  table: [{sl: 0, weight: 33}, {sl: 1, weight: 25}]
- policy: infiniband
  queues: 4
  max_packet_flits: 20
  limit_of_high_priority: 1
  high: [{vl: 0, weight: 8}, {vl: 1, weight: 20}]
  low: [{vl: 2, weight: 6}, {vl: 3, weight: 9}]
- policy: trtcm
  queues: 4
  max_packet_flits: 20
  classes:
    - {priority: 2, assured_rate: 0.2, peak_rate: 1.0}
    - {priority: 0, assured_rate: 0.1, peak_rate: 0.2}
    - {priority: 1, assured_rate: 0.1, peak_rate: 0.3}
    - {priority: 3, assured_rate: 0, peak_rate: 0.5}
)";

struct PortUnderTest {
  PortUnderTest(const std::string& name, const ArbiterConfig& arbiter)
      : config(arbiter),
        expected(make_reference(arbiter)),
        signals(name),
        port(name.c_str(), arbiter) {}

  ArbiterConfig config;
  std::unique_ptr<Arbiter> expected;
  sc::PortSignals<kQueues, kLongest> signals;
  sc::Port<kQueues, kLongest> port;
  std::vector<Head> heads;
  bool request = false;
  int granted = 0;
};

class Test {
 public:
  explicit Test(std::uint64_t seed) : random_(seed) {
    for (const YAML::Node& arbiter : YAML::Load(kArbiters)) {
      ports_.push_back(std::make_unique<PortUnderTest>(fmt::format("port{}", ports_.size()),
                                                       parse_arbiter(arbiter, "port_check")));
      PortUnderTest& port = *ports_.back();
      port.port.clk_i(clk_);
      port.port.rst_ni(rst_n_);
      port.signals.bind(port.port);
      port.heads.resize(static_cast<std::size_t>(port.config.queues));
    }
  }

  void run() {
    settle();
    for (int life = 0; life < 3; ++life) {
      rst_n_.write(false);
      settle();
      rst_n_.write(true);
      settle();
      for (const auto& port : ports_) {
        port->expected = make_reference(port->config);
      }
      for (Cycle now = 0; now < kCycles; ++now) {
        cycle(now);
      }
    }
    for (const auto& port : ports_) {
      fmt::print("{}: {} grants\n", port->config.policy.name(), port->granted);
      if (port->granted < kCycles) {
        throw std::runtime_error("hardly anything was granted: the test proves nothing");
      }
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  void settle() { sc_core::sc_start(1, sc_core::SC_NS); }

  // Other heads, and perhaps no request, for a part of the cycle.
  void show_something_else(PortUnderTest& port) {
    std::vector<Head> other = port.heads;
    for (Head& head : other) {
      head = {.flits = static_cast<std::uint32_t>(below(kLongest + 1)), .stopped = below(3) == 0};
    }
    port.signals.show(other, below(2) == 0);
  }

  void cycle(Cycle now) {
    for (std::uint64_t glitches = below(3); glitches > 0; --glitches) {
      for (const auto& port : ports_) {
        show_something_else(*port);
      }
      if (below(2) == 0) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
      } else {
        settle();
      }
    }
    for (const auto& port : ports_) {
      for (Head& head : port->heads) {
        head.flits = head.flits == 0 && below(3) == 0
                         ? static_cast<std::uint32_t>(1 + below(kLongest))
                         : head.flits;
        head.stopped = below(6) == 0;
      }
      port->request = below(8) != 0;
      port->signals.show(port->heads, port->request);
    }
    settle();
    for (const auto& port : ports_) {
      expect(*port, now);
    }
    clk_.write(true);
    settle();
    clk_.write(false);
    settle();
  }

  static void expect(PortUnderTest& port, Cycle now) {
    const Decision decision = port.request ? port.expected->decide(now, port.heads) : Decision{};
    port.expected->advance(now + 1, port.heads);
    const std::uint32_t one_hot = decision.queue < 0 ? 0 : 1U << decision.queue;
    if (port.signals.granted() != decision.queue || port.signals.grant.read() != one_hot) {
      throw std::runtime_error(
          fmt::format("{}, cycle {}: the pins grant {} (one-hot {:#x}), the reference {}; {}",
                      port.config.policy.name(), now, port.signals.granted(),
                      port.signals.grant.read(), decision.queue, port.expected->describe()));
    }
    if (decision.queue >= 0) {
      port.heads[static_cast<std::size_t>(decision.queue)].flits = 0;
      ++port.granted;
    }
  }

  std::mt19937_64 random_;
  sc_core::sc_signal<bool> clk_{"clk"};
  sc_core::sc_signal<bool> rst_n_{"rst_n"};
  std::vector<std::unique_ptr<PortUnderTest>> ports_;
};

template <typename Action>
void expect_refused(const char* what, Action&& action) {
  try {
    action();
  } catch (const std::invalid_argument&) {
    return;
  }
  throw std::runtime_error(fmt::format("a port takes {}", what));
}

}  // namespace

int sc_main(int, char**) {
  const char* const replay = std::getenv("QOSARB_TEST_SEED");
  const std::uint64_t seed = replay != nullptr ? std::stoull(replay) : 1;
  fmt::print("QOSARB_TEST_SEED={}\n", seed);
  try {
    expect_refused("more queues than it has pins for", [] {
      const sc::Port<2, kLongest> port("refused", {.queues = 3, .max_packet_flits = 4});
    });
    expect_refused("longer packets than its pins show", [] {
      const sc::Port<2, kLongest> port("refused", {.queues = 2, .max_packet_flits = kLongest + 1});
    });
    expect_refused("seastar-age", [] {
      const sc::Port<2, kLongest> port("refused", {.policy = kSeastarAge,
                                                   .queues = 2,
                                                   .max_packet_flits = 4,
                                                   .parameters = SeastarConfig{}});
    });
    Test(seed).run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
