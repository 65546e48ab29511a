// Text in parts.
#pragma once

#include <string>
#include <vector>

namespace qosarb {

/// What stands before, between and behind the `at` of `text`: one part more than there are of them.
inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(at); end != std::string::npos; end = text.find(at, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace qosarb
