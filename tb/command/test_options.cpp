#include "command/command.hpp"

namespace qosarb::command {

void add_test_options(CLI::App& /*subcommand*/, EngineOptions& /*options*/) {}

}  // namespace qosarb::command
