#include <minima/ops/image/regions.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/image/overlaps.h"
#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"
#include "tests/support/recorded.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// tests/fixtures/generate_rare.py describes the fixture.

namespace minima::regions_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

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

/// A bilinear sample of a channel, 0 if it is more than a pixel outside.
double sample(const Doubles& x, std::int64_t n, std::int64_t c, double at_y, double at_x) {
  const std::int64_t height = x.shape[2], width = x.shape[3];
  if (at_y < -1 || at_y > static_cast<double>(height) || at_x < -1 || at_x > static_cast<double>(width)) return 0;
  const double y = std::clamp(at_y, 0.0, static_cast<double>(height - 1));
  const double z = std::clamp(at_x, 0.0, static_cast<double>(width - 1));
  const auto y0 = static_cast<std::int64_t>(y), x0 = static_cast<std::int64_t>(z);
  const std::int64_t y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
  const double dy = y - static_cast<double>(y0), dx = z - static_cast<double>(x0);
  return (1 - dy) * ((1 - dx) * x[{n, c, y0, x0}] + dx * x[{n, c, y0, x1}]) +
         dy * ((1 - dx) * x[{n, c, y1, x0}] + dx * x[{n, c, y1, x1}]);
}

auto aligned_regions(const RoiAlignOptions& o) {
  return [=](Lists in) {
    const Doubles &x = in[0], &boxes = in[1];
    Doubles result({boxes.shape[0], x.shape[1], o.size.height, o.size.width});
    const double shift = o.aligned ? 0.5 : 0;
    each_index(result.shape, [&](const Shape& at) {
      const auto edge = [&](std::int64_t i) { return boxes[{at[0], i}] * o.spatial_scale - shift; };
      double height = edge(4) - edge(2), width = edge(3) - edge(1);
      if (!o.aligned) height = std::max(height, 1.0), width = std::max(width, 1.0);
      const double cell_y = height / static_cast<double>(o.size.height),
                   cell_x = width / static_cast<double>(o.size.width);
      const bool fixed = o.sampling_ratio > 0;
      const auto ny = fixed ? static_cast<double>(o.sampling_ratio) : std::ceil(cell_y);
      const auto nx = fixed ? static_cast<double>(o.sampling_ratio) : std::ceil(cell_x);
      for (double i = 0; i < ny; ++i)
        for (double j = 0; j < nx; ++j)
          result[at] += sample(x, static_cast<std::int64_t>(boxes[{at[0], 0}]), at[1],
                               edge(2) + (static_cast<double>(at[2]) + (i + 0.5) / ny) * cell_y,
                               edge(1) + (static_cast<double>(at[3]) + (j + 0.5) / nx) * cell_x) /
                        (ny * nx);
    });
    return result;
  };
}

const Draw regions = given({4, 5}, {0, 0.5, 1, 6.25, 7, 1, -5, -3, 4, 9, 1, 8, 8, 8, 8, 0, 2, 2, 40, 30}).constant();
constexpr RoiAlignOptions fixed{.size = {2, 3}, .spatial_scale = 0.5, .sampling_ratio = 2, .aligned = true};
constexpr RoiAlignOptions adaptive{.size = {2, 1}, .spatial_scale = 0.5};

