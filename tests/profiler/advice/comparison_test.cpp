#include "planted.h"

#include <minima/profiler/advice/comparison.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

// Clocks of machines with other work, from generators: nothing here depends on how busy this one is.

namespace minima::profiler::comparison_test {
namespace {

using test::OperatorClock;

/// Two calls that take 10 ms and `after` ms by themselves, on a busy machine.
Comparison compare_on(OperatorClock& clock, double after) {
  double now = 0;
  const Function<void()> first = [&] { now = 10; }, second = [&] { now = after; };
  return compare_in_turns(first, second,
                          [&](const Function<void()>& call) {
                            call();
                            return 1e-3 * now * clock.disturbance();
                          },
                          {.seconds = 0, .min_turns = 16});
}

TEST(Comparison, EqualCallsShowNoClearDifferenceOnABusyMachine) {
  int clear = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    OperatorClock clock(0.4, seed);
    clear += compare_on(clock, 10).is_clear;
  }
  EXPECT_LE(clear, 10) << "of 500";
}

TEST(Comparison, ARealGainShowsOnABusyMachine) {
  int clear = 0, near = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    OperatorClock clock(0.4, seed);
    const Comparison comparison = compare_on(clock, 5);
    clear += comparison.is_clear && comparison.gain() > 1;
    near += comparison.gain() > 1.7 && comparison.gain() < 2.3;
  }
  EXPECT_GE(clear, 490) << "of 500";
  EXPECT_GE(near, 450) << "of 500 between 1.7 and 2.3";
}

TEST(Comparison, ALossShowsToo) {
  OperatorClock clock(0.2, 7);
  const Comparison comparison = compare_on(clock, 20);
  EXPECT_TRUE(comparison.is_clear);
  EXPECT_NEAR(comparison.gain(), 0.5, 0.1);
}

TEST(Comparison, OfAQuietMachineIsExact) {
  OperatorClock clock;
  const Comparison comparison = compare_on(clock, 8);
  EXPECT_DOUBLE_EQ(comparison.gain(), 1.25);
  EXPECT_NEAR(comparison.spread, 0, 1e-12);
  EXPECT_TRUE(comparison.is_clear);
  EXPECT_FALSE(compare_on(clock, 10).is_clear) << "equal";
  EXPECT_FALSE(compare_on(clock, 9.95).is_clear) << "not worth a word";
}

TEST(Comparison, TakesTurnsThatAlternate) {
  std::string order;
  compare_in_turns([&] { order += 'A'; }, [&] { order += 'B'; },
                   [](const Function<void()>& call) {
                     call();
                     return 1.0;
                   },
                   {.seconds = 0, .min_turns = 4});
  EXPECT_EQ(order,
            "ABAB"
            "ABBAABBA")
      << "warm-up, then turns";
}

TEST(Comparison, CountsMoreWork) {
  const std::vector<double> before(12, 2.0), after(12, 3.0);
  EXPECT_DOUBLE_EQ(compare_turns(before, after, 2).gain(), 4.0 / 3);
  EXPECT_DOUBLE_EQ(compare_turns(before, after, 2).after, 1.5);
}

TEST(Comparison, OfManyTurnsHasASmallSpread) {
  for (const std::size_t turns : {400u, 600u, 5000u}) {
    OperatorClock clock(0.2, 3);
    std::vector<double> before, after;
    for (std::size_t i = 0; i < turns; ++i) before.push_back(clock.disturbance()), after.push_back(clock.disturbance());
    const Comparison comparison = compare_turns(before, after);
    EXPECT_LT(comparison.spread, 0.02) << turns;
    EXPECT_GT(comparison.spread, 0.002) << turns;
    EXPECT_FALSE(comparison.is_clear) << turns;
  }
}

TEST(Comparison, OfFewTurnsIsNeverClear) {
  EXPECT_FALSE(compare_turns(std::vector<double>(7, 2.0), std::vector<double>(7, 1.0)).is_clear);
  EXPECT_TRUE(compare_turns(std::vector<double>(8, 2.0), std::vector<double>(8, 1.0)).is_clear);
  EXPECT_THROW(compare_turns({1.0}, {}), ValueError);
}

}  // namespace
}  // namespace minima::profiler::comparison_test
