#include "systemc/apb.hpp"

#include <fmt/format.h>

namespace qosarb {

Apb::Apb(const sc_core::sc_signal<bool>& clk, std::size_t ports) : clk_(clk) {
  for (std::size_t port = 0; port < ports; ++port) {
    slaves_.push_back(std::make_unique<Slave>(fmt::format("apb{}", port)));
  }
}

void Apb::write(std::size_t port, std::uint32_t offset, std::uint32_t value) {
  transfer(port, true, offset, value);
}

std::uint32_t Apb::read(std::size_t port, std::uint32_t offset) {
  return transfer(port, false, offset, 0);
}

void Apb::abandon(std::size_t port) {
  Slave& slave = *slaves_[port];
  slave.psel.write(true);
  pwrite_.write(false);
  pstrb_.write(0);
  sc_core::wait(clk_.posedge_event());
  slave.psel.write(false);
}

std::uint32_t Apb::transfer(std::size_t port, bool write, std::uint32_t offset,
                            std::uint32_t value) {
  Slave& slave = *slaves_[port];
  slave.psel.write(true);
  penable_.write(false);
  pwrite_.write(write);
  paddr_.write(offset);
  pwdata_.write(value);
  pstrb_.write(write ? 0xf : 0);
  sc_core::wait(clk_.posedge_event());
  penable_.write(true);
  do {
    sc_core::wait(clk_.posedge_event());
  } while (!slave.pready.read());
  slave.psel.write(false);
  penable_.write(false);
  if (slave.pslverr.read()) {
    throw Refused(fmt::format("port {} refuses to {} register {:#05x}{}", port,
                              write ? "write" : "read", offset,
                              write ? fmt::format(", value {:#x}", value) : ""));
  }
  return slave.prdata.read();
}

}  // namespace qosarb
