#pragma once

#include <minima/ops/gemm/blas.h>

// What cuBLASLt is asked to do beside a product. Decided here, in plain C++, so that tests need no GPU.

namespace minima::detail {

enum class BlasEpilogue : std::uint8_t {
  none,
  relu,
  bias,
  relu_bias,
  sums_of_a,  ///< BGRADA: Σ over k of op(A), one value for each row of C
  sums_of_b,  ///< BGRADB: Σ over k of op(B), one for each column of C
};

MINIMA_API BlasEpilogue epilogue_of(const BlasProduct& product);

/// Whether cuBLASLt may be asked for the sums of a product: not beside another epilogue, for a batch, in float64, over
/// nothing, or at addresses that its vectors can not use. Its heuristic has the last word.
MINIMA_API bool may_take_sums(const BlasProduct& product);

}  // namespace minima::detail
