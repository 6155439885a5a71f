#include <minima/ops/loss/loss.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/ops/loss/recorded_reductions.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace minima::loss_test {
namespace {

using namespace test;

using Element = double (*)(double x, double t);

double squared(double x, double t) { return (x - t) * (x - t); }
double absolute(double x, double t) { return std::fabs(x - t); }
double smooth_l1_of_half(double x, double t) {
  const double z = std::fabs(x - t);
  return z < 0.5 ? z * z : z - 0.25;
}
double huber_of_two(double x, double t) {
  const double z = std::fabs(x - t);
  return z <= 2 ? z * z / 2 : 2 * (z - 1);
}
double bce(double p, double t) { return -t * std::fmax(std::log(p), -100) - (1 - t) * std::fmax(std::log1p(-p), -100); }
double bce_with_logits(double x, double t) { return std::fmax(x, 0) - x * t + std::log1p(std::exp(-std::fabs(x))); }
double divergence(double x, double t) { return t == 0 ? -t * x : t * (std::log(t) - x); }
double divergence_of_logs(double x, double t) { return std::exp(t) * (t - x); }

Doubles number(double value) {
  Doubles result((Shape()));
  result.values = {value};
  return result;
}

/// The reference of a loss with any reduction.
auto reference(Element element, Reduction reduction) {
  return [=](const std::vector<Doubles>& in) {
    Doubles losses = in[0];
    for (std::size_t i = 0; i < losses.values.size(); ++i) losses.values[i] = element(in[0].values[i], in[1].values[i]);
    if (reduction == Reduction::none) return losses;
    const double total = std::accumulate(losses.values.begin(), losses.values.end(), 0.0);
    return number(reduction == Reduction::sum ? total : total / static_cast<double>(losses.values.size()));
  };
}

/// The rows that every loss of two tensors of one shape has, in all reductions; the first with targets that need grad.
template <class F>
OpCases losses(OpCases cases, F f, Element element, const Draw& x, const Draw& t) {
  const auto shaped = [](Draw like, const Shape& shape) {
    like.shape = shape;
    return like;
  };
  cases.without("hidden", "reductions and some losses are made of other operators");
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    cases.on([=](In in) { return f(in[0], in[1], reduction); }, reference(element, reduction),
             reduction == Reduction::none  ? "none"
             : reduction == Reduction::sum ? "sum"
                                           : "mean");
    for (const Shape& shape : {Shape{4, 5}, Shape{}, Shape{2, 3, 2, 2}})
      cases.inputs(shaped(x, shape), shaped(t, shape));
    if (reduction != Reduction::mean) cases.inputs(shaped(x, {0, 3}), shaped(t, {0, 3}));
    if (reduction == Reduction::none) cases.inputs(shaped(x, {130, 170}), shaped(t, {130, 170}));
  }
  return cases;
}

