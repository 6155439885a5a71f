#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

struct CrossEntropyAttributes {
  std::int64_t ignore_index;
  Reduction reduction;
  double smoothing;
};

/// loss from logits and class indices; weight may be undefined. Where they are defined, log_sum gets log Σ exp of each
/// line, in the order of the target's elements, and total (float64) what `mean` divides by.
void cross_entropy_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& logits, const Tensor& target,
                              const Tensor& weight, Tensor& loss, Tensor& log_sum, Tensor& total);
/// The gradient by the logits; dx is row-major or has the classes innermost, as class_layout says.
void cross_entropy_gradient_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& g, const Tensor& logits,
                                       const Tensor& target, const Tensor& weight, const Tensor& log_sum,
                                       const Tensor& total, Tensor& dx);
/// What the loss multiplies -log p by: y [N, C, …] has (1 - ε) w_t at the target t plus ε/C · w_c everywhere, and 0
/// throughout where the target is ignored.
void class_targets_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& target, const Tensor& weight,
                              Tensor& y);

/// The same on CUDA, where a target that does not exist counts as ignored until the next call that waits for the
/// device throws. The gradient of float32 logits may be in a half
/// type, or, in float32, in the place of the logits.
void cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& logits, const Tensor& target,
                               const Tensor& weight, Tensor& loss, Tensor& log_sum, Tensor& total);
void cross_entropy_gradient_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& g, const Tensor& logits,
                                        const Tensor& target, const Tensor& weight, const Tensor& log_sum,
                                        const Tensor& total, Tensor& dx);
void class_targets_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& target, const Tensor& weight,
                               Tensor& y);

/// The dimension of the classes.
inline int class_dim(int rank) { return rank == 1 ? 0 : 1; }
/// The layout in which the kernels take logits that lie as `x`: classes innermost if they are, else row-major. In both
/// the lines along the classes are in the order of the target's elements.
Layout class_layout(const Layout& x);

}  // namespace minima::detail
