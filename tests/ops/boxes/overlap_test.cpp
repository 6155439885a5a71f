#include <minima/ops/boxes/overlap.h>

#include "tests/ops/boxes/overlaps.h"
#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace minima::overlap_test {
namespace {

using namespace test;
using boxes::Overlap;
using boxes::pair_of;
using Formula = std::function<double(const Overlap&)>;
using Function = Tensor (*)(const Tensor& a, const Tensor& b);

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
}  // namespace minima::overlap_test
