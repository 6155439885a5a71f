#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// The matrix product. a [..., M, K] × b [..., K, N] → [..., M, N]; leading dimensions broadcast. A vector a [K] counts
/// as a row and a vector b [K] as a column, and that dimension is gone from the result: [K] × [K] is a scalar.
/// Both have one floating dtype; half types add up in float32 and round once. Transposed and sliced views are read as
/// they lie. Throws ShapeError where inner sizes differ. Differentiable to any order.
///   Tensor scores = matmul(queries, transpose(keys, -1, -2));
MINIMA_API Tensor matmul(const Tensor& a, const Tensor& b);

}  // namespace minima
