#pragma once

#include <minima/tensor/tensor.h>

#include <string>

// Decides which epilogues cuBLASLt is asked for, in plain C++, so that tests need no GPU.

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

enum class BlasEpilogue : std::uint8_t {
  none,
  relu,
  bias,
  relu_bias,
  gelu,  ///< the tanh form, the only one cuBLASLt has
  gelu_bias,
  gelu_aux,  ///< saves its input
  gelu_aux_bias,
  gelu_gradient,       ///< DGELU: times gelu's slope at the saved input
  gelu_gradient_sums,  ///< DGELU_BGRAD: Σ over the columns of C, too, one value for each row
  sums_of_a,           ///< BGRADA: Σ over k of op(A), one value for each row of C
  sums_of_b,           ///< BGRADB: Σ over k of op(B), one for each column of C
};

MINIMA_API BlasEpilogue epilogue_of(const BlasProduct& product);

/// Whether to ask cuBLASLt for the sums of a product: not together with another epilogue, for a batch, in float64, for
/// k = 0, or at addresses its vector instructions cannot use. Its heuristic may still refuse.
MINIMA_API bool may_take_sums(const BlasProduct& product);

/// Whether the sums are likely to cost less with the product than apart, on a GPU with this many multiprocessors. Such
/// a product takes its sums over k in one piece, so its tiles of 128 × 128 have to fill the multiprocessors by
/// themselves: four fifths of the places in all waves, since a separate pass over [m, k] costs less than a third of a
/// product with n ≥ 768. Or there are so few terms (1,024 take about 6 µs on an H100, a separate kernel 3 to 5) that
/// idle multiprocessors do not matter.
MINIMA_API bool may_pay(const BlasProduct& product, int multiprocessors);

/// Whether to ask it for gelu: not when accumulating, in float64, for k = 0, or with a saved input where its vector
/// instructions cannot write. Its heuristic may still refuse.
MINIMA_API bool may_apply_gelu(const BlasProduct& product);

/// The same for the gradient of gelu, with or without the sums of C.
MINIMA_API bool may_apply_gelu_gradient(const BlasProduct& product);

/// Whether the product has an epilogue, which cuBLASLt may refuse; a fallback then does the work.
MINIMA_API bool is_optional(const BlasProduct& product);

/// The bytes that separate kernels move for the epilogue, in place of it: a bias is added in one pass over C, gelu is
/// another, its gradient one over C and gelu's input, sums read their operand.
MINIMA_API double bytes_apart(const BlasProduct& product);

/// For messages: "GELU_AUX_BIAS of bfloat16 [3072, 768]·[768, 64]".
MINIMA_API std::string describe(const BlasProduct& product);

enum class EpilogueFate : std::uint8_t { served, refused, slower };
/// Counts a product in `cublas::usage()`; one that was counted as served may turn out to be slower, or refused.
MINIMA_API void count_epilogue(EpilogueFate fate, const std::string& product, bool was_served = false);

}  // namespace minima::detail
