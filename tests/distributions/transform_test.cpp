#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/distributions/distributions.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

// tests/fixtures/distributions/generate.py describes the fixture.

namespace minima::distributions::transform_test {
namespace {

using test::message_of;
using Tensors = std::vector<Tensor>;
using Made = std::unique_ptr<Transform>;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  const char* name;
  Made (*make)(const Tensors& p);
};

template <class T>
Made plain(const Tensors&) {
  return std::make_unique<T>();
}

const Case cases[] = {
    {"Affine", [](const Tensors& p) -> Made { return std::make_unique<AffineTransform>(p[0], p[1], 1); }},
    {"Exp", plain<ExpTransform>},
    {"Power", [](const Tensors& p) -> Made { return std::make_unique<PowerTransform>(p[0]); }},
    {"Sigmoid", plain<SigmoidTransform>},
    {"Softplus", plain<SoftplusTransform>},
    {"Tanh", plain<TanhTransform>},
    {"Abs", plain<AbsTransform>},
    {"Softmax", plain<SoftmaxTransform>},
    {"StickBreaking", plain<StickBreakingTransform>},
    {"LowerCholesky", plain<LowerCholeskyTransform>},
    {"PositiveDefinite", plain<PositiveDefiniteTransform>},
    {"Reshape", [](const Tensors&) -> Made { return std::make_unique<ReshapeTransform>(Shape{2, 3}, Shape{3, 2}); }},
    {"Independent", [](const Tensors&) -> Made { return std::make_unique<IndependentTransform>(ExpTransform(), 1); }},
    {"Cumulative",
     [](const Tensors& p) -> Made { return std::make_unique<CumulativeDistributionTransform>(Normal(p[0], p[1])); }},
    {"CorrCholesky", plain<CorrCholeskyTransform>},
    {"Cat",
     [](const Tensors& p) -> Made {
       return std::make_unique<CatTransform>(Transforms{ExpTransform(), AffineTransform(0, p[0])}, 1,
                                             std::vector<std::int64_t>{1, 2});
     }},
    {"Stack",
     [](const Tensors&) -> Made {
       return std::make_unique<StackTransform>(Transforms{TanhTransform(), SigmoidTransform()}, 0);
     }},
    {"Compose",
     [](const Tensors& p) -> Made {
       return std::make_unique<ComposeTransform>(Transforms{AffineTransform(p[0], p[1]), StickBreakingTransform()});
     }},
};

class TransformOfPyTorch : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Distributions, TransformOfPyTorch, testing::ValuesIn(cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

Tensor weighted(const Tensor& y) { return sum(y * reshape(cos(arange(y.numel()).to(float64)), y.shape())); }

TEST_P(TransformOfPyTorch, HasItsValuesAndGradients) {
  static const State state = load(MINIMA_FIXTURES "/distributions/distributions.safetensors");
  const std::string name = std::string("transform.") + GetParam().name;
  const auto expect = [&](const std::string& key, const Tensor& x) {
    const Closeness close = allclose(x.detach(), state.tensor(name + key), {.rtol = 1e-9, .atol = 1e-11});
    EXPECT_TRUE(close) << key << ": " << close.message;
  };
  Tensors leaves;
  while (const Tensor* p = state.find(name + ".param" + std::to_string(leaves.size())))
    leaves.push_back(clone(*p).requires_grad(true));
  const Made transform = GetParam().make(leaves);
  const Tensor x = clone(state.tensor(name + ".x")).requires_grad(true);
  leaves.push_back(x);
  const Tensor y = (*transform)(x);
  expect(".y", y);
  EXPECT_EQ(y.shape(), transform->forward_shape(x.shape()));
  EXPECT_EQ(x.shape(), transform->inverse_shape(y.shape()));
  expect(".inverse", transform->inverse(y));
  Tensor total = weighted(y);
  if (state.find(name + ".log_det")) {
    const Tensor log_det = transform->log_abs_det_jacobian(x, y);
    expect(".log_det", log_det);
    total = total + weighted(log_det);
    const Tensor inside = transform->contains(y);
    EXPECT_TRUE(!inside.defined() || all(inside).item<bool>());
  } else {
    EXPECT_CONTAINS(message_of<ValueError>([&] { transform->log_abs_det_jacobian(x, y); }), "is no bijection");
  }
  const Tensors gradients = grad({total}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) expect(".grad" + std::to_string(i), gradients[i]);
}

TEST_P(TransformOfPyTorch, IsDifferentiableTwice) {
  static const State state = load(MINIMA_FIXTURES "/distributions/distributions.safetensors");
  const std::string name = std::string("transform.") + GetParam().name;
  Tensors inputs;
  while (const Tensor* p = state.find(name + ".param" + std::to_string(inputs.size())))
    inputs.push_back(clone(*p).requires_grad(true));
  inputs.push_back(clone(state.tensor(name + ".x")).requires_grad(true));
  const TensorFunction f = [&](const Tensors& in) {
    const Made transform = GetParam().make(in);
    const Tensor y = (*transform)(in.back());
    Tensors results{y, transform->inverse(y)};
    if (state.find(name + ".log_det")) results.push_back(y * sum(transform->log_abs_det_jacobian(in.back(), y)));
    return results;
  };
  const GradcheckReport first = gradcheck(f, inputs), second = gradgradcheck(f, inputs);
  EXPECT_TRUE(first) << first.message;
  EXPECT_TRUE(second) << second.message;
}

TEST(TransformedDistribution, HasTheShapesOfItsTransforms) {
  const TransformedDistribution vectors(Normal(zeros({5, 3}), 1), StickBreakingTransform());
  EXPECT_EQ(vectors.batch_shape(), Shape({5}));
  EXPECT_EQ(vectors.event_shape(), Shape({4}));
  EXPECT_EQ(vectors.sample({2}).shape(), Shape({2, 5, 4}));
  EXPECT_EQ(vectors.log_prob(vectors.sample({2})).shape(), Shape({2, 5}));
  const TransformedDistribution wider(Normal(0, 1), AffineTransform(zeros({6}), 2));
  EXPECT_EQ(wider.sample({2}).shape(), Shape({2, 6}));
  EXPECT_EQ(wider.log_prob(zeros({6})).shape(), Shape({6}));
  const TransformedDistribution positive(MultivariateNormal(zeros({3}), {.matrix = eye(3)}), ExpTransform());
  EXPECT_EQ(positive.event_shape(), Shape({3}));
  EXPECT_EQ(positive.log_prob(positive.sample({2})).shape(), Shape({2}));
  const TransformedDistribution none(Normal(zeros({2}), 1), Transforms{});
  EXPECT_EQ(none.log_prob(zeros({2})).to_vector<float>(),
            Normal(zeros({2}), 1).log_prob(zeros({2})).to_vector<float>());
  EXPECT_CONTAINS(message_of<ShapeError>([] { TransformedDistribution(Normal(0, 1), StickBreakingTransform()); }),
                  "the transforms take 1 dimensions, but a draw from Normal has the shape []");
}

TEST(TransformedDistribution, HasNoDensityOutsideItsSupport) {
  const TransformedDistribution law(Normal(0, 1), ExpTransform());
  const Tensor c = tensor({1.0, -1.0}).requires_grad(true);
  const Tensor density = law.log_prob(c);
  EXPECT_EQ(density[1].item<double>(), -infinity);
  sum(where(tensor({true, false}), density, 0)).backward();
  EXPECT_TRUE(all(isfinite(c.grad())).item<bool>());
  EXPECT_EQ(RelaxedOneHotCategorical(0.5, {.logits = zeros({3})}).log_prob(tensor({0.5, -0.5, 1.0})).item<double>(),
            -infinity);
}

TEST(TransformedDistribution, DrawsDifferentiateThroughItsTransforms) {
  const Tensor loc = zeros({2}).requires_grad(true);
  EXPECT_TRUE(TransformedDistribution(Normal(loc, 1), TanhTransform()).rsample().requires_grad());
  EXPECT_FALSE(TransformedDistribution(Normal(loc, 1), TanhTransform()).sample().requires_grad());
  EXPECT_CONTAINS(message_of<ValueError>([] { TransformedDistribution(Poisson(2), AffineTransform(1, 2)).rsample(); }),
                  "TransformedDistribution::rsample");
}

TEST(TransformedDistribution, HasACdfIfItsTransformsAreMonotonic) {
  const TransformedDistribution falling(Normal(0, 1), AffineTransform(1, -2));
  EXPECT_NEAR(falling.cdf(tensor(3.0)).item<double>(), Normal(1, 2).cdf(tensor(3.0)).item<double>(), 1e-6);
  EXPECT_NEAR(falling.icdf(tensor(0.9)).item<double>(), Normal(1, 2).icdf(tensor(0.9)).item<double>(), 1e-5);
  const TransformedDistribution folded(Normal(0, 1), AbsTransform());
  EXPECT_CONTAINS(message_of<ValueError>([&] { folded.cdf(tensor(3.0)); }), "AbsTransform is not monotonic");
}

TEST(Relaxed, StraightThroughDrawsHaveTheGradientOfProbabilities) {
  const Tensor logits = tensor({0.0, 1.0, 2.0}).requires_grad(true);
  const OneHotCategoricalStraightThrough law({.logits = logits});
  const Tensor x = law.rsample(), weights = tensor({1.0, -2.0, 3.0});
  EXPECT_NEAR(sum(x).item<double>(), 1, 1e-6);
  const Tensor got = grad({sum(x * weights)}, {logits})[0];
  const Tensor exact = grad({sum(softmax(logits, -1) * weights)}, {logits})[0];
  EXPECT_TRUE(allclose(got, exact));
}

}  // namespace
}  // namespace minima::distributions::transform_test
