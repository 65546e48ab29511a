// The context of a Verilated model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "qosarb/policy/types.hpp"
#include "verilated.h"

namespace qosarb {

/// A context of a model's own.
inline std::unique_ptr<VerilatedContext> single_threaded() {
  auto context = std::make_unique<VerilatedContext>();
  context->threads(1);  // else each starts a pool of threads that it does not need
  return context;
}

/// Gives the models of `context` their `plusargs`, such as "+fault=3"; returns it. A check that is
/// bound to one of them and fails is told on stderr, and leaves gotError() behind.
inline VerilatedContext& prepare(VerilatedContext& context,
                                 const std::vector<std::string>& plusargs) {
  std::vector<const char*> arguments = {"qosarb"};
  for (const std::string& plusarg : plusargs) {
    arguments.push_back(plusarg.c_str());
  }
  context.fatalOnError(false);
  context.commandArgs(count(arguments), arguments.data());
  return context;
}

/// A check that fails in the next evaluation on this thread leaves gotError() behind in `context`.
/// A model does not say so itself: it would be the context of the model that was made last.
inline void fails_in(VerilatedContext& context) { Verilated::threadContextp(&context); }

}  // namespace qosarb
