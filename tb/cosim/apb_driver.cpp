#include "cosim/apb_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace qosarb {

namespace {

void set_up(const PortModel::Pins& pins, bool write, const RegisterWrite& word) {
  pins.psel_i = 1;
  pins.penable_i = 0;
  pins.pwrite_i = write ? 1 : 0;
  pins.pstrb_i = write ? 0xf : 0;
  pins.paddr_i = static_cast<SData>(word.offset);
  pins.pwdata_i = word.value;
}

std::logic_error refusal(bool write, const RegisterWrite& word) {
  return std::logic_error(fmt::format("the RTL refuses to {} register {:#05x}{}",
                                      write ? "write" : "read", word.offset,
                                      write ? fmt::format(", value {:#x}", word.value) : ""));
}

}  // namespace

std::uint32_t ApbDriver::transfer(bool write, std::uint32_t offset, std::uint32_t value) {
  set_up(pins_, write, {offset, value});
  settle_();
  clock_edge_();
  pins_.penable_i = 1;
  settle_();
  const std::uint32_t result = pins_.prdata_o;
  const bool refused = pins_.pslverr_o != 0 || pins_.pready_o == 0;
  clock_edge_();
  pins_.psel_i = 0;
  pins_.penable_i = 0;
  if (refused) {
    throw refusal(write, {offset, value});
  }
  return result;
}

void ApbDriver::write(const std::vector<RegisterWrite>& writes, Cycle aftermath) {
  for (const RegisterWrite& word : writes) {
    queued_.push_back({true, word});
  }
  busy_ = 2 * queued_.size() + aftermath;
}

void ApbDriver::read(std::uint32_t offset) {
  queued_.push_back({false, {offset, 0}});
  busy_ = std::max<Cycle>(busy_, 2 * queued_.size() + 2);
}

void ApbDriver::begin_cycle() {
  if (busy_ == 0) {
    return;
  }
  --busy_;
  if (pins_.psel_i != 0 && pins_.penable_i == 0) {
    pins_.penable_i = 1;
    return;
  }
  pins_.penable_i = 0;
  pins_.psel_i = 0;
  if (!queued_.empty()) {
    set_up(pins_, queued_.front().write, queued_.front().word);
    queued_.pop_front();
  }
}

void ApbDriver::end_cycle(Cycle now) {
  if (busy_ == 0 || pins_.psel_i == 0 || pins_.penable_i == 0) {
    return;
  }
  if (pins_.pslverr_o != 0) {
    throw refusal(pins_.pwrite_i != 0, {pins_.paddr_i, pins_.pwdata_i});
  }
  if (pins_.pwrite_i != 0) {
    last_write_ = now;
  } else {
    reads_.push_back({now, pins_.paddr_i, pins_.prdata_o});
  }
}

void ApbDriver::reset() {
  queued_.clear();
  reads_.clear();
  busy_ = 0;
  pins_.psel_i = 0;
  pins_.penable_i = 0;
}

}  // namespace qosarb
