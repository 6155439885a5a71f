#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/convolution/fold.h>
#include <minima/ops/image/interpolate.h>

// Layers that move or resample the elements of images.

namespace minima::nn {

/// Patches of images as columns, torch.nn.Unfold: x [N, C, H, W] → [N, C · kH · kW, L]. Options as in `unfold`.
class MINIMA_API Unfold : public Module {
 public:
  explicit Unfold(const FoldOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  FoldOptions options;
};

/// The sum of overlapping columns, torch.nn.Fold: x [N, C · kH · kW, L] → [N, C, size]. Options as in `fold`.
class MINIMA_API Fold : public Module {
 public:
  Fold(Pair output_size, const FoldOptions& given) : size(output_size), options(given) {}
  Tensor forward(const Tensor& x) override;
  Pair size;
  FoldOptions options;
};

/// Channels into pixels, torch.nn.PixelShuffle: x [..., C · r², H, W] → [..., C, H · r, W · r].
class MINIMA_API PixelShuffle : public Module {
 public:
  explicit PixelShuffle(std::int64_t factor) : r(factor) {}
  Tensor forward(const Tensor& x) override;
  std::int64_t r;
};

/// Pixels into channels, torch.nn.PixelUnshuffle: x [..., C, H · r, W · r] → [..., C · r², H, W].
class MINIMA_API PixelUnshuffle : public Module {
 public:
  explicit PixelUnshuffle(std::int64_t factor) : r(factor) {}
  Tensor forward(const Tensor& x) override;
  std::int64_t r;
};

/// channel_shuffle, torch.nn.ChannelShuffle.
class MINIMA_API ChannelShuffle : public Module {
 public:
  explicit ChannelShuffle(std::int64_t groups) : groups(groups) {}
  Tensor forward(const Tensor& x) override;
  std::int64_t groups;
};

/// Resizes x [N, C, d1, …], torch.nn.Upsample: `nn::Upsample({.scale = {2}})`. Options as in `interpolate`.
class MINIMA_API Upsample : public Module {
 public:
  explicit Upsample(const InterpolateOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  InterpolateOptions options;
};

}  // namespace minima::nn
