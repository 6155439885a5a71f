#pragma once

#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/tensor.h>

namespace minima {

/// y[i] = x[0] + … + x[i] along one dimension. Integers and bool give int64. Differentiable to any order.
MINIMA_API Tensor cumsum(const Tensor& x, std::int64_t dim);
/// y[i] = x[0] · … · x[i] along one dimension. Integers and bool give int64. Gradients of any order are exact, even
/// where elements are 0.
MINIMA_API Tensor cumprod(const Tensor& x, std::int64_t dim);
/// log(exp(x[0]) + … + exp(x[i])) along one dimension, without overflow. Floating tensors only; half types compute in
/// float32. Differentiable to any order. On CUDA in log₂ n steps.
MINIMA_API Tensor logcumsumexp(const Tensor& x, std::int64_t dim);
/// The largest element so far and its index (int64) along one dimension; of equal ones the last. NaN is the largest and
/// stays. Gradients of any order go to the elements chosen.
MINIMA_API ValuesAndIndices cummax(const Tensor& x, std::int64_t dim);
/// The smallest, likewise; NaN is the smallest.
MINIMA_API ValuesAndIndices cummin(const Tensor& x, std::int64_t dim);
/// The product over the given dimensions (all if none are given); 1 if empty. Integers and bool give int64. Multiplies
/// halves recursively, so gradients of any order are exact even where elements are 0.
MINIMA_API Tensor prod(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);

}  // namespace minima
