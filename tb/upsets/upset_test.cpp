// A port with Protect in which bits flip, beside one in which none does.
//
// Under every policy, in traffic and while a configuration is written: a grant is one-hot and goes
// to an active queue, it is the one that the other port makes until an upset is found, in whose
// cycle nothing is granted, and no queue then waits longer than two of its bounds.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_UPSETS=n flips more bits or fewer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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
constexpr std::size_t kQueues = 8;
constexpr unsigned kFlitsBits = 5;
constexpr RtlLimits kLimits = {.queues = 8,
                               .entries = 10,
                               .quantum_bits = 6,
                               .packet_flits = 21,
                               .policies = QOSARB_ALL_POLICIES,
                               .vcs = 4};

/// What is shown to a port: which packet of a queue has which length does not depend on when it is
/// sent, and the other inputs do not depend on what is sent.
class Traffic {
 public:
  Traffic(std::uint64_t seed, const ArbiterConfig& config, bool backlogged)
      : seed_(seed), config_(config), backlogged_(backlogged) {}

  [[nodiscard]] std::uint32_t flits(std::size_t queue, std::uint64_t number) const {
    return 1 + static_cast<std::uint32_t>(drawn(queue, number) % longest(queue));
  }
  [[nodiscard]] std::uint32_t valid(std::uint64_t cycle) const {
    const std::uint32_t all = (1U << static_cast<unsigned>(config_.queues)) - 1;
    return backlogged_ ? all : static_cast<std::uint32_t>(drawn(100, cycle)) & all;
  }
  [[nodiscard]] std::uint32_t stopped(std::uint64_t cycle) const {
    return backlogged_ ? 0
                       : static_cast<std::uint32_t>(drawn(101, cycle) & drawn(102, cycle)) & 0xff;
  }
  [[nodiscard]] std::uint64_t drawn(std::uint64_t kind, std::uint64_t number) const {
    return Random(seed_, kind, number).bits();
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

/// A port, its queues and its link.
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
      rtl_->eval();
    }
    cycle_ = 0;
    link_free_ = 0;
    sent_ = {};
    last_granted_ = {};
  }

  [[nodiscard]] const std::vector<Register>& all_registers() const { return registers_; }
  void flip(const Register& which, std::size_t word, std::size_t bit) {
    static_assert(std::endian::native == std::endian::little);
    auto* const byte = static_cast<std::uint8_t*>(which.data) + word * which.bytes + bit / 8;
    *byte = static_cast<std::uint8_t>(*byte ^ (1U << (bit % 8)));
  }
  /// What SOFT_ERRORS reads as: after an upset that was found the arbiter has started over.
  [[nodiscard]] std::uint32_t soft_errors() const {
    return rtl_->rootp
        ->qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_errors__DOT__soft_errors_q;
  }
  /// What depends on registers alone follows a flipped one.
  void settle() { Vupsets___024root___eval_settle(rtl_->rootp); }

  /// The inputs of a cycle, without its end. Where it goes wrong it says so.
  void show(const Traffic& traffic) {
    std::uint32_t valid = traffic.valid(cycle_);
    rtl_->valid_i = static_cast<CData>(valid);
    rtl_->pfc_stop_i = static_cast<CData>(traffic.stopped(cycle_));
    rtl_->request_i = cycle_ >= link_free_ ? 1 : 0;
    for (std::size_t q = 0; q < kQueues; ++q) {
      set_element(rtl_->flits_i, q, kFlitsBits, traffic.flits(q, sent_[q]));
      set_element(rtl_->age_field_i, q, 9, traffic.drawn(q, ~sent_[q]));
    }
    rtl_->age_in_epoch_i = 0;
    rtl_->age_timestamp_i = 0;
    rtl_->age_epoch_i = 0;
    rtl_->age_inhibit_i = 0;
    rtl_->eval();
  }
  [[nodiscard]] std::uint32_t grant() const { return rtl_->grant_o; }
  /// What is wrong about the grant of this cycle by itself; empty if nothing is.
  [[nodiscard]] std::string fault() const {
    const std::uint32_t grant = rtl_->grant_o;
    const std::uint32_t active = rtl_->valid_i & ~std::uint32_t{rtl_->pfc_stop_i};
    if ((grant & (grant - 1)) != 0) {
      return "two queues are granted";
    }
    if ((grant & ~active) != 0) {
      return "a queue without a head, or stopped, is granted";
    }
    if ((rtl_->grant_valid_o != 0) != (grant != 0)) {
      return "grant_valid_o is not grant_o";
    }
    if (grant != 0 && rtl_->grant_queue_o != std::countr_zero(grant)) {
      return "grant_queue_o is not grant_o";
    }
    if (grant != 0 && rtl_->request_i == 0) {
      return "nobody asked";
    }
    return {};
  }
  /// Cycles that the queue has waited with the last packet that it shows, this one included.
  [[nodiscard]] std::uint64_t waited(std::size_t queue) const {
    return cycle_ - last_granted_[queue];
  }
  void edge() {
    if (rtl_->grant_o != 0 && fault().empty()) {
      const auto queue = static_cast<std::size_t>(rtl_->grant_queue_o);
      link_free_ = cycle_ + field(rtl_->flits_i, queue * kFlitsBits, kFlitsBits);
      ++sent_[queue];
      last_granted_[queue] = cycle_;
    }
    rtl_->clk_i = 1;
    rtl_->eval();
    rtl_->clk_i = 0;
    rtl_->eval();
    ++cycle_;
  }
  void forget_waits() { last_granted_.fill(cycle_); }

  /// The pins of a transfer: 0 none, 1 its setup phase, 2 its access phase.
  void apb(int phase, bool write, const RegisterWrite& word) {
    rtl_->psel_i = phase != 0 ? 1 : 0;
    rtl_->penable_i = phase == 2 ? 1 : 0;
    rtl_->pwrite_i = write ? 1 : 0;
    rtl_->pstrb_i = write ? 0xf : 0;
    rtl_->paddr_i = static_cast<SData>(word.offset);
    rtl_->pwdata_i = word.value;
  }
  [[nodiscard]] bool refuses() const { return rtl_->pslverr_o != 0; }
  [[nodiscard]] std::uint32_t read_data() const { return rtl_->prdata_o; }

 private:
  VerilatedContext context_;
  std::unique_ptr<Vupsets> rtl_;
  std::vector<Register> registers_;
  std::uint64_t cycle_ = 0;
  std::uint64_t link_free_ = 0;
  std::array<std::uint64_t, kQueues> sent_{};
  std::array<std::uint64_t, kQueues> last_granted_{};
};

