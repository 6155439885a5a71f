#pragma once

// Measures calls that take long enough for a clock: steps of whole networks.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace minima::bench {

/// Milliseconds of single calls, in ascending order.
struct CallTimes {
  std::vector<double> ms;
  double least() const { return ms.front(); }
  double median() const { return ms[ms.size() / 2]; }
  double most() const { return ms.back(); }
};

/// The clock that calls are timed by: processor time of all threads is disturbed less by other programs, but compares
/// programs of one thread only.
enum class Clock : std::uint8_t { wall, processor };

inline double now_ms(Clock clock) {
  if (clock == Clock::processor) {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Times `count` calls of f after `warmup` others, at least one of each unless warmup is 0. No further call of either
/// begins when they have taken `seconds`.
template <class F>
CallTimes time_calls(int warmup, int count, const F& f, double seconds = std::numeric_limits<double>::infinity(),
                     Clock clock = Clock::wall) {
  for (double begin = now_ms(Clock::wall); warmup > 0 && now_ms(Clock::wall) - begin < 1e3 * seconds; --warmup) f();
  CallTimes times;
  const double begin = now_ms(Clock::wall);
  do {
    const double start = now_ms(clock);
    f();
    times.ms.push_back(now_ms(clock) - start);
  } while (static_cast<int>(times.ms.size()) < count && now_ms(Clock::wall) - begin < 1e3 * seconds);
  std::sort(times.ms.begin(), times.ms.end());
  return times;
}

/// The peak of the process's resident memory in MiB. getrusage's would begin with that of the program that started it.
inline std::int64_t peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) / 1024;
  return 0;
}

}  // namespace minima::bench
