#include <minima/profiler/measure.h>

#include <minima/profiler/roofs/roof.h>

#include <gtest/gtest.h>

#include <cstdint>

namespace minima::profiler::measure_test {
namespace {

TEST(Measure, RepeatsAndCountsItsCalls) {
  std::int64_t calls = 0;
  const Measurement m = measure([&] { ++calls; }, Device::cpu(), {.warmup_seconds = 0, .seconds = 0, .min_samples = 7});
  EXPECT_EQ(m.samples, 7);
  EXPECT_EQ(calls, 2 + m.samples * m.calls);
  EXPECT_GT(m.calls, 1) << "a sample must last longer than the clock's resolution";
  EXPECT_LE(m.fastest, m.median);
  EXPECT_GE(m.spread, 0);
}

TEST(Measure, LongCallsAreTheirOwnSamples) {
  volatile double sink = 0;
  const auto work = [&] {
    for (int i = 0; i < 1'000'000; ++i) sink = sink + 1;
  };
  const Measurement m = measure(work, Device::cpu(), {.warmup_seconds = 0, .seconds = 0});
  EXPECT_EQ(m.calls, 1);
  EXPECT_EQ(m.samples, 5);
}

TEST(Roof, IsTheLargerOfTwoLimits) {
  const Roof roof{.bytes_per_second = 10, .flops_per_second = 100, .call_seconds = 0};
  EXPECT_DOUBLE_EQ(roof.seconds(1000, 10), 10);
  EXPECT_DOUBLE_EQ(roof.seconds(10, 1000), 100);
}

TEST(Roof, OfThisMachineIsPlausible) {
  const Roof& roof = machine_roof();
  EXPECT_GT(roof.flops_per_second, 1e8);
  EXPECT_GT(roof.bytes_per_second, 1e8);
  EXPECT_GT(roof.call_seconds, 1e-9);
  EXPECT_LT(roof.call_seconds, 1e-3);
  EXPECT_EQ(&roof, &machine_roof()) << "measured once";
}

}  // namespace
}  // namespace minima::profiler::measure_test
