#include "run_command.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
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

StartedCommand::StartedCommand(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {QOSARB_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  process_ = fork();
  if (process_ < 0) {
    throw std::runtime_error("no process can be started");
  }
  if (process_ == 0) {
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) {
      std::signal(signal, SIG_DFL);  // a shell ignores them for its jobs in the background
    }
    const int nowhere = open("/dev/null", O_WRONLY);
    if (dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0) {
      execv(pointers.front(), pointers.data());
    }
    _exit(127);
  }
}

StartedCommand::~StartedCommand() { end_by(SIGKILL); }

bool StartedCommand::runs() {
  ended_ = ended_ || waitpid(process_, &status_, WNOHANG) == process_;
  return !ended_;
}

int StartedCommand::end_by(int signal) {
  if (runs()) {
    kill(process_, signal);
    ended_ = waitpid(process_, &status_, 0) == process_;
  }
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
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

std::vector<std::string> ScratchDirectory::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
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
