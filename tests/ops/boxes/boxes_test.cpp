#include <minima/ops/boxes/boxes.h>

#include "tests/ops/boxes/overlaps.h"
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

namespace minima::boxes_test {
namespace {

using namespace test;
using boxes::pair_of;
using Lists = const std::vector<Doubles>&;

/// By descending score, each box that overlaps none of its class that was kept before by more than the threshold.
Doubles kept_of(const Doubles& boxes, const Doubles& scores, const Doubles& classes, double threshold) {
  std::vector<std::int64_t> order(scores.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return scores[{i}] > scores[{j}]; });
  std::vector<double> kept;
  for (const std::int64_t i : order)
    if (std::none_of(kept.begin(), kept.end(), [&](double k) {
          const auto before = static_cast<std::int64_t>(k);
          return classes[{i}] == classes[{before}] && pair_of(boxes, before, boxes, i).iou() > threshold;
        }))
      kept.push_back(static_cast<double>(i));
  return Doubles({static_cast<std::int64_t>(kept.size())}, kept);
}

[[maybe_unused]] const bool nms_cases =
    composed(OpCases("nms"))
        .no_gradient()
        .result_dtype(always<int64>)
        .on([](In in) { return nms(in[0], in[1], 0.3); },
            [](Lists in) { return kept_of(in[0], in[1], Doubles(in[1].shape), 0.3); })
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

[[maybe_unused]] const bool batched_nms_cases =
    composed(OpCases("batched_nms"))
        .no_gradient()
        .result_dtype(always<int64>)
        .on([](In in) { return batched_nms(in[0], in[1], in[2], 0.3); },
            [](Lists in) { return kept_of(in[0], in[1], in[2], 0.3); })
        .inputs(given({5, 4}, {0, 0, 4, 4, 1, 0, 4, 4, 2, 0, 6, 4, 9, 9, 11, 12, 0, 0, 5, 4}),
                given({5}, {0.5, 0.75, 0.25, 0.125, 0.75}), given({5}, {2, 1, 1, 1, 0}).as(int64))
        .inputs(given({0, 4}, {}), given({0}, {}), given({0}, {}).as(int64))
        .error<ShapeError>([] { batched_nms(sized({3, 4}), sized({3}), sized({2}, int64), 0.5); },
                           "batched_nms: needs a class for each box, got classes int64 [2] for boxes float32 [3, 4]")
        .error<DTypeError>([] { batched_nms(sized({3, 4}), sized({3}), sized({3}), 0.5); },
                           "batched_nms: classes must be int64, got float32 [3]; convert them with to()")
        .error<DTypeError>([] { batched_nms(sized({3, 4}, int64), sized({3}), sized({3}, int64), 0.5); },
                           "batched_nms: needs floating boxes, got int64 [3, 4]; convert them with to()")
        .check();

const Draw some = given({2, 2, 4}, {0, 0, 4, 3, 1, -2, 2.5, 5, 7, 7, 8, 8.5, -3, 1, 0.5, 9});

[[maybe_unused]] const bool box_area_cases =
    composed(OpCases("box_area"))
        .on([](In in) { return box_area(in[0]); },
            [](Lists in) {
              Shape rows = in[0].shape;
              rows.erase(rows.rank() - 1);
              Doubles y(rows);
              for (std::size_t i = 0; i < y.values.size(); ++i) {
                const double* box = &in[0].values[4 * i];
                y.values[i] = (box[2] - box[0]) * (box[3] - box[1]);
              }
              return y;
            })
        .inputs(some)
        .inputs(given({0, 4}, {}))
        .error<ShapeError>([] { box_area(sized({3, 5})); }, "box_area: boxes must be [..., 4], got float32 [3, 5]")
        .error<DTypeError>([] { box_area(sized({4}, int64)); },
                           "box_area: needs floating boxes, got int64 [4]; convert them with to()")
        .check();

[[maybe_unused]] const bool box_convert_cases =
    composed(OpCases("box_convert"))
        .on([](In in) { return box_convert(in[0], BoxFormat::cxcywh, BoxFormat::xywh); },
            [](Lists in) {
              Doubles y = in[0];
              for (std::size_t i = 0; i < y.values.size(); i += 4)
                for (std::size_t side = 0; side < 2; ++side) y.values[i + side] -= y.values[i + side + 2] / 2;
              return y;
            })
        .inputs(some)
        .inputs(given({0, 4}, {}))
        .error<ShapeError>([] { box_convert(sized({3}), BoxFormat::xyxy, BoxFormat::xywh); },
                           "box_convert: boxes must be [..., 4], got float32 [3]")
        .error<DTypeError>([] { box_convert(sized({4}, int64), BoxFormat::xyxy, BoxFormat::xywh); },
                           "box_convert: needs floating boxes, got int64 [4]; convert them with to()")
        .check();

[[maybe_unused]] const bool clip_boxes_cases =
    composed(OpCases("clip_boxes_to_image"))
        .on([](In in) { return clip_boxes_to_image(in[0], {6, 3}); },
            [](Lists in) {
              Doubles y = in[0];
              for (std::size_t i = 0; i < y.values.size(); ++i)
                y.values[i] = std::clamp(y.values[i], 0.0, i % 2 ? 6.0 : 3.0);
              return y;
            })
        .inputs(given({2, 2, 4}, {1, 2, 4, 3, 1, -2, 2.5, 5, 7, 7, 8, 8.5, -3, 1, 0.5, 9}))
        .inputs(given({0, 4}, {}))
        .huge([](std::int64_t n) { clip_boxes_to_image(sized({4}), {n, 5}); })
        .error<ShapeError>([] { clip_boxes_to_image(sized({3}), 5); },
                           "clip_boxes_to_image: boxes must be [..., 4], got float32 [3]")
        .error<ValueError>([] { clip_boxes_to_image(sized({4}), {5, -1}); },
                           "clip_boxes_to_image: size must not be negative, got 5 and -1")
        .error<DTypeError>([] { clip_boxes_to_image(sized({4}, int64), 5); },
                           "clip_boxes_to_image: needs floating boxes, got int64 [4]; convert them with to()")
        .check();

[[maybe_unused]] const bool remove_small_boxes_cases =
    composed(OpCases("remove_small_boxes"))
        .no_gradient()
        .result_dtype(always<int64>)
        .on([](In in) { return remove_small_boxes(in[0], 1.5); },
            [](Lists in) {
              std::vector<double> kept;
              for (std::int64_t i = 0; i < in[0].shape[0]; ++i) {
                const boxes::Overlap box = pair_of(in[0], i, in[0], i);
                if (box.size(0, 0) >= 1.5 && box.size(0, 1) >= 1.5) kept.push_back(static_cast<double>(i));
              }
              return Doubles({static_cast<std::int64_t>(kept.size())}, kept);
            })
        .inputs(given({4, 4}, {0, 0, 4, 3, 1, -2, 2.5, 5, 7, 7, 8, 8.5, -3, 1, 0.5, 2}))
        .inputs(given({0, 4}, {}))
        .error<ShapeError>([] { remove_small_boxes(sized({4}), 1); },
                           "remove_small_boxes: boxes must be [N, 4], got float32 [4]")
        .error<DTypeError>([] { remove_small_boxes(sized({3, 4}, int64), 1); },
                           "remove_small_boxes: needs floating boxes, got int64 [3, 4]; convert them with to()")
        .check();

[[maybe_unused]] const bool masks_to_boxes_cases =
    composed(OpCases("masks_to_boxes"))
        .dtypes(all_dtypes())
        .no_gradient()
        .result_dtype(always<float32>)
        .on([](In in) { return masks_to_boxes(in[0]); },
            [](Lists in) {
              const Shape& shape = in[0].shape;
              Doubles y({shape[0], 4});
              each_index(shape, [&](const Shape& at) {
                if (in[0][at] == 0) return;
                double* box = &y.values[static_cast<std::size_t>(4 * at[0])];
                const auto row = static_cast<double>(at[1]), column = static_cast<double>(at[2]);
                const bool first = box[0] + box[1] + box[2] + box[3] == 0;
                box[0] = first ? column : std::min(box[0], column);
                box[1] = first ? row : std::min(box[1], row);
                box[2] = std::max(box[2], column);
                box[3] = std::max(box[3], row);
              });
              return y;
            })
        .inputs(given({3, 3, 4}, {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                                  0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
        .inputs(given({0, 2, 2}, {}))
        .error<ShapeError>([] { masks_to_boxes(sized({3, 4})); },
                           "masks_to_boxes: needs masks [N, H, W] with elements, got float32 [3, 4]")
        .error<ShapeError>([] { masks_to_boxes(sized({3, 0, 4})); },
                           "masks_to_boxes: needs masks [N, H, W] with elements, got float32 [3, 0, 4]")
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
                           "roi_align: spatial_scale must be positive and finite, got inf")
        .check();

TEST(Boxes, NmsKeepsWhatTorchvisionKeeps) {
  SKIP_WITHOUT_TEST_DEVICE();
  const boxes::Recorded recorded;
  const Tensor boxes = recorded["crowd"], scores = recorded["scores"];
  recorded.expect("kept.0.0", nms(boxes, scores, 0.0));
  recorded.expect("kept.0.3", nms(boxes, scores, 0.3));
  recorded.expect("kept.0.7", nms(boxes, scores, 0.7));
  recorded.expect("kept.float32", nms(boxes.to(float32), scores.to(float32), 0.3));
  recorded.expect("kept.classes", batched_nms(boxes, scores, recorded["classes"], 0.3));
}

TEST(Boxes, FormatsAreTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  const boxes::Recorded recorded;
  const std::pair<const char*, BoxFormat> formats[] = {
      {"xyxy", BoxFormat::xyxy}, {"xywh", BoxFormat::xywh}, {"cxcywh", BoxFormat::cxcywh}};
  for (const auto& [from, as] : formats)
    for (const auto& [to, wanted] : formats)
      recorded.expect(std::string(from) + "." + to, box_convert(recorded["a"], as, wanted));
  const Tensor crowd = recorded["crowd"];
  recorded.expect("area", box_area(crowd));
  recorded.expect("clipped", clip_boxes_to_image(crowd, {13, 17}));
  recorded.expect("large", remove_small_boxes(crowd, 4.0));
  recorded.expect("around", masks_to_boxes(recorded["masks"]));
}

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

}  // namespace
}  // namespace minima::boxes_test
