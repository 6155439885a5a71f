#pragma once

#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <memory>

namespace minima::detail {

struct AttentionAttributes {
  bool causal;
  std::int64_t window;  ///< 0 if there is none
  double scale;
  double dropout;     ///< the probability that a weight becomes 0, below 1
  PhiloxState start;  ///< state for dropout's random numbers
  /// Null: dropout keeps the weights that dropout() keeps, on any device. Otherwise cuDNN may draw by its own rule, in
  /// both directions, and sets it if it does.
  std::shared_ptr<bool> drawn_by_cudnn{};
};

/// y from q, k, v and an optional mask, and for each query [batch · heads · L, 2], in the compute dtype, its largest
/// score and the scale of its weights exp(score - largest)·scale (+inf and 0 for a query that sees no key). Their
/// logarithm in one number would lose the scale of a row whose mask is the lowest number throughout. y's last dimension
/// has stride 1.
void attention_kernel_cpu(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& mask, Tensor& y, Tensor& levels);

/// The gradients of q, k and v, any of which may be undefined; their last dimensions have stride 1.
void attention_gradient_kernel_cpu(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                   const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                   const Tensor& levels, const Tensor& dq, const Tensor& dk, const Tensor& dv);

/// The same on CUDA, by cuDNN where it can, else by minima's kernels. In half types levels are log Σ exp of each
/// query's scores [batch · heads · L], as cuDNN has them, and a finite mask below -65,536 counts as -65,536.
void attention_kernel_cuda(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                           const Tensor& mask, const Tensor& y, const Tensor& levels);
void attention_gradient_kernel_cuda(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                    const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                    const Tensor& levels, const Tensor& dq, const Tensor& dk, const Tensor& dv);

}  // namespace minima::detail
