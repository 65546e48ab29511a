// qosarb: arbiters of switch ports, as C++ references and as RTL, alone and in networks.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>

#include "command/command.hpp"
#include "cosim/interrupts_remove_waves.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/standard_error.hpp"
#include "qosarb/config/check_failure.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb::command {
namespace {

// One line, whatever a library put into its message.
void complain(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  to_standard_error(fmt::format("qosarb: {}\n", one_line(text)));
}

/// An empty name of a file would mean none, and an empty number the default.
void refuse_empty_values(CLI::App& app) {
  for (CLI::App* const subcommand : app.get_subcommands({})) {
    for (CLI::Option* const option : subcommand->get_options()) {
      option->check(
          [](const std::string& value) { return std::string(value.empty() ? "is empty" : ""); });
    }
  }
}

Status run(int argc, char** argv) {
  CLI::App app("Quality-of-service arbitration of switch ports: decisions, simulations, RTL.");
  app.name("qosarb");
  app.set_version_flag("--version", "qosarb " QOSARB_VERSION);
  app.footer(  // of the subcommands, too
      "Exit status: 0 done and every check held, 1 a check failed, 2 bad usage or bad input.");
  app.require_subcommand(0, 1);
  Action action;
  add_decide(app, action);
  add_shrink(app, action);
  add_sim(app, action);
  add_sweep(app, action);
  add_plan(app, action);
  add_analyze(app, action);
  add_policies(app, action);
  refuse_empty_values(app);
  try {
    try {
      app.parse(argc, argv);
      if (!action) {
        throw CLI::RequiredError("A subcommand");
      }
      return action();
    } catch (const CLI::CallForVersion& request) {
      print_result(std::string(request.what()) + "\n");
      return Status::Done;
    } catch (const CLI::Success&) {  // --help, of the subcommand if one was named
      print_result(app.help());
      return Status::Done;
    }
  } catch (const CLI::ParseError& error) {
    complain(error.what());
    return Status::BadInput;
  } catch (const InputError& error) {
    complain(error.what());
    return Status::BadInput;
  } catch (const Mismatch& mismatch) {
    to_standard_error(fmt::format("qosarb: {}\n", mismatch.what()));
    return Status::CheckFailed;
  } catch (const CheckFailure& failure) {
    complain(failure.what());
    return Status::CheckFailed;
  }
}

/// A standard stream that is closed leaves its number to the next file that is opened, which would
/// get what is for the stream. Reading is all that takes its place.
void keep_standard_streams_apart() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) {
      static_cast<void>(open("/dev/null", O_RDONLY));
    }
  }
}

/// Networks that are larger than a core's cache run faster if what they allocate is in huge pages
/// (docs/networks.md). glibc asks for these only if the environment says so when the program
/// starts, so it starts once more; if that cannot be, it goes on as it is.
void start_with_huge_pages(char** argv) {
  constexpr const char* kTunables = "GLIBC_TUNABLES";
  if (std::getenv(kTunables) != nullptr) {
    return;
  }
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown && setenv(kTunables, "glibc.malloc.hugetlb=1", 0) == 0) {
    execv(program.c_str(), argv);
  }
}

}  // namespace
}  // namespace qosarb::command

int main(int argc, char** argv) {
  qosarb::command::start_with_huge_pages(argv);
  qosarb::command::keep_standard_streams_apart();
  // A reader that goes away is an error like any other that keeps results from being written.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a limit on the size of files
  const qosarb::InterruptsRemoveWaves guard;
  try {
    return static_cast<int>(qosarb::command::run(argc, argv));
  } catch (const std::exception& error) {
    qosarb::to_standard_error(fmt::format("qosarb: {}\n", error.what()));
    return static_cast<int>(qosarb::command::Status::BadInput);
  }
}
