#pragma once

#include <minima/tensor/tensor.h>

// Elementwise arithmetic, with NumPy's broadcasting and PyTorch's type promotion: a Scalar does not widen the tensor's
// dtype. Integers wrap around on overflow. Differentiable to any order where nothing else is said.

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
/// The larger, or the other where one is NaN. Equal elements share the gradient.
MINIMA_API Tensor fmax(const Tensor& a, const Tensor& b);
/// The smaller, likewise.
MINIMA_API Tensor fmin(const Tensor& a, const Tensor& b);
/// start + weight · (end - start), floating.
MINIMA_API Tensor lerp(const Tensor& start, const Tensor& end, double weight);
/// start + weight·(end - start) with a weight per element, all floating; exact where the weight is 0 or 1.
MINIMA_API Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight);
/// x + value·a·b
MINIMA_API Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);
/// x + value·(a / b), floating.
MINIMA_API Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);
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
/// min(max(x, low), high) with tensors as bounds; an undefined one does not count. The gradient is maximum's and
/// minimum's: x and a bound that it equals share it.
MINIMA_API Tensor clamp(const Tensor& x, const Tensor& low, const Tensor& high);

struct NanToNumOptions {
  double nan = 0;                     ///< replaces NaN
  double posinf = __builtin_nan("");  ///< replaces ∞; NaN stands for the largest finite number of the dtype
  double neginf = __builtin_nan("");  ///< replaces -∞; NaN stands for the smallest
};
/// x with NaN and infinities replaced. Their derivative is 0.
MINIMA_API Tensor nan_to_num(const Tensor& x, const NanToNumOptions& options = {});
/// 1 where x > 0, `values` where x = 0, 0 elsewhere, so for NaN; both of one dtype. No gradient.
MINIMA_API Tensor heaviside(const Tensor& x, const Tensor& values);

/// √(a² + b²) without overflow. Integers give float32, as for copysign.
MINIMA_API Tensor hypot(const Tensor& a, const Tensor& b);
/// |a| with the sign of b, also that of -0. The derivative by b, and that by a at 0, is 0.
MINIMA_API Tensor copysign(const Tensor& a, const Tensor& b);
/// Whether x is negative or -0: bool, without gradient. All dtypes.
MINIMA_API Tensor signbit(const Tensor& x);
/// The next number after a in the direction of b, without gradient; float32 or float64.
MINIMA_API Tensor nextafter(const Tensor& a, const Tensor& b);

/// The greatest common divisor of integers, elementwise, not negative; 0 for 0 and 0. No gradient.
MINIMA_API Tensor gcd(const Tensor& a, const Tensor& b);
/// The least common multiple of integers, elementwise, not negative; 0 where either is 0. What overflows wraps. No
/// gradient.
MINIMA_API Tensor lcm(const Tensor& a, const Tensor& b);

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

// In place; also as x += y and so on. The result must have x's shape and is converted to x's dtype. All functions whose
// names end in _ return x itself, so that calls nest: Tensor y = clamp_(div_(add(x, 1), 2), 0, 1).
MINIMA_API const Tensor& add_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& sub_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& mul_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& div_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& add_(const Tensor& x, Scalar y);
MINIMA_API const Tensor& mul_(const Tensor& x, Scalar y);
MINIMA_API const Tensor& div_(const Tensor& x, Scalar y);
/// Sets all elements to `value`. Throws ValueError if x's dtype cannot hold it.
MINIMA_API const Tensor& fill_(const Tensor& x, Scalar value);
/// All elements become 0.
MINIMA_API const Tensor& zero_(const Tensor& x);
/// x = -x.
MINIMA_API const Tensor& neg_(const Tensor& x);
/// x = clamp(x, low, high), for clipping weights or gradients.
MINIMA_API const Tensor& clamp_(const Tensor& x, Scalar low, Scalar high);
/// x += value · a · b, for running second moments; a and b broadcast to x. Half types round once.
MINIMA_API const Tensor& addcmul_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);
/// x = x + weight · (end - x), for running averages; end broadcasts to x. Half types round once.
MINIMA_API const Tensor& lerp_(const Tensor& x, const Tensor& end, double weight);

}  // namespace minima
