#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Zeros of `shape` with `source` added at `index`, as in scatter_add: gather's gradient, whose index is already
/// checked. Differentiable.
Tensor scattered(const Tensor& source, int dim, const Tensor& index, const Shape& shape);

/// x, or a scalar as the vector of one element as which indexing along a dimension counts it.
Tensor as_vector(const Tensor& x);
/// Whether some of these are scalars and the others vectors.
template <class... In>
bool mixes_scalars(const In&... in) {
  return (... || (in.rank() == 0)) && (... || (in.rank() == 1)) && (... && (in.rank() <= 1));
}

}  // namespace minima::detail
