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

/// The pins of a port, and what co-simulation looks at inside of it. Pins that have the same width
/// in every build are references to the model's own.
class PortModel {
 public:
  PortModel() = default;
  PortModel(const PortModel&) = delete;
  PortModel& operator=(const PortModel&) = delete;
  virtual ~PortModel() = default;

  struct Pins {
    CData& clk_i;
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
  };
  [[nodiscard]] virtual const Pins& pins() const = 0;

  virtual void eval() = 0;
  virtual void trace(VerilatedFstC& fst) = 0;

  /// The candidate of `queue`: its head's flits (0: none), whether it is stopped, its stamp.
  virtual void set_flits(std::size_t queue, std::uint32_t flits) = 0;
  virtual void set_stopped(std::size_t queue, bool stopped) = 0;
  virtual void set_stamp(std::size_t queue, AgeStamp stamp) = 0;
  [[nodiscard]] virtual std::uint32_t valid() const = 0;
  [[nodiscard]] virtual std::uint32_t stopped() const = 0;
  [[nodiscard]] virtual std::uint32_t grant() const = 0;
  [[nodiscard]] virtual std::size_t grant_queue() const = 0;
  [[nodiscard]] virtual std::uint8_t request_bias(std::size_t input_port) const = 0;
  [[nodiscard]] virtual std::uint8_t response_bias(std::size_t input_port) const = 0;

  /// State of the policy in force; see the registers of the same names.
  [[nodiscard]] virtual std::uint32_t current() const = 0;
  [[nodiscard]] virtual std::uint64_t remaining() const = 0;
  [[nodiscard]] virtual std::uint32_t deficit(std::size_t entry) const = 0;
  /// bxi: no entry has had a turn yet.
  [[nodiscard]] virtual bool bxi_turn_is_nobodys() const = 0;
  [[nodiscard]] virtual std::uint32_t weight_left(std::size_t entry) const = 0;
  /// dtable: the SL whose turn it is; -1 when it is nobody's.
  [[nodiscard]] virtual int selected_sl() const = 0;
  /// sbt, dtable: the queues that come behind the one that their SL served last, as bits.
  [[nodiscard]] virtual std::uint32_t behind_in_sl() const = 0;
  [[nodiscard]] virtual std::uint32_t vl_low_current() const = 0;
  [[nodiscard]] virtual std::uint32_t vl_low_remaining() const = 0;
  [[nodiscard]] virtual bool vl_low_in_turn() const = 0;
  [[nodiscard]] virtual std::uint32_t vl_high_bytes() const = 0;
  [[nodiscard]] virtual std::uint32_t age_last() const = 0;
  [[nodiscard]] virtual std::uint32_t age_grants() const = 0;
  [[nodiscard]] virtual std::uint32_t assured_tokens(std::size_t queue) const = 0;
  [[nodiscard]] virtual std::uint32_t peak_tokens(std::size_t queue) const = 0;

  /// Counters that grow by one in each cycle in which nothing changes: of each queue, and of
  /// seastar-age. `cycles` such cycles pass at once.
  virtual void count_idle(std::uint64_t cycles) = 0;
  /// Sets the saturating counters of all queues.
  virtual void set_counters(std::uint32_t value) = 0;
};

/// A build of the RTL: a set of policies at some size.
struct PortBuild {
  std::string_view name;  ///< for messages
  std::unique_ptr<PortModel> (*make)(VerilatedContext& context, const char* name);
  RtlLimits limits;
};

/// All of them, the smallest first.
std::span<const PortBuild> port_builds();

}  // namespace qosarb
