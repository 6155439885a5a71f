#pragma once

#include <minima/tensor/tensor.h>

// Element by element, with broadcasting by NumPy's rule and promotion by PyTorch's. A Scalar does not widen the
// tensor's dtype. Integers wrap around at the ends of their range. All are differentiable to any order.

namespace minima {

/// a + b; for bool the logical or.
MINIMA_API Tensor add(const Tensor& a, const Tensor& b);
/// a - b; not for bool.
MINIMA_API Tensor sub(const Tensor& a, const Tensor& b);
/// a · b; for bool the logical and.
MINIMA_API Tensor mul(const Tensor& a, const Tensor& b);
/// a / b, true division: integers give float32.
MINIMA_API Tensor div(const Tensor& a, const Tensor& b);
/// -x; not for bool.
MINIMA_API Tensor neg(const Tensor& x);
/// The larger of two; NaN if either is NaN. The gradient of equal elements is halved between them; where one is NaN,
/// both get all of it.
MINIMA_API Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller of two, likewise.
MINIMA_API Tensor minimum(const Tensor& a, const Tensor& b);
/// a where the condition (bool) holds, else b.
MINIMA_API Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// A number that the dtype of the result cannot hold is a ValueError.
MINIMA_API Tensor maximum(const Tensor& a, Scalar b);
inline Tensor maximum(Scalar a, const Tensor& b) { return maximum(b, a); }
MINIMA_API Tensor minimum(const Tensor& a, Scalar b);
inline Tensor minimum(Scalar a, const Tensor& b) { return minimum(b, a); }
MINIMA_API Tensor where(const Tensor& condition, const Tensor& a, Scalar b);
MINIMA_API Tensor where(const Tensor& condition, Scalar a, const Tensor& b);
/// Of two numbers: float32 if one of them has a fraction, bool of two truth values, else int64.
MINIMA_API Tensor where(const Tensor& condition, Scalar a, Scalar b);

MINIMA_API Tensor add(const Tensor& a, Scalar b);
MINIMA_API Tensor mul(const Tensor& a, Scalar b);
MINIMA_API Tensor div(const Tensor& a, Scalar b);
MINIMA_API Tensor sub(const Tensor& a, Scalar b);
MINIMA_API Tensor sub(Scalar a, const Tensor& b);
MINIMA_API Tensor div(Scalar a, const Tensor& b);
/// min(max(x, low), high), so that `high` wins if it is below `low`; NaN if x or a bound is. The gradient passes where
/// low ≤ x ≤ high. Bounds of integers need not fit into x's dtype, but throw ValueError if no number of it is within
/// them.
MINIMA_API Tensor clamp(const Tensor& x, Scalar low, Scalar high);
/// x where it is at least `low`, else `low`.
MINIMA_API Tensor clamp_min(const Tensor& x, Scalar low);
/// x where it is at most `high`, else `high`.
MINIMA_API Tensor clamp_max(const Tensor& x, Scalar high);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, Scalar b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, Scalar b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, Scalar b) { return div(a, b); }
inline Tensor operator+(Scalar a, const Tensor& b) { return add(b, a); }
inline Tensor operator-(Scalar a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(Scalar a, const Tensor& b) { return mul(b, a); }
inline Tensor operator/(Scalar a, const Tensor& b) { return div(a, b); }

// In place: the result must have x's shape and is converted to x's dtype. Also as x += y and so on.
MINIMA_API void add_(const Tensor& x, const Tensor& y);
MINIMA_API void sub_(const Tensor& x, const Tensor& y);
MINIMA_API void mul_(const Tensor& x, const Tensor& y);
MINIMA_API void div_(const Tensor& x, const Tensor& y);
MINIMA_API void add_(const Tensor& x, Scalar y);
MINIMA_API void mul_(const Tensor& x, Scalar y);
MINIMA_API void div_(const Tensor& x, Scalar y);
/// All elements become `value`. Throws ValueError for one that x's dtype cannot hold.
MINIMA_API void fill_(const Tensor& x, Scalar value);
MINIMA_API void zero_(const Tensor& x);

}  // namespace minima
