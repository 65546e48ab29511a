#include "cosim/rtl_arbiter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "Vport.h"
#include "Vport___024root.h"
#include "cosim/engine.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/waves.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/port/qosarb_port_regs.h"
#include "verilated.h"

namespace qosarb {

namespace {

// Bits [bit, bit + width) of a packed vector of any length; width <= 32.
template <std::size_t Words>
std::uint32_t field(const VlWide<Words>& words, std::size_t bit, std::size_t width) {
  const std::uint64_t low = words[bit / 32];
  const std::uint64_t high = bit / 32 + 1 < Words ? words[bit / 32 + 1] : 0;
  return static_cast<std::uint32_t>(((high << 32 | low) >> (bit % 32)) & ((1ULL << width) - 1));
}

template <std::size_t Words>
void set_field(VlWide<Words>& words, std::size_t bit, std::size_t width, std::uint32_t value) {
  for (std::size_t i = 0; i < width; ++i) {
    const std::uint32_t mask = 1U << ((bit + i) % 32);
    std::uint32_t& word = words[(bit + i) / 32];
    word = (value >> i & 1U) != 0 ? word | mask : word & ~mask;
  }
}

constexpr std::size_t kFlitsBits = 10;  // of an element of flits_i, and of a deficit

// The code of the POLICY register; nothing for policies of which there is no RTL.
std::optional<std::uint32_t> code_of(Policy policy) {
  switch (policy) {
    case Policy::Rr:
      return QOSARB_PORT_POLICY_RR;
    case Policy::BxiBasic:
      return QOSARB_PORT_POLICY_BXI_BASIC;
    case Policy::BxiDeficit:
      return QOSARB_PORT_POLICY_BXI_DEFICIT;
    default:
      return std::nullopt;
  }
}

struct Write {
  std::uint32_t offset;
  std::uint32_t value;
};

// All writes of a driver that brings `config` into force.
std::vector<Write> writes_of(const ArbiterConfig& config) {
  std::uint32_t in_use = (1U << config.queues) - 1;
  std::vector<Write> writes;
  if (const auto* bxi = std::get_if<BxiConfig>(&config.parameters)) {
    std::uint32_t served = 0;
    for (std::size_t e = 0; e < bxi->table.size(); ++e) {
      writes.push_back(
          {QOSARB_PORT_TABLE_OFFSET(e), QOSARB_PORT_TABLE_QUEUE_ID_PUT(bxi->table[e].queue) |
                                            QOSARB_PORT_TABLE_QUANTUM_PUT(bxi->quantum(e))});
      served |= 1U << bxi->table[e].queue;
    }
    writes.push_back(
        {QOSARB_PORT_TABLE_ENTRIES_OFFSET, static_cast<std::uint32_t>(bxi->table.size())});
    if (!config.strict) {
      in_use = served;  // a queue without an entry is wanted
    }
  }
  writes.push_back({QOSARB_PORT_POLICY_OFFSET, code_of(config.policy).value()});
  writes.push_back({QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, config.max_packet_flits});
  writes.push_back({QOSARB_PORT_QUEUES_IN_USE_OFFSET, in_use});
  writes.push_back({QOSARB_PORT_COMMIT_OFFSET, 1});
  return writes;
}

}  // namespace

class RtlArbiter::Rtl final : public ClockedPort {
 public:
  Rtl(const PortPlace& place, const Options& options);
  ~Rtl() override;

  void program(const ArbiterConfig& config, const std::string& config_file);
  void reprogram(const ArbiterConfig& config);
  [[nodiscard]] bool reprogramming() const { return busy_ > 0; }
  std::uint32_t read(std::uint32_t offset);

  void advance(Cycle now, Heads heads);
  Decision decide(Cycle now, Heads heads);

  void clock_edge() override;

  Options options_;
  PortPlace place_;
  std::unique_ptr<VerilatedContext> own_context_;
  std::unique_ptr<Vport> port_;

  ArbiterConfig config_;        // in force
  ArbiterConfig config_to_be_;  // of the commit that is on its way
  std::uint64_t tables_applied_ = 0;
  std::uint64_t edges_ = 0;

