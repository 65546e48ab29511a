// All decisions of a run, in an order that does not depend on who asked first within a cycle.
#pragma once

#include <string>
#include <vector>

#include "qosarb/network/network.hpp"

namespace qosarb {

/// One arbitration at a port; `port` counts as Network::ports() does, `queue` is -1 if none won.
struct PortDecision {
  Cycle cycle = 0;
  std::size_t port = 0;
  Index queue = -1;
  std::uint32_t flits = 0;
};

class DecisionLog {
 public:
  /// `ports` are the names, in the order in which PortDecision counts them.
  explicit DecisionLog(std::vector<std::string> ports) : ports_(std::move(ports)) {}

  void add(const PortDecision& decision) { decisions_.push_back(decision); }
  [[nodiscard]] std::size_t size() const { return decisions_.size(); }

  /// Writes "cycle,port,queue,flits" and a row for each decision, by cycle and port.
  /// Errors: InputError if `file` cannot be written.
  void write(const std::string& file);

 private:
  std::vector<std::string> ports_;
  std::vector<PortDecision> decisions_;
};

}  // namespace qosarb
