#pragma once

#include <minima/tensor/tensor.h>

// Parts of a tensor along a dimension, as views, and copies of a tensor with such a part replaced. Differentiable to
// any order; negative dimensions count from the end.

namespace minima {

/// Elements start, start + step, … before stop along one dimension; negative bounds count from the end, both are
/// clamped.
MINIMA_API Tensor slice(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t stop = INT64_MAX,
                        std::int64_t step = 1);
/// `length` elements along one dimension from `start` on; throws IndexError if they are out of range.
MINIMA_API Tensor narrow(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t length);
/// One index of a dimension, which is removed.
MINIMA_API Tensor select(const Tensor& x, std::int64_t dim, std::int64_t index);
/// All slices of `size` elements along a dimension, `step` apart, as a view: the dimension becomes their number, and a
/// new last one has the elements. The overload for the patches of a convolution is in convolution/fold.h.
MINIMA_API Tensor unfold(const Tensor& x, std::int64_t dim, std::int64_t size, std::int64_t step);

/// A copy of x with select(x, dim, index) replaced by `source`.
MINIMA_API Tensor select_scatter(const Tensor& x, const Tensor& source, std::int64_t dim, std::int64_t index);
/// A copy of x with slice(x, dim, start, stop, step) replaced by `source`.
MINIMA_API Tensor slice_scatter(const Tensor& x, const Tensor& source, std::int64_t dim = 0, std::int64_t start = 0,
                                std::int64_t stop = INT64_MAX, std::int64_t step = 1);
/// A row-major copy of x in whose memory the elements of `layout`, which counts from its start, are the source's; they
/// must not overlap.
MINIMA_API Tensor as_strided_scatter(const Tensor& x, const Tensor& source, const Layout& layout);

}  // namespace minima
