#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Regions of feature maps, with torchvision.ops's definitions: x [N, C, H, W], boxes [K, 5].
// One floating dtype; half types compute in float32. Differentiable to any order with respect to x; boxes are
// constants, and are read on the CPU, which waits for the stream. minima.h does not include this header.

namespace minima {

struct RoiAlignOptions {
  Pair size = 1;                     ///< rows and columns of the result, from 1 to 65536
  double spatial_scale = 1;          ///< positive: x's size divided by that of the images in which the boxes are
  std::int64_t sampling_ratio = -1;  ///< samples per cell and dimension; below 1, one per element of x in the cell
  bool aligned = false;              ///< subtracts half an element, since an element's centre is at half its size
};

/// Parts of feature maps, resampled to one size (He et al. 2017, "Mask R-CNN"): x [N, C, H, W] and boxes [K, 5], each
/// the number of an image and a box in it → [K, C, height, width]. Each cell of the result is the mean of bilinear
/// samples of x. One floating dtype; half types compute in float32. Differentiable to any order with respect to x, with
/// a fixed summation order; boxes are constants, and are read on the CPU. Throws IndexError for an image that x does
/// not have, and ValueError for a box that is not finite.
///   Tensor parts = roi_align(features, boxes, {.size = 7, .spatial_scale = 1.0 / 16, .aligned = true});
MINIMA_API Tensor roi_align(const Tensor& x, const Tensor& boxes, const RoiAlignOptions& options = {});

struct RoiPoolOptions {
  Pair size = 1;             ///< rows and columns of the result, from 1 to 65536
  double spatial_scale = 1;  ///< positive: x's size divided by that of the images in which the boxes are
};
/// The maxima of a grid of cells in each box, whose corners are rounded to whole elements (Girshick 2015, "Fast
/// R-CNN"): [K, C, height, width]; 0 for an empty cell.
MINIMA_API Tensor roi_pool(const Tensor& x, const Tensor& boxes, const RoiPoolOptions& options = {});
/// Means instead, each cell of channels of its own (Dai et al. 2016, "R-FCN"): [K, C / (height · width), height,
/// width], of which cell (i, j) of channel c reads channel (c · height + i) · width + j. As in torchvision, the last
/// row and column of x are never read.
MINIMA_API Tensor ps_roi_pool(const Tensor& x, const Tensor& boxes, const RoiPoolOptions& options = {});

struct PsRoiAlignOptions {
  Pair size = 1;                     ///< rows and columns of the result, from 1 to 65536
  double spatial_scale = 1;          ///< x's size divided by that of the images in which the boxes are
  std::int64_t sampling_ratio = -1;  ///< as in roi_align
};
/// ps_roi_pool with roi_align's samples, `aligned`.
MINIMA_API Tensor ps_roi_align(const Tensor& x, const Tensor& boxes, const PsRoiAlignOptions& options = {});

}  // namespace minima
