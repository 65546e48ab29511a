// A fuzzer without libFuzzer reads the files of the folders named: each as it is, ending behind
// each of its lines and in the middle of it, and without the line or with it twice.
#include <fmt/format.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "input.hpp"

namespace {

namespace fs = std::filesystem;

std::string input;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void leave_input() {
  const fs::path file = fs::temp_directory_path() / fmt::format("qosarb_fuzz_crash.{}", getpid());
  std::ofstream(file, std::ios::binary) << input;
  fmt::print(stderr, "the input is in {}\n", file.string());
}

void give(std::string text) {
  input = std::move(text);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::size_t replay(const fs::path& file) {
  std::ostringstream stream;
  stream << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string text = stream.str();
  give(text);
  std::size_t inputs = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string before = text.substr(0, begin);
    const std::string after = text.substr(end);
    give(text.substr(0, end));
    give(text.substr(0, (begin + end) / 2));
    give(before + after);
    give(text.substr(0, end) + text.substr(begin));
    inputs += 4;
    begin = end;
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  __sanitizer_set_death_callback(leave_input);
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    files.insert(files.end(), fs::directory_iterator(argv[i]), fs::directory_iterator());
  }
  std::size_t inputs = 0;
  int status = 0;
  try {
    for (const fs::path& file : files) {
      inputs += replay(file);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    leave_input();
    status = 1;
  }
  __sanitizer_set_death_callback(nullptr);
  fmt::print("{} inputs of {} files\n", inputs, files.size());
  return inputs == 0 ? 1 : status;
}
