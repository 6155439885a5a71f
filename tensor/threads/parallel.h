#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <type_traits>

namespace minima {

/// The number of threads that `parallel_for` uses from this thread, the caller included; 1 inside of one. Defaults to
/// MINIMA_THREADS or the cores that this process may use by its affinity and control group.
MINIMA_API int num_threads();
/// Sets it for the whole process; 1 turns parallelism off. Throws ValueError below 1 or above 1024.
MINIMA_API void set_num_threads(int count);
/// Limits this thread alone, for threads that are themselves one of many (the workers of a data loader). 0 lifts it.
MINIMA_API void set_thread_limit(int count);

/// While on, every operator uses an algorithm whose result does not depend on timing or on the number of threads, and
/// one that has none throws and names itself. One switch for the process.
MINIMA_API void deterministic(bool on);
MINIMA_API bool is_deterministic();

namespace detail {

using RangeFunction = void (*)(void* context, std::int64_t begin, std::int64_t end);
MINIMA_API void run_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeFunction function,
                           void* context);

}  // namespace detail

/// Calls f(first, last) on disjoint ranges that cover [begin, end), from several threads, and returns when all are
/// done. Every range starts a multiple of `grain` after `begin`; none but the last is shorter than `grain`, the number
/// of indices worth a hand-over. How many grains make a range depends on the number of threads. The first exception is
/// rethrown on the caller after all ranges that had begun have ended; the others are not begun. Nested calls run on the
/// caller, as one range. Several threads may call at once.
///
/// What is computed for an index must not depend on the range it came in: then the result does not depend on the number
/// of threads. For a sum that means partial sums over blocks whose size is fixed by the problem, added up in order:
///   std::vector<double> partial(blocks);
///   parallel_for(0, blocks, 1, [&](auto first, auto last) {
///     for (auto b = first; b < last; ++b) partial[b] = sum_of_block(b);
///   });
///   const double sum = std::accumulate(partial.begin(), partial.end(), 0.0);
///
/// Workers that find no work stay awake for MINIMA_SPIN_US (100) microseconds and then sleep. The child of a fork
/// starts workers of its own; do not fork inside a range.
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

/// The grain that makes a range worth about ten microseconds, from the cost of one index in nanoseconds.
constexpr std::int64_t grain_for(double nanoseconds_per_index) {
  const double grain = 10'000.0 / nanoseconds_per_index;
  return grain < 1 ? 1 : static_cast<std::int64_t>(grain);
}

}  // namespace minima
