#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

// How much boxes overlap, and losses of it, with torchvision.ops's definitions. Boxes are as in boxes.h, of one
// floating dtype; half types compute in float32. Everything is differentiable to any order.

namespace minima {

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
