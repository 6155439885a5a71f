#pragma once

#include <minima/ops/place/place.h>
#include <minima/tensor/tensor.h>

// Writing into parts of a copy. Differentiable to any order. Included on its own, not by minima.h.

namespace minima {

/// A copy of x with all slices source[…, i, …] along `dim` for which index[i] is the same combined with that slice of
/// x, or without it unless `include_self`; the index is a vector.
MINIMA_API Tensor index_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                               ScatterMode mode, bool include_self = true);
/// A row-major copy of x in whose memory the elements of `layout`, which counts from its start, are the source's; they
/// must not overlap.
MINIMA_API Tensor as_strided_scatter(const Tensor& x, const Tensor& source, const Layout& layout);

}  // namespace minima
