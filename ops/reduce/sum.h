#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// Σ over the given dimensions (all if none are given); `keep_dim` leaves them with size 1. Integers and bool add up in
/// int64. Half types add in float32.
MINIMA_API Tensor sum(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// Σ / n over the given dimensions (all if none are given). Floating dtypes only.
MINIMA_API Tensor mean(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// Sums over leading and size-1 dimensions until x has `shape`: the reverse of broadcasting. Integers and bool give
/// int64.
MINIMA_API Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace minima
