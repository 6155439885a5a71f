#pragma once

#include <minima/tensor/layout.h>

namespace minima {

/// x's shape after a reduction over `dims` (sorted, wrapped): those sizes become 1, or go.
MINIMA_API Shape reduced_shape(const Shape& shape, const Shape& dims, bool keep_dim);

}  // namespace minima
