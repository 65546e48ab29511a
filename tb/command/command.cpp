#include "command/command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "qosarb/config/input_error.hpp"

namespace qosarb::command {

void add_engine_options(CLI::App& subcommand, EngineOptions& options) {
  subcommand
      .add_option_function<std::string>(
          "--engine", [&options](const std::string& name) { options.engine = engine_named(name); },
          "Who decides: the C++ reference, the Verilated RTL, or both checked against each other "
          "(default: lockstep where the RTL can hold the configuration, else model)")
      ->check(CLI::IsMember({"model", "rtl", "lockstep"}))
      ->type_name("model|rtl|lockstep");
  subcommand.add_option("--trace", options.trace, "Write a waveform of every port")
      ->type_name("FILE.fst");
  subcommand
      .add_option("--reproducer", options.reproducer,
                  "Where a mismatch leaves its config and event log (default: a new directory "
                  "qosarb-reproducer-N)")
      ->type_name("DIR");
  add_test_options(subcommand, options);
}

void check_traceable(Engine engine, const ArbiterConfig& config, const std::string& config_file) {
  if (engine == Engine::Model) {
    const auto obstacle = rtl_obstacle(config);
    throw InputError(
        config_file, 0,
        "--trace shows the RTL, but " + (obstacle ? "it cannot run this arbiter: " + *obstacle
                                                  : std::string("--engine model has none")));
  }
}

void print_result(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw InputError("standard output", 0,
                     std::string("cannot be written: ") + std::strerror(errno));
  }
}

}  // namespace qosarb::command
