#include <minima/ops/product/gemm/engine.h>

#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/memory/cpu/with_memory.h>

#include <utility>

namespace minima::detail {

namespace {

constinit thread_local EngineHook* thread_hook = nullptr;

Engine preferred_engine([[maybe_unused]] DType dtype) {
#ifdef MINIMA_HAVE_ONEDNN
  if (dtype == DType::float32) return Engine::onednn;
#endif
  return Engine::eigen;
}

}  // namespace

EngineHook* set_engine_hook(EngineHook* hook) { return std::exchange(thread_hook, hook); }

Engine engine_for(DType dtype) {
  const Engine preferred = preferred_engine(dtype);
  return thread_hook ? thread_hook->choose(dtype, preferred) : preferred;
}

bool has_avx512() {
#if defined(__x86_64__)
  static const bool result = __builtin_cpu_supports("avx512f");
  return result;
#else
  return false;
#endif
}

void report_engine_call(Engine engine) {
  if (thread_hook) thread_hook->on_call(engine);
}

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
