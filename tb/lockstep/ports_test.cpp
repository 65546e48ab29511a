// Three ports of one configuration, each beside a reference of its own in every cycle: its grant,
// its state, and what it tells the age clock; the counters, errors, watchdog and state that its
// window shows; what of it is drained, flushed or reset while the others go on; and commits, good
// and refused, through any window, which all of them follow at the end of one cycle. Ports with
// Latency 1 have what the references chose in the last cycle, and the state that they had in it.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Vports_bench.h"
#include "Vports_bench___024root.h"
#include "ages/bench.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"
#include "cosim/programming.hpp"
#include "kernel/fields.hpp"
#include "kernel/random_traffic.hpp"
#include "qosarb/policy/age_clock.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/port.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/policy/trtcm.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

// The parameters of the bench.
constexpr std::size_t kPorts = 3;
constexpr std::size_t kQueues = 6;
constexpr bool kLate = QOSARB_LATENCY != 0;  // a request is answered in the next cycle
constexpr std::size_t kFlitsBits = 5;
constexpr std::size_t kFieldBits = 9;
constexpr std::size_t kBiasBits = 3;
constexpr std::size_t kVcs = 2;
constexpr std::size_t kAgeGroups = 4;
constexpr std::uint32_t kLongestShown = 31;
constexpr RtlLimits kLimits = {.queues = 6,
                               .entries = 10,
                               .quantum_bits = 6,
                               .packet_flits = 21,
                               .policies = QOSARB_ALL_POLICIES,
                               .vcs = kVcs};
// A snapshot takes a cycle for each counter and two more: four of a queue, two of errors, three of
// a trtcm class, and seastar-age's.
constexpr Cycle kSnapshotCycles = 4 * kQueues + 2 + 3 * kQueues + 3 * kVcs + kAgeGroups + 1 + 2;
// Of ERROR_STATUS.
constexpr std::uint32_t kLyingHead = QOSARB_PORT_ERROR_STATUS_LYING_HEAD_PUT(1);
constexpr std::uint32_t kPausedQueue = QOSARB_PORT_ERROR_STATUS_PAUSED_QUEUE_PUT(1);

struct Difference : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How much was seen.
struct Tally {
  std::uint64_t cycles = 0;
  std::uint64_t decisions = 0;  ///< that a port was asked for
  std::uint64_t gated = 0;      ///< of these, without a clock edge
  std::uint64_t contested = 0;  ///< grants of a port while two or more of its queues were active
  std::uint64_t commits = 0;
  std::uint64_t changes = 0;  ///< of these, to another policy
  std::uint64_t refused = 0;
  std::uint64_t counters = 0;  ///< read in a window and compared
  std::uint64_t stalls = 0;    ///< of trtcm, in counters that were read
  std::uint64_t ages = 0;      ///< the same of what seastar-age counts
  std::uint64_t states = 0;    ///< words of a port's state, read so
  std::uint64_t resets = 0;    ///< of one port
  std::uint64_t drops = 0;
  std::uint64_t lies = 0;
  std::uint64_t paused = 0;   ///< queues that a watchdog found
  std::uint64_t others = 0;   ///< cycles in which a port had a head of the other epoch
  std::uint64_t nowhere = 0;  ///< transfers to a window without a port
};

/// The arbiter of one port of the RTL, for reading.
class StateOf final : public PortState {
 public:
  StateOf(const Vports_bench& rtl, std::size_t port) : rtl_(rtl), port_(port) {}
  [[nodiscard]] std::uint32_t state(std::size_t word) const override {
    const auto& words = rtl_.rootp->ports_bench__DOT__u_ports__DOT__state;
    return words[port_ * (sizeof(words) / sizeof(EData) / kPorts) + word];
  }
  [[nodiscard]] std::uint32_t own_state(std::size_t index) const override {
    return state(2 + kLimits.entries + index);
  }

 private:
  const Vports_bench& rtl_;
  std::size_t port_;
};

/// The reference of a port, which a commit replaces; for a drop, whoever takes the head of the
/// lowest queue.
class Reference final : public Arbiter {
 public:
  explicit Reference(std::unique_ptr<Arbiter> first) : arbiter(std::move(first)) {}

  std::unique_ptr<Arbiter> arbiter;
  bool drops = false;

  void advance(Cycle now, Heads heads) override { arbiter->advance(now, heads); }
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age) override {
    return arbiter->arrive(now, queue, age);
  }
  Decision decide(Cycle now, Heads heads) override {
    if (!drops) {
      return arbiter->decide(now, heads);
    }
    for (Index queue = 0; const Head& head : heads) {
      if (head.flits != 0) {
        return {queue, head.flits, head.age};
      }
      ++queue;
    }
    return {};
  }
  [[nodiscard]] std::string describe() const override { return arbiter->describe(); }
};

/// What a port's counters hold.
struct Counters {
  struct OfQueue {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::uint64_t blocked = 0;
    std::uint64_t waiting = 0;
    std::uint64_t longest = 0;
    TwoRateArbiter::Stalls stalls;
  };
  struct OfChannel {
    std::uint64_t blocked = 0;
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
  };
  std::array<OfQueue, kQueues> queues{};
  std::array<OfChannel, kVcs> channels{};
  std::array<std::uint64_t, kAgeGroups> ages{};
  std::uint64_t stalled = 0;
  std::uint64_t lying = 0;
  std::uint64_t dropped = 0;
};

