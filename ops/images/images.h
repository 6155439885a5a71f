#pragma once

#include <minima/tensor/tensor.h>

// The two memory orders of images [N, C, H, W] that operators compute in. Internal.

namespace minima::detail {

/// Memory is in NHWC order, and not also row-major as it is with one channel or one pixel.
bool wants_channels_last(const Layout& layout);
/// Dense, NHWC or row-major.
Layout image_layout(const Shape& shape, bool channels_last);

}  // namespace minima::detail
