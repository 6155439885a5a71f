#include <torch/nn/functional/fold.h>
#include <torch/nn/functional/pixelshuffle.h>
#include <torch/nn/functional/upsampling.h>
#include <torch/nn/modules/fold.h>
#include <torch/nn/modules/pixelshuffle.h>
#include <torch/nn/modules/upsampling.h>

#include <variant>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

Tensor FoldImpl::forward(const Tensor& input) { return F::fold(input, options); }
void FoldImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "Fold")("output_size", options.output_size())("kernel_size", options.kernel_size())(
      "dilation", options.dilation())("padding", options.padding())("stride", options.stride());
}

Tensor UnfoldImpl::forward(const Tensor& input) { return F::unfold(input, options); }
void UnfoldImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "Unfold")("kernel_size", options.kernel_size())("dilation", options.dilation())(
      "padding", options.padding())("stride", options.stride());
}

Tensor PixelShuffleImpl::forward(const Tensor& input) { return F::pixel_shuffle(input, options); }
void PixelShuffleImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "PixelShuffle")("upscale_factor", options.upscale_factor());
}

Tensor PixelUnshuffleImpl::forward(const Tensor& input) { return F::pixel_unshuffle(input, options); }
void PixelUnshuffleImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "PixelUnshuffle")("downscale_factor", options.downscale_factor());
}

Tensor UpsampleImpl::forward(const Tensor& input) {
  const auto mode = std::visit([](auto tag) { return F::InterpolateFuncOptions::mode_t(tag); }, options.mode());
  return F::interpolate(input, F::InterpolateFuncOptions()
                                   .size(options.size())
                                   .scale_factor(options.scale_factor())
                                   .mode(mode)
                                   .align_corners(options.align_corners()));
}
void UpsampleImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter print(stream, "Upsample");
  if (options.scale_factor()) print("scale_factor", ArrayRef<double>(*options.scale_factor()));
  else if (options.size()) print("size", *options.size());
  print("mode", enumtype::get_enum_name(options.mode()));
}

}  // namespace torch::nn
