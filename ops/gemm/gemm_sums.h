#pragma once

#include <minima/ops/gemm/gemm.h>

namespace minima::detail {

enum class SumsOf : std::uint8_t {
  rows_of_a,     ///< Σ over k of op(A): m values
  columns_of_b,  ///< Σ over k of op(B): n values
};

/// run_gemm for one product on CUDA that also writes (never adds) sums in C's dtype, in the same pass over its
/// operands: a bias's gradient is computed together with the weight's. Returns false, with nothing done, where cuBLASLt
/// cannot; the answer is cached by shape.
MINIMA_API bool run_gemm_with_sums(const Gemm& gemm, const GemmPointers& at, SumsOf which, void* sums);

/// run_gemm for one product on CUDA times gelu_tanh'(before), where `before` has C's dtype and layout; C's column sums
/// are written to `sums`, in C's dtype, if it is not null. So gelu's gradient, and that of the bias added before it,
/// need no pass over C. Returns false, with nothing done, where cuBLASLt cannot.
MINIMA_API bool run_gemm_with_gelu_gradient(const Gemm& gemm, const GemmPointers& at, const void* before, void* sums);

}  // namespace minima::detail
