#pragma once

#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

// Batches of images [N, C, H, W] as operators take them: the two memory orders that they compute in, and single samples
// in place of a batch. Internal.

namespace minima::detail {

/// Whether memory is in NHWC order and not also row-major, as with one channel or one pixel.
inline bool wants_channels_last(const Layout& layout) { return layout.is_channels_last() && !layout.is_contiguous(); }
/// A dense layout, NHWC or row-major.
inline Layout image_layout(const Shape& shape, bool channels_last) {
  return channels_last ? Layout::channels_last(shape) : Layout::contiguous(shape);
}

inline Tensor without_batch(const Tensor& y) { return squeeze(y, 0); }
inline ValuesAndIndices without_batch(const ValuesAndIndices& y) {
  return {squeeze(y.values, 0), squeeze(y.indices, 0)};
}

/// Calls f(x) with a batch x of `rank` dimensions. An x of one dimension less is a single sample: it becomes a batch of
/// one, and the result loses that dimension again. Errors then add the caller's shape.
template <class F>
auto with_batch(const Tensor& x, int rank, const F& f) {
  if (!x.defined() || x.rank() != rank - 1) return f(x);
  try {
    return without_batch(f(unsqueeze(x, 0)));
  } catch (Error& error) {
    error.add_note(str("x is ", x, ", a single sample, treated as a batch of one"));
    throw;
  }
}

}  // namespace minima::detail
