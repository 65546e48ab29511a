// Small things that the lockstep tests of single modules share.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "qosarb/policy/arbiter.hpp"
#include "verilated.h"

namespace qosarb::test {

/// Random numbers, the same on any machine for the same seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// 0 .. n-1; n >= 1.
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  std::uint64_t within(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  /// True once in `n` calls, on average; never for n = 0.
  bool once_in(std::uint64_t n) { return n != 0 && below(n) == 0; }
  template <typename T, std::size_t N>
  T one_of(const std::array<T, N>& values) {
    return values[below(N)];
  }

 private:
  std::mt19937_64 engine_;
};

/// A number from the environment, to replay a run or to change its length.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// Threads are of no use to these small models. QOSARB_FAULT=n selects fault n of faults.toml, in
/// builds that have them.
inline void prepare(VerilatedContext& context) {
  context.threads(1);
  const std::string fault = "+fault=" + std::to_string(from_environment("QOSARB_FAULT", 0));
  std::array<const char*, 2> arguments = {"bench", fault.c_str()};
  context.commandArgs(static_cast<int>(arguments.size()), arguments.data());
}

/// Bits [bit, bit + width) of a packed vector; width <= 32.
template <std::size_t Words>
std::uint32_t get_bits(const VlWide<Words>& words, std::size_t bit, std::size_t width) {
  const std::uint64_t low = words[bit / 32];
  const std::uint64_t high = bit / 32 + 1 < Words ? words[bit / 32 + 1] : 0;
  return static_cast<std::uint32_t>(((high << 32 | low) >> (bit % 32)) &
                                    ((std::uint64_t{1} << width) - 1));
}

template <std::size_t Words>
void set_bits(VlWide<Words>& words, std::size_t bit, std::size_t width, std::uint32_t value) {
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << (bit % 32);
  const std::uint64_t shifted = std::uint64_t{value} << (bit % 32);
  EData& low = words[bit / 32];
  low = (low & ~static_cast<EData>(mask)) | static_cast<EData>(shifted);
  if ((mask >> 32) != 0) {
    EData& high = words[bit / 32 + 1];
    high = (high & ~static_cast<EData>(mask >> 32)) | static_cast<EData>(shifted >> 32);
  }
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
