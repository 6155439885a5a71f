#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// y[i] = x[0] + … + x[i] along one dimension. Integers and bool give int64. Differentiable to any order.
MINIMA_API Tensor cumsum(const Tensor& x, std::int64_t dim);
/// y[i] = x[0] · … · x[i] along one dimension. Integers and bool give int64. Gradients of any order are exact, even
/// where elements are 0.
MINIMA_API Tensor cumprod(const Tensor& x, std::int64_t dim);
/// The product over the given dimensions (all if none are given); 1 if empty. Integers and bool give int64. Multiplies
/// halves recursively, so gradients of any order are exact even where elements are 0.
MINIMA_API Tensor prod(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);

}  // namespace minima
