#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/view/pad.h>

namespace minima::nn {

struct Conv3dOptions {
  std::int64_t in = 0;   ///< channels of x
  std::int64_t out = 0;  ///< channels of the output
  Triple kernel = 0;     ///< a number for all dimensions, or {depth, height, width}
  Triple stride = 1;
  Triple padding = 0;  ///< on each side
  Triple dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  PadMode padding_mode = PadMode::constant;  ///< what to pad with; zeros by default
  bool same = false;                         ///< pad so that the output has x's size, PyTorch's padding='same'
};

/// Conv2d for volumes x [N, in, D, H, W] or [in, D, H, W], torch.nn.Conv3d. Weight and bias are initialised as in
/// Conv2d.
///   nn::Conv3d({.in = 1, .out = 16, .kernel = 3, .padding = 1})
class MINIMA_API Conv3d : public Module {
 public:
  /// Throws ValueError for sizes below 1, negative padding, or if groups does not divide in and out.
  explicit Conv3d(const Conv3dOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  Conv3dOptions options;
  Parameter weight;  ///< [out, in / groups, kD, kH, kW]
  Parameter bias;    ///< [out]; undefined without bias
};

struct ConvTranspose3dOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  Triple kernel = 0;
  Triple stride = 1;
  Triple padding = 0;         ///< removed from each side
  Triple output_padding = 0;  ///< added at the end; smaller than stride or dilation
  Triple dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};

/// ConvTranspose2d for volumes x [N, in, D, H, W] or [in, D, H, W], torch.nn.ConvTranspose3d.
class MINIMA_API ConvTranspose3d : public Module {
 public:
  explicit ConvTranspose3d(const ConvTranspose3dOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  ConvTranspose3dOptions options;
  Parameter weight;  ///< [in, out / groups, kD, kH, kW]
  Parameter bias;    ///< [out]; undefined without bias
};

}  // namespace minima::nn
