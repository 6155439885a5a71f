#include <minima/ops/loss/cross_entropy.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/ops/loss/recorded_reductions.h"
#include "tests/support/sample.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/tensor/base/error.h>

#include <cmath>

namespace minima::cross_entropy_test {
namespace {

using namespace test;

/// PyTorch's definition, from row-major logits [N, C, inner].
std::vector<double> reference(const Shape& shape, const std::vector<double>& x, const std::vector<double>& t,
                              std::vector<double> w, const CrossEntropyOptions& o) {
  const auto lines = static_cast<std::int64_t>(t.size());
  const std::int64_t classes = shape[1], inner = shape[0] == 0 ? 1 : lines / shape[0];
  if (w.empty()) w.assign(static_cast<std::size_t>(classes), 1.0);
  std::vector<double> losses;
  double divisor = 0;
  for (std::int64_t line = 0; line < lines; ++line) {
    const auto at = [&](std::int64_t c) {
      return x[static_cast<std::size_t>((line / inner * classes + c) * inner + line % inner)];
    };
    double sum = 0, smooth = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(at(c));
    for (std::int64_t c = 0; c < classes; ++c) smooth += w[static_cast<std::size_t>(c)] * (std::log(sum) - at(c));
    const auto own = static_cast<std::int64_t>(t[static_cast<std::size_t>(line)]);
    if (own == o.ignore_index) {
      losses.push_back(0);
      continue;
    }
    const double weight = w[static_cast<std::size_t>(own)];
    divisor += weight;
    losses.push_back((1 - o.label_smoothing) * weight * (std::log(sum) - at(own)) +
                     o.label_smoothing / static_cast<double>(classes) * smooth);
  }
  if (o.reduction == Reduction::none) return losses;
  double total = 0;
  for (double loss : losses) total += loss;
  return {o.reduction == Reduction::mean ? total / divisor : total};
}

auto with(CrossEntropyOptions o) {
  return [o](const std::vector<Doubles>& in) {
    return Doubles(
        o.reduction == Reduction::none ? in[1].shape : Shape{},
        reference(in[0].shape, in[0].values, in[1].values, in.size() > 2 ? in[2].values : std::vector<double>(), o));
  };
}
Draw labels(const Shape& shape, double classes) { return whole(shape, 0, classes).as(int64); }

const CrossEntropyOptions ignoring{.ignore_index = 2, .label_smoothing = 0.1};
const CrossEntropyOptions summed{.ignore_index = 1, .reduction = Reduction::sum};

/// With in[2] as the weight.
auto weighted(CrossEntropyOptions options) {
  return [options](In in) {
    CrossEntropyOptions with_weight = options;
    with_weight.weight = in[2];
    return cross_entropy(in[0], in[1], with_weight);
  };
}

[[maybe_unused]] const bool cross_entropy_cases =
    OpCases("cross_entropy")
        .autocast("float32")
        .tolerance(4)
        .gradient_cancels()
        .optional_input(2)
        .on([](In in) { return cross_entropy(in[0], in[1]); }, with({}), "mean")
        .inputs(normal({5, 4}), labels({5}, 4))
        .inputs(normal({3, 4, 2, 2}), labels({3, 2, 2}, 4))
        .inputs(normal({0, 4}), labels({0}, 4))
        .inputs(normal({3, 150}), labels({3}, 150))
        .inputs(normal({5000, 10}), labels({5000}, 10))
        .inputs(normal({200, 300}), labels({200}, 300))
        .on([](In in) { return cross_entropy(in[0], in[1], {.reduction = Reduction::none}); },
            with({.reduction = Reduction::none}), "none")
        .inputs(normal({5, 4}), labels({5}, 4))
        .inputs(normal({3, 4, 2, 2}), labels({3, 2, 2}, 4))
        .on([](In in) { return cross_entropy(in[0], in[1], ignoring); }, with(ignoring), "smoothed, one class ignored")
        .inputs(normal({6, 4}), labels({6}, 4))
        .inputs(normal({2, 70, 90}), labels({2, 90}, 70))
        .on(weighted(ignoring), with(ignoring), "weighted and smoothed")
        .inputs(normal({6, 4}), labels({6}, 4), uniform({4}, 0.5, 2).constant())
        .inputs(normal({3, 150}), labels({3}, 150), uniform({150}, 0.5, 2).constant())
        .inputs(normal({3, 4, 2, 2}), labels({3, 2, 2}, 4), uniform({4}, 0.5, 2).constant())
        .on(weighted(summed), with(summed), "weighted sum")
        .inputs(normal({6, 4}), labels({6}, 4), uniform({4}, 0.5, 2).constant())
        .huge([](auto v) { cross_entropy(ones({2, 3}), tensor<std::int64_t>({0, 1}), {.ignore_index = v}); })
        .huge([](auto v) { cross_entropy(ones({1, 3}), tensor<std::int64_t>({v})); })
        .with(recorded_reductions(
            "cross_entropy", "x, t, w",
            "F.cross_entropy(x, t, w.detach(), ignore_index=1, reduction=r, label_smoothing=0.1)",
            [](In in, Reduction r) {
              return cross_entropy(
                  in[0], in[1], {.weight = in[2].detach(), .ignore_index = 1, .reduction = r, .label_smoothing = 0.1});
            }))
        .with(recorded_reductions("cross_entropy_soft", "x, t", "F.cross_entropy(x, t, reduction=r)",
                                  [](In in, Reduction r) { return cross_entropy(in[0], in[1], {.reduction = r}); }))
        .error<DTypeError>(
            [] { cross_entropy(zeros({2, 3}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64})); },
            "cross_entropy: logits must be floating, got int64 [2, 3]; convert them with to()")
        .error<ShapeError>([] { cross_entropy(empty(Shape{}), zeros({}, {.dtype = DType::int64})); },
                           "cross_entropy: logits need a dimension of classes, [C] or [N, C, …], got float32 []")
        .error<ShapeError>([] { cross_entropy(empty({2, 3}), zeros({3}, {.dtype = DType::int64})); },
                           "cross_entropy: logits float32 [2, 3] need class indices [2] or probabilities [2, 3] as "
                           "target, got int64 [3]")
        .error<DTypeError>([] { cross_entropy(empty({2, 3}), empty({2})); },
                           "cross_entropy: class indices must be int64, got float32 [2]; convert them with to()")
        .error<IndexError>(
            [] { cross_entropy(empty({2, 3}), from_vector<std::int64_t>({0, -1}, {2})); },
            "cross_entropy: target[1] is -1, but there are 3 classes, 0 to 2; the only other value allowed is "
            "ignore_index")
        .error<ShapeError>(
            [] { cross_entropy(empty({2, 3}), zeros({2}, {.dtype = DType::int64}), {.weight = empty({2})}); },
            "cross_entropy: weight must have one element per class, [3] for logits float32 [2, 3], got "
            "float32 [2]")
        .error<DTypeError>(
            [] {
              cross_entropy(empty({2, 3}), zeros({2}, {.dtype = DType::int64}),
                            {.weight = zeros({3}, {.dtype = DType::int64})});
            },
            "cross_entropy: weight must be floating, got int64 [3]; convert it with to()")
        .error<ValueError>(
            [] { cross_entropy(empty({2, 3}), zeros({2}, {.dtype = DType::int64}), {.label_smoothing = 1.5}); },
            "cross_entropy: label_smoothing must be from 0 to 1, got 1.5")
        .error<ValueError>(
            [] { cross_entropy(empty({2, 3}), zeros({2}, {.dtype = DType::int64}), {.label_smoothing = NAN}); },
            "cross_entropy: label_smoothing must be from 0 to 1, got nan")
        .error<ValueError>(
            [] { cross_entropy(empty({2, 3}), empty({2, 3}), {.ignore_index = 1}); },
            "cross_entropy: ignore_index is for class indices; probabilities float32 [2, 3] have none, got "
            "1")
        .error<ShapeError>([] { cross_entropy(empty({2, 3}), zeros({2, 3}, {.dtype = DType::int64})); },
                           "cross_entropy: logits float32 [2, 3] need class indices [2] or probabilities [2, 3] as "
                           "target, got int64 [2, 3]")
        .check();

template <class F> void for_each_option(std::int64_t classes, F&& f) {
  for (Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum})
    for (double smoothing : {0.0, 0.2})
      for (bool weighted : {false, true}) {
        SCOPED_TRACE(
            str("reduction ", static_cast<int>(reduction), " smoothing ", smoothing, weighted ? " weighted" : ""));
        CrossEntropyOptions options{.reduction = reduction, .label_smoothing = smoothing};
        if (weighted) options.weight = sample({classes}, 8) + 3.0;
        f(options);
      }
}

