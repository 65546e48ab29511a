#include "run_command.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace qosarb::test {

namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace

Outcome run_command(const std::vector<std::string>& arguments, const std::string& redirection) {
  const ScratchDirectory scratch;
  std::string command = "{ " + shell_quoted(QOSARB_COMMAND);
  for (const std::string& argument : arguments) {
    command += " " + shell_quoted(argument);
  }
  command += " " + redirection + "; } >" + scratch.path("out") + " 2>" + scratch.path("err");
  const int ended = std::system(command.c_str());  // NOLINT(bugprone-command-processor)
  return {WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended),
          contents(scratch.path("out")), contents(scratch.path("err"))};
}

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "qosarb-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no scratch directory can be made");
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDirectory::file(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path(name);
}

std::string contents(const std::string& file) {
  const std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace qosarb::test
