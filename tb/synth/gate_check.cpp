// Runs random traffic through a mapped netlist and holds every decision against the C++ reference.
//
// The netlist stands between registers: what is put in before clock edge t decides after it, and
// the grant is seen after edge t + 1. The reference decides at once, and its winners are taken from
// the queues, so a wrong grant is found one edge later. Built with QOSARB_ACTIVITY, the first
// table's run leaves activity.vcd, from which power is estimated.
#include <fmt/format.h>
#include <verilated.h>
#ifdef QOSARB_ACTIVITY
#include <verilated_vcd_c.h>
#endif

#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Vgates.h"
#include "gate_parameters.hpp"
#include "qosarb/policy/arbiter.hpp"

namespace {

using qosarb::ArbiterConfig;
using qosarb::BxiConfig;
using qosarb::Policy;

constexpr int kCyclesOfATable = 2000;
constexpr std::size_t kLongestQueue = 6;

/// Writes `width` bits from bit `lsb` on, whatever type Verilator chose for the port.
template <typename T>
void put(T& port, int lsb, int width, std::uint64_t value) {
  for (int i = 0; i < width; ++i) {
    const bool bit = ((value >> i) & 1U) != 0;
    const int position = lsb + i;
    if constexpr (std::is_integral_v<T>) {
      const T mask = static_cast<T>(T{1} << position);
      port = static_cast<T>(bit ? (port | mask) : (port & static_cast<T>(~mask)));
    } else {
      const auto word = static_cast<std::size_t>(position / 32);
      const std::uint32_t mask = 1U << (position % 32);
      port[word] = bit ? (port[word] | mask) : (port[word] & ~mask);
    }
  }
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  bool once_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

/// A strict configuration: every queue is served, every quantum holds any packet.
ArbiterConfig random_config(Random& random) {
  ArbiterConfig config;
  config.policy = kPolicy;
  config.queues = kQueues;
  config.max_packet_flits = kMaxPacketFlits;
  if (kPolicy == Policy::Rr) return config;
  const std::uint64_t limit = (std::uint64_t{1} << kQuantumWidth) - 1;
  const std::uint64_t usual = std::min<std::uint64_t>(limit, 4 * kMaxPacketFlits);
  BxiConfig table;
  const int entries = static_cast<int>(random.between(kQueues, kEntries));
  for (int e = 0; e < entries; ++e) {
    const int queue = e < kQueues ? e : static_cast<int>(random.below(kQueues));
    const std::uint64_t highest = random.once_in(8) ? limit : usual;
    table.table.push_back(
        {queue, static_cast<std::uint32_t>(random.between(kMaxPacketFlits, highest))});
  }
  for (std::size_t e = table.table.size() - 1; e > 0; --e) {
    std::swap(table.table[e], table.table[random.below(e + 1)]);
  }
  config.parameters = table;
  return config;
}

/// A port that only some policies have is left out where the netlist has none of that name.
#define QOSARB_PUT(name, lsb, width, value)                                     \
  [&](auto& gates) {                                                            \
    if constexpr (requires { gates.name; }) put(gates.name, lsb, width, value); \
  }(*model_)

class Gates {
 public:
  explicit Gates(VerilatedContext& context) : model_(std::make_unique<Vgates>(&context)) {
    model_->rst_ni = 0;
    idle();
    for (int i = 0; i < 4; ++i) clock();
    model_->rst_ni = 1;
  }

  void idle() {
    QOSARB_PUT(load_i, 0, 1, 0);
    QOSARB_PUT(request_i, 0, 1, 0);
    QOSARB_PUT(deficits_on_i, 0, 1, 1);
  }

  void load(bool on) { QOSARB_PUT(load_i, 0, 1, on ? 1 : 0); }

  void table(const BxiConfig& config) {
    for (int e = 0; e < kEntries; ++e) {
      const auto index = static_cast<std::size_t>(e);
      const bool used = index < config.table.size();
      QOSARB_PUT(entry_used_i, e, 1, used ? 1 : 0);
      QOSARB_PUT(entry_queue_i, e * kQueueWidth, kQueueWidth,
                 used ? static_cast<std::uint64_t>(config.table[index].queue) : 0);
      QOSARB_PUT(entry_quantum_i, e * kQuantumWidth, kQuantumWidth,
                 used ? config.quantum(index) : 0);
    }
  }

  void candidate(int queue, bool stopped, std::uint64_t flits, std::uint64_t next_flits,
                 std::uint64_t unknown) {
    QOSARB_PUT(valid_i, queue, 1, flits != 0 ? 1 : 0);
    QOSARB_PUT(stopped_i, queue, 1, stopped ? 1 : 0);
    // Without a packet the length means nothing, so it must not matter.
    QOSARB_PUT(flits_i, queue * kFlitsWidth, kFlitsWidth, flits != 0 ? flits : unknown);
    QOSARB_PUT(next_valid_i, queue, 1, next_flits != 0 ? 1 : 0);
    QOSARB_PUT(next_flits_i, queue * kFlitsWidth, kFlitsWidth,
               next_flits != 0 ? next_flits : unknown);
  }

  void request(bool on) { QOSARB_PUT(request_i, 0, 1, on ? 1 : 0); }

  void clock() {
    model_->clk_i = 0;
    model_->eval();
    model_->clk_i = 1;
    model_->eval();
#ifdef QOSARB_ACTIVITY
    if (tracing_) vcd_.dump(++time_);
#endif
  }

#ifdef QOSARB_ACTIVITY
  /// From now on, the values after each clock edge go into `file`.
  void trace(const char* file) {
    model_->trace(&vcd_, 1);
    vcd_.open(file);
    tracing_ = true;
  }
  void end_trace() {
    if (tracing_) vcd_.close();
    tracing_ = false;
  }
#endif

  [[nodiscard]] int granted() const {
    if (!model_->grant_valid_o) return -1;
    return kQueues > 1 ? static_cast<int>(model_->grant_queue_o) : 0;
  }
  [[nodiscard]] std::uint64_t one_hot() const { return model_->grant_o; }

 private:
  std::unique_ptr<Vgates> model_;
#ifdef QOSARB_ACTIVITY
  VerilatedVcdC vcd_;
  bool tracing_ = false;
  std::uint64_t time_ = 0;
#endif
};

struct Expected {
  bool known = false;
  int queue = -1;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1;
  const int tables = argc > 2 ? std::atoi(argv[2]) : 20;
  static_assert(kQueues <= 64);
  Random random(seed);

  VerilatedContext context;
  context.randReset(2);  // registers without a reset wake up at random
  context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
#ifdef QOSARB_ACTIVITY
  context.traceEverOn(true);
#endif
  Gates gates(context);

  std::uint64_t decisions = 0;
  std::uint64_t grants = 0;
  Expected expected;
  for (int t = 0; t < tables; ++t) {
    // The last cycle of the old table asks for nothing; the new one stands from the next cycle on.
    const ArbiterConfig config = random_config(random);
    gates.idle();
    gates.load(true);
    gates.clock();
    gates.load(false);
#ifdef QOSARB_ACTIVITY
    if (t == 0) gates.trace("activity.vcd");
    if (t == 1) gates.end_trace();
#endif
    if (const auto* table = std::get_if<BxiConfig>(&config.parameters)) gates.table(*table);
    expected.known = false;

    const auto reference = qosarb::make_reference(config);
    std::array<std::deque<std::uint32_t>, kQueues> queues;
    std::vector<qosarb::Head> heads(kQueues);
    const std::uint64_t pace = random.between(1, 2 * kQueues);  // mean cycles between arrivals
    const std::uint64_t longest =
        random.once_in(3) ? random.between(1, kMaxPacketFlits) : std::uint64_t{kMaxPacketFlits};
    for (int cycle = 0; cycle < kCyclesOfATable; ++cycle) {
      for (int q = 0; q < kQueues; ++q) {
        auto& queue = queues[static_cast<std::size_t>(q)];
        auto& head = heads[static_cast<std::size_t>(q)];
        if (queue.size() < kLongestQueue && random.once_in(pace)) {
          queue.push_back(static_cast<std::uint32_t>(random.between(1, longest)));
        }
        if (random.once_in(head.stopped ? 4 : 12)) head.stopped = !head.stopped;
        head.flits = queue.empty() ? 0 : queue.front();
        gates.candidate(q, head.stopped, head.flits, queue.size() > 1 ? queue[1] : 0,
                        random.below(kMaxPacketFlits + 1));
      }
      const bool request = !random.once_in(6);
      gates.request(request);
      Expected next{true, -1};
      if (request) {
        next.queue = reference->decide(static_cast<qosarb::Cycle>(cycle), heads).queue;
        ++decisions;
        if (next.queue >= 0) {
          ++grants;
          queues[static_cast<std::size_t>(next.queue)].pop_front();
        }
      }
      gates.clock();
      if (expected.known) {
        const std::uint64_t one_hot = expected.queue < 0 ? 0 : std::uint64_t{1} << expected.queue;
        if (gates.granted() != expected.queue || gates.one_hot() != one_hot) {
          fmt::print(stderr,
                     "seed {}, table {}, cycle {}: the reference grants {}, the gates grant {} "
                     "(one-hot {:#x})\n",
                     seed, t, cycle - 1, expected.queue, gates.granted(), gates.one_hot());
          return 1;
        }
      }
      expected = next;
    }
  }
#ifdef QOSARB_ACTIVITY
  gates.end_trace();
#endif
  fmt::print("seed {}: {} decisions, {} grants, all as the reference\n", seed, decisions, grants);
  return grants > 0 ? 0 : 1;
}
