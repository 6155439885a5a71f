#pragma once

#include <minima/ops/loops/loop_device.cuh>

namespace minima::detail {

inline constexpr unsigned tile = 32, tile_rows = 8;

/// to[z][x][y] = from[z][y][x] of elements that are `T` wide: tiles are read along x and written along y, so that both
/// sides move whole lines of memory. Steps are those between rows (of `from` along y, of `to` along x) and planes.
template <class T>
__global__ void __launch_bounds__(tile* tile_rows)
    transpose_kernel(const T* from, T* to, std::uint32_t width, std::uint32_t height, std::int64_t from_row,
                     std::int64_t to_row, std::int64_t from_plane, std::int64_t to_plane) {
  __shared__ T cells[tile][tile + 1];  // one more, so that columns lie in different banks
  const std::uint32_t x0 = blockIdx.x * tile, y0 = blockIdx.y * tile;
  from += blockIdx.z * from_plane;
  to += blockIdx.z * to_plane;
  for (unsigned r = threadIdx.y; r < tile; r += blockDim.y)
    if (x0 + threadIdx.x < width && y0 + r < height)
      cells[r][threadIdx.x] = from[(y0 + r) * from_row + x0 + threadIdx.x];
  __syncthreads();
  for (unsigned r = threadIdx.y; r < tile; r += blockDim.y)
    if (y0 + threadIdx.x < height && x0 + r < width) to[(x0 + r) * to_row + y0 + threadIdx.x] = cells[threadIdx.x][r];
}

/// to[i] += from[i], one element after the other: places that are named twice get both, in order. One thread.
template <class T>
__global__ void add_in_order_kernel(const T* from, T* to, const pointwise::Geometry g) {
  for (std::uint32_t i = 0; i < g.count; ++i) {
    const pointwise::Offsets<2> offsets(g, i);
    to[offsets.of[0]] = static_cast<T>(static_cast<cuda::Compute<T>>(to[offsets.of[0]]) +
                                       static_cast<cuda::Compute<T>>(from[offsets.of[1]]));
  }
}

}  // namespace minima::detail
