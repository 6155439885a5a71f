#pragma once

#include <cstdint>
#include <exception>

namespace minima::inference {

/// Runs call(i) for i = 0 … count - 1, element i on stream i mod `streams`, between a fork from the caller's stream
/// and a join with it. Streams has
///
///     void fork(int streams);  // the first `streams` streams wait for the caller's
///     auto enter(int stream);  // a guard that makes a stream current
///     void join(int streams);  // the caller's stream waits for them
///
/// If a call throws, the elements after it are left out, and the exception is rethrown after the join: kernels of
/// earlier elements may still read what the caller is about to free.
template <class Streams, class Call>
void fork_streams(std::int64_t count, int streams, Streams& all, const Call& call) {
  const int used = static_cast<int>(count < streams ? count : streams);
  all.fork(used);
  std::exception_ptr error;
  for (std::int64_t i = 0; i < count && !error; ++i) {
    const auto guard = all.enter(static_cast<int>(i % streams));
    try {
      call(i);
    } catch (...) {
      error = std::current_exception();
    }
  }
  all.join(used);
  if (error) std::rethrow_exception(error);
}

}  // namespace minima::inference
