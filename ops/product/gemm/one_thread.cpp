#include <minima/ops/product/gemm/one_thread.h>

#include <minima/tensor/threads/parallel.h>

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace minima::detail {

namespace {

/// The functions of the OpenMP runtime that a library loaded, if any.
struct OpenMP {
  void (*set_threads)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  int (*max_threads)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
};

const OpenMP& open_mp() {
  static const OpenMP runtime;
  return runtime;
}

// The upper half counts all calls so far, the lower half those in progress.
constexpr std::uint64_t one_call = (std::uint64_t{1} << 32) + 1;
constinit std::atomic<std::uint64_t> calls{0};
constinit std::atomic<bool> is_exiting{false};
constinit thread_local int depth = 0;

std::uint32_t calls_now() { return static_cast<std::uint32_t>(calls); }

void wait_for_calls() {
  if (is_exiting.exchange(true)) return;
  set_num_threads(1);  // the workers may be among the threads that sleep
  for (int ms = 0; ms < 2000 && calls_now() > (depth > 0 ? 1u : 0u); ++ms) usleep(1000);
}

void forget_other_threads() { calls = (calls >> 32 << 32) + (depth > 0 ? 1u : 0u); }

/// Handlers of exit() run in reverse order of registration, and oneDNN registers its cleanup during its first calls; so
/// wait_for_calls is registered after each of the first sixteen calls, then after the 32nd, the 64th, ….
void enter(std::uint64_t number) {
  if (number == 1) pthread_atfork(nullptr, nullptr, forget_other_threads);
  if (!is_exiting) return;
  --calls;
  for (;;) pause();
}

void leave(std::uint64_t number) {
  --calls;
  if (number <= 16 || (number & (number - 1)) == 0) std::atexit(wait_for_calls);
}

}  // namespace

bool is_library_closed() { return is_exiting.load(std::memory_order_relaxed); }

OneOpenMPThread::OneOpenMPThread() {
  const OpenMP& runtime = open_mp();
  if (!runtime.set_threads || !runtime.max_threads) return;
  previous_ = runtime.max_threads();
  if (previous_ != 1) runtime.set_threads(1);
}

OneOpenMPThread::~OneOpenMPThread() {
  if (previous_ != 1) open_mp().set_threads(previous_);
}

OneThread::OneThread() {
  if (depth++ == 0) enter(call_ = (calls += one_call) >> 32);
}

OneThread::~OneThread() {
  if (--depth == 0) leave(call_);
}

}  // namespace minima::detail
