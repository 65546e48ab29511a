// Backlogged queues at a module that is asked in nearly each cycle: run_backlog().
#include <algorithm>
#include <array>
#include <bit>

#include "kernel/comparison.hpp"
#include "kernel/module.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {

namespace {

// A module whose queues are mostly backlogged and that is asked in nearly each cycle.
class Backlog {
 public:
  Backlog(Module& module, PolicyRef policy, Random& random, const ModuleLife& life,
          ModuleFigures& figures)
      : module_(module),
        policy_(policy),
        random_(random),
        life_(life),
        figures_(figures),
        limits_(module.limits()),
        late_(module.latency() != 0),
        looks_ahead_(module.looks_ahead()),
        longest_shown_(module.longest_shown()),
        config_(first_config(random, policy, limits_, life.all_queues)),
        sizes_(life.steady && random.chance(50)
                   ? Sizes::AllLongest
                   : random.one_of(std::array{Sizes::AllOne, Sizes::AllLongest, Sizes::Bimodal,
                                              Sizes::Uniform, Sizes::Uniform})),
        lies_(life.steady || longest_shown_ == 0 ? 0 : random.one_of(std::array{0U, 0U, 5U, 77U})),
        misses_(life.steady ? 0 : random.one_of(std::array{0U, 0U, 20U, 100U})),
        stops_(life.steady ? 0 : random.one_of(std::array{0U, 1U, 10U, 80U})),
        queues_(config_.queues),
        heads_(config_.queues),
        comparison_(module, figures) {
    module_.reset(random_);
    reference_ = module_.reference(config_);
    for (Index q = 0; q < config_.queues; ++q) {
      longest_.push_back(max_packet_flits(config_, q));
    }
  }

  void run() {
    module_.program(config_, random_);
    for (Index q = 0; q < limits_.queues; ++q) {
      module_.show(q, q < config_.queues ? Shown{} : shown_in_unused_queue(module_, random_),
                   random_);
    }
    if (module_.starts_with_load()) {
      module_.ask(false, true);
      module_.settle();
      module_.clock_edge();
    }
    for (now_ = 0; now_ < life_.cycles; ++now_) {
      cycle();
    }
  }

 private:
  enum class Sizes { AllOne, AllLongest, Bimodal, Uniform };
  struct Packet {
    std::uint32_t flits = 0;
    std::uint8_t age = 0;
    AgeStamp stamp;
  };
  // The first two packets of a queue. Behind them comes what is needed, or nothing for a while.
  struct Queue {
    std::array<Packet, 2> packets;
    std::size_t count = 0;
  };

  void cycle() {
    reference_->advance(now_, heads_);
    const std::uint64_t bits = random_.bits();
    happen(bits);
    const bool load = (bits >> 40U) % life_.load_once_in == 0;
    const bool request = (bits >> 32U & 0x3fU) != 0 && !(loaded_ && module_.idle_after_load());
    for (; changed_ != 0; changed_ &= changed_ - 1) {
      const Index q = std::countr_zero(changed_);
      module_.show(q, shown(q), random_);
    }
    module_.ask(request, load);
    module_.settle();
    Expected& present = expected_[now_ % 2];
    present.decision = {};
    present.state.clear();
    reference_->append_state(present.state);
    module_.watch(*reference_);
    if (request && !(load && looks_ahead_)) {
      decide(present.decision);
    }
    compare(late_ ? expected_[(now_ + 1) % 2] : present);
    module_.clock_edge();
    if (looks_ahead_) {
      // A winner is shown until it has been granted.
      changed_ |= leaving_ >= 0 ? 1U << leaving_ : 0;
      leaving_ = present.decision.queue;
      leaving_flits_ = present.decision.flits;
    }
    loaded_ = load;
    if (load) {
      config_ = random_successor(random_, policy_, limits_, config_);
      module_.program(config_, random_);
      reference_ = module_.reference(config_);
      reference_->advance(now_ + 1, std::vector<Head>(config_.queues));  // nothing waited for it
      present.state.clear();  // a late answer comes on the new state
      reference_->append_state(present.state);
      ++figures_.loads;
    }
  }

  // Arrivals, stops and starts.
  void happen(std::uint64_t bits) {
    if (behind_ >= 0 && (bits >> 24U & 0xffU) >= misses_) {
      refill(behind_);
    }
    behind_ = -1;
    const auto q = static_cast<Index>((bits & 0xffffU) * config_.queues >> 16U);
    if (queues_[q].count < 2) {
      refill(q);
    }
    if ((bits >> 16U & 0xffU) < stops_ || (heads_[q].stopped && (bits >> 31U & 1U) != 0)) {
      heads_[q].stopped = !heads_[q].stopped;
      changed_ |= 1U << q;
    } else if (stops_ != 0 && (bits >> 52U) == 0) {  // all of them
      for (Head& head : heads_) {
        head.stopped = true;
      }
      changed_ |= UINT32_MAX >> (32 - config_.queues);
    }
  }

