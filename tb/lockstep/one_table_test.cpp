// A switch whose outputs share one table: the arbiters of its ports are one qosarb_ports, each
// beside a reference of its own at every decision, under the traffic of a scenario. What is written
// comes through one window, the counters are read through each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
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
constexpr std::size_t kFlitsBits = 10;
constexpr std::uint32_t kWindow = 0x1000;  // bytes
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

  /// The candidates of `port` in this cycle, and whether its link takes a packet.
  void show(std::size_t port, Heads heads, bool request) {
    for (std::size_t q = 0; q < heads.size(); ++q) {
      set_element(rtl_.valid_i, port * kQueues + q, 1, heads[q].flits != 0 ? 1 : 0);
      set_element(rtl_.pfc_stop_i, port * kQueues + q, 1, heads[q].stopped ? 1 : 0);
      set_element(rtl_.flits_i, port * kQueues + q, kFlitsBits, heads[q].shown_flits());
    }
    set_element(rtl_.request_i, port, 1, request ? 1 : 0);
  }
  /// The queue that `port` grants; -1: none.
  int granted(std::size_t port) {
    rtl_.clk_i = 0;
    rtl_.eval();
    return element(rtl_.grant_valid_o, port, 1) != 0
               ? static_cast<int>(element(rtl_.grant_queue_o, port, 3))
               : -1;
  }
  void end_of_cycle() {
    rtl_.clk_i = 0;
    rtl_.eval();
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
    rtl_.paddr_i = static_cast<SData>(port * kWindow + word.offset);
    rtl_.pwdata_i = word.value;
    end_of_cycle();
    rtl_.penable_i = 1;
    rtl_.clk_i = 0;
    rtl_.eval();
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

/// One of them, and what it has granted.
class Output final : public Arbiter, public LateState, private PortState {
 public:
  Output(std::shared_ptr<Outputs> all, std::size_t port, ArbiterConfig config)
      : all_(std::move(all)), port_(port), config_(std::move(config)) {}

  void advance(Cycle /*now*/, Heads heads) override {
    if (!decided_) {
      all_->show(port_, heads, false);
    }
    decided_ = false;
  }
  Decision decide(Cycle now, Heads heads) override {
    all_->show(port_, heads, true);
    decided_ = true;
    const int queue = all_->granted(port_);
    if (queue < 0) {
      return {};
    }
    const auto q = static_cast<std::size_t>(queue);
    if (q >= heads.size()) {
      throw Mismatch(now, {}, fmt::format("queue {} is granted", queue));
    }
    ++packets.at(q);
    flits.at(q) += heads[q].flits;
    return {static_cast<Index>(queue), heads[q].flits, heads[q].age};
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    rtl_of(config_.policy).append_state(*this, config_, numbers);
    return true;
  }
  [[nodiscard]] std::string describe() const override {
    std::vector<std::uint64_t> numbers;
    append_state(numbers);
    return rtl_of(config_.policy).describe(config_, numbers);
  }

  std::array<std::uint64_t, kQueues> packets{};
  std::array<std::uint64_t, kQueues> flits{};

 private:
  [[nodiscard]] std::uint32_t state(std::size_t word) const override {
    return all_->state(port_, word);
  }
  [[nodiscard]] std::uint32_t own_state(std::size_t index) const override {
    return state(2 + kLimits.entries + index);
  }

  std::shared_ptr<Outputs> all_;
  std::size_t port_;
  ArbiterConfig config_;
  bool decided_ = false;  // in this cycle
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
  std::uint64_t compared = 0;
  const ArbiterFactory references = make_reference_factory();
  Network network(scenario, [&](const ArbiterConfig& config, const PortPlace& place) {
    std::unique_ptr<Arbiter> reference = references(config, place);
    if (!place.chip.starts_with("switch")) {
      return reference;
    }
    auto output = std::make_unique<Output>(outputs, rtl.size(), config);
    rtl.push_back(output.get());
    auto both = std::make_unique<LockstepArbiter>(std::move(reference), std::move(output), place);
    both->count_in(&compared);
    return std::unique_ptr<Arbiter>(std::move(both));
  });
  ASSERT_EQ(rtl.size(), kPorts);
  network.every_cycle([&outputs, ports = network.ports()](Cycle now) {
    for (const Network::NamedPort& named : ports) {
      named.port->reach(now + 1);
    }
    outputs->end_of_cycle();
  });
  network.run(kCycles);

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
