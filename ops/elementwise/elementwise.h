#pragma once

#include <minima/tensor/tensor.h>

// Elementwise functions made of other operators, with PyTorch's definitions. Inputs broadcast; differentiable to any
// order where nothing else is said.

namespace minima {

/// start + weight·(end - start) with a weight per element, all floating; exact where the weight is 0 or 1.
MINIMA_API Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight);
/// x + value·a·b
MINIMA_API Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);
/// x + value·(a / b), floating.
MINIMA_API Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);
/// min(max(x, low), high) with tensors as bounds; an undefined one does not count. The gradient is maximum's and
/// minimum's: x and a bound that it equals share it.
MINIMA_API Tensor clamp(const Tensor& x, const Tensor& low, const Tensor& high);

/// sin(πx) / (πx), 1 at 0. Integers give float32.
MINIMA_API Tensor sinc(const Tensor& x);
/// x·log(y), 0 where x is 0 and y is not NaN. Integers give float32. Where x is 0 and y ≤ 0, the gradients are 0.
MINIMA_API Tensor xlogy(const Tensor& x, const Tensor& y);
/// log(x / (1 - x)), the inverse of sigmoid; if eps ≥ 0, x below eps counts as eps, else above 1 - eps as 1 - eps (for
/// eps > 0.5, every x is one of the two). Integers give float32.
MINIMA_API Tensor logit(const Tensor& x, double eps = -1);
/// log₂(2ᵃ + 2ᵇ) without overflow, floating.
MINIMA_API Tensor logaddexp2(const Tensor& a, const Tensor& b);
/// x·2ⁿ for whole or fractional n, also where 2ⁿ alone over- or underflows. Integers give float32.
MINIMA_API Tensor ldexp(const Tensor& x, const Tensor& n);
/// Degrees to radians. Integers give float32.
MINIMA_API Tensor deg2rad(const Tensor& x);
/// Radians to degrees. Integers give float32.
MINIMA_API Tensor rad2deg(const Tensor& x);
/// x - tanh(x), floating.
MINIMA_API Tensor tanhshrink(const Tensor& x);
/// x where x > limit, `value` elsewhere.
MINIMA_API Tensor threshold(const Tensor& x, Scalar limit, Scalar value);

struct NanToNumOptions {
  double nan = 0;                     ///< replaces NaN
  double posinf = __builtin_nan("");  ///< replaces ∞; NaN stands for the largest finite number of the dtype
  double neginf = __builtin_nan("");  ///< replaces -∞; NaN stands for the smallest
};
/// x with NaN and infinities replaced. Their derivative is 0.
MINIMA_API Tensor nan_to_num(const Tensor& x, const NanToNumOptions& options = {});
/// The larger, or the other where one is NaN. Equal elements share the gradient.
MINIMA_API Tensor fmax(const Tensor& a, const Tensor& b);
/// The smaller, likewise.
MINIMA_API Tensor fmin(const Tensor& a, const Tensor& b);
/// 0 where x < 0, `values` where x = 0, 1 elsewhere; both of one dtype. No gradient.
MINIMA_API Tensor heaviside(const Tensor& x, const Tensor& values);

/// Whether x is ∞ or -∞. No gradient, as below.
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
/// Whether exactly one of both is nonzero.
MINIMA_API Tensor logical_xor(const Tensor& a, const Tensor& b);

}  // namespace minima
