#include "tests/ops/checks/composed.h"
#include "tests/ops/image/overlaps.h"
#include "tests/support/device.h"
#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/image/boxes.h>
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
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace minima::boxes_test {
namespace {

using namespace test;
using boxes::Overlap;
using boxes::pair_of;
using Formula = std::function<double(const Overlap&)>;
using Function = Tensor (*)(const Tensor& a, const Tensor& b);
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

TEST(Boxes, RefuseThresholdsThatAreNoNumber) {
  const Tensor boxes = ones({2, 4}), scores = ones({2}), classes = zeros({2}, {.dtype = int64});
  const double nan = std::nan("");
  EXPECT_CONTAINS(message_of<ValueError>([&] { nms(boxes, scores, nan); }), "nms: iou_threshold must");
  EXPECT_THROW(batched_nms(boxes, scores, classes, nan), ValueError);
  EXPECT_THROW(remove_small_boxes(boxes, nan), ValueError);
}

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

double generalized(const Overlap& o) {
  const double around = o.hull(0) * o.hull(1);
  return o.iou() - (around - o.united()) / around;
}

double distance(const Overlap& o) {
  double apart = 0, diagonal = 1e-7;
  for (const int side : {0, 1}) {
    const double shift = (o.low[0][side] + o.high[0][side] - o.low[1][side] - o.high[1][side]) / 2;
    apart += shift * shift;
    diagonal += o.hull(side) * o.hull(side);
  }
  return o.iou() - apart / diagonal;
}

double complete(const Overlap& o) {
  const double turn = std::atan(o.size(0, 0) / o.size(0, 1)) - std::atan(o.size(1, 0) / o.size(1, 1));
  const double v = 4 / (std::numbers::pi * std::numbers::pi) * turn * turn;
  return distance(o) - v * v / (1 - o.iou() + v + 1e-7);
}

/// Boxes of which some overlap; no two edges are equal, where a derivative would not exist.
const Draw three = given({3, 4}, {0, 0, 4, 3, 1, -2, 2.5, 5, 7, 7, 8, 8.5});
const Draw two = given({2, 4}, {-1, 1, 3, 2, 3.5, 0.5, 7.5, 9});

/// A function of all pairs of rows.
bool pairs(const char* name, Function f, const Formula& formula, bool has_constant = false) {
  OpCases cases = composed(OpCases(name));
  if (has_constant) cases.without("differences", "a factor counts as a constant; torchvision's gradients are recorded");
  return cases
      .on([=](In in) { return f(in[0], in[1]); },
          [=](const std::vector<Doubles>& in) {
            Doubles y({in[0].shape[0], in[1].shape[0]});
            each_index(y.shape, [&](const Shape& at) { y[at] = formula(pair_of(in[0], at[0], in[1], at[1])); });
            return y;
          })
      .inputs(three, two)
      .inputs(two, three)
      .inputs(given({0, 4}, {}), two)
      .error<ShapeError>([=] { f(sized({3, 4}), sized({3})); },
                         std::string(name) + ": boxes must be [N, 4], got float32 [3]")
      .error<DTypeError>([=] { f(sized({3, 4}, int64), sized({3, 4}, int64)); },
                         std::string(name) + ": needs floating boxes, got int64 [3, 4]; convert them with to()")
      .error<DTypeError>([=] { f(sized({3, 4}), sized({3, 4}, float64)); },
                         std::string(name) +
                             ": needs boxes of one dtype, got float32 [3, 4] and float64 [3, 4]; "
                             "convert one with to()")
      .check();
}

/// A loss of rows.
bool losses(const char* name, Function f, const Formula& formula, bool has_constant = false) {
  OpCases cases = composed(OpCases(name));
  if (has_constant) cases.without("differences", "a factor counts as a constant; torchvision's gradients are recorded");
  return cases
      .on([=](In in) { return f(in[0], in[1]); },
          [=](const std::vector<Doubles>& in) {
            Doubles y(Shape{in[0].shape[0]});
            each_index(y.shape, [&](const Shape& at) { y[at] = 1 - formula(pair_of(in[0], at[0], in[1], at[0])); });
            return y;
          })
      .inputs(given({2, 4}, {0, 0, 4, 3, 1, -2, 2.5, 5}), two)
      .inputs(given({0, 4}, {}), given({0, 4}, {}))
      .error<ShapeError>([=] { f(sized({3, 4}), sized({1, 4})); },
                         std::string(name) +
                             ": needs a box for each box, got float32 [3, 4] and float32 [1, 4]; "
                             "expand() one to broadcast it")
      .error<DTypeError>([=] { f(sized({4}, int64), sized({4}, int64)); },
                         std::string(name) + ": needs floating boxes, got int64 [4]; convert them with to()")
      .check();
}

[[maybe_unused]] const bool registered[] = {
    pairs("box_iou", box_iou, &Overlap::iou),
    pairs("generalized_box_iou", generalized_box_iou, generalized),
    pairs(
        "distance_box_iou", [](const Tensor& a, const Tensor& b) { return distance_box_iou(a, b); }, distance),
    pairs(
        "complete_box_iou", [](const Tensor& a, const Tensor& b) { return complete_box_iou(a, b); }, complete, true),
    losses(
        "generalized_box_iou_loss", [](const Tensor& a, const Tensor& b) { return generalized_box_iou_loss(a, b); },
        generalized),
    losses(
        "distance_box_iou_loss", [](const Tensor& a, const Tensor& b) { return distance_box_iou_loss(a, b); },
        distance),
    losses(
        "complete_box_iou_loss", [](const Tensor& a, const Tensor& b) { return complete_box_iou_loss(a, b); }, complete,
        true),
};

TEST(BoxOverlap, IsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  const boxes::Recorded recorded;
  const Tensor a = recorded["a"], b = recorded["b"];
  recorded.expect("iou", box_iou(a, b));
  recorded.expect("generalized", generalized_box_iou(a, b));
  recorded.expect("distance", distance_box_iou(a, b));
  recorded.expect("complete", complete_box_iou(a, b));
}

TEST(BoxOverlap, LossesAndTheirGradientsAreTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  const boxes::Recorded recorded;
  using Loss = Tensor (*)(const Tensor&, const Tensor&, const BoxLossOptions&);
  const std::pair<std::string, Loss> functions[] = {{"generalized", generalized_box_iou_loss},
                                                    {"distance", distance_box_iou_loss},
                                                    {"complete", complete_box_iou_loss}};
  for (const auto& [name, loss] : functions) {
    Tensor a = clone(recorded["a"]), b = clone(recorded["others"]);
    a.requires_grad(true);
    b.requires_grad(true);
    const Tensor y = loss(a, b, {});
    recorded.expect(name + ".loss", y);
    sum(y * cos(arange(7).to(float64)).to(test_device())).backward();
    recorded.expect(name + ".da", a.grad());
    recorded.expect(name + ".db", b.grad());
    const Tensor mean_loss = loss(a, b, {.reduction = Reduction::mean});
    EXPECT_NEAR(mean_loss.item<double>(), mean(y).item<double>(), 1e-12) << name;
  }
}

}  // namespace
}  // namespace minima::boxes_test
