#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// A rotation of pairs of columns. Views [..., T, pairs] of the operands: x and y hold the first of each pair, the
/// second being `x_partner` and `y_partner` elements after it.
struct Rotation {
  bool inverse;  ///< turns back: the sine counts as negative
  Tensor x, cos, sin, y;
  std::int64_t x_partner, y_partner;
};
void rotate_cpu(const Rotation& rotation);
void rotate_cuda(const Rotation& rotation);

}  // namespace minima::detail
