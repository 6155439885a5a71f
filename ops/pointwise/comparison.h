#pragma once

#include <minima/tensor/tensor.h>

// Elementwise comparisons and logical operations, with broadcasting. The result is bool, without gradient. Comparisons
// with NaN are false, except !=. A number is converted to x's dtype first, unless it is beyond its range: no uint8
// equals 300.

namespace minima {

/// a == b
MINIMA_API Tensor eq(const Tensor& a, const Tensor& b);
/// a != b
MINIMA_API Tensor ne(const Tensor& a, const Tensor& b);
/// a < b
MINIMA_API Tensor lt(const Tensor& a, const Tensor& b);
/// a <= b
MINIMA_API Tensor le(const Tensor& a, const Tensor& b);
/// a > b
MINIMA_API Tensor gt(const Tensor& a, const Tensor& b);
/// a >= b
MINIMA_API Tensor ge(const Tensor& a, const Tensor& b);

MINIMA_API Tensor eq(const Tensor& a, Scalar b);
MINIMA_API Tensor ne(const Tensor& a, Scalar b);
MINIMA_API Tensor lt(const Tensor& a, Scalar b);
MINIMA_API Tensor le(const Tensor& a, Scalar b);
MINIMA_API Tensor gt(const Tensor& a, Scalar b);
MINIMA_API Tensor ge(const Tensor& a, Scalar b);

/// Whether both are nonzero.
MINIMA_API Tensor logical_and(const Tensor& a, const Tensor& b);
/// Whether at least one is nonzero.
MINIMA_API Tensor logical_or(const Tensor& a, const Tensor& b);
/// Whether exactly one of both is nonzero.
MINIMA_API Tensor logical_xor(const Tensor& a, const Tensor& b);
/// Whether x is 0.
MINIMA_API Tensor logical_not(const Tensor& x);
/// Whether x is NaN; false for integers.
MINIMA_API Tensor isnan(const Tensor& x);
/// Whether x is neither NaN nor infinite; true for integers.
MINIMA_API Tensor isfinite(const Tensor& x);
/// Whether x is ∞ or -∞.
MINIMA_API Tensor isinf(const Tensor& x);
/// Whether x is ∞.
MINIMA_API Tensor isposinf(const Tensor& x);
/// Whether x is -∞.
MINIMA_API Tensor isneginf(const Tensor& x);

struct IscloseOptions {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;  ///< whether NaN is close to NaN
};
/// Whether |a - b| ≤ atol + rtol·|b|; infinities are close to themselves only. Both of one dtype.
MINIMA_API Tensor isclose(const Tensor& a, const Tensor& b, const IscloseOptions& options = {});

inline Tensor operator!(const Tensor& x) { return logical_not(x); }
inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
inline Tensor operator==(const Tensor& a, Scalar b) { return eq(a, b); }
inline Tensor operator!=(const Tensor& a, Scalar b) { return ne(a, b); }
inline Tensor operator<(const Tensor& a, Scalar b) { return lt(a, b); }
inline Tensor operator<=(const Tensor& a, Scalar b) { return le(a, b); }
inline Tensor operator>(const Tensor& a, Scalar b) { return gt(a, b); }
inline Tensor operator>=(const Tensor& a, Scalar b) { return ge(a, b); }

}  // namespace minima
