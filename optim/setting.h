#pragma once

#include <minima/tensor/base/scalar.h>

#include <type_traits>

namespace minima::optim {

/// A default value, as opposed to one the caller passed: `Setting<double> lr = preset(1e-3);`.
template <class T>
struct Preset {
  T value;
};
template <class T>
constexpr Preset<T> preset(T value) {
  return {value};
}

/// An optimizer option: a T that knows whether the caller passed it. A parameter group inherits the others from the
/// optimizer.
template <class T>
class Setting {
 public:
  template <class U>
  constexpr Setting(Preset<U> preset) : value_(static_cast<T>(preset.value)) {}
  template <class U>
  requires std::is_convertible_v<U, T> constexpr Setting(U value) : value_(static_cast<T>(value)), is_given_(true) {}

  constexpr operator T() const { return value_; }
  /// Lets a setting be an operand of tensor operations.
  operator Scalar() const requires std::is_arithmetic_v<T> { return value_; }
  bool is_given() const { return is_given_; }
  Setting& operator+=(T value) { return *this = value_ + value; }
  Setting& operator-=(T value) { return *this = value_ - value; }
  Setting& operator*=(T value) { return *this = value_ * value; }
  Setting& operator/=(T value) { return *this = value_ / value; }

 private:
  T value_;
  bool is_given_ = false;
};

}  // namespace minima::optim
