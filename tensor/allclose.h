#pragma once

#include <minima/tensor/tensor.h>

#include <string>

namespace minima {

/// a is close to b if |a - b| ≤ atol + rtol · |b|. The defaults for a dtype are PyTorch's.
struct Tolerance {
  double rtol;
  double atol;
  static Tolerance of(DType dtype);
};

/// The result of a comparison. If it failed, the message says where and by how much the tensors differ.
struct Closeness {
  bool ok = true;
  std::string message;
  explicit operator bool() const { return ok; }
};

/// Compares shapes and dtypes, then element by element. NaN equals NaN, and infinities must have the same sign. The
/// message counts the mismatches and gives the largest absolute and relative difference with their indices.
MINIMA_API Closeness allclose(const Tensor& a, const Tensor& b, Tolerance tolerance);
/// Uses the default tolerance of b's dtype.
MINIMA_API Closeness allclose(const Tensor& a, const Tensor& b);
/// Same shape, dtype and bits, so a NaN equals only the same NaN.
MINIMA_API bool identical(const Tensor& a, const Tensor& b);

}  // namespace minima