TEST(CrossEntropy, OfOneVectorTakesAScalarTarget) {
  const Tensor x = sample({4}), target = scalar_tensor(2, {.dtype = int64});
  expect_near(cross_entropy(x, target), {-log_softmax(x, 0).to_vector<double>()[2]}, 1e-12);
  EXPECT_EQ(cross_entropy(x, target, {.reduction = Reduction::none}).rank(), 0);
}

TEST(CrossEntropy, ReadsProbabilitiesAsTarget) {
  const Tensor x = leaf(sample({4, 5, 2})), q = leaf(softmax(sample({4, 5, 2}, 9), 1));
  const Tensor one_hot = from_vector<double>({0, 0, 1, 1, 0, 0}, {2, 3}), logits = sample({2, 3});
  for_each_option(3, [&](const CrossEntropyOptions& options) {
    if (options.weight.defined() && options.reduction == Reduction::mean) return;  // the divisors differ
    expect_near(cross_entropy(logits, one_hot, options), cross_entropy(logits, tensor<std::int64_t>({2, 0}), options),
                1e-12);
  });
  for_each_option(5, [&](const CrossEntropyOptions& options) {
    const auto f = [&](auto& in) { return std::vector{cross_entropy(in[0], in[1], options)}; };
    EXPECT_TRUE(gradcheck(f, {x, q}));
    EXPECT_TRUE(gradgradcheck(f, {x, q}));
  });
}

