#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/ops/pooling/pool_axis.h>
#include <minima/ops/convolution/images.cuh>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// One thread per window and, with the channels innermost, pack of channels; `from`, `to` and `count` are of packs. A
/// window without elements gives -inf and index -1. `index` may be null.
template <int width, class X, class I>
__global__ void __launch_bounds__(256)
    max_pool2d_kernel(const X* x, const ImageOrder from, const ImageOrder to, std::int64_t count, const PoolAxis rows,
                      const PoolAxis columns, X* y, I* index) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  cuda::Pack<X, width> best;
  cuda::Pack<I, width> where;
  for (int c = 0; c < width; ++c) {
    best.items[c] = static_cast<X>(-math::cpu::Format<T>::infinity);
    where.items[c] = -1;
  }
  for (std::int64_t a = 0; a < rows.kernel; ++a) {
    const std::int64_t h = p.h * rows.stride - rows.padding + a * rows.dilation;
    if (h < 0 || h >= rows.size) continue;
    for (std::int64_t b = 0; b < columns.kernel; ++b) {
      const std::int64_t w = p.w * columns.stride - columns.padding + b * columns.dilation;
      if (w < 0 || w >= columns.size) continue;
      const auto elements = cuda::load_pack<X, width>(x + from.at(p, h, w) * width);
      const I place = static_cast<I>(h * columns.size + w);
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c) {
        const T candidate = static_cast<T>(elements.items[c]);
        const bool take = candidate > static_cast<T>(best.items[c]) || math::isnan(candidate) || where.items[c] < 0;
        best.items[c] = take ? elements.items[c] : best.items[c];
        where.items[c] = take ? place : where.items[c];
      }
    }
  }
  cuda::store_pack(y + i * width, best);
  if (index) cuda::store_pack(index + i * width, where);
}

/// The windows along a dimension, and division by their stride.
struct PoolSteps {
  PoolAxis axis;
  IndexDivider by_stride;
  explicit PoolSteps(const PoolAxis& axis) : axis(axis), by_stride(axis.stride, axis.size + axis.padding) {}

  /// The window whose element k is at `place`; -1 if there is none.
  __device__ std::int64_t window(std::int64_t place, std::int64_t k) const {
    const std::int64_t start = place + axis.padding - k * axis.dilation;
    if (start < 0) return -1;
    const std::int64_t window = by_stride.quotient(start);
    return window * axis.stride == start && window < axis.windows ? window : -1;
  }
};

/// dx: one thread per pixel and pack of channels, which sums the gradients of the windows whose maximum it was, in
/// their order. `g` and `index` have the order `from`, dx the order `to`.
template <int width, class X, class I>
__global__ void __launch_bounds__(256)
    max_pool2d_scatter_kernel(const X* g, const I* index, const ImageOrder from, const ImageOrder to,
                              std::int64_t count, const PoolSteps rows, const PoolSteps columns, X* dx) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  const I own = static_cast<I>(p.h * to.width + p.w);
  T sums[width] = {};
  for (std::int64_t a = rows.axis.kernel - 1; a >= 0; --a) {
    const std::int64_t h = rows.window(p.h, a);
    if (h < 0) continue;
    for (std::int64_t b = columns.axis.kernel - 1; b >= 0; --b) {
      const std::int64_t w = columns.window(p.w, b);
      if (w < 0) continue;
      const std::int64_t window = from.at(p, h, w) * width;
      const auto places = cuda::load_pack<I, width>(index + window);
      const auto slopes = cuda::load_pack<X, width>(g + window);
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c)
        if (places.items[c] == own) sums[c] += static_cast<T>(slopes.items[c]);
    }
  }
  cuda::Pack<X, width> result;
  for (int c = 0; c < width; ++c) result.items[c] = static_cast<X>(sums[c]);
  cuda::store_pack(dx + i * width, result);
}

/// y = x at the indices; 0 for index -1.
template <class X, class I>
__global__ void __launch_bounds__(256) max_pool2d_gather_kernel(const X* x, const I* index, const ImageOrder from,
                                                                const ImageOrder to, std::int64_t count, X* y) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const I where = index[i];
  y[i] = where < 0 ? static_cast<X>(0.0f) : x[from.at(to.place(i), where / from.width, where % from.width)];
}

}  // namespace minima::detail
