#include "cosim/rtl_port.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "cosim/age_chip.hpp"
#include "cosim/context.hpp"
#include "cosim/coverage.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/wave_text.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "verilated.h"

namespace qosarb {

namespace {

std::string text_of_refusal(const PolicyRtl& policy, std::uint32_t status) {
  const std::uint32_t reason = QOSARB_PORT_STATUS_REASON_GET(status);
  const std::uint32_t where = QOSARB_PORT_STATUS_WHERE_GET(status);
  return policy.refusal(reason, where).value_or(fmt::format("reason {} at {}", reason, where));
}

// In one comparison, since in most cycles most heads stay.
bool differs(const Head& head, const Head& driven) {
  return ((head.flits ^ driven.flits) | (head.says_zero ^ driven.says_zero) |
          (head.stopped ^ driven.stopped) | (head.stamp.field ^ driven.stamp.field) |
          (head.stamp.epoch ^ driven.stamp.epoch)) != 0;
}

}  // namespace

RtlPort::RtlPort(const PortBuild& build, const PortPlace& place, const RtlArbiter::Options& options)
    : build_(build),
      options_(options),
      place_(place),
      own_context_(options.waves == nullptr ? single_threaded() : nullptr),
      port_(build.make(prepare(context(), options.plusargs),
                       model_name(place.chip, place.port).c_str())),
      pins_(port_->pins()),
      apb_(
          pins_, [this]() { settle(); }, [this]() { clock_edge(); }) {
  if (build.latency != 0 && options.waves != nullptr) {
    throw std::logic_error("a port with Latency 1 has no waveform");
  }
  for (const PolicyRtl* const one : policies_with_rtl()) {  // in force or not
    const bool is_built = (build.limits.policies >> one->code() & 1U) != 0;
    counts_by_heads_ = counts_by_heads_ || (is_built && one->counts_by_heads());
  }
  pins_.rst_ni = 1;
  settle();
  pins_.rst_ni = 0;  // the assertion is asynchronous
  settle();
  clock_edge();
  pins_.rst_ni = 1;
  clock_edge();
  if (options.waves != nullptr) {
    options.waves->add(*this);
  }
}

RtlPort::~RtlPort() {
  // A model of Verilator 5.006 takes its scopes out of the thread's context, whichever that is.
  Verilated::threadContextp(&context());
  collect_coverage(context());
  port_.reset();
  Verilated::threadContextp(Verilated::defaultContextp());
}

VerilatedContext& RtlPort::context() const {
  return own_context_ ? *own_context_ : options_.waves->context();
}

bool RtlPort::waves_clock() const { return options_.waves != nullptr && options_.waves->clocks(); }

void RtlPort::begin_cycle() {
  apb_.begin_cycle();
  settled_ = false;
}

// The pins are the inputs of the cycle.
void RtlPort::settle() {
  if (edge_is_due_) {
    fails_in(context());
    port_->clock_and_show();
    end_edge();
  } else {
    port_->show();
  }
  settled_ = true;
}

void RtlPort::make_edge() {
  if (edge_is_due_) {
    fails_in(context());
    port_->clock();
    end_edge();
  }
}

void RtlPort::end_edge() {
  edge_is_due_ = false;
  if (context().gotError() ||
      (options_.age_chip != nullptr && options_.age_chip->failed_a_check())) {
    throw Mismatch(edge_, place_,
                   fmt::format("mismatch in cycle {} at {}: a check that is bound to the RTL fails",
                               edge_, text_of(place_)));
  }
  check_left();
}

// The end of a cycle. Its clock edge comes with the next cycle's inputs, unless something that is
// to be seen behind it is asked for earlier.
void RtlPort::clock_edge() {
  const bool gated = options_.clocking == RtlArbiter::Clocking::Gated;
  // A mismatch elsewhere ends the cycle before this port is asked.
  if (!settled_ && waves_clock()) {
    pins_.request_i = 0;
  }
  if (!settled_ || gated) {
    settle();
  }
  apb_.end_cycle(now_);
  if (gated && pins_.idle_o != 0) {
    return;
  }
  const bool applies = pins_.table_applied_o != 0;
  counting_ = pins_.grant_valid_o == 0;
  settled_ = false;
  edge_is_due_ = true;
  edge_ = now_;
  ++edges_;
  granted_.reset();
  if (applies || waves_clock()) {
    make_edge();
  }
  if (applies) {
    ++tables_applied_;
    config_ = config_to_be_;
    policy_ = &rtl_of(config_.policy);
    if (options_.age_chip != nullptr && config_.policy->shares_chip_clock()) {
      options_.age_chip->set_period(pins_.age_clock_period_o, running_ ? now_ + 1 : 0);
    }
  }
}

// The age clock counts on it that the port reports each packet in the cycle after its grant.
void RtlPort::check_left() {
  if (!leaving_ && pins_.left_o == 0) {
    return;
  }
  if (!leaving_ || pins_.left_o == 0 || (pins_.left_epoch_o != 0) != leaving_->epoch ||
      pins_.left_age_o != leaving_->age) {
    const Leaving left = leaving_.value_or(Leaving{});
    throw Mismatch(
        left.cycle, place_,
        fmt::format("mismatch in cycle {} at {}: the RTL reports a packet that left: {}, "
                    "epoch {}, age {}; it granted one: {}, epoch {}, age {}",
                    left.cycle, text_of(place_), pins_.left_o, pins_.left_epoch_o, pins_.left_age_o,
                    leaving_.has_value(), left.epoch, left.age));
  }
  leaving_.reset();
}

void RtlPort::drive(Heads heads) {
  driven_.resize(heads.size());
  std::uint32_t changed = 0;  // a bit for each queue: nothing would foretell the branches
  for (std::size_t q = 0; q < heads.size(); ++q) {
    changed |= std::uint32_t{differs(heads[q], driven_[q])} << q;
  }
  if (granted_) {
    const std::size_t q = granted_->queue;
    const Head& second = heads[q];
    port_->set_second(q, second.flits != 0, second.shown_flits(), second.stamp);
    granted_->head.stopped = second.stopped;
    drive(q, granted_->head);
    changed &= ~(1U << q);
  }
  for (; changed != 0; changed &= changed - 1) {
    const std::size_t q = std::countr_zero(changed);
    drive(q, heads[q]);
  }
  show_chip();
}

void RtlPort::drive(std::size_t queue, const Head& head) {
  Head& driven = driven_[queue];
  if (head.flits != driven.flits || head.says_zero != driven.says_zero) {
    counting_ = counting_ && (head.flits != 0) == (driven.flits != 0);
    port_->set_head(queue, head.flits != 0, head.shown_flits());
    driven.flits = head.flits;
    driven.says_zero = head.says_zero;
  }
  if (head.stopped != driven.stopped) {
    counting_ = false;
    port_->set_stopped(queue, head.stopped);
    driven.stopped = head.stopped;
  }
  if (head.stamp.field != driven.stamp.field || head.stamp.epoch != driven.stamp.epoch) {
    port_->set_stamp(queue, head.stamp);
    driven.stamp = head.stamp;
  }
}

void RtlPort::show_chip() {
  if (options_.age_chip != nullptr) {
    pins_.age_timestamp_i = options_.age_chip->timestamp();
    pins_.age_epoch_i = options_.age_chip->epoch() ? 1 : 0;
    pins_.age_inhibit_i = options_.age_chip->inhibit() ? 1 : 0;
  }
}

// `cycles` cycles pass without a request, in which the queues have these heads.
void RtlPort::skip(Cycle cycles, Heads heads) {
  drive(heads);
  if (granted_) {
    begin_cycle();
    clock_edge();
    --cycles;
    ++now_;
    drive(heads);
  }
  using Clocking = RtlArbiter::Clocking;
  const bool leaps =
      options_.clocking == Clocking::WhenNeeded || options_.clocking == Clocking::AtDecisions;
  bool every = !leaps || policy_->clocked_in_every_cycle();
  const bool looks = counts_by_heads_ || options_.clocking == Clocking::WhenNeeded;
  while (cycles > 0 &&
         (every || apb_.busy() || (looks && !counting_) || !port_->counters_settled())) {
    begin_cycle();
    clock_edge();
    --cycles;
    ++now_;
    // What is seen is the state in that cycle, behind what was granted before.
    every = !leaps || !policy_->at_rest(*port_, config_);
  }
  if (cycles > 0) {
    port_->leap(cycles, counts_by_heads_, edge_is_due_);
    settled_ = false;
  }
}

void RtlPort::advance(Cycle now, Heads heads) {
  running_ = true;
  if (waves_clock()) {
    // Waves clocks all ports when each of them has come here.
    if (now != now_ + 1) {
      throw std::logic_error("a port with a waveform must be brought to the end of every cycle");
    }
    if (!decided_) {
      begin_cycle();
      pins_.request_i = 0;
      drive(heads);
      settle();
    }
    decided_ = false;
    now_ = now;
    return;
  }
  if (decided_ && now > now_) {
    if (!clocked_) {
      clock_edge();
    }
    clocked_ = false;
    pins_.request_i = 0;
    decided_ = false;
    ++now_;
  }
  if (now > now_) {
    pins_.request_i = 0;
    skip(now - now_, heads);
    now_ = now;
  }
  if (options_.age_chip != nullptr) {
    options_.age_chip->advance(now);
  }
}

AgeStamp RtlPort::arrive(Cycle now, Index queue, std::uint8_t age) {
  if (!config_.policy->shares_chip_clock()) {
    return {};
  }
  const auto& seastar = config_.parameters.get<SeastarConfig>();
  const Index input = queue / seastar.vcs;
  const bool response = queue % seastar.vcs >= seastar.vcs / 2;
  return options_.age_chip->arrive(now, age, response, port_->request_bias(input),
                                   port_->response_bias(input));
}

Decision RtlPort::decide(Cycle now, Heads heads) {
  drive(heads);
  begin_cycle();
  pins_.request_i = 1;
  settle();
  decided_ = true;
  if (config_.policy->shares_chip_clock()) {
    chip_before_.clear();
    options_.age_chip->append_state(chip_before_);
  }
  if (latency() != 0) {
    if (pins_.table_applied_o != 0) {
      throw std::logic_error("a request has no answer, as a commit takes effect");
    }
    clock_edge();
    make_edge();
    clocked_ = true;
    counting_ = false;
  }
  const bool valid = pins_.grant_valid_o != 0;
  const auto queue = static_cast<Index>(port_->grant_queue());
  const auto violation = [this, now](const std::string& what) {
    return Mismatch(now, place_,
                    fmt::format("mismatch in cycle {} at {}: {}", now, text_of(place_), what));
  };
  if (port_->grant() != (valid ? 1U << queue : 0U)) {
    throw violation(fmt::format("the RTL's grant is {:#x} one-hot, but {} as an index",
                                port_->grant(), valid ? queue : -1));
  }
  if (!valid) {
    return {};
  }
  if (queue >= count(heads) || !heads[queue].active()) {
    throw violation(fmt::format("the RTL grants queue {}, which is not active", queue));
  }
  const Head& head = heads[queue];
  // Whichever policy grants it, a build with seastar-age reports what leaves.
  if ((build_.limits.policies >> QOSARB_PORT_POLICY_SEASTAR_AGE & 1U) != 0) {
    leaving_ = Leaving{
        now, head.stamp.epoch,
        new_age(head.stamp, pins_.age_timestamp_i, pins_.age_epoch_i != 0, Variant::Corrected)};
  }
  if (latency() != 0) {
    granted_ = Granted{static_cast<std::size_t>(queue), head};
  }
  if (!config_.policy->shares_chip_clock()) {
    return {queue, head.flits, head.age};
  }
  // The RTL tells the packet's new age behind the clock edge: check_left() insists that it is this
  // one.
  options_.age_chip->leave(now, chip_port_, head.stamp.epoch);
  return {queue, head.flits, leaving_->age};
}

std::uint32_t RtlPort::read(std::uint32_t offset) {
  if (decided_) {
    throw std::logic_error("a register is read between a decision and its clock edge");
  }
  pins_.request_i = 0;
  return apb_.transfer(false, offset);
}

void RtlPort::write(std::uint32_t offset, std::uint32_t value) {
  if (decided_) {
    throw std::logic_error("a register is written between a decision and its clock edge");
  }
  pins_.request_i = 0;
  apb_.transfer(true, offset, value);
}

void RtlPort::queue_snapshot() {
  if (apb_.busy()) {
    throw std::logic_error("a snapshot begins before what the APB had to do has ended");
  }
  // It takes a cycle for each counter, and three more.
  apb_.write({{QOSARB_PORT_SNAPSHOT_OFFSET, QOSARB_PORT_SNAPSHOT_TAKE_PUT(1)}},
             static_cast<Cycle>(port_->counters()) + 4);
}

void RtlPort::program(const ArbiterConfig& config) {
  if (options_.waves != nullptr) {
    options_.waves->show({text_of(place_) + ".port_pins.qosarb_port", build_.limits, config});
  }
  if (options_.age_chip == nullptr && config.policy->shares_chip_clock()) {
    options_.age_chip = std::make_shared<RtlAgeChip>(model_name(place_.chip, "age_clock"),
                                                     options_.waves, options_.plusargs);
  }
  if (options_.age_chip != nullptr) {
    chip_port_ = options_.age_chip->add_port();
  }
  commit(config);
  // The counters' first round after the reset; a gated clock may stand in it.
  while (options_.clocking != RtlArbiter::Clocking::Gated && !port_->counters_settled()) {
    clock_edge();
  }
}

void RtlPort::commit(const ArbiterConfig& config) {
  if (decided_ || apb_.busy()) {
    throw std::logic_error("a commit begins before a decision's clock edge or during another");
  }
  config_to_be_ = config;
  pins_.request_i = 0;
  for (const RegisterWrite& write : register_writes(config, build_.limits)) {
    apb_.transfer(true, write.offset, write.value);
  }
  std::uint32_t status = 0;
  do {
    status = apb_.transfer(false, QOSARB_PORT_STATUS_OFFSET);
  } while (QOSARB_PORT_STATUS_PROGRESS_GET(status) != QOSARB_PORT_STATUS_PROGRESS_IDLE);
  if (QOSARB_PORT_STATUS_OUTCOME_GET(status) != QOSARB_PORT_STATUS_OUTCOME_IN_FORCE) {
    throw InputError(
        options_.config_file, 0,
        "the RTL refuses the configuration: " + text_of_refusal(rtl_of(config.policy), status));
  }
}

void RtlPort::append_chip_state(std::vector<std::uint64_t>& numbers) const {
  if (decided_) {
    numbers.insert(numbers.end(), chip_before_.begin(), chip_before_.end());
  } else {
    options_.age_chip->append_state(numbers);
  }
}

bool RtlPort::applies_table() {
  settle();
  return pins_.table_applied_o != 0;
}

void RtlPort::reset() {
  apb_.reset();
  granted_.reset();
  pins_.request_i = 0;
  settle();
  pins_.rst_ni = 0;
  settle();
  pins_.rst_ni = 1;
  settle();
  counting_ = false;
  leaving_.reset();
  ArbiterConfig round_robin;
  round_robin.queues = config_.queues;
  round_robin.max_packet_flits = config_.max_packet_flits;
  config_ = round_robin;
  policy_ = &rtl_of(config_.policy);
}

void RtlPort::reprogram(const ArbiterConfig& config) {
  if (apb_.busy()) {
    throw std::logic_error("a reprogramming begins before the last one has ended");
  }
  config_to_be_ = config;
  // The check takes a cycle for each entry, and applying one more.
  apb_.write(register_writes(config, build_.limits), build_.limits.entries + 4);
}

}  // namespace qosarb