[[maybe_unused]] const bool mse_loss_cases =
    losses(
        OpCases("mse_loss").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) { return mse_loss(x, t, r); }, squared, normal({}),
        normal({}))
        .with(recorded_reductions("mse_loss", "x, t", "F.mse_loss(x, t, reduction=r)",
                                  [](In in, Reduction r) { return mse_loss(in[0], in[1], r); }))
        .error<ShapeError>([] { mse_loss(empty({4, 1}), empty({4})); },
                           "mse_loss: x and target must have the same shape, got float32 [4, 1] and float32 [4]; "
                           "expand() the smaller one to broadcast it")
        .error<DTypeError>([] { mse_loss(zeros({2}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64})); },
                           "mse_loss: x must be floating, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool l1_loss_cases =
    losses(
        OpCases("l1_loss").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) { return l1_loss(x, t, r); }, absolute, normal({}),
        normal({}))
        .with(recorded_reductions("l1_loss", "x, t", "F.l1_loss(x, t, reduction=r)",
                                  [](In in, Reduction r) { return l1_loss(in[0], in[1], r); }))
        .error<ShapeError>([] { l1_loss(empty({4, 1}), empty({4})); },
                           "l1_loss: x and target must have the same shape, got float32 [4, 1] and float32 [4]; "
                           "expand() the smaller one to broadcast it")
        .error<DTypeError>([] { l1_loss(zeros({2}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64})); },
                           "l1_loss: x must be floating, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool smooth_l1_loss_cases =
    losses(
        OpCases("smooth_l1_loss").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) { return smooth_l1_loss(x, t, 0.5, r); }, smooth_l1_of_half,
        normal({}), normal({}))
        .with(recorded_reductions("smooth_l1_loss", "x, t", "F.smooth_l1_loss(x, t, reduction=r, beta=0.5)",
                                  [](In in, Reduction r) { return smooth_l1_loss(in[0], in[1], 0.5, r); }))
        .error<ValueError>([] { smooth_l1_loss(empty({2}), empty({2}), -1); },
                           "smooth_l1_loss: beta must not be negative, got -1")
        .error<ShapeError>([] { smooth_l1_loss(empty({4, 1}), empty({4})); },
                           "smooth_l1_loss: x and target must have the same shape, got float32 [4, 1] and float32 [4]; "
                           "expand() the smaller one to broadcast it")
        .error<DTypeError>(
            [] { smooth_l1_loss(zeros({2}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64}), 0); },
            "smooth_l1_loss: x must be floating, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool huber_loss_cases =
    losses(
        OpCases("huber_loss").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) { return huber_loss(x, t, 2, r); }, huber_of_two,
        uniform({}, -3, 3), uniform({}, -3, 3))
        .with(recorded_reductions("huber_loss", "x, t", "F.huber_loss(x, t, reduction=r, delta=0.7)",
                                  [](In in, Reduction r) { return huber_loss(in[0], in[1], 0.7, r); }))
        .error<ValueError>([] { huber_loss(empty({2}), empty({2}), 0); }, "huber_loss: delta must be positive, got 0")
        .error<ShapeError>([] { huber_loss(empty({4, 1}), empty({4})); },
                           "huber_loss: x and target must have the same shape, got float32 [4, 1] and float32 [4]; "
                           "expand() the smaller one to broadcast it")
        .error<DTypeError>([] { huber_loss(zeros({2}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64})); },
                           "huber_loss: x must be floating, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool binary_cross_entropy_cases =
    losses(
        OpCases("binary_cross_entropy").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) { return binary_cross_entropy(x, t, r); }, bce,
        uniform({}, 0.1, 0.9), uniform({}, 0, 1))
        .with(recorded_reductions("bce", "x, t", "F.binary_cross_entropy(x, t, reduction=r)",
                                  [](In in, Reduction r) { return binary_cross_entropy(in[0], in[1], r); }))
        .error<ShapeError>([] { binary_cross_entropy(empty({4, 1}), empty({4})); },
                           "binary_cross_entropy: x and target must have the same shape, got float32 [4, 1] and "
                           "float32 [4]; expand() the smaller one to broadcast it")
        .error<DTypeError>(
            [] { binary_cross_entropy(zeros({4}, {.dtype = DType::int64}), zeros({4}, {.dtype = DType::int64})); },
            "binary_cross_entropy: x must be floating, got int64 [4]; convert it with to()")
        .error<ValueError>([] { binary_cross_entropy(full({1}, 2), empty({1})); },
                           "binary_cross_entropy: x must hold probabilities in [0, 1], but float32 [1] has other "
                           "values; use binary_cross_entropy_with_logits for logits")
        .error<ValueError>(
            [] { binary_cross_entropy(full({1}, 0.5), full({1}, 2)); },
            "binary_cross_entropy: target must hold probabilities in [0, 1], but float32 [1] has other values")
        .check();

