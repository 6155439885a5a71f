#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// Counts of elements by value. On a GPU, counting reads a number back.

namespace minima {

/// How often 0, 1, … occur in an int64 vector, at least `min_length` of them: int64, without gradient. On a GPU, reads
/// the largest element back.
MINIMA_API Tensor bincount(const Tensor& x, std::int64_t min_length = 0);
/// The sums of the weights of 0, 1, … in the weights' dtype, any but bool: integers are summed exactly, where PyTorch's
/// result is float64. weights [N].
MINIMA_API Tensor bincount(const Tensor& x, const Tensor& weights, std::int64_t min_length = 0);
/// How many elements fall into each of `bins` equal intervals of [low, high], in x's floating dtype, without gradient;
/// others and NaN are not counted. If low = high, the extremes of x are the limits.
MINIMA_API Tensor histc(const Tensor& x, std::int64_t bins = 100, double low = 0, double high = 0);

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
/// How much of a float32 or float64 tensor falls into each of `bins` equal intervals, without gradient. Intervals hold
/// their lower edge, the last one both; what is outside, and NaN, does not count.
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
/// How many of the points x [N, D], float32 or float64, fall into each cell of a grid, without gradient.
MINIMA_API Histogramdd histogramdd(const Tensor& x, const std::vector<std::int64_t>& bins,
                                   const HistogramddOptions& options = {});

}  // namespace minima
