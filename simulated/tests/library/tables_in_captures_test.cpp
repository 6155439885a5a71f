#include "simulated/tests/library/library.h"

#include <minima/ops/ops.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

// A captured graph launches kernels again after the memory of temporaries has been reused. Tables that describe windows
// or taps therefore travel with the launches.

namespace minima::tables_in_captures_test {
namespace {

class TablesInCaptures : public LibraryOnSimulatedGpus {};

/// A recorded step computes in every replay what it computes eagerly, whatever else it calls after.
void expect_replays(const std::function<Tensor(const Tensor&)>& first,
                    const std::function<Tensor(const Tensor&)>& second) {
  const Tensor x = randn({1, 2, 12, 12}, {.device = first_gpu});
  const auto expected = first(x).to_vector<float>();
  train::CapturedStep step([&](const Tensor& input) {
    Tensor result = first(input);
    for (int i = 0; i < 4; ++i) second(input);
    return result;
  });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(step(x).to_vector<float>(), expected) << "call " << i;
  EXPECT_EQ(step.reason(), "");
}

TEST_F(TablesInCaptures, AveragePoolingReplays) {
  expect_replays([](const Tensor& x) { return adaptive_avg_pool2d(x, {5, 5}); },
                 [](const Tensor& x) { return avg_pool2d(x, {.kernel = 4, .stride = 2}); });
  expect_replays([](const Tensor& x) { return avg_pool2d(x, {.kernel = 3, .stride = 2}); },
                 [](const Tensor& x) { return avg_pool2d(x, {.kernel = 4, .stride = 2}); });
}

TEST_F(TablesInCaptures, InterpolationReplays) {
  expect_replays([](const Tensor& x) { return interpolate(x, {.size = {20, 17}, .mode = InterpolateMode::linear}); },
                 [](const Tensor& x) { return interpolate(x, {.size = {20, 18}, .mode = InterpolateMode::linear}); });
}

TEST_F(TablesInCaptures, LargeOnesReplay) {
  expect_replays([](const Tensor& x) { return interpolate(x, {.size = {9, 9000}, .mode = InterpolateMode::cubic}); },
                 [](const Tensor& x) { return interpolate(x, {.size = {9, 9001}, .mode = InterpolateMode::cubic}); });
}

}  // namespace
}  // namespace minima::tables_in_captures_test
