#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// exp(x) / Σ exp(x) along one dimension, without overflow. Floating dtypes; half types compute in float32. A line that
/// is -inf throughout, or has NaN or +inf, gives NaN.
MINIMA_API Tensor softmax(const Tensor& x, std::int64_t dim);
/// x - log Σ exp(x) along one dimension, exact where the softmax would round to 0.
MINIMA_API Tensor log_softmax(const Tensor& x, std::int64_t dim);

}  // namespace minima
