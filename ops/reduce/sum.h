#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// The sum over `dims` (default: all); `keep_dim` keeps them with size 1. Integers and bool are summed in int64, half
/// types in float32.
MINIMA_API Tensor sum(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The mean over `dims` (default: all). Floating dtypes only.
MINIMA_API Tensor mean(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The sum over `dims` (default: all) with NaN as 0.
MINIMA_API Tensor nansum(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// The mean of the elements that are not NaN, over `dims` (default: all); NaN if there are none. Floating tensors only.
MINIMA_API Tensor nanmean(const Tensor& x, const Shape& dims = {}, bool keep_dim = false);
/// Sums over leading and size-1 dimensions until x has `shape`, the reverse of broadcasting. Integers and bool
/// become int64.
MINIMA_API Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace minima
