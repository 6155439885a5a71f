#pragma once

#include <minima/ops/gemm/gemm.h>

namespace minima::detail {

enum class SumsOf : std::uint8_t {
  rows_of_a,     ///< Σ over k of op(A): m values
  columns_of_b,  ///< Σ over k of op(B): n values
};

/// run_gemm of one product on CUDA that also writes (never adds) sums in C's dtype, in the same pass over its operands:
/// so the gradient of a bias comes with that of the weight. False, and nothing was done, where cuBLASLt can not; the
/// answer for a shape is remembered.
MINIMA_API bool run_gemm_with_sums(const Gemm& gemm, const GemmPointers& at, SumsOf which, void* sums);

}  // namespace minima::detail
