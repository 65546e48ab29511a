#include "input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "qosarb/analyze/packet_mix.hpp"
#include "qosarb/analyze/report.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb::fuzz {

namespace {

namespace fs = std::filesystem;

/// Of this process. In it `cwd` is where it was started, for inputs that name other files.
struct Folder {
  Folder() {
    fs::remove_all(path);  // of an earlier process that was ended
    fs::create_directory(path);
    fs::create_directory_symlink(fs::current_path(), path / "cwd");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }

  fs::path path = fs::temp_directory_path() / fmt::format("qosarb_fuzz.{}", getpid());
};

/// One line, "file:line: fault"; an empty file has no line.
bool is_good(std::string_view message, const std::string& file, bool empty) {
  if (!message.starts_with(file + ":") ||
      std::any_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; })) {
    return false;
  }
  message.remove_prefix(file.size() + 1);
  const std::size_t digits = message.find_first_not_of("0123456789");
  return empty || (digits > 0 && digits != std::string_view::npos && message[0] != '0' &&
                   message.substr(digits).starts_with(": "));
}

}  // namespace

int fuzz(const std::uint8_t* data, std::size_t size, Parser parser, Names names) {
  static const Folder folder;
  static const std::string file = folder.path / "input";
  static const int written = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (ftruncate(written, 0) != 0 || std::cmp_not_equal(pwrite(written, data, size, 0), size)) {
    throw std::system_error(errno, std::generic_category(), file);
  }
  try {
    parser(file);
  } catch (const InputError& error) {
    const std::string message = error.what();
    const bool of_another =
        names == Names::OtherFiles &&
        (!message.starts_with(file + ":") || message.ends_with(": cannot be opened for reading"));
    if (!of_another && !is_good(message, file, size == 0)) {
      throw std::logic_error("a refusal must be one line with file, line and fault: " + message);
    }
  }
  return 0;
}

ArbiterConfig arbiter_of_8_queues() {
  ArbiterConfig config;
  config.queues = 8;
  config.max_packet_flits = 64;
  return config;
}

void analyze(ArbiterConfig config) {
  AnalysisRequest request;
  request.config = std::move(config);
  request.mixes.push_back(longest_packets(request.config));
  request.limits.max_decisions = 64;
  report_analysis(request);
}

}  // namespace qosarb::fuzz
