#pragma once

#include <minima/tensor/base/scalar.h>

#include <type_traits>

namespace minima::optim {

/// A default, as opposed to a value the caller gave: `Setting<double> lr = preset(1e-3);`.
template <class T>
struct Preset {
  T value;
};
template <class T>
constexpr Preset<T> preset(T value) {
  return {value};
}

/// One of an optimizer's options: a T that knows whether it was given. A parameter group takes over the optimizer's own
/// value of those that it is not given.
template <class T>
class Setting {
 public:
  template <class U>
  constexpr Setting(Preset<U> preset) : value_(static_cast<T>(preset.value)) {}
  template <class U>
  requires std::is_convertible_v<U, T> constexpr Setting(U value) : value_(static_cast<T>(value)), is_given_(true) {}

  constexpr operator T() const { return value_; }
  /// Also converts where a tensor operation takes a Scalar.
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