struct Tally {
  std::uint64_t upsets = 0;
  std::uint64_t diverged = 0;  ///< something else was granted, or nothing
  std::uint64_t reported = 0;
  std::uint64_t while_written = 0;
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

/// One flipped bit.
class Experiment {
 public:
  Experiment(Random& random, PolicyRef policy, Chip& right, Chip& flipped, Tally& tally)
      : tally_(tally),
        right_(right),
        flipped_(flipped),
        config_(draw(random, policy)),
        traffic_(random.bits(), config_, random.chance(50)),
        while_written_(random.chance(30)) {
    right_.reset();
    flipped_.reset();
    const auto& all = flipped_.all_registers();
    which_ = all[random.below(all.size())];
    word_ = random.below(which_.words);
    bit_ = random.below(which_.bits);
    writes_ = register_writes(config_, kLimits);
    flip_at_ =
        while_written_ ? random.below(2 * writes_.size() + kLimits.entries + 4) : random.below(150);
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
      if (traffic_.backlogged() && bound.guarantee) {
        bounds_[q] = bound.guarantee->max_wait_flits + config_.max_packet_flits;
        longest = std::max(longest, *bounds_[q]);
      }
    }
    cycles(200);
    if (diverged_) {
      ++tally_.diverged;
      ++tally_.diverged_by_part[std::string(which_.name.substr(0, which_.name.find('.')))];
      bounded_ = true;
      cycles(2 * longest + 10);
    }
    const std::uint32_t status = read(QOSARB_PORT_ERROR_STATUS_OFFSET);
    // A flipped error bit is no error.
    const bool lost = !which_.name.starts_with("u_errors.") &&
                      QOSARB_PORT_ERROR_STATUS_CONFIGURATION_LOST_GET(status) != 0;
    const bool reported = QOSARB_PORT_ERROR_STATUS_SOFT_ERROR_GET(status) != 0;
    tally_.lost += lost ? 1 : 0;
    tally_.reported += reported ? 1 : 0;
    if (diverged_) {
      EXPECT_TRUE(reported);
      EXPECT_GT(read(QOSARB_PORT_SOFT_ERRORS_OFFSET), 0U);
    }
    if (lost) {
      EXPECT_TRUE(while_written_);
      comparing_ = false;
      bounded_ = false;
      program();
      EXPECT_TRUE(in_force());
    }
    expect_what_was_written();
  }

