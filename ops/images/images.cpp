#include <minima/ops/images/images.h>

#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>

namespace minima::detail {

bool wants_channels_last(const Layout& layout) { return layout.is_channels_last() && !layout.is_contiguous(); }

Layout image_layout(const Shape& shape, bool channels_last) {
  return channels_last ? Layout::channels_last(shape) : Layout::contiguous(shape);
}

}  // namespace minima::detail
