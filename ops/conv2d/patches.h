#pragma once

#include <minima/ops/conv2d/geometry.h>

namespace minima::detail {

/// The output rows [first, last) of one image, counted through its depth.
struct RowRange {
  std::int64_t first, last;
};

/// im2col: what the kernel sees of one image and group at every output position of some rows, so that the convolution
/// becomes a matrix product. `image` points at the group's first channel. With channels_last, one line per position,
/// [kD, kH, kW, C]; else one line per term, [C, kD, kH, kW] lines of all positions. Zeros outside the image.
template <class T>
void gather_patches(const ConvGeometry& geometry, bool channels_last, const T* image, RowRange rows, T* patches);
/// The reverse (col2im): adds every patch to the pixels it came from.
template <class T>
void scatter_patches(const ConvGeometry& geometry, bool channels_last, T* image, RowRange rows, const T* patches);

}  // namespace minima::detail
