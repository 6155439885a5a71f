#pragma once

#include <minima/ops/view/pad.h>
#include <minima/tensor/tensor.h>

// Convolution layers pad x here, before the operator, which knows zeros on both sides alone. Internal to nn.

namespace minima::nn::detail {

/// Sizes and options, one number for each spatial dimension.
struct ConvPadding {
  Shape kernel, stride, padding, dilation;
  PadMode mode;
  bool same;
};

/// Throws ValueError for `same` with a stride or a padding.
void check_padding(const char* layer, const ConvPadding& options);

struct Padded {
  Tensor x;
  Shape padding;  ///< what is left for the operator
};
Padded padded(const Tensor& x, const ConvPadding& options);

}  // namespace minima::nn::detail
