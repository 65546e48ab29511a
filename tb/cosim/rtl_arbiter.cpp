#include "cosim/rtl_arbiter.hpp"

#include "cosim/age_chip.hpp"
#include "cosim/build_choice.hpp"
#include "cosim/rtl_port.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {

RtlArbiter::RtlArbiter(const ArbiterConfig& config, const PortPlace& place,
                       const Options& options) {
  std::vector<ArbiterConfig> configs = {config};
  configs.insert(configs.end(), options.commits.begin(), options.commits.end());
  const PortBuild& build =
      build_for(configs, options.build == nullptr ? port_builds() : std::span(options.build, 1),
                options.config_file);
  port_ = std::make_unique<RtlPort>(build, place, options);
  port_->program(config);
}

RtlArbiter::~RtlArbiter() = default;

void RtlArbiter::advance(Cycle now, Heads heads) { port_->advance(now, heads); }

AgeStamp RtlArbiter::arrive(Cycle now, Index queue, std::uint8_t age) {
  return port_->arrive(now, queue, age);
}

void RtlArbiter::enter_elsewhere(Cycle now, std::uint32_t packets) {
  port_->age_chip()->enter(now, packets);
}

void RtlArbiter::leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) {
  port_->age_chip()->leave_elsewhere(now, epoch, packets);
}

Decision RtlArbiter::decide(Cycle now, Heads heads) { return port_->decide(now, heads); }

std::string RtlArbiter::describe() const {
  std::vector<std::uint64_t> numbers;
  port_->policy().append_state(port_->model(), port_->config(), numbers);
  const std::string own = port_->policy().describe(port_->config(), numbers);
  return port_->config().policy->shares_chip_clock() ? port_->age_chip()->describe() + " " + own
                                                     : own;
}

bool RtlArbiter::append_state(std::vector<std::uint64_t>& numbers) const {
  if (port_->config().policy->shares_chip_clock()) {
    port_->append_chip_state(numbers);
  }
  port_->policy().append_state(port_->model(), port_->config(), numbers);
  return true;
}

void RtlArbiter::reprogram(const ArbiterConfig& config) { port_->reprogram(config); }

bool RtlArbiter::reprogramming() const { return port_->apb().busy(); }

std::uint64_t RtlArbiter::tables_applied() const { return port_->tables_applied(); }

Cycle RtlArbiter::latency() const { return port_->latency(); }

bool RtlArbiter::applies_table() { return port_->applies_table(); }

void RtlArbiter::commit(const ArbiterConfig& config) { port_->commit(config); }

void RtlArbiter::reset() { port_->reset(); }

void RtlArbiter::queue_read(std::uint32_t offset) { port_->apb().read(offset); }

std::vector<RtlArbiter::Read> RtlArbiter::take_reads() { return port_->apb().take_reads(); }

std::uint32_t RtlArbiter::read_register(std::uint32_t offset) { return port_->read(offset); }

void RtlArbiter::queue_snapshot() { port_->queue_snapshot(); }

Cycle RtlArbiter::snapshot_cycle() const { return port_->apb().last_write(); }

void RtlArbiter::snapshot() {
  port_->write(QOSARB_PORT_SNAPSHOT_OFFSET, QOSARB_PORT_SNAPSHOT_TAKE_PUT(1));
  while (QOSARB_PORT_SNAPSHOT_BUSY_GET(port_->read(QOSARB_PORT_SNAPSHOT_OFFSET)) != 0) {
  }
}

void RtlArbiter::finish() { port_->make_edge(); }

std::uint64_t RtlArbiter::edges() const { return port_->edges(); }

}  // namespace qosarb
