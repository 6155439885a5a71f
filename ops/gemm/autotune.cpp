#include <minima/ops/gemm/autotune.h>

namespace minima {

namespace {

bool timed = false;

}  // namespace

void autotune(bool on) { __atomic_store_n(&timed, on, __ATOMIC_RELAXED); }
bool is_autotune() { return __atomic_load_n(&timed, __ATOMIC_RELAXED); }

}  // namespace minima
