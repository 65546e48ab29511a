#include "qosarb/analyze/rational.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

namespace qosarb {

namespace {

__extension__ using Wide = __int128;

Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

[[noreturn]] void throw_too_long() {
  throw std::overflow_error("a fraction needs more than 64 bits");
}

/// Without its sign, which the least number has no other way.
std::uint64_t size_of(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

Rational reduced(Wide numerator, Wide denominator) {
  if (denominator == 0) {
    throw std::domain_error("division by zero");
  }
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide common = gcd(numerator, denominator);
  numerator /= common;
  denominator /= common;
  constexpr Wide kMax = std::numeric_limits<std::int64_t>::max();
  if (numerator > kMax || numerator < -kMax - 1 || denominator > kMax) {
    throw_too_long();
  }
  return {static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

std::int64_t parse_digits(const std::string& digits) {
  if (digits.empty() || digits.size() > 18 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    throw std::invalid_argument("not a number of at most 18 digits");
  }
  return std::stoll(digits);
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) {
    throw std::domain_error("division by zero");
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  const bool negative = (numerator < 0) != (denominator < 0);
  std::uint64_t above = size_of(numerator);
  std::uint64_t below = size_of(denominator);
  const std::uint64_t common = std::gcd(above, below);
  above /= common;
  below /= common;
  if (above > kMax + (negative ? 1 : 0) || below > kMax) {
    throw_too_long();
  }
  numerator_ = static_cast<std::int64_t>(negative ? 0 - above : above);
  denominator_ = static_cast<std::int64_t>(below);
}

void Rational::too_long() { throw_too_long(); }

Rational Rational::parse(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::int64_t denominator = parse_digits(text.substr(slash + 1));
    if (denominator == 0) {
      throw std::invalid_argument("division by zero");
    }
    return {parse_digits(text.substr(0, slash)), denominator};
  }
  const bool negative = text.starts_with('-');
  const std::string digits = text.substr(negative ? 1 : 0);
  const std::size_t point = digits.find('.');
  if (point == std::string::npos) {
    return {negative ? -parse_digits(digits) : parse_digits(digits)};
  }
  const std::string fraction = digits.substr(point + 1);
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < fraction.size() && i < 18; ++i) {
    scale *= 10;
  }
  if (fraction.empty() || digits.size() > 19) {
    throw std::invalid_argument("not a decimal number of at most 18 digits");
  }
  const std::int64_t all = parse_digits(digits.substr(0, point) + fraction);
  return {negative ? -all : all, scale};
}

double Rational::value() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

std::int64_t Rational::floor() const {
  const std::int64_t quotient = numerator_ / denominator_;
  return numerator_ % denominator_ < 0 ? quotient - 1 : quotient;
}

std::int64_t Rational::ceil() const {
  const std::int64_t quotient = numerator_ / denominator_;
  return numerator_ % denominator_ > 0 ? quotient + 1 : quotient;
}

std::int64_t Rational::round() const {
  const std::uint64_t rest = size_of(numerator_ % denominator_);
  const bool nearer = rest >= static_cast<std::uint64_t>(denominator_) - rest;
  return numerator_ / denominator_ + (nearer ? (numerator_ < 0 ? -1 : 1) : 0);
}

std::string Rational::text() const {
  return denominator_ == 1 ? std::to_string(numerator_)
                           : std::to_string(numerator_) + "/" + std::to_string(denominator_);
}

Rational operator+(const Rational& a, const Rational& b) {
  return reduced(Wide{a.numerator_} * b.denominator_ + Wide{b.numerator_} * a.denominator_,
                 Wide{a.denominator_} * b.denominator_);
}

Rational operator-(const Rational& a, const Rational& b) {
  return reduced(Wide{a.numerator_} * b.denominator_ - Wide{b.numerator_} * a.denominator_,
                 Wide{a.denominator_} * b.denominator_);
}

Rational operator*(const Rational& a, const Rational& b) {
  return reduced(Wide{a.numerator_} * b.numerator_, Wide{a.denominator_} * b.denominator_);
}

Rational operator/(const Rational& a, const Rational& b) {
  return reduced(Wide{a.numerator_} * b.denominator_, Wide{a.denominator_} * b.numerator_);
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  const Wide left = Wide{a.numerator_} * b.denominator_;
  const Wide right = Wide{b.numerator_} * a.denominator_;
  return left < right   ? std::strong_ordering::less
         : left > right ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
}

}  // namespace qosarb
