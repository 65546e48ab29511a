// A Verilated port that is clocked in step with simulated time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cosim/apb_driver.hpp"
#include "cosim/clocked.hpp"
#include "cosim/policy/policy_rtl.hpp"
#include "cosim/port_model.hpp"
#include "cosim/rtl_arbiter.hpp"

namespace qosarb {

/// What RtlArbiter does with the clock, the candidates, the APB and the chip's age clock.
class RtlPort final : public Clocked {
 public:
  /// A port after its reset.
  RtlPort(const PortBuild& build, const PortPlace& place, const RtlArbiter::Options& options);
  ~RtlPort() override;
  RtlPort(const RtlPort&) = delete;
  RtlPort& operator=(const RtlPort&) = delete;

  /// Brings `config` into force before time begins. Errors: InputError if the RTL refuses it.
  void program(const ArbiterConfig& config);
  /// The same at any time, beside simulated cycles.
  void commit(const ArbiterConfig& config);
  void reprogram(const ArbiterConfig& config);
  void reset();
  [[nodiscard]] ApbDriver& apb() { return apb_; }
  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  void queue_snapshot();

  void advance(Cycle now, Heads heads);
  AgeStamp arrive(Cycle now, Index queue, std::uint8_t age);
  Decision decide(Cycle now, Heads heads);

  void clock_edge() override;
  /// The clock edge at which the last cycle ended, if it was not made yet. Errors: Mismatch.
  void make_edge();
  void trace(VerilatedFstC& fst) override { port_->trace(fst); }

  [[nodiscard]] PortModel& model() {
    make_edge();
    return *port_;
  }
  /// Null if it has none.
  [[nodiscard]] RtlAgeChip* age_chip() { return options_.age_chip.get(); }
  [[nodiscard]] const RtlAgeChip* age_chip() const { return options_.age_chip.get(); }
  [[nodiscard]] const ArbiterConfig& config() const { return config_; }
  [[nodiscard]] const PolicyRtl& policy() const { return *policy_; }
  [[nodiscard]] std::uint64_t tables_applied() const { return tables_applied_; }
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  [[nodiscard]] Cycle latency() const { return build_.latency; }
  /// The chip's part of the state: right after a decision, of the state before it.
  void append_chip_state(std::vector<std::uint64_t>& numbers) const;
  [[nodiscard]] bool applies_table();

 private:
  void begin_cycle();
  void settle();
  void end_edge();
  [[nodiscard]] VerilatedContext& context() const;
  [[nodiscard]] bool waves_clock() const;
  void drive(Heads heads);
  void drive(std::size_t queue, const Head& head);
  void skip(Cycle cycles, Heads heads);
  void show_chip();
  void check_left();

  const PortBuild& build_;
  RtlArbiter::Options options_;
  PortPlace place_;
  std::unique_ptr<VerilatedContext> own_context_;
  std::unique_ptr<PortModel> port_;
  const PortModel::Pins& pins_;
  ApbDriver apb_;

  ArbiterConfig config_;               // in force
  const PolicyRtl* policy_ = nullptr;  // of it
  ArbiterConfig config_to_be_;         // of the commit that is on its way
  std::uint64_t tables_applied_ = 0;
  std::uint64_t edges_ = 0;

  bool settled_ = false;      // the pins are those of the present cycle
  bool edge_is_due_ = false;  // the last cycle has ended and its clock edge was not made
  Cycle edge_ = 0;            // the cycle of the last clock edge

  std::vector<Head> driven_;      // as the RTL sees them; only flits and stopped count
  Cycle now_ = 0;                 // the cycle whose clock edge comes next
  bool decided_ = false;          // that cycle has had its decision
  bool counts_by_heads_ = false;  // a policy that is built in does
  bool counting_ = false;         // the counters' first stage holds what the inputs say
  bool running_ = false;          // after programming
  bool clocked_ = false;          // the cycle of the decision has had its clock edge

  // With Latency 1: the present cycle has the answer to the last one's request, and this packet is
  // still shown in it.
  struct Granted {
    std::size_t queue = 0;
    Head head;
  };
  std::optional<Granted> granted_;
  std::vector<std::uint64_t> chip_before_;  // the chip's state before the last decision

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

}  // namespace qosarb
