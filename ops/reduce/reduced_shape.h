#pragma once

#include <minima/tensor/layout/layout.h>

namespace minima {

/// x's shape after a reduction over `dims` (sorted, wrapped): those sizes become 1, or go.
MINIMA_API Shape reduced_shape(const Shape& shape, const Shape& dims, bool keep_dim);

/// A reduction's output layout with the reduced dimensions in it as size 1, whether the output kept them or not: what
/// ops/loops/lines/reduce_loop.h takes.
MINIMA_API Layout with_reduced_dims(const Layout& output, const Shape& input_shape, const Shape& dims);

}  // namespace minima