 private:
  void settle();
  void drive(Heads heads);
  void skip(Cycle cycles);
  void start_transfer_phase();
  std::uint32_t transfer(bool write, std::uint32_t offset, std::uint32_t value);

  std::vector<Head> driven_;  // as the RTL sees them; only flits and stopped count
  Cycle now_ = 0;             // the cycle whose clock edge comes next
  bool decided_ = false;      // that cycle has had its decision
  bool counting_ = false;     // the counters' first stage holds what the inputs say
  std::deque<Write> writes_;  // of a reprogramming
  Cycle busy_ = 0;            // cycles in which a reprogramming may still change something
};

RtlArbiter::Rtl::Rtl(const PortPlace& place, const Options& options)
    : options_(options), place_(place) {
  VerilatedContext* context = nullptr;
  if (options.waves != nullptr) {
    context = &options.waves->context();
  } else {
    own_context_ = std::make_unique<VerilatedContext>();
    own_context_->threads(1);  // else each starts a pool of threads that it does not need
    context = own_context_.get();
  }
  std::vector<const char*> arguments = {"qosarb"};
  for (const std::string& plusarg : options.plusargs) {
    arguments.push_back(plusarg.c_str());
  }
  context->commandArgs(static_cast<int>(arguments.size()), arguments.data());
  // A blank separates scopes of a waveform.
  const std::string name = place.chip + (place.chip.empty() ? "" : " ") + place.port;
  port_ = std::make_unique<Vport>(context, name.c_str());
  port_->rst_ni = 1;
  port_->clk_i = 0;
  port_->eval();
  port_->rst_ni = 0;  // the assertion is asynchronous
  settle();
  clock_edge();
  port_->rst_ni = 1;
  clock_edge();
  if (options.waves != nullptr) {
    options.waves->add(*this, *port_);
  }
}

RtlArbiter::Rtl::~Rtl() {
  // A model of Verilator 5.006 takes its scopes out of the thread's context, whichever that is.
  Verilated::threadContextp(port_->contextp());
  port_.reset();
  Verilated::threadContextp(Verilated::defaultContextp());
}

// The clock is low and everything follows the inputs.
void RtlArbiter::Rtl::settle() {
  port_->clk_i = 0;
  port_->eval();
}

// The end of a cycle.
void RtlArbiter::Rtl::clock_edge() {
  if (port_->clk_i != 0) {
    settle();
  }
  const bool applies = port_->table_applied_o != 0;
  counting_ = port_->grant_valid_o == 0;
  port_->clk_i = 1;
  port_->eval();
  ++edges_;
  if (applies) {
    ++tables_applied_;
    config_ = config_to_be_;
  }
}

void RtlArbiter::Rtl::drive(Heads heads) {
  driven_.resize(heads.size());
  for (std::size_t q = 0; q < heads.size(); ++q) {
    Head& driven = driven_[q];
    const Head& head = heads[q];
    const auto mask = static_cast<CData>(1U << q);
    if (head.flits != driven.flits) {
      counting_ = counting_ && (head.flits != 0) == (driven.flits != 0);
      port_->valid_i =
          static_cast<CData>(head.flits != 0 ? port_->valid_i | mask : port_->valid_i & ~mask);
      set_field(port_->flits_i, q * kFlitsBits, kFlitsBits, head.flits);
      driven.flits = head.flits;
    }
    if (head.stopped != driven.stopped) {
      counting_ = false;
      port_->pfc_stop_i =
          static_cast<CData>(head.stopped ? port_->pfc_stop_i | mask : port_->pfc_stop_i & ~mask);
      driven.stopped = head.stopped;
    }
  }
}

// `cycles` cycles pass with the inputs as they are and without a request.
void RtlArbiter::Rtl::skip(Cycle cycles) {
  while (cycles > 0 && (options_.clocking == Clocking::EveryCycle || busy_ > 0 || !counting_)) {
    start_transfer_phase();
    clock_edge();
    --cycles;
  }
  if (cycles == 0) {
    return;
  }
  const std::uint32_t blocked = port_->valid_i & port_->pfc_stop_i;
  const std::uint32_t waiting = port_->valid_i & ~static_cast<std::uint32_t>(port_->pfc_stop_i);
  const auto add = [cycles](IData& counter) {
    counter =
        cycles > UINT32_MAX - counter ? UINT32_MAX : counter + static_cast<std::uint32_t>(cycles);
  };
  for (std::size_t q = 0; q < driven_.size(); ++q) {
    if ((blocked >> q & 1U) != 0) {
      add(port_->rootp->qosarb_port__DOT__u_counters__DOT__blocked_q[q]);
    } else if ((waiting >> q & 1U) != 0) {
      add(port_->rootp->qosarb_port__DOT__u_counters__DOT__waiting_q[q]);
    }
  }
}

void RtlArbiter::Rtl::advance(Cycle now, Heads heads) {
  if (options_.waves != nullptr) {
    // Waves clocks all ports when each of them has come here.
    if (now != now_ + 1) {
      throw std::logic_error("a port with a waveform must be brought to the end of every cycle");
    }
    if (!decided_) {
      start_transfer_phase();
      port_->request_i = 0;
      drive(heads);
      settle();
    }
    decided_ = false;
    now_ = now;
    return;
  }
  if (decided_ && now > now_) {
    clock_edge();
    port_->request_i = 0;
    decided_ = false;
    ++now_;
  }
  if (now > now_) {
    drive(heads);
    skip(now - now_);
    now_ = now;
  }
}

Decision RtlArbiter::Rtl::decide(Cycle now, Heads heads) {
  drive(heads);
  start_transfer_phase();
  port_->request_i = 1;
  settle();
  decided_ = true;
  const bool valid = port_->grant_valid_o != 0;
  const std::size_t queue = port_->grant_queue_o;
  const auto violation = [this, now](const std::string& what) {
    return Mismatch(now, place_,
                    fmt::format("mismatch in cycle {} at {}: {}", now, text_of(place_), what));
  };
  if (port_->grant_o != (valid ? 1U << queue : 0U)) {
    throw violation(fmt::format("the RTL's grant is {:#x} one-hot, but {} as an index",
                                port_->grant_o, valid ? static_cast<int>(queue) : -1));
  }
  if (!valid) {
    return {};
  }
  if (queue >= heads.size() || !heads[queue].active()) {
    throw violation(fmt::format("the RTL grants queue {}, which is not active", queue));
  }
  return {static_cast<int>(queue), heads[queue].flits, heads[queue].age};
}

// What the APB does in the cycle that begins: idle, setup, or access after a setup.
void RtlArbiter::Rtl::start_transfer_phase() {
  if (busy_ == 0) {
    return;
  }
  --busy_;
  if (port_->psel_i != 0 && port_->penable_i == 0) {
    port_->penable_i = 1;
    return;
  }
  port_->penable_i = 0;
  port_->psel_i = writes_.empty() ? 0 : 1;
  if (!writes_.empty()) {
    port_->pwrite_i = 1;
    port_->pstrb_i = 0xf;
    port_->paddr_i = static_cast<SData>(writes_.front().offset);
    port_->pwdata_i = writes_.front().value;
    writes_.pop_front();
  }
}

std::uint32_t RtlArbiter::Rtl::transfer(bool write, std::uint32_t offset, std::uint32_t value) {
  port_->psel_i = 1;
  port_->penable_i = 0;
  port_->pwrite_i = write ? 1 : 0;
  port_->pstrb_i = write ? 0xf : 0;
  port_->paddr_i = static_cast<SData>(offset);
  port_->pwdata_i = value;
  settle();
  clock_edge();
  port_->penable_i = 1;
  settle();
  const std::uint32_t result = port_->prdata_o;
  const bool refused = port_->pslverr_o != 0 || port_->pready_o == 0;
  clock_edge();
  port_->psel_i = 0;
  port_->penable_i = 0;
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
  port_->request_i = 0;
  return transfer(false, offset, 0);
}

void RtlArbiter::Rtl::program(const ArbiterConfig& config, const std::string& config_file) {
  config_to_be_ = config;
  for (const Write& write : writes_of(config)) {
    transfer(true, write.offset, write.value);
  }
  std::uint32_t status = 0;
  do {
    status = transfer(false, QOSARB_PORT_STATUS_OFFSET, 0);
  } while (QOSARB_PORT_STATUS_PROGRESS_GET(status) != QOSARB_PORT_STATUS_PROGRESS_IDLE);
  if (QOSARB_PORT_STATUS_OUTCOME_GET(status) != QOSARB_PORT_STATUS_OUTCOME_IN_FORCE) {
    const std::uint32_t where = QOSARB_PORT_STATUS_WHERE_GET(status);
    throw InputError(
        config_file, 0,
        QOSARB_PORT_STATUS_REASON_GET(status) == QOSARB_PORT_STATUS_REASON_SHORT_QUANTUM
            ? fmt::format("the RTL refuses the table: the quantum of entry {} does "
                          "not hold the longest packet",
                          where)
            : fmt::format("the RTL refuses the table: no entry serves queue {}", where));
  }
}

void RtlArbiter::Rtl::reprogram(const ArbiterConfig& config) {
  if (busy_ > 0) {
    throw std::logic_error("a reprogramming begins before the last one has ended");
  }
  config_to_be_ = config;
  for (const Write& write : writes_of(config)) {
    writes_.push_back(write);
  }
  // Two cycles for each transfer; the check takes one for each entry, and applying one more.
  busy_ = 2 * writes_.size() + rtl_limits().entries + 4;
}

RtlArbiter::RtlArbiter(const ArbiterConfig& config, const PortPlace& place, Options options) {
  if (const auto obstacle = rtl_obstacle(config)) {
    throw InputError(options.config_file, 0, "the RTL cannot run this arbiter: " + *obstacle);
  }
  rtl_ = std::make_unique<Rtl>(place, options);
  rtl_->program(config, options.config_file);
}

RtlArbiter::~RtlArbiter() = default;

void RtlArbiter::advance(Cycle now, Heads heads) { rtl_->advance(now, heads); }

Decision RtlArbiter::decide(Cycle now, Heads heads) { return rtl_->decide(now, heads); }

std::string RtlArbiter::describe() const {
  std::vector<std::uint64_t> numbers;
  append_state(numbers);
  if (rtl_->config_.policy == Policy::Rr) {
    return fmt::format("last={}", numbers[0]);
  }
  return fmt::format("current_entry={} remaining_flits={} deficits=[{}]", numbers[0], numbers[1],
                     fmt::join(numbers.begin() + 2, numbers.end(), " "));
}

bool RtlArbiter::append_state(std::vector<std::uint64_t>& numbers) const {
  const Vport___024root& root = *rtl_->port_->rootp;
  const auto* bxi = std::get_if<BxiConfig>(&rtl_->config_.parameters);
  std::size_t current = root.qosarb_port__DOT__current;
  if (bxi == nullptr) {
    // After a reset the last winner is the highest queue, of the port or of those in use.
    numbers.push_back(std::min(current, static_cast<std::size_t>(rtl_->config_.queues - 1)));
    return true;
  }
  std::uint64_t remaining = root.qosarb_port__DOT__remaining;
  const std::size_t first = numbers.size();
  numbers.resize(first + 2);
  for (std::size_t e = 0; e < bxi->table.size(); ++e) {
    numbers.push_back(field(root.qosarb_port__DOT__deficit, e * kFlitsBits, kFlitsBits));
  }
  if (remaining == 0) {
    // A turn that is used up is handed on at once by the reference, and with the next grant by the
    // RTL. Before the first grant the RTL's turn is nobody's, the reference's that of entry 0.
    const bool nobodys =
        root.qosarb_port__DOT__u_policies__DOT__g_bxi__DOT__u_bxi__DOT__current_q == 0;
    current = nobodys ? 0 : (current + 1) % bxi->table.size();
    remaining = bxi->quantum(current) + std::exchange(numbers[first + 2 + current], 0);
  }
  numbers[first] = current;
  numbers[first + 1] = remaining;
  return true;
}

void RtlArbiter::reprogram(const ArbiterConfig& config) { rtl_->reprogram(config); }

bool RtlArbiter::reprogramming() const { return rtl_->reprogramming(); }

std::uint64_t RtlArbiter::tables_applied() const { return rtl_->tables_applied_; }

std::uint32_t RtlArbiter::read_register(std::uint32_t offset) { return rtl_->read(offset); }

void RtlArbiter::set_counters(std::uint32_t value) {
  Vport___024root& root = *rtl_->port_->rootp;
  for (int q = 0; q < rtl_limits().queues; ++q) {
    root.qosarb_port__DOT__u_counters__DOT__packets_q[static_cast<std::size_t>(q)] = value;
    root.qosarb_port__DOT__u_counters__DOT__flits_q[static_cast<std::size_t>(q)] = value;
    root.qosarb_port__DOT__u_counters__DOT__blocked_q[static_cast<std::size_t>(q)] = value;
    root.qosarb_port__DOT__u_counters__DOT__waiting_q[static_cast<std::size_t>(q)] = value;
  }
}

std::uint64_t RtlArbiter::edges() const { return rtl_->edges_; }

const RtlLimits& rtl_limits() {
  static const RtlLimits limits = []() {
    VerilatedContext context;
    context.threads(1);
    std::array<const char*, 1> arguments = {"qosarb"};
    context.commandArgs(static_cast<int>(arguments.size()), arguments.data());
    Vport port{&context, ""};
    const auto read = [&port](std::uint32_t offset) {
      port.paddr_i = static_cast<SData>(offset);
      port.psel_i = 1;
      port.clk_i = 0;
      port.eval();
      port.clk_i = 1;
      port.eval();
      return port.prdata_o;
    };
    port.eval();
    port.rst_ni = 1;
    const std::uint32_t sizes = read(QOSARB_PORT_SIZES_OFFSET);
    return RtlLimits{static_cast<int>(QOSARB_PORT_SIZES_QUEUES_GET(sizes)),
                     QOSARB_PORT_SIZES_ENTRIES_GET(sizes),
                     QOSARB_PORT_SIZES_QUANTUM_WIDTH_GET(sizes),
                     read(QOSARB_PORT_PACKET_LIMIT_OFFSET), read(QOSARB_PORT_POLICIES_OFFSET)};
  }();
  return limits;
}

std::optional<std::string> rtl_obstacle(const ArbiterConfig& config) {
  const RtlLimits& limits = rtl_limits();
  const auto packet = config.max_packet_flits;
  if (config.variant != Variant::Corrected) {
    return "RTL is built of the corrected variant only";
  }
  const std::optional<std::uint32_t> code = code_of(config.policy);
  if (!code || (limits.policies >> *code & 1U) == 0) {
    return fmt::format("there is no RTL of {}", name_of(config.policy));
  }
  if (config.queues > limits.queues) {
    return fmt::format("it has {} queues, not {}", limits.queues, config.queues);
  }
  if (packet > limits.packet_flits) {
    return fmt::format("packets have at most {} flits, not {}", limits.packet_flits, packet);
  }
  if (const auto* bxi = std::get_if<BxiConfig>(&config.parameters)) {
    if (bxi->table.size() > limits.entries) {
      return fmt::format("it has {} table entries, not {}", limits.entries, bxi->table.size());
    }
    for (std::size_t e = 0; e < bxi->table.size(); ++e) {
      const std::uint64_t quantum = bxi->quantum(e);
      if (quantum >> limits.quantum_bits != 0) {
        return fmt::format("the quantum of entry {}, {} flits, does not fit into {} bits", e,
                           quantum, limits.quantum_bits);
      }
      if (quantum < packet) {
        return fmt::format("the quantum of entry {}, {} flits, does not hold a packet of {}", e,
                           quantum, packet);
      }
    }
  }
  return std::nullopt;
}

}  // namespace qosarb
