#pragma once

#include <minima/ops/gemm/blas.h>

// Which epilogues cuBLASLt is asked for. Decided here, in plain C++, so that tests need no GPU.

namespace minima::detail {

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

}  // namespace minima::detail
