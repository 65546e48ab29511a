// sc::Port under inputs that change several times in a cycle, against the reference asked once.
//
// In each cycle the pins show heads that are then changed again, at the same moment and later; only
// what stands at the rising edge counts. The same arbiter, without pins, is asked once about that.
// In a reset nothing is granted and nothing has left, whatever the pins show. A head that cannot be
// is reported. QOSARB_SEED=n replays a run or makes a new one. Exit status 1 if an answer differs.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/sc/port.hpp"
#include "random/policy_random.hpp"

namespace {

using namespace qosarb;

constexpr RtlLimits kLimits = test::kSmallArbiters;
constexpr std::uint32_t kLongest = kLimits.packet_flits;
constexpr int kCycles = 4000;

struct PortUnderTest {
  PortUnderTest(const std::string& name, const ArbiterConfig& arbiter)
      : config(arbiter), signals(name), port(name.c_str(), arbiter) {}

  // A reference in cycle 0, and the clock of its chip.
  void reset() {
    clock = std::make_shared<AgeClock>(3);
    expected = config.policy->shares_chip_clock() ? config.policy->make_reference(config, clock)
                                                  : make_reference(config);
    heads.assign(config.queues, {});
  }

  ArbiterConfig config;
  std::shared_ptr<AgeClock> clock;
  std::unique_ptr<Arbiter> expected;
  sc::PortSignals<kLimits.queues, kLongest> signals;
  sc::Port<kLimits.queues, kLongest> port;
  std::vector<Head> heads;
  bool request = false;
  int granted = 0;
};

class Test {
 public:
  explicit Test(std::uint64_t seed) : random_(seed) {
    std::vector<ArbiterConfig> arbiters;
    for (const PolicyRef policy : policies()) {
      arbiters.push_back(test::random_config(random_, policy, kLimits));
    }
    arbiters.push_back(test::random_config(random_, policy_named("bxi-deficit"), kLimits));
    arbiters.back().variant = Variant::Printed;
    for (const ArbiterConfig& arbiter : arbiters) {
      ports_.push_back(
          std::make_unique<PortUnderTest>(fmt::format("port{}", ports_.size()), arbiter));
      PortUnderTest& port = *ports_.back();
      port.port.clk_i(clk_);
      port.port.rst_ni(rst_n_);
      port.signals.bind(port.port);
    }
  }

  void run() {
    settle();
    for (int life = 0; life < 3; ++life) {
      stay_in_reset();
      rst_n_.write(true);
      settle();
      for (const auto& port : ports_) {
        port->reset();
      }
      for (Cycle now = 0; now < kCycles; ++now) {
        cycle(now);
      }
    }
    for (const auto& port : ports_) {
      fmt::print("{}: {} grants\n", port->config.policy.name(), port->granted);
      if (port->granted < kCycles / 2) {
        throw std::runtime_error("hardly anything was granted: the test proves nothing");
      }
    }
    for (const auto& port : ports_) {
      port->signals.show(std::vector<Head>(kLimits.queues), false);
    }
    expect_reports();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  void settle() { sc_core::sc_start(1, sc_core::SC_NS); }

  void rise() {
    clk_.write(true);
    settle();
    clk_.write(false);
    settle();
  }

  void stay_in_reset() {
    rst_n_.write(false);
    for (int edges = 0; edges < 3; ++edges) {
      for (const auto& port : ports_) {
        port->signals.show(std::vector<Head>(port->config.queues, {.flits = 1}), true);
      }
      settle();
      for (const auto& port : ports_) {
        if (port->signals.grant_valid.read() || port->signals.grant.read() != 0 ||
            port->signals.left.read()) {
          throw std::runtime_error(
              fmt::format("{}: something goes in a reset", port->config.policy.name()));
        }
      }
      rise();
    }
  }

  // What each port reports at a rising edge that shows one head alone: nothing of the longest that
  // the queue may have.
  void expect_reports() {
    sc_core::sc_report_handler::set_handler(&collect);
    for (const auto& port : ports_) {
      const Index queues = port->config.queues;
      for (Index q = 0; q < queues; ++q) {
        const std::uint32_t longest = max_packet_flits(port->config, q);
        expect_report(*port, q, longest, false);
        expect_report(*port, q, 0, true);
        if (longest < kLongest) {
          expect_report(*port, q, longest + 1, true);
        }
      }
      if (queues < kLimits.queues) {
        expect_report(*port, queues, 1, true);
      }
    }
    sc_core::sc_report_handler::set_handler(nullptr);
  }

  void expect_report(PortUnderTest& port, Index queue, std::uint32_t flits, bool wrong) {
    const ArbiterConfig& config = port.config;
    std::vector<Head> heads(kLimits.queues);
    heads[queue].flits = flits;
    port.signals.show(heads, false);
    port.signals.valid.write(1U << static_cast<unsigned>(queue));
    settle();
    reports_.clear();
    rise();
    port.signals.show(std::vector<Head>(kLimits.queues), false);
    settle();
    std::vector<std::string> expected;
    if (wrong) {
      expected.push_back(fmt::format(
          "{}: queue {} of {} shows a packet of {} flits; they have 1 to {}", port.port.name(),
          queue, config.queues, flits,
          queue < config.queues ? max_packet_flits(config, queue) : config.max_packet_flits));
    }
    if (reports_ != expected) {
      throw std::runtime_error(fmt::format("{}, queue {} with {} flits: {} reports: {}",
                                           config.policy.name(), queue, flits, reports_.size(),
                                           fmt::join(reports_, "; ")));
    }
  }

  static void collect(const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
    reports_.emplace_back(report.get_msg());
  }

  // Other heads, and perhaps no request, for a part of the cycle.
  void show_something_else(PortUnderTest& port) {
    std::vector<Head> other = port.heads;
    for (Head& head : other) {
      head = {.flits = random_.from(0U, kLongest),
              .stopped = random_.once_in(3),
              .stamp = {random_.from<std::uint16_t>(0, 511), random_.once_in(2)}};
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
      for (Index q = 0; q < port->config.queues; ++q) {
        Head& head = port->heads[q];
        if (head.flits == 0 && random_.once_in(3)) {
          head.flits = random_.from(1U, max_packet_flits(port->config, q));
          head.stamp = port->expected->arrive(now, q, random_.from<std::uint8_t>(0, 255));
        }
        head.stopped = random_.once_in(6);
      }
      port->request = !random_.once_in(8);
      port->signals.show_clock(port->clock->timestamp(), port->clock->epoch(),
                               port->clock->inhibit());
      port->signals.show(port->heads, port->request);
    }
    settle();
    for (const auto& port : ports_) {
      expect(*port, now);
    }
    rise();
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
      port.heads[decision.queue].flits = 0;
      ++port.granted;
    }
  }

  test::Random random_;
  sc_core::sc_signal<bool> clk_{"clk"};
  sc_core::sc_signal<bool> rst_n_{"rst_n"};
  std::vector<std::unique_ptr<PortUnderTest>> ports_;
  inline static std::vector<std::string> reports_;
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
  try {
    expect_refused("more queues than it has pins for", [] {
      const sc::Port<2, kLongest> port("refused", {.queues = 3, .max_packet_flits = 4});
    });
    expect_refused("longer packets than its pins show", [] {
      const sc::Port<2, kLongest> port("refused", {.queues = 2, .max_packet_flits = kLongest + 1});
    });
    Test(test::test_seed()).run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
