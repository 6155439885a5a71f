#pragma once

#include <minima/tensor/tensor.h>

// Element by element with broadcasting; the result is bool. Comparisons with NaN are false, but != is true. Without
// gradients. A number is compared as if it had x's dtype; beyond the range of that, it is compared itself: no uint8
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

/// Both are true: not 0.
MINIMA_API Tensor logical_and(const Tensor& a, const Tensor& b);
/// At least one is true: not 0.
MINIMA_API Tensor logical_or(const Tensor& a, const Tensor& b);
/// x is 0.
MINIMA_API Tensor logical_not(const Tensor& x);
/// x is NaN; never so for integers.
MINIMA_API Tensor isnan(const Tensor& x);
/// x is neither NaN nor infinite; always so for integers.
MINIMA_API Tensor isfinite(const Tensor& x);

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
