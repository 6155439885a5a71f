#pragma once

#include <minima/tensor/tensor.h>

// Statistics over the dimensions `dims` (default: all). Differentiable to any order.

namespace minima {

struct Moments {
  Tensor var;
  Tensor mean;
};

/// Σ (x - mean)² / (n - correction) of the n elements: correction 1 is the unbiased estimate, 0 the mean square.
/// Floating tensors only; n ≤ correction gives NaN or ∞. Half types compute in float32.
MINIMA_API Tensor var(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);
/// √var, with derivative 0 at a variance of 0, where sqrt(var(x)) gives NaN. After `using namespace minima`, the plain
/// name `std` is ambiguous: call `stddev` or `minima::std`.
MINIMA_API Tensor std(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);
/// `std` under a name that does not clash with the namespace.
inline Tensor stddev(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false) {
  return std(x, dims, correction, keep_dim);
}
/// var and mean in one call.
MINIMA_API Moments var_mean(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);
struct StdMean {
  Tensor std;
  Tensor mean;
};
/// std and mean over `dims` (default: all).
MINIMA_API StdMean std_mean(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);

/// (Σ |x|ᵖ)^(1/p); p = ∞ is the largest |x|, -∞ the smallest, 0 the number of nonzero elements. The derivative of
/// a norm of zeros is 0, and so is that by a zero for p < 1. Throws ShapeError for no elements if p < 0 or p = ∞.
/// Floating tensors only; half types compute in float32.
MINIMA_API Tensor norm(const Tensor& x, double p = 2, const Shape& dims = {}, bool keep_dim = false);
/// x with every slice along `dim` whose p-norm exceeds `most` scaled down to it. Floating tensors.
MINIMA_API Tensor renorm(const Tensor& x, double p, std::int64_t dim, double most);
/// log Σ eˣ without overflow; -∞ for no elements. Floating tensors only; half types compute in float32.
MINIMA_API Tensor logsumexp(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);

/// Whether all elements are nonzero, as NaN is; true for no elements. Any dtype → bool, without gradient.
MINIMA_API Tensor all(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// Whether any element is nonzero; false for no elements.
MINIMA_API Tensor any(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The number of nonzero elements, int64.
MINIMA_API Tensor count_nonzero(const Tensor& x, const Shape& dims = {});

/// The covariance matrix of variables in rows: x [V, N] → [V, V], or the variance, a scalar, of a vector or a single
/// row. Floating tensors only.
MINIMA_API Tensor cov(const Tensor& x, double correction = 1);
struct CovOptions {
  double correction = 1;
  Tensor fweights = {};  ///< [N], integers: how often each observation counts; undefined means once
  Tensor aweights = {};  ///< [N], floating: how much it counts
};
/// cov of weighted observations, w = fweights·aweights: Σ w (x - m)(x - m)ᵀ / (Σw - correction·Σ(w·aweights) / Σw) with
/// m = Σwx / Σw; without aweights the divisor is Σw - correction. Throws ShapeError, DTypeError or, on the CPU,
/// ValueError for weights that do not fit.
MINIMA_API Tensor cov(const Tensor& x, const CovOptions& options);
/// cov(x) divided by the standard deviations: correlations within [-1, 1]; a scalar for a vector or a single row.
MINIMA_API Tensor corrcoef(const Tensor& x);

}  // namespace minima
