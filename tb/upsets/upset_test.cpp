// Ports of one table with Protect in which bits flip, beside others in which none does.
//
// Under every policy, in traffic, behind the reset of one port and while a configuration is
// written: a grant is one-hot and goes to an active queue, it is the one that the other ports make
// until an upset is found, in whose cycle nothing is granted, and no queue then waits longer than
// two of its bounds. An upset in what one port has for itself is told by that port alone. A commit
// whose bit flips says whether it took effect.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_UPSETS=n flips more bits or fewer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../ages/bench.hpp"
#include "Vupsets.h"
#include "Vupsets___024root.h"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/programming.hpp"
#include "qosarb/analyze/service.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"
#include "registers.hpp"

// All combinational logic, by the values that registers and inputs have; made by Verilator, which
// declares it in no header.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
void Vupsets___024root___eval_settle(Vupsets___024root* self);

namespace qosarb::test {
namespace {

// The parameters of the build.
constexpr std::size_t kPorts = QOSARB_PORTS;
constexpr bool kLate = QOSARB_LATENCY != 0;  // a request is answered in the next cycle
constexpr std::size_t kQueues = 8;
constexpr std::uint32_t kAllPorts = (1U << kPorts) - 1;
constexpr unsigned kFlitsBits = 5;
constexpr std::int64_t kLongestWait = 100'000;  // in flits, that is waited for
constexpr RtlLimits kLimits = {.queues = 8,
                               .entries = 10,
                               .quantum_bits = 6,
                               .packet_flits = 21,
                               .policies = QOSARB_ALL_POLICIES,
                               .vcs = 4};

/// What is shown to the ports: which packet of a queue has which length does not depend on when it
/// is sent, and the other inputs do not depend on what is sent.
class Traffic {
 public:
  Traffic(std::uint64_t seed, const ArbiterConfig& config, bool backlogged)
      : seed_(seed), config_(config), backlogged_(backlogged) {}

  [[nodiscard]] std::uint32_t flits(std::size_t port, std::size_t queue,
                                    std::uint64_t number) const {
    return 1 + static_cast<std::uint32_t>(drawn(port, queue, number) % longest(queue));
  }
  [[nodiscard]] std::uint32_t valid(std::size_t port, std::uint64_t cycle) const {
    const std::uint32_t all = (1U << static_cast<unsigned>(config_.queues)) - 1;
    return backlogged_ ? all : static_cast<std::uint32_t>(drawn(port, 100, cycle)) & all;
  }
  [[nodiscard]] std::uint32_t stopped(std::size_t port, std::uint64_t cycle) const {
    return backlogged_
               ? 0
               : static_cast<std::uint32_t>(drawn(port, 101, cycle) & drawn(port, 102, cycle)) &
                     0xff;
  }
  [[nodiscard]] std::uint64_t drawn(std::size_t port, std::uint64_t kind,
                                    std::uint64_t number) const {
    return Random(seed_, port * 1000 + kind, number).bits();
  }
  [[nodiscard]] bool backlogged() const { return backlogged_; }

 private:
  [[nodiscard]] std::uint32_t longest(std::size_t queue) const {
    return std::cmp_less(queue, config_.queues)
               ? max_packet_flits(config_, static_cast<Index>(queue))
               : 1;
  }
  std::uint64_t seed_;
  const ArbiterConfig& config_;
  bool backlogged_;
};

/// The ports, their queues and their links.
class Chip {
 public:
  Chip() {
    prepare(context_);
    rtl_ = std::make_unique<Vupsets>(&context_);
    registers_ = registers(*rtl_->rootp);
    reset();
  }

  void reset() {
    apb(0, false, {});
    rtl_->request_i = 0;
    rtl_->clk_i = 0;
    for (const auto reset : std::array<CData, 3>{1, 0, 1}) {
      rtl_->rst_ni = reset;
      reset_ports(reset != 0 ? 0 : kAllPorts);
      rtl_->eval();
    }
    cycle_ = 0;
    lanes_ = {};
  }
  /// In the present cycle and from then on the ports of the mask are in reset, no others.
  void reset_ports(std::uint32_t ports) {
    rtl_->port_rst_ni = static_cast<CData>(~ports & kAllPorts);
  }

  [[nodiscard]] const std::vector<Register>& all_registers() const { return registers_; }
  void flip(const Register& which, std::size_t word, std::size_t bit) {
    static_assert(std::endian::native == std::endian::little);
    auto* const byte = static_cast<std::uint8_t*>(which.data) + word * which.bytes + bit / 8;
    *byte = static_cast<std::uint8_t>(*byte ^ (1U << (bit % 8)));
  }
  /// An upset was found, by any port: as SOFT_ERRORS of it reads. Its arbiter has started over.
  [[nodiscard]] bool found_an_upset() const {
    return std::any_of(registers_.begin(), registers_.end(), [](const Register& one) {
      return one.name.ends_with(".soft_errors_q") && *static_cast<const IData*>(one.data) != 0;
    });
  }
  /// What depends on registers alone follows a flipped one.
  void settle() { Vupsets___024root___eval_settle(rtl_->rootp); }