 private:
  // Both ports, in the same cycles.
  void begin_cycle() {
    const bool flips = armed_ && since_++ == flip_at_;
    if (flips) {
      flipped_.flip(which_, word_, bit_);
    }
    right_.show(traffic_);
    flipped_.show(traffic_);
    if (flips) {
      flipped_.settle();
    }
    EXPECT_EQ(right_.fault(), "");
    EXPECT_EQ(flipped_.fault(), "");
    if (comparing_ && !diverged_ && flipped_.grant() != right_.grant()) {
      diverged_ = true;
      EXPECT_TRUE(flipped_.grant() == 0 || flipped_.soft_errors() > 0)
          << "another queue is granted";
    }
    for (std::size_t q = 0; bounded_ && q < queues(); ++q) {
      if (bounds_[q]) {
        EXPECT_LE(flipped_.waited(q), 2 * *bounds_[q] + 4) << "queue " << q;
        ++tally_.waits;
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
  // A transfer, which is made once more if it is refused, as only a flipped bit can do.
  std::uint32_t transfer(bool write, const RegisterWrite& word) {
    for (int tries = 0; tries < 2; ++tries) {
      for (const int phase : {1, 2}) {
        right_.apb(phase, write, word);
        flipped_.apb(phase, write, word);
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
  std::uint32_t read(std::uint32_t offset) { return transfer(false, {offset, 0}); }
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
  std::vector<RegisterWrite> writes_;
  bool armed_ = false;
  std::uint64_t since_ = 0;
  bool comparing_ = true;
  bool diverged_ = false;
  bool bounded_ = false;
  std::array<std::optional<std::uint64_t>, kQueues> bounds_{};
};

TEST(Upsets, LeadToNoWrongGrant) {
  Random random(test_seed());
  const std::uint64_t upsets = from_environment("QOSARB_UPSETS", 600);
  Tally tally;
  const auto policies = policies_with_rtl();
  // Never destroyed: Verilator's runtime would wait for itself for ever.
  static Chip& right = *new Chip;
  static Chip& flipped = *new Chip;
  for (std::uint64_t i = 0; i < upsets && !HasFailure(); ++i) {
    Experiment experiment(random, policies[i % policies.size()]->policy(), right, flipped, tally);
    SCOPED_TRACE(experiment.what());
    experiment.run();
  }
  std::cout << tally.upsets << " bits flipped, " << tally.while_written
            << " of them while a configuration was written; " << tally.diverged
            << " changed a grant, " << tally.reported << " reported, " << tally.lost
            << " configurations lost, " << tally.waits << " waits within their bound\n";
  for (const auto& [part, count] : tally.diverged_by_part) {
    std::cout << "  " << part << ": " << count << " changed a grant\n";
  }
  if (!HasFailure()) {
    EXPECT_GT(tally.diverged, upsets / 50);
    EXPECT_GE(tally.reported, tally.diverged);
    EXPECT_GT(tally.diverged_by_part.size(), 2U);
    EXPECT_GT(tally.waits, upsets);
  }
}

}  // namespace
}  // namespace qosarb::test
