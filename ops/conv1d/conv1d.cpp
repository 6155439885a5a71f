#include <minima/ops/conv1d/conv1d.h>

#include <minima/ops/conv2d/conv2d.h>
#include <minima/ops/conv_transpose2d/conv_transpose2d.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>

namespace minima {

namespace {

/// A sequence as an image of height 1.
Tensor as_image(const char* op, const Tensor& x, const char* what) {
  detail::check_defined(op, x);
  if (x.rank() != 3) throw ShapeError(str(op, ": ", what, " must have 3 dimensions, got ", x));
  return unsqueeze(x, 2);
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options) {
  return squeeze(conv2d(as_image("conv1d", x, "x"), as_image("conv1d", weight, "weight"), bias,
                        {.stride = {1, options.stride}, .padding = {0, options.padding}, .dilation = {1, options.dilation},
                         .groups = options.groups}), 2);
}

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvTranspose1dOptions& options) {
  return squeeze(conv_transpose2d(as_image("conv_transpose1d", x, "x"), as_image("conv_transpose1d", weight, "weight"), bias,
                                  {.stride = {1, options.stride}, .padding = {0, options.padding},
                                   .output_padding = {0, options.output_padding}, .dilation = {1, options.dilation},
                                   .groups = options.groups}), 2);
}

}  // namespace minima
