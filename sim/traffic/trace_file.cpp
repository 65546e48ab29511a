#include "qosarb/traffic/trace_file.hpp"

#include <array>
#include <string_view>

#include "qosarb/traffic/goal.hpp"
#include "qosarb/traffic/vef.hpp"

namespace qosarb {

namespace {

struct Format {
  std::string_view suffix;
  Trace (*load)(const std::string& file);
  int (*line)(const std::string& file, std::uint32_t operation);
};

constexpr std::array kFormats = {Format{".goal", load_goal, line_in_goal},
                                 Format{".vef", load_vef, line_in_vef}};

const Format* format_of(std::string_view file) {
  for (const std::string_view packed : {".xz", ".gz"}) {
    if (file.ends_with(packed)) {
      file.remove_suffix(packed.size());
      break;
    }
  }
  for (const Format& format : kFormats) {
    if (file.ends_with(format.suffix)) {
      return &format;
    }
  }
  return nullptr;
}

}  // namespace

Trace load_trace(const std::string& file) {
  const Format* const format = format_of(file);
  if (format == nullptr) {
    throw InputError(file, 0, "a trace's name ends in .goal or .vef, or in .xz or .gz behind that");
  }
  return format->load(file);
}

InputError fault_of_trace(const Trace& trace, std::uint32_t operation, const std::string& says) {
  const Format* const format = format_of(trace.file);
  return {trace.file, format == nullptr ? trace.line : format->line(trace.file, operation), says};
}

}  // namespace qosarb