  void refill(Index q) {
    Queue& queue = queues_[q];
    while (queue.count < 2) {
      const std::uint64_t bits = random_.bits();
      Packet packet{.flits = size(q, bits), .age = static_cast<std::uint8_t>(bits)};
      packet.stamp = reference_->arrive(now_, q, packet.age);
      queue.packets[queue.count++] = packet;
    }
    show_head(q);
  }

  [[nodiscard]] std::uint32_t size(Index q, std::uint64_t bits) const {
    const std::uint32_t longest = longest_[q];
    const auto part = static_cast<std::uint32_t>(bits >> 32U);
    if ((bits >> 8U & 0xffU) < lies_) {
      return (bits >> 16U & 1U) != 0 && longest < longest_shown_
                 ? longest + 1 + part % (longest_shown_ - longest)
                 : 0;
    }
    switch (sizes_) {
      case Sizes::AllOne:
        return 1;
      case Sizes::AllLongest:
        return longest;
      case Sizes::Bimodal:
        return (bits >> 17U & 1U) != 0 ? 1 : longest;
      case Sizes::Uniform:
        break;
    }
    return 1 + static_cast<std::uint32_t>(std::uint64_t{part} * longest >> 32U);
  }

  void show_head(Index q) {
    changed_ |= 1U << q;
    const Queue& queue = queues_[q];
    const Packet& first = queue.packets[0];
    const bool stopped = heads_[q].stopped;
    heads_[q] = queue.count == 0 ? Head{.stopped = stopped}
                                 : Head{std::max(first.flits, 1U), stopped, first.age, first.stamp,
                                        first.flits == 0};
  }

  [[nodiscard]] Shown shown(Index q) const {
    const Queue& queue = queues_[q];
    Shown shown{.stopped = heads_[q].stopped, .stamp = heads_[q].stamp};
    const auto add = [&shown](std::uint32_t flits) {
      (shown.flits ? shown.next_flits : shown.flits) = flits;
    };
    if (leaving_ == q) {
      add(leaving_flits_);
    }
    for (std::size_t i = 0; i < queue.count && !shown.next_flits; ++i) {
      add(queue.packets[i].flits);
    }
    return shown;
  }

  void decide(Decision& decision) {
    int active = 0;
    for (const Head& head : heads_) {
      active += head.active() ? 1 : 0;
    }
    decision = reference_->decide(now_, heads_);
    ++figures_.decisions;
    const Index q = decision.queue;
    if (q < 0) {
      return;
    }
    Queue& queue = queues_[q];
    decision.flits = queue.packets[0].flits;  // as it says
    ++figures_.grants;
    figures_.contested += active > 1 ? 1 : 0;
    figures_.zero += decision.flits == 0 ? 1 : 0;
    figures_.too_long += decision.flits > max_packet_flits(config_, q) ? 1 : 0;
    figures_.back_to_back += q == last_winner_ ? 1 : 0;
    last_winner_ = q;
    queue.packets[0] = queue.packets[1];
    --queue.count;
    show_head(q);
    behind_ = q;
  }

  void compare(const Expected& due) {
    if (late_ && now_ == 0) {
      return;
    }
    if (const std::string what = comparison_.difference(due); !what.empty()) {
      fail(now_, what, *reference_, config_);
    }
  }

  Module& module_;
  PolicyRef policy_;
  Random& random_;
  ModuleLife life_;
  ModuleFigures& figures_;
  RtlLimits limits_;
  bool late_;
  bool looks_ahead_;
  std::uint32_t longest_shown_;
  ArbiterConfig config_;  // in force
  Sizes sizes_;
  // Of 256: packets that are too long or of 0 flits, grants behind which nothing comes for a while,
  // cycles in which some queue is stopped.
  std::uint32_t lies_;
  std::uint32_t misses_;
  std::uint32_t stops_;
  std::vector<std::uint32_t> longest_;  // packet of each queue, but for those that lie
  std::vector<Queue> queues_;
  std::vector<Head> heads_;
  std::unique_ptr<Arbiter> reference_;
  std::array<Expected, 2> expected_;  // of this cycle and the one before, in turns
  Comparison comparison_;
  std::uint32_t changed_ = 0;  // queues that show something else, as bits
  Index behind_ = -1;          // the queue that was granted in the last cycle
  Index leaving_ = -1;         // the one whose winner is still shown
  std::uint32_t leaving_flits_ = 0;
  Index last_winner_ = -1;
  Cycle now_ = 0;
  bool loaded_ = true;  // in the cycle before, or reset in it
};

}  // namespace

void run_backlog(Module& module, PolicyRef policy, Random& random, const ModuleLife& life,
                 ModuleFigures& figures) {
  Backlog(module, policy, random, life, figures).run();
}

}  // namespace qosarb::test
