#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

enum class BlasSums : std::uint8_t { none, a, b, c };
enum class BlasActivation : std::uint8_t { none, relu, gelu, gelu_gradient };  // gelu: the form with tanh

/// A product in cuBLASLt's terms, column-major: C [m, n] = op(A) [m, k] · op(B) [k, n], `batch` times with strides
/// between them (in elements; 0 repeats), then + bias (one value for each of the m rows), then the activation, or, for
/// `gelu_gradient`, · gelu'(before).
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
  void* before;      ///< null, or receives gelu's input, with C's layout; gelu_gradient reads it
  BlasSums sums_of;  ///< the operand to sum over k as well; or C, with gelu_gradient, over its columns
  void* sums;        ///< where they are written, in c_dtype
};

/// Runs on the device's current stream. float32 and half types accumulate in float32, float64 in float64. Returns
/// false, with nothing done, if a bias, an activation or sums are requested that cuBLASLt cannot compute together with
/// the product, or sums that are faster apart. Throws Error if it cannot compute a product without them.
bool run_blas(const BlasProduct& product, Device device);

}  // namespace minima::detail
