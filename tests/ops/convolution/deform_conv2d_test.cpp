#include <minima/ops/convolution/deform_conv2d.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"
#include "tests/support/recorded.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

// tests/fixtures/generate_rare.py describes the fixture.

namespace minima::deform_conv2d_test {
namespace {

using test::FunctionCases;

using test::message_of;

void expect_torchvisions(Device device) {
  const test::Recorded recorded("rare.safetensors", device);
  const Tensor weight = recorded.leaf("weight"), bias = recorded.leaf("bias"), offset = recorded.leaf("offset"),
               mask = recorded.leaf("mask"), image = recorded.leaf("image");
  recorded.expect_with_gradients(
      "deformed",
      deform_conv2d(image, offset, weight, bias, {.stride = 2, .padding = 1, .dilation = {1, 2}, .mask = mask}),
      {{"image", image}, {"offset", offset}, {"weight", weight}, {"bias", bias}, {"mask", mask}});
  // Without offsets it is conv2d; the gradient of the offsets is the one from the right.
  const Tensor x = recorded.leaf("image"), still = recorded.leaf("still"), w = recorded.leaf("weight");
  const Tensor y = deform_conv2d(x, still, w);
  recorded.expect_with_gradients("undeformed", y, {{"image", x}, {"still", still}, {"weight", w}});
  recorded.expect("undeformed", conv2d(x, w, {}, {.groups = 2}));
}

TEST(DeformConv2d, IsTorchvisions) { expect_torchvisions(Device()); }

class GpuDeformConv2d : public test::GpuTest {};
TEST_F(GpuDeformConv2d, IsTorchvisions) { expect_torchvisions(Device::cuda()); }

TEST(DeformConv2d, HasSecondGradients) {
  const auto input = [](const Shape& shape) { return (randn(shape, {.dtype = float64}) * 0.3).requires_grad(true); };
  const GradcheckReport report =
      gradcheck([](auto& in) { return std::vector{deform_conv2d(in[0], in[1] + 0.4, in[2])}; },
                {input({1, 2, 4, 3}), input({1, 8, 3, 2}), input({2, 2, 2, 2})});
  EXPECT_TRUE(report) << report.message;
}

TEST(DeformConv2d, HalfTypesComputeInFloat32) {
  const Tensor x = randn({1, 2, 6, 6}).to(bfloat16), offset = randn({1, 18, 4, 4}).to(bfloat16),
               weight = randn({3, 2, 3, 3}).to(bfloat16);
  const Tensor expected = deform_conv2d(x.to(float32), offset.to(float32), weight.to(float32)).to(bfloat16);
  const Closeness close = allclose(deform_conv2d(x, offset, weight), expected, {.rtol = 0, .atol = 0});
  EXPECT_TRUE(close) << close.message;
}

TEST(DeformConv2d, ReadsNothingOutside) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Tensor x = ones({1, 1, 5, 5});
    fill_(x[0][0][0][0], bad);
    const Tensor offset = full({1, 2, 5, 5}, 40.0).requires_grad(true),
                 y = deform_conv2d(x, offset, ones({1, 1, 1, 1}));
    EXPECT_TRUE(all(y == 0).item<bool>());
    EXPECT_TRUE(all(grad({sum(y)}, {offset})[0] == 0).item<bool>());
  }
}

TEST(DeformConv2d, ErrorsSayWhatWasPassed) {
  const Tensor x = ones({1, 4, 5, 5}), weight = ones({2, 4, 3, 3});
  EXPECT_EQ(message_of<ShapeError>([&] { deform_conv2d(x, ones({1, 18, 4, 4}), weight); }),
            "deform_conv2d: the offsets must be [N, 2 · D · kH · kW, H', W'] with D groups of channels, got float32 "
            "[1, 18, 4, 4]");
  EXPECT_EQ(message_of<DTypeError>([&] { deform_conv2d(x, ones({1, 18, 3, 3}, {.dtype = float64}), weight); }),
            "deform_conv2d: needs one floating dtype, got float64 [1, 18, 3, 3] beside x float32 [1, 4, 5, 5]; convert "
            "with to()");
  EXPECT_EQ(message_of<ShapeError>([&] { deform_conv2d(x, ones({1, 18, 3, 3}), ones({2, 3, 3, 3})); }),
            "deform_conv2d: the weight's channels must divide those of x, and the groups its outputs, got float32 "
            "[2, 3, 3, 3]");
}

[[maybe_unused]] const bool deform_conv2d_calls =
    FunctionCases("deform_conv2d")
        .huge([](auto v) {
          deform_conv2d(ones({2, 4, 5, 6}), zeros({2, 18, 3, 4}), ones({4, 4, 3, 3}), {}, {.stride = v});
        })
        .huge([](auto v) {
          deform_conv2d(ones({2, 4, 5, 6}), zeros({2, 18, 3, 4}), ones({4, 4, 3, 3}), {}, {.padding = v});
        })
        .undefined([](const Tensor& none) { deform_conv2d(none, ones({2, 2}), ones({2, 2})); })
        .undefined([](const Tensor& none) { deform_conv2d(ones({2, 2}), none, ones({2, 2})); })
        .undefined([](const Tensor& none) { deform_conv2d(ones({2, 2}), ones({2, 2}), none); })
        .check();

}  // namespace
}  // namespace minima::deform_conv2d_test
