#include <minima/nn/layers/interpolate.h>

namespace minima::nn {

Tensor Upsample::forward(const Tensor& x) { return interpolate(x, options); }

}  // namespace minima::nn
