#pragma once

#include <minima/tensor/threads/parallel.h>

#include <cstdint>
#include <string>
#include <vector>

namespace at {

inline void init_num_threads() {}
inline void set_num_threads(int count) { minima::set_num_threads(count); }
inline int get_num_threads() { return minima::num_threads(); }
/// minima has no pool of threads for independent operators: this is a number that can be read back.
void set_num_interop_threads(int count);
int get_num_interop_threads();
int get_thread_num();
bool in_parallel_region();
std::string get_parallel_info();

template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain_size, const F& f) {
  minima::parallel_for(begin, end, grain_size < 1 ? 1 : grain_size, f);
}

/// Combines f(first, last, identity) of ranges by `combine`, in order.
template <class T, class F, class Combine>
T parallel_reduce(std::int64_t begin, std::int64_t end, std::int64_t grain_size, T identity, const F& f,
                  const Combine& combine) {
  if (end <= begin) return identity;
  const std::int64_t grain = grain_size < 1 ? 1 : grain_size;
  const std::int64_t count = (end - begin + grain - 1) / grain;
  std::vector<T> parts(static_cast<std::size_t>(count), identity);
  minima::parallel_for(0, count, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t start = begin + i * grain;
      parts[static_cast<std::size_t>(i)] = f(start, start + grain < end ? start + grain : end, identity);
    }
  });
  T result = identity;
  for (const T& part : parts) result = combine(result, part);
  return result;
}

}  // namespace at
