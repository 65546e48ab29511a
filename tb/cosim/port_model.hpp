// A Verilated qosarb_port of any build.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "cosim/rtl_limits.hpp"
#include "qosarb/policy/types.hpp"
#include "verilated.h"

class VerilatedFstC;

namespace qosarb {

/// The state of a port's arbiter, for reading.
class PortState {
 public:
  PortState() = default;
  PortState(const PortState&) = delete;
  PortState& operator=(const PortState&) = delete;
  virtual ~PortState() = default;

  /// A word of the state of the policy in force, as rtl/port/qosarb_port_pkg.sv numbers them; one
  /// that the policy does not have is 0.
  [[nodiscard]] virtual std::uint32_t state(std::size_t word) const = 0;
  /// Word `index` of those that only this policy has; the header of its slot in rtl/policy says
  /// which they are.
  [[nodiscard]] virtual std::uint32_t own_state(std::size_t index) const = 0;
  /// What the registers CURRENT, REMAINING and DEFICIT[entry] read as.
  [[nodiscard]] std::uint32_t current() const { return state(0); }
  [[nodiscard]] std::uint32_t remaining() const { return state(1); }
  [[nodiscard]] std::uint32_t deficit(std::size_t entry) const { return state(2 + entry); }
};

/// The pins of a port, and what co-simulation looks at inside of it. Pins that have the same width
/// in every build are references to the model's own; tb/cosim/port_pins.sv has them.
class PortModel : public PortState {
 public:
  struct Pins {
    CData& rst_ni;
    CData& psel_i;
    CData& penable_i;
    CData& pwrite_i;
    SData& paddr_i;
    IData& pwdata_i;
    CData& pstrb_i;
    CData& pready_o;
    IData& prdata_o;
    CData& pslverr_o;
    CData& request_i;
    CData& grant_valid_o;
    CData& age_timestamp_i;
    CData& age_epoch_i;
    CData& age_inhibit_i;
    CData& left_o;
    CData& left_epoch_o;
    CData& left_age_o;
    IData& age_clock_period_o;
    CData& table_applied_o;
    CData& idle_o;
  };
  [[nodiscard]] virtual const Pins& pins() const = 0;

  /// The pins are the inputs of this cycle.
  virtual void show() = 0;
  /// The cycle ends; the inputs stay.
  virtual void clock() = 0;
  /// The cycle ends, and the pins are the inputs of the next one: in one evaluation, where each of
  /// the two by itself would be another.
  virtual void clock_and_show() = 0;
  virtual void trace(VerilatedFstC& fst) = 0;

  /// The candidate of `queue`: whether it has a head and the flits that this shows, whether it is
  /// stopped, its stamp.
  virtual void set_head(std::size_t queue, bool valid, std::uint32_t flits) = 0;
  /// The packet behind it, which only a port with Latency 1 looks at.
  virtual void set_second(std::size_t queue, bool valid, std::uint32_t flits, AgeStamp stamp) = 0;
  virtual void set_stopped(std::size_t queue, bool stopped) = 0;
  virtual void set_stamp(std::size_t queue, AgeStamp stamp) = 0;
  [[nodiscard]] virtual std::uint32_t grant() const = 0;
  [[nodiscard]] virtual std::size_t grant_queue() const = 0;
  [[nodiscard]] virtual std::uint8_t request_bias(std::size_t input_port) const = 0;
  [[nodiscard]] virtual std::uint8_t response_bias(std::size_t input_port) const = 0;

  /// Behind the present cycle `cycles` cycles pass with the pins' heads, in which nothing changes
  /// but what is counted in each of them, and waits; the others count as in this cycle, if that is
  /// `counted`. `edge_is_due`: of the present cycle, which is made by the next clock() or
  /// clock_and_show(). What changes can be seen behind the edge of the cycle after them.
  virtual void leap(std::uint64_t cycles, bool counted, bool edge_is_due) = 0;
  /// Whether leap() may be called: behind the present cycle no counters are being cleared, no
  /// snapshot is taken and no head is dropped.
  [[nodiscard]] virtual bool counters_settled() const = 0;
  /// How many counters there are. A snapshot takes three cycles more.
  [[nodiscard]] virtual std::size_t counters() const = 0;
};

/// A build of the RTL: a set of policies at some size.
struct PortBuild {
  std::string_view name;  ///< for messages
  std::unique_ptr<PortModel> (*make)(VerilatedContext& context, const char* name);
  RtlLimits limits;
  Cycle latency = 0;  ///< cycles from a request to its answer, the parameter Latency
};

/// All of them, in the order of tb/cosim/CMakeLists.txt.
std::span<const PortBuild> port_builds();

}  // namespace qosarb
