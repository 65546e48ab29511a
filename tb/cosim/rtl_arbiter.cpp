#include "cosim/rtl_arbiter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cosim/age_chip.hpp"
#include "cosim/clocked.hpp"
#include "cosim/coverage.hpp"
#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/port_model.hpp"
#include "cosim/programming.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "verilated.h"

namespace qosarb {

namespace {

bool has(const RtlLimits& limits, Policy policy) {
  return (limits.policies >> policy_code(policy) & 1U) != 0;
}

// Why a table of `entries` with quanta `quantum(e)`, counted in `unit`, does not fit.
template <typename Quantum>
std::optional<std::string> table_obstacle(const RtlLimits& limits, std::size_t entries,
                                          std::string_view unit, Quantum&& quantum) {
  if (entries > limits.entries) {
    return fmt::format("it has {} table entries, not {}", limits.entries, entries);
  }
  for (std::size_t e = 0; e < entries; ++e) {
    if (quantum(e) >> limits.quantum_bits != 0) {
      return fmt::format("the quantum of entry {}, {} {}, does not fit into {} bits", e, quantum(e),
                         unit, limits.quantum_bits);
    }
  }
  return std::nullopt;
}

std::optional<std::string> obstacle(const BxiConfig& bxi, const ArbiterConfig& config,
                                    const RtlLimits& limits) {
  const auto quantum = [&bxi](std::size_t e) { return bxi.quantum(e); };
  if (const auto found = table_obstacle(limits, bxi.table.size(), "flits", quantum)) {
    return found;
  }
  for (std::size_t e = 0; e < bxi.table.size(); ++e) {
    if (bxi.quantum(e) < config.max_packet_flits) {
      return fmt::format("the quantum of entry {}, {} flits, does not hold a packet of {}", e,
                         bxi.quantum(e), config.max_packet_flits);
    }
  }
  return std::nullopt;
}

// SLs are numbered as queues are.
std::optional<std::string> levels_obstacle(const RtlLimits& limits,
                                           const std::vector<int>& queue_sl,
                                           const std::vector<SlEntry>& table,
                                           std::string_view unit) {
  int highest = *std::max_element(queue_sl.begin(), queue_sl.end());
  for (const SlEntry& entry : table) {
    highest = std::max(highest, entry.sl);
  }
  if (highest >= limits.queues) {
    return fmt::format("it has SLs 0 to {}, not {}", limits.queues - 1, highest);
  }
  return table_obstacle(limits, table.size(), unit,
                        [&table](std::size_t e) { return std::uint64_t{table[e].weight}; });
}

std::optional<std::string> obstacle(const SbtConfig& sbt, const ArbiterConfig& /*config*/,
                                    const RtlLimits& limits) {
  return levels_obstacle(limits, sbt.queue_sl, sbt.table, "packets");
}

std::optional<std::string> obstacle(const DTableConfig& dtable, const ArbiterConfig& /*config*/,
                                    const RtlLimits& limits) {
  if (dtable.sl_mtu.size() > static_cast<std::size_t>(limits.queues)) {
    return fmt::format("it has {} SLs, not {}", limits.queues, dtable.sl_mtu.size());
  }
  for (const std::uint32_t mtu : dtable.sl_mtu) {
    if (mtu > limits.packet_flits) {
      return fmt::format("packets have at most {} flits, not an MTU of {}", limits.packet_flits,
                         mtu);
    }
  }
  return levels_obstacle(limits, dtable.queue_sl, dtable.table, "flits");
}

std::optional<std::string> obstacle(const InfiniBandConfig& ib, const ArbiterConfig& /*config*/,
                                    const RtlLimits& limits) {
  constexpr std::uint32_t kLargestFlit = 128;
  if (!std::has_single_bit(ib.flit_bytes) || ib.flit_bytes > kLargestFlit) {
    return fmt::format("flits have a power of two of bytes, at most {}, not {}", kLargestFlit,
                       ib.flit_bytes);
  }
  for (const auto* table : {&ib.high, &ib.low}) {
    if (table->size() > limits.entries / 2) {
      return fmt::format("a table has {} entries, not {}", limits.entries / 2, table->size());
    }
  }
  return std::nullopt;
}

std::optional<std::string> obstacle(const SeastarConfig& seastar, const ArbiterConfig& /*config*/,
                                    const RtlLimits& limits) {
  const int inputs = limits.queues / limits.vcs;
  if (static_cast<int>(seastar.req_age_bias.size()) > inputs) {
    return fmt::format("it has {} input ports, not {}", inputs, seastar.req_age_bias.size());
  }
  return std::nullopt;
}

std::optional<std::string> obstacle(const TrtcmConfig& trtcm, const ArbiterConfig& config,
                                    const RtlLimits& /*limits*/) {
  constexpr std::uint32_t kOneFlitACycle = 65536;
  constexpr std::uint64_t kLargestBurst = 65535;
  for (std::size_t q = 0; q < trtcm.classes.size(); ++q) {
    const TrtcmConfig::Class& c = trtcm.classes[q];
    if (c.peak_rate > kOneFlitACycle) {
      return fmt::format("rates are at most one flit a cycle, that of class {} is not", q);
    }
    for (const auto& [rate, burst] :
         {std::pair{c.assured_rate, c.assured_burst}, std::pair{c.peak_rate, c.peak_burst}}) {
      if (rate != 0 && burst < config.max_packet_flits) {
        return fmt::format("the burst of class {}, {} flits, does not hold a packet of {}", q,
                           burst, config.max_packet_flits);
      }
      if (rate != 0 && burst > kLargestBurst) {
        return fmt::format("bursts are at most {} flits, not {}", kLargestBurst, burst);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> obstacle(const std::monostate& /*none*/, const ArbiterConfig& /*config*/,
                                    const RtlLimits& /*limits*/) {
  return std::nullopt;
}

// Why this build cannot run `config`, whose policy it has.
std::optional<std::string> build_obstacle(const ArbiterConfig& config, const RtlLimits& limits) {
  if (config.queues > limits.queues) {
    return fmt::format("it has {} queues, not {}", limits.queues, config.queues);
  }
  if (config.max_packet_flits > limits.packet_flits) {
    return fmt::format("packets have at most {} flits, not {}", limits.packet_flits,
                       config.max_packet_flits);
  }
  return std::visit([&](const auto& p) { return obstacle(p, config, limits); }, config.parameters);
}

struct Choice {
  const PortBuild* build = nullptr;     // the smallest one that fits
  std::optional<std::string> obstacle;  // if none does
};

Choice choose_build(const ArbiterConfig& config) {
  if (config.variant != Variant::Corrected) {
    return {nullptr, "RTL is built of the corrected variant only"};
  }
  Choice choice{nullptr, fmt::format("there is no RTL of {}", name_of(config.policy))};
  for (const PortBuild& build : port_builds()) {
    if (has(build.limits, config.policy)) {
      choice.obstacle = build_obstacle(config, build.limits);
      if (!choice.obstacle) {
        choice.build = &build;
        return choice;
      }
    }
  }
  return choice;
}

std::string text_of_refusal(std::uint32_t reason, std::uint32_t where) {
  switch (reason) {
    case QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM:
      return fmt::format("the quantum of entry {} does not hold the longest packet", where);
    case QOSARB_PORT_STATUS_REASON_UNSERVED_QUEUE:
      return fmt::format("no entry serves queue {}", where);
    case QOSARB_PORT_STATUS_REASON_ZERO_WEIGHT:
      return fmt::format("entry {} has no weight", where);
    case QOSARB_PORT_STATUS_REASON_REPEATED_SL:
      return fmt::format("the SL of entry {} has an entry before it", where);
    case QOSARB_PORT_STATUS_REASON_LARGE_WEIGHT:
      return fmt::format("the weight of entry {} is above 255", where);
    case QOSARB_PORT_STATUS_REASON_RATES:
      return fmt::format("the assured rate of class {} is above its peak rate", where);
    case QOSARB_PORT_STATUS_REASON_SHORT_BURST:
      return fmt::format("a burst of class {} does not hold the longest packet", where);
    case QOSARB_PORT_STATUS_REASON_REPEATED_PRIORITY:
      return fmt::format("the priority of class {} is that of a class before it", where);
    default:
      return fmt::format("reason {} at {}", reason, where);
  }
}

}  // namespace

class RtlArbiter::Rtl final : public Clocked {
 public:
  Rtl(const PortBuild& build, const PortPlace& place, const Options& options);
  ~Rtl() override;

  void program(const ArbiterConfig& config, const std::string& config_file);
  void reprogram(const ArbiterConfig& config);
  [[nodiscard]] bool reprogramming() const { return busy_ > 0; }
  std::uint32_t read(std::uint32_t offset);

  void advance(Cycle now, Heads heads);
  AgeStamp arrive(Cycle now, int queue, std::uint8_t age);
  Decision decide(Cycle now, Heads heads);

  void clock_edge() override;
  void trace(VerilatedFstC& fst) override { port_->trace(fst); }

  const PortBuild& build_;
  Options options_;
  PortPlace place_;
  std::unique_ptr<VerilatedContext> own_context_;
  std::unique_ptr<PortModel> port_;
  const PortModel::Pins& pins_;

  ArbiterConfig config_;        // in force
  ArbiterConfig config_to_be_;  // of the commit that is on its way
  std::uint64_t tables_applied_ = 0;
  std::uint64_t edges_ = 0;

 private:
  void settle();
  [[nodiscard]] bool waves_clock() const {
    return options_.waves != nullptr && options_.waves->clocks();
  }
  void drive(Heads heads);
  void skip(Cycle cycles);
  void start_transfer_phase();
  void show_chip();
  void check_left();
  std::uint32_t transfer(bool write, std::uint32_t offset, std::uint32_t value);

  std::vector<Head> driven_;          // as the RTL sees them; only flits and stopped count
  Cycle now_ = 0;                     // the cycle whose clock edge comes next
  bool decided_ = false;              // that cycle has had its decision
  bool counting_ = false;             // the counters' first stage holds what the inputs say
  std::deque<RegisterWrite> writes_;  // of a reprogramming
  Cycle busy_ = 0;                    // cycles in which a reprogramming may still change something
  bool running_ = false;              // after programming
  bool clocked_ = false;              // the cycle of the decision has had its clock edge

  // seastar-age: what the port shares with its chip, which of the chip's ports it is, and the
  // packet that it has to report in the cycle after the grant.
  unsigned chip_port_ = 0;
  struct Leaving {
    Cycle cycle = 0;
    bool epoch = false;
    std::uint8_t age = 0;
  };
  std::optional<Leaving> leaving_;
};

namespace {

VerilatedContext& prepare(VerilatedContext& context, const std::vector<std::string>& plusargs) {
  std::vector<const char*> arguments = {"qosarb"};
  for (const std::string& plusarg : plusargs) {
    arguments.push_back(plusarg.c_str());
  }
  context.commandArgs(static_cast<int>(arguments.size()), arguments.data());
  return context;
}

std::unique_ptr<VerilatedContext> single_threaded() {
  auto context = std::make_unique<VerilatedContext>();
  context->threads(1);  // else each starts a pool of threads that it does not need
  return context;
}

}  // namespace

RtlArbiter::Rtl::Rtl(const PortBuild& build, const PortPlace& place, const Options& options)
    : build_(build),
      options_(options),
      place_(place),
      own_context_(options.waves == nullptr ? single_threaded() : nullptr),
      // A blank separates scopes of a waveform.
      port_(build.make(
          prepare(own_context_ ? *own_context_ : options.waves->context(), options.plusargs),
          (place.chip + (place.chip.empty() ? "" : " ") + place.port).c_str())),
      pins_(port_->pins()) {
  pins_.rst_ni = 1;
  pins_.clk_i = 0;
  port_->eval();
  pins_.rst_ni = 0;  // the assertion is asynchronous
  settle();
  clock_edge();
  pins_.rst_ni = 1;
  clock_edge();
  if (options.waves != nullptr) {
    options.waves->add(*this);
  }
}

RtlArbiter::Rtl::~Rtl() {
  // A model of Verilator 5.006 takes its scopes out of the thread's context, whichever that is.
  VerilatedContext& context = own_context_ ? *own_context_ : options_.waves->context();
  Verilated::threadContextp(&context);
  collect_coverage(context);
  port_.reset();
  Verilated::threadContextp(Verilated::defaultContextp());
}

// The clock is low and everything follows the inputs.
void RtlArbiter::Rtl::settle() {
  pins_.clk_i = 0;
  port_->eval();
}

// The end of a cycle.
void RtlArbiter::Rtl::clock_edge() {
  if (pins_.clk_i != 0) {
    settle();
  }
  const bool applies = pins_.table_applied_o != 0;
  counting_ = pins_.grant_valid_o == 0;
  pins_.clk_i = 1;
  port_->eval();
  ++edges_;
  if (applies) {
    ++tables_applied_;
    config_ = config_to_be_;
    if (options_.age_chip != nullptr && config_.policy == Policy::SeastarAge) {
      options_.age_chip->set_period(pins_.age_clock_period_o, running_ ? now_ + 1 : 0);
    }
  }
  check_left();
}

// The age clock counts on it that the port reports each packet in the cycle after its grant.
void RtlArbiter::Rtl::check_left() {
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

void RtlArbiter::Rtl::drive(Heads heads) {
  driven_.resize(heads.size());
  for (std::size_t q = 0; q < heads.size(); ++q) {
    Head& driven = driven_[q];
    const Head& head = heads[q];
    if (head.flits != driven.flits) {
      counting_ = counting_ && (head.flits != 0) == (driven.flits != 0);
      port_->set_flits(q, head.flits);
      driven.flits = head.flits;
    }
    if (head.stopped != driven.stopped) {
      counting_ = false;
      port_->set_stopped(q, head.stopped);
      driven.stopped = head.stopped;
    }
    if (head.stamp.field != driven.stamp.field || head.stamp.epoch != driven.stamp.epoch) {
      port_->set_stamp(q, head.stamp);
      driven.stamp = head.stamp;
    }
  }
  show_chip();
}

void RtlArbiter::Rtl::show_chip() {
  if (options_.age_chip != nullptr) {
    pins_.age_timestamp_i = options_.age_chip->timestamp();
    pins_.age_epoch_i = options_.age_chip->epoch() ? 1 : 0;
    pins_.age_inhibit_i = options_.age_chip->inhibit() ? 1 : 0;
  }
}

// `cycles` cycles pass with the inputs as they are and without a request.
void RtlArbiter::Rtl::skip(Cycle cycles) {
  const bool every = options_.clocking == Clocking::EveryCycle || config_.policy == Policy::Trtcm;
  while (cycles > 0 && (every || busy_ > 0 || !counting_)) {
    start_transfer_phase();
    clock_edge();
    --cycles;
    ++now_;
  }
  if (cycles > 0) {
    port_->count_idle(cycles);
  }
}

void RtlArbiter::Rtl::advance(Cycle now, Heads heads) {
  running_ = true;
  if (waves_clock()) {
    // Waves clocks all ports when each of them has come here.
    if (now != now_ + 1) {
      throw std::logic_error("a port with a waveform must be brought to the end of every cycle");
    }
    if (!decided_) {
      start_transfer_phase();
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
    drive(heads);
    skip(now - now_);
    now_ = now;
  }
  if (options_.age_chip != nullptr) {
    options_.age_chip->advance(now);
  }
}

AgeStamp RtlArbiter::Rtl::arrive(Cycle now, int queue, std::uint8_t age) {
  const auto* seastar = std::get_if<SeastarConfig>(&config_.parameters);
  if (seastar == nullptr) {
    return {};
  }
  const auto input = static_cast<std::size_t>(queue / seastar->vcs);
  const bool response = queue % seastar->vcs >= seastar->vcs / 2;
  return options_.age_chip->arrive(now, age, response, port_->request_bias(input),
                                   port_->response_bias(input));
}

Decision RtlArbiter::Rtl::decide(Cycle now, Heads heads) {
  drive(heads);
  start_transfer_phase();
  pins_.request_i = 1;
  settle();
  decided_ = true;
  const bool valid = pins_.grant_valid_o != 0;
  const std::size_t queue = port_->grant_queue();
  const auto violation = [this, now](const std::string& what) {
    return Mismatch(now, place_,
                    fmt::format("mismatch in cycle {} at {}: {}", now, text_of(place_), what));
  };
  if (port_->grant() != (valid ? 1U << queue : 0U)) {
    throw violation(fmt::format("the RTL's grant is {:#x} one-hot, but {} as an index",
                                port_->grant(), valid ? static_cast<int>(queue) : -1));
  }
  if (!valid) {
    return {};
  }
  if (queue >= heads.size() || !heads[queue].active()) {
    throw violation(fmt::format("the RTL grants queue {}, which is not active", queue));
  }
  const Head& head = heads[queue];
  if (config_.policy != Policy::SeastarAge) {
    return {static_cast<int>(queue), head.flits, head.age};
  }
  // The RTL tells the packet's new age after the clock edge. Waves makes that one later: then the
  // age is what the edge has to show.
  RtlAgeChip& chip = *options_.age_chip;
  const std::uint8_t age = new_age(head.stamp, chip.timestamp(), chip.epoch(), Variant::Corrected);
  chip.leave(now, chip_port_, head.stamp.epoch);
  leaving_ = Leaving{now, head.stamp.epoch, age};
  if (waves_clock()) {
    return {static_cast<int>(queue), head.flits, age};
  }
  clock_edge();
  clocked_ = true;
  return {static_cast<int>(queue), head.flits, pins_.left_age_o};
}

// What the APB does in the cycle that begins: idle, setup, or access after a setup.
void RtlArbiter::Rtl::start_transfer_phase() {
  if (busy_ == 0) {
    return;
  }
  --busy_;
  if (pins_.psel_i != 0 && pins_.penable_i == 0) {
    pins_.penable_i = 1;
    return;
  }
  pins_.penable_i = 0;
  pins_.psel_i = writes_.empty() ? 0 : 1;
  if (!writes_.empty()) {
    pins_.pwrite_i = 1;
    pins_.pstrb_i = 0xf;
    pins_.paddr_i = static_cast<SData>(writes_.front().offset);
    pins_.pwdata_i = writes_.front().value;
    writes_.pop_front();
  }
}

std::uint32_t RtlArbiter::Rtl::transfer(bool write, std::uint32_t offset, std::uint32_t value) {
  pins_.psel_i = 1;
  pins_.penable_i = 0;
  pins_.pwrite_i = write ? 1 : 0;
  pins_.pstrb_i = write ? 0xf : 0;
  pins_.paddr_i = static_cast<SData>(offset);
  pins_.pwdata_i = value;
  settle();
  clock_edge();
  pins_.penable_i = 1;
  settle();
  const std::uint32_t result = pins_.prdata_o;
  const bool refused = pins_.pslverr_o != 0 || pins_.pready_o == 0;
  clock_edge();
  pins_.psel_i = 0;
  pins_.penable_i = 0;
  if (refused) {
    throw std::logic_error(fmt::format("the RTL refuses to {} register {:#05x}{}",
                                       write ? "write" : "read", offset,
                                       write ? fmt::format(", value {:#x}", value) : ""));
  }
  return result;
}

std::uint32_t RtlArbiter::Rtl::read(std::uint32_t offset) {
  if (decided_) {
    throw std::logic_error("a register is read between a decision and its clock edge");
  }
  pins_.request_i = 0;
  return transfer(false, offset, 0);
}

void RtlArbiter::Rtl::program(const ArbiterConfig& config, const std::string& config_file) {
  config_to_be_ = config;
  if (options_.waves != nullptr) {
    options_.waves->show({text_of(place_) + ".qosarb_port", build_.limits, config});
  }
  if (config.policy == Policy::SeastarAge) {
    if (options_.age_chip == nullptr) {
      options_.age_chip = std::make_shared<RtlAgeChip>(place_.chip + " age_clock", options_.waves);
    }
    chip_port_ = options_.age_chip->add_port();
  }
  for (const RegisterWrite& write : register_writes(
           config, build_.limits.entries, static_cast<std::size_t>(build_.limits.queues))) {
    transfer(true, write.offset, write.value);
  }
  std::uint32_t status = 0;
  do {
    status = transfer(false, QOSARB_PORT_STATUS_OFFSET, 0);
  } while (QOSARB_PORT_STATUS_PROGRESS_GET(status) != QOSARB_PORT_STATUS_PROGRESS_IDLE);
  if (QOSARB_PORT_STATUS_OUTCOME_GET(status) != QOSARB_PORT_STATUS_OUTCOME_IN_FORCE) {
    throw InputError(config_file, 0,
                     "the RTL refuses the configuration: " +
                         text_of_refusal(QOSARB_PORT_STATUS_REASON_GET(status),
                                         QOSARB_PORT_STATUS_WHERE_GET(status)));
  }
}

void RtlArbiter::Rtl::reprogram(const ArbiterConfig& config) {
  if (busy_ > 0) {
    throw std::logic_error("a reprogramming begins before the last one has ended");
  }
  config_to_be_ = config;
  for (const RegisterWrite& write : register_writes(
           config, build_.limits.entries, static_cast<std::size_t>(build_.limits.queues))) {
    writes_.push_back(write);
  }
  // Two cycles for each transfer; the check takes one for each entry, and applying one more.
  busy_ = 2 * writes_.size() + build_.limits.entries + 4;
}

RtlArbiter::RtlArbiter(const ArbiterConfig& config, const PortPlace& place, Options options) {
  const Choice choice = choose_build(config);
  if (choice.build == nullptr) {
    throw InputError(options.config_file, 0,
                     "the RTL cannot run this arbiter: " + *choice.obstacle);
  }
  rtl_ = std::make_unique<Rtl>(*choice.build, place, options);
  rtl_->program(config, options.config_file);
}

RtlArbiter::~RtlArbiter() = default;

void RtlArbiter::advance(Cycle now, Heads heads) { rtl_->advance(now, heads); }

AgeStamp RtlArbiter::arrive(Cycle now, int queue, std::uint8_t age) {
  return rtl_->arrive(now, queue, age);
}

Decision RtlArbiter::decide(Cycle now, Heads heads) { return rtl_->decide(now, heads); }

namespace {

// The SLs that the reference knows of.
int sl_count(const SbtConfig& sbt) {
  int highest = *std::max_element(sbt.queue_sl.begin(), sbt.queue_sl.end());
  for (const SlEntry& entry : sbt.table) {
    highest = std::max(highest, entry.sl);
  }
  return highest + 1;
}

int sl_count(const DTableConfig& dtable) { return static_cast<int>(dtable.sl_mtu.size()); }

// The queue of an SL that is tried first, -1 if it has none, and its place among those of the SL.
struct FirstQueue {
  int queue = -1;
  std::uint64_t place = 0;
};

// The RTL knows of each queue whether it comes behind the one that its SL served last. If no queue
// of the SL does, the first one is tried first.
template <typename Config>
std::vector<FirstQueue> first_queues(const PortModel& port, const Config& config) {
  const std::uint32_t behind = port.behind_in_sl();
  std::vector<FirstQueue> firsts(static_cast<std::size_t>(sl_count(config)));
  for (std::size_t sl = 0; sl < firsts.size(); ++sl) {
    bool any_behind = false;
    std::uint64_t place = 0;
    for (std::size_t q = 0; q < config.queue_sl.size(); ++q) {
      if (config.queue_sl[q] != static_cast<int>(sl)) {
        continue;
      }
      const bool is_behind = (behind >> q & 1U) != 0;
      if (place == 0 || (is_behind && !any_behind)) {
        firsts[sl] = {static_cast<int>(q), place};
      }
      any_behind = any_behind || is_behind;
      ++place;
    }
  }
  return firsts;
}

template <typename Config>
std::string text_of_first_queues(const PortModel& port, const Config& config) {
  std::vector<int> queues;
  for (const FirstQueue& first : first_queues(port, config)) {
    queues.push_back(first.queue);
  }
  return fmt::format("first_queues=[{}]", fmt::join(queues, " "));
}

template <typename Config>
void append_places(const PortModel& port, const Config& config,
                   std::vector<std::uint64_t>& numbers) {
  for (const FirstQueue& first : first_queues(port, config)) {
    numbers.push_back(first.place);
  }
}

}  // namespace

std::string RtlArbiter::describe() const {
  std::vector<std::uint64_t> numbers;
  append_state(numbers);
  const ArbiterConfig& config = rtl_->config_;
  switch (config.policy) {
    case Policy::BxiBasic:
    case Policy::BxiDeficit:
      return fmt::format("current_entry={} remaining_flits={} deficits=[{}]", numbers[0],
                         numbers[1], fmt::join(numbers.begin() + 2, numbers.end(), " "));
    case Policy::SeastarAge:
      return fmt::format("{} last_rr={} last_age={} grants={}", rtl_->options_.age_chip->describe(),
                         numbers[numbers.size() - 3], numbers[numbers.size() - 2], numbers.back());
    case Policy::Trtcm: {
      std::string text =
          fmt::format("last_red={} tokens(assured/peak, 1/65536 flits)=[", numbers[0]);
      for (std::size_t i = 2; i < numbers.size(); i += 2) {
        text += fmt::format("{}{}/{}", i == 2 ? "" : " ", numbers[i], numbers[i + 1]);
      }
      return text + "]";
    }
    case Policy::Sbt: {
      const auto& sbt = std::get<SbtConfig>(config.parameters);
      const auto left = numbers.begin() + 2;
      return fmt::format("current_entry={} weights_left=[{}] {}", numbers[0],
                         fmt::join(left, left + static_cast<std::ptrdiff_t>(sbt.table.size()), " "),
                         text_of_first_queues(*rtl_->port_, sbt));
    }
    case Policy::DTable: {
      const auto& dtable = std::get<DTableConfig>(config.parameters);
      const auto deficits = numbers.begin() + 3;
      return fmt::format(
          "selected_sl={} current_entry={} accumulated_weight={} deficits=[{}] {}",
          static_cast<std::int64_t>(numbers[0]) - 1, numbers[1], numbers[2],
          fmt::join(deficits, deficits + static_cast<std::ptrdiff_t>(dtable.sl_mtu.size()), " "),
          text_of_first_queues(*rtl_->port_, dtable));
    }
    case Policy::InfiniBand:
      return fmt::format(
          "high=(entry={} remaining={}) low=(entry={} remaining={}) high_bytes={} low_turn={}",
          numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5] != 0);
    case Policy::Rr:
      return fmt::format("last={}", numbers[0]);
  }
  throw std::logic_error("a policy without a state");
}

namespace {

void append_bxi(const PortModel& port, const BxiConfig& bxi, std::vector<std::uint64_t>& numbers) {
  std::size_t current = port.current();
  std::uint64_t remaining = port.remaining();
  const std::size_t first = numbers.size();
  numbers.resize(first + 2);
  for (std::size_t e = 0; e < bxi.table.size(); ++e) {
    numbers.push_back(port.deficit(e));
  }
  if (remaining == 0) {
    // A turn that is used up is handed on at once by the reference, and with the next grant by the
    // RTL. Before the first grant the RTL's turn is nobody's, the reference's that of entry 0.
    current = port.bxi_turn_is_nobodys() ? 0 : (current + 1) % bxi.table.size();
    remaining = bxi.quantum(current) + std::exchange(numbers[first + 2 + current], 0);
  }
  numbers[first] = current;
  numbers[first + 1] = remaining;
}

void append_sbt(const PortModel& port, const SbtConfig& sbt, std::vector<std::uint64_t>& numbers) {
  numbers.insert(numbers.end(), {port.current(), 0});
  for (std::size_t e = 0; e < sbt.table.size(); ++e) {
    numbers.push_back(port.weight_left(e));
  }
  append_places(port, sbt, numbers);
}

// Before the first turn the RTL's current entry is the highest of the build.
void append_dtable(const PortModel& port, const DTableConfig& dtable,
                   std::vector<std::uint64_t>& numbers) {
  numbers.push_back(static_cast<std::uint64_t>(port.selected_sl() + 1));
  numbers.push_back(std::min<std::uint64_t>(port.current(), dtable.table.size() - 1));
  numbers.push_back(port.remaining());
  for (std::size_t sl = 0; sl < dtable.sl_mtu.size(); ++sl) {
    numbers.push_back(port.deficit(sl));
  }
  append_places(port, dtable, numbers);
}

// An entry whose weight is used up hands on at once in the reference, and with the table's next
// packet in the RTL. Before its first turn a table stands at the highest entry of the build.
void append_lanes(const std::vector<InfiniBandConfig::Entry>& table, std::uint32_t current,
                  std::uint32_t remaining, std::vector<std::uint64_t>& numbers) {
  if (table.empty()) {
    numbers.insert(numbers.end(), {0, 0});
    return;
  }
  if (remaining > 0) {
    numbers.insert(numbers.end(), {current, remaining});
    return;
  }
  const std::size_t next = (std::min<std::size_t>(current, table.size() - 1) + 1) % table.size();
  numbers.insert(numbers.end(), {next, table[next].weight});
}

}  // namespace

bool RtlArbiter::append_state(std::vector<std::uint64_t>& numbers) const {
  const PortModel& port = *rtl_->port_;
  // After a reset the last winner is the highest queue, of the port or of those in use.
  const auto last = [queues = rtl_->config_.queues](std::uint32_t queue) {
    return std::min<std::uint64_t>(queue, static_cast<std::uint64_t>(queues - 1));
  };
  switch (rtl_->config_.policy) {
    case Policy::BxiBasic:
    case Policy::BxiDeficit:
      append_bxi(port, std::get<BxiConfig>(rtl_->config_.parameters), numbers);
      break;
    case Policy::SeastarAge:
      rtl_->options_.age_chip->append_state(numbers);
      numbers.insert(numbers.end(),
                     {last(port.current()), last(port.age_last()), port.age_grants()});
      break;
    case Policy::Trtcm:
      // The reference's second number: cycles that are counted, but not yet filled for.
      numbers.insert(numbers.end(), {last(port.current()), 0});
      for (std::size_t q = 0; q < static_cast<std::size_t>(rtl_->config_.queues); ++q) {
        numbers.push_back(port.assured_tokens(q));
        numbers.push_back(port.peak_tokens(q));
      }
      break;
    case Policy::Sbt:
      append_sbt(port, std::get<SbtConfig>(rtl_->config_.parameters), numbers);
      break;
    case Policy::DTable:
      append_dtable(port, std::get<DTableConfig>(rtl_->config_.parameters), numbers);
      break;
    case Policy::InfiniBand: {
      const auto& ib = std::get<InfiniBandConfig>(rtl_->config_.parameters);
      append_lanes(ib.high, port.current(), static_cast<std::uint32_t>(port.remaining()), numbers);
      append_lanes(ib.low, port.vl_low_current(), port.vl_low_remaining(), numbers);
      numbers.insert(numbers.end(), {port.vl_high_bytes(), port.vl_low_in_turn() ? 1U : 0U});
      break;
    }
    case Policy::Rr:
      numbers.push_back(last(port.current()));
      break;
  }
  return true;
}

void RtlArbiter::reprogram(const ArbiterConfig& config) { rtl_->reprogram(config); }

bool RtlArbiter::reprogramming() const { return rtl_->reprogramming(); }

std::uint64_t RtlArbiter::tables_applied() const { return rtl_->tables_applied_; }

std::uint32_t RtlArbiter::read_register(std::uint32_t offset) { return rtl_->read(offset); }

void RtlArbiter::set_counters(std::uint32_t value) { rtl_->port_->set_counters(value); }

std::uint64_t RtlArbiter::edges() const { return rtl_->edges_; }

const RtlLimits& rtl_limits(Policy policy) {
  for (const PortBuild& build : port_builds()) {
    if (has(build.limits, policy)) {
      return build.limits;
    }
  }
  throw std::invalid_argument(fmt::format("there is no RTL of {}", name_of(policy)));
}

std::optional<std::string> rtl_obstacle(const ArbiterConfig& config) {
  return choose_build(config).obstacle;
}

}  // namespace qosarb
