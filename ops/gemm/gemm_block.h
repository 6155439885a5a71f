#pragma once

#include <cstdint>

// One block of a product on the calling thread, one function per engine: C = op(A)·op(B) + β·C with β = 1 or 0,
// row-major.

namespace minima::detail {

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
  bool accumulate;
};

void gemm_onednn(const GemmBlock<float>& block);
void gemm_eigen(const GemmBlock<float>& block);
void gemm_eigen(const GemmBlock<double>& block);

}  // namespace minima::detail
