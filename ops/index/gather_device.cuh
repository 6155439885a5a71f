#pragma once

#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/loops/loop_device.cuh>

namespace minima::detail {

/// y[…, i, …] = x[…, index[…, i, …], …]: one thread per element. Operands of the geometry: y, the index, and x without
/// the gathered dimension, which has `size` elements `step` apart.
template <class Word>
__global__ void __launch_bounds__(256)
    gather_kernel(const pointwise::Geometry g, const Word* x, std::int64_t size, std::int64_t step,
                  const std::int64_t* index, Word* y, cuda::Fault* fault) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= g.count) return;
  const pointwise::Offsets<3> at(g, i);
  const std::int64_t from = index[at.of[1]];
  if (cuda::is_index(from, size, fault)) y[at.of[0]] = x[at.of[2] + from * step];
}

/// y[…, index[…, k, …], …] += source[…, k, …]: one thread per line along the dimension, element by element, so repeated
/// targets accumulate in order. Operands of the geometry, without that dimension: y, index, source.
template <class T>
__global__ void __launch_bounds__(128)
    scatter_add_kernel(const pointwise::Geometry g, std::int64_t length, const T* source, std::int64_t source_step,
                       const std::int64_t* index, std::int64_t index_step, T* y, std::int64_t y_step, std::int64_t size,
                       cuda::Fault* fault) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= g.count) return;
  const pointwise::Offsets<3> at(g, i);
  for (std::int64_t k = 0; k < length; ++k) {
    const std::int64_t to = index[at.of[1] + k * index_step];
    if (!cuda::is_index(to, size, fault)) continue;
    T& place = y[at.of[0] + to * y_step];
    place = wrapping::add(place, source[at.of[2] + k * source_step]);
  }
}

/// keys[i] = the offset in y of the element that index element i points to; -1 if there is none. Operands of the
/// geometry: y without the dimension, which has `size` elements `step` apart, and the index.
static __global__ void __launch_bounds__(256)
    scatter_keys_kernel(const pointwise::Geometry g, std::int64_t start, std::int64_t size, std::int64_t step,
                        const std::int64_t* index, std::int64_t* keys, cuda::Fault* fault) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= g.count) return;
  const pointwise::Offsets<2> at(g, i);
  const std::int64_t to = index[at.of[1]];
  keys[i] = cuda::is_index(to, size, fault) ? start + at.of[0] + to * step : -1;
}

}  // namespace minima::detail
