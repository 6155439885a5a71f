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
  Shape size{};                 ///< of the spatial dimensions; else
  std::vector<double> scale{};  ///< a factor for each of them, or one for all
  InterpolateMode mode = InterpolateMode::nearest;
  bool align_corners = false;  ///< the first and last elements stay where they are (linear and cubic)
};

/// x [N, C, d1, …] in another size. Differentiable to any order; the gradient of each element adds up in a fixed order.
/// Half types add up in float32. Images lie in memory as x does.
///   Tensor y = interpolate(x, {.scale = {2}, .mode = InterpolateMode::linear});
MINIMA_API Tensor interpolate(const Tensor& x, const InterpolateOptions& options);

}  // namespace minima
