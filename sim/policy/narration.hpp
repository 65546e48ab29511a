// What a reference does while it decides, told step by step to whoever wants to follow it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "qosarb/policy/types.hpp"

namespace qosarb {

/// Listens to a reference.
class Narrator {
 public:
  Narrator() = default;
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;
  virtual ~Narrator() = default;

  /// One step: a visit of the paper's loop with what came of it, a turn that begins, a pointer
  /// that moves. One line.
  virtual void tell(std::string step) = 0;
};

/// Says steps to a narrator: tell("queue {} wins", queue).
class Aloud {
 public:
  explicit Aloud(Narrator& narrator) : narrator_(narrator) {}

  template <typename... Args>
  void operator()(fmt::format_string<Args...> step, const Args&... args) const {
    narrator_.tell(fmt::vformat(step, fmt::make_format_args(args...)));
  }

 private:
  Narrator& narrator_;
};

/// Says nothing: whoever is given it instead is compiled as if no step were told.
struct Silent {
  template <typename... Args>
  void operator()(fmt::format_string<Args...> /*step*/, const Args&... /*args*/) const {}
};

/// The result of `act(tell)`, whose steps go to `narrator`.
template <typename Act>
[[gnu::cold, gnu::noinline]] auto narrated_aloud(Narrator& narrator, const Act act) {
  return act(Aloud(narrator));
}

/// The result of `act(tell)`, whose steps go to `narrator`; null: to nobody, and `act` costs what
/// it would cost if it had nothing to tell.
template <typename Act>
auto narrated(Narrator* narrator, const Act act) {
  if (narrator != nullptr) [[unlikely]] {
    return narrated_aloud(*narrator, act);
  }
  return act(Silent{});
}

/// A number of flits in words: "1 flit", "7 flits".
struct FlitsInWords {
  std::uint64_t flits = 0;
};

/// A head in words: "empty", "7 flits", "7 flits, stopped", "empty, stopped", "0 flits, which count
/// as 1".
struct HeadInWords {
  Head head;
};

}  // namespace qosarb

template <>
struct fmt::formatter<qosarb::FlitsInWords> : fmt::formatter<fmt::string_view> {
  fmt::format_context::iterator format(const qosarb::FlitsInWords& words,
                                       fmt::format_context& context) const;
};

template <>
struct fmt::formatter<qosarb::HeadInWords> : fmt::formatter<fmt::string_view> {
  fmt::format_context::iterator format(const qosarb::HeadInWords& words,
                                       fmt::format_context& context) const;
};
