#pragma once

#include <minima/tensor/tensor.h>

// Elementwise arithmetic, with NumPy's broadcasting and PyTorch's type promotion: a Scalar does not widen the tensor's
// dtype. Integers wrap around on overflow. Differentiable to any order.

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
/// |x|; the gradient at 0 is 0.
MINIMA_API Tensor abs(const Tensor& x);
/// -1, 0 or 1. Its gradient is 0.
MINIMA_API Tensor sign(const Tensor& x);
/// x²
MINIMA_API Tensor square(const Tensor& x);
/// 1 / x; integers give float32.
MINIMA_API Tensor reciprocal(const Tensor& x);
/// The larger of two; NaN if either is NaN. Equal elements share the gradient equally; where one is NaN, both get all
/// of it.
MINIMA_API Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller of two; NaN and gradients as for maximum.
MINIMA_API Tensor minimum(const Tensor& a, const Tensor& b);
/// start + weight · (end - start), floating.
MINIMA_API Tensor lerp(const Tensor& start, const Tensor& end, double weight);
/// a where the bool condition is true, else b.
MINIMA_API Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// Throws ValueError for a number that the result's dtype cannot hold.
MINIMA_API Tensor maximum(const Tensor& a, Scalar b);
inline Tensor maximum(Scalar a, const Tensor& b) { return maximum(b, a); }
MINIMA_API Tensor minimum(const Tensor& a, Scalar b);
inline Tensor minimum(Scalar a, const Tensor& b) { return minimum(b, a); }
MINIMA_API Tensor where(const Tensor& condition, const Tensor& a, Scalar b);
MINIMA_API Tensor where(const Tensor& condition, Scalar a, const Tensor& b);
/// The result is float32 if either number is floating, bool if both are bool, else int64.
MINIMA_API Tensor where(const Tensor& condition, Scalar a, Scalar b);

MINIMA_API Tensor add(const Tensor& a, Scalar b);
MINIMA_API Tensor mul(const Tensor& a, Scalar b);
MINIMA_API Tensor div(const Tensor& a, Scalar b);
MINIMA_API Tensor sub(const Tensor& a, Scalar b);
MINIMA_API Tensor sub(Scalar a, const Tensor& b);
MINIMA_API Tensor div(Scalar a, const Tensor& b);
/// min(max(x, low), high), so `high` wins where it is below `low`; NaN if x or a bound is. The gradient passes where
/// low ≤ x ≤ high. For integers the bounds need not fit x's dtype; throws ValueError if they exclude all of its values.
MINIMA_API Tensor clamp(const Tensor& x, Scalar low, Scalar high);
/// max(x, low)
MINIMA_API Tensor clamp_min(const Tensor& x, Scalar low);
/// min(x, high)
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

// In place; also as x += y and so on. The result must have x's shape and is converted to x's dtype.
MINIMA_API void add_(const Tensor& x, const Tensor& y);
MINIMA_API void sub_(const Tensor& x, const Tensor& y);
MINIMA_API void mul_(const Tensor& x, const Tensor& y);
MINIMA_API void div_(const Tensor& x, const Tensor& y);
MINIMA_API void add_(const Tensor& x, Scalar y);
MINIMA_API void mul_(const Tensor& x, Scalar y);
MINIMA_API void div_(const Tensor& x, Scalar y);
/// Sets all elements to `value`. Throws ValueError if x's dtype cannot hold it.
MINIMA_API void fill_(const Tensor& x, Scalar value);
/// All elements become 0.
MINIMA_API void zero_(const Tensor& x);

}  // namespace minima
