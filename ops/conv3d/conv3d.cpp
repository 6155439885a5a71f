#include <minima/ops/conv3d/conv3d.h>

#include <minima/ops/conv2d/convolution.h>
#include <minima/tensor/tensor.h>

namespace minima {

Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv3dOptions& o) {
  return detail::convolution(x, weight, bias,
                             {.stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups});
}

}  // namespace minima
