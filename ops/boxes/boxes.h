#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Boxes of object detection, with torchvision.ops's definitions: a row (x1, y1, x2, y2) each, x1 ≤ x2, y1 ≤ y2.
// minima.h does not include this header.

namespace minima {

/// Intersection over union of all pairs of boxes: a [N, 4] and b [M, 4] of one floating dtype → [N, M]. Half types
/// compute in float32. Differentiable to any order.
MINIMA_API Tensor box_iou(const Tensor& a, const Tensor& b);

/// Non-maximum suppression: which boxes [N, 4] to keep, int64 [K], by descending score [N]. Goes through the boxes by
/// score and keeps one if its box_iou with each kept before is at most `iou_threshold`; of equal scores the first comes
/// first. Any floating dtypes; half types compute in float32. Without gradient. Runs on the CPU: boxes on a GPU are
/// copied, which waits for the stream.
///   Tensor kept = nms(boxes, scores, 0.5);
MINIMA_API Tensor nms(const Tensor& boxes, const Tensor& scores, double iou_threshold);

struct RoiAlignOptions {
  Pair size = 1;                     ///< rows and columns of the result, from 1 to 65536
  double spatial_scale = 1;          ///< x's size divided by that of the images in which the boxes are
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

}  // namespace minima
