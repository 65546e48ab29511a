#include "qosarb/config/fixed_point.hpp"

#include <charconv>
#include <string>

namespace qosarb {

namespace {

constexpr int kMaxExponent = 400;  // keeps the digits few; a double has no more either

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::uint32_t> fixed_16_16(std::string_view decimal) {
  // All digits in one row, and the place of the point in it.
  std::string digits;
  std::size_t i = 0;
  for (; i < decimal.size() && is_digit(decimal[i]); ++i) {
    digits += decimal[i];
  }
  auto point = static_cast<int>(digits.size());
  if (i < decimal.size() && decimal[i] == '.') {
    for (++i; i < decimal.size() && is_digit(decimal[i]); ++i) {
      digits += decimal[i];
    }
  }
  if (digits.empty()) {
    return std::nullopt;
  }
  if (i < decimal.size() && (decimal[i] == 'e' || decimal[i] == 'E')) {
    ++i;
    i += i < decimal.size() && decimal[i] == '+' ? 1 : 0;
    int exponent = 0;
    const char* const end = decimal.data() + decimal.size();
    const auto [rest, fault] = std::from_chars(decimal.data() + i, end, exponent);
    if (fault != std::errc{} || exponent > kMaxExponent || exponent < -kMaxExponent) {
      return std::nullopt;
    }
    i = rest - decimal.data();
    point += exponent;
  }
  if (i != decimal.size()) {
    return std::nullopt;
  }
  if (point < 0) {
    digits.insert(0, -point, '0');
    point = 0;
  }
  const std::size_t whole = point;
  if (digits.size() < whole) {
    digits.append(whole - digits.size(), '0');
  }

  std::uint64_t value = 0;
  for (std::size_t d = 0; d < whole; ++d) {
    value = value * 10 + (digits[d] - '0');
    if (value > UINT16_MAX) {
      return std::nullopt;
    }
  }
  // Doubling the fraction moves its next binary digit in front of the point: 16 digits to keep, and
  // the 17th to round by.
  for (int bit = 0; bit < 17; ++bit) {
    int carry = 0;
    for (std::size_t d = digits.size(); d > whole; --d) {
      const int doubled = 2 * (digits[d - 1] - '0') + carry;
      digits[d - 1] = static_cast<char>('0' + doubled % 10);
      carry = doubled / 10;
    }
    value = 2 * value + carry;
  }
  value = (value + 1) / 2;
  return value <= UINT32_MAX ? std::optional(value) : std::nullopt;
}

}  // namespace qosarb
