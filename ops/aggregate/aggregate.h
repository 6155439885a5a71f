#pragma once

#include <minima/ops/reduce/statistics.h>
#include <minima/tensor/tensor.h>

#include <vector>

// Sums, differences, extremes and counts made of other operators, with PyTorch's definitions. Differentiable to any
// order where nothing else is said.

namespace minima {

/// The sum over `dims` (default: all) with NaN as 0.
MINIMA_API Tensor nansum(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The mean of the elements that are not NaN, over `dims` (default: all); NaN if there are none. Floating tensors only.
MINIMA_API Tensor nanmean(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
struct Extremes {
  Tensor min;
  Tensor max;
};
/// amin and amax over `dims` (default: all).
MINIMA_API Extremes aminmax(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
struct StdMean {
  Tensor std;
  Tensor mean;
};
/// std and mean over `dims` (default: all).
MINIMA_API StdMean std_mean(const Tensor& x, const Shape& dims = {}, double correction = 1, bool keep_dim = false);
/// The covariance matrix of variables in rows: x [V, N] → [V, V], or the variance, a scalar, of a vector or a single
/// row. Floating tensors only. With weights: with_options.h.
MINIMA_API Tensor cov(const Tensor& x, double correction = 1);
/// cov(x) divided by the standard deviations: correlations within [-1, 1]; a scalar for a vector or a single row.
MINIMA_API Tensor corrcoef(const Tensor& x);

/// x[i + 1] - x[i] along a dimension, `times` times; for bool, whether they differ.
MINIMA_API Tensor diff(const Tensor& x, std::int64_t times = 1, std::int64_t dim = -1);
/// The integral over a dimension by the trapezoidal rule, Σ (y[i] + y[i + 1]) / 2 · dx. Floating tensors only.
MINIMA_API Tensor trapezoid(const Tensor& y, double dx = 1, std::int64_t dim = -1);
/// The same for points at coordinates x, a vector or of a shape that broadcasts with y's.
MINIMA_API Tensor trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim = -1);
/// trapezoid up to each element from the second on.
MINIMA_API Tensor cumulative_trapezoid(const Tensor& y, double dx = 1, std::int64_t dim = -1);
MINIMA_API Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim = -1);

/// How often 0, 1, … occur in an int64 vector, at least `min_length` of them: int64, without gradient. On a GPU, reads
/// the largest element back.
MINIMA_API Tensor bincount(const Tensor& x, std::int64_t min_length = 0);
/// The sums of the weights of 0, 1, … in the weights' dtype, any but bool: integers are summed exactly, where PyTorch's
/// result is float64. weights [N].
MINIMA_API Tensor bincount(const Tensor& x, const Tensor& weights, std::int64_t min_length = 0);
/// How many elements fall into each of `bins` equal intervals of [low, high], in x's floating dtype, without gradient;
/// others and NaN are not counted. If low = high, the extremes of x are the limits.
MINIMA_API Tensor histc(const Tensor& x, std::int64_t bins = 100, double low = 0, double high = 0);
/// The interval of each element between sorted boundaries [B]: the first i with x <= boundaries[i], or with
/// x < boundaries[i] if `right`; B if there is none. int64, without gradient.
MINIMA_API Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right = false);

}  // namespace minima
