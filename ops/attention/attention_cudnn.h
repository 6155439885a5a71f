#pragma once

#include <minima/ops/attention/attention_kernels.h>

namespace minima::detail {

/// Attention and its gradient by cuDNN's flash attention. Returns false, with nothing done, where cuDNN cannot. Dropout
/// and masks stay with minima's kernels, which must drop the same weights as on the CPU.
bool attention_by_cudnn(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& y, const Tensor& log_sum);
bool attention_gradient_by_cudnn(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                 const Tensor& k, const Tensor& v, const Tensor& y, const Tensor& log_sum,
                                 const Tensor& dq, const Tensor& dk, const Tensor& dv);

}  // namespace minima::detail
