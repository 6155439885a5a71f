#include <minima/minima.h>
#include <minima/profiler/measure.h>

#include <gtest/gtest.h>

#include <cstdint>

namespace minima::profiler::gpu_measure_test {
namespace {

Measurement product_of(std::int64_t n) {
  const Tensor a = ones({n, n}, {.device = Device::cuda()});
  return measure([&] { matmul(a, a); }, a.device(), {.warmup_seconds = 0.01, .seconds = 0.01});
}

TEST(GpuMeasure, LargerProductsTakeLonger) {
  if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  const Measurement small = product_of(16);
  // On a real GPU the larger product must take longer than the host needs for its launch: a millisecond or more.
  const Measurement large = product_of(small.predicted ? 96 : 4096);
  EXPECT_GT(small.median, 0);
  EXPECT_GT(large.median, small.median);
}

TEST(GpuMeasure, PredictionsHaveNoNoise) {
  if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  const Measurement once = product_of(16);
  if (!once.predicted) GTEST_SKIP() << "times of a real GPU have noise";
  EXPECT_NEAR(once.median, product_of(16).median, 1e-9);
  const double before = clock_seconds(Device::cuda());
  EXPECT_EQ(clock_seconds(Device::cuda()), before);
  zeros({1024}, {.device = Device::cuda()});
  EXPECT_GT(clock_seconds(Device::cuda()), before);
}

}  // namespace
}  // namespace minima::profiler::gpu_measure_test
