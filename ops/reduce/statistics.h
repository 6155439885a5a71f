#pragma once

#include <minima/tensor/tensor.h>

// Reductions made of others. They reduce the dimensions `dims`, all if none are given; differentiable to any order.

namespace minima {

struct Moments {
  Tensor var;
  Tensor mean;
};

/// Σ (x - mean)² / (n - correction) of the n elements: correction 1 is the unbiased estimate, 0 the mean square.
/// Of floating tensors; n ≤ correction gives NaN or ∞, as the division says. Half types are computed in float32.
MINIMA_API Tensor var(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);
/// √var. The derivative at a variance of 0 is 0, which sqrt(var(x)) would make NaN. `using namespace minima` makes the
/// plain name `std` ambiguous with the standard library's namespace: call `stddev`, or `minima::std`.
MINIMA_API Tensor std(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);
inline Tensor stddev(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false) {
  return std(x, dims, correction, keep_dim);
}
/// Both at once.
MINIMA_API Moments var_mean(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);

/// (Σ |x|ᵖ)^(1/p); p = ∞ is the largest |x|, -∞ the smallest, 0 the number of elements that are not 0. The derivative
/// of a norm of zeros is 0, and so is that by a zero for p < 1. Throws ShapeError for no elements where p < 0 or p = ∞.
/// Of floating tensors; half types are computed in float32.
MINIMA_API Tensor norm(const Tensor& x, double p = 2, const Shape& dims = {}, bool keep_dim = false);
/// log Σ eˣ without overflow; of nothing -∞. Of floating tensors; half types are computed in float32.
MINIMA_API Tensor logsumexp(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);

/// True where all elements are other than 0 (NaN is): of nothing true. Any dtype → bool, without gradient.
MINIMA_API Tensor all(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// True where some element is other than 0: of nothing false.
MINIMA_API Tensor any(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// How many elements are other than 0: int64.
MINIMA_API Tensor count_nonzero(const Tensor& x, const Shape& dims = {});

}  // namespace minima
