#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <type_traits>

namespace minima {

/// The number of threads, including the caller, that `parallel_for` uses on this thread; 1 inside a parallel_for.
/// Defaults to MINIMA_THREADS or else to the cores that the process's affinity and control group allow.
MINIMA_API int num_threads();
/// Sets it for the process; 1 disables parallelism. Throws ValueError unless 1 ≤ count ≤ 1024.
MINIMA_API void set_num_threads(int count);
/// Limits the calling thread only, for threads that already run in parallel, such as data loader workers. 0 removes the
/// limit.
MINIMA_API void set_thread_limit(int count);

namespace detail {

using RangeFunction = void (*)(void* context, std::int64_t begin, std::int64_t end);
MINIMA_API void run_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeFunction function,
                           void* context);

}  // namespace detail

/// Calls f(first, last) for disjoint ranges that cover [begin, end), on several threads, and returns when all are done.
/// Ranges are multiples of `grain` long, except for the last; their length depends on the number of threads. `grain` is
/// the number of indices that makes a range worth handing to a thread. After an exception no further ranges start; the
/// first one is rethrown on the caller when the running ranges have ended. A nested call runs on its caller as a single
/// range. May be called from several threads at once.
///
/// For results that don't depend on the number of threads, the result for an index must not depend on its range. A sum
/// therefore adds, in order, partial sums over blocks whose size depends only on the problem:
///   std::vector<double> partial(blocks);
///   parallel_for(0, blocks, 1, [&](auto first, auto last) {
///     for (auto b = first; b < last; ++b) partial[b] = sum_of_block(b);
///   });
///   const double sum = std::accumulate(partial.begin(), partial.end(), 0.0);
///
/// Idle workers spin for MINIMA_SPIN_US (100) microseconds, then sleep. After a fork the child starts its own workers;
/// do not fork inside a range.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
  if (end <= begin) return;
  if (end - begin <= grain) {
    f(begin, end);
    return;
  }
  using Callable = std::remove_reference_t<F>;
  detail::run_ranges(
      begin, end, grain,
      [](void* context, std::int64_t first, std::int64_t last) { (*static_cast<Callable*>(context))(first, last); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

/// The grain at which a range takes about ten microseconds, given the cost of one index in nanoseconds.
constexpr std::int64_t grain_for(double nanoseconds_per_index) {
  const double grain = 10'000.0 / nanoseconds_per_index;
  return grain < 1 ? 1 : static_cast<std::int64_t>(grain);
}

}  // namespace minima
