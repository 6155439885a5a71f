#pragma once

#include <minima/tensor/tensor.h>

// Rounding and remainders, elementwise on numeric tensors. Rounding leaves integers unchanged. Integer division by zero
// throws ValueError on the CPU; on CUDA its result is unspecified.

namespace minima {

/// Rounds down. The derivative of floor, ceil, round and trunc is 0.
MINIMA_API Tensor floor(const Tensor& x);
/// Rounds up.
MINIMA_API Tensor ceil(const Tensor& x);
/// Rounds to the nearest integer, halves to the even one.
MINIMA_API Tensor round(const Tensor& x);
/// Rounds towards 0.
MINIMA_API Tensor trunc(const Tensor& x);
/// x - trunc(x), with x's sign. The derivative is 1.
MINIMA_API Tensor frac(const Tensor& x);

/// a - b·trunc(a / b), with a's sign: C's fmod and %.
MINIMA_API Tensor fmod(const Tensor& a, const Tensor& b);
/// a - b·floor(a / b), with b's sign: Python's %, and here a % b.
MINIMA_API Tensor remainder(const Tensor& a, const Tensor& b);
/// floor(a / b), in the promoted dtype. Not differentiable: the derivative is 0.
MINIMA_API Tensor floor_divide(const Tensor& a, const Tensor& b);

MINIMA_API Tensor fmod(const Tensor& a, Scalar b);
MINIMA_API Tensor fmod(Scalar a, const Tensor& b);
MINIMA_API Tensor remainder(const Tensor& a, Scalar b);
MINIMA_API Tensor remainder(Scalar a, const Tensor& b);
MINIMA_API Tensor floor_divide(const Tensor& a, Scalar b);
MINIMA_API Tensor floor_divide(Scalar a, const Tensor& b);

/// x = remainder(x, y), in place; also as x %= y.
MINIMA_API const Tensor& remainder_(const Tensor& x, const Tensor& y);
MINIMA_API const Tensor& remainder_(const Tensor& x, Scalar y);

inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, Scalar b) { return remainder(a, b); }
inline Tensor operator%(Scalar a, const Tensor& b) { return remainder(a, b); }
inline const Tensor& operator%=(const Tensor& x, const Tensor& y) { return remainder_(x, y), x; }
inline const Tensor& operator%=(const Tensor& x, Scalar y) { return remainder_(x, y), x; }

}  // namespace minima
