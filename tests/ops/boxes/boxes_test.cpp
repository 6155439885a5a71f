#include <minima/ops/boxes/boxes.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace minima {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

double iou(const Doubles& a, std::int64_t i, const Doubles& b, std::int64_t j) {
  const auto side = [](double low, double high) { return std::max(high - low, 0.0); };
  const double common = side(std::max(a[{i, 0}], b[{j, 0}]), std::min(a[{i, 2}], b[{j, 2}])) *
                        side(std::max(a[{i, 1}], b[{j, 1}]), std::min(a[{i, 3}], b[{j, 3}]));
  const auto area = [](const Doubles& x, std::int64_t row) {
    return (x[{row, 2}] - x[{row, 0}]) * (x[{row, 3}] - x[{row, 1}]);
  };
  return common / (area(a, i) + area(b, j) - common);
}

/// Boxes of which some overlap; no two edges are equal, where a derivative would not exist.
const Draw three = given({3, 4}, {0, 0, 4, 3, 1, -2, 2.5, 5, 7, 7, 8, 8.5});
const Draw two = given({2, 4}, {-1, 1, 3, 2, 3.5, 0.5, 7.5, 9});

[[maybe_unused]] const bool box_iou_cases =
    composed(OpCases("box_iou"))
        .on([](In in) { return box_iou(in[0], in[1]); },
            [](Lists in) {
              Doubles y({in[0].shape[0], in[1].shape[0]});
              each_index(y.shape, [&](const Shape& at) { y[at] = iou(in[0], at[0], in[1], at[1]); });
              return y;
            })
        .inputs(three, two)
        .inputs(two, three)
        .inputs(given({0, 4}, {}), two)
        .error<ShapeError>([] { box_iou(sized({3, 4}), sized({3})); }, "box_iou: boxes must be [N, 4], got float32 [3]")
        .error<DTypeError>([] { box_iou(sized({3, 4}, int64), sized({3, 4}, int64)); },
                           "box_iou: needs floating boxes, got int64 [3, 4]; convert them with to()")
        .error<DTypeError>(
            [] { box_iou(sized({3, 4}), sized({3, 4}, float64)); },
            "box_iou: needs boxes of one dtype, got float32 [3, 4] and float64 [3, 4]; convert one with to()")
        .check();

[[maybe_unused]] const bool nms_cases =
    composed(OpCases("nms"))
        .no_gradient()
        .result_dtype(always<int64>)
        .on([](In in) { return nms(in[0], in[1], 0.3); },
            [](Lists in) {
              std::vector<std::int64_t> order(in[1].values.size());
              for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
              std::stable_sort(order.begin(), order.end(),
                               [&](std::int64_t i, std::int64_t j) { return in[1][{i}] > in[1][{j}]; });
              std::vector<double> kept;
              for (const std::int64_t i : order)
                if (std::none_of(kept.begin(), kept.end(),
                                 [&](double k) { return iou(in[0], static_cast<std::int64_t>(k), in[0], i) > 0.3; }))
                  kept.push_back(static_cast<double>(i));
              return Doubles({static_cast<std::int64_t>(kept.size())}, kept);
            })
        .inputs(given({5, 4}, {0, 0, 4, 4, 1, 0, 4, 4, 2, 0, 6, 4, 9, 9, 11, 12, 0, 0, 5, 4}),
                given({5}, {0.5, 0.75, 0.25, 0.125, 0.75}))
        .inputs(given({0, 4}, {}), given({0}, {}))
        .error<ShapeError>([] { nms(sized({3, 5}), sized({3}), 0.5); }, "nms: boxes must be [N, 4], got float32 [3, 5]")
        .error<ShapeError>([] { nms(sized({3, 4}), sized({2}), 0.5); },
                           "nms: needs a score for each box, got scores float32 [2] for boxes float32 [3, 4]")
        .error<DTypeError>([] { nms(sized({3, 4}, int64), sized({3}), 0.5); },
                           "nms: needs floating boxes, got int64 [3, 4]; convert them with to()")
        .error<DTypeError>([] { nms(sized({3, 4}), sized({3}, int64), 0.5); },
                           "nms: needs floating scores, got int64 [3]; convert them with to()")
        .check();

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
                           "roi_align: a box starts at inf and is nan elements long; boxes must be finite and in "
                           "proportion to x (see spatial_scale)")
        .check();

/// torchvision's results, recorded by tests/fixtures/generate_boxes.py.
struct Recorded {
  State file = load(MINIMA_FIXTURES "/boxes.safetensors");
  Tensor operator[](const std::string& key) const { return file.tensor(key).to(test_device()); }
  void expect(const std::string& key, const Tensor& y) const {
    const Closeness close = allclose(y.detach(), file.tensor(key), {.rtol = 1e-12, .atol = 1e-12});
    EXPECT_TRUE(close) << key << ": " << close.message;
  }
};

TEST(Boxes, IouIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Recorded recorded;
  recorded.expect("iou", box_iou(recorded["a"], recorded["b"]));
}

TEST(Boxes, NmsKeepsWhatTorchvisionKeeps) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Recorded recorded;
  const Tensor boxes = recorded["crowd"], scores = recorded["scores"];
  recorded.expect("kept.0.0", nms(boxes, scores, 0.0));
  recorded.expect("kept.0.3", nms(boxes, scores, 0.3));
  recorded.expect("kept.0.7", nms(boxes, scores, 0.7));
  recorded.expect("kept.float32", nms(boxes.to(float32), scores.to(float32), 0.3));
}

TEST(Boxes, RoiAlignIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Recorded recorded;
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

}  // namespace
}  // namespace minima
