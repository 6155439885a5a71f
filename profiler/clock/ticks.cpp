#include <minima/profiler/clock/ticks.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace minima::profiler {

namespace {

using Steady = std::chrono::steady_clock;

#if defined(__x86_64__)
/// Whether the counter runs at one rate in every state of the processor.
bool has_constant_counter() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}

struct Reading {
  std::uint64_t ticks = 0;
  Steady::time_point at;
};
/// Both clocks at the same moment: of several readings, the one that took the least time.
Reading read() {
  Reading best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t before = __rdtsc();
    const Steady::time_point at = Steady::now();
    const std::uint64_t after = __rdtsc();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, at};
  }
  return best;
}

double period_over(std::chrono::milliseconds time) {
  const Reading start = read();
  while (Steady::now() - start.at < time) {}
  const Reading end = read();
  return std::chrono::duration<double>(end.at - start.at).count() / static_cast<double>(end.ticks - start.ticks);
}
#endif

}  // namespace

Ticks::Ticks() : period_(static_cast<double>(Steady::period::num) / static_cast<double>(Steady::period::den)) {
#if defined(__x86_64__)
  if (!has_constant_counter()) return;
  const double first = period_over(std::chrono::milliseconds(5)), second = period_over(std::chrono::milliseconds(5));
  // An emulated counter may claim to be constant and not be.
  if (!(std::abs(first - second) < 1e-3 * first)) return;
  period_ = (first + second) / 2;
  is_counter_ = true;
#endif
}

std::uint64_t Ticks::steady() { return static_cast<std::uint64_t>(Steady::now().time_since_epoch().count()); }

const Ticks& Ticks::of_this_machine() {
  static const Ticks ticks;
  return ticks;
}

}  // namespace minima::profiler
