#include <minima/ops/gemm/settings.h>

#include <minima/ops/gemm/blas_epilogue.h>

#include <mutex>
#include <string>

namespace minima {

namespace {

bool reduces_in_half = true;

struct EpilogueCounts {
  std::mutex mutex;
  cublas::Usage usage;
};
EpilogueCounts& epilogue_counts() {
  static EpilogueCounts* const all = new EpilogueCounts;
  return *all;
}

}  // namespace

namespace detail {

void count_epilogue(EpilogueFate fate, const std::string& product, bool was_served) {
  const std::lock_guard lock(epilogue_counts().mutex);
  cublas::Usage& usage = epilogue_counts().usage;
  if (was_served) --usage.served;
  switch (fate) {
    case EpilogueFate::served: ++usage.served; break;
    case EpilogueFate::slower: ++usage.slower; break;
    case EpilogueFate::refused:
      ++usage.refused;
      usage.refusal = product;
      break;
  }
}

}  // namespace detail

namespace cublas {

void allow_reduced_precision_reduction(bool on) { __atomic_store_n(&reduces_in_half, on, __ATOMIC_RELAXED); }
bool allows_reduced_precision_reduction() { return __atomic_load_n(&reduces_in_half, __ATOMIC_RELAXED); }

Usage usage() {
  const std::lock_guard lock(epilogue_counts().mutex);
  return epilogue_counts().usage;
}

}  // namespace cublas
}  // namespace minima
