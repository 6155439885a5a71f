#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

// cov and diff with all of PyTorch's arguments. Included on its own, not by minima.h.

namespace minima {

struct CovOptions {
  double correction = 1;
  Tensor fweights = {};  ///< [N], integers: how often each observation counts; undefined means once
  Tensor aweights = {};  ///< [N], floating: how much it counts
};
/// cov of weighted observations, w = fweights·aweights: Σ w (x - m)(x - m)ᵀ / (Σw - correction·Σ(w·aweights) / Σw) with
/// m = Σwx / Σw; without aweights the divisor is Σw - correction. Throws ShapeError, DTypeError or, on the CPU,
/// ValueError for weights that do not fit.
MINIMA_API Tensor cov(const Tensor& x, const CovOptions& options);

struct DiffOptions {
  std::int64_t times = 1;
  std::int64_t dim = -1;
  Tensor prepend = {};  ///< of x's rank, put before x along the dimension; undefined means nothing
  Tensor append = {};   ///< likewise after x
};
/// diff of x with elements before and after it. x itself if `times` is 0.
MINIMA_API Tensor diff(const Tensor& x, const DiffOptions& options);

}  // namespace minima
