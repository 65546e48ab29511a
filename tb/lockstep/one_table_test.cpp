// A switch whose outputs share one table: the arbiters of its ports are one qosarb_ports, each
// beside a reference of its own in every cycle, under the traffic of a scenario. What is written
// comes through one window, the counters are read through each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Vone_table.h"
#include "Vone_table___024root.h"
#include "cosim/context.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"
#include "cosim/programming.hpp"
#include "kernel/fields.hpp"
#include "qosarb/network/network.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb::test {
namespace {

// The parameters of the build.
constexpr std::size_t kPorts = 8;
constexpr std::size_t kQueues = 8;
constexpr bool kLate = QOSARB_LATENCY != 0;  // a request is answered in the next cycle
constexpr std::size_t kFlitsBits = 10;
constexpr RtlLimits kLimits = {.queues = 8,
                               .entries = 32,
                               .quantum_bits = 16,
                               .packet_flits = 1023,
                               .policies = 0x7,
                               .vcs = 4};
constexpr std::size_t kStateWords = 2 + kLimits.entries + 2 * kQueues;

/// The RTL of all outputs, which are in the same cycle.
class Outputs {
 public:
  Outputs() : rtl_(&prepare(*context_, {})) {
    for (const auto reset : std::array<CData, 3>{1, 0, 1}) {
      rtl_.rst_ni = reset;
      rtl_.port_rst_ni = reset != 0 ? (1U << kPorts) - 1 : 0;
      rtl_.clk_i = 0;
      rtl_.eval();
    }
  }

  /// Brings `config` into force at all ports, through the window of `port`.
  void program(const ArbiterConfig& config, std::size_t port) {
    for (const RegisterWrite& write : register_writes(config, kLimits)) {
      transfer(port, true, write);
    }
    std::uint32_t status = 0;
    do {
      status = read(port, QOSARB_PORT_STATUS_OFFSET);
    } while (QOSARB_PORT_STATUS_PROGRESS_GET(status) != QOSARB_PORT_STATUS_PROGRESS_IDLE);
    if (QOSARB_PORT_STATUS_OUTCOME_GET(status) != QOSARB_PORT_STATUS_OUTCOME_IN_FORCE) {
      throw std::runtime_error("the RTL refuses the configuration");
    }
  }
  void snapshot(std::size_t port) {
    transfer(port, true, {QOSARB_PORT_SNAPSHOT_OFFSET, QOSARB_PORT_SNAPSHOT_TAKE_PUT(1)});
    while (QOSARB_PORT_SNAPSHOT_BUSY_GET(read(port, QOSARB_PORT_SNAPSHOT_OFFSET)) != 0) {
    }
  }
  std::uint32_t read(std::size_t port, std::uint32_t offset) {
    return transfer(port, false, {offset, 0});
  }

  /// A head that leaves its queue at the end of the cycle.
  struct Leaving {
    std::size_t queue = 0;
    Head head;
  };
  /// The candidates of `port` in this cycle, without a head that is leaving and stands before them,
  /// and whether its link takes a packet.
  void show(std::size_t port, Heads heads, const std::optional<Leaving>& leaving, bool request) {
    for (std::size_t q = 0; q < heads.size(); ++q) {
      const std::size_t at = port * kQueues + q;
      const bool leaves = leaving && leaving->queue == q;
      const Head& head = leaves ? leaving->head : heads[q];
      set_element(rtl_.valid_i, at, 1, head.flits != 0 ? 1 : 0);
      set_element(rtl_.pfc_stop_i, at, 1, heads[q].stopped ? 1 : 0);
      set_element(rtl_.flits_i, at, kFlitsBits, head.shown_flits());
      set_element(rtl_.next_valid_i, at, 1, leaves && heads[q].flits != 0 ? 1 : 0);
      set_element(rtl_.next_flits_i, at, kFlitsBits, leaves ? heads[q].shown_flits() : 0);
    }
    set_element(rtl_.request_i, port, 1, request ? 1 : 0);
  }
  /// All ports see what they are shown.
  void settle() {
    rtl_.clk_i = 0;
    rtl_.eval();
  }
  /// The queue that `port` grants; -1: none.
  [[nodiscard]] int granted(std::size_t port) const {
    return element(rtl_.grant_valid_o, port, 1) != 0
               ? static_cast<int>(element(rtl_.grant_queue_o, port, 3))
               : -1;
  }
  void end_of_cycle() {
    settle();
    rtl_.clk_i = 1;
    rtl_.eval();
    rtl_.request_i = 0;
    if (context_->gotError()) {
      throw std::runtime_error("a check that is bound to the RTL fails");
    }
  }
  [[nodiscard]] std::uint32_t state(std::size_t port, std::size_t word) const {
    static_assert(sizeof(rtl_.rootp->qosarb_ports__DOT__state) ==
                  kPorts * kStateWords * sizeof(EData));
    return rtl_.rootp->qosarb_ports__DOT__state[port * kStateWords + word];
  }

