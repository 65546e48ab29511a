// Two ports that see the same inputs: do they answer alike, in every cycle?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cosim/lockstep.hpp"
#include "systemc/decision_log.hpp"
#include "systemc/size.hpp"

namespace qosarb {

/// Looks at the pins with every rising edge, as the registers of both ports do. What the RTL
/// decides is written down; the first difference from the reference ends the simulation.
class Checker final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> running_i{"running_i"};
  sc_core::sc_in<std::uint64_t> cycle_i{"cycle_i"};

  struct Sides {
    const RtlSignals& rtl;     ///< with the inputs of both
    const RtlGrant& expected;  ///< from the reference
    const RtlReference& reference;
  };
  /// `port` and `place` say which port it is, in the log and for people.
  Checker(const sc_core::sc_module_name& name, const Sides& sides, std::size_t port,
          PortPlace place, DecisionLog& log);

  /// The difference in several lines: cycle, place, both answers, the candidates, the state of the
  /// reference behind it. Only after the simulation has ended.
  [[nodiscard]] std::optional<Mismatch> mismatch() const;
  [[nodiscard]] const PortPlace& place() const { return place_; }
  /// Requests to which both answered alike.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

  /// Packets and flits that the RTL granted to `queue`.
  struct Granted {
    std::uint32_t packets = 0;
    std::uint32_t flits = 0;
    friend bool operator==(const Granted&, const Granted&) = default;
  };
  [[nodiscard]] const Granted& granted(Index queue) const { return granted_[queue]; }

 private:
  SC_HAS_PROCESS(Checker);
  void look();

  Sides sides_;
  std::size_t port_;
  PortPlace place_;
  DecisionLog& log_;
  std::vector<Granted> granted_;
  std::uint64_t compared_ = 0;
  std::optional<std::string> difference_;
  Cycle cycle_ = 0;  // of the difference
};

}  // namespace qosarb
