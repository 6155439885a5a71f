#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/core/pair.h>
#include <minima/ops/view/pad.h>

namespace minima::nn {

struct Conv1dOptions {
  std::int64_t in = 0;   ///< channels of x
  std::int64_t out = 0;  ///< channels of the output
  std::int64_t kernel = 0;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< on each side
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  PadMode padding_mode = PadMode::constant;  ///< what to pad with; zeros by default
  bool same = false;                         ///< pad so that the output has x's size, PyTorch's padding='same'
};

/// Conv2d for sequences x [N, in, L] or [in, L], torch.nn.Conv1d. Weight and bias are initialised as in Conv2d.
class MINIMA_API Conv1d : public Module {
 public:
  explicit Conv1d(const Conv1dOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  Conv1dOptions options;
  Parameter weight;  ///< [out, in / groups, kernel]
  Parameter bias;    ///< [out]; undefined without bias
};

struct ConvTranspose1dOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 0;
  std::int64_t stride = 1;
  std::int64_t padding = 0;         ///< removed from each side
  std::int64_t output_padding = 0;  ///< added at the end; smaller than stride or dilation
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};

/// ConvTranspose2d for sequences x [N, in, L] or [in, L], torch.nn.ConvTranspose1d.
class MINIMA_API ConvTranspose1d : public Module {
 public:
  explicit ConvTranspose1d(const ConvTranspose1dOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  ConvTranspose1dOptions options;
  Parameter weight;  ///< [in, out / groups, kernel]
  Parameter bias;    ///< [out]; undefined without bias
};

struct ConvTranspose2dOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  Pair kernel = 0;
  Pair stride = 1;
  Pair padding = 0;         ///< removed from each side
  Pair output_padding = 0;  ///< added at the end; smaller than stride or dilation
  Pair dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};

/// The transposed convolution of x [N, in, H, W] or [in, H, W], for upsampling, torch.nn.ConvTranspose2d:
/// → [N, out, H', W'] or [out, H', W'] with H' = (H - 1)·stride - 2·padding + dilation·(kH - 1) + output_padding + 1.
///   nn::ConvTranspose2d({.in = 64, .out = 32, .kernel = 4, .stride = 2, .padding = 1})   // doubles H and W
class MINIMA_API ConvTranspose2d : public Module {
 public:
  /// Throws ValueError for sizes below 1, negative padding, or if groups does not divide in and out.
  explicit ConvTranspose2d(const ConvTranspose2dOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  ConvTranspose2dOptions options;
  Parameter weight;  ///< [in, out / groups, kH, kW]
  Parameter bias;    ///< [out]; undefined without bias
};

}  // namespace minima::nn
