#pragma once

#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

struct AttentionAttributes {
  bool causal;
  double scale;
  double dropout;     ///< the probability of a weight to become 0, below 1
  PhiloxState start;  ///< of dropout's random numbers
};

/// y of q, k, v and a mask that may be undefined, and log Σ exp of each query's scores [batch · heads · L] in the dtype
/// that is computed in (+inf for a query that sees nothing). y's last dimension has stride 1.
void attention_kernel_cpu(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& mask, Tensor& y, Tensor& log_sum);

/// The gradients of q, k and v, of which any may be undefined; their last dimensions have stride 1.
void attention_gradient_kernel_cpu(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                   const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                   const Tensor& log_sum, const Tensor& dq, const Tensor& dk, const Tensor& dv);

/// The same on CUDA: by cuDNN, and what it does not compute by kernels of our own.
void attention_kernel_cuda(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                           const Tensor& mask, const Tensor& y, const Tensor& log_sum);
void attention_gradient_kernel_cuda(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                    const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                    const Tensor& log_sum, const Tensor& dq, const Tensor& dk, const Tensor& dv);

}  // namespace minima::detail
