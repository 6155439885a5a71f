#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/core/pair.h>
#include <minima/ops/view/pad.h>

namespace minima::nn {

struct Conv2dOptions {
  std::int64_t in = 0;   ///< channels of x
  std::int64_t out = 0;  ///< channels of the output
  Pair kernel = 0;       ///< a number for both dimensions, or {height, width}
  Pair stride = 1;
  Pair padding = 0;  ///< on each side
  Pair dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  PadMode padding_mode = PadMode::constant;  ///< what to pad with; zeros by default
  bool same = false;                         ///< pad so that the output has x's size, PyTorch's padding='same'
};

/// The convolution of x [N, in, H, W] or [in, H, W] with a weight [out, in / groups, kH, kW], torch.nn.Conv2d:
/// → [N, out, H', W'] or [out, H', W'] with H' = ⌊(H + 2·padding - dilation·(kH - 1) - 1) / stride⌋ + 1.
/// Weight and bias are initialised as PyTorch does: uniform on ±1/√(in / groups · kH · kW).
///   nn::Conv2d({.in = 3, .out = 64, .kernel = 3, .padding = 1, .bias = false})
class MINIMA_API Conv2d : public Module {
 public:
  /// Throws ValueError for sizes below 1, negative padding, or if groups does not divide in and out.
  explicit Conv2d(const Conv2dOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  Conv2dOptions options;
  Parameter weight;  ///< [out, in / groups, kH, kW]
  Parameter bias;    ///< [out]; undefined without bias
};

}  // namespace minima::nn
