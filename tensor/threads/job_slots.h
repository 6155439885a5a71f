#pragma once

#include <minima/tensor/threads/parallel.h>

#include <cstdint>

// The exchange between callers of parallel_for and workers: a few slots that each hold a running job, and the rules by
// which workers spin, sleep and wake.

namespace minima::detail {

inline constexpr int max_threads = 1024;

struct Job {
  RangeFunction function;
  void* context;
  std::int64_t begin, end, chunk;
  int chunks;
};

/// Runs all chunks on the caller and up to `helpers` workers. Rethrows the first exception.
void run_job(const Job& job, int helpers);
/// How long an idle worker spins: MINIMA_SPIN_US, by default 100 µs. Throws ValueError for an invalid value.
std::int64_t spin_ns();
/// The main loop of a worker; never returns.
[[noreturn]] void serve_jobs();
/// Drops all jobs and sleepers, for the child of a fork.
void reset_jobs();

}  // namespace minima::detail