[[maybe_unused]] const bool roi_align_cases =
    composed(OpCases("roi_align"))
        .autocast("float32")
        .result_layout(ResultLayout::row_major)
        .on([](In in) { return roi_align(in[0], in[1], fixed); }, aligned_regions(fixed), "aligned")
        .inputs(normal({2, 1, 4, 5}), regions)
        .inputs(normal({1, 3, 4, 4}), given({0, 5}, {}).constant())
        .on([](In in) { return roi_align(in[0], in[1], adaptive); }, aligned_regions(adaptive), "adaptive")
        .inputs(normal({2, 2, 5, 2}), regions)
        .huge([](std::int64_t n) { roi_align(ones({1, 1, 2, 2}), zeros({1, 5}), {.size = n}); })
        .huge([](std::int64_t n) { roi_align(ones({1, 1, 2, 2}), zeros({1, 5}), {.sampling_ratio = n}); })
        .error<ShapeError>([] { roi_align(sized({2, 3, 4}), sized({1, 5})); },
                           "roi_align: x must be [N, C, H, W], got float32 [2, 3, 4]")
        .error<ShapeError>([] { roi_align(sized({2, 3, 0, 4}), sized({1, 5})); },
                           "roi_align: x float32 [2, 3, 0, 4] has no elements to sample")
        .error<ShapeError>(
            [] { roi_align(sized({2, 3, 4, 4}), sized({1, 4})); },
            "roi_align: boxes must be [K, 5], the number of an image and x1, y1, x2, y2, got float32 [1, 4]")
        .error<DTypeError>([] { roi_align(sized({2, 3, 4, 4}), sized({1, 5}, float64)); },
                           "roi_align: needs one floating dtype, got x float32 [2, 3, 4, 4] and boxes float64 [1, 5]; "
                           "convert one with to()")
        .error<IndexError>([] { roi_align(ones({2, 3, 4, 4}), ones({1, 5}) * 2); },
                           "roi_align: image 2 is out of range for x float32 [2, 3, 4, 4]")
        .error<ValueError>([] { roi_align(ones({2, 3, 4, 4}), ones({1, 5}), {.size = 0}); },
                           "roi_align: size must be from 1 to 65536, got 0 and 0")
        .error<ValueError>([] { roi_align(ones({2, 3, 4, 4}), ones({1, 5}), {.sampling_ratio = 65537}); },
                           "roi_align: sampling_ratio must be at most 65536, got 65537")
        .error<ValueError>([] { roi_align(ones({2, 3, 4, 4}), ones({1, 5}), {.spatial_scale = INFINITY}); },
                           "roi_align: spatial_scale must be positive and finite, got inf")
        .check();

TEST(Boxes, RoiAlignIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  const boxes::Recorded recorded;
  const RoiAlignOptions calls[] = {
      {.size = {3, 2}, .spatial_scale = 0.25, .sampling_ratio = 2, .aligned = true},
      {.size = {3, 2}, .spatial_scale = 0.25, .sampling_ratio = 2, .aligned = false},
      {.size = {2, 3}, .spatial_scale = 0.25, .aligned = true},
      {.size = {2, 3}, .spatial_scale = 0.5, .aligned = false},
  };
  for (int i = 0; i < 4; ++i) {
    Tensor x = clone(recorded["x"]);
    x.requires_grad(true);
    const Tensor y = roi_align(x, recorded["rois"], calls[i]);
    recorded.expect("roi" + std::to_string(i), y);
    const Tensor weights = cos(arange(y.numel()).to(float64)).to(test_device());
    sum(y * reshape(weights, y.shape())).backward();
    recorded.expect("roi" + std::to_string(i) + ".grad", x.grad());
  }
}

// Many boxes are resampled in parts; each is as it is alone.
TEST(Boxes, RoiAlignOfManyBoxes) {
  const Tensor x = randn({1, 2, 40, 40});
  const Tensor box = tensor({{0.0, 1.0, 2.0, 38.0, 37.0}});
  const Tensor one = roi_align(x, box, {.size = 7, .sampling_ratio = 4});
  const Tensor many = roi_align(x, expand(box, {500, 5}), {.size = 7, .sampling_ratio = 4});
  const Closeness close = allclose(many, expand(one, many.shape()), {.rtol = 0, .atol = 0});
  EXPECT_TRUE(close) << close.message;
}

[[maybe_unused]] const bool roi_pool_calls = FunctionCases("roi_pool")
                                                 .undefined([](const Tensor& none) { roi_pool(none, ones({2, 2})); })
                                                 .undefined([](const Tensor& none) { roi_pool(ones({2, 2}), none); })
                                                 .check();

[[maybe_unused]] const bool ps_roi_pool_calls =
    FunctionCases("ps_roi_pool")
        .undefined([](const Tensor& none) { ps_roi_pool(none, ones({2, 2})); })
        .undefined([](const Tensor& none) { ps_roi_pool(ones({2, 2}), none); })
        .check();

[[maybe_unused]] const bool ps_roi_align_calls =
    FunctionCases("ps_roi_align")
        .undefined([](const Tensor& none) { ps_roi_align(none, ones({2, 2})); })
        .undefined([](const Tensor& none) { ps_roi_align(ones({2, 2}), none); })
        .check();

}  // namespace
}  // namespace minima::regions_test
