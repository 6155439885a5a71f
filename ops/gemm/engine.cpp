#include <minima/ops/gemm/engine.h>

namespace minima::detail {

namespace {

constinit thread_local bool eigen_only = false;
constinit thread_local std::int64_t calls[2] = {};

}  // namespace

Engine engine_for([[maybe_unused]] DType dtype) {
#ifdef MINIMA_HAVE_ONEDNN
  if (dtype == DType::float32 && !eigen_only) return Engine::onednn;
#endif
  return Engine::eigen;
}

EigenOnly::EigenOnly() : previous_(eigen_only) { eigen_only = true; }
EigenOnly::~EigenOnly() { eigen_only = previous_; }

std::int64_t engine_calls(Engine engine) { return calls[static_cast<int>(engine)]; }
void count_engine_call(Engine engine) { ++calls[static_cast<int>(engine)]; }

}  // namespace minima::detail
