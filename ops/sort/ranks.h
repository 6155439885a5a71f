#pragma once

#include <minima/ops/reduce/extreme.h>

namespace minima::detail {

/// The elements of ranks first … first + count - 1 of each line along `dim`, in order, without sorting the others.
/// Equal elements rank by position, NaN last. Internal.
ValuesAndIndices ranks(const Tensor& x, int dim, std::int64_t first, std::int64_t count);

}  // namespace minima::detail
