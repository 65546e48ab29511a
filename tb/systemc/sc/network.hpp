// The switch model as a SystemC module: it owns the queues, and asks for decisions over pins.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/network/network.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/sc/pins.hpp"

namespace qosarb::sc {

/// The pins of the owner of a port's queues; each stands at the pin of the port that is named
/// alike.
template <int Queues = 8, int MaxPacketFlits = 1023>
class OwnerPins final : public sc_core::sc_module {
 public:
  using Size = PortSize<Queues, MaxPacketFlits>;

  sc_core::sc_out<typename Size::PerQueue> valid_o{"valid_o"};
  sc_core::sc_out<typename Size::PerQueue> pfc_stop_o{"pfc_stop_o"};
  sc_core::sc_out<typename Size::Flits> flits_o{"flits_o"};
  sc_core::sc_out<bool> request_o{"request_o"};
  sc_core::sc_out<typename Size::AgeFields> age_field_o{"age_field_o"};
  sc_core::sc_out<typename Size::PerQueue> age_in_epoch_o{"age_in_epoch_o"};
  sc_core::sc_out<std::uint32_t> age_timestamp_o{"age_timestamp_o"};
  sc_core::sc_out<bool> age_epoch_o{"age_epoch_o"};
  sc_core::sc_out<bool> age_inhibit_o{"age_inhibit_o"};
  sc_core::sc_in<bool> grant_valid_i{"grant_valid_i"};
  sc_core::sc_in<typename Size::QueueIndex> grant_queue_i{"grant_queue_i"};

  explicit OwnerPins(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  /// Heads as of Size::shown().
  void show(Heads heads, bool request) {
    const typename Size::Shown pins = Size::shown(heads);
    valid_o.write(pins.valid);
    pfc_stop_o.write(pins.pfc_stop);
    flits_o.write(pins.flits);
    age_field_o.write(pins.age_field);
    age_in_epoch_o.write(pins.age_in_epoch);
    request_o.write(request);
  }
  void show(const AgeClock& clock) {
    age_timestamp_o.write(clock.timestamp());
    age_epoch_o.write(clock.epoch());
    age_inhibit_o.write(clock.inhibit());
  }
};

/// Hosts and switches of a scenario, one cycle of the model in each cycle of the clock. Every port
/// asks for its decisions at its pins and is told by whatever is bound there, RTL or reference.
///
/// Timing: the work of a cycle is done right after the rising edge that begins it. A port that asks
/// shows its heads and request_o, waits until all delta cycles of that moment are over, and takes
/// the grant; until the next rising edge the pins stay as they were when it asked. The pins of a
/// port that does not ask show its heads at the end of the cycle and no request; so do those of all
/// ports when the last cycle has ended.
///
/// seastar-age: the age clocks of the chips are the module's own, and so is the age with which a
/// packet goes on; a port tells its own at left_age_o, a cycle after the grant.
template <int Queues = 8, int MaxPacketFlits = 1023>
class Network final : public sc_core::sc_module {
 public:
  using Pins = OwnerPins<Queues, MaxPacketFlits>;

  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// The model's cycle 0 begins with the first rising edge that finds it high.
  sc_core::sc_in<bool> start_i{"start_i"};
  /// High from the beginning of cycle 0 to the end of the last cycle.
  sc_core::sc_out<bool> running_o{"running_o"};
  /// The cycle that is going on, while running_o is high.
  sc_core::sc_out<std::uint64_t> cycle_o{"cycle_o"};

  /// Runs `cycles` cycles of `scenario`, or until the last rank of all its traces is done.
  /// Errors: InputError, naming `file`, if its queues or packets do not fit the pins, or a queue
  /// has several channels.
  Network(const sc_core::sc_module_name& name, const Scenario& scenario, Cycle cycles,
          const std::string& file);

  struct NamedPort {
    std::string name;  ///< "switch0.port3" or "host5.nic"
    Pins* pins = nullptr;
  };
  /// All ports, switches first, as qosarb::Network::ports().
  [[nodiscard]] const std::vector<NamedPort>& ports() const { return ports_; }

  /// The model itself, for reports and observers.
  [[nodiscard]] qosarb::Network& model() { return *model_; }

  /// The model has found a fault (a CheckFailure, for example) and stands still.
  [[nodiscard]] bool failed() const { return fault_ != nullptr; }
  /// Throws that fault, if there is one.
  void rethrow() const {
    if (fault_) {
      std::rethrow_exception(fault_);
    }
  }

 private:
  class PinArbiter;
  SC_HAS_PROCESS(Network);

  void run();
  void run_cycle(Cycle cycle);