TEST(CrossEntropy, StaysFiniteForExtremeLogits) {
  const Tensor x = leaf(from_vector<float>({1000, -1000, -1000, 1000}, {2, 2}));
  const Tensor loss = cross_entropy(x, tensor<std::int64_t>({0, 0}));
  EXPECT_EQ(loss.item<float>(), 1000);
  loss.backward();
  expect_near(x.grad(), {0, 0, -0.5, 0.5}, 1e-7);
}

TEST(CrossEntropy, OfNothingIsNanInTheMeanAndZeroInTheSum) {
  const Tensor target = tensor<std::int64_t>({-100, -100}), none = empty(Shape{0}, {.dtype = int64});
  EXPECT_TRUE(std::isnan(cross_entropy(sample({2, 3}), target).item<double>()));
  EXPECT_EQ(cross_entropy(sample({2, 3}), target, {.reduction = Reduction::sum}).item<double>(), 0);
  EXPECT_TRUE(std::isnan(cross_entropy(empty({0, 3}), none).item<float>()));
  EXPECT_EQ(cross_entropy(empty({0, 3}), none, {.reduction = Reduction::none}).shape(), (Shape{0}));
}

TEST(CrossEntropy, NamesTheTargetThatDoesNotExist) {
  EXPECT_NE(error_of<IndexError>([&] {
              cross_entropy(sample({1, 3, 2, 2}), from_vector<std::int64_t>({0, 1, -1, 0}, {1, 2, 2}));
            }).find("target[0, 1, 0] is -1"),
            std::string::npos);
}

TEST(CrossEntropy, RefusesAWeightThatRequiresGrad) {
  const Tensor target = tensor<std::int64_t>({0, 1});
  EXPECT_NE(error_of<ValueError>([&] {
              cross_entropy(sample({2, 3}), target, {.weight = leaf(sample({3}))});
            }).find("detach"),
            std::string::npos);
}

TEST(CrossEntropy, EqualLogitsGiveTheLogOfTheirNumberWhateverTheirSize) {
  const Tensor target = tensor<std::int64_t>({0, 1});
  for (const double level : {1e30, -1e30, 0.0}) {
    const Tensor x = leaf(full({2, 4}, level));
    const Tensor loss = cross_entropy(x, target);
    EXPECT_NEAR(loss.item<double>(), std::log(4), 1e-6) << level;
    loss.backward();
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_NEAR(x.grad().to_vector<float>()[i], (i == 0 || i == 5 ? -0.75 : 0.25) / 2, 1e-6) << level << ' ' << i;
  }
}

}  // namespace
}  // namespace minima::cross_entropy_test
