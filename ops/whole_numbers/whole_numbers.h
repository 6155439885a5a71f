#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// Arithmetic of whole numbers, and the parts of floating ones. Included on its own, not by minima.h.

namespace minima {

/// The greatest common divisor of integers, elementwise, not negative; 0 for 0 and 0. No gradient.
MINIMA_API Tensor gcd(const Tensor& a, const Tensor& b);
/// The least common multiple of integers, elementwise, not negative; 0 where either is 0. What overflows wraps. No
/// gradient.
MINIMA_API Tensor lcm(const Tensor& a, const Tensor& b);

struct MantissaExponent {
  Tensor mantissa;  ///< ½ ≤ |m| < 1, or 0
  Tensor exponent;  ///< int32
};
/// x = m·2ᵉ for floating x. Zeros, infinities and NaN have exponent 0. The exponent has no gradient.
MINIMA_API MantissaExponent frexp(const Tensor& x);

/// The coordinates, one tensor for each dimension of `shape`, of places in its row-major order: int64. Places outside
/// are an IndexError; on a GPU they are not checked, and their first coordinates are outside.
///   unravel_index(argmax(x), x.shape())
MINIMA_API std::vector<Tensor> unravel_index(const Tensor& places, const Shape& shape);

}  // namespace minima
