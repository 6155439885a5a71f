#pragma once

#include <minima/tensor/tensor.h>

#include <string>

namespace minima {

/// |a - b| ≤ atol + rtol · |b| is close. The defaults for a dtype are PyTorch's.
struct Tolerance {
  double rtol;
  double atol;
  static Tolerance of(DType dtype);
};

/// Whether two tensors are close, and if not, how far apart and where.
struct Closeness {
  bool ok = true;
  std::string message;
  explicit operator bool() const { return ok; }
};

/// Compares element by element after checking shape and dtype; NaN equals NaN, infinities must be the same. The message
/// says how many elements differ, and the largest absolute and relative difference with their indices.
MINIMA_API Closeness allclose(const Tensor& a, const Tensor& b, Tolerance tolerance);
/// With the tolerance of b's dtype.
MINIMA_API Closeness allclose(const Tensor& a, const Tensor& b);
/// Same shape, dtype and bits; NaN equals the same NaN.
MINIMA_API bool identical(const Tensor& a, const Tensor& b);

}  // namespace minima
