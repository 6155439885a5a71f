#include <minima/nn/layers/interpolate.h>

#include <minima/ops/interpolate/interpolate.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor Upsample::forward(const Tensor& x) { return interpolate(x, options); }

}  // namespace minima::nn