[[maybe_unused]] const bool binary_cross_entropy_with_logits_cases =
    losses(
        OpCases("binary_cross_entropy_with_logits").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) {
          return binary_cross_entropy_with_logits(x, t, {.reduction = r});
        },
        bce_with_logits, normal({}), uniform({}, 0, 1))
        .with(recorded_reductions(
            "bce_logits", "x, t, p", "F.binary_cross_entropy_with_logits(x, t, pos_weight=p.detach(), reduction=r)",
            [](In in, Reduction r) {
              return binary_cross_entropy_with_logits(in[0], in[1], {.pos_weight = in[2].detach(), .reduction = r});
            }))
        .error<ShapeError>(
            [] { binary_cross_entropy_with_logits(empty({2}), empty({2}), {.weight = empty({3, 2})}); },
            "binary_cross_entropy_with_logits: weight float32 [3, 2] must broadcast to the shape of x float32 [2]")
        .error<ShapeError>(
            [] { binary_cross_entropy_with_logits(empty({4, 1}), empty({4})); },
            "binary_cross_entropy_with_logits: x and target must have the same shape, got float32 [4, 1] and "
            "float32 [4]; expand() the smaller one to broadcast it")
        .error<DTypeError>(
            [] {
              binary_cross_entropy_with_logits(zeros({2}, {.dtype = DType::int64}),
                                               zeros({2}, {.dtype = DType::int64}));
            },
            "binary_cross_entropy_with_logits: x must be floating, got int64 [2]; convert it with to()")
        .error<ShapeError>(
            [] { binary_cross_entropy_with_logits(empty({2}), empty({2}), {.pos_weight = empty({3})}); },
            "binary_cross_entropy_with_logits: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ "
            "and neither is 1")
        .check();

[[maybe_unused]] const bool kl_div_cases =
    losses(
        OpCases("kl_div").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) { return kl_div(x, t, r); }, divergence,
        uniform({}, -3, -0.1), uniform({}, 0.1, 1))
        .with(recorded_reductions("kl_div", "x, t", "F.kl_div(x, t, reduction=r)",
                                  [](In in, Reduction r) { return kl_div(in[0], in[1], r); }))
        .error<ShapeError>([] { kl_div(empty({4, 1}), empty({4})); },
                           "kl_div: x and target must have the same shape, got float32 [4, 1] and float32 [4]; "
                           "expand() the smaller one to broadcast it")
        .error<DTypeError>([] { kl_div(zeros({2}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64})); },
                           "kl_div: x must be floating, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool kl_div_log_target_cases =
    losses(
        OpCases("kl_div_log_target").autocast("float32"),
        [](const Tensor& x, const Tensor& t, Reduction r) { return kl_div_log_target(x, t, r); }, divergence_of_logs,
        uniform({}, -3, -0.1), uniform({}, -2, 0))
        .with(recorded_reductions("kl_div_log", "x, t", "F.kl_div(x, t, reduction=r, log_target=True)",
                                  [](In in, Reduction r) { return kl_div_log_target(in[0], in[1], r); }))
        .error<ShapeError>([] { kl_div_log_target(empty({4, 1}), empty({4})); },
                           "kl_div_log_target: x and target must have the same shape, got float32 [4, 1] and float32 "
                           "[4]; expand() the smaller one to broadcast it")
        .error<DTypeError>(
            [] { kl_div_log_target(zeros({2}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64})); },
            "kl_div_log_target: x must be floating, got int64 [2]; convert it with to()")
        .check();

/// The mean of -w_c x_c over [N, C, d], without the elements whose target is `ignored`.
auto nll_reference(Reduction reduction, std::int64_t ignored) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles &x = in[0], &target = in[1], &weight = in[2];
    Doubles losses(target.shape);
    double total = 0, weights = 0;
    each_index(target.shape, [&](const Shape& at) {
      const auto c = static_cast<std::int64_t>(target[at]);
      if (c == ignored) return;
      Shape from{at[0], c};
      for (int d = 1; d < at.rank(); ++d) from.push_back(at[d]);
      const double w = weight.values[static_cast<std::size_t>(c)];
      losses[at] = -w * x[from];
      total += losses[at];
      weights += w;
    });
    return reduction == Reduction::none ? losses : number(reduction == Reduction::sum ? total : total / weights);
  };
}

