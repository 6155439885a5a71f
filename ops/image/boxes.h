#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Boxes of object detection, with torchvision.ops's definitions: a row (x1, y1, x2, y2) each, x1 ≤ x2, y1 ≤ y2.
// minima.h does not include this header.

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
/// score and keeps one if its box_iou with each kept before is at most `iou_threshold`; of equal scores the
/// first comes first. Any floating dtypes; half types compute in float32. Without gradient. Runs on the CPU: boxes on a
/// GPU are copied, which waits for the stream.
///   Tensor kept = nms(boxes, scores, 0.5);
MINIMA_API Tensor nms(const Tensor& boxes, const Tensor& scores, double iou_threshold);

/// nms within each class, int64 [N]: boxes of different classes never suppress each other.
MINIMA_API Tensor batched_nms(const Tensor& boxes, const Tensor& scores, const Tensor& classes, double iou_threshold);

// How much boxes of one floating dtype overlap, and losses of it. Half types compute in float32. Differentiable to any
// order.

/// Intersection over union of all pairs of boxes: a [N, 4] and b [M, 4] → [N, M].
MINIMA_API Tensor box_iou(const Tensor& a, const Tensor& b);
/// box_iou minus the share of the smallest box around both that neither covers, in (-1, 1] (Rezatofighi et al.,
/// arXiv:1902.09630).
MINIMA_API Tensor generalized_box_iou(const Tensor& a, const Tensor& b);
/// box_iou minus (distance of the centres)² / (diagonal of the smallest box around both)² (Zheng et al.,
/// arXiv:1911.08287). `eps` is added to the denominator.
MINIMA_API Tensor distance_box_iou(const Tensor& a, const Tensor& b, double eps = 1e-7);
/// distance_box_iou minus α·v, where v = 4/π²·(atan(w/h) of a - atan(w/h) of b)² and α = v / (1 - iou + v + eps), which
/// is a constant for the gradient.
MINIMA_API Tensor complete_box_iou(const Tensor& a, const Tensor& b, double eps = 1e-7);

struct BoxLossOptions {
  Reduction reduction = Reduction::none;
  double eps = 1e-7;  ///< added to denominators; at least 0
};
/// 1 - generalized_box_iou of a box and the one that it should be, a and b [..., 4] → [...] or, reduced, [].
MINIMA_API Tensor generalized_box_iou_loss(const Tensor& a, const Tensor& b, const BoxLossOptions& options = {});
/// 1 - distance_box_iou.
MINIMA_API Tensor distance_box_iou_loss(const Tensor& a, const Tensor& b, const BoxLossOptions& options = {});
/// 1 - complete_box_iou.
MINIMA_API Tensor complete_box_iou_loss(const Tensor& a, const Tensor& b, const BoxLossOptions& options = {});

}  // namespace minima
