#include <minima/ops/attention/attention_cudnn.h>
#include <minima/ops/conv2d/conv2d_cudnn.h>

// Without cuDNN, minima's own kernels run.

namespace minima::detail {

bool conv2d_by_cudnn(ConvPart, const ConvGeometry&, bool, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  return false;
}

bool attention_by_cudnn(const AttentionAttributes&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        const Tensor&) {
  return false;
}

bool attention_gradient_by_cudnn(const AttentionAttributes&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                 const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  return false;
}

}  // namespace minima::detail
