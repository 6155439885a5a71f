#pragma once

#include <minima/tensor/api.h>

#include <cstdint>
#include <type_traits>

namespace minima {

/// The number of threads that `parallel_for` uses from this thread, the caller included. Defaults to the cores this
/// process may use, or MINIMA_THREADS.
MINIMA_API int num_threads();
/// Sets it for the whole process; 1 turns parallelism off. Throws ValueError below 1.
MINIMA_API void set_num_threads(int count);
/// Limits this thread alone, for threads that are themselves one of many (the workers of a data loader).
MINIMA_API void set_thread_limit(int count);

/// While on, every operator uses an algorithm whose result does not depend on timing or on the number of threads, and
/// one that has none throws and names itself. One switch for the process.
MINIMA_API void deterministic(bool on);
MINIMA_API bool is_deterministic();

namespace detail {

using RangeFunction = void (*)(void* context, std::int64_t begin, std::int64_t end);
MINIMA_API void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeFunction function,
                             void* context);

}  // namespace detail

/// Calls f(first, last) on disjoint ranges that cover [begin, end), from several threads, and returns when all are
/// done. No range but the last is shorter than `grain`, the number of indices worth a hand-over; a range that is not
/// longer runs on the caller. Range bounds are multiples of `grain` (counted from `begin`) and so do not depend on the
/// number of threads as long as callers keep per-range results apart by index. The first exception is rethrown on the
/// caller after the others have finished. Nested calls run on the caller.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
  if (end <= begin) return;
  if (end - begin <= grain) {
    f(begin, end);
    return;
  }
  using Callable = std::remove_reference_t<F>;
  detail::parallel_for(
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
