#pragma once

#include <minima/tensor/threads/parallel.h>

#include <cstdint>

// Where callers of parallel_for and workers meet: a few slots, each holding one running job, and the rules by which
// workers spin, sleep and wake.

namespace minima::detail {

inline constexpr int max_threads = 1024;

struct Job {
  RangeFunction function;
  void* context;
  std::int64_t begin, end, chunk;
  int chunks;
};

/// Runs all chunks on the caller and at most `helpers` workers and rethrows the first exception.
void run_job(const Job& job, int helpers);
/// How long a worker without work stays awake: MINIMA_SPIN_US, by default 100. Throws ValueError for what is no such
/// time.
std::int64_t spin_ns();
/// A worker's life: never returns.
[[noreturn]] void serve_jobs();
/// Forgets all jobs and sleepers; for the child of a fork.
void reset_jobs();

}  // namespace minima::detail
