#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// Histograms, in float32 or float64, without gradients. Intervals hold their lower edge, the last one both; what is
// outside, and NaN, does not count. On a GPU, counting reads a number back. Included on its own, not by minima.h.

namespace minima {

struct HistogramOptions {
  /// The outermost edges. Without it, x's extremes, or 0 and 1 if x is empty. Equal ones are moved apart by ±0.5.
  std::optional<std::pair<double, double>> range{};
  Tensor weight = {};    ///< of each element, in x's shape and dtype
  bool density = false;  ///< divides by the sum and the width, so that the integral is 1
};
struct Histogram {
  Tensor counts;  ///< [B], of x's dtype
  Tensor edges;   ///< [B + 1]
};
/// How much falls into each of `bins` equal intervals.
MINIMA_API Histogram histogram(const Tensor& x, std::int64_t bins, const HistogramOptions& options = {});
/// The same for intervals between ascending edges [B + 1]; `range` is not used.
MINIMA_API Histogram histogram(const Tensor& x, const Tensor& edges, const HistogramOptions& options = {});

struct HistogramddOptions {
  std::vector<std::pair<double, double>> ranges{};  ///< for each dimension, or none
  Tensor weight = {};                               ///< [N]
  bool density = false;
};
struct Histogramdd {
  Tensor counts;  ///< [B₁, …, B_D]
  std::vector<Tensor> edges;
};
/// How many of the points x [N, D] fall into each cell of a grid.
MINIMA_API Histogramdd histogramdd(const Tensor& x, const std::vector<std::int64_t>& bins,
                                   const HistogramddOptions& options = {});

}  // namespace minima