  /// The inputs of a cycle, without its end. Where it goes wrong it says so.
  void show(const Traffic& traffic) {
    for (std::size_t p = 0; p < kPorts; ++p) {
      const Lane& lane = lanes_[p];
      set_element(rtl_->valid_i, p, kQueues, traffic.valid(p, cycle_));
      set_element(rtl_->pfc_stop_i, p, kQueues, traffic.stopped(p, cycle_));
      set_element(rtl_->request_i, p, 1, cycle_ >= lane.link_free ? 1 : 0);
      for (std::size_t q = 0; q < kQueues; ++q) {
        set_element(rtl_->flits_i, p * kQueues + q, kFlitsBits, traffic.flits(p, q, lane.sent[q]));
        set_element(rtl_->age_field_i, p * kQueues + q, 9, traffic.drawn(p, q, ~lane.sent[q]));
        set_element(rtl_->next_flits_i, p * kQueues + q, kFlitsBits,
                    traffic.flits(p, q, lane.sent[q] + 1));
        set_element(rtl_->next_age_field_i, p * kQueues + q, 9,
                    traffic.drawn(p, q, ~(lane.sent[q] + 1)));
      }
    }
    rtl_->next_valid_i = rtl_->valid_i;
    rtl_->next_age_in_epoch_i = 0;
    rtl_->age_in_epoch_i = 0;
    rtl_->age_timestamp_i = 0;
    rtl_->age_epoch_i = 0;
    rtl_->age_inhibit_i = 0;
    rtl_->eval();
  }
  /// The same without heads and requests.
  void show_nothing() {
    rtl_->valid_i = 0;
    rtl_->next_valid_i = 0;
    rtl_->request_i = 0;
    rtl_->eval();
  }
  /// The clock of the ports may stand in this cycle.
  [[nodiscard]] bool may_stand() const { return rtl_->idle_o != 0; }
  /// What the ports tell the chip besides grants: asks to drain, heads that are dropped, resets
  /// that are asked for, packets that have left, and what is programmed for the age clock.
  [[nodiscard]] std::array<std::uint32_t, 7> told() const {
    return {rtl_->drain_o,
            rtl_->drop_o,
            rtl_->soft_reset_o,
            rtl_->left_o,
            rtl_->age_clock_period_o,
            rtl_->req_age_bias_o,
            rtl_->rsp_age_bias_o};
  }
  [[nodiscard]] std::uint32_t drop(std::size_t port) const {
    return element(rtl_->drop_o, port, kQueues);
  }
  [[nodiscard]] bool drains(std::size_t port) const { return element(rtl_->drain_o, port, 1) != 0; }
  [[nodiscard]] bool asks_for_a_reset(std::size_t port) const {
    return element(rtl_->soft_reset_o, port, 1) != 0;
  }
  /// A commit takes effect at the end of this cycle.
  [[nodiscard]] bool applies() const { return rtl_->table_applied_o != 0; }
  [[nodiscard]] std::uint32_t grant(std::size_t port) const {
    return element(rtl_->grant_o, port, kQueues);
  }
  /// What is wrong about the grant of this cycle by itself; empty if nothing is.
  [[nodiscard]] std::string fault(std::size_t port) const {
    const std::uint32_t grant = this->grant(port);
    const std::uint32_t active =
        element(rtl_->valid_i, port, kQueues) & ~element(rtl_->pfc_stop_i, port, kQueues);
    if ((grant & (grant - 1)) != 0) {
      return "two queues are granted";
    }
    if ((grant & ~active) != 0) {
      return "a queue without a head, or stopped, is granted";
    }
    if ((element(rtl_->grant_valid_o, port, 1) != 0) != (grant != 0)) {
      return "grant_valid_o is not grant_o";
    }
    if (grant != 0 && std::cmp_not_equal(granted_queue(port), std::countr_zero(grant))) {
      return "grant_queue_o is not grant_o";
    }
    if (grant != 0 && !(kLate ? lanes_[port].asked : element(rtl_->request_i, port, 1) != 0)) {
      return "nobody asked";
    }
    return {};
  }
  /// Cycles that the queue has waited with the last packet that it shows, this one included.
  [[nodiscard]] std::uint64_t waited(std::size_t port, std::size_t queue) const {
    return cycle_ - lanes_[port].last_granted[queue];
  }
  void edge() {
    for (std::size_t p = 0; p < kPorts; ++p) {
      if (grant(p) != 0 && fault(p).empty()) {
        const std::size_t queue = granted_queue(p);
        Lane& lane = lanes_[p];
        lane.link_free = cycle_ + element(rtl_->flits_i, p * kQueues + queue, kFlitsBits);
        ++lane.sent[queue];
        lane.last_granted[queue] = cycle_;
      }
      lanes_[p].asked = element(rtl_->request_i, p, 1) != 0;
    }
    rtl_->clk_i = 1;
    rtl_->eval();
    rtl_->clk_i = 0;  // nothing happens then: it is evaluated with the next inputs
    ++cycle_;
  }
  void forget_waits() {
    for (Lane& lane : lanes_) {
      lane.last_granted.fill(cycle_);
    }
  }

  /// The pins of a transfer: 0 none, 1 its setup phase, 2 its access phase.
  void apb(int phase, bool write, const RegisterWrite& word, std::size_t port = 0) {
    rtl_->psel_i = phase != 0 ? 1 : 0;
    rtl_->penable_i = phase == 2 ? 1 : 0;
    rtl_->pwrite_i = write ? 1 : 0;
    rtl_->pstrb_i = write ? 0xf : 0;
    rtl_->paddr_i = static_cast<SData>(port * QOSARB_PORT_WINDOW_BYTES + word.offset);
    rtl_->pwdata_i = word.value;
  }
  [[nodiscard]] bool refuses() const { return rtl_->pslverr_o != 0; }
  [[nodiscard]] bool interrupts(std::size_t port) const {
    return (rtl_->interrupt_o >> port & 1U) != 0;
  }
  [[nodiscard]] std::uint32_t read_data() const { return rtl_->prdata_o; }

 private:
  struct Lane {
    std::uint64_t link_free = 0;
    bool asked = false;  // in the last cycle
    std::array<std::uint64_t, kQueues> sent{};
    std::array<std::uint64_t, kQueues> last_granted{};
  };

  [[nodiscard]] std::size_t granted_queue(std::size_t port) const {
    return element(rtl_->grant_queue_o, port, 3);
  }