/// trtcm: the colour of each queue's head that is active and does not win.
using Stalling = std::array<std::optional<TwoRateArbiter::Colour>, kQueues>;

/// One port: its queues, its reference, what software has done to it, and what it counts.
struct Lane {
  Lane(Random& random, const ArbiterConfig& config, std::unique_ptr<Arbiter> first)
      : traffic(random, config, true, kLongestShown), request_percent(random.from(20U, 100U)) {
    auto own = std::make_unique<Reference>(std::move(first));
    reference = own.get();
    port = std::make_unique<Port>(config.queues, std::move(own));
  }

  RandomTraffic traffic;
  std::uint64_t request_percent;
  Reference* reference = nullptr;
  std::unique_ptr<Port> port;

  // CONTROL: FLUSH, FLUSH in the last cycle, DRAIN, and the cycle of the write that asked for a
  // reset.
  bool flush = false;
  bool flushed = false;
  bool drain = false;
  std::optional<Cycle> reset;

  Counters counts;                            // of the cycles before the present one
  Counters taken;                             // by the last snapshot
  Cycle taken_at = 0;                         // the cycle in which it can be read
  std::array<std::uint64_t, kQueues> wait{};  // of the head that stands

  /// A head that leaves, as it was when it was chosen.
  struct Leaving {
    std::size_t queue = 0;
    Head head;
    std::uint8_t age = 0;
  };
  std::optional<Leaving> answer;  // to the request of the last cycle, in the present one
  std::vector<Head> shown;        // in the present cycle
  std::vector<std::uint64_t> state_before{};  // of the reference, in the last one
  std::vector<Head> heads_before;             // of the port, in the last one
  Stalling stalling{};                        // in the last one, by these

  // ERROR_STATUS and ERROR_ENABLE; a head that lies was granted in the last cycle;
  std::uint32_t status = 0;
  std::uint32_t enabled = 0;
  bool lied = false;
  std::uint32_t clears = 0;  // what is written to ERROR_CLEAR in the present one

  // PFC_WATCHDOG, what is left of its interval, and the queues that were stopped in all of it;
  // those of PAUSED_QUEUES.
  struct Watchdog {
    std::uint32_t interval = 0;
    std::uint32_t left = 0;
    std::uint32_t stopped = 0;
    std::uint32_t paused = 0;
  };
  Watchdog watchdog;

  struct Left {
    bool epoch = false;
    std::uint8_t age = 0;
    bool granted = false;
  };
  std::optional<Left> leaves;  // in the last cycle
  bool others_wait = false;    // some head was of the other epoch in the last cycle
};

/// Three ports from a reset on.
class Life {
 public:
  Life(Random& random, std::vector<PolicyRef> policies, Tally& tally)
      : random_(random),
        tally_(tally),
        policies_(std::move(policies)),
        period_(random.spread(1U, 40U)),
        clock_(std::make_shared<AgeClock>(period_)) {
    prepare(context_);
    rtl_ = std::make_unique<Vports_bench>(&context_);
    rtl_->clk_i = 0;
    for (const CData reset : std::array<CData, 3>{1, 0, 1}) {
      rtl_->rst_ni = reset;
      rtl_->eval();
    }
    next_ = drawn([this] { return random_config(random_, random_.one_of(policies_), kLimits); });
    config_.queues = next_->queues;
    config_.max_packet_flits = kLimits.packet_flits;
    for (std::size_t p = 0; p < kPorts; ++p) {
      lanes_.push_back(std::make_unique<Lane>(random_, *next_, make_reference(config_)));
      lanes_.back()->state_before = state_of(*lanes_.back());
    }
    asked_ = QOSARB_PORT_STATUS_REASON_NONE;
    write_configuration(*next_);
  }

