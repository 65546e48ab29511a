// The parameters that only one policy knows, as a value whose type the others need not name.
#pragma once

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace qosarb {

/// Holds nothing or one parameter struct, an aggregate such as BxiConfig; copies and compares as
/// that does.
class Parameters {
 public:
  /// None: rr has no parameters.
  Parameters() = default;
  template <typename T>
  requires std::is_aggregate_v<T> Parameters(
      T value)  // NOLINT(google-explicit-constructor): a struct stands for itself
      : held_(std::make_unique<HeldAs<T>>(std::move(value))) {}
  Parameters(const Parameters& other)
      : held_(other.held_ == nullptr ? nullptr : other.held_->copy()) {}
  Parameters(Parameters&&) noexcept = default;
  Parameters& operator=(const Parameters& other) {
    return *this = Parameters(other);  // by move
  }
  Parameters& operator=(Parameters&&) noexcept = default;
  ~Parameters() = default;

  /// The struct that is held if it is a T, else null.
  template <typename T>
  [[nodiscard]] const T* get_if() const {
    const auto* const held = dynamic_cast<const HeldAs<T>*>(held_.get());
    return held == nullptr ? nullptr : &held->value;
  }
  template <typename T>
  [[nodiscard]] T* get_if() {
    return const_cast<T*>(std::as_const(*this).get_if<T>());
  }

  /// The struct that is held, which is a T. Errors: std::logic_error if it is another.
  template <typename T>
  [[nodiscard]] const T& get() const {
    const T* const value = get_if<T>();
    if (value == nullptr) {
      throw std::logic_error("these parameters are of another policy");
    }
    return *value;
  }
  template <typename T>
  [[nodiscard]] T& get() {
    return const_cast<T&>(std::as_const(*this).get<T>());
  }

  friend bool operator==(const Parameters& a, const Parameters& b) {
    return a.held_ == nullptr ? b.held_ == nullptr : a.held_->equals(b.held_.get());
  }

 private:
  struct Held {
    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    virtual ~Held() = default;
    [[nodiscard]] virtual std::unique_ptr<Held> copy() const = 0;
    [[nodiscard]] virtual bool equals(const Held* other) const = 0;
  };
  template <typename T>
  struct HeldAs final : Held {
    explicit HeldAs(T held) : value(std::move(held)) {}
    [[nodiscard]] std::unique_ptr<Held> copy() const override {
      return std::make_unique<HeldAs>(value);
    }
    [[nodiscard]] bool equals(const Held* other) const override {
      const auto* const same = dynamic_cast<const HeldAs*>(other);
      return same != nullptr && same->value == value;
    }

    T value;
  };

  std::unique_ptr<Held> held_;
};

}  // namespace qosarb
