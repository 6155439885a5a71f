#include <minima/ops/gemm/tf32.h>

namespace minima {

namespace {

bool in_products = false, in_convolutions = false;

}  // namespace

void allow_tf32(bool on) { __atomic_store_n(&in_products, on, __ATOMIC_RELAXED); }
bool allows_tf32() { return __atomic_load_n(&in_products, __ATOMIC_RELAXED); }

void cudnn::allow_tf32(bool on) { __atomic_store_n(&in_convolutions, on, __ATOMIC_RELAXED); }
bool cudnn::allows_tf32() { return __atomic_load_n(&in_convolutions, __ATOMIC_RELAXED); }

}  // namespace minima
