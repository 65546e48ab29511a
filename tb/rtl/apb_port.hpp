// The Verilated output port, driven cycle by cycle, with an APB master of its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

class Vport;
class VerilatedContext;

namespace qosarb {

/// One qosarb_port with default parameters. Inputs stand from one cycle to the next until set.
class ApbPort {
 public:
  static constexpr unsigned kQueues = 8;
  static constexpr unsigned kEntries = 32;
  static constexpr unsigned kMaxPacketFlits = 1023;
  static constexpr unsigned kQuantumWidth = 16;
  static constexpr unsigned kCounters = 4 * kQueues + 2;

  /// The link's side in one cycle.
  struct Candidates {
    std::uint32_t valid = 0;    ///< a bit for each queue
    std::uint32_t stopped = 0;  ///< a bit for each queue
    std::array<std::uint32_t, kQueues> flits{};
    bool request = false;
  };

  /// APB requests of one cycle.
  struct Apb {
    bool sel = false;
    bool enable = false;
    bool write = false;
    std::uint32_t addr = 0;
    std::uint32_t wdata = 0;
    std::uint32_t strobe = 0xf;
  };

  /// What comes out in a cycle.
  struct Outputs {
    int granted = -1;            ///< queue, or -1
    std::uint32_t grant = 0;     ///< one-hot
    bool table_applied = false;  ///< at the end of this cycle
    bool interrupt = false;
    bool drain = false;
    bool soft_reset = false;
    std::uint32_t dropped = 0;  ///< one-hot
    bool ready = false;
    bool error = false;
    std::uint32_t rdata = 0;
    bool clocked = true;  ///< the clock rises at the end of this cycle
  };

  /// After reset, its clock low, nothing valid.
  ApbPort();
  ApbPort(const ApbPort&) = delete;
  ApbPort& operator=(const ApbPort&) = delete;
  ApbPort(ApbPort&&) = delete;
  ApbPort& operator=(ApbPort&&) = delete;
  ~ApbPort();

  void reset();

  /// One whole cycle with these inputs; returns the outputs before its end.
  Outputs cycle(const Candidates& candidates, const Apb& apb);

  /// A whole APB transfer of two cycles, while the candidates stand as last set by candidates().
  struct Answer {
    bool error = false;
    std::uint32_t data = 0;
  };
  Answer read(std::uint32_t addr);
  Answer write(std::uint32_t addr, std::uint32_t data, std::uint32_t strobe = 0xf);

  /// For the cycles of read(), write() and idle().
  void candidates(const Candidates& candidates) { candidates_ = candidates; }
  /// From now on the clock rises only in cycles in which the port is not idle.
  void gate_clock() { gated_ = true; }
  /// `count` cycles without an APB transfer; returns the outputs of the last.
  Outputs idle(unsigned count = 1);

  /// Every register that can be read, in order of address.
  std::vector<std::uint32_t> all_registers();
  /// Addresses of all_registers().
  static std::vector<std::uint32_t> all_addresses();

  /// Takes a snapshot of the counters, which can then be read.
  void snapshot();
  /// Sets all counters, past the registers, when nothing has been counted lately.
  void set_counters(std::uint64_t value);
  /// Sets the policy in force, past the registers, as a soft error would.
  void set_policy_in_force(std::uint32_t code);

 private:
  void show();

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vport> port_;
  Candidates candidates_;
  bool gated_ = false;
};

}  // namespace qosarb
