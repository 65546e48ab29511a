#include "apb_port.hpp"

#include <verilated.h>

#include <array>
#include <string>

#include "Vport.h"
#include "Vport___024root.h"
#include "qosarb/port/qosarb_port_regs.h"
#include "random/random.hpp"

// All combinational logic, by the values that registers and inputs have; made by Verilator, which
// declares it in no header.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
void Vport___024root___eval_settle(Vport___024root* root);

namespace qosarb {

namespace {

/// QOSARB_FAULT=n selects fault n of faults.toml, in the build that has them.
std::unique_ptr<VerilatedContext> context_with_fault() {
  auto context = std::make_unique<VerilatedContext>();
  const std::string fault = "+fault=" + std::to_string(test::from_environment("QOSARB_FAULT", 0));
  std::array<const char*, 2> arguments = {"port", fault.c_str()};
  context->commandArgs(static_cast<int>(arguments.size()), arguments.data());
  return context;
}

}  // namespace

ApbPort::ApbPort()
    : context_(context_with_fault()), port_(std::make_unique<Vport>(context_.get())) {
  reset();
}

ApbPort::~ApbPort() { port_->final(); }

void ApbPort::reset() {
  port_->clk_i = 0;
  port_->psel_i = 0;
  port_->penable_i = 0;
  port_->valid_i = 0;
  port_->request_i = 0;
  for (const auto reset : std::array<CData, 3>{1, 0, 1}) {
    port_->rst_ni = reset;
    show();
  }
  candidates_ = {};
}

// The pins are the inputs of the cycle.
void ApbPort::show() {
  for (const auto level : std::array<CData, 2>{0, 1}) {
    port_->show_i = level;
    port_->eval();
  }
}

ApbPort::Outputs ApbPort::cycle(const Candidates& candidates, const Apb& apb) {
  port_->valid_i = static_cast<CData>(candidates.valid);
  port_->pfc_stop_i = static_cast<CData>(candidates.stopped);
  port_->request_i = candidates.request;
  constexpr unsigned kFlitsWidth = 10;
  for (unsigned bit = 0; bit < kQueues * kFlitsWidth; ++bit) {
    const std::uint32_t value = (candidates.flits[bit / kFlitsWidth] >> (bit % kFlitsWidth)) & 1U;
    port_->flits_i[bit / 32] =
        (port_->flits_i[bit / 32] & ~(1U << (bit % 32))) | (value << (bit % 32));
  }
  port_->psel_i = apb.sel;
  port_->penable_i = apb.enable;
  port_->pwrite_i = apb.write;
  port_->paddr_i = static_cast<SData>(apb.addr);
  port_->pwdata_i = apb.wdata;
  port_->pstrb_i = static_cast<CData>(apb.strobe);
  show();

  Outputs outputs;
  outputs.granted = port_->grant_valid_o != 0 ? port_->grant_queue_o : -1;
  outputs.grant = port_->grant_o;
  outputs.table_applied = port_->table_applied_o != 0;
  outputs.interrupt = port_->interrupt_o != 0;
  outputs.drain = port_->drain_o != 0;
  outputs.soft_reset = port_->soft_reset_o != 0;
  outputs.dropped = port_->drop_o;
  outputs.ready = port_->pready_o != 0;
  outputs.error = port_->pslverr_o != 0;
  outputs.rdata = port_->prdata_o;
  outputs.clocked = !gated_ || port_->idle_o == 0;

  port_->clk_i = outputs.clocked ? 1 : 0;
  port_->eval();
  port_->clk_i = 0;  // nothing happens then: it is evaluated with the next inputs
  return outputs;
}

ApbPort::Answer ApbPort::read(std::uint32_t addr) {
  Apb apb{.sel = true, .addr = addr, .strobe = 0};
  cycle(candidates_, apb);
  apb.enable = true;
  const Outputs outputs = cycle(candidates_, apb);
  return {outputs.error, outputs.rdata};
}

ApbPort::Answer ApbPort::write(std::uint32_t addr, std::uint32_t data, std::uint32_t strobe) {
  Apb apb{.sel = true, .write = true, .addr = addr, .wdata = data, .strobe = strobe};
  cycle(candidates_, apb);
  apb.enable = true;
  const Outputs outputs = cycle(candidates_, apb);
  return {outputs.error, outputs.rdata};
}

ApbPort::Outputs ApbPort::idle(unsigned count) {
  Outputs outputs;
  for (unsigned i = 0; i < count; ++i) {
    outputs = cycle(candidates_, {});
  }
  return outputs;
}

std::vector<std::uint32_t> ApbPort::all_addresses() {
  std::vector<std::uint32_t> addresses = {
      QOSARB_PORT_ID_OFFSET,
      QOSARB_PORT_SIZES_OFFSET,
      QOSARB_PORT_PACKET_LIMIT_OFFSET,
      QOSARB_PORT_POLICIES_OFFSET,
      QOSARB_PORT_POLICY_OFFSET,
      QOSARB_PORT_TABLE_ENTRIES_OFFSET,
      QOSARB_PORT_MAX_PACKET_FLITS_OFFSET,
      QOSARB_PORT_QUEUES_IN_USE_OFFSET,
      QOSARB_PORT_COMMIT_OFFSET,
      QOSARB_PORT_STATUS_OFFSET,
      QOSARB_PORT_COUNTER_CLEAR_OFFSET,
      QOSARB_PORT_POLICY_IN_FORCE_OFFSET,
      QOSARB_PORT_TABLE_ENTRIES_IN_FORCE_OFFSET,
      QOSARB_PORT_MAX_PACKET_FLITS_IN_FORCE_OFFSET,
      QOSARB_PORT_QUEUES_IN_USE_IN_FORCE_OFFSET,
      QOSARB_PORT_CURRENT_OFFSET,
      QOSARB_PORT_REMAINING_OFFSET,
      QOSARB_PORT_COUNTER_HIGH_OFFSET,
      QOSARB_PORT_SNAPSHOT_OFFSET,
      QOSARB_PORT_SOFT_ERRORS_OFFSET,
      QOSARB_PORT_LYING_HEADS_OFFSET,
      QOSARB_PORT_ERROR_STATUS_OFFSET,
      QOSARB_PORT_ERROR_ENABLE_OFFSET,
      QOSARB_PORT_ERROR_CLEAR_OFFSET,
      QOSARB_PORT_PFC_WATCHDOG_OFFSET,
      QOSARB_PORT_PAUSED_QUEUES_OFFSET,
      QOSARB_PORT_LONGEST_WAIT_OFFSET,
      QOSARB_PORT_DROPPED_HEADS_OFFSET,
      QOSARB_PORT_CONTROL_OFFSET,
      QOSARB_PORT_QUEUE_STATUS_OFFSET,
  };
  for (const std::uint32_t first :
       {QOSARB_PORT_TABLE_OFFSET(0), QOSARB_PORT_TABLE_IN_FORCE_OFFSET(0),
        QOSARB_PORT_DEFICIT_OFFSET(0)}) {
    for (std::uint32_t e = 0; e < kEntries; ++e) {
      addresses.push_back(first + 4 * e);
    }
  }
  for (const std::uint32_t first : {QOSARB_PORT_PACKETS_OFFSET(0), QOSARB_PORT_FLITS_OFFSET(0),
                                    QOSARB_PORT_BLOCKED_OFFSET(0), QOSARB_PORT_WAITING_OFFSET(0)}) {
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      addresses.push_back(first + 4 * q);
    }
  }
  return addresses;
}

