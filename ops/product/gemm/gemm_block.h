#pragma once

#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/gemm/engine.h>

#include <cstdint>

// One block of a product on the calling thread: C = op(A)·op(B), row-major, or added to C or subtracted from it. And
// what follows once it is finished.

/// In front of a loop over sums that stay in registers only if it is unrolled, which the compiler leaves at -O2.
#if defined(__clang__)
#define MINIMA_UNROLL_FULLY _Pragma("clang loop unroll(full)")
#else
#define MINIMA_UNROLL_FULLY _Pragma("GCC unroll 16")
#endif

namespace minima::detail {

enum class Into : std::uint8_t { assign, add, subtract };

template <class T>
struct GemmBlock {
  std::int64_t m, n, k;
  const T* a;
  std::int64_t lda;
  bool a_transposed;
  const T* b;
  std::int64_t ldb;
  bool b_transposed;
  T* c;
  std::int64_t ldc;
  Into into;
};

void gemm_onednn(const GemmBlock<float>& block);
void gemm_eigen(const GemmBlock<float>& block);
void gemm_eigen(const GemmBlock<double>& block);

/// The block by `engine`. Both allocate before they write, so that a block that reads C can be retried.
template <class T>
void gemm_block(Engine engine, const GemmBlock<T>& block);  // of float and double

/// A finished block of a product, in the compute dtype.
template <class T>
struct Block {
  T* data;
  std::int64_t rows, columns, ld;
};

/// Adds bias to every row.
void add_bias(const Block<float>& block, const float* bias);
void add_bias(const Block<double>& block, const double* bias);
void activate(const Block<float>& block, Activation activation);
void activate(const Block<double>& block, Activation activation);

}  // namespace minima::detail
