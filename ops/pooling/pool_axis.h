#pragma once

#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <algorithm>

namespace minima::detail {

/// The windows along one dimension of an image.
struct PoolAxis {
  std::int64_t size, kernel, stride, padding, dilation, windows;

  /// The position of element k of window i; may be outside the image.
  std::int64_t source(std::int64_t i, std::int64_t k) const { return i * stride - padding + k * dilation; }
  bool is_inside(std::int64_t at) const { return at >= 0 && at < size; }
  /// The windows [first, last) whose element k is inside.
  std::int64_t first_inside(std::int64_t k) const {
    const std::int64_t start = source(0, k);
    return start >= 0 ? 0 : std::min((-start + stride - 1) / stride, windows);
  }
  std::int64_t last_inside(std::int64_t k) const {
    const std::int64_t start = source(0, k);
    return start >= size ? first_inside(k)
                         : std::max(first_inside(k), std::min((size - 1 - start) / stride + 1, windows));
  }
  /// The same windows without leading and trailing kernel elements that are inside for no window, so `kernel` is at
  /// most the size of the image.
  PoolAxis trimmed() const;
};

/// Bounds of part i of `parts` in adaptive pooling of `size` elements; parts overlap where the division is uneven.
std::int64_t part_start(std::int64_t i, std::int64_t parts, std::int64_t size);
std::int64_t part_stop(std::int64_t i, std::int64_t parts, std::int64_t size);

/// Counts the windows. Throws ValueError and ShapeError, prefixed with `op`, for invalid sizes.
PoolAxis pool_axis(const char* op, const Shape& x, int dim, std::int64_t kernel, std::int64_t stride,
                   std::int64_t padding, std::int64_t dilation, bool ceil_mode);

/// Throws unless x is a floating [N, C, L].
void check_sequence(const char* op, const Tensor& x);
/// The sequence as an image of height 1. Checks the sizes here, because errors of the 2-D pooling would show its own
/// shape.
Tensor as_image(const char* op, const Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                std::int64_t dilation);

}  // namespace minima::detail
