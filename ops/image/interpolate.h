#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

enum class InterpolateMode : std::uint8_t {
  nearest,  ///< element ⌊i / scale⌋
  linear,   ///< between two neighbours along each dimension: linear, bilinear, trilinear
  cubic,    ///< Catmull-Rom-like through four (Keys 1981, a = -0.75)
};

struct InterpolateOptions {
  Shape size{};                 ///< of the spatial dimensions; or give `scale`
  std::vector<double> scale{};  ///< a factor for each spatial dimension, or one for all
  InterpolateMode mode = InterpolateMode::nearest;
  bool align_corners = false;  ///< keeps the first and last elements in place (linear and cubic)
  /// Widens the filter when it shrinks an image, as Pillow does (linear and cubic, the latter with a = -0.5).
  bool antialias = false;
};

/// Resizes x [N, C, d1, …]. Differentiable to any order, with a fixed summation order in the gradient. Half types
/// accumulate in float32. Keeps x's memory order.
///   Tensor y = interpolate(x, {.scale = {2}, .mode = InterpolateMode::linear});
MINIMA_API Tensor interpolate(const Tensor& x, const InterpolateOptions& options);

}  // namespace minima
