// Small things that the lockstep tests of single modules share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "kernel/fields.hpp"
#include "qosarb/policy/arbiter.hpp"
#include "random/random.hpp"
#include "verilated.h"

namespace qosarb::test {

/// Threads are of no use to these small models. QOSARB_FAULT=n selects fault n of faults.toml, in
/// builds that have them: there the bench has to find it, without the checks that are bound to the
/// RTL.
inline void prepare(VerilatedContext& context) {
  context.threads(1);
  const std::uint64_t number = from_environment("QOSARB_FAULT", 0);
  context.assertOn(number == 0);
  const std::string fault = "+fault=" + std::to_string(number);
  std::array<const char*, 2> arguments = {"bench", fault.c_str()};
  context.commandArgs(static_cast<int>(arguments.size()), arguments.data());
}

/// The same for vectors that fit an integer.
template <typename T>
void set_bit(T& word, std::size_t bit, bool value) {
  const T mask = static_cast<T>(T{1} << bit);
  word = static_cast<T>(value ? word | mask : word & static_cast<T>(~mask));
}

/// A reference that can be replaced while its port goes on, as a commit does with the RTL.
class Replaceable final : public Arbiter {
 public:
  explicit Replaceable(std::unique_ptr<Arbiter> arbiter) : arbiter_(std::move(arbiter)) {}

  void replace(std::unique_ptr<Arbiter> arbiter) { arbiter_ = std::move(arbiter); }
  [[nodiscard]] Arbiter& inner() { return *arbiter_; }

  void advance(Cycle now, Heads heads) override { arbiter_->advance(now, heads); }
  AgeStamp arrive(Cycle now, int queue, std::uint8_t age) override {
    return arbiter_->arrive(now, queue, age);
  }
  Decision decide(Cycle now, Heads heads) override { return arbiter_->decide(now, heads); }
  [[nodiscard]] std::string describe() const override { return arbiter_->describe(); }

 private:
  std::unique_ptr<Arbiter> arbiter_;
};

}  // namespace qosarb::test
