#pragma once

#include <minima/ops/copy/in_full.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

// The functions of boxes share these helpers. Internal to ops/boxes.

namespace minima::detail {

/// Throws unless boxes are floating [..., 4] or, for a `rank`, of that rank.
void check_boxes(const char* op, const Tensor& boxes, int rank = 0);

/// x1 and y1 [..., 2].
inline Tensor low_corner(const Tensor& boxes) { return narrow(boxes, -1, 0, 2); }
/// x2 and y2 [..., 2].
inline Tensor high_corner(const Tensor& boxes) { return narrow(boxes, -1, 2, 2); }
/// Width and height [..., 2].
inline Tensor sides(const Tensor& boxes) { return high_corner(boxes) - low_corner(boxes); }
/// The product of both numbers of [..., 2].
inline Tensor area_of(const Tensor& sides) { return select(sides, -1, 0) * select(sides, -1, 1); }

}  // namespace minima::detail
