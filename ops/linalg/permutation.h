#pragma once

#include <minima/tensor/tensor.h>

// The row exchanges of an LU factorisation x = P·L·U. Internal.

namespace minima::detail {

/// The order [..., M] of rows that pivots [..., K] give: row i of Pᵀ·x is row order[i] of x. int64, no gradient.
Tensor permutation(const Tensor& pivots, std::int64_t rows);
/// The order that undoes another one.
Tensor inverse_permutation(const Tensor& order);
/// Pᵀ·x: the rows of x [..., M, N] in that order. The batches broadcast.
Tensor permute_rows(const Tensor& x, const Tensor& order);

}  // namespace minima::detail
