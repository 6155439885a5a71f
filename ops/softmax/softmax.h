#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// exp(x) / Σ exp(x) along one dimension, without overflow. Floating dtypes; half types compute in float32. A line of
/// only -inf, or with NaN or +inf, gives NaN.
MINIMA_API Tensor softmax(const Tensor& x, std::int64_t dim);
/// x - log Σ exp(x) along one dimension, accurate where softmax would underflow.
MINIMA_API Tensor log_softmax(const Tensor& x, std::int64_t dim);

}  // namespace minima
