#pragma once

#include <minima/tensor/dtype.h>

#include <type_traits>

namespace minima {

/// A number as an operand: `x * 2`, `clamp(x, 0, 6)`. It keeps whether it was written as bool, integer or floating
/// point, and raises the result's category but not its width: int64 tensor × 0.5 is float32, float16 tensor × 2.0
/// stays float16.
class Scalar {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr Scalar(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      floating_ = static_cast<double>(value);
      dtype_ = DType::float64;
    } else {
      integer_ = static_cast<std::int64_t>(value);
      dtype_ = std::is_same_v<T, bool> ? DType::boolean : DType::int64;
    }
  }

  MINIMA_HD constexpr bool is_floating() const { return dtype_ == DType::float64; }
  constexpr bool is_boolean() const { return dtype_ == DType::boolean; }

  constexpr Scalar negated() const { return is_floating() ? Scalar(-floating_) : Scalar(-integer_); }

  template <class T>
  MINIMA_HD constexpr T to() const {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) return T(static_cast<float>(to<double>()));
    else return is_floating() ? static_cast<T>(floating_) : static_cast<T>(integer_);
  }

 private:
  union {
    double floating_;
    std::int64_t integer_;
  };
  DType dtype_;
};

/// The dtype of `tensor op scalar`.
constexpr DType promote(DType tensor, Scalar scalar) {
  if (scalar.is_floating()) return is_floating(tensor) ? tensor : DType::float32;
  if (scalar.is_boolean()) return tensor;
  return tensor == DType::boolean ? DType::int64 : tensor;
}

}  // namespace minima
