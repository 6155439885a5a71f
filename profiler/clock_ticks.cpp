#include <minima/profiler/clock_ticks.h>

#include <minima/tensor/device/background.h>

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

Ticks::Moment read_both() {
  Ticks::Moment best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t before = __rdtsc();
    const std::int64_t at = minima::detail::steady_ns();
    const std::uint64_t after = __rdtsc();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, at};
  }
  return best;
}

double period_over(std::chrono::milliseconds time) {
  const Ticks::Moment start = read_both();
  const Steady::time_point until = Steady::now() + time;
  while (Steady::now() < until) {}
  const Ticks::Moment end = read_both();
  return 1e-9 * static_cast<double>(end.steady_ns - start.steady_ns) / static_cast<double>(end.ticks - start.ticks);
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

Ticks::Moment Ticks::moment() const {
#if defined(__x86_64__)
  if (is_counter_) return read_both();
#endif
  const Steady::time_point time = Steady::now();
  return {static_cast<std::uint64_t>(time.time_since_epoch().count()), minima::detail::steady_ns(time)};
}

const Ticks& Ticks::of_this_machine() {
  static const Ticks ticks;
  return ticks;
}

}  // namespace minima::profiler
