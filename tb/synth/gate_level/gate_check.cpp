// Runs random traffic through a mapped netlist and holds every decision against the C++ reference.
//
//   Vgates [SEED [TABLES [GATE]]]
//
// GATE is for a netlist with wrong gates to choose among: each is inverted by one bit of fault_i.
// The netlist stands between registers: what is put in before clock edge t decides after it, and
// the grant is seen after edge t + 1, or one more where the policy takes two cycles. The reference
// decides at once, and its winners are taken from the queues, so a wrong grant is found a little
// later. Built with QOSARB_ACTIVITY, the first table's run leaves activity.vcd, from which power is
// estimated.
#include <fmt/format.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver.hpp"

namespace qosarb::gate_level {

ArbiterConfig plain_config() {
  ArbiterConfig config;
  config.policy = kPolicy;
  config.queues = static_cast<int>(kQueues);
  config.max_packet_flits = kMaxPacketFlits;
  return config;
}

void Driver::show(Vgates& pins, std::size_t queue, const Shown& shown, Random& random) {
  put(pins.valid_i, queue, 1, shown.flits != 0 ? 1 : 0);
  put(pins.stopped_i, queue, 1, shown.stopped ? 1 : 0);
  const auto show_length = [&](auto& gates) {
    if constexpr (requires { gates.flits_i; }) {
      put_element(gates.flits_i, queue, kFlitsWidth,
                  shown.flits != 0 ? shown.flits : random.below(highest(kFlitsWidth) + 1));
    }
  };
  show_length(pins);
  const auto show_next = [&](auto& gates) {
    if constexpr (kShowsNext<decltype(gates)>) {
      put(gates.next_valid_i, queue, 1, shown.next_flits != 0 ? 1 : 0);
      put_element(
          gates.next_flits_i, queue, kFlitsWidth,
          shown.next_flits != 0 ? shown.next_flits : random.below(highest(kFlitsWidth) + 1));
    }
  };
  show_next(pins);
}

std::string Driver::difference(const Vgates& /*pins*/, const Expected& /*before*/,
                               const Expected& /*now*/) const {
  return {};
}

namespace {

constexpr Cycle kCyclesOfATable = 2000;
constexpr std::size_t kLongestQueue = 6;
static_assert(kQueues <= 64);

struct Seen {
  std::uint64_t decisions = 0;
  std::uint64_t grants = 0;
};

struct Packet {
  std::uint32_t flits = 0;
  std::uint8_t age = 0;
  AgeStamp stamp;
};

/// One netlist, from its reset on.
class Check {
 public:
  Check(Random& random, VerilatedContext& context)
      : random_(random), driver_(make_driver()), gates_(context) {}

  /// A random table from its first cycle to the one that loads the next. Returns what is wrong.
  std::string table() {
    config_ = driver_->random_config(random_);
    driver_->program(gates_.pins(), config_);
    reference_ = driver_->reference(config_);
    for (auto& queue : queues_) queue.clear();
    heads_.assign(kQueues, Head{});
    const std::array<std::uint64_t, 4> paces = {1, kQueues / 2 + 1, kQueues, 2 * kQueues};
    arrival_ = random_.one_of(paces);
    fewer_arrivals_ = random_.once_in(3) ? kMaxPacketFlits / 2 + 1 : 1;
    longest_ = random_.once_in(3) ? static_cast<std::uint32_t>(random_.within(1, kMaxPacketFlits))
                                  : kMaxPacketFlits;
    at_link_rate_ = random_.once_in(3);
    link_free_ = 0;
    for (Cycle now = 0; now < kCyclesOfATable; ++now) {
      cycle(now);
      gates_.clock();
      if (std::string wrong = compare(); !wrong.empty()) {
        return fmt::format("cycle {}: {}", now, wrong);
      }
    }
    return {};
  }

  Netlist& gates() { return gates_; }
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  /// Puts in what the netlist sees in this cycle, and lets the reference decide.
  void cycle(Cycle now) {
    reference_->advance(now, heads_);
    for (std::size_t q = 0; q < kQueues; ++q) {
      arrive(now, q);
      if (random_.once_in(heads_[q].stopped ? 4 : 12)) heads_[q].stopped = !heads_[q].stopped;
      set_head(q);
      driver_->show(gates_.pins(), q, shown(q), random_);
    }
    driver_->show_cycle(gates_.pins());
    // Where a decision takes two cycles the one asked for with the load has no answer.
    const bool load = now + 1 == kCyclesOfATable;
    const bool request = at_link_rate_ ? now >= link_free_ : !random_.once_in(6);
    gates_.pins().load_i = load ? 1 : 0;
    gates_.pins().request_i = request ? 1 : 0;
    Expected expected;
    if (request && !(load && kLatency > 0)) {
      const Decision decision = reference_->decide(now, heads_);
      expected = {decision.queue, decision.age};
      ++seen_.decisions;
      if (decision.queue >= 0) {
        ++seen_.grants;
        auto& queue = queues_[static_cast<std::size_t>(decision.queue)];
        leaving_ = queue.front();
        queue.pop_front();
        set_head(static_cast<std::size_t>(decision.queue));
        link_free_ = now + decision.flits;
      }
    }
    expected_.push_back(expected);
  }

