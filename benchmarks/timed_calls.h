#pragma once

// Measures calls that take long enough for a clock: steps of whole networks.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
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

/// Times `count` calls of f, at least one, after `warmup` others.
template <class F>
CallTimes time_calls(int warmup, int count, const F& f) {
  using Clock = std::chrono::steady_clock;
  CallTimes times;
  for (int i = -warmup; i < std::max(count, 1); ++i) {
    const Clock::time_point start = Clock::now();
    f();
    if (i >= 0) times.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
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
