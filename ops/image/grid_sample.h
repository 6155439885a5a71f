#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

enum class GridSampleMode : std::uint8_t {
  bilinear,  ///< between the two neighbours along each dimension; trilinear for volumes
  nearest,   ///< the nearest element, the even one of two
  bicubic,   ///< through four neighbours along each dimension (Keys 1981, a = -0.75); images only
};
enum class GridPadding : std::uint8_t {
  zeros,       ///< zeros outside of x
  border,      ///< the nearest element of x
  reflection,  ///< mirrored at the borders, as often as needed
};

struct GridSampleOptions {
  GridSampleMode mode = GridSampleMode::bilinear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;  ///< -1 and 1 are the centres of the first and last elements, not their outer edges
};

/// x at the places that `grid` names (Jaderberg et al. 2015): x [N, C, H, W] and grid [N, H', W', 2] → [N, C, H', W'],
/// or x [N, C, D, H, W] and grid [N, D', H', W', 3] → [N, C, D', H', W']. The last dimension of the grid holds (x, y)
/// or (x, y, z), width first, from -1 to 1. One floating dtype; half types compute in float32. Differentiable with
/// respect to x and grid, to any order, with a fixed summation order.
///   Tensor y = grid_sample(images, affine_grid(theta, images.shape()));
MINIMA_API Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridSampleOptions& options = {});

/// The places of affine maps, for grid_sample: theta [N, 2, 3] and size {N, C, H, W} → [N, H, W, 2], or theta [N, 3, 4]
/// and size {N, C, D, H, W} → [N, D, H, W, 3]: theta · (x, y, 1)ᵀ at the centre (x, y) of each element, where the
/// images reach from -1 to 1, to the centres of their corners if align_corners. Floating dtypes; half types compute in
/// float32. Differentiable to any order.
MINIMA_API Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners = false);

}  // namespace minima
