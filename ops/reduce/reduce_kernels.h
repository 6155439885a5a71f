#pragma once

#include <minima/tensor/device/observer.h>
#include <minima/tensor/tensor.h>

// Reductions over `dims`, which are sorted. Results may have any strides, with or without the reduced dimensions.

namespace minima::detail {

/// The cost of reading x once, with an operation for each element.
inline Cost cost_of_reading(const Tensor& x) {
  return {.flops = static_cast<double>(x.numel()),
          .bytes = static_cast<double>(x.numel()) * static_cast<double>(x.itemsize())};
}

/// y = Σ x
void sum_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y);
void sum_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y);

/// The same without NaN; floating dtypes.
void nansum_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y);
void nansum_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y);

/// y = Σ x / the number of summands; floating dtypes.
void mean_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y);
void mean_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y);

/// y = Σ x² / divisor or its root; float32 and float64.
void mean_square_kernel_cpu(const Tensor& x, const Shape& dims, double divisor, bool root, Tensor& y);

/// The largest or the smallest elements, which must exist. Either of values (x's dtype) and indices may be undefined,
/// but not both.
void extreme_kernel_cpu(bool largest, const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices);
void extreme_kernel_cuda(bool largest, const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices);

}  // namespace minima::detail
