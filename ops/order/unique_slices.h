#pragma once

#include <minima/ops/order/order.h>

#include <cstdint>

// The different slices of a tensor. Included on its own, not by minima.h.

namespace minima {

/// The different slices along a dimension, in lexicographic order of their elements: `values` are slices of x,
/// `inverse` and `counts` vectors. The other sizes must not be 0; slices with a NaN are different from all. All dtypes;
/// no gradient. Sorts once for each element of a slice. On a GPU, reads their number back.
///   auto [rows, inverse, counts] = unique(edges, 0);   // edges [N, 2]
MINIMA_API Unique unique(const Tensor& x, std::int64_t dim);
/// x with runs of equal slices along a dimension replaced by one.
MINIMA_API Unique unique_consecutive(const Tensor& x, std::int64_t dim);

}  // namespace minima
