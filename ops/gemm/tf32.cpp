#include <minima/ops/gemm/tf32.h>

namespace minima {

namespace {

bool allowed = false;

}  // namespace

void allow_tf32(bool on) { __atomic_store_n(&allowed, on, __ATOMIC_RELAXED); }
bool allows_tf32() { return __atomic_load_n(&allowed, __ATOMIC_RELAXED); }

}  // namespace minima
