#include <minima/profiler/clock_ticks.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace minima::profiler::clock_ticks_test {
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

// Of many moments none may be far off, also if the thread was suspended between the clocks.
TEST(Ticks, MomentsAreTheSameOnBothClocks) {
  const Ticks& ticks = Ticks::of_this_machine();
  const Ticks::Moment first = ticks.moment();
  Ticks::Moment moment;
  for (int i = 0; i < 1000; ++i) {
    moment = ticks.moment();
    const double steady = 1e-9 * static_cast<double>(moment.steady_ns - first.steady_ns);
    ASSERT_NEAR(ticks.seconds(moment.ticks - first.ticks), steady, 2e-3 * steady + 5e-6);
  }
  EXPECT_GT(moment.steady_ns, first.steady_ns);
}

}  // namespace
}  // namespace minima::profiler::clock_ticks_test
