#pragma once

#include <minima/tensor/device/observer.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <limits>

// The kernels of this folder.

namespace minima::detail {

/// Throws unless x is defined and floating.
void check_floating(const char* op, const Tensor& x);

/// The cost of reading x once, with an operation for each element.
inline Cost cost_of_reading(const Tensor& x) {
  return {.flops = static_cast<double>(x.numel()),
          .bytes = static_cast<double>(x.numel()) * static_cast<double>(x.itemsize())};
}

// Reductions over `dims`, which are sorted. Results may have any strides, with or without the reduced dimensions.

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

// Scans.

enum class ScanKind : std::uint8_t {
  sum,
  product,
  maximum,
  minimum,
  log_sum  ///< log(eᵃ + eᵇ), on the CPU, of floating numbers
};

/// Returns the element that changes no number; NaN stays.
template <class T> MINIMA_HD constexpr T scan_identity(ScanKind kind) {
  using Limits = std::numeric_limits<T>;
  if (kind == ScanKind::sum) return T(0);
  if (kind == ScanKind::product) return T(1);
  if constexpr (Limits::has_infinity) return kind == ScanKind::minimum ? Limits::infinity() : -Limits::infinity();
  else return kind == ScanKind::maximum ? Limits::lowest() : Limits::max();
}
/// The dtype of a scan: floating dtypes are kept, others become int64.
constexpr DType scan_dtype(DType dtype) { return is_floating(dtype) ? dtype : DType::int64; }
/// y[i] = x[0] ∘ … ∘ x[i] along `dim`, or in reverse: y[i] = x[i] ∘ … ∘ x[n - 1]. Both row-major and of scan_dtype.
void scan_kernel_cpu(ScanKind kind, const Tensor& x, int dim, bool reverse, Tensor& y);
/// values[i] = the extreme of x[0], …, x[i] along `dim`, indices[i] = its place: of equal elements the last, of NaN the
/// last. All row-major.
void cumulative_extreme_cpu(ScanKind kind, const Tensor& x, int dim, Tensor& values, Tensor& indices);
/// The same as scan_kernel_cpu on CUDA.
void scan_kernel_cuda(ScanKind kind, const Tensor& x, int dim, bool reverse, Tensor& y);

// Softmax.

enum class SoftmaxKind : std::uint8_t { probability, logarithm };

/// y = softmax of x or its logarithm along `dim`; y is dense.
void softmax_kernel_cpu(SoftmaxKind kind, const Tensor& x, int dim, Tensor& y);
/// The gradient of x from that of y; dx has y's layout.
void softmax_gradient_kernel_cpu(SoftmaxKind kind, const Tensor& g, const Tensor& y, int dim, Tensor& dx);
/// The same on CUDA.
void softmax_kernel_cuda(SoftmaxKind kind, const Tensor& x, int dim, Tensor& y);
void softmax_gradient_kernel_cuda(SoftmaxKind kind, const Tensor& g, const Tensor& y, int dim, Tensor& dx);

}  // namespace minima::detail
