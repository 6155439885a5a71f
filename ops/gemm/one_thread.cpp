#include <minima/ops/gemm/one_thread.h>

#include <dlfcn.h>

namespace minima::detail {

namespace {

/// Of the OpenMP runtime that oneDNN brought along, if it did: which one that is, is oneDNN's business.
struct OpenMP {
  void (*set_threads)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  int (*max_threads)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
};

const OpenMP& open_mp() {
  static const OpenMP runtime;
  return runtime;
}

}  // namespace

OneThread::OneThread() : previous_(1) {
  const OpenMP& runtime = open_mp();
  if (!runtime.set_threads || !runtime.max_threads) return;
  previous_ = runtime.max_threads();
  if (previous_ != 1) runtime.set_threads(1);
}

OneThread::~OneThread() {
  if (previous_ != 1) open_mp().set_threads(previous_);
}

}  // namespace minima::detail
