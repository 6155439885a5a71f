#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn::detail {

/// Elements `begin` to `begin + count` of x in row-major order, as a vector. Touches hardly more of x than that: a part
/// of a mapped file is read, and of a transposed matrix the rows that hold the elements are copied. Internal.
MINIMA_API Tensor elements_of(const Tensor& x, std::int64_t begin, std::int64_t count);

}  // namespace minima::nn::detail
