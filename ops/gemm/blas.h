#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

enum class BlasSums : std::uint8_t { none, a, b };
enum class BlasActivation : std::uint8_t { none, relu, gelu };  // gelu: the form with tanh

/// A product as cuBLASLt takes it, matrices by columns: C [m, n] = op(A) [m, k] · op(B) [k, n], `batch` times with
/// steps from one to the next (in elements; 0 repeats), then + bias (one value for each of the m rows), then
/// the activation.
struct BlasProduct {
  std::int64_t m, n, k;
  bool transpose_a, transpose_b;
  std::int64_t lda, ldb, ldc;
  std::int64_t batch, step_a, step_b, step_c;
  DType dtype, c_dtype;  ///< of A and B; of C and bias
  bool accumulate;       ///< C += instead of =
  BlasActivation activation;
  const void* a;
  const void* b;
  void* c;
  const void* bias;  ///< or null
  void* before;      ///< null, or where gelu's values before it go, as C lies
  BlasSums sums_of;  ///< the operand whose sums over k are wanted too
  void* sums;        ///< where they are written, in c_dtype
};

/// On the current stream of the device. float32 and half types are summed in float32, float64 in float64. False, and
/// nothing was done, only if sums or gelu are wanted and cuBLASLt has no algorithm for the product with them.
bool run_blas(const BlasProduct& product, Device device);

}  // namespace minima::detail
