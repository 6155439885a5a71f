#include <minima/ops/conv_transpose3d/conv_transpose3d.h>

#include <minima/ops/conv_transpose2d/transposed.h>
#include <minima/tensor/tensor.h>

namespace minima {

Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvTranspose3dOptions& o) {
  return detail::transposed_convolution(
      x, weight, bias, {.stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups},
      o.output_padding);
}

}  // namespace minima
