#pragma once

#include <minima/ops/gemm/engine.h>
#include <minima/tensor/memory/cpu/with_memory.h>

#include <cstdint>
#include <type_traits>

// One block of a product on the calling thread: C = op(A)·op(B), row-major, or added to C or subtracted from it.

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
void gemm_block([[maybe_unused]] Engine engine, const GemmBlock<T>& block) {
  with_memory("a matrix product", [&] {
#ifdef MINIMA_HAVE_ONEDNN
    if constexpr (std::is_same_v<T, float>)
      if (engine == Engine::onednn) return gemm_onednn(block);
#endif
    gemm_eigen(block);
  });
}

}  // namespace minima::detail
