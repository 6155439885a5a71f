#pragma once

#include <minima/ops/attention/attention_kernels.h>

namespace minima::detail {

/// Attention and its gradient by cuDNN's flash attention, in half types. Returns false, with nothing done, where cuDNN
/// cannot. Throws an Error if cuDNN refuses the gradient of dropout that it drew.
bool attention_by_cudnn(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& mask, const Tensor& y, const Tensor& log_sum);
bool attention_gradient_by_cudnn(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                 const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                 const Tensor& log_sum, const Tensor& dq, const Tensor& dk, const Tensor& dv);

// Declares the kernels of minima that cuDNN's attention needs; attention_cuda.cu defines them.

/// The mask [batch, heads, L, S] as float32 to add to scores, in rows of `row` elements: -1e30 for what it hides. cuDNN
/// makes NaN of a row of -inf.
void write_attention_bias(const Tensor& mask, const Tensor& bias, std::int64_t row);
/// For queries of which the bias hides all keys: zeros in y, and +inf for log Σ exp, with which cuDNN's gradients are
/// 0.
void clear_hidden_queries(const Tensor& log_sum, const Tensor& y);
/// seeds [4] int64: the seed, in place 0, and the position, in place 2.
void write_seeds(const PhiloxState& start, const Tensor& seeds);

}  // namespace minima::detail
