#include <minima/ops/product/gemm/usage.h>

#include <minima/ops/product/gemm/blas_epilogue.h>

#include <mutex>
#include <string>

namespace minima {

namespace {

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

cublas::Usage cublas::usage() {
  const std::lock_guard lock(epilogue_counts().mutex);
  return epilogue_counts().usage;
}

}  // namespace minima
