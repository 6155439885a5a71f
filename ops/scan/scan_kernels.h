#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <limits>

namespace minima::detail {

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

}  // namespace minima::detail
