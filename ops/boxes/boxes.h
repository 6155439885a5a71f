#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Boxes of object detection, with torchvision.ops's definitions: a row (x1, y1, x2, y2) each, x1 ≤ x2, y1 ≤ y2.
// minima.h does not include this header. How much they overlap: overlap.h.

namespace minima {

/// (x2 - x1)·(y2 - y1) of boxes [..., 4]: [...]. Differentiable to any order.
MINIMA_API Tensor box_area(const Tensor& boxes);

/// How four numbers are a box: two corners, a corner and the size, or the centre and the size.
enum class BoxFormat : std::uint8_t { xyxy, xywh, cxcywh };
/// Boxes [..., 4] in another format. Differentiable to any order.
MINIMA_API Tensor box_convert(const Tensor& boxes, BoxFormat from, BoxFormat to);

/// Boxes [..., 4] with their corners moved into an image of `size` rows and columns. Differentiable to any order.
MINIMA_API Tensor clip_boxes_to_image(const Tensor& boxes, Pair size);

/// The numbers of those boxes [N, 4] that are at least `min_size` wide and high: int64 [K]. Without gradient. Waits for
/// the stream, as nonzero does.
MINIMA_API Tensor remove_small_boxes(const Tensor& boxes, double min_size);

/// The smallest box around the elements of each mask [N, H, W] that are not 0: float32 [N, 4], x2 and y2 being the last
/// column and row. (0, 0, 0, 0) for a mask without any. Any dtype; without gradient.
MINIMA_API Tensor masks_to_boxes(const Tensor& masks);

/// Non-maximum suppression: which boxes [N, 4] to keep, int64 [K], by descending score [N]. Goes through the boxes by
/// score and keeps one if its box_iou (overlap.h) with each kept before is at most `iou_threshold`; of equal scores the
/// first comes first. Any floating dtypes; half types compute in float32. Without gradient. Runs on the CPU: boxes on a
/// GPU are copied, which waits for the stream.
///   Tensor kept = nms(boxes, scores, 0.5);
MINIMA_API Tensor nms(const Tensor& boxes, const Tensor& scores, double iou_threshold);

/// nms within each class, int64 [N]: boxes of different classes never suppress each other.
MINIMA_API Tensor batched_nms(const Tensor& boxes, const Tensor& scores, const Tensor& classes, double iou_threshold);

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

}  // namespace minima