[[maybe_unused]] const bool nll_loss_cases = [] {
  OpCases cases("nll_loss");
  cases.autocast("float32");
  cases.without("hidden", "it is made of other operators").optional_input(2);
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    cases
        .on([=](In in) { return nll_loss(in[0], in[1], {.weight = in[2], .ignore_index = 2, .reduction = reduction}); },
            nll_reference(reduction, 2),
            reduction == Reduction::mean  ? "mean"
            : reduction == Reduction::sum ? "sum"
                                          : "none")
        .inputs(uniform({6, 4}, -3, 0), given({6}, {0, 1, 2, 3, 3, 2}).as(DType::int64),
                uniform({4}, 0.5, 2).constant())
        .inputs(uniform({2, 4, 3}, -3, 0), whole({2, 3}, 0, 2).as(DType::int64), uniform({4}, 0.5, 2).constant())
        .inputs(uniform({500, 90}, -3, 0), whole({500}, 0, 90).as(DType::int64), uniform({90}, 0.5, 2).constant());
  }
  cases.without("empty", "the mean of no loss is NaN; cross_entropy's table has it")
      .huge([](auto v) { nll_loss(ones({2, 3}), tensor<std::int64_t>({0, 1}), {.ignore_index = v}); })
      .huge([](auto v) { nll_loss(ones({1, 3}), tensor<std::int64_t>({v})); })
      .with(recorded_reductions(
          "nll_loss", "x, t", "F.nll_loss(x, t, ignore_index=1, reduction=r)",
          [](In in, Reduction r) { return nll_loss(in[0], in[1], {.ignore_index = 1, .reduction = r}); }))
      .error<ShapeError>([] { nll_loss(empty({2, 3}), empty({3}, {.dtype = DType::int64})); },
                         "nll_loss: x must be [C], [N, C] or [N, C, d1, …] and target like it without C, got float32 "
                         "[2, 3] and int64 [3]")
      .error<DTypeError>([] { nll_loss(empty({2, 3}), empty({2})); },
                         "nll_loss: target must be int64, got float32 [2]; convert it with to()")
      .error<ShapeError>([] { nll_loss(empty({2, 3}), zeros({2}, {.dtype = DType::int64}), {.weight = empty({2})}); },
                         "nll_loss: weight must have one element for each of the 3 classes, got float32 [2]");
  return cases
      .error<IndexError>([] { nll_loss(empty({2, 3}), from_vector<std::int64_t>({0, 3}, {2})); },
                         "nll_loss: index[1] is 3, but dimension 1 has size 3")
      .error<IndexError>([] { nll_loss(empty({2, 3}), from_vector<std::int64_t>({0, -1}, {2})); },
                         "nll_loss: index[1] is -1, but dimension 1 has size 3")
      .error<DTypeError>(
          [] { nll_loss(zeros({2, 3}, {.dtype = DType::int64}), from_vector<std::int64_t>({0, 1}, {2})); },
          "nll_loss: x must be floating, got int64 [2, 3]; convert it with to()")
      .error<ShapeError>([] { nll_loss(empty(Shape{}), zeros({}, {.dtype = DType::int64})); },
                         "nll_loss: x must be [C], [N, C] or [N, C, d1, …] and target like it without C, got "
                         "float32 [] and int64 []")
      .error<DTypeError>(
          [] {
            nll_loss(empty({2, 3}), from_vector<std::int64_t>({0, 1}, {2}),
                     {.weight = zeros({3}, {.dtype = DType::int64})});
          },
          "nll_loss: weight must be floating, got int64 [3]; convert it with to()")
      .check();
}();

