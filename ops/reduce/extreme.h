#pragma once

#include <minima/tensor/tensor.h>

// Largest and smallest elements, of all dtypes. One NaN makes the result NaN. Reducing a dimension of size 0 throws
// ShapeError.

namespace minima {

struct ValuesAndIndices {
  Tensor values;
  Tensor indices;  ///< int64, along the dimension; the first of equal ones
};

/// The largest element along one dimension and its index. Only that element gets the gradient.
MINIMA_API ValuesAndIndices max(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// The smallest, likewise.
MINIMA_API ValuesAndIndices min(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// The largest (smallest) element. Equal ones share the gradient evenly.
MINIMA_API Tensor max(const Tensor& x);
MINIMA_API Tensor min(const Tensor& x);
/// The largest element over several dimensions (default: all). Equal ones share the gradient evenly.
MINIMA_API Tensor amax(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The smallest, likewise.
MINIMA_API Tensor amin(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
struct Extremes {
  Tensor min;
  Tensor max;
};
/// amin and amax over `dims` (default: all).
MINIMA_API Extremes aminmax(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The index (int64) of the largest element, the first of equal ones: along one dimension, or in row-major order of
/// all. No gradient.
MINIMA_API Tensor argmax(const Tensor& x, std::int64_t dim, bool keep_dim = false);
/// The index of the smallest, likewise.
MINIMA_API Tensor argmin(const Tensor& x, std::int64_t dim, bool keep_dim = false);
MINIMA_API Tensor argmax(const Tensor& x);
MINIMA_API Tensor argmin(const Tensor& x);

}  // namespace minima
