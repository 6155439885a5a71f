#include <minima/ops/gemm/gemm_block.h>

#include <minima/tensor/memory/cpu/with_memory.h>

namespace minima::detail {

template <>
void gemm_block([[maybe_unused]] Engine engine, const GemmBlock<float>& block) {
  with_memory("a matrix product", [&] {
#ifdef MINIMA_HAVE_ONEDNN
    if (engine == Engine::onednn) return gemm_onednn(block);
#endif
    gemm_eigen(block);
  });
}

template <>
void gemm_block(Engine, const GemmBlock<double>& block) {
  with_memory("a matrix product", [&] { gemm_eigen(block); });
}

}  // namespace minima::detail
