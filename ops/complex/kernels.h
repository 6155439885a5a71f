#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::detail {

/// y [..., M, N] = a [..., M, K] · b [..., K, N], complex, where y is row-major: one real product [M, 2K] · [2K, 2N].
void complex_products_cpu(const Tensor& a, const Tensor& b, const Tensor& y);

/// y [B, M, N] = a [B, M, K] · b [B, K, N], complex and row-major. For small matrices: the products are not split among
/// threads, but the batch is.
void small_complex_products_cpu(const Tensor& a, const Tensor& b, const Tensor& y);

}  // namespace minima::detail