  VerilatedContext context_;
  std::unique_ptr<Vupsets> rtl_;
  std::vector<Register> registers_;
  std::uint64_t cycle_ = 0;
  std::array<Lane, kPorts> lanes_{};
};

struct Tally {
  std::uint64_t upsets = 0;
  std::uint64_t diverged = 0;  ///< something else was granted, or nothing
  std::uint64_t reported = 0;
  std::uint64_t while_written = 0;
  std::uint64_t after_a_reset = 0;  ///< of one port
  std::uint64_t of_others = 0;      ///< diverged at a port whose bit it was not
  std::uint64_t lost = 0;
  std::uint64_t waits = 0;  ///< held against their bound
  std::map<std::string, std::uint64_t> diverged_by_part;
};

/// A configuration that serves every queue and that the build can hold.
ArbiterConfig draw(Random& random, PolicyRef policy) {
  for (;;) {
    ArbiterConfig config = random_strict_config(random, policy, kLimits);
    if (!build_obstacle(config, kLimits)) {
      return config;
    }
  }
}

constexpr std::uint32_t kAllErrors = 0xf;

/// One flipped bit.
class Experiment {
 public:
  /// Of register `number` of those that the chips have.
  Experiment(Random& random, PolicyRef policy, std::size_t number, Chip& right, Chip& flipped,
             Tally& tally)
      : tally_(tally),
        right_(right),
        flipped_(flipped),
        config_(draw(random, policy)),
        traffic_(random.bits(), config_, random.chance(50) || kLate),
        while_written_(random.chance(30)) {
    right_.reset();
    flipped_.reset();
    which_ = flipped_.all_registers().at(number);
    word_ = random.below(which_.words);
    bit_ = random.below(which_.bits);
    writes_ = register_writes(config_, kLimits);
    flip_at_ =
        while_written_ ? random.below(2 * writes_.size() + kLimits.entries + 4) : random.below(150);
    if (kPorts > 1 && random.chance(20)) {
      reset_ = 1U << random.below(kPorts);
    }
  }
  [[nodiscard]] std::string what() const {
    return std::string(config_.policy.name()) + ", " + std::string(which_.name) + "[" +
           std::to_string(word_) + "][" + std::to_string(bit_) + "], " +
           (while_written_ ? "while it is written, " : "in traffic, ") + "cycle " +
           std::to_string(flip_at_);
  }

  void run() {
    ++tally_.upsets;
    tally_.while_written += while_written_ ? 1 : 0;
    tally_.after_a_reset += reset_ != 0 ? 1 : 0;
    armed_ = while_written_;
    program();
    if (!in_force()) {  // a flipped bit spoilt what was to be checked: it is written once more
      ASSERT_TRUE(while_written_);
      comparing_ = false;
      program();
      ASSERT_TRUE(in_force());
    }
    armed_ = true;
    flipped_.forget_waits();
    right_.forget_waits();
    std::uint64_t longest = 0;
    for (std::size_t q = 0; q < queues(); ++q) {
      const ServiceBound bound = guaranteed_service(config_, static_cast<Index>(q));
      if (traffic_.backlogged() && bound.guarantee &&
          bound.guarantee->max_wait_flits <= kLongestWait) {
        bounds_[q] = bound.guarantee->max_wait_flits + config_.max_packet_flits;
        longest = std::max(longest, *bounds_[q]);
      }
    }
    cycles(200);
    const bool diverged = diverged_ != 0;
    if (diverged) {
      ++tally_.diverged;
      ++tally_.diverged_by_part[part()];
      tally_.of_others += which_.port >= 0 && (diverged_ & ~(1U << which_.port)) != 0 ? 1 : 0;
      bounded_ = true;
      cycles(2 * longest + 10);
    }
    bool lost = false;
    bool reported = false;
    for (std::size_t p = 0; p < kPorts; ++p) {
      const bool counted_before = read(QOSARB_PORT_SOFT_ERRORS_OFFSET, p) > 0;
      transfer(true, {QOSARB_PORT_ERROR_ENABLE_OFFSET, kAllErrors}, p);
      const std::uint32_t status = read(QOSARB_PORT_ERROR_STATUS_OFFSET, p);
      const bool told = QOSARB_PORT_ERROR_STATUS_SOFT_ERROR_GET(status) != 0;
      EXPECT_TRUE(!told || which_.port < 0 || std::cmp_equal(p, which_.port)) << "by port " << p;
      reported = reported || told;
      if (part() != "u_errors") {  // a flipped error bit is no error
        EXPECT_TRUE(flipped_.interrupts(p) || status == 0) << "by port " << p;
        EXPECT_TRUE(!flipped_.interrupts(p) || read(QOSARB_PORT_ERROR_STATUS_OFFSET, p) != 0);
        EXPECT_TRUE(told || !counted_before);  // what is found in between is counted behind it
        EXPECT_TRUE(!told || read(QOSARB_PORT_SOFT_ERRORS_OFFSET, p) > 0);
        lost = lost || QOSARB_PORT_ERROR_STATUS_CONFIGURATION_LOST_GET(status) != 0;
      }
    }
    tally_.lost += lost ? 1 : 0;
    tally_.reported += reported ? 1 : 0;
    EXPECT_TRUE(reported || !diverged);
    if (lost) {
      EXPECT_TRUE(while_written_);
      comparing_ = false;
      bounded_ = false;
      // Whatever the policy looks at.
      transfer(true, {QOSARB_PORT_TABLE_ENTRIES_OFFSET, kQueues});
      transfer(true, {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, kLimits.packet_flits});
      transfer(true, {QOSARB_PORT_QUEUES_IN_USE_OFFSET, (1U << kQueues) - 1});
      for (std::uint32_t entry = 0; entry < kLimits.entries; ++entry) {
        transfer(true, {QOSARB_PORT_TABLE_OFFSET(entry), 0});
      }
      transfer(true, {QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET, 1});
      for (std::uint32_t input = 0; input < kQueues / kLimits.vcs; ++input) {
        transfer(true, {QOSARB_PORT_AGE_BIAS_OFFSET(input), 0});
      }
      program();
      EXPECT_TRUE(in_force());
    }
    expect_what_was_written();
  }

 private:
  // The part of the ports whose register it is.
  [[nodiscard]] std::string part() const {
    std::string_view name = which_.name;
    if (name.starts_with("g_port[")) {
      name.remove_prefix(name.find('.') + 1);
    }
    return std::string(name.substr(0, name.find('.')));
  }

