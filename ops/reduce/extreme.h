#pragma once

#include <minima/tensor/tensor.h>

// Largest and smallest elements. NaN counts as larger, and as smaller, than everything: one NaN makes the result NaN.
// Of an empty dimension there is none: ShapeError. All dtypes.

namespace minima {

struct ValuesAndIndices {
  Tensor values;
  Tensor indices;  ///< int64, along the dimension; the first of equal ones
};

/// The largest along one dimension and where it is. The gradient goes to that element alone.
MINIMA_API ValuesAndIndices max(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// The smallest, likewise.
MINIMA_API ValuesAndIndices min(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// The largest (smallest) over all elements. The gradient is shared evenly by equal ones.
MINIMA_API Tensor max(const Tensor& x);
MINIMA_API Tensor min(const Tensor& x);
/// The largest over several dimensions (all if none are given). The gradient is shared evenly by equal ones.
MINIMA_API Tensor amax(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The smallest, likewise.
MINIMA_API Tensor amin(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// Where the largest is, the first of equal ones: along one dimension, or in row-major order of all. int64, without
/// gradient.
MINIMA_API Tensor argmax(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// Where the smallest is, likewise.
MINIMA_API Tensor argmin(const Tensor& x, std::int64_t dim, bool keep_dim = false);
MINIMA_API Tensor argmax(const Tensor& x);
MINIMA_API Tensor argmin(const Tensor& x);

}  // namespace minima
