#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace minima::profiler {

/// A clock for short spans. Where the processor's time-stamp counter runs at a constant rate, reading it takes a third
/// of the time of the system's steady clock; elsewhere this is the steady clock.
///
///     const Ticks& clock = Ticks::of_this_machine();
///     const std::uint64_t start = clock.now();
///     const double seconds = clock.seconds(clock.now() - start);
class Ticks {
 public:
  /// Compares the counter with the steady clock at the first call, for ten milliseconds.
  static const Ticks& of_this_machine();

  std::uint64_t now() const {
#if defined(__x86_64__)
    if (is_counter_) [[likely]]
      return __rdtsc();
    return steady();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }
  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) * period_; }

  /// The same time on this clock and on the system's steady clock.
  struct Moment {
    std::uint64_t ticks = 0;
    std::int64_t steady_ns = 0;
  };
  /// Reads both clocks several times and returns the pair that took the least time: a thread that is suspended between
  /// two readings does not set the clocks apart.
  Moment moment() const;

  /// Whether this is the counter.
  bool is_counter() const { return is_counter_; }

 private:
  Ticks();
  static std::uint64_t steady();

  bool is_counter_ = false;
  double period_ = 0;  ///< seconds of a tick
};

}  // namespace minima::profiler
