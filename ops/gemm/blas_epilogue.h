#pragma once

#include <minima/ops/gemm/blas.h>

// What cuBLASLt is asked to do beside a product. Decided here, in plain C++, so that tests need no GPU.

namespace minima::detail {

enum class BlasEpilogue : std::uint8_t {
  none,
  relu,
  bias,
  relu_bias,
  gelu,  ///< the form with tanh, as all of cuBLASLt's
  gelu_bias,
  gelu_aux,  ///< keeps the values before it
  gelu_aux_bias,
  sums_of_a,  ///< BGRADA: Σ over k of op(A), one value for each row of C
  sums_of_b,  ///< BGRADB: Σ over k of op(B), one for each column of C
};

MINIMA_API BlasEpilogue epilogue_of(const BlasProduct& product);

/// Whether cuBLASLt may be asked for the sums of a product: not beside another epilogue, for a batch, in float64, over
/// nothing, or at addresses that its vectors can not use. Its heuristic has the last word.
MINIMA_API bool may_take_sums(const BlasProduct& product);

/// Whether it may be asked to apply gelu: not for sums that are added to, in float64, over nothing, or with values
/// before it to be kept where its vectors can not write. Its heuristic has the last word.
MINIMA_API bool may_apply_gelu(const BlasProduct& product);

/// Whether its heuristic may refuse: something else then does the work.
MINIMA_API bool is_optional(const BlasProduct& product);

}  // namespace minima::detail
