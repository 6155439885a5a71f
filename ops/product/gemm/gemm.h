#pragma once

#include <minima/ops/product/gemm/activation.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <span>

// The product used by matmul, linear and pointwise convolution: C = op(A)·op(B) + β·C, then an epilogue on every block
// of C while it is in the cache. Internal.

namespace minima::detail {

/// The half type of an operand's elements.
enum class HalfType : std::uint8_t { none, float16, bfloat16 };

/// The storage of a matrix: rows of `ld` elements, read as its transpose if `transposed`.
struct GemmOperand {
  std::int64_t ld = 0;
  bool transposed = false;
  /// On the CPU, B may be stored as consecutive row-major panels of this many columns; 0 if it is not.
  std::int64_t panel = 0;
  /// On the CPU, an operand of a float32 product may be stored in a half type, from which it is widened part by part; B
  /// then has no panels. On CUDA none: Gemm::dtype is the half type.
  HalfType half = HalfType::none;
};

/// Describes what happens to a finished block: bias is added, a copy saved, an activation applied.
struct GemmEpilogue {
  const void* bias = nullptr;  ///< one value per column, in the compute dtype; on CUDA in C's
  Activation activation = Activation::none;
  void* pre_activation = nullptr;  ///< receives the values before the activation, with C's dtype and layout
};

/// C [m, n] = op(A) [m, k] · op(B) [k, n].
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  GemmOperand a, b;
  std::int64_t ldc = 0;
  DType dtype = DType::float32;    ///< of the computation, and of A and B: float32 or float64, on CUDA also half types
  DType c_dtype = DType::float32;  ///< `dtype`, or a half type to which the finished block is rounded once
  bool accumulate = false;         ///< β = 1 instead of 0
  bool on_cuda = false;
  Device device = {};
  GemmEpilogue epilogue = {};

  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

struct GemmPointers {
  const void* a;
  const void* b;
  void* c;
};

/// One product per entry. Under deterministic(true) C is split into blocks by its sizes alone, so that results do not
/// depend on the number of threads.
MINIMA_API void run_gemm(const Gemm& gemm, std::span<const GemmPointers> batch);
void run_gemm_cuda(const Gemm& gemm, std::span<const GemmPointers> batch);
inline void run_gemm(const Gemm& gemm, const void* a, const void* b, void* c) {
  const GemmPointers one[] = {{a, b, c}};
  run_gemm(gemm, one);
}

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
