#include <minima/ops/pooling/fractional_pool.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"
#include "tests/support/recorded.h"

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// tests/fixtures/generate_rare.py describes the fixture.

namespace minima::fractional_pool_test {
namespace {

using test::FunctionCases;

using test::message_of;

void expect_pytorchs(Device device) {
  const test::Recorded recorded("rare.safetensors", device);
  const FractionalMaxPool2dOptions in_planes{.kernel = {2, 3}, .size = {4, 7}, .samples = recorded["samples"]};
  const Tensor plane = recorded.leaf("plane"), volume = recorded.leaf("volume");
  recorded.expect_with_gradients("fractional2", fractional_max_pool2d(plane, in_planes), {{"plane", plane}});
  recorded.expect("fractional2.indices", fractional_max_pool2d_with_indices(plane, in_planes).indices);
  const FractionalMaxPool3dOptions in_volumes{.kernel = {2, 2, 3}, .size = {3, 1, 5}, .samples = recorded["samples3"]};
  recorded.expect_with_gradients("fractional3", fractional_max_pool3d(volume, in_volumes), {{"volume", volume}});
  recorded.expect("fractional3.indices", fractional_max_pool3d_with_indices(volume, in_volumes).indices);
}

TEST(FractionalMaxPool, IsPyTorchs) { expect_pytorchs(Device()); }

class GpuFractionalMaxPool : public test::GpuTest {};
TEST_F(GpuFractionalMaxPool, IsPyTorchs) { expect_pytorchs(Device::cuda()); }

TEST(FractionalMaxPool, DrawsTheWindows) {
  const Tensor x = reshape(arange(0.0, 100.0), {1, 10, 10});
  RandomGenerator one(1), same(1), other(2);
  const FractionalMaxPool2dOptions options{.kernel = 2, .size = 7};
  const Tensor y = fractional_max_pool2d(x, options, &one);
  EXPECT_EQ(y.shape(), Shape({1, 7, 7}));
  EXPECT_TRUE(all(eq(y, fractional_max_pool2d(x, options, &same))).item<bool>());
  EXPECT_FALSE(all(eq(y, fractional_max_pool2d(x, options, &other))).item<bool>());
  // The last window ends at the last element, and each begins one or two after the one before.
  EXPECT_EQ(y.to_vector<double>().back(), 99);
  const auto steps = (slice(y, 2, 1) - slice(y, 2, 0, 6)).to_vector<double>();
  for (const double step : steps) EXPECT_TRUE(step == 1 || step == 2) << step;
}

TEST(FractionalMaxPool, ErrorsSayWhatWasPassed) {
  EXPECT_EQ(
      message_of<ValueError>([] { fractional_max_pool2d(ones({1, 4, 4}), {.kernel = 3, .size = 3}); }),
      "fractional_max_pool2d: 3 windows of 3 do not fit in 4 elements of float32 [1, 4, 4]; kernel + size - 1 must "
      "not be larger");
  EXPECT_EQ(message_of<ShapeError>([] { fractional_max_pool3d(ones({4, 4}), {.kernel = 1, .size = 3}); }),
            "fractional_max_pool3d: x must be [N, C, D, H, W] or [C, D, H, W], got float32 [4, 4]");
  EXPECT_EQ(message_of<ShapeError>(
                [] { fractional_max_pool2d(ones({1, 4, 4}), {.kernel = 2, .size = 3, .samples = ones({1, 2})}); }),
            "fractional_max_pool2d: samples must be floating [1, 1, 2], got float32 [1, 2]");
}

[[maybe_unused]] const bool fractional_max_pool2d_calls =
    FunctionCases("fractional_max_pool2d")
        .huge([](auto v) { fractional_max_pool2d(ones({2, 4, 5, 6}), {.kernel = {2, v}, .size = 2}); })
        .undefined([](const Tensor& none) { fractional_max_pool2d(none, {.kernel = 2, .size = 1}); })
        .check();

[[maybe_unused]] const bool fractional_max_pool2d_with_indices_calls =
    FunctionCases("fractional_max_pool2d_with_indices")
        .huge([](auto v) { fractional_max_pool2d_with_indices(ones({2, 4, 5, 6}), {2, v}); })
        .undefined([](const Tensor& none) { fractional_max_pool2d_with_indices(none, {.kernel = 2, .size = 1}); })
        .check();

[[maybe_unused]] const bool fractional_max_pool3d_calls =
    FunctionCases("fractional_max_pool3d")
        .undefined([](const Tensor& none) { fractional_max_pool3d(none, {.kernel = 2, .size = 1}); })
        .check();

[[maybe_unused]] const bool fractional_max_pool3d_with_indices_calls =
    FunctionCases("fractional_max_pool3d_with_indices")
        .undefined([](const Tensor& none) { fractional_max_pool3d_with_indices(none, {.kernel = 2, .size = 1}); })
        .check();

}  // namespace
}  // namespace minima::fractional_pool_test
