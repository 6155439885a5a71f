#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

// The different elements or slices of a tensor. All dtypes; no gradient.

namespace minima {

struct Unique {
  Tensor values;   ///< a vector
  Tensor inverse;  ///< int64, of x's shape: values[inverse] is x
  Tensor counts;   ///< int64: how often each value occurs
};
/// The different elements of x, sorted; every NaN is different. No gradient. On a GPU, reads their number back.
MINIMA_API Unique unique(const Tensor& x);
/// The different slices along a dimension, in lexicographic order of their elements: `values` are slices of x,
/// `inverse` and `counts` vectors. The other sizes must not be 0; slices with a NaN are different from all. All dtypes;
/// no gradient. Sorts once for each element of a slice. On a GPU, reads their number back.
///   auto [rows, inverse, counts] = unique(edges, 0);   // edges [N, 2]
MINIMA_API Unique unique(const Tensor& x, std::int64_t dim);
/// x in row-major order, with runs of equal elements replaced by one.
MINIMA_API Unique unique_consecutive(const Tensor& x);
/// x with runs of equal slices along a dimension replaced by one.
MINIMA_API Unique unique_consecutive(const Tensor& x, std::int64_t dim);

/// Whether each element of x is one of `elements`: bool, of x's shape.
MINIMA_API Tensor isin(const Tensor& x, const Tensor& elements);

}  // namespace minima