TEST(Loss, CrossEntropyIsNllOfLogSoftmax) {
  const Tensor logits = randn({7, 5, 3}, {.dtype = float64}), target = randint(0, 5, {7, 3}),
               weight = rand({5}, {.dtype = float64});
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum})
    EXPECT_TRUE(allclose(
        nll_loss(log_softmax(logits, 1), target, {.weight = weight, .ignore_index = 1, .reduction = reduction}),
        cross_entropy(logits, target, {.weight = weight, .ignore_index = 1, .reduction = reduction})));
}

TEST(Loss, LogitsOfAnySizeGiveFiniteLosses) {
  const Tensor x = from_vector<float>({-1e4F, 1e4F, 0}, {3}), t = from_vector<float>({0, 1, 0.5F}, {3});
  const auto values = binary_cross_entropy_with_logits(x, t, {.reduction = Reduction::none}).to_vector<float>();
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], 0);
  EXPECT_FLOAT_EQ(values[2], std::log(2.0F));
}

TEST(Loss, PosWeightCountsThePartWithTheTarget) {
  const Tensor x = randn({4, 3}, {.dtype = float64}), t = rand({4, 3}, {.dtype = float64});
  const Tensor weight = from_vector<double>({1, 2, 3}, {3}), pos = from_vector<double>({0.5, 1, 4}, {3});
  const auto got =
      binary_cross_entropy_with_logits(x, t, {.weight = weight, .pos_weight = pos, .reduction = Reduction::none})
          .to_vector<double>();
  const auto xs = x.to_vector<double>(), ts = t.to_vector<double>();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double s = 1 / (1 + std::exp(-xs[i])), w[] = {1, 2, 3}, p[] = {0.5, 1, 4};
    EXPECT_NEAR(got[i], -w[i % 3] * (p[i % 3] * ts[i] * std::log(s) + (1 - ts[i]) * std::log(1 - s)), 1e-12);
  }
}

TEST(Loss, ACertainPredictionThatIsWrongCosts100) {
  EXPECT_EQ(binary_cross_entropy(zeros({1}), ones({1})).item<float>(), 100);
  EXPECT_EQ(binary_cross_entropy(ones({1}), zeros({1})).item<float>(), 100);
}

TEST(Loss, ATargetOfZeroHasNoDivergence) { EXPECT_EQ(kl_div(full({1}, -3), zeros({1})).item<float>(), 0); }

TEST(BinaryCrossEntropy, TakesWeights) {
  const Tensor p = rand({2, 3}) * 0.8 + 0.1, t = rand({2, 3}), w = rand({3});
  EXPECT_TRUE(allclose(binary_cross_entropy(p, t, w), mean(binary_cross_entropy(p, t, Reduction::none) * w)));
  EXPECT_TRUE(
      allclose(binary_cross_entropy(p, t, w, Reduction::sum), sum(binary_cross_entropy(p, t, Reduction::none) * w)));
  EXPECT_THROW(binary_cross_entropy(p, t, ones({2})), ShapeError);
}

/// 65504 is float16's largest number.
TEST(Loss, MeansOfManyHalfNumbersAreFinite) {
  const std::int64_t count = 70000;
  const Tensor logits = full({count, 4}, 0, {.dtype = float16}), classes = zeros({count}, {.dtype = int64});
  const double log_4 = std::log(4.0);
  EXPECT_NEAR(nll_loss(log_softmax(logits, 1), classes).item<double>(), log_4, 1e-3);
  EXPECT_NEAR(nll_loss(log_softmax(logits, 1), classes, {.weight = ones({4}, {.dtype = float16})}).item<double>(),
              log_4, 1e-3);
  const Tensor probabilities = full({count, 4}, 0.25, {.dtype = float16});
  EXPECT_NEAR(cross_entropy(logits, probabilities).item<double>(), log_4, 1e-3);
  EXPECT_NEAR(cross_entropy(logits, probabilities, {.weight = ones({4})}).item<double>(), log_4, 1e-3);
  EXPECT_EQ(nanmean(full({count}, 2, {.dtype = float16})).item<double>(), 2);
}

}  // namespace
}  // namespace minima::loss_test
