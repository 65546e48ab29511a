#include "cosim/reproducer_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

std::string make_reproducer_directory(const std::string& wished) {
  std::string base = wished.empty() ? "qosarb-reproducer" : wished;
  while (base.size() > 1 && base.ends_with('/')) {  // the number goes to the name before it
    base.pop_back();
  }
  std::string path = wished.empty() ? base + "-1" : base;
  for (int number = wished.empty() ? 2 : 1;; ++number) {
    std::error_code fault;
    if (std::filesystem::create_directories(path, fault)) {
      return path;
    }
    if (fault) {
      throw InputError(path, 0, "the reproducer's directory cannot be made: " + fault.message());
    }
    path = fmt::format("{}-{}", base, number);
  }
}

void write_reproducer_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    // It is cut off; its directory goes if it is empty then.
    std::error_code fault;
    std::filesystem::remove(path, fault);
    std::filesystem::remove(std::filesystem::path(path).parent_path(), fault);
    throw InputError(path, 0, "cannot be written");
  }
}

std::string shell_word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

}  // namespace qosarb
