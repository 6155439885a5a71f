#pragma once

#include <minima/tensor/base/convert.h>
#include <minima/tensor/base/dtype.h>

#include <type_traits>

namespace minima {

namespace detail {
[[noreturn]] MINIMA_API void refuse_unsigned(std::uint64_t value);
}

/// A number as an operand: `x * 2`, `clamp(x, 0, 6)`. It remembers whether it was a bool, an integer or a
/// floating-point number. It can raise the category of the result's dtype, but not its width: int64 tensor × 0.5 is
/// float32, float16 tensor × 2.0 stays float16. Integers are stored as int64; a larger one throws ValueError.
///
/// An operand need not be representable in the tensor's dtype: integer sums, differences and products wrap around, and
/// comparisons and bounds use the number's exact value. A number that becomes an element (full, fill_, masked_fill,
/// pad, scalar_tensor, …) must be representable; see detail::check_number.
class Scalar {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> constexpr Scalar(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      floating_ = static_cast<double>(value);
      dtype_ = DType::float64;
    } else {
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t))
        if (value > static_cast<T>(INT64_MAX)) detail::refuse_unsigned(value);
      integer_ = static_cast<std::int64_t>(value);
      dtype_ = std::is_same_v<T, bool> ? DType::boolean : DType::int64;
    }
  }

  MINIMA_HD constexpr bool is_floating() const { return dtype_ == DType::float64; }
  constexpr bool is_boolean() const { return dtype_ == DType::boolean; }

  /// The negated number; the smallest integer wraps to itself.
  constexpr Scalar negated() const {
    return is_floating() ? Scalar(-floating_)
                         : Scalar(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(integer_)));
  }

  /// Converts by detail::convert: a value that T cannot hold is changed silently.
  template <class T>
  MINIMA_HD constexpr T to() const {
    return is_floating() ? detail::convert<T>(floating_) : detail::convert<T>(integer_);
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
  if (scalar.is_floating()) return is_differentiable(tensor) ? tensor : DType::float32;
  if (scalar.is_boolean()) return tensor;
  return tensor == DType::boolean ? DType::int64 : tensor;
}

namespace detail {

/// The smallest and largest value of an integer dtype.
struct IntegerRange {
  std::int64_t low, high;
  constexpr bool has(std::int64_t value) const { return low <= value && value <= high; }
};
MINIMA_API IntegerRange integer_range(DType dtype);

/// Whether a number can become an element of this dtype. As in PyTorch, integer dtypes truncate fractions, and negative
/// integers wrap in uint8.
MINIMA_API bool is_element(Scalar value, DType dtype);
/// Throws ValueError naming `op` if the number cannot become an element.
MINIMA_API void check_number(const char* op, Scalar value, DType dtype);

}  // namespace detail

}  // namespace minima
