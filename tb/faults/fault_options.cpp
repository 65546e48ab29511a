// --fault of the test build of the command.
#include <fmt/format.h>

#include <vector>

#include "command/command.hpp"
#include "faults.hpp"

namespace qosarb::command {

void add_test_options(CLI::App& subcommand, EngineOptions& options) {
  std::vector<std::string> names;
  for (const test::Fault& fault : test::kFaults) {
    names.emplace_back(fault.name);
  }
  subcommand
      .add_option_function<std::string>(
          "--fault",
          [&options, names](const std::string& name) {
            const auto at = std::find(names.begin(), names.end(), name) - names.begin();
            options.plusargs.push_back(fmt::format("+fault={}", at + 1));
          },
          "The fault of tb/faults/faults.toml that the RTL has")
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

}  // namespace qosarb::command
