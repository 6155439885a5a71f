#include <minima/ops/boxes/regions.h>

#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"
#include "tests/support/recorded.h"

#include <minima/autograd/gradcheck.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

// tests/fixtures/generate_rare.py describes the fixture.

namespace minima::regions_test {
namespace {

using test::message_of;

void expect_torchvisions(Device device) {
  const test::Recorded recorded("rare.safetensors", device);
  const Tensor rois = recorded["rois"], boxes = slice(rois, 0, 0, 6);
  const auto expect = [&](const std::string& name, auto&& pool) {
    const Tensor x = recorded.leaf("x");
    recorded.expect_with_gradients(name, pool(x), {{"x", x}});
  };
  expect("roi_pool", [&](const Tensor& x) { return roi_pool(x, rois, {.size = {3, 2}, .spatial_scale = 0.25}); });
  // torchvision's backward of ps_roi_pool counts a row and a column that its forward leaves out; ours does not.
  recorded.expect("ps_roi_pool", ps_roi_pool(recorded["x"], rois, {.size = {3, 2}, .spatial_scale = 0.25}));
  PsRoiAlignOptions options{.size = {2, 3}, .spatial_scale = 0.25, .sampling_ratio = 2};
  expect("ps_roi_align", [&](const Tensor& x) { return ps_roi_align(x, boxes, options); });
  options.sampling_ratio = -1;
  expect("ps_roi_align.adaptive", [&](const Tensor& x) { return ps_roi_align(x, boxes, options); });
}

TEST(Regions, AreTorchvisions) { expect_torchvisions(Device()); }

class GpuRegions : public test::GpuTest {};
TEST_F(GpuRegions, AreTorchvisions) { expect_torchvisions(Device::cuda()); }

TEST(Regions, HalfTypesComputeInFloat32) {
  const Tensor x = randn({1, 4, 5, 5}).to(float16), boxes = tensor<float>({0, 0, 0, 4, 4}).to(float16);
  const Tensor y = ps_roi_pool(x, reshape(boxes, {1, 5}), {.size = 2});
  EXPECT_EQ(y.dtype(), float16);
  const Closeness close =
      allclose(y, ps_roi_pool(x.to(float32), reshape(boxes, {1, 5}).to(float32), {.size = 2}).to(float16),
               {.rtol = 0, .atol = 0});
  EXPECT_TRUE(close) << close.message;
}

TEST(Regions, HaveSecondGradients) {
  const Tensor boxes = tensor<double>({{0, 0, 1, 3, 4}, {0, 3, 2, 9, 8}});
  const GradcheckReport report = gradcheck(
      [&](auto& in) {
        return std::vector{square(ps_roi_align(in[0], boxes, {.size = 2})), roi_pool(square(in[0]), boxes, {.size = 2}),
                           ps_roi_pool(square(in[0]), boxes, {.size = 2})};
      },
      {randn({1, 4, 5, 6}, {.dtype = float64}).requires_grad(true)});
  EXPECT_TRUE(report) << report.message;
}

TEST(Regions, ErrorsSayWhatWasPassed) {
  const Tensor x = ones({1, 5, 4, 4}), box = zeros({1, 5});
  EXPECT_EQ(message_of<ShapeError>([&] { ps_roi_pool(x, box, {.size = 2}); }),
            "ps_roi_pool: 2 × 2 cells must divide the channels of x float32 [1, 5, 4, 4]");
  EXPECT_EQ(message_of<IndexError>([&] { roi_pool(x, box + 1, {.size = 2}); }),
            "roi_pool: image 1 is out of range for x float32 [1, 5, 4, 4]");
  EXPECT_EQ(message_of<ValueError>([&] { roi_pool(x, tensor<float>({{0, 0, 0, INFINITY, 1}}), {.size = 2}); }),
            "roi_pool: a box starts at 0 and ends at inf; boxes must be finite");
}

}  // namespace
}  // namespace minima::regions_test
