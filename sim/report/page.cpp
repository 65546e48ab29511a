#include "qosarb/report/page.hpp"

#include <string_view>

namespace qosarb {

std::string page_of(const nlohmann::ordered_json& data) {
  constexpr std::string_view kMark = "/*DATA*/";
  // No name in the data may end the script that it stands in.
  std::string text;
  for (const char c : data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  std::string page = page_template();
  page.replace(page.find(kMark), kMark.size(), text);
  return page;
}

}  // namespace qosarb
