#include "input.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "qosarb/analyze/packet_mix.hpp"
#include "qosarb/analyze/report.hpp"
#include "qosarb/config/input_error.hpp"

namespace qosarb::fuzz {

namespace {

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
  static const int memory = memfd_create("input", 0);
  static const std::string file = fmt::format("/proc/self/fd/{}", memory);
  if (ftruncate(memory, 0) != 0 || std::cmp_not_equal(pwrite(memory, data, size, 0), size)) {
    throw std::system_error(errno, std::generic_category(), file);
  }
  try {
    parser(file);
  } catch (const InputError& error) {
    const std::string message = error.what();
    const bool of_another = names == Names::OtherFiles && !message.starts_with(file + ":");
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
