#pragma once

#include <minima/ops/sort/order_key.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y[…, i, …] = the position in x of element `first` + i of each sorted line along `dim`; y is row-major int64 and may
/// be shorter than x along `dim`.
void argsort_kernel_cpu(const Tensor& x, int dim, bool descending, std::int64_t first, Tensor& y);
/// The same on CUDA, from the first element.
void argsort_kernel_cuda(const Tensor& x, int dim, bool descending, Tensor& y);

/// y[n] = the insertion point of values[n] in line n / per_line of `sorted` [lines, size] (in line 0 if there is only
/// one). All row-major.
void searchsorted_kernel_cpu(const Tensor& sorted, const Tensor& values, bool right, Tensor& y);
/// The same on CUDA.
void searchsorted_kernel_cuda(const Tensor& sorted, const Tensor& values, bool right, Tensor& y);

/// Binary search.
template <class T>
MINIMA_HD std::int64_t place_of(const T* sorted, std::int64_t size, T value, bool right) {
  const auto key = sorting::order_key(value);
  std::int64_t low = 0, high = size;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto at = sorting::order_key(sorted[middle]);
    if (at < key || (right && at == key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

}  // namespace minima::detail
