#pragma once

#include <minima/ops/core/operator_call.h>
#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

// The kernels of losses that are more than pointwise operators. Internal.

namespace minima {
struct CrossEntropyOptions;
}

namespace minima::detail {

struct CrossEntropyAttributes {
  std::int64_t ignore_index;
  Reduction reduction;
  double smoothing;
};

inline void list_attributes(const CrossEntropyAttributes& attributes, AttributeVisitor& visitor) {
  visitor.integer("ignore_index", attributes.ignore_index);
  visitor.integer("reduction", static_cast<std::int64_t>(attributes.reduction));
  visitor.number("smoothing", attributes.smoothing);
}

/// The loss from logits and class indices; weight may be undefined. If defined, max_sum [2, lines] receives
/// the maximum of each line and its Σ exp relative to it, in the order of the target's elements, and total (float64)
/// the mean's divisor.
void cross_entropy_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& logits, const Tensor& target,
                              const Tensor& weight, Tensor& loss, Tensor& max_sum, Tensor& total);
/// The gradient of the logits; dx is row-major or has the classes innermost, as class_layout returns, and may be the
/// logits, which it then overwrites.
void cross_entropy_gradient_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& g, const Tensor& logits,
                                       const Tensor& target, const Tensor& weight, const Tensor& max_sum,
                                       const Tensor& total, Tensor& dx);
/// The factor of -log p in the loss: y [N, C, …] has (1 - ε) w_t at the target t plus ε/C · w_c everywhere, and 0
/// throughout where the target is ignored.
void class_targets_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& target, const Tensor& weight,
                              Tensor& y);

/// The same on CUDA. A target out of range counts as ignored, and the next call that synchronises throws.
void cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& logits, const Tensor& target,
                               const Tensor& weight, Tensor& loss, Tensor& max_sum, Tensor& total);
void cross_entropy_gradient_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& g, const Tensor& logits,
                                        const Tensor& target, const Tensor& weight, const Tensor& max_sum,
                                        const Tensor& total, Tensor& dx);
void class_targets_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& target, const Tensor& weight,
                               Tensor& y);

/// The dimension of the classes.
inline int class_dim(int rank) { return rank == 1 ? 0 : 1; }
/// The layout in which the kernels take logits with layout `x`: classes innermost if they already are, else row-major.
/// Either way, the lines along the classes are in the order of the target's elements.
Layout class_layout(const Layout& x);

/// The gradients that a recorded call computes along with the loss, in the compute dtype and not yet divided by the
/// total; undefined if not wanted.
struct LinearCrossEntropyGradients {
  Tensor x, weight, bias;
};

/// The loss of x [N, D], weight [C, D], bias [C] and target [N], as sum or mean; total (float64) is the mean's divisor.
void linear_cross_entropy_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                     const Tensor& bias, const Tensor& target, const Tensor& class_weight, Tensor& loss,
                                     const LinearCrossEntropyGradients& gradients, double& total);
/// The same on CUDA; total may be undefined.
void linear_cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                      const Tensor& bias, const Tensor& target, const Tensor& class_weight,
                                      Tensor& loss, const LinearCrossEntropyGradients& gradients, const Tensor& total);

/// linear_cross_entropy, whose result is float32 for half types if `wide`.
Tensor linear_cross_entropy_as(bool wide, const Tensor& x, const Tensor& weight, const Tensor& bias,
                               const Tensor& target, const CrossEntropyOptions& options);

}  // namespace minima::detail
