// What happens at a port and why its arbiter decides as it does, in lines of text.
#pragma once

#include <string>
#include <vector>

#include "qosarb/events/event_log.hpp"
#include "qosarb/policy/narration.hpp"
#include "qosarb/policy/port.hpp"

namespace qosarb {

/// Writes down the events of one port, and of each decision the candidates, the state before it if
/// time has changed it, the steps of the reference, the outcome and the state after it.
class Explanation final : public PortObserver, public Narrator {
 public:
  /// An arbitration and what happened since the one before it.
  struct Passage {
    std::vector<std::string> lines;
    /// False for what stands behind the last arbitration, and for one that the arbiter broke off
    /// (a mismatch in lockstep).
    bool decided = false;
    TimedDecision outcome;
  };

  /// Listens to `port` and to its arbiter, which both outlive the listening. Steps are told only if
  /// the arbiter is a reference or contains one.
  void listen_to(Port& port);

  [[nodiscard]] const std::vector<Passage>& passages() const { return passages_; }

  /// A commit has brought `config` into force at the port, perhaps with another arbiter.
  void on_commit(Cycle now, const ArbiterConfig& config);

  void on_stamp(Cycle now, Index queue, std::uint8_t age, std::uint32_t packet) override;
  void on_arrive(Cycle now, int queue, std::uint32_t flits, std::uint8_t age) override;
  void on_stop(Cycle now, int queue, bool stopped) override;
  void on_withdraw(Cycle now, int queue, std::uint32_t packet) override;
  void on_arbitration(Cycle now, Heads heads) override;
  void on_decision(Cycle now, const Decision& decision) override;
  void tell(std::string step) override;

 private:
  Passage& passage();
  void tell_early_steps();

  Port* port_ = nullptr;
  std::vector<Passage> passages_;
  std::vector<std::string> early_steps_;  ///< told before the event that they belong to
  std::string state_;                     ///< as it was written down last
  bool arbitrating_ = false;
};

/// The decisions as CSV text, as to_csv() gives them, each row behind its explanation: lines that
/// begin with "# ".
std::string to_csv(const std::vector<Explanation::Passage>& passages);

}  // namespace qosarb