  void run(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      cycle();
    }
  }

 private:
  /// What the bus does in the window of a port.
  struct Transfer {
    std::size_t window = 0;
    bool write = false;
    RegisterWrite word;
    bool refused = false;
    std::function<std::uint64_t()> expected;  // of a read, as its setup finds it
    std::uint32_t mask = UINT32_MAX;          // the bits of it that count
    std::function<void()> counts;             // a write that the counters of its cycle obey
    std::function<void()> effect;             // any other write, at the end of its cycle
  };

  [[noreturn]] void differ(const std::string& what) const {
    throw Difference(fmt::format("cycle {}, {}: {}", now_, config_.policy.name(), what));
  }
  void expect(std::size_t port, std::uint64_t rtl, std::uint64_t reference,
              const std::string& what) const {
    if (rtl != reference) {
      differ(fmt::format("port {}: {} is {:#x}, not {:#x}", port, what, rtl, reference));
    }
  }

  template <typename Draw>
  ArbiterConfig drawn(Draw draw) {
    for (;;) {
      ArbiterConfig config = draw();
      if (auto* const seastar = config.parameters.get_if<SeastarConfig>()) {
        seastar->age_clock_period = period_;  // the chip's clock goes on as it is
      }
      if (!build_obstacle(config, kLimits)) {
        return config;
      }
    }
  }
  [[nodiscard]] std::unique_ptr<Arbiter> reference_of_config() const {
    return config_.policy->shares_chip_clock() ? config_.policy->make_reference(config_, clock_)
                                               : make_reference(config_);
  }

  // What comes, what is decided, what the bus does, and the clock edge.
  void cycle() {
    clock_->advance(now_);
    rtl_->age_timestamp_i = clock_->timestamp();
    rtl_->age_epoch_i = clock_->epoch() ? 1 : 0;
    rtl_->age_inhibit_i = clock_->inhibit() ? 1 : 0;
    for (std::size_t p = 0; p < kPorts; ++p) {
      Lane& lane = *lanes_[p];
      lane.port->reach(now_);
      if (in_traffic_) {
        lane.traffic.happen_at(now_, *lane.port, lane.drain || now_ < quiet_until_);
      }
      show(p);
      set_bit(rtl_->request_i, p, in_traffic_ && random_.chance(lane.request_percent));
    }
    drive_bus();
    rtl_->clk_i = 0;
    rtl_->eval();
    const std::function<void()> effect = look_at_bus();
    for (std::size_t p = 0; p < kPorts; ++p) {
      compare(p);
    }
    if (in_traffic_ && config_.policy->shares_chip_clock()) {
      compare_programmed_ages();
    }
    const bool applies = rtl_->table_applied_o != 0;
    // The clock may stand where the ports say so, and nobody may see a difference.
    if (rtl_->idle_o != 0 && random_.chance(50)) {
      ++tally_.gated;
    } else {
      rtl_->clk_i = 1;
      rtl_->eval();
      for (const auto& lane : lanes_) {
        watch(*lane);
      }
    }
    for (const auto& lane : lanes_) {
      lane->flushed = lane->flush;
    }
    if (effect) {
      effect();
    }
    ++now_;
    ++tally_.cycles;
    clock_->advance(now_);
    if (applies) {
      apply();
    }
    for (const auto& lane : lanes_) {
      go_on_with_reset(*lane);
    }
    if (transfers_.empty() && now_ >= free_at_) {
      next_thing();
    }
  }

  void show(std::size_t p) {
    rtl_->valid_i[p] = 0;
    rtl_->pfc_stop_i[p] = 0;
    rtl_->next_valid_i[p] = 0;
    Lane& lane = *lanes_[p];
    lane.shown.assign(lane.port->heads().begin(), lane.port->heads().end());
    if (lane.answer) {  // the packet stands before those that are left
      const std::size_t q = lane.answer->queue;
      Head& head = lane.shown[q];
      set_bit(rtl_->next_valid_i[p], q, head.flits != 0);
      set_element(rtl_->next_flits_i[p], q, kFlitsBits, head.shown_flits());
      set_element(rtl_->next_age_field_i[p], q, kFieldBits, head.stamp.field);
      set_bit(rtl_->next_age_in_epoch_i[p], q, head.stamp.epoch);
      lane.answer->head.stopped = head.stopped;
      head = lane.answer->head;
    }
    for (std::size_t q = 0; const Head& head : lane.shown) {
      set_bit(rtl_->valid_i[p], q, head.flits != 0);
      set_bit(rtl_->pfc_stop_i[p], q, head.stopped);
      set_element(rtl_->flits_i[p], q, kFlitsBits, head.shown_flits());
      set_element(rtl_->age_field_i[p], q, kFieldBits, head.stamp.field);
      set_bit(rtl_->age_in_epoch_i[p], q, head.stamp.epoch);
      ++q;
    }
  }

  // Behind the write that resets a port: three cycles without a grant, that of the reset, and the
  // first one of the new state, which takes no request.
  static constexpr Cycle kInReset = 4;
  static constexpr Cycle kBegins = 5;
  [[nodiscard]] Cycle since_reset(const Lane& lane) const {
    return lane.reset ? now_ - *lane.reset : 0;
  }

  void compare(std::size_t p) {
    Lane& lane = *lanes_[p];
    const Cycle since = since_reset(lane);
    if (since < kInReset) {
      compare_state(p);
    }
    expect(p, rtl_->left_o >> p & 1U, lane.leaves ? 1 : 0, "left_o");
    if (lane.leaves) {
      expect(p, rtl_->left_epoch_o >> p & 1U, lane.leaves->epoch ? 1 : 0, "left_epoch_o");
      if (lane.leaves->granted) {
        expect(p, rtl_->left_age_o[p], lane.leaves->age, "left_age_o");
      }
    }
    lane.leaves.reset();
    compare_others(p);

    const bool holds = lane.flush || lane.flushed || since != 0;
    const bool drops = lane.flush && lane.flushed && since == 0;
    const bool asks = (rtl_->request_i >> p & 1U) != 0 && !(kLate && rtl_->table_applied_o != 0);
    std::optional<Lane::Leaving> leaving;
    // In the cycle before it starts over its buckets are full already, by the reset.
    const std::vector<Head> heads(lane.port->heads().begin(), lane.port->heads().end());
    Stalling stalling = since == kBegins ? stalling_of(heads, *reference_of_config())
                                         : stalling_of(heads, *lane.reference->arbiter);
    if (drops || (!holds && asks)) {
      leaving = choose(lane, drops);
    }
    if (leaving && !drops) {
      stalling[leaving->queue].reset();
    }
    if (kLate) {
      std::swap(stalling, lane.stalling);
      lane.heads_before = heads;
    }
    if (kLate && !drops) {
      std::swap(leaving, lane.answer);
    }
    const std::uint32_t leaves = leaving ? 1U << leaving->queue : 0;
    const std::uint32_t granted = drops ? 0 : leaves;
    expect(p, rtl_->grant_o[p], granted, "the grant");
    expect(p, rtl_->grant_valid_o >> p & 1U, granted != 0 ? 1 : 0, "grant_valid_o");
    if (granted != 0) {
      expect(p, rtl_->grant_queue_o[p], leaving->queue, "grant_queue_o");
    }
    expect(p, rtl_->drop_o[p], drops ? leaves : 0, "the drop");
    expect(p, rtl_->drain_o >> p & 1U, lane.drain ? 1 : 0, "drain_o");
    expect(p, rtl_->interrupt_o >> p & 1U, (lane.status & lane.enabled) != 0 ? 1 : 0,
           "interrupt_o");
    lane.status = (lane.status & ~lane.clears) | (lane.lied ? kLyingHead : 0);
    if ((lane.clears & kPausedQueue) != 0) {
      lane.watchdog.paused = 0;
    }
    lane.clears = 0;
    lane.lied = false;
    if (leaving) {
      lane.leaves = {leaving->head.stamp.epoch, leaving->age, !drops};
    }
    if (since != kInReset) {
      count(lane, leaving, drops);
      count(lane, stalling);
      if (config_.policy->shares_chip_clock()) {
        count_ages(lane, drops ? std::nullopt : leaving);
      }
    }
  }

  // Whether packets of the other epoch wait is told a cycle later; nothing is in a reset.
  void compare_others(std::size_t p) {
    Lane& lane = *lanes_[p];
    const bool in_reset = since_reset(lane) == kInReset;
    expect(p, rtl_->age_others_wait_o >> p & 1U, lane.others_wait && !in_reset ? 1 : 0,
           "age_others_wait_o");
    const bool epoch = clock_->epoch();
    lane.others_wait =
        !in_reset && std::any_of(lane.shown.begin(), lane.shown.end(), [epoch](const Head& head) {
          return head.flits != 0 && head.stamp.epoch != epoch;
        });
    tally_.others += lane.others_wait ? 1 : 0;
  }

  void compare_programmed_ages() const {
    const auto& seastar = config_.parameters.get<SeastarConfig>();
    if (rtl_->age_clock_period_o != period_) {
      differ("the age clock's period is another one");
    }
    for (std::size_t i = 0; i < seastar.req_age_bias.size(); ++i) {
      if (element(rtl_->req_age_bias_o, i, kBiasBits) != seastar.req_age_bias[i] ||
          element(rtl_->rsp_age_bias_o, i, kBiasBits) != seastar.rsp_age_bias[i]) {
        differ(fmt::format("input port {} has other biases", i));
      }
    }
  }

  // The end of a cycle in which the clock runs: the watchdog's interval goes on. In one that stands
  // there is no head.
  void watch(Lane& lane) {
    Lane::Watchdog& dog = lane.watchdog;
    if (dog.left == 0) {
      return;
    }
    for (std::size_t q = 0; q < kQueues; ++q) {
      const bool stopped =
          q < lane.shown.size() && lane.shown[q].flits != 0 && lane.shown[q].stopped;
      dog.stopped &= stopped ? ~0U : ~(1U << q);
    }
    if (--dog.left == 0) {
      dog.paused |= dog.stopped;
      lane.status |= dog.stopped != 0 ? kPausedQueue : 0;
      tally_.paused += dog.stopped != 0 ? 1 : 0;
      begin_interval(dog);
    }
  }
  static void begin_interval(Lane::Watchdog& dog) {
    dog.left = dog.interval;
    dog.stopped = (1U << kQueues) - 1;
  }

  // If nobody wins.
  [[nodiscard]] static Stalling stalling_of(const std::vector<Head>& heads,
                                            const Arbiter& arbiter) {
    Stalling stalling;
    if (const auto* trtcm = dynamic_cast<const TwoRateArbiter*>(&arbiter)) {
      for (Index q = 0; const Head& head : heads) {
        if (head.active()) {
          stalling[q] = trtcm->colour(q, head.flits);
        }
        ++q;
      }
    }
    return stalling;
  }

  // The head that leaves by this cycle's request, or as the one that is dropped in it.
  std::optional<Lane::Leaving> choose(Lane& lane, bool drops) {
    const std::vector<Head> heads(lane.port->heads().begin(), lane.port->heads().end());
    lane.reference->drops = drops;
    const Decision decision = lane.port->arbitrate(now_).decision;
    lane.reference->drops = false;
    lane.traffic.sent(decision);
    tally_.decisions += drops ? 0 : 1;
    if (decision.queue < 0) {
      return {};
    }
    const auto queue = static_cast<std::size_t>(decision.queue);
    const AgeStamp stamp = heads[queue].stamp;
    if (drops && config_.policy->shares_chip_clock()) {
      clock_->leave(stamp.epoch);
    }
    tally_.contested +=
        !drops && std::count_if(heads.begin(), heads.end(),
                                [](const Head& other) { return other.active(); }) > 1
            ? 1
            : 0;
    tally_.drops += drops ? 1 : 0;
    return Lane::Leaving{queue, heads[queue],
                         new_age(stamp, clock_->timestamp(), clock_->epoch(), Variant::Corrected)};
  }

  // What the reference has beside the chip's clock.
  [[nodiscard]] std::vector<std::uint64_t> state_of(const Lane& lane) const {
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint64_t> chip;
    lane.reference->arbiter->append_state(numbers);
    if (config_.policy->shares_chip_clock()) {
      clock_->append_state(chip);
    }
    numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(chip.size()));
    return numbers;
  }

  // A decision is in the state of the RTL behind the cycle of its answer.
  void compare_state(std::size_t p) {
    std::vector<std::uint64_t> by_reference = state_of(*lanes_[p]);
    if (kLate) {
      std::swap(by_reference, lanes_[p]->state_before);
    }
    std::vector<std::uint64_t> by_rtl;
    const PolicyRtl& policy = rtl_of(config_.policy);
    policy.append_state(StateOf(*rtl_, p), config_, by_rtl);
    if (by_reference != by_rtl) {
      differ(fmt::format("the states of port {} differ:\n  reference: {}\n  RTL:       {}", p,
                         lanes_[p]->reference->describe(), policy.describe(config_, by_rtl)));
    }
  }

  // What the cycle, in which `leaving` is granted or dropped, adds to the counters.
  void count(Lane& lane, const std::optional<Lane::Leaving>& leaving, bool drops) {
    for (std::size_t q = 0; q < lane.shown.size(); ++q) {
      const Head& head = lane.shown[q];
      Counters::OfQueue& queue = lane.counts.queues[q];
      const bool leaves = leaving && leaving->queue == q;
      const bool waits = head.active() && !(leaves && !drops);
      queue.blocked += head.flits != 0 && head.stopped ? 1 : 0;
      queue.waiting += waits ? 1 : 0;
      lane.wait[q] += waits ? 1 : 0;
      queue.longest = std::max(queue.longest, lane.wait[q]);
      if (head.flits == 0 || leaves) {
        lane.wait[q] = 0;
      }
      if (leaves && !drops) {
        queue.packets += 1;
        queue.flits += head.flits;
        lane.lied = head.says_zero || head.flits > max_packet_flits(config_, static_cast<Index>(q));
        lane.counts.lying += lane.lied ? 1 : 0;
        tally_.lies += lane.lied ? 1 : 0;
      }
    }
    lane.counts.dropped += drops && leaving ? 1 : 0;
  }

  // By the channels of the build.
  static void count_ages(Lane& lane, const std::optional<Lane::Leaving>& granted) {
    Counters& counts = lane.counts;
    bool waits = false;
    bool goes = false;
    std::array<bool, kVcs> blocked{};
    for (std::size_t q = 0; q < lane.shown.size(); ++q) {
      const Head& head = lane.shown[q];
      waits = waits || head.flits != 0;
      goes = goes || head.active();
      blocked[q % kVcs] = blocked[q % kVcs] || (head.flits != 0 && head.stopped);
    }
    counts.stalled += waits && !goes ? 1 : 0;
    for (std::size_t vc = 0; vc < kVcs; ++vc) {
      counts.channels[vc].blocked += blocked[vc] ? 1 : 0;
    }
    if (granted) {
      counts.channels[granted->queue % kVcs].packets += 1;
      counts.channels[granted->queue % kVcs].flits += granted->head.flits;
      counts.ages[granted->age / (256 / kAgeGroups)] += 1;
    }
  }

  static void count(Lane& lane, const Stalling& stalling) {
    for (std::size_t q = 0; q < kQueues; ++q) {
      TwoRateArbiter::Stalls& stalls = lane.counts.queues[q].stalls;
      stalls.green += stalling[q] == TwoRateArbiter::Colour::Green ? 1 : 0;
      stalls.yellow += stalling[q] == TwoRateArbiter::Colour::Yellow ? 1 : 0;
      stalls.red += stalling[q] == TwoRateArbiter::Colour::Red ? 1 : 0;
    }
  }

  void go_on_with_reset(Lane& lane) {
    switch (since_reset(lane)) {
      case 0:
        break;
      case kInReset:
        lane.flush = false;
        lane.flushed = false;
        lane.drain = false;
        lane.status = 0;
        lane.enabled = 0;
        lane.watchdog = {};
        break;
      case kBegins:
        lane.counts = {};
        lane.stalling = {};  // nothing was looked at in the reset
        lane.taken = {};
        lane.taken_at = 0;
        lane.wait = {};
        break;
      case kBegins + 1:
        ++tally_.resets;
        lane.reset.reset();
        start_over(lane);
        break;
      default:
        break;
    }
  }

  void start_over(Lane& lane) {
    lane.reference->arbiter = reference_of_config();
    lane.reference->advance(now_, lane.port->heads());
    lane.state_before = state_of(lane);
    // With Latency 1 the heads of the last cycle are decided by in this one, anew.
    lane.stalling = stalling_of(lane.heads_before, *lane.reference->arbiter);
  }

  // A commit took effect at the end of the last cycle.
  void apply() {
    if (!next_) {
      differ("a commit that must be refused took effect");
    }
    tally_.changes += next_->policy != config_.policy ? 1 : 0;
    ++tally_.commits;
    config_ = *next_;
    next_.reset();
    in_traffic_ = true;
    for (const auto& lane : lanes_) {
      start_over(*lane);
    }
  }

  // The bus.
  void drive_bus() {
    if (phase_ == 1) {
      phase_ = 2;
    } else {
      phase_ = !transfers_.empty() && random_.chance(70) ? 1 : 0;
    }
    rtl_->psel_i = phase_ != 0 ? 1 : 0;
    rtl_->penable_i = phase_ == 2 ? 1 : 0;
    if (phase_ == 1) {
      const Transfer& transfer = transfers_.front();
      rtl_->pwrite_i = transfer.write ? 1 : 0;
      rtl_->paddr_i =
          static_cast<SData>(transfer.window * QOSARB_PORT_WINDOW_BYTES + transfer.word.offset);
      rtl_->pwdata_i = transfer.word.value;
    }
  }
  /// What the end of the cycle does.
  std::function<void()> look_at_bus() {
    if (phase_ == 1 && transfers_.front().expected) {
      expected_ = transfers_.front().expected();
    }
    if (phase_ != 2) {
      return {};
    }
    const Transfer transfer = std::move(transfers_.front());
    transfers_.pop_front();
    if ((rtl_->pslverr_o != 0) != transfer.refused) {
      differ(fmt::format("register {:#x} in window {}: PSLVERR is {}", transfer.word.offset,
                         transfer.window, rtl_->pslverr_o));
    }
    if (transfer.expected) {
      expect(transfer.window, rtl_->prdata_o & transfer.mask, expected_ & transfer.mask,
             fmt::format("register {:#x}", transfer.word.offset));
    }
    if (transfer.counts) {
      transfer.counts();
    }
    return transfer.effect;
  }

  std::size_t any_port() { return random_.below(kPorts); }
  Transfer& write(std::size_t window, std::uint32_t offset, std::uint32_t value) {
    transfers_.push_back({.window = window, .write = true, .word = {offset, value}});
    return transfers_.back();
  }
  Transfer& read(std::size_t window, std::uint32_t offset) {
    transfers_.push_back({.window = window, .word = {offset, 0}});
    return transfers_.back();
  }

  // One thing after the other.
  void next_thing() {
    if (asked_) {
      check_outcome();
      return;
    }
    const bool quiet = now_ < quiet_until_;
    if (!quiet &&
        random_.once_in(20)) {  // a while in which all queues run empty, and the clock may stand
      quiet_until_ = now_ + random_.spread<Cycle>(10, 400);
      free_at_ = random_.from(now_, quiet_until_);
      return;
    }
    const std::size_t port = any_port();
    const std::uint64_t thing = random_.below(quiet ? 20 : 100);
    if (thing < 3) {
      draw_next();
      write_configuration(*next_);
    } else if (thing < 6) {
      commit_what_is_wrong();
    } else if (thing < 8) {
      write(kPorts, QOSARB_PORT_POLICY_OFFSET, 0).refused = true;
      read(kPorts, QOSARB_PORT_ID_OFFSET).refused = true;
      tally_.nowhere += 2;
    } else if (lanes_[port]->reset) {
      // Nobody talks to a port in its reset.
    } else if (thing < 14) {
      control(port);
    } else if (thing < 20) {
      count_anew(port);
    } else if (thing < 26) {
      errors(port);
    } else if (thing < 60) {
      read_counters(port);
    } else {
      read_state(port);
    }
  }

  void draw_next() {
    next_ = drawn([this] {
      return random_successor(random_, random_.one_of(policies_), kLimits, config_, true);
    });
    asked_ = QOSARB_PORT_STATUS_REASON_NONE;
  }
  // Through any windows: the configuration is that of all ports.
  void write_configuration(const ArbiterConfig& config) {
    for (const RegisterWrite& word : register_writes(config, kLimits)) {
      write(any_port(), word.offset, word.value);
    }
    transfers_.back().effect = [this] { free_at_ = now_ + kLimits.entries + 5; };
  }
  void commit_what_is_wrong() {
    std::vector<Refusal> all = random_of(config_.policy).refusals(random_, config_);
    std::erase_if(all, [](const Refusal& wrong) {
      return build_obstacle(wrong.config, kLimits).has_value();
    });
    if (!all.empty()) {
      const Refusal& wrong = random_.one_of(all);
      asked_ = wrong.reason;
      write_configuration(wrong.config);
    }
  }
  void check_outcome() {
    const std::uint32_t reason = *asked_;
    asked_.reset();
    const bool good = reason == QOSARB_PORT_STATUS_REASON_NONE;
    if (good && next_) {
      differ("a commit that must take effect did not");
    }
    tally_.refused += good ? 0 : 1;
    for (std::size_t p = 0; p < kPorts; ++p) {
      read(p, QOSARB_PORT_POLICY_IN_FORCE_OFFSET).expected = [this] {
        return rtl_of(config_.policy).code();
      };
      Transfer& status = read(p, QOSARB_PORT_STATUS_OFFSET);
      status.mask = ~QOSARB_PORT_STATUS_WHERE_PUT(0xff);  // other tests look at that
      status.expected = [good, reason] {
        return QOSARB_PORT_STATUS_OUTCOME_PUT(good ? QOSARB_PORT_STATUS_OUTCOME_IN_FORCE
                                                   : QOSARB_PORT_STATUS_OUTCOME_REFUSED) |
               QOSARB_PORT_STATUS_REASON_PUT(reason);
      };
    }
  }

  void control(std::size_t port) {
    Lane& lane = *lanes_[port];
    const bool flush = random_.chance(25);
    const bool drain = random_.chance(30);
    const bool reset = random_.chance(20);
    // A commit may take effect in any cycle of a port's reset: all is written but COMMIT, which
    // comes behind CONTROL.
    std::vector<RegisterWrite> words;
    if (reset && in_traffic_ && random_.chance(50)) {
      draw_next();
      words = register_writes(*next_, kLimits);
      for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        write(any_port(), words[i].offset, words[i].value);
      }
    }
    write(port, QOSARB_PORT_CONTROL_OFFSET,
          QOSARB_PORT_CONTROL_FLUSH_PUT(flush ? 1 : 0) |
              QOSARB_PORT_CONTROL_DRAIN_PUT(drain ? 1 : 0) |
              QOSARB_PORT_CONTROL_SOFT_RESET_PUT(reset ? 1 : 0))
        .effect = [this, &lane, flush, drain, reset] {
      lane.flush = flush;
      lane.drain = drain;
      if (reset) {
        lane.reset = now_;
        if (random_.chance(50)) {  // nothing keeps the clock awake until it has started over
          free_at_ = now_ + 2 * kBegins;
          quiet_until_ = std::min(quiet_until_, now_ + kBegins + 1);
        }
      }
    };
    if (!words.empty()) {
      write((port + 1) % kPorts, words.back().offset, words.back().value).effect = [this] {
        free_at_ = now_ + kLimits.entries + 5;
      };
    }
  }

  void errors(std::size_t port) {
    Lane& lane = *lanes_[port];
    const auto enable = random_.from(0U, kLyingHead | kPausedQueue);
    const auto clear = random_.from(0U, kLyingHead | kPausedQueue);
    read(port, QOSARB_PORT_ERROR_STATUS_OFFSET).expected = [&lane] { return lane.status; };
    read(port, QOSARB_PORT_PAUSED_QUEUES_OFFSET).expected = [&lane] {
      return lane.watchdog.paused;
    };
    write(port, QOSARB_PORT_ERROR_ENABLE_OFFSET, enable).effect = [&lane, enable] {
      lane.enabled = enable;
    };
    // An error that comes with its clearing stays.
    write(port, QOSARB_PORT_ERROR_CLEAR_OFFSET, clear).counts = [&lane, clear] {
      lane.clears = clear;
    };
    if (random_.chance(30)) {
      const auto interval = random_.from(0U, 20U);
      write(port, QOSARB_PORT_PFC_WATCHDOG_OFFSET, interval).effect = [&lane, interval] {
        lane.watchdog.interval = interval;
        begin_interval(lane.watchdog);
      };
    }
    read(port, QOSARB_PORT_PFC_WATCHDOG_OFFSET).expected = [&lane] {
      return lane.watchdog.interval;
    };
  }

  [[nodiscard]] bool can_read_counters(const Lane& lane) const { return now_ >= lane.taken_at; }

  void count_anew(std::size_t port) {
    Lane& lane = *lanes_[port];
    if (!can_read_counters(lane)) {
      return;
    }
    if (random_.chance(15)) {
      write(port, QOSARB_PORT_COUNTER_CLEAR_OFFSET, 1).counts = [&lane] {
        lane.counts = {};
        lane.wait = {};
      };
      return;
    }
    write(port, QOSARB_PORT_SNAPSHOT_OFFSET, 1).counts = [this, &lane] {
      lane.taken = lane.counts;
      lane.taken_at = now_ + kSnapshotCycles + 2;
      for (std::size_t q = 0; q < kQueues; ++q) {
        lane.counts.queues[q].longest = lane.wait[q];
      }
    };
  }

  // Of one queue, with the window of another port in between.
  void read_counters(std::size_t port) {
    const Lane& lane = *lanes_[port];
    if (!can_read_counters(lane)) {
      return;
    }
    const std::size_t q = random_.below(kQueues);
    const Counters::OfQueue& queue = lane.taken.queues[q];
    const auto counter = [this, port](std::uint32_t offset, std::uint64_t value) {
      read(port, offset).expected = [value] { return value; };
      read(any_port(), QOSARB_PORT_COUNTER_HIGH_OFFSET).expected = [value] { return value >> 32; };
      ++tally_.counters;
    };
    counter(QOSARB_PORT_PACKETS_OFFSET(q), queue.packets);
    counter(QOSARB_PORT_FLITS_OFFSET(q), queue.flits);
    counter(QOSARB_PORT_BLOCKED_OFFSET(q), queue.blocked);
    counter(QOSARB_PORT_WAITING_OFFSET(q), queue.waiting);
    const std::size_t other = any_port();
    if (other != port && !lanes_[other]->reset && can_read_counters(*lanes_[other])) {
      const std::size_t of = random_.below(kQueues);
      read(other, QOSARB_PORT_PACKETS_OFFSET(of)).expected =
          [value = lanes_[other]->taken.queues[of].packets] { return value; };
    }
    read(port, QOSARB_PORT_LONGEST_WAIT_OFFSET).expected = [value = queue.longest] {
      return value;
    };
    tally_.stalls += queue.stalls.green + queue.stalls.yellow + queue.stalls.red;
    counter(QOSARB_PORT_GREEN_STALLS_OFFSET(q), queue.stalls.green);
    counter(QOSARB_PORT_YELLOW_STALLS_OFFSET(q), queue.stalls.yellow);
    counter(QOSARB_PORT_RED_STALLS_OFFSET(q), queue.stalls.red);
    const std::size_t vc = random_.below(kVcs);
    const std::size_t group = random_.below(kAgeGroups);
    const Counters::OfChannel& channel = lane.taken.channels[vc];
    tally_.ages += channel.blocked + channel.packets + lane.taken.ages[group] + lane.taken.stalled;
    counter(QOSARB_PORT_VC_BLOCKED_OFFSET(vc), channel.blocked);
    counter(QOSARB_PORT_VC_PACKETS_OFFSET(vc), channel.packets);
    counter(QOSARB_PORT_VC_FLITS_OFFSET(vc), channel.flits);
    counter(QOSARB_PORT_AGE_GROUP_OFFSET(group), lane.taken.ages[group]);
    counter(QOSARB_PORT_AGE_STALLED_OFFSET, lane.taken.stalled);
    counter(QOSARB_PORT_LYING_HEADS_OFFSET, lane.taken.lying);
    counter(QOSARB_PORT_DROPPED_HEADS_OFFSET, lane.taken.dropped);
  }

  // What a window shows of its port's arbiter, which is compared with the reference in every cycle.
  void read_state(std::size_t port) {
    const auto word = [this, port](std::uint32_t offset, auto value) {
      read(port, offset).expected = [this, port, value] { return value(StateOf(*rtl_, port)); };
      ++tally_.states;
    };
    const std::size_t entry = random_.below(kLimits.entries);
    const std::size_t q = random_.below(kQueues);
    word(QOSARB_PORT_CURRENT_OFFSET, [](const StateOf& state) { return state.current(); });
    word(QOSARB_PORT_REMAINING_OFFSET, [](const StateOf& state) { return state.remaining(); });
    word(QOSARB_PORT_DEFICIT_OFFSET(entry),
         [entry](const StateOf& state) { return state.deficit(entry); });
    const std::string_view name = config_.policy.name();
    if (name == "trtcm") {
      word(QOSARB_PORT_ASSURED_TOKENS_OFFSET(q),
           [q](const StateOf& state) { return state.own_state(2 * q); });
      word(QOSARB_PORT_PEAK_TOKENS_OFFSET(q),
           [q](const StateOf& state) { return state.own_state(2 * q + 1); });
    } else if (name == "infiniband") {
      word(QOSARB_PORT_VL_LOW_CURRENT_OFFSET,
           [](const StateOf& state) { return state.own_state(0) | state.own_state(3) << 8; });
      word(QOSARB_PORT_VL_LOW_REMAINING_OFFSET,
           [](const StateOf& state) { return state.own_state(1); });
      word(QOSARB_PORT_VL_HIGH_BYTES_OFFSET,
           [](const StateOf& state) { return state.own_state(2); });
    } else if (name == "seastar-age") {
      word(QOSARB_PORT_AGE_STATE_OFFSET,
           [](const StateOf& state) { return state.own_state(0) | state.own_state(1) << 8; });
    }
  }

  Random& random_;
  Tally& tally_;
  std::vector<PolicyRef> policies_;
  std::uint32_t period_;
  std::shared_ptr<AgeClock> clock_;
  VerilatedContext context_;
  std::unique_ptr<Vports_bench> rtl_;
  ArbiterConfig config_;  // in force
  std::vector<std::unique_ptr<Lane>> lanes_;
  Cycle now_ = 0;
  Cycle quiet_until_ = 0;    // nothing arrives before it
  bool in_traffic_ = false;  // behind the first commit

  std::deque<Transfer> transfers_;
  int phase_ = 0;  // of the first one: 0 it is yet to begin, 1 setup, 2 access
  std::uint64_t expected_ = 0;
  Cycle free_at_ = 0;                   // when the next thing may begin
  std::optional<ArbiterConfig> next_;   // of the commit that is on its way
  std::optional<std::uint32_t> asked_;  // a commit was written that has to end with this reason
};

