#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Pᵀ·x for the row exchanges of x = P·L·U: row i of x [..., M, N] was swapped with row pivots[i] - 1, i = 0, …, K - 1.
/// With `back`, P·x. The batches of x and pivots [..., K] broadcast; differentiable by x.
Tensor permute_rows(const Tensor& x, const Tensor& pivots, bool back);

}  // namespace minima::detail
