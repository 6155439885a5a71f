#include <minima/ops/convolution/fold.h>
#include <minima/ops/image/grid_sample.h>
#include <minima/ops/image/pixel_shuffle.h>
#include <minima/ops/view/pad.h>
#include <torch/nn/functional/fold.h>
#include <torch/nn/functional/padding.h>
#include <torch/nn/functional/pixelshuffle.h>
#include <torch/nn/functional/vision.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "support.h"

// Functions of images: folding, padding, shuffling of pixels, sampling at a grid.

namespace torch::nn::functional {

namespace {

std::string in_parentheses(const ExpandingArray<2>& sizes) {
  return c10::str("(", (*sizes)[0], ", ", (*sizes)[1], ")");
}

void check_blocks(const Tensor& input, const UnfoldFuncOptions& options) {
  const ExpandingArray<2> image(input.sizes().slice(2));
  ExpandingArray<2> blocks(0);
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t reach = (*options.dilation())[d] * ((*options.kernel_size())[d] - 1) + 1;
    const std::int64_t room = (*image)[d] + 2 * (*options.padding())[d] - reach;
    (*blocks)[d] = room < 0 ? 0 : room / (*options.stride())[d] + 1;
  }
  TORCH_CHECK((*blocks)[0] > 0 && (*blocks)[1] > 0, "Given input with spatial size ", in_parentheses(image),
              ", kernel_size=", in_parentheses(options.kernel_size()),
              ", dilation=", in_parentheses(options.dilation()), ", padding=", in_parentheses(options.padding()),
              ", calculated shape of the array of sliding blocks as ", in_parentheses(blocks),
              ", but its components must be at least one.");
}

}

Tensor fold(const Tensor& input, const FoldFuncOptions& options) {
  TORCH_CHECK(input.dim() == 2 || input.dim() == 3,
              "Input Error: Only unbatched (2D) or batched (3D) input Tensors are supported (got ", input.dim(), "D)");
  return minima::fold(input, attribute(options.output_size()),
                      {.kernel = attribute(options.kernel_size()),
                       .dilation = attribute(options.dilation()),
                       .padding = attribute(options.padding()),
                       .stride = attribute(options.stride())});
}

Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options) {
  TORCH_CHECK(input.dim() == 4, "Input Error: Only 4D input Tensors are supported (got ", input.dim(), "D)");
  check_blocks(input, options);
  return minima::unfold(input, {.kernel = attribute(options.kernel_size()),
                                .dilation = attribute(options.dilation()),
                                .padding = attribute(options.padding()),
                                .stride = attribute(options.stride())});
}

Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  // The alternatives of the option's variant are in the order of minima's enumerators.
  return minima::pad(input, shape_of(options.pad()), static_cast<minima::PadMode>(options.mode().index()),
                     options.value());
}

Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options) {
  return minima::pixel_shuffle(input, options.upscale_factor());
}

Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options) {
  return minima::pixel_unshuffle(input, options.downscale_factor());
}

Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners) {
  const minima::Tensor& maps = theta;
  TORCH_CHECK(minima::is_floating(maps.dtype()), "Expected theta to have floating point type, but got ", theta.dtype());
  TORCH_CHECK(size.size() == 4 || size.size() == 5,
              "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size ",
              size);
  const auto dims = static_cast<std::int64_t>(size.size()) - 2;
  TORCH_CHECK(maps.rank() == 3 && maps.size(1) == dims && maps.size(2) == dims + 1, "Expected a batch of ", dims,
              "D affine matrices of shape Nx", dims, "x", dims + 1, " for size ", size, ". Got ", theta.sizes(), ".");
  TORCH_CHECK(*std::min_element(size.begin(), size.end()) > 0, "Expected non-zero, positive output size. Got ", size);
  return minima::affine_grid(maps, shape_of(size), align_corners);
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleFuncOptions& options) {
  if (!options.align_corners())
    TORCH_WARN(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.");
  // As in pad.
  return minima::grid_sample(input, grid,
                             {.mode = static_cast<minima::GridSampleMode>(options.mode().index()),
                              .padding = static_cast<minima::GridPadding>(options.padding_mode().index()),
                              .align_corners = options.align_corners().value_or(false)});
}

}
