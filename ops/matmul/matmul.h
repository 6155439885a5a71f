#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// Matrix product: a [..., M, K] × b [..., K, N] → [..., M, N]; leading dimensions broadcast. A vector a [K] counts as
/// a row and a vector b [K] as a column, whose dimension the result drops: [K] × [K] is a scalar. Both have the same
/// floating dtype; half types accumulate in float32 and round once. Transposed and sliced views are read in place.
/// Throws ShapeError if the inner sizes differ. Differentiable to any order.
///   Tensor scores = matmul(queries, transpose(keys, -1, -2));
MINIMA_API Tensor matmul(const Tensor& a, const Tensor& b);

}  // namespace minima
