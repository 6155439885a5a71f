#include <minima/models/vision/unet.h>

#include <minima/models/check_size.h>
#include <minima/models/vision/blocks.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/conv_transpose.h>
#include <minima/nn/layers/pooling.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/pad.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::models {

namespace {

const UNetOptions& checked(const UNetOptions& options) {
  detail::check_sizes("UNet", {{"in", options.in}, {"classes", options.classes}, {"width", options.width}});
  return options;
}

}  // namespace

UNet::DoubleConv::DoubleConv(std::int64_t in, std::int64_t out)
    : double_conv(child("double_conv",
                        nn::Sequential(detail::conv(in, out, 3), nn::BatchNorm2d({.features = out}), nn::ReLU(),
                                       detail::conv(out, out, 3), nn::BatchNorm2d({.features = out}), nn::ReLU()))) {}

UNet::Down::Down(std::int64_t in, std::int64_t out)
    : maxpool_conv(child("maxpool_conv", nn::Sequential(nn::MaxPool2d({.kernel = 2}), DoubleConv(in, out)))) {}

UNet::Up::Up(std::int64_t in, std::int64_t out)
    : up(child("up", nn::ConvTranspose2d({.in = in, .out = in / 2, .kernel = 2, .stride = 2}))),
      conv(child("conv", DoubleConv(in, out))) {}

Tensor UNet::Up::forward(const Tensor& x, const Tensor& skip) {
  const Tensor y = up(x);
  const std::int64_t rows = skip.size(2) - y.size(2), columns = skip.size(3) - y.size(3);  // 1 where a size was odd
  return conv(cat({skip, pad(y, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2})}, 1));
}

UNet::OutConv::OutConv(std::int64_t in, std::int64_t out)
    : conv(child("conv", nn::Conv2d({.in = in, .out = out, .kernel = 1}))) {}

UNet::UNet(const UNetOptions& given)
    : options(checked(given)),
      inc(child("inc", DoubleConv(options.in, options.width))),
      down1(child("down1", Down(options.width, 2 * options.width))),
      down2(child("down2", Down(2 * options.width, 4 * options.width))),
      down3(child("down3", Down(4 * options.width, 8 * options.width))),
      down4(child("down4", Down(8 * options.width, 16 * options.width))),
      up1(child("up1", Up(16 * options.width, 8 * options.width))),
      up2(child("up2", Up(8 * options.width, 4 * options.width))),
      up3(child("up3", Up(4 * options.width, 2 * options.width))),
      up4(child("up4", Up(2 * options.width, options.width))),
      outc(child("outc", OutConv(options.width, options.classes))) {}

Tensor UNet::forward(const Tensor& x) {
  const Tensor x1 = inc(x);
  const Tensor x2 = down1(x1);
  const Tensor x3 = down2(x2);
  const Tensor x4 = down3(x3);
  return outc(up4(up3(up2(up1(down4(x4), x4), x3), x2), x1));
}

}  // namespace minima::models
