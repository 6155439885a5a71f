#include "tests/simt/harness/simt.h"

#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

// A captured graph launches kernels again after the memory of temporaries has been reused. Tables that describe windows
// or taps therefore travel with the launches.

namespace minima {
namespace {

/// What two calls in one recording compute when it is replayed.
void expect_replays(const std::function<Tensor(const Tensor&)>& first,
                    const std::function<Tensor(const Tensor&)>& second) {
  const Tensor x = randn({1, 2, 12, 12});
  const auto expected = first(x).to_vector<float>();
  Tensor result;
  std::vector<std::function<void()>> work;
  {
    simt::Recording recording;
    result = first(x);
    for (int i = 0; i < 4; ++i) second(x);
    work = recording.take();
  }
  for (const auto& launch : work) launch();
  EXPECT_EQ(result.to_vector<float>(), expected);
}

TEST(SimtTables, AveragePoolingReplays) {
  expect_replays([](const Tensor& x) { return adaptive_avg_pool2d(x, {5, 5}); },
                 [](const Tensor& x) { return avg_pool2d(x, {.kernel = 4, .stride = 2}); });
  expect_replays([](const Tensor& x) { return avg_pool2d(x, {.kernel = 3, .stride = 2}); },
                 [](const Tensor& x) { return avg_pool2d(x, {.kernel = 4, .stride = 2}); });
}

TEST(SimtTables, InterpolationReplays) {
  expect_replays([](const Tensor& x) { return interpolate(x, {.size = {20, 17}, .mode = InterpolateMode::linear}); },
                 [](const Tensor& x) { return interpolate(x, {.size = {20, 18}, .mode = InterpolateMode::linear}); });
}

TEST(SimtTables, LargeOnesReplay) {
  expect_replays([](const Tensor& x) { return interpolate(x, {.size = {9, 9000}, .mode = InterpolateMode::cubic}); },
                 [](const Tensor& x) { return interpolate(x, {.size = {9, 9001}, .mode = InterpolateMode::cubic}); });
}

}  // namespace
}  // namespace minima