// seastar-age counts the packets of the chip, so that it does not come or go while some wait.
std::vector<PolicyRef> policies(bool of_the_chip) {
  std::vector<PolicyRef> all;
  for (const PolicyRtl* const policy : policies_with_rtl()) {
    if (policy->policy()->shares_chip_clock() == of_the_chip) {
      all.push_back(policy->policy());
    }
  }
  return all;
}

TEST(PortsOfOneTable, AreEachLikeItsReference) {
  const std::uint64_t decisions = from_environment("QOSARB_DECISIONS", 300'000);
  Random random(test_seed());
  Tally tally;
  try {
    while (tally.decisions < decisions) {
      Life(random, policies(random.chance(20)), tally).run(random.within(1, 4'000));
    }
  } catch (const Difference& difference) {
    FAIL() << difference.what();
  }
  std::cout << fmt::format(
      "cycles {}, without a clock edge {}, decisions {}, contested {}, commits {}, policy_changes "
      "{}, "
      "refused {}, counters {}, stalls {}, ages {}, state_words {}, resets {}, drops {}, lies {}, "
      "paused {}, others {}, nowhere {}\n",
      tally.cycles, tally.gated, tally.decisions, tally.contested, tally.commits, tally.changes,
      tally.refused, tally.counters, tally.stalls, tally.ages, tally.states, tally.resets,
      tally.drops, tally.lies, tally.paused, tally.others, tally.nowhere);
  EXPECT_GT(tally.gated, decisions / 500);
  EXPECT_GT(tally.contested, decisions / 5);
  EXPECT_GT(tally.changes, decisions / 5000);
  EXPECT_GT(tally.refused, decisions / 10'000);
  EXPECT_GT(tally.counters, decisions / 100);
  EXPECT_GT(tally.stalls, decisions / 1000);
  if (decisions >= 100'000) {  // of fewer, none may be of seastar-age
    EXPECT_GT(tally.ages, decisions / 1000);
  }
  EXPECT_GT(tally.states, decisions / 100);
  EXPECT_GT(tally.resets, decisions / 10'000);
  EXPECT_GT(tally.drops, decisions / 100);
  EXPECT_GT(tally.lies, decisions / 1000);
  EXPECT_GT(tally.paused, decisions / 1000);
  EXPECT_GT(tally.others, decisions / 100);
  EXPECT_GT(tally.nowhere, decisions / 5000);
}

}  // namespace
}  // namespace qosarb::test