  // The right ports and those with the flipped bit, in the same cycles.
  void begin_cycle() {
    const std::uint32_t reset = armed_ && since_ + 1 == flip_at_ ? reset_ : 0;
    right_.reset_ports(reset);
    flipped_.reset_ports(reset);
    const bool flips = armed_ && since_++ == flip_at_;
    if (flips) {
      flipped_.flip(which_, word_, bit_);
    }
    right_.show(traffic_);
    flipped_.show(traffic_);
    if (flips) {
      flipped_.settle();
    }
    // A commit that is refused, as a bit in the shadow may have it, leaves what was in force.
    comparing_ = comparing_ && (flipped_.applies() || !right_.applies());
    for (std::size_t p = 0; p < kPorts; ++p) {
      EXPECT_EQ(right_.fault(p), "");
      EXPECT_EQ(flipped_.fault(p), "");
      if (comparing_ && (diverged_ >> p & 1U) == 0 && flipped_.grant(p) != right_.grant(p)) {
        diverged_ |= 1U << p;
        EXPECT_TRUE(flipped_.grant(p) == 0 || flipped_.found_an_upset())
            << "another queue is granted by port " << p;
      }
      for (std::size_t q = 0; bounded_ && q < queues(); ++q) {
        if (bounds_[q]) {
          EXPECT_LE(flipped_.waited(p, q), 2 * *bounds_[q] + 4) << "port " << p << ", queue " << q;
          ++tally_.waits;
        }
      }
    }
  }
  [[nodiscard]] std::size_t queues() const { return static_cast<std::size_t>(config_.queues); }
  void end_cycle() {
    right_.edge();
    flipped_.edge();
  }
  void cycles(std::uint64_t count) {
    for (; count > 0 && !::testing::Test::HasFailure(); --count) {
      begin_cycle();
      end_cycle();
    }
  }
  // A transfer, which is made once more where it is refused, as only a flipped bit can do.
  std::uint32_t transfer(bool write, const RegisterWrite& word, std::size_t port = 0) {
    for (int tries = 0; tries < 2; ++tries) {
      for (const int phase : {1, 2}) {
        right_.apb(tries == 0 ? phase : 0, write, word, port);
        flipped_.apb(phase, write, word, port);
        begin_cycle();
        if (phase == 1) {
          end_cycle();
        }
      }
      EXPECT_FALSE(right_.refuses());
      const bool refused = flipped_.refuses();
      const std::uint32_t data = flipped_.read_data();
      end_cycle();
      right_.apb(0, false, {});
      flipped_.apb(0, false, {});
      if (!refused) {
        return data;
      }
    }
    ADD_FAILURE() << "refused twice: " << word.offset;
    return 0;
  }
  std::uint32_t read(std::uint32_t offset, std::size_t port = 0) {
    return transfer(false, {offset, 0}, port);
  }
  void program() {
    for (const RegisterWrite& write : writes_) {
      transfer(true, write);
    }
    cycles(kLimits.entries + 4);
  }
  bool in_force() {
    read(QOSARB_PORT_STATUS_OFFSET);  // a read that a flipped bit has spoilt
    return QOSARB_PORT_STATUS_OUTCOME_GET(read(QOSARB_PORT_STATUS_OFFSET)) ==
           QOSARB_PORT_STATUS_OUTCOME_IN_FORCE;
  }
  void expect_what_was_written() {
    std::map<std::uint32_t, std::uint32_t> in_force;
    for (const RegisterWrite& write : writes_) {
      if (write.offset >= QOSARB_PORT_TABLE_OFFSET(0) &&
          write.offset < QOSARB_PORT_TABLE_OFFSET(kLimits.entries)) {
        in_force[write.offset - QOSARB_PORT_TABLE_OFFSET(0) +
                 QOSARB_PORT_TABLE_IN_FORCE_OFFSET(0)] = write.value;
      } else if (write.offset == QOSARB_PORT_POLICY_OFFSET) {
        in_force[QOSARB_PORT_POLICY_IN_FORCE_OFFSET] = write.value;
      } else if (write.offset == QOSARB_PORT_MAX_PACKET_FLITS_OFFSET) {
        in_force[QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET] = write.value;
      } else if (write.offset == QOSARB_PORT_QUEUES_IN_USE_OFFSET) {
        in_force[QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET] = write.value;
      }
    }
    for (const auto& [offset, value] : in_force) {
      EXPECT_EQ(read(offset), value) << std::hex << offset;
    }
  }

  Tally& tally_;
  Chip& right_;
  Chip& flipped_;
  ArbiterConfig config_;
  Traffic traffic_;
  bool while_written_;
  Register which_{};
  std::size_t word_ = 0;
  std::size_t bit_ = 0;
  std::uint64_t flip_at_ = 0;
  std::uint32_t reset_ = 0;  // the port of this bit is reset in the cycle before the flip
  std::vector<RegisterWrite> writes_;
  bool armed_ = false;
  std::uint64_t since_ = 0;
  bool comparing_ = true;
  std::uint32_t diverged_ = 0;  // a bit for each port
  bool bounded_ = false;
  std::array<std::optional<std::uint64_t>, kQueues> bounds_{};
};

TEST(Upsets, LeadToNoWrongGrant) {
  Random random(test_seed());
  Tally tally;
  const auto policies = policies_with_rtl();
  // Never destroyed: Verilator's runtime would wait for itself for ever.
  static Chip& right = *new Chip;
  static Chip& flipped = *new Chip;
  // Each register once, under one policy after the other; in a longer campaign again, under others.
  const std::size_t registers = flipped.all_registers().size();
  const std::uint64_t upsets = from_environment("QOSARB_UPSETS", registers);
  for (std::uint64_t i = 0; i < upsets && !HasFailure(); ++i) {
    const PolicyRef policy = policies[(i + i / registers) % policies.size()]->policy();
    Experiment experiment(random, policy, i % registers, right, flipped, tally);
    SCOPED_TRACE(experiment.what());
    experiment.run();
  }
  std::cout << tally.upsets << " bits flipped, " << tally.while_written
            << " of them while a configuration was written, " << tally.after_a_reset
            << " behind the reset of a port; " << tally.diverged << " changed a grant, "
            << tally.of_others << " of them at another port, too, " << tally.reported
            << " reported, " << tally.lost << " configurations lost, " << tally.waits
            << " waits within their bound\n";
  for (const auto& [part, count] : tally.diverged_by_part) {
    std::cout << "  " << part << ": " << count << " changed a grant\n";
  }
  if (!HasFailure()) {
    EXPECT_GT(tally.diverged, upsets / 50);
    EXPECT_GE(tally.reported, tally.diverged);
    EXPECT_GT(tally.diverged_by_part.size(), 2U);
    EXPECT_GT(tally.waits, upsets);
    EXPECT_EQ(tally.of_others > upsets / 100, kPorts > 1);
  }
}

/// A commit behind another one, with a flipped bit of it.
class FlippedCommit {
 public:
  explicit FlippedCommit(Chip& chip) : chip_(chip) {}

