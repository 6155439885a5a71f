#include <minima/ops/cudnn/settings.h>

#include <minima/ops/cudnn/plans.h>

#include <cstddef>
#include <mutex>
#include <string>

namespace minima {

namespace {
bool timed = false;
std::size_t limit = std::size_t{256} << 20;

struct Counts {
  std::mutex mutex;
  cudnn::Usage usage;
};
Counts& counts() {
  static Counts* const all = new Counts;
  return *all;
}
}  // namespace

namespace detail {

void count_graph(bool planned, const std::string& refusal) {
  const std::lock_guard lock(counts().mutex);
  cudnn::Usage& usage = counts().usage;
  ++(planned ? usage.planned : usage.refused);
  if (!planned) usage.refusal = refusal;
}

}  // namespace detail

namespace cudnn {

void benchmark(bool on) { __atomic_store_n(&timed, on, __ATOMIC_RELAXED); }
bool is_benchmark() { return __atomic_load_n(&timed, __ATOMIC_RELAXED); }
void workspace_limit(std::size_t bytes) { __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED); }
std::size_t workspace_limit() { return __atomic_load_n(&limit, __ATOMIC_RELAXED); }

Usage usage() {
  const std::lock_guard lock(counts().mutex);
  return counts().usage;
}

}  // namespace cudnn
}  // namespace minima
