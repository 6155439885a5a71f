#pragma once

#include <minima/ops/math/math.h>
#include <minima/ops/loops/lines/team.cuh>

namespace minima::detail {

using cuda::Compute;

/// weight or bias: any floating dtype, or null.
struct Affine {
  const void* data;
  DType dtype;
  template <class T> __device__ T at(std::int64_t i, T otherwise) const {
    return data ? cuda::load_as<T>(data, i, dtype) : otherwise;
  }
};

/// One block per row, which stays in the L1 cache between passes. A residual is added first, and the sum saved. If not
/// centered, no mean is subtracted.
template <class X>
__global__ void __launch_bounds__(512)
    layer_norm_kernel(const X* x, const X* residual, X* kept, std::int64_t n, const Affine weight, const Affine bias,
                      double eps, bool centered, X* y, Compute<X>* means, Compute<X>* rstds) {
  using T = Compute<X>;
  __shared__ T scratch[cuda::warp];
  const std::int64_t row = blockIdx.x;
  x += row * n;
  y += row * n;
  if (residual) {
    residual += row * n;
    kept += row * n;
  }
  const auto value = [&](std::int64_t i) {  // the sum before rounding
    return residual ? static_cast<T>(x[i]) + static_cast<T>(residual[i]) : static_cast<T>(x[i]);
  };
  T sum = 0;
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    if (centered) sum += value(i);
    if (residual) kept[i] = static_cast<X>(value(i));
  }
  const T mean = !centered ? T(0) : cuda::over_block(sum, cuda::Plus(), T(0), scratch) / static_cast<T>(n);
  T squares = 0;
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    const T centered = value(i) - mean;
    squares += centered * centered;
  }
  const T var = cuda::over_block(squares, cuda::Plus(), T(0), scratch) / static_cast<T>(n);
  const T rstd = 1 / math::sqrt(var + static_cast<T>(eps));
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = static_cast<X>((value(i) - mean) * rstd * weight.at(i, T(1)) + bias.at(i, T(0)));
  if (threadIdx.x != 0) return;
  if (means) means[row] = mean;
  if (rstds) rstds[row] = rstd;
}

/// One block per chunk of rows: dx of each row, and the chunk's share of the gradients of weight and bias, `partial`
/// [chunks, 2, n] (may be null). Each thread owns its columns, so the order of sums is fixed. `also`, unless null, is
/// added to dx; null means say that no mean was subtracted.
template <class X>
__global__ void __launch_bounds__(512)
    layer_norm_gradient_kernel(const X* g, const X* x, std::int64_t rows, std::int64_t n, std::int64_t chunk,
                               const Affine weight, const Compute<X>* means, const Compute<X>* rstds, const X* also,
                               X* dx, Compute<X>* partial) {
  using T = Compute<X>;
  __shared__ T scratch[cuda::warp];
  const std::int64_t first = blockIdx.x * chunk, last = first + chunk < rows ? first + chunk : rows;
  T* const dweight = partial ? partial + 2 * blockIdx.x * n : nullptr;
  T* const dbias = partial ? dweight + n : nullptr;
  for (std::int64_t row = first; row < last; ++row) {
    const X* const gs = g + row * n;
    const X* const xs = x + row * n;
    const T mean = means ? means[row] : T(0), rstd = rstds[row];
    T level = 0, slope = 0;
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const T gradient = static_cast<T>(gs[i]), unit = (static_cast<T>(xs[i]) - mean) * rstd;
      const T scaled = gradient * weight.at(i, T(1));
      level += scaled;
      slope += scaled * unit;
      if (partial) {
        dweight[i] = (row == first ? T(0) : dweight[i]) + gradient * unit;
        dbias[i] = (row == first ? T(0) : dbias[i]) + gradient;
      }
    }
    if (!dx) continue;
    level = !means ? T(0) : cuda::over_block(level, cuda::Plus(), T(0), scratch) / static_cast<T>(n);
    slope = cuda::over_block(slope, cuda::Plus(), T(0), scratch) / static_cast<T>(n);
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const T unit = (static_cast<T>(xs[i]) - mean) * rstd;
      const T through = rstd * (static_cast<T>(gs[i]) * weight.at(i, T(1)) - level - unit * slope);
      dx[row * n + i] = static_cast<X>(also ? through + static_cast<T>(also[row * n + i]) : through);
    }
  }
}

/// One thread per column, which sums the chunks' shares in order.
template <class T>
__global__ void __launch_bounds__(256)
    add_chunks_kernel(const T* partial, std::int64_t chunks, std::int64_t n, T* dweight, T* dbias) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T weight = 0, bias = 0;
  for (std::int64_t c = 0; c < chunks; ++c) {
    weight += partial[2 * c * n + i];
    bias += partial[(2 * c + 1) * n + i];
  }
  if (dweight) dweight[i] = weight;
  if (dbias) dbias[i] = bias;
}

}  // namespace minima::detail