  /// Commits bxi-basic, then bxi-deficit, and flips the bit in cycle `flip_at` of the second one,
  /// whose access phase is cycle 0. Whether that cycle was still one of the commit.
  bool run(const Register& which, std::size_t word, std::size_t bit, int flip_at) {
    chip_.reset();
    transfer(true, QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_BASIC);
    transfer(true, QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1));
    while (QOSARB_PORT_STATUS_PROGRESS_GET(transfer(false, QOSARB_PORT_STATUS_OFFSET)) !=
           QOSARB_PORT_STATUS_PROGRESS_IDLE) {
    }
    EXPECT_EQ(transfer(false, QOSARB_PORT_POLICY_IN_FORCE_OFFSET), QOSARB_PORT_POLICY_BXI_BASIC);
    transfer(true, QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
    applied_ = 0;
    flip_ = [this, &which, word, bit] { chip_.flip(which, word, bit); };
    flip_in_ = flip_at + 2;  // with the setup phase
    transfer(true, QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1));
    const int last = static_cast<int>(kQueues) +
                     1;  // entries after a reset, and the cycle in which it takes effect
    for (int cycle = 1; cycle <= last + 3; ++cycle) {
      this->cycle();
    }
    return flip_at < last;
  }
  /// Cycles in which the second commit was told to take effect.
  [[nodiscard]] int applied() const { return applied_; }

  void cycle() {
    begin();
    chip_.edge();
  }
  /// What a cycle begins with: the bit flips, if it is to, and the inputs are shown.
  void begin() {
    const bool flips = flip_in_ > 0 && --flip_in_ == 0;
    if (flips) {
      flip_();
    }
    chip_.show(traffic_);
    if (flips) {
      chip_.settle();
    }
    applied_ += chip_.applies() ? 1 : 0;
    for (std::size_t p = 0; p < kPorts; ++p) {
      if (const std::uint32_t grant = chip_.grant(p); grant != 0) {
        ++grants_[p][static_cast<std::size_t>(std::countr_zero(grant))];
      }
    }
  }
  /// The bit flips in the `cycles`-th cycle from now, the first being the next one.
  void flip_in(int cycles, const Register& which, std::size_t bit) {
    flip_ = [this, &which, bit] { chip_.flip(which, 0, bit); };
    flip_in_ = cycles;
  }
  /// The fewest grants that a queue of any port gets in so many cycles.
  std::uint64_t fewest_grants(int cycles) {
    grants_ = {};
    for (; cycles > 0; --cycles) {
      cycle();
    }
    std::uint64_t fewest = ~std::uint64_t{0};
    for (const auto& of_a_port : grants_) {
      fewest = std::min(fewest, *std::min_element(of_a_port.begin(), of_a_port.end()));
    }
    return fewest;
  }

  std::uint32_t transfer(bool write, std::uint32_t offset, std::uint32_t value = 0,
                         std::size_t port = 0) {
    chip_.apb(1, write, {offset, value}, port);
    cycle();
    chip_.apb(2, write, {offset, value}, port);
    begin();
    EXPECT_FALSE(chip_.refuses());
    const std::uint32_t data = chip_.read_data();
    chip_.edge();
    chip_.apb(0, false, {});
    return data;
  }

 private:
  Chip& chip_;
  ArbiterConfig config_{.queues = kQueues, .max_packet_flits = kLimits.packet_flits};
  Traffic traffic_{1, config_, true};
  std::function<void()> flip_;
  int flip_in_ = 0;
  int applied_ = 0;
  std::array<std::array<std::uint64_t, kQueues>, kPorts> grants_{};
};

// Each register of both copies of a commit but what STATUS alone reads, and each cycle of it: it
// takes effect or not, and whoever looks at table_applied_o or at STATUS is told which. All ports
// tell the upset.
TEST(Upsets, ACommitSaysWhetherItTookEffect) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit commit(chip);
  int refused = 0;
  int in_force = 0;
  for (const Register& which : chip.all_registers()) {
    const bool of_a_commit = which.name.starts_with("u_commit.") ||
                             which.name.find("u_second_commit.") != std::string_view::npos;
    if (!of_a_commit || which.name.ends_with("outcome_q") || which.name.ends_with("reason_q") ||
        which.name.ends_with("where_q")) {
      continue;
    }
    for (std::size_t bit = 0; bit < which.words * which.bits && !HasFailure(); ++bit) {
      bool of_it = true;
      for (int flip_at = 0; of_it; ++flip_at) {
        SCOPED_TRACE(std::string(which.name) + ", bit " + std::to_string(bit) + ", cycle " +
                     std::to_string(flip_at));
        of_it = commit.run(which, bit / which.bits, bit % which.bits, flip_at);
        const bool takes_effect = commit.transfer(false, QOSARB_PORT_POLICY_IN_FORCE_OFFSET) ==
                                  QOSARB_PORT_POLICY_BXI_DEFICIT;
        const std::uint32_t status = commit.transfer(false, QOSARB_PORT_STATUS_OFFSET);
        EXPECT_EQ(commit.applied(), takes_effect ? 1 : 0);
        EXPECT_EQ(QOSARB_PORT_STATUS_OUTCOME_GET(status), takes_effect
                                                              ? QOSARB_PORT_STATUS_OUTCOME_IN_FORCE
                                                              : QOSARB_PORT_STATUS_OUTCOME_REFUSED);
        EXPECT_EQ(
            QOSARB_PORT_STATUS_REASON_GET(status),
            takes_effect ? QOSARB_PORT_STATUS_REASON_NONE : QOSARB_PORT_STATUS_REASON_SOFT_ERROR);
        for (std::size_t p = 0; p < kPorts; ++p) {
          EXPECT_EQ(commit.transfer(false, QOSARB_PORT_SOFT_ERRORS_OFFSET, 0, p), 1U);
        }
        ++(takes_effect ? in_force : refused);
      }
    }
  }
  std::cout << refused << " commits refused, " << in_force << " in force\n";
  // Of each copy 2 bits of its progress, 4 of an index, one of each of 10 entries and 8 queues, 3
  // and 6 of an entry; in the cycle of the access, in 8 of the check and in the last one.
  EXPECT_EQ(refused + in_force, 2 * (2 + 4 + 10 + 8 + 3 + 6) * 10);
}

