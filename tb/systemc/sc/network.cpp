#include "qosarb/sc/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb::sc {

void OwnerPins::show(Heads heads, bool request) {
  const Size::Shown pins = Size::shown(heads);
  valid_o.write(pins.valid);
  pfc_stop_o.write(pins.pfc_stop);
  flits_o.write(pins.flits);
  request_o.write(request);
}

// Asks whoever is at the pins. Called in the thread of the network's module, so that it can wait
// for the answer in the middle of a cycle of the model.
class Network::PinArbiter final : public Arbiter {
 public:
  PinArbiter(OwnerPins& pins, std::string place) : pins_(pins), place_(std::move(place)) {}

  Decision decide(Cycle now, Heads heads) override {
    pins_.show(heads, true);
    asked_ = true;
    do {
      sc_core::wait(sc_core::SC_ZERO_TIME);
    } while (sc_core::sc_pending_activity_at_current_time());
    if (!pins_.grant_valid_i.read()) {
      return {};
    }
    const auto queue = static_cast<std::size_t>(pins_.grant_queue_i.read());
    if (queue >= heads.size() || !heads[queue].active()) {
      throw CheckFailure(fmt::format("cycle {}, {}: queue {} is granted, which is not active", now,
                                     place_, queue));
    }
    return {static_cast<int>(queue), heads[queue].flits, heads[queue].age};
  }

  [[nodiscard]] std::string describe() const override { return "at the pins"; }

  // The events of a cycle are over.
  void end_of_cycle(Heads heads) {
    if (!asked_) {
      pins_.show(heads, false);
    }
    asked_ = false;
  }

  [[nodiscard]] OwnerPins& pins() const { return pins_; }

 private:
  OwnerPins& pins_;
  std::string place_;
  bool asked_ = false;
};

Network::Network(const sc_core::sc_module_name& name, const Scenario& scenario, Cycle cycles,
                 const std::string& file)
    : sc_core::sc_module(name), cycles_(cycles) {
  const ArbiterConfig& arbiter = scenario.arbiter;
  if (arbiter.policy->shares_chip_clock()) {
    throw InputError(file, 0, "seastar-age needs more than the pins of a port show");
  }
  if (arbiter.queues > OwnerPins::Size::kQueues ||
      arbiter.max_packet_flits > OwnerPins::Size::kMaxPacketFlits) {
    throw InputError(file, 0,
                     fmt::format("the pins have {} queues and packets of up to {} flits",
                                 OwnerPins::Size::kQueues, OwnerPins::Size::kMaxPacketFlits));
  }
  model_ = std::make_unique<qosarb::Network>(
      scenario, [this](const ArbiterConfig& /*config*/, const PortPlace& place) {
        pins_.push_back(std::make_unique<OwnerPins>(
            sc_core::sc_module_name((place.chip + "_" + place.port).c_str())));
        auto at_pins = std::make_unique<PinArbiter>(*pins_.back(), place.chip + "." + place.port);
        return at_pins;
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

void Network::run() {
  running_o.write(false);
  do {
    wait(clk_i.posedge_event());
  } while (!start_i.read());
  try {
    for (Cycle cycle = 0; cycle < cycles_; ++cycle) {
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
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    ports_[p].pins->show(queues_[p]->heads(), false);
  }
  running_o.write(false);
}

void Network::run_cycle(Cycle cycle) {
  model_->run(cycle + 1);
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    arbiters_[p]->end_of_cycle(queues_[p]->heads());
  }
}

void Network::rethrow() const {
  if (fault_) {
    std::rethrow_exception(fault_);
  }
}

}  // namespace qosarb::sc