std::vector<std::uint32_t> ApbPort::all_registers() {
  const std::vector<std::uint32_t> addresses = all_addresses();
  std::vector<std::uint32_t> values;
  values.reserve(addresses.size());
  for (const std::uint32_t addr : addresses) {
    values.push_back(read(addr).data);
  }
  return values;
}

void ApbPort::snapshot() {
  write(QOSARB_PORT_SNAPSHOT_OFFSET, QOSARB_PORT_SNAPSHOT_TAKE_PUT(1));
  while (QOSARB_PORT_SNAPSHOT_BUSY_GET(read(QOSARB_PORT_SNAPSHOT_OFFSET).data) != 0) {
  }
}

void ApbPort::set_counters(std::uint64_t value) {
  Vport___024root& root = *port_->rootp;
  for (unsigned counter = 0; counter < kCounters; ++counter) {
    root.port_pins__DOT__qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_counters__DOT__words_q
        [counter] = value;
  }
  // Words that have been read are yet to be written back.
  constexpr int kLower = 24;
  root.port_pins__DOT__qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__u_counters__DOT__read_data_q =
      value;
  root.port_pins__DOT__qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__upper_q =
      static_cast<IData>(value >> kLower);
  root.port_pins__DOT__qosarb_port__DOT__u_ports__DOT__g_port__BRA__0__KET____DOT__u_counters__DOT__lower_q =
      static_cast<IData>(value & ((std::uint64_t{1} << kLower) - 1));
  Vport___024root___eval_settle(&root);
}

void ApbPort::set_policy_in_force(std::uint32_t code) {
  port_->rootp->port_pins__DOT__qosarb_port__DOT__u_ports__DOT__u_configuration__DOT__policy_q =
      static_cast<CData>(code);
  Vport___024root___eval_settle(port_->rootp);
}

}  // namespace qosarb