// A bit of the shadow flips in a cycle of the check, which ends all the same.
TEST(Upsets, ACheckEndsWhicheverBitOfTheShadowFlips) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit commit(chip);
  int bits = 0;
  for (const Register& which : chip.all_registers()) {
    if (!which.name.starts_with("u_configuration.shadow_")) {
      continue;
    }
    for (std::size_t bit = 0; bit < which.bits && !HasFailure(); ++bit, ++bits) {
      bool of_it = true;
      for (int flip_at = 0; of_it; ++flip_at) {
        SCOPED_TRACE(std::string(which.name) + ", bit " + std::to_string(bit) + ", cycle " +
                     std::to_string(flip_at));
        of_it = commit.run(which, 0, bit, flip_at);
        for (std::size_t cycle = 0; cycle < 2 * kLimits.entries; ++cycle) {
          commit.cycle();
        }
        EXPECT_EQ(
            QOSARB_PORT_STATUS_PROGRESS_GET(commit.transfer(false, QOSARB_PORT_STATUS_OFFSET)),
            QOSARB_PORT_STATUS_PROGRESS_IDLE);
      }
    }
  }
  std::cout << bits << " bits\n";
  EXPECT_EQ(bits, 4 + 4 + 5 + 8);  // policy, depth, longest packet, queues in use
}

// A bit of what is programmed for the age clock flips in the shadow of one copy: the commit brings
// it into force, where the copies differ for good. The port falls back and serves all queues by
// round robin, and finds nothing more; the configuration comes into force again when it is written,
// with those registers.
TEST(Upsets, AShadowOfTheAgeClockThatDiffersIsLostOnce) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit commit(chip);
  const int round = static_cast<int>(kQueues * kLimits.packet_flits);
  int lost = 0;
  int bits = 0;
  for (const Register& which : chip.all_registers()) {
    if (which.name.find("g_seastar_age.u_slot.shadow_q") == std::string_view::npos) {
      continue;
    }
    for (std::size_t bit = 0; bit < which.words * which.bits && !HasFailure(); ++bit, ++bits) {
      SCOPED_TRACE(std::string(which.name) + ", bit " + std::to_string(bit));
      commit.run(which, bit / which.bits, bit % which.bits, 0);
      commit.fewest_grants(10);  // until it is found
      const auto read = [&commit](std::uint32_t offset) { return commit.transfer(false, offset); };
      const std::uint32_t errors = read(QOSARB_PORT_SOFT_ERRORS_OFFSET);
      const bool fell_back = QOSARB_PORT_ERROR_STATUS_CONFIGURATION_LOST_GET(
                                 read(QOSARB_PORT_ERROR_STATUS_OFFSET)) != 0;
      lost += fell_back ? 1 : 0;
      EXPECT_EQ(read(QOSARB_PORT_POLICY_IN_FORCE_OFFSET),
                fell_back ? QOSARB_PORT_POLICY_RR : QOSARB_PORT_POLICY_BXI_DEFICIT);
      EXPECT_GE(commit.fewest_grants(4 * round), 2U);
      EXPECT_EQ(read(QOSARB_PORT_SOFT_ERRORS_OFFSET), errors);

      commit.transfer(true, QOSARB_PORT_ERROR_CLEAR_OFFSET, 0xf);
      commit.transfer(true, QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET, 1);
      for (std::uint32_t input = 0; input < kQueues / kLimits.vcs; ++input) {
        commit.transfer(true, QOSARB_PORT_AGE_BIAS_OFFSET(input), 0);
      }
      commit.transfer(true, QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1));
      EXPECT_GE(commit.fewest_grants(4 * round), 2U);
      EXPECT_EQ(read(QOSARB_PORT_ERROR_STATUS_OFFSET), 0U);
      EXPECT_EQ(read(QOSARB_PORT_POLICY_IN_FORCE_OFFSET), QOSARB_PORT_POLICY_BXI_DEFICIT);
    }
  }
  std::cout << bits << " bits, " << lost << " configurations lost\n";
  // Of each copy 64 bits of the grants by age, which matter only to seastar-age, 32 of the period,
  // and six of each input.
  EXPECT_EQ(bits, 2 * (64 + 32 + 6 * 2));
  EXPECT_EQ(lost, 2 * (32 + 6 * 2));
}

// What CONTROL says stands whichever bit of it flips: a port that is flushed grants nothing and
// goes on dropping, one that is in service drops nothing, asks for no reset, and misses one grant
// at most.
TEST(Upsets, ControlStands) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit bench(chip);
  int bits = 0;
  for (const Register& which : chip.all_registers()) {
    if (which.name.find(".u_control.") == std::string_view::npos ||
        which.name.ends_with("had_head_q")) {
      continue;
    }
    const auto port = static_cast<std::size_t>(which.port);
    for (std::size_t bit = 0; bit < which.bits && !HasFailure(); ++bit, ++bits) {
      for (const bool flush : {true, false}) {
        SCOPED_TRACE(std::string(which.name) + ", bit " + std::to_string(bit) +
                     (flush ? ", flushed" : ", in service"));
        const std::uint32_t control =
            flush ? QOSARB_PORT_CONTROL_FLUSH_PUT(1) | QOSARB_PORT_CONTROL_DRAIN_PUT(1) : 0;
        chip.reset();
        bench.transfer(true, QOSARB_PORT_CONTROL_OFFSET, control, port);
        for (int cycle = 0; cycle < 4; ++cycle) {
          bench.cycle();
        }
        for (int cycle = 0; cycle < 20; ++cycle) {
          if (cycle == 1) {
            bench.flip_in(1, which, bit);
          }
          bench.begin();
          EXPECT_EQ(chip.drop(port), flush ? 1U : 0U) << cycle;
          EXPECT_EQ(chip.drains(port), flush) << cycle;
          EXPECT_FALSE(chip.asks_for_a_reset(port)) << cycle;
          EXPECT_EQ(chip.fault(port), "");
          EXPECT_TRUE(!flush || chip.grant(port) == 0) << cycle;
          chip.edge();
        }
        EXPECT_EQ(bench.transfer(false, QOSARB_PORT_CONTROL_OFFSET, 0, port), control);
        for (std::size_t other = 0; other < kPorts; ++other) {
          if (other != port) {
            bench.transfer(true, QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1, other);
          }
        }
        EXPECT_EQ(bench.transfer(false, QOSARB_PORT_SOFT_ERRORS_OFFSET, 0, port), 1U);
        const int round = static_cast<int>(kQueues * kLimits.packet_flits);
        EXPECT_TRUE(flush || bench.fewest_grants(2 * round) > 0);
      }
    }
  }
  std::cout << bits << " bits\n";
  // Six of each of three copies, and two of what is held.
  EXPECT_EQ(bits, (3 * 6 + 2) * kPorts);
}

