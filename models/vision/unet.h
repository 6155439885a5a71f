#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/conv_transpose.h>
#include <minima/nn/module/module.h>

#include <cstdint>

namespace minima::models {

struct UNetOptions {
  std::int64_t in = 3;       ///< channels of the images
  std::int64_t classes = 2;  ///< channels of the result
  std::int64_t width = 64;   ///< channels of the finest level; each coarser one has twice as many
};

/// An encoder and a decoder with connections between levels of equal size, for segmentation (Ronneberger et al. 2015):
/// x [N, in, H, W] with H and W at least 16 → logits [N, classes, H, W]. Names and layers are those of
/// github.com/milesial/Pytorch-UNet with transposed convolutions (bilinear=False): padded 3 × 3 convolutions, batch
/// norms.
///   models::UNet net({.in = 1, .classes = 2});
class MINIMA_API UNet : public nn::Module {
 public:
  /// Two 3 × 3 convolutions, each with a norm and a ReLU; inc, and a part of the others.
  class MINIMA_API DoubleConv : public nn::Module {
   public:
    DoubleConv(std::int64_t in, std::int64_t out);
    Tensor forward(const Tensor& x) override { return double_conv(x); }
    nn::Sequential double_conv;
  };
  /// A pooling to half the size and a DoubleConv.
  class MINIMA_API Down : public nn::Module {
   public:
    Down(std::int64_t in, std::int64_t out);
    Tensor forward(const Tensor& x) override { return maxpool_conv(x); }
    nn::Sequential maxpool_conv;
  };
  /// Doubles the size of x, then a DoubleConv of `skip` and that.
  class MINIMA_API Up : public nn::ModuleOf<Up> {
   public:
    Up(std::int64_t in, std::int64_t out);
    Tensor forward(const Tensor& x, const Tensor& skip);
    nn::ConvTranspose2d up;
    DoubleConv conv;
  };
  /// A 1 × 1 convolution.
  class MINIMA_API OutConv : public nn::Module {
   public:
    OutConv(std::int64_t in, std::int64_t out);
    Tensor forward(const Tensor& x) override { return conv(x); }
    nn::Conv2d conv;
  };

  /// Throws ValueError for sizes below 1.
  explicit UNet(const UNetOptions& options = {});
  Tensor forward(const Tensor& x) override;

  UNetOptions options;
  DoubleConv inc;
  Down down1, down2, down3, down4;
  Up up1, up2, up3, up4;
  OutConv outc;
};

}  // namespace minima::models
