#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// Differences along dimensions, and norms bounded along one. Differentiable to any order. Included on its own, not by
// minima.h.

namespace minima {

struct SlopeOptions {
  Shape dims{};                   ///< along which; all by default
  std::vector<double> spacing{};  ///< of the points along each of them, or one number for all, not 0; 1 by default
  int edge_order = 1;             ///< of the error at the ends, 1 or 2
};
/// The slopes of y along each dimension by central differences, one-sided at the ends; floating tensors with more than
/// edge_order elements along them.
///   Tensor dy = gradient(y, {.spacing = {0.1}})[0];
MINIMA_API std::vector<Tensor> gradient(const Tensor& y, const SlopeOptions& options = {});

/// x with every slice along `dim` whose p-norm exceeds `most` scaled down to it. Floating tensors.
MINIMA_API Tensor renorm(const Tensor& x, double p, std::int64_t dim, double most);

}  // namespace minima
