#pragma once

#include <minima/ops/images/pool_axis.h>
#include <minima/ops/math/math.h>
#include <minima/ops/images/image_order.cuh>

namespace minima::detail {

/// One thread per window. A window without elements gives -inf and index -1. `index` may be null.
template <class X, class I>
__global__ void __launch_bounds__(256)
    max_pool2d_kernel(const X* x, const ImageOrder from, const ImageOrder to, std::int64_t count, const PoolAxis rows,
                      const PoolAxis columns, X* y, I* index) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  T best = -math::cpu::Format<T>::infinity;
  X value = static_cast<X>(best);
  std::int64_t where = -1;
  for (std::int64_t a = 0; a < rows.kernel; ++a) {
    const std::int64_t h = p.h * rows.stride - rows.padding + a * rows.dilation;
    if (h < 0 || h >= rows.size) continue;
    for (std::int64_t b = 0; b < columns.kernel; ++b) {
      const std::int64_t w = p.w * columns.stride - columns.padding + b * columns.dilation;
      if (w < 0 || w >= columns.size) continue;
      const X element = x[from.at(p, h, w)];
      const T candidate = static_cast<T>(element);
      if (candidate > best || math::isnan(candidate) || where < 0) {
        best = candidate;
        value = element;
        where = h * columns.size + w;
      }
    }
  }
  y[i] = value;
  if (index) index[i] = static_cast<I>(where);
}

/// dx: one thread per pixel, which sums the gradients of the windows whose maximum it was, in their order. `g` and
/// `index` have the order `from`, dx the order `to`.
template <class X, class I>
__global__ void __launch_bounds__(256)
    max_pool2d_scatter_kernel(const X* g, const I* index, const ImageOrder from, const ImageOrder to,
                              std::int64_t count, const PoolAxis rows, const PoolAxis columns, X* dx) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  const std::int64_t own = p.h * to.width + p.w;
  T sum = 0;
  for (std::int64_t a = rows.kernel - 1; a >= 0; --a) {
    const std::int64_t h = p.h + rows.padding - a * rows.dilation;  // row a of window h / stride is this row
    if (h < 0 || h % rows.stride != 0 || h / rows.stride >= rows.windows) continue;
    for (std::int64_t b = columns.kernel - 1; b >= 0; --b) {
      const std::int64_t w = p.w + columns.padding - b * columns.dilation;
      if (w < 0 || w % columns.stride != 0 || w / columns.stride >= columns.windows) continue;
      const std::int64_t window = from.at(p, h / rows.stride, w / columns.stride);
      if (index[window] == own) sum += static_cast<T>(g[window]);
    }
  }
  dx[i] = static_cast<X>(sum);
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