  std::vector<std::unique_ptr<Pins>> pins_;
  std::vector<PinArbiter*> arbiters_;  ///< of each port, in the order of ports_; model_ owns them
  std::unique_ptr<qosarb::Network> model_;
  std::vector<NamedPort> ports_;
  std::vector<qosarb::Sender*> queues_;  ///< of each port
  Cycle cycles_;
  std::exception_ptr fault_;
};

// Asks whoever is at the pins. Called in the thread of the network's module, so that it can wait
// for the answer in the middle of a cycle of the model.
template <int Queues, int MaxPacketFlits>
class Network<Queues, MaxPacketFlits>::PinArbiter final : public Arbiter {
 public:
  /// `ages` stamps the packets of seastar-age and knows their ages; null for other policies.
  PinArbiter(Pins& pins, std::string place, std::unique_ptr<Arbiter> ages)
      : pins_(pins), place_(std::move(place)), ages_(std::move(ages)) {}

  void advance(Cycle now, Heads heads) override {
    if (ages_ != nullptr) {
      ages_->advance(now, heads);
    }
  }
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override {
    return ages_ == nullptr ? AgeStamp{} : ages_->arrive(now, queue, age);
  }

  Decision decide(Cycle now, Heads heads) override {
    show_clock();
    pins_.show(heads, true);
    asked_ = true;
    do {
      sc_core::wait(sc_core::SC_ZERO_TIME);
    } while (sc_core::sc_pending_activity_at_current_time());
    const Decision due = ages_ == nullptr ? Decision{} : ages_->decide(now, heads);
    if (!pins_.grant_valid_i.read()) {
      return {};
    }
    const auto queue = static_cast<Index>(pins_.grant_queue_i.read());
    if (queue >= count(heads) || !heads[queue].active()) {
      throw CheckFailure(fmt::format("cycle {}, {}: queue {} is granted, which is not active", now,
                                     place_, queue));
    }
    return due.queue == queue ? due : Decision{queue, heads[queue].flits, heads[queue].age};
  }

  [[nodiscard]] std::string describe() const override { return "at the pins"; }

  // The events of a cycle are over.
  void end_of_cycle(Cycle now, Heads heads) {
    if (!asked_) {
      advance(now, heads);
      show_clock();
      pins_.show(heads, false);
    }
    asked_ = false;
  }

  [[nodiscard]] Pins& pins() const { return pins_; }

 private:
  void show_clock() {
    if (const auto* const ages = dynamic_cast<const AgeBasedArbiter*>(ages_.get())) {
      pins_.show(ages->clock());
    }
  }

  Pins& pins_;
  std::string place_;
  std::unique_ptr<Arbiter> ages_;
  bool asked_ = false;
};

template <int Queues, int MaxPacketFlits>
Network<Queues, MaxPacketFlits>::Network(const sc_core::sc_module_name& name,
                                         const Scenario& scenario, Cycle cycles,
                                         const std::string& file)
    : sc_core::sc_module(name), cycles_(cycles) {
  const ArbiterConfig& arbiter = scenario.arbiter;
  if (arbiter.queues > Queues || arbiter.max_packet_flits > Pins::Size::kMaxPacketFlits) {
    throw InputError(file, 0,
                     fmt::format("the pins have {} queues and packets of up to {} flits", Queues,
                                 MaxPacketFlits));
  }
  if (scenario.channels_per_queue > 1) {
    throw InputError(file, 0, "the pins have no channels_per_queue");
  }
  model_ = std::make_unique<qosarb::Network>(
      scenario, [this, references = make_reference_factory()](const ArbiterConfig& config,
                                                              const PortPlace& place) {
        pins_.push_back(std::make_unique<Pins>(
            sc_core::sc_module_name((place.chip + "_" + place.port).c_str())));
        return std::make_unique<PinArbiter>(
            *pins_.back(), place.chip + "." + place.port,
            config.policy->shares_chip_clock() ? references(config, place) : nullptr);
      });
  for (const qosarb::Network::NamedPort& port : model_->ports()) {
    auto& at_pins = static_cast<PinArbiter&>(port.port->arbiter());
    ports_.push_back({port.name, &at_pins.pins()});
    arbiters_.push_back(&at_pins);
    queues_.push_back(port.port);
  }
  SC_THREAD(run);
  set_stack_size(1 << 20);  // the model's own frames, and those of an exception
}

template <int Queues, int MaxPacketFlits>
void Network<Queues, MaxPacketFlits>::run() {
  running_o.write(false);
  do {
    wait(clk_i.posedge_event());
  } while (!start_i.read());
  try {
    for (Cycle cycle = 0; cycle < cycles_ && (cycle == 0 || !model_->finished()); ++cycle) {
      running_o.write(true);
      cycle_o.write(cycle);
      run_cycle(cycle);
      wait(clk_i.posedge_event());
    }
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // SystemC ends its threads so
  } catch (...) {
    fault_ = std::current_exception();  // SystemC would make a report of it
  }
  for (Index p = 0; p < count(ports_); ++p) {
    ports_[p].pins->show(queues_[p]->heads(), false);
  }
  running_o.write(false);
}

template <int Queues, int MaxPacketFlits>
void Network<Queues, MaxPacketFlits>::run_cycle(Cycle cycle) {
  model_->run(cycle + 1);
  for (Index p = 0; p < count(ports_); ++p) {
    arbiters_[p]->end_of_cycle(cycle, queues_[p]->heads());
  }
}

}  // namespace qosarb::sc