  void arrive(Cycle now, std::size_t q) {
    auto& queue = queues_[q];
    if (queue.size() >= kLongestQueue || !random_.once_in(arrival_ * fewer_arrivals_)) return;
    const std::uint32_t most = std::min(longest_, max_packet_flits(config_, static_cast<int>(q)));
    Packet packet;
    packet.flits = static_cast<std::uint32_t>(random_.within(1, most));
    packet.age = static_cast<std::uint8_t>(random_.below(random_.once_in(2) ? 256 : 4));
    packet.stamp = reference_->arrive(now, static_cast<int>(q), packet.age);
    queue.push_back(packet);
  }

  void set_head(std::size_t q) {
    const Packet head = queues_[q].empty() ? Packet{} : queues_[q].front();
    heads_[q].flits = head.flits;
    heads_[q].age = head.age;
    heads_[q].stamp = head.stamp;
  }

  /// The packet that is being granted in this cycle, which was decided in the one before, is still
  /// there.
  [[nodiscard]] Shown shown(std::size_t q) const {
    const auto& queue = queues_[q];
    const bool leaving =
        kLatency > 0 && !expected_.empty() && expected_.back().queue == static_cast<int>(q);
    const std::size_t next = leaving ? 0 : 1;
    Shown shown;
    shown.flits = leaving ? leaving_.flits : heads_[q].flits;
    shown.next_flits = queue.size() > next ? queue[next].flits : 0;
    shown.stopped = heads_[q].stopped;
    shown.stamp = heads_[q].stamp;
    return shown;
  }

  [[nodiscard]] std::string compare() {
    // What the registers at the outputs hold is of the cycle before.
    const auto delay = kLatency + 1;
    if (expected_.size() < delay + 2) return {};
    const Expected before = expected_[0];
    const Expected now = expected_[1];
    expected_.pop_front();
    const std::uint64_t one_hot = now.queue < 0 ? 0 : std::uint64_t{1} << now.queue;
    if (gates_.granted() != now.queue || gates_.one_hot() != one_hot) {
      return fmt::format("the reference grants {}, the gates grant {} (one-hot {:#x})", now.queue,
                         gates_.granted(), gates_.one_hot());
    }
    return driver_->difference(gates_.pins(), before, now);
  }

  Random& random_;
  std::unique_ptr<Driver> driver_;
  Netlist gates_;
  ArbiterConfig config_;
  std::unique_ptr<Arbiter> reference_;
  std::array<std::deque<Packet>, kQueues> queues_;
  std::vector<Head> heads_;
  Packet leaving_;                 // granted last
  std::deque<Expected> expected_;  // of the last cycles, this one at the back
  std::uint64_t arrival_ = 1;      // once in so many cycles, each queue
  std::uint64_t fewer_arrivals_ = 1;
  std::uint32_t longest_ = 1;
  bool at_link_rate_ = false;
  Cycle link_free_ = 0;
  Seen seen_;
};

void make_wrong(auto& pins, std::size_t gate) {
  if constexpr (requires { pins.fault_i; }) {
    put(pins.fault_i, gate, 1, 1);
  }
}

int run(std::uint64_t seed, int tables, std::optional<std::size_t> wrong_gate) {
  Random random(seed);
  VerilatedContext context;
  context.randReset(2);  // registers without a reset wake up at random
  context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
#ifdef QOSARB_ACTIVITY
  context.traceEverOn(true);
#endif
  Check check(random, context);
  if (wrong_gate) make_wrong(check.gates().pins(), *wrong_gate);
  for (int t = 0; t < tables; ++t) {
#ifdef QOSARB_ACTIVITY
    if (t == 0) check.gates().trace("activity.vcd");
    if (t == 1) check.gates().end_trace();
#endif
    if (const std::string wrong = check.table(); !wrong.empty()) {
      fmt::print(stderr, "seed {}, table {}, {}\n", seed, t, wrong);
      return 1;
    }
  }
#ifdef QOSARB_ACTIVITY
  check.gates().end_trace();
#endif
  fmt::print("seed {}: {} decisions, {} grants, all as the reference\n", seed,
             check.seen().decisions, check.seen().grants);
  return check.seen().grants > 0 ? 0 : 1;
}

}  // namespace
}  // namespace qosarb::gate_level

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1;
  const int tables = argc > 2 ? std::atoi(argv[2]) : 20;
  std::optional<std::size_t> wrong_gate;
  if (argc > 3) wrong_gate = std::strtoull(argv[3], nullptr, 0);
  return qosarb::gate_level::run(seed, tables, wrong_gate);
}
