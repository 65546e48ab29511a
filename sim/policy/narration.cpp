#include "qosarb/policy/narration.hpp"

#include <fmt/format.h>

fmt::format_context::iterator fmt::formatter<qosarb::FlitsInWords>::format(
    const qosarb::FlitsInWords& words, fmt::format_context& context) const {
  return fmt::format_to(context.out(), "{} flit{}", words.flits, words.flits == 1 ? "" : "s");
}

fmt::format_context::iterator fmt::formatter<qosarb::HeadInWords>::format(
    const qosarb::HeadInWords& words, fmt::format_context& context) const {
  const qosarb::Head& head = words.head;
  const char* const stopped = head.stopped ? ", stopped" : "";
  if (head.says_zero) {
    return fmt::format_to(context.out(), "0 flits, which count as 1{}", stopped);
  }
  return head.flits == 0
             ? fmt::format_to(context.out(), "empty{}", stopped)
             : fmt::format_to(context.out(), "{}{}", qosarb::FlitsInWords{head.flits}, stopped);
}
