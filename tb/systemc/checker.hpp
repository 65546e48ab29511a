// Two ports that see the same inputs: do they answer alike, in every cycle?
#pragma once

#include <optional>
#include <string>

#include "qosarb/sc/pins.hpp"
#include "qosarb/sc/port.hpp"
#include "systemc/decision_log.hpp"

namespace qosarb {

/// Looks at the pins with every rising edge, as the registers of both ports do. What the RTL
/// decides is written down; the first difference from the reference ends the simulation.
class Checker final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> running_i{"running_i"};
  sc_core::sc_in<std::uint64_t> cycle_i{"cycle_i"};

  struct Sides {
    const sc::PortSignals<>& rtl;        ///< with the inputs of both
    const sc::GrantSignals<>& expected;  ///< from the reference
    const sc::Port<>& reference;
  };
  /// `port` and `place` say which port it is, in the log and for people.
  Checker(const sc_core::sc_module_name& name, const Sides& sides, std::size_t port,
          std::string place, DecisionLog& log);

  /// The difference in several lines: cycle, place, both decisions, the candidates, the state of
  /// the reference behind it. Only after the simulation has ended.
  [[nodiscard]] std::optional<std::string> mismatch() const;

  /// Packets and flits that the RTL granted to `queue`.
  struct Granted {
    std::uint32_t packets = 0;
    std::uint32_t flits = 0;
    friend bool operator==(const Granted&, const Granted&) = default;
  };
  [[nodiscard]] const Granted& granted(int queue) const {
    return granted_[static_cast<std::size_t>(queue)];
  }

 private:
  SC_HAS_PROCESS(Checker);
  void look();

  Sides sides_;
  std::size_t port_;
  std::string place_;
  DecisionLog& log_;
  std::array<Granted, sc::PortSignals<>::Size::kQueues> granted_{};
  std::optional<std::string> difference_;
};

}  // namespace qosarb
