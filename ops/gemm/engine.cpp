#include <minima/ops/gemm/engine.h>

#include <minima/tensor/base/dtype.h>

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

void report_engine_call(Engine engine) {
  if (thread_hook) thread_hook->on_call(engine);
}

}  // namespace minima::detail
