#include "kernel/module.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "kernel/comparison.hpp"
#include "kernel/random_traffic.hpp"
#include "kernel/recorder.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/port.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {

std::string text_of(const ModuleFigures& figures) {
  return fmt::format(
      "{} decisions, {} states, {} grants, {} of them contested, {} to the queue of the cycle "
      "before, {} of 0 flits, {} too long; {} loads",
      figures.decisions, figures.states, figures.grants, figures.contested, figures.back_to_back,
      figures.zero, figures.too_long, figures.loads);
}

namespace {

// A reference that can be replaced while its port goes on, as a load does with the module, and that
// is not asked who loses its head when one is dropped.
class Replaceable final : public Arbiter {
 public:
  explicit Replaceable(std::unique_ptr<Arbiter> arbiter) : arbiter_(std::move(arbiter)) {}

  void replace(std::unique_ptr<Arbiter> arbiter) { arbiter_ = std::move(arbiter); }
  void drop_next(Index queue) { drops_ = queue; }
  [[nodiscard]] const Arbiter& inner() const { return *arbiter_; }

  void advance(Cycle now, Heads heads) override { arbiter_->advance(now, heads); }
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override {
    return arbiter_->arrive(now, queue, age);
  }
  Decision decide(Cycle now, Heads heads) override {
    if (drops_) {
      const Index queue = *std::exchange(drops_, std::nullopt);
      return {queue, heads[queue].flits, heads[queue].age};
    }
    return arbiter_->decide(now, heads);
  }
  [[nodiscard]] std::string describe() const override { return arbiter_->describe(); }

 private:
  std::unique_ptr<Arbiter> arbiter_;
  std::optional<Index> drops_;
};

class Life {
 public:
  Life(Module& module, PolicyRef policy, Random& random, const ModuleLife& life,
       ModuleFigures& figures)
      : module_(module),
        policy_(policy),
        random_(random),
        life_(life),
        figures_(figures),
        config_(first_config(random, policy, module.limits(), life.all_queues)),
        traffic_(random, config_, true, module.longest_shown()),
        drop_percent_(drops_heads() ? random.one_of(std::array{0U, 0U, 2U, 30U}) : 0),
        recorder_(config_),
        comparison_(module, figures) {
    for (Index q = config_.queues; q < module_.limits().queues; ++q) {
      unused_.push_back(shown_in_unused_queue(module_, random_));
    }
    module_.reset(random_);
    auto reference = std::make_unique<Replaceable>(module.reference(config_));
    reference_ = reference.get();
    port_ = std::make_unique<Port>(config_.queues, std::move(reference));
    port_->observe(&recorder_);
  }

  void run() {
    module_.program(config_, random_);
    if (module_.starts_with_load()) {
      module_.ask(false, true);
      module_.settle();
      module_.clock_edge();
    }
    next_request_ = traffic_.next_cycle();
    for (now_ = 0; now_ < life_.cycles; ++now_) {
      cycle();
    }
  }

 private:
  void cycle() {
    port_->reach(now_);
    if (drop_percent_ != 0 && random_.chance(drop_percent_)) {
      drop_head(random_.from<Index>(0, config_.queues - 1));
    }
    traffic_.happen_at(now_, *port_);
    const bool load = random_.once_in(life_.load_once_in);
    const bool request = now_ >= next_request_ && !(loaded_ && module_.idle_after_load());
    for (Index q = 0; q < module_.limits().queues; ++q) {
      module_.show(q, q < config_.queues ? shown(q) : unused_.at(q - config_.queues), random_);
    }
    module_.ask(request, load);
    module_.settle();
    Expected expected;
    reference_->inner().append_state(expected.state);
    module_.watch(reference_->inner());
    if (request) {
      if (!load || !module_.looks_ahead()) {
        decide(expected.decision);
      }
      next_request_ = traffic_.next_cycle();
    }
    expected_.push_back(std::move(expected));
    compare();
    module_.clock_edge();
    loaded_ = load;
    if (load) {
      config_ = random_successor(random_, policy_, module_.limits(), config_);
      module_.program(config_, random_);
      reference_->replace(module_.reference(config_));
      reference_->advance(now_ + 1, std::vector<Head>(config_.queues));  // nothing waited for it
      if (!expected_.empty()) {  // the answer of this cycle comes on the new state
        expected_.back().state.clear();
        reference_->inner().append_state(expected_.back().state);
      }
      ++figures_.loads;
    }
  }

  // A winner is shown until it has been granted.
  [[nodiscard]] Shown shown(Index queue) const {
    const Head& head = port_->heads()[queue];
    Shown shown{.stopped = head.stopped, .stamp = head.stamp};
    const auto add = [&shown](std::uint32_t flits) {
      (shown.flits ? shown.next_flits : shown.flits) = flits;
    };
    if (module_.looks_ahead() && !expected_.empty() && expected_.back().decision.queue == queue) {
      add(expected_.back().decision.flits);
    }
    for (const Event& packet : recorder_.waiting(queue)) {
      if (!shown.next_flits) {
        add(packet.flits);
      }
    }
    return shown;
  }

  // Heads are dropped where none has to stay until it is granted, and none is counted until it
  // leaves.
  [[nodiscard]] bool drops_heads() const {
    return module_.heads_may_go() && !policy_->shares_chip_clock();
  }

  // As a port does that is flushed, whether the queue is stopped or not. The packet behind it is
  // the head of this cycle. A winner that is still shown is not in its queue any more.
  void drop_head(Index queue) {
    if (port_->packets(queue) != 0) {
      reference_->drop_next(queue);
      port_->arbitrate(now_);
    }
  }

  void decide(Decision& decision) {
    decision = port_->arbitrate(now_).decision;
    traffic_.sent(decision);
    ++figures_.decisions;
    if (decision.queue >= 0) {
      ++figures_.grants;
      figures_.contested += recorder_.active_queues() > 1 ? 1 : 0;
      figures_.zero += decision.flits == 0 ? 1 : 0;
      figures_.too_long += decision.flits > max_packet_flits(config_, decision.queue) ? 1 : 0;
      figures_.back_to_back += decision.queue == last_winner_ && now_ == last_grant_ + 1 ? 1 : 0;
      last_winner_ = decision.queue;
      last_grant_ = now_;
    }
  }

  void compare() {
    if (count(expected_) <= module_.latency()) {
      return;
    }
    if (const std::string what = comparison_.difference(expected_.front()); !what.empty()) {
      fail(now_, what, *reference_, config_);
    }
    expected_.pop_front();
  }

  Module& module_;
  PolicyRef policy_;
  Random& random_;
  ModuleLife life_;
  ModuleFigures& figures_;
  ArbiterConfig config_;  // in force
  RandomTraffic traffic_;
  std::uint64_t drop_percent_;  // of cycles
  std::vector<Shown> unused_;   // what the queues show that the configuration does not have
  Recorder recorder_;
  Replaceable* reference_ = nullptr;
  std::unique_ptr<Port> port_;
  std::deque<Expected> expected_;  // answers that are due, the next one at the front
  Comparison comparison_;
  Cycle now_ = 0;
  Cycle next_request_ = 0;
  bool loaded_ = true;  // in the cycle before, or reset in it
  Index last_winner_ = -1;
  Cycle last_grant_ = 0;
};

}  // namespace

void run_life(Module& module, PolicyRef policy, Random& random, const ModuleLife& life,
              ModuleFigures& figures) {
  Life(module, policy, random, life, figures).run();
}

}  // namespace qosarb::test
