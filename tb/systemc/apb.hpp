// An APB with many ports on it, and its master.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

namespace qosarb {

/// Address, data and control go to all ports; each has its own select and its own answers.
class Apb {
 public:
  /// A transfer was answered with an error.
  class Refused : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  Apb(const sc_core::sc_signal<bool>& clk, std::size_t ports);

  /// Joins `rtl`, which is any module with the APB pins of qosarb_port.
  template <typename Rtl>
  void bind(std::size_t port, Rtl& rtl) {
    Slave& slave = *slaves_[port];
    rtl.psel_i(slave.psel);
    rtl.penable_i(penable_);
    rtl.pwrite_i(pwrite_);
    rtl.paddr_i(paddr_);
    rtl.pwdata_i(pwdata_);
    rtl.pstrb_i(pstrb_);
    rtl.pready_o(slave.pready);
    rtl.prdata_o(slave.prdata);
    rtl.pslverr_o(slave.pslverr);
  }

  /// Whole transfers, from a rising edge to a later one. Only in an SC_THREAD.
  /// Errors: Refused.
  void write(std::size_t port, std::uint32_t offset, std::uint32_t value);
  std::uint32_t read(std::size_t port, std::uint32_t offset);
  /// Begins a transfer and gives it up a cycle later, which APB forbids. Only in an SC_THREAD.
  void abandon(std::size_t port);

 private:
  struct Slave {
    explicit Slave(const std::string& prefix)
        : psel((prefix + "_psel").c_str()),
          pready((prefix + "_pready").c_str()),
          prdata((prefix + "_prdata").c_str()),
          pslverr((prefix + "_pslverr").c_str()) {}
    sc_core::sc_signal<bool> psel;
    sc_core::sc_signal<bool> pready;
    sc_core::sc_signal<std::uint32_t> prdata;
    sc_core::sc_signal<bool> pslverr;
  };
  std::uint32_t transfer(std::size_t port, bool write, std::uint32_t offset, std::uint32_t value);

  const sc_core::sc_signal<bool>& clk_;
  sc_core::sc_signal<bool> penable_{"penable"};
  sc_core::sc_signal<bool> pwrite_{"pwrite"};
  sc_core::sc_signal<std::uint32_t> paddr_{"paddr"};
  sc_core::sc_signal<std::uint32_t> pwdata_{"pwdata"};
  sc_core::sc_signal<std::uint32_t> pstrb_{"pstrb"};
  std::vector<std::unique_ptr<Slave>> slaves_;
};

}  // namespace qosarb
