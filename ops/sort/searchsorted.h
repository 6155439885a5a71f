#pragma once

#include <minima/tensor/tensor.h>

// The places of values in sorted vectors.

namespace minima {

/// Insertion points in sorted vectors: the first i with sorted[…, i] >= value, or > value with `right`; the size of the
/// last dimension if there is none. `sorted` is one vector for all values, or [d1, …, S] for values [d1, …, K], of the
/// same dtype; NaN sorts last. Returns int64 of the values' shape, without gradient.
///   searchsorted(cumsum(probabilities, -1), rand({1}))   // draws by probability
MINIMA_API Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false);
/// The interval of each element between sorted boundaries [B]: the first i with x <= boundaries[i], or with
/// x < boundaries[i] if `right`; B if there is none. int64, without gradient.
MINIMA_API Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right = false);

}  // namespace minima
