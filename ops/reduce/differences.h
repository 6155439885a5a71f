#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

// Differences, slopes and integrals along dimensions. Differentiable to any order.

namespace minima {

/// x[i + 1] - x[i] along a dimension, `times` times; for bool, whether they differ.
MINIMA_API Tensor diff(const Tensor& x, std::int64_t times = 1, std::int64_t dim = -1);
struct DiffOptions {
  std::int64_t times = 1;
  std::int64_t dim = -1;
  Tensor prepend = {};  ///< of x's rank, put before x along the dimension; undefined means nothing
  Tensor append = {};   ///< likewise after x
};
/// diff of x with elements before and after it. x itself if `times` is 0.
MINIMA_API Tensor diff(const Tensor& x, const DiffOptions& options);

struct SlopeOptions {
  Shape dims{};                   ///< along which; all by default
  std::vector<double> spacing{};  ///< of the points along each of them, or one number for all, not 0; 1 by default
  int edge_order = 1;             ///< of the error at the ends, 1 or 2
};
/// The slopes of y along each dimension by central differences, one-sided at the ends; floating tensors with more than
/// edge_order elements along them.
///   Tensor dy = gradient(y, {.spacing = {0.1}})[0];
MINIMA_API std::vector<Tensor> gradient(const Tensor& y, const SlopeOptions& options = {});

/// The integral over a dimension by the trapezoidal rule, Σ (y[i] + y[i + 1]) / 2 · dx. Floating tensors only.
MINIMA_API Tensor trapezoid(const Tensor& y, double dx = 1, std::int64_t dim = -1);
/// The same for points at coordinates x, a vector or of a shape that broadcasts with y's.
MINIMA_API Tensor trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim = -1);
/// trapezoid up to each element from the second on.
MINIMA_API Tensor cumulative_trapezoid(const Tensor& y, double dx = 1, std::int64_t dim = -1);
MINIMA_API Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim = -1);

}  // namespace minima