// Either copy of what the setup phase of a write has left flips before its access phase: one that
// is refused writes nothing, and whoever writes is told whether it was.
TEST(Upsets, ARefusedWriteStaysRefused) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit bench(chip);
  constexpr std::uint32_t kOne = QOSARB_PORT_POLICY_BXI_BASIC;
  constexpr std::uint32_t kNone = 15;
  int copies = 0;
  for (const Register& which : chip.all_registers()) {
    if (which.name != "u_registers.error_q" && !which.name.starts_with("u_registers.g_protect.")) {
      continue;
    }
    ++copies;
    for (const std::uint32_t policy : {kOne, kNone}) {
      SCOPED_TRACE(std::string(which.name) + ", policy " + std::to_string(policy));
      chip.reset();
      chip.apb(1, true, {QOSARB_PORT_POLICY_OFFSET, policy});
      bench.cycle();
      chip.apb(2, true, {QOSARB_PORT_POLICY_OFFSET, policy});
      bench.flip_in(1, which, 0);
      bench.begin();
      const bool refused = chip.refuses();
      chip.edge();
      chip.apb(0, false, {});
      EXPECT_TRUE(refused || policy == kOne);
      EXPECT_EQ(bench.transfer(false, QOSARB_PORT_POLICY_OFFSET), refused ? 0U : policy);
    }
  }
  EXPECT_EQ(copies, 2);
}

// Each bit of what all policies share of the configuration in force is found and repaired when it
// flips.
TEST(Upsets, EachBitInForceIsRepaired) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit bench(chip);
  int bits = 0;
  for (const Register& which : chip.all_registers()) {
    if (!which.name.starts_with("u_configuration.") ||
        which.name.find("shadow") != std::string_view::npos) {
      continue;
    }
    const auto* const data = static_cast<const std::uint8_t*>(which.data);
    for (std::size_t bit = 0; bit < which.bits && !HasFailure(); ++bit, ++bits) {
      SCOPED_TRACE(std::string(which.name) + ", bit " + std::to_string(bit));
      chip.reset();
      bench.cycle();
      const std::vector<std::uint8_t> right(data, data + which.bytes);
      bench.flip_in(1, which, bit);
      bench.cycle();
      EXPECT_TRUE(std::equal(right.begin(), right.end(), data));
      for (std::size_t p = 0; p < kPorts; ++p) {
        EXPECT_EQ(bench.transfer(false, QOSARB_PORT_SOFT_ERRORS_OFFSET, 0, p), 1U);
      }
    }
  }
  std::cout << bits << " bits\n";
  // Policy, depth, longest packet and queues in use; of ten entries whether it is used, its queue
  // and its quantum; parity of entries and fields.
  EXPECT_EQ(bits, 4 + 4 + 5 + 8 + 10 * (1 + 3 + 6) + 10 + 4);
}

// What is in force is repaired from a shadow that is what was committed, unless an upset comes back
// within 255 cycles; else it is lost. A write in the cycle of a repair comes too late for that one,
// and has to be committed before the next.
TEST(Upsets, OnlyWhatWasCommittedComesIntoForceOnceMore) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit bench(chip);
  const auto which = std::find_if(
      chip.all_registers().begin(), chip.all_registers().end(),
      [](const Register& one) { return one.name == "u_configuration.max_packet_flits_q"; });
  ASSERT_NE(which, chip.all_registers().end());
  const auto flip_behind = [&](int cycles) {
    for (; cycles > 0; --cycles) {
      bench.cycle();
    }
    bench.flip_in(1, *which, 0);
  };
  const auto expect_in_force = [&](bool lost) {
    EXPECT_EQ(bench.transfer(false, QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET),
              kLimits.packet_flits);
    for (std::size_t p = 0; p < kPorts; ++p) {  // told by all
      EXPECT_EQ(QOSARB_PORT_ERROR_STATUS_CONFIGURATION_LOST_GET(
                    bench.transfer(false, QOSARB_PORT_ERROR_STATUS_OFFSET, 0, p)),
                lost ? 1U : 0U)
          << "port " << p;
    }
  };
  for (const int apart : {1, 200, 255, 256, 300}) {
    SCOPED_TRACE(apart);
    chip.reset();
    flip_behind(10);
    flip_behind(apart);
    bench.cycle();
    expect_in_force(apart <= 255);
  }

  constexpr std::uint32_t kOther = 5;
  chip.reset();
  chip.apb(1, true, {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, kOther});
  bench.cycle();
  chip.apb(2, true, {QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, kOther});
  flip_behind(0);
  bench.cycle();
  chip.apb(0, false, {});
  expect_in_force(false);
  for (int again = 0; again < 2; ++again) {
    flip_behind(300);
    bench.cycle();
    expect_in_force(true);
    for (std::size_t p = 0; p < kPorts; ++p) {
      bench.transfer(true, QOSARB_PORT_ERROR_CLEAR_OFFSET, kAllErrors, p);
    }
  }
  EXPECT_EQ(bench.transfer(false, QOSARB_PORT_MAX_PACKET_FLITS_OFFSET), kOther);
}

