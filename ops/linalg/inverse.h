#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// The inverse, which is infinite for a singular matrix. Differentiable.
Tensor unchecked_inverse(const Tensor& x);

/// Whether b is a vector or a batch of vectors for matrices a [..., M, N]: [M], or a's shape without its last
/// dimension.
bool holds_vectors(const Tensor& a, const Tensor& b);

}  // namespace minima::detail
