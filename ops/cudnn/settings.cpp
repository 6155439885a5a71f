#include <minima/ops/cudnn/settings.h>

#include <cstddef>

namespace minima::cudnn {

namespace {
bool timed = false;
std::size_t limit = std::size_t{256} << 20;
}  // namespace

void benchmark(bool on) { __atomic_store_n(&timed, on, __ATOMIC_RELAXED); }
bool is_benchmark() { return __atomic_load_n(&timed, __ATOMIC_RELAXED); }
void workspace_limit(std::size_t bytes) { __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED); }
std::size_t workspace_limit() { return __atomic_load_n(&limit, __ATOMIC_RELAXED); }

}  // namespace minima::cudnn
