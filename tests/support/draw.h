#pragma once

#include "tests/support/doubles.h"

#include <optional>

namespace minima::test {

/// How one input of a case is generated: its logical shape and the distribution. Integer dtypes get whole numbers,
/// uint8 nonnegative ones.
struct Draw {
  enum class Kind : std::uint8_t { normal, uniform, whole, distinct, given };

  Kind kind = Kind::normal;
  Shape shape{};
  double low = 0, high = 1;
  std::vector<double> values{};  ///< for `given`
  std::optional<DType> dtype{};  ///< a fixed dtype; else the case's
  bool differentiated = true;    ///< its gradient is checked, if its dtype is floating

  /// Fixes the dtype in every case, for conditions and indices.
  Draw as(DType fixed) const {
    Draw copy = *this;
    copy.dtype = fixed;
    return copy;
  }
  /// Excludes the input from gradient checks.
  Draw constant() const {
    Draw copy = *this;
    copy.differentiated = false;
    return copy;
  }
};

/// Standard normal numbers.
Draw normal(const Shape& shape);
/// Uniform on [low, high).
Draw uniform(const Shape& shape, double low, double high);
/// Integers low … high - 1.
Draw whole(const Shape& shape, double low, double high);
/// Distinct multiples of 1/16 around 0 in random order (integers: distinct whole numbers): for maxima and sorting.
Draw distinct(const Shape& shape);
/// Exactly these values.
Draw given(const Shape& shape, std::vector<double> values);
/// NaN, both infinities, both zeros, subnormals of float32, huge and ordinary numbers: a vector of 12.
Draw specials();

/// The values of a draw, exactly as `dtype` can hold them.
Doubles draw(const Draw& draw, DType dtype, std::uint64_t seed);

/// The memory layout of a tensor.
enum class Form : std::uint8_t {
  row_major,
  reversed,       ///< the first dimension is innermost
  gaps,           ///< every other element of a larger block, starting in the middle
  channels_last,  ///< rank 4 and 5 only, else row-major
  repeated,       ///< stride 0 in the first dimension
};
inline constexpr int form_count = 5;
const char* name(Form form);

/// A tensor of these values. With Form::repeated, the first index of the first dimension is repeated. With
/// MINIMA_TEST_OFFSET=1 it starts an element later in its storage, at an address that suits no vector load.
Tensor lay_out(const Doubles& values, DType dtype, Form form);

}  // namespace minima::test
