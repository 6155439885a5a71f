#pragma once

#include <minima/tensor/layout/layout.h>

// Shapes and layouts of what reductions return, for the operators of this family. Internal.

namespace minima {

/// x's shape after a reduction over `dims` (sorted, wrapped): those sizes become 1 or are removed.
MINIMA_API Shape reduced_shape(const Shape& shape, const Shape& dims, bool keep_dim);

/// The number of elements that such a reduction combines into one.
std::int64_t reduced_count(const Shape& shape, const Shape& dims);

/// A reduction's output layout with the reduced dimensions as size 1, whether the output kept them or not, as
/// ops/loops/lines/reduce_loop.h needs it.
MINIMA_API Layout with_reduced_dims(const Layout& output, const Shape& input_shape, const Shape& dims);

}  // namespace minima