// What is lost is followed by what a reset brings, all of it, and that stands.
TEST(Upsets, ALostConfigurationIsThatOfAReset) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit bench(chip);
  const auto in_force = [&bench] {
    std::vector<std::uint32_t> values;
    for (const std::uint32_t offset :
         {QOSARB_PORT_POLICY_IN_FORCE_OFFSET, QOSARB_PORT_TABLE_ENTRIES_IN_FORCE_OFFSET,
          QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET,
          QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET}) {
      values.push_back(bench.transfer(false, offset));
    }
    for (std::uint32_t entry = 0; entry < kLimits.entries; ++entry) {
      values.push_back(bench.transfer(false, QOSARB_PORT_TABLE_IN_FORCE_OFFSET(entry)));
    }
    return values;
  };
  const auto which = std::find_if(
      chip.all_registers().begin(), chip.all_registers().end(),
      [](const Register& one) { return one.name == "u_configuration.entry_quantum_q"; });
  ASSERT_NE(which, chip.all_registers().end());
  chip.reset();
  const std::vector<std::uint32_t> of_a_reset = in_force();
  constexpr std::uint32_t kQueue = 7;
  bench.transfer(true, QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_BASIC);
  bench.transfer(true, QOSARB_PORT_TABLE_ENTRIES_OFFSET, 1);
  bench.transfer(true, QOSARB_PORT_QUEUES_IN_USE_OFFSET, 1U << kQueue);
  for (std::uint32_t entry = 0; entry < kLimits.entries; ++entry) {
    bench.transfer(true, QOSARB_PORT_TABLE_OFFSET(entry),
                   QOSARB_PORT_TABLE_QUEUE_ID_PUT(kQueue) | QOSARB_PORT_TABLE_QUANTUM_PUT(31));
  }
  bench.transfer(true, QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1));
  for (int cycle = 0; cycle < 4; ++cycle) {
    bench.cycle();
  }
  ASSERT_EQ(bench.transfer(false, QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET), 1U << kQueue);
  bench.transfer(true, QOSARB_PORT_TABLE_ENTRIES_OFFSET, 2);
  bench.flip_in(1, *which, 0);
  bench.cycle();
  EXPECT_EQ(in_force(), of_a_reset);
  EXPECT_GE(bench.fewest_grants(4 * static_cast<int>(kQueues * kLimits.packet_flits)), 2U);
  EXPECT_EQ(bench.transfer(false, QOSARB_PORT_SOFT_ERRORS_OFFSET), 1U);
}

// An upset that is found in the cycle of COUNTER_CLEAR is counted behind it, as one that is found
// in that of ERROR_CLEAR stays in ERROR_STATUS.
TEST(Upsets, OneInTheCycleOfAClearIsCounted) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  FlippedCommit bench(chip);
  const auto which = std::find_if(
      chip.all_registers().begin(), chip.all_registers().end(),
      [](const Register& one) { return one.name.find(".u_control.") != std::string_view::npos; });
  ASSERT_NE(which, chip.all_registers().end());
  const auto port = static_cast<std::size_t>(which->port);
  const auto left_by = [&](int flip_in, std::uint32_t clear, std::uint32_t value,
                           std::uint32_t offset) {
    chip.reset();
    bench.flip_in(flip_in, *which, 0);
    bench.transfer(true, clear, value, port);
    for (int cycle = 0; cycle < 6; ++cycle) {
      bench.cycle();
    }
    return bench.transfer(false, offset, 0, port);
  };
  int behind = 0;
  for (int flip_in = 1; flip_in <= 5; ++flip_in) {
    SCOPED_TRACE(flip_in);
    const bool stays =
        QOSARB_PORT_ERROR_STATUS_SOFT_ERROR_GET(left_by(flip_in, QOSARB_PORT_ERROR_CLEAR_OFFSET,
                                                        0xf, QOSARB_PORT_ERROR_STATUS_OFFSET)) != 0;
    EXPECT_EQ(left_by(flip_in, QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1, QOSARB_PORT_SOFT_ERRORS_OFFSET),
              stays ? 1U : 0U);
    behind += stays ? 1 : 0;
  }
  EXPECT_GT(behind, 0);
  EXPECT_LT(behind, 5);
}

// Bits flip while nothing waits and the clock stands whenever it may: what the ports tell the chip
// is soon right again.
TEST(Upsets, AStandingClockHidesNone) {
  static Chip& chip = *new Chip;  // never destroyed, as above
  const auto cycles = [](std::uint32_t count) {
    for (; count > 0; --count) {
      chip.show_nothing();
      chip.edge();
    }
  };
  const auto come_to_rest = [&] {
    chip.reset();
    for (const RegisterWrite& write : std::array<RegisterWrite, 3>{
             {{QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_SEASTAR_AGE},
              {QOSARB_PORT_AGE_CLOCK_PERIOD_OFFSET, 1000},
              {QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1)}}}) {
      for (const int phase : {1, 2}) {
        chip.apb(phase, true, write);
        cycles(1);
      }
      chip.apb(0, false, {});
    }
    cycles(kLimits.entries + 4);
    chip.show_nothing();
    EXPECT_TRUE(chip.may_stand());
    return chip.told();
  };
  const auto right = come_to_rest();
  EXPECT_EQ(right[4], 1000U);
  int bits = 0;
  int seen = 0;
  int clocked = 0;
  for (const Register& which : chip.all_registers()) {
    for (std::size_t bit = 0; which.words == 1 && bit < which.bits && !HasFailure(); ++bit) {
      SCOPED_TRACE(std::string(which.name) + ", bit " + std::to_string(bit));
      come_to_rest();
      chip.flip(which, 0, bit);
      chip.show_nothing();
      chip.settle();
      seen += chip.told() != right ? 1 : 0;
      clocked += chip.may_stand() ? 0 : 1;
      for (int cycle = 0; cycle < 8; ++cycle) {
        if (!chip.may_stand()) {
          chip.edge();
        }
        chip.show_nothing();
      }
      EXPECT_EQ(chip.told(), right);
      ++bits;
    }
  }
  std::cout << bits << " bits, " << clocked << " of them started the clock, " << seen
            << " were told to the chip\n";
  EXPECT_GT(seen, 30);
  EXPECT_GT(clocked, seen);
}

}  // namespace
}  // namespace qosarb::test
