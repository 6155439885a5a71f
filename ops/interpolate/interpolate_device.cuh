#pragma once

#include <minima/ops/images/image_order.cuh>

namespace minima::detail {

/// Taps in device memory.
template <class T>
struct TapTable {
  const std::int32_t* places;
  const T* weights;
  std::int64_t size, results;
  int per_result;
};

/// One thread per result, which sums its taps, rows first to last. `X` and `Y` differ when the dimensions are computed
/// one at a time.
template <class X, class Y>
__global__ void __launch_bounds__(256)
    interpolate_kernel(const X* x, const ImageOrder from, const ImageOrder to, std::int64_t count,
                       const TapTable<cuda::Compute<X>> rows, const TapTable<cuda::Compute<X>> columns, Y* y) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  T sum = 0;
  const std::int64_t rows_end = rows.per_result * rows.results, columns_end = columns.per_result * columns.results;
  for (std::int64_t r = p.h; r < rows_end && rows.places[r] < rows.size; r += rows.results) {
    T line = 0;
    for (std::int64_t c = p.w; c < columns_end && columns.places[c] < columns.size; c += columns.results)
      line += columns.weights[c] * static_cast<T>(x[from.at(p, rows.places[r], columns.places[c])]);
    sum += rows.weights[r] * line;
  }
  y[i] = static_cast<Y>(sum);
}

}  // namespace minima::detail
