#pragma once

#include <minima/tensor/tensor.h>

// More operators that change their first argument, x = f(x), under autograd's rules for in-place changes. Declared with
// their operators: add_, sub_, mul_, div_, fill_, zero_, copy_, relu_, leaky_relu_, elu_, index_put_, uniform_,
// normal_.

namespace minima {

/// x = clamp(x, low, high), for clipping weights or gradients.
MINIMA_API void clamp_(const Tensor& x, Scalar low, Scalar high);
/// x = `value` where the mask is true.
MINIMA_API void masked_fill_(const Tensor& x, const Tensor& mask, Scalar value);
/// x = exp(x).
MINIMA_API void exp_(const Tensor& x);
/// x = sqrt(x).
MINIMA_API void sqrt_(const Tensor& x);
/// x = -x.
MINIMA_API void neg_(const Tensor& x);
/// x = sigmoid(x).
MINIMA_API void sigmoid_(const Tensor& x);
/// x = tanh(x).
MINIMA_API void tanh_(const Tensor& x);
/// x += value · a · b, for running second moments; a and b broadcast to x. Half types round once.
MINIMA_API void addcmul_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);
/// x = x + weight · (end - x), for running averages; end broadcasts to x. Half types round once.
MINIMA_API void lerp_(const Tensor& x, const Tensor& end, double weight);

}  // namespace minima
