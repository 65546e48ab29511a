// Exact fractions, for shares and rates that a floating-point number would blur.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace qosarb {

/// A fraction in lowest terms with a positive denominator.
class Rational {
 public:
  Rational() = default;
  /// Errors: std::overflow_error if `number` needs more than 64 bits with its sign.
  template <std::integral Number>
  Rational(Number number) : numerator_(whole(number)) {}  // NOLINT(google-explicit-constructor)
  /// Errors: std::domain_error if `denominator` is 0, std::overflow_error if what comes of it needs
  /// more than 64 bits.
  Rational(std::int64_t numerator, std::int64_t denominator);
  template <std::integral Numerator, std::integral Denominator>
  Rational(Numerator numerator, Denominator denominator)
      : Rational(whole(numerator), whole(denominator)) {}

  /// Reads a decimal ("33.33", "0.2", "7") or a fraction ("5/12") without rounding.
  /// Errors: std::invalid_argument if `text` is something else or has more than 18 digits.
  static Rational parse(const std::string& text);

  [[nodiscard]] std::int64_t numerator() const { return numerator_; }
  [[nodiscard]] std::int64_t denominator() const { return denominator_; }
  [[nodiscard]] double value() const;
  /// The next integer downwards and upwards, and the nearest one (a half goes away from zero).
  [[nodiscard]] std::int64_t floor() const;
  [[nodiscard]] std::int64_t ceil() const;
  [[nodiscard]] std::int64_t round() const;
  /// "3/35", or "2" for a whole number.
  [[nodiscard]] std::string text() const;

  // Errors of all four: std::overflow_error if the result in lowest terms needs more than 64 bits;
  // division by zero is std::domain_error.
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  Rational& operator+=(const Rational& other) { return *this = *this + other; }

  friend bool operator==(const Rational&, const Rational&) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

 private:
  template <std::integral Number>
  static std::int64_t whole(Number number) {
    if (!std::in_range<std::int64_t>(number)) {
      too_long();
    }
    return static_cast<std::int64_t>(number);
  }
  [[noreturn]] static void too_long();

  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

}  // namespace qosarb
