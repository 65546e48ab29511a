// A waveform of the RTL of all ports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "qosarb/policy/types.hpp"

class VerilatedContext;
class VerilatedFstC;

namespace qosarb {

class Clocked;

/// Writes an FST file in which one cycle is 1 ns: cycle c begins at c ns, shows its candidates and
/// its decision, and has its clock edge, after which the new state shows, in its middle.
///
/// Ports join as their arbiters are built; the first end_of_cycle() begins the file. In each cycle
/// every port must have been brought to its end (Port::reach(now + 1)) before end_of_cycle(now) is
/// called, which clocks them all.
class Waves {
 public:
  /// Errors: InputError if `file` cannot be written, or is there and not a plain file.
  explicit Waves(const std::string& file);
  ~Waves();
  Waves(const Waves&) = delete;
  Waves& operator=(const Waves&) = delete;

  void end_of_cycle(Cycle now);

  /// Completes the file. Without it the destructor does, but cannot complain.
  /// Errors: InputError if the file did not become complete.
  void close();

  /// For the arbiters: the context of their models, and a model that joins.
  VerilatedContext& context() { return *context_; }
  void add(Clocked& model);

 private:
  std::string file_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<VerilatedFstC> fst_;
  std::vector<Clocked*> models_;
  bool open_ = false;
};

}  // namespace qosarb
