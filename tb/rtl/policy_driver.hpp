// A port of any build behind its bus, for tests of what a policy's registers take and its commits
// refuse.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <ios>
#include <memory>
#include <stdexcept>
#include <vector>

#include "cosim/port_model.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb::test {

inline const PortBuild& build_with(std::uint32_t policy) {
  for (const PortBuild& build : port_builds()) {
    if ((build.limits.policies >> policy & 1U) != 0) {
      return build;
    }
  }
  throw std::logic_error("no build has the policy");
}

// Speaks APB with a port of any build.
class Driver {
 public:
  explicit Driver(std::uint32_t policy) : build_(build_with(policy)) {
    context_.threads(1);
    std::array<const char*, 1> arguments = {"test"};
    context_.commandArgs(count(arguments), arguments.data());
    port_ = build_.make(context_, "port");
    for (const auto reset : std::array<CData, 3>{1, 0, 1}) {
      pins().rst_ni = reset;
      port_->show();
    }
  }

  [[nodiscard]] const PortModel::Pins& pins() const { return port_->pins(); }
  [[nodiscard]] PortModel& port() { return *port_; }
  [[nodiscard]] const RtlLimits& limits() const { return build_.limits; }

  void clock(int cycles = 1) {
    for (int i = 0; i < cycles; ++i) {
      port_->show();
      port_->clock();
    }
  }

  struct Answer {
    bool error;
    std::uint32_t data;
  };
  Answer transfer(bool write, std::uint32_t offset, std::uint32_t value) {
    pins().psel_i = 1;
    pins().penable_i = 0;
    pins().pwrite_i = write ? 1 : 0;
    pins().pstrb_i = write ? 0xf : 0;
    pins().paddr_i = static_cast<SData>(offset);
    pins().pwdata_i = value;
    clock();
    pins().penable_i = 1;
    port_->show();
    const Answer answer{pins().pslverr_o != 0, pins().prdata_o};
    clock();
    pins().psel_i = 0;
    pins().penable_i = 0;
    return answer;
  }
  bool write(std::uint32_t offset, std::uint32_t value) {
    return !transfer(true, offset, value).error;
  }
  std::uint32_t read(std::uint32_t offset) {
    const Answer answer = transfer(false, offset, 0);
    EXPECT_FALSE(answer.error) << std::hex << offset;
    return answer.data;
  }
  bool exists(std::uint32_t offset) { return !transfer(false, offset, 0).error; }

  struct Outcome {
    std::uint32_t outcome;
    std::uint32_t reason;
    std::uint32_t where;

    friend bool operator==(const Outcome&, const Outcome&) = default;
  };
  Outcome commit(std::uint32_t policy) {
    EXPECT_TRUE(write(QOSARB_PORT_POLICY_OFFSET, policy));
    EXPECT_TRUE(write(QOSARB_PORT_COMMIT_OFFSET, 1));
    clock(static_cast<int>(limits().entries) + 4);
    const std::uint32_t status = read(QOSARB_PORT_STATUS_OFFSET);
    return {QOSARB_PORT_STATUS_OUTCOME_GET(status), QOSARB_PORT_STATUS_REASON_GET(status),
            QOSARB_PORT_STATUS_WHERE_GET(status)};
  }

 private:
  const PortBuild& build_;
  VerilatedContext context_;
  std::unique_ptr<PortModel> port_;
};

inline constexpr Driver::Outcome kInForce = {QOSARB_PORT_STATUS_OUTCOME_IN_FORCE,
                                             QOSARB_PORT_STATUS_REASON_NONE, 0};

inline Driver::Outcome refused(std::uint32_t reason, std::uint32_t where) {
  return {QOSARB_PORT_STATUS_OUTCOME_REFUSED, reason, where};
}

// A register holds the first value, takes the good ones, and keeps them when it refuses the bad
// ones.
inline void expect_register(Driver& driver, std::uint32_t offset, std::uint32_t reset,
                            const std::vector<std::uint32_t>& good,
                            const std::vector<std::uint32_t>& bad) {
  SCOPED_TRACE(::testing::Message() << "offset 0x" << std::hex << offset);
  EXPECT_EQ(driver.read(offset), reset);
  for (const std::uint32_t value : good) {
    EXPECT_TRUE(driver.write(offset, value)) << value;
    EXPECT_EQ(driver.read(offset), value);
    for (const std::uint32_t other : bad) {
      EXPECT_FALSE(driver.write(offset, other)) << other;
      EXPECT_EQ(driver.read(offset), value);
    }
  }
}

/// A word of the table.
inline std::uint32_t entry_of(std::uint32_t queue, std::uint32_t quantum) {
  return QOSARB_PORT_TABLE_QUEUE_ID_PUT(queue) | QOSARB_PORT_TABLE_QUANTUM_PUT(quantum);
}

}  // namespace qosarb::test
