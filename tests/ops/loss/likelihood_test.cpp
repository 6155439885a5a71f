#include <minima/ops/loss/likelihood.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::likelihood_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

OpCases losses(OpCases cases) { return composed(std::move(cases)).autocast("float32").tolerance(4); }

/// A reference by elements, with a reduction.
template <class F>
auto by_element(Reduction reduction, const F& f) {
  return [=](Lists in) {
    std::vector<Doubles> all;
    for (const Doubles& x : in) all.push_back(broadcast_to(x, in[0].shape));
    Doubles y = in[0];
    double sum = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i) sum += y.values[i] = f(all, i);
    if (reduction == Reduction::none) return y;
    return Doubles(Shape{}, {reduction == Reduction::sum ? sum : sum / static_cast<double>(in[0].numel())});
  };
}

auto gaussian(bool full) {
  return [=](Lists in, std::size_t i) {
    const double gap = in[0].values[i] - in[1].values[i], v = in[2].values[i];
    return (std::log(v) + gap * gap / v) / 2 + (full ? std::log(2 * M_PI) / 2 : 0);
  };
}

[[maybe_unused]] const bool gaussian_nll_cases =
    composed(OpCases("gaussian_nll_loss"))
        .tolerance(4)
        .gradient_cancels()
        .on([](In in) { return gaussian_nll_loss(in[0], in[1], in[2]); }, by_element(Reduction::mean, gaussian(false)),
            "mean")
        .pytorch("F.gaussian_nll_loss")
        .inputs(normal({3, 4}), normal({3, 4}), uniform({3, 4}, 1, 3))
        .inputs(normal({3, 4}), normal({3, 4}), uniform({3, 1}, 1, 3))
        .on([](In in) { return gaussian_nll_loss(in[0], in[1], in[2], {.full = true, .reduction = Reduction::none}); },
            by_element(Reduction::none, gaussian(true)), "full")
        .pytorch("lambda x, t, v: F.gaussian_nll_loss(x, t, v, full=True, reduction='none')")
        .inputs(normal({3, 4}), normal({4}), uniform({3, 4}, 1, 3))
        .inputs(normal({0, 4}), normal({0, 4}), uniform({0, 4}, 1, 3))
        .error<ShapeError>(
            [] { gaussian_nll_loss(sized({2, 3}), sized({2, 3}), sized({3})); },
            "gaussian_nll_loss: target must broadcast to the shape of x, and the variance must have its sizes or 1, or "
            "lack the last dimension, got float32 [2, 3], float32 [2, 3] and float32 [3]")
        .error<ValueError>([] { gaussian_nll_loss(sized({2}), sized({2}), sized({2}), {.eps = 0}); },
                           "gaussian_nll_loss: eps must be positive, got 0")
        .error<DTypeError>([] { gaussian_nll_loss(sized({2}, int64), sized({2}), sized({2})); },
                           "gaussian_nll_loss: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

double poisson_of_log(Lists in, std::size_t i) { return std::exp(in[0].values[i]) - in[1].values[i] * in[0].values[i]; }
double poisson_of_rate(Lists in, std::size_t i) {
  const double x = in[0].values[i], t = in[1].values[i];
  return x - t * std::log(x + 1e-8) + (t > 1 ? t * std::log(t) - t + std::log(2 * M_PI * t) / 2 : 0);
}

[[maybe_unused]] const bool poisson_nll_cases =
    losses(OpCases("poisson_nll_loss"))
        .on([](In in) { return poisson_nll_loss(in[0], in[1]); }, by_element(Reduction::mean, poisson_of_log), "log")
        .pytorch("F.poisson_nll_loss")
        .inputs(normal({3, 4}), whole({3, 4}, 0, 5))
        .on(
            [](In in) {
              return poisson_nll_loss(in[0], in[1], {.log_input = false, .full = true, .reduction = Reduction::none});
            },
            by_element(Reduction::none, poisson_of_rate), "rate")
        .pytorch("lambda x, t: F.poisson_nll_loss(x, t.detach(), False, True, reduction='none')")
        .inputs(uniform({3, 4}, 1, 4), uniform({4}, 1.25, 5))
        .inputs(uniform({3, 4}, 1, 4), given({4}, {0, 1, 2, 3}).constant())
        .inputs(uniform({0, 4}, 1, 4), whole({4}, 0, 5))
        .error<ShapeError>(
            [] { poisson_nll_loss(sized({2}), sized({3})); },
            "poisson_nll_loss: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { poisson_nll_loss(sized({2}, int64), sized({2})); },
                           "poisson_nll_loss: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

auto focal(double alpha, double gamma) {
  return [=](Lists in, std::size_t i) {
    const double x = in[0].values[i], t = in[1].values[i], p = 1 / (1 + std::exp(-x));
    const double entropy = std::fmax(x, 0) - x * t + std::log1p(std::exp(-std::fabs(x)));
    return entropy * std::pow(p + t - 2 * p * t, gamma) * (alpha < 0 ? 1 : alpha * t + (1 - alpha) * (1 - t));
  };
}

[[maybe_unused]] const bool sigmoid_focal_cases =
    losses(OpCases("sigmoid_focal_loss"))
        .on([](In in) { return sigmoid_focal_loss(in[0], in[1]); }, by_element(Reduction::none, focal(0.25, 2)), "2")
        .inputs(normal({3, 4}), whole({3, 4}, 0, 2).constant())
        .inputs(normal({0}), normal({0}).constant())
        .on(
            [](In in) {
              return sigmoid_focal_loss(in[0], in[1], {.alpha = -1, .gamma = 1.5, .reduction = Reduction::mean});
            },
            by_element(Reduction::mean, focal(-1, 1.5)), "1.5")
        .inputs(normal({3, 4}), whole({3, 4}, 0, 2).constant())
        .error<ShapeError>([] { sigmoid_focal_loss(sized({2}), sized({3})); },
                           "sigmoid_focal_loss: x and target must have the same shape, got float32 [2] and float32 "
                           "[3]; expand() the smaller one to broadcast it")
        .error<DTypeError>([] { sigmoid_focal_loss(sized({2}, int64), sized({2})); },
                           "sigmoid_focal_loss: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool dice_cases =
    losses(OpCases("dice_loss"))
        .on([](In in) { return dice_loss(in[0], in[1], {.reduction = Reduction::none}); },
            [](Lists in) {
              Doubles y(Shape{in[0].shape[0]});
              Doubles overlap = y, total = y;
              each_index(in[0].shape, [&](const Shape& at) {
                overlap[{at[0]}] += 2 * in[0][at] * in[1][at];
                total[{at[0]}] += in[0][at] + in[1][at];
              });
              for (std::size_t i = 0; i < y.values.size(); ++i)
                y.values[i] = 1 - (overlap.values[i] + 1) / (total.values[i] + 1);
              return y;
            })
        .inputs(uniform({2, 3, 2}, 0.1, 0.9), whole({2, 3, 2}, 0, 2).constant())
        .inputs(uniform({0, 3}, 0, 1), uniform({0, 3}, 0, 1).constant())
        .error<ShapeError>([] { dice_loss(sized({2, 3}), sized({2, 2})); },
                           "dice_loss: x and target must have the same shape, got float32 [2, 3] and float32 [2, 2]; "
                           "expand() the smaller one to broadcast it")
        .error<ShapeError>([] { dice_loss(sized({2}), sized({2})); },
                           "dice_loss: p must be [N, …] with at least two dimensions, got float32 [2]")
        .error<DTypeError>([] { dice_loss(sized({2, 2}, int64), sized({2, 2})); },
                           "dice_loss: needs floating tensors, got int64 [2, 2]; convert it with to()")
        .check();

TEST(GaussianNllLoss, TakesAVarianceForEachColumn) {
  const Tensor x = randn({4, 3}, {.dtype = float64}), t = randn({4, 3}, {.dtype = float64});
  const Tensor v = rand({1, 3}, {.dtype = float64}) + 0.1;
  EXPECT_TRUE(allclose(gaussian_nll_loss(x, t, v), gaussian_nll_loss(x, t, contiguous(expand(v, {4, 3})))));
}

}  // namespace
}  // namespace minima::likelihood_test