 private:
  std::uint32_t transfer(std::size_t port, bool write, const RegisterWrite& word) {
    rtl_.psel_i = 1;
    rtl_.penable_i = 0;
    rtl_.pwrite_i = write ? 1 : 0;
    rtl_.pstrb_i = write ? 0xf : 0;
    rtl_.paddr_i = static_cast<SData>(port * QOSARB_PORT_WINDOW_BYTES + word.offset);
    rtl_.pwdata_i = word.value;
    end_of_cycle();
    rtl_.penable_i = 1;
    settle();
    const std::uint32_t result = rtl_.prdata_o;
    if (rtl_.pslverr_o != 0) {
      throw std::runtime_error(fmt::format("register {:#x} is refused", word.offset));
    }
    end_of_cycle();
    rtl_.psel_i = 0;
    rtl_.penable_i = 0;
    return result;
  }

  std::unique_ptr<VerilatedContext> context_ = single_threaded();
  Vone_table rtl_;
};

/// What a reference chose in a cycle, and its state before that.
struct Choice {
  Index queue = -1;
  Head head;
  std::vector<std::uint64_t> state;
};

/// One of them beside its reference, which answers: with Latency 1 the RTL says the same a cycle
/// later.
class Output final : public Arbiter, private PortState {
 public:
  Output(std::shared_ptr<Outputs> all, PortPlace place, std::size_t port, ArbiterConfig config,
         std::unique_ptr<Arbiter> reference)
      : all_(std::move(all)),
        place_(std::move(place)),
        port_(port),
        config_(std::move(config)),
        reference_(std::move(reference)) {}

  void advance(Cycle now, Heads heads) override {
    reference_->advance(now, heads);
    if (!choice_) {
      all_->show(port_, heads, leaving(), false);
    }
  }
  Decision decide(Cycle now, Heads heads) override {
    all_->show(port_, heads, leaving(), true);
    choice_.emplace();
    reference_->append_state(choice_->state);
    const Decision decision = reference_->decide(now, heads);
    choice_->queue = decision.queue;
    if (decision.queue >= 0) {
      const auto q = static_cast<std::size_t>(decision.queue);
      choice_->head = heads[q];
      ++packets.at(q);
      flits.at(q) += heads[q].flits;
    }
    return decision;
  }
  /// The RTL at the end of a cycle, before its clock edge. Errors: Mismatch.
  void compare(Cycle now) {
    const std::optional<Choice> due = std::exchange(kLate ? last_ : choice_, std::nullopt);
    if (kLate) {
      last_ = std::exchange(choice_, std::nullopt);
    }
    const int expected = due ? due->queue : -1;
    const int granted = all_->granted(port_);
    std::vector<std::uint64_t> state;
    rtl_of(config_.policy).append_state(*this, config_, state);
    if (granted != expected || (due && due->state != state)) {
      throw Mismatch(
          now, place_,
          fmt::format("cycle {}, {}: the reference grants {}, the RTL {}; the RTL's state is {}",
                      now, text_of(place_), expected, granted,
                      rtl_of(config_.policy).describe(config_, state)));
    }
    compared += due ? 1 : 0;
  }
  [[nodiscard]] std::string describe() const override { return reference_->describe(); }

