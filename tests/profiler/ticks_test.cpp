#include <minima/profiler/clock/ticks.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace minima::profiler {
namespace {

TEST(Ticks, AgreeWithTheSteadyClock) {
  using Steady = std::chrono::steady_clock;
  const Ticks& ticks = Ticks::of_this_machine();
  const std::uint64_t begin = ticks.now();
  const Steady::time_point start = Steady::now();
  while (Steady::now() - start < std::chrono::milliseconds(20)) {}
  const double seconds = ticks.seconds(ticks.now() - begin);
  const double expected = std::chrono::duration<double>(Steady::now() - start).count();
  EXPECT_NEAR(seconds, expected, 2e-3 * expected + 1e-4);
}

TEST(Ticks, NeverGoBack) {
  const Ticks& ticks = Ticks::of_this_machine();
  std::uint64_t last = ticks.now();
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t now = ticks.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace minima::profiler
