#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// Where values belong in sorted vectors: the first place i with sorted[…, i] >= value, or > value with `right`; the
/// size of the last dimension where there is none. `sorted` is a vector for all values, or [d1, …, S] for values [d1,
/// …, K]; NaN sorts last. int64 of the shape of the values, without gradient. One dtype.
///   searchsorted(cumsum(probabilities, -1), rand({1}))   // draws by probability
MINIMA_API Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false);

}  // namespace minima