  std::array<std::uint64_t, kQueues> packets{};
  std::array<std::uint64_t, kQueues> flits{};
  std::uint64_t compared = 0;  ///< decisions

 private:
  // With Latency 1, the head that the last cycle's answer takes away in this one.
  [[nodiscard]] std::optional<Outputs::Leaving> leaving() const {
    if (!last_ || last_->queue < 0) {
      return {};
    }
    return Outputs::Leaving{static_cast<std::size_t>(last_->queue), last_->head};
  }
  [[nodiscard]] std::uint32_t state(std::size_t word) const override {
    return all_->state(port_, word);
  }
  [[nodiscard]] std::uint32_t own_state(std::size_t index) const override {
    return state(2 + kLimits.entries + index);
  }

  std::shared_ptr<Outputs> all_;
  PortPlace place_;
  std::size_t port_;
  ArbiterConfig config_;
  std::unique_ptr<Arbiter> reference_;
  std::optional<Choice> choice_;  // of this cycle
  std::optional<Choice> last_;    // of the last one, with Latency 1
};

class OneTable : public ::testing::TestWithParam<const char*> {};

TEST_P(OneTable, DecidesForAllOutputsOfASwitch) {
  constexpr Cycle kCycles = 30'000;
  const Scenario scenario =
      load_scenario(fmt::format("{}/scenarios/{}.yaml", QOSARB_SOURCE_DIR, GetParam()));
  ASSERT_FALSE(build_obstacle(scenario.arbiter, kLimits));
  const auto outputs = std::make_shared<Outputs>();
  outputs->program(scenario.arbiter, 5);

  std::vector<Output*> rtl;
  const ArbiterFactory references = make_reference_factory();
  Network network(scenario, [&](const ArbiterConfig& config, const PortPlace& place) {
    std::unique_ptr<Arbiter> reference = references(config, place);
    if (!place.chip.starts_with("switch")) {
      return reference;
    }
    auto output =
        std::make_unique<Output>(outputs, place, rtl.size(), config, std::move(reference));
    rtl.push_back(output.get());
    return std::unique_ptr<Arbiter>(std::move(output));
  });
  ASSERT_EQ(rtl.size(), kPorts);
  const auto end_of_cycle = [&outputs, &rtl, ports = network.ports()](Cycle now) {
    for (const Network::NamedPort& named : ports) {
      named.port->reach(now + 1);
    }
    outputs->settle();
    for (Output* const output : rtl) {
      output->compare(now);
    }
    outputs->end_of_cycle();
  };
  network.every_cycle(end_of_cycle);
  network.run(kCycles);
  end_of_cycle(kCycles);  // the last answers

  std::uint64_t compared = 0;
  for (std::size_t port = 0; port < kPorts; ++port) {
    outputs->snapshot(port);
    std::uint64_t granted = 0;
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      EXPECT_EQ(outputs->read(port, QOSARB_PORT_PACKETS_OFFSET(q)), rtl[port]->packets.at(q))
          << "port " << port << ", queue " << q;
      EXPECT_EQ(outputs->read(port, QOSARB_PORT_FLITS_OFFSET(q)), rtl[port]->flits.at(q))
          << "port " << port << ", queue " << q;
      granted += rtl[port]->packets.at(q);
    }
    EXPECT_GT(granted, 100U) << "port " << port;
    compared += rtl[port]->compared;
  }
  std::cout << compared << " decisions of " << kPorts << " outputs in " << kCycles << " cycles\n";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, OneTable,
                         ::testing::Values("step-deficit-8", "fair-deficit-spread-8", "fair-rr-8"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace qosarb::test
