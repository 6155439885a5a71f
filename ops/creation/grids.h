#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>
#include <vector>

// The coordinates of grids, and the choices of elements of vectors. All dtypes; differentiable to any order.

namespace minima {

/// The coordinates of a grid: vectors [N₀], [N₁], … (or scalars) → views of shape [N₀, N₁, …], of which the i-th varies
/// along dimension i; `xy` swaps the first two dimensions.
MINIMA_API std::vector<Tensor> meshgrid(std::span<const Tensor> vectors, bool xy = false);
inline std::vector<Tensor> meshgrid(std::initializer_list<Tensor> vectors, bool xy = false) {
  return meshgrid(std::span(vectors.begin(), vectors.size()), xy);
}
/// All choices of one element of each vector, in lexicographic order of positions: [N₀·N₁·…, number of vectors]. A
/// single vector is returned unchanged.
MINIMA_API Tensor cartesian_prod(std::span<const Tensor> vectors);
/// All choices of `count` elements of a vector in the order of their positions: [number of choices, count].
MINIMA_API Tensor combinations(const Tensor& x, std::int64_t count = 2, bool with_replacement = false);

}  // namespace minima
