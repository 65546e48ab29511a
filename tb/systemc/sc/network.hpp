// The switch model as a SystemC module: it owns the queues, and asks for decisions over pins.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "qosarb/network/network.hpp"
#include "qosarb/sc/pins.hpp"

namespace qosarb::sc {

/// The pins of the owner of a port's queues; each stands at the pin of the port that is named
/// alike.
class OwnerPins final : public sc_core::sc_module {
 public:
  using Size = PortSize<8, 1023>;  ///< of the RTL with its default parameters

  sc_core::sc_out<Size::PerQueue> valid_o{"valid_o"};
  sc_core::sc_out<Size::PerQueue> pfc_stop_o{"pfc_stop_o"};
  sc_core::sc_out<Size::Flits> flits_o{"flits_o"};
  sc_core::sc_out<bool> request_o{"request_o"};
  sc_core::sc_in<bool> grant_valid_i{"grant_valid_i"};
  sc_core::sc_in<Size::QueueIndex> grant_queue_i{"grant_queue_i"};

  explicit OwnerPins(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  /// Heads as of Size::shown().
  void show(Heads heads, bool request);
};

/// Hosts and switches of a scenario, one cycle of the model in each cycle of the clock. Every port
/// asks for its decisions at its pins and is told by whatever is bound there, RTL or reference.
///
/// Timing: the work of a cycle is done right after the rising edge that begins it. A port that asks
/// shows its heads and request_o, waits until all delta cycles of that moment are over, and takes
/// the grant; until the next rising edge the pins stay as they were when it asked. The pins of a
/// port that does not ask show its heads at the end of the cycle and no request; so do those of all
/// ports when the last cycle has ended.
class Network final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// The model's cycle 0 begins with the first rising edge that finds it high.
  sc_core::sc_in<bool> start_i{"start_i"};
  /// High from the beginning of cycle 0 to the end of the last cycle.
  sc_core::sc_out<bool> running_o{"running_o"};
  /// The cycle that is going on, while running_o is high.
  sc_core::sc_out<std::uint64_t> cycle_o{"cycle_o"};

  /// Runs `cycles` cycles of `scenario`.
  /// Errors: InputError, naming `file`, if its queues or packets do not fit the pins;
  /// std::invalid_argument for seastar-age (see ClockedReference).
  Network(const sc_core::sc_module_name& name, const Scenario& scenario, Cycle cycles,
          const std::string& file);

  struct NamedPort {
    std::string name;  ///< "switch0.port3" or "host5.nic"
    OwnerPins* pins = nullptr;
  };
  /// All ports, switches first, as qosarb::Network::ports().
  [[nodiscard]] const std::vector<NamedPort>& ports() const { return ports_; }

  /// The model itself, for reports and observers.
  [[nodiscard]] qosarb::Network& model() { return *model_; }

  /// The model has found a fault (a CheckFailure, for example) and stands still.
  [[nodiscard]] bool failed() const { return fault_ != nullptr; }
  /// Throws that fault, if there is one.
  void rethrow() const;

 private:
  class PinArbiter;
  SC_HAS_PROCESS(Network);

  void run();
  void run_cycle(Cycle cycle);

  std::vector<std::unique_ptr<OwnerPins>> pins_;
  std::vector<PinArbiter*> arbiters_;  ///< of each port, in the order of ports_; model_ owns them
  std::unique_ptr<qosarb::Network> model_;
  std::vector<NamedPort> ports_;
  std::vector<qosarb::Sender*> queues_;  ///< of each port
  Cycle cycles_;
  std::exception_ptr fault_;
};

}  // namespace qosarb::sc
