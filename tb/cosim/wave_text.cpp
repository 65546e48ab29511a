#include "cosim/wave_text.hpp"

#include <fmt/format.h>

#include "verilated_trace.h"

// What newer Verilators define in that header, with a value for arrays.
enum class VerilatedTracePrefixType : std::uint8_t;

namespace qosarb {

namespace {

// Those make a scope of each array: u.state[0][1] stands in u.state.[0], under its own name. And a
// model's name is one scope, where blanks in it separated several before.
template <typename Prefix>
concept HasArrays = requires {
  Prefix::ARRAY_PACKED;
};
constexpr bool kArraysAreScopes = HasArrays<VerilatedTracePrefixType>;

}  // namespace

std::string model_name(const std::string& chip, const std::string& part) {
  return chip.empty() ? part : fmt::format("{}{}{}", chip, kArraysAreScopes ? '.' : ' ', part);
}

std::string WaveText::element(const std::string& name, std::uint64_t index) {
  std::string whole = fmt::format("{}[{}]", name, index);
  if (!kArraysAreScopes) {
    return whole;
  }
  const std::size_t begin = name.rfind('.') + 1;  // 0 if there is none
  std::string scopes = name.substr(begin);
  for (std::size_t at = scopes.find('['); at != std::string::npos; at = scopes.find('[', at + 2)) {
    scopes.insert(at, 1, '.');
  }
  return fmt::format("{}{}.{}", name.substr(0, begin), scopes, whole.substr(begin));
}

std::string WaveText::structure(const std::string& name, std::uint64_t index) {
  return fmt::format("{}{}[{}]", name, kArraysAreScopes ? "." : "", index);
}

}  // namespace qosarb
