#pragma once

#include <minima/ops/loops/loop_device.cuh>

namespace minima::detail {

inline constexpr unsigned tile = 32, tile_rows = 8;

/// to[z][x][y] = from[z][y][x] for elements as wide as `T`. Tiles are read along x and written along y, so both sides
/// access whole cache lines. Steps are the strides of rows (of `from` along y, of `to` along x) and planes.
template <class T>
__global__ void __launch_bounds__(tile* tile_rows)
    transpose_kernel(const T* from, T* to, std::uint32_t width, std::uint32_t height, std::int64_t from_row,
                     std::int64_t to_row, std::int64_t from_plane, std::int64_t to_plane) {
  __shared__ T cells[tile][tile + 1];  // one extra column avoids bank conflicts
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

/// places[i] = the offset of element i, `start` being that of the first.
static __global__ void __launch_bounds__(256)
    element_places_kernel(const pointwise::Geometry g, std::int64_t start, std::int64_t* places) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < g.count) places[i] = start + pointwise::Offsets<1>(g, i).of[0];
}

}  // namespace minima::detail
