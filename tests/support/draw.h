#pragma once

#include "tests/support/doubles.h"

#include <optional>

namespace minima::test {

/// How one input of a case is made: its logical shape and what is drawn. In an integer dtype whole numbers come out, in
/// uint8 none is negative.
struct Draw {
  enum class Kind : std::uint8_t { normal, uniform, whole, distinct, given };

  Kind kind = Kind::normal;
  Shape shape{};
  double low = 0, high = 1;
  std::vector<double> values{};  ///< for `given`
  std::optional<DType> dtype{};  ///< fixed; else the case's own
  bool differentiated = true;    ///< the gradient by it is wanted, if its dtype is floating

  /// The input has this dtype in every case: a condition, indices.
  Draw as(DType fixed) const {
    Draw copy = *this;
    copy.dtype = fixed;
    return copy;
  }
  /// No gradient by it is asked for.
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
/// Whole numbers of low … high - 1.
Draw whole(const Shape& shape, double low, double high);
/// Different multiples of 1/16 around 0 in random order (integers: different whole numbers): for maxima and sorting.
Draw distinct(const Shape& shape);
/// Exactly these.
Draw given(const Shape& shape, std::vector<double> values);
/// NaN, both infinities, both zeros, subnormals of float32, huge and ordinary numbers: a vector of 12.
Draw specials();

/// The values of a draw, exactly as `dtype` can hold them.
Doubles draw(const Draw& draw, DType dtype, std::uint64_t seed);

/// How a tensor's elements lie in memory.
enum class Form : std::uint8_t {
  row_major,
  reversed,       ///< the first dimension is the innermost
  gaps,           ///< every other element of a larger block, starting in the middle
  channels_last,  ///< rank 4 and 5 only, else row-major
  repeated,       ///< stride 0 in the first dimension
};
inline constexpr int form_count = 5;
const char* name(Form form);

/// A tensor of these values. With Form::repeated the first index of the first dimension stands for all.
Tensor lay_out(const Doubles& values, DType dtype, Form form);

}  // namespace minima::test
