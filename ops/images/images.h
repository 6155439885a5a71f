#pragma once

#include <minima/tensor/tensor.h>

// The two memory orders of images [N, C, H, W] that operators compute in. Internal.

namespace minima::detail {

/// Whether memory is in NHWC order and not also row-major, as with one channel or one pixel.
bool wants_channels_last(const Layout& layout);
/// A dense layout, NHWC or row-major.
Layout image_layout(const Shape& shape, bool channels_last);

}  // namespace minima::detail
