#pragma once

#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/tensor.h>

#include <vector>

// Elements by their rank or frequency. All dtypes but where something else is said; NaN counts as larger than
// everything. Values are differentiable to any order: the gradient goes back to the elements that were chosen.

namespace minima {

/// The middle element along a dimension, of two the smaller one, and its position; NaN if one element is. The size must
/// not be 0.
MINIMA_API ValuesAndIndices median(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// The median of all elements; NaN if there are none. Elements equal to it share the gradient evenly.
MINIMA_API Tensor median(const Tensor& x);
/// The median of the elements that are not NaN; NaN if there are none.
MINIMA_API ValuesAndIndices nanmedian(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// The same of all elements; those equal to it share the gradient evenly.
MINIMA_API Tensor nanmedian(const Tensor& x);
/// The most frequent element along a dimension, of several the smallest, and the position of its last occurrence.
MINIMA_API ValuesAndIndices mode(const Tensor& x, std::int64_t dim = -1, bool keep_dim = false);

/// Selects the value that `quantile` returns between two elements.
enum class QuantileMode : std::uint8_t { linear, lower, higher, midpoint, nearest };
struct QuantileOptions {
  bool keep_dim = false;
  QuantileMode mode = QuantileMode::linear;
};
/// The elements at position q·(n - 1) of the n sorted ones along a dimension, 0 ≤ q ≤ 1; NaN if one element is. The
/// result has a leading dimension for q. Floating tensors only.
MINIMA_API Tensor quantile(const Tensor& x, const std::vector<double>& q, std::int64_t dim,
                           const QuantileOptions& options = {});
/// The quantile of all elements, for one q without a dimension for q.
MINIMA_API Tensor quantile(const Tensor& x, double q, const QuantileOptions& options = {});
/// `quantile` of the elements that are not NaN; NaN if there are none.
MINIMA_API Tensor nanquantile(const Tensor& x, const std::vector<double>& q, std::int64_t dim,
                              const QuantileOptions& options = {});

}  // namespace minima
