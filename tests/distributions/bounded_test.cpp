#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace minima::distributions::bounded_test {
namespace {

Tensor doubles(const NestedValues& values) { return tensor(values, {.dtype = float64}); }

/// Near ½ the Taylor series and the formulas meet.
TEST(ContinuousBernoulli, IsSmoothAtOneHalf) {
  const Tensor probs = doubles({0.49899999, 0.499, 0.501, 0.50100001});
  const ContinuousBernoulli law({.probs = probs});
  for (const Tensor& x : {law.log_normalizer(), law.mean(), law.variance()}) {
    EXPECT_NEAR(x[0].item<double>(), x[1].item<double>(), 1e-7);
    EXPECT_NEAR(x[2].item<double>(), x[3].item<double>(), 1e-7);
  }
  EXPECT_EQ(law.log_prob(doubles(1.5))[0].item<double>(), -HUGE_VAL);
}

TEST(GeneralizedPareto, HasTheDerivativeByItsShapeAtZero) {
  const auto at = [](double c) { return GeneralizedPareto(doubles(0), 1, c).log_prob(doubles(1.3)).item<double>(); };
  const Tensor c = doubles(0).requires_grad(true);
  const GeneralizedPareto law(doubles(0), 1, c);
  law.log_prob(doubles(1.3)).backward();
  EXPECT_NEAR(c.grad().item<double>(), (at(1e-5) - at(-1e-5)) / 2e-5, 1e-8);
  EXPECT_NEAR(law.cdf(law.icdf(doubles(0.3))).item<double>(), 0.3, 1e-15);
  EXPECT_EQ(at(-2), -HUGE_VAL);  // beyond the largest value, ½
}

TEST(VonMises, HasTheEntropyOfItsDensity) {
  const VonMises law(doubles({0.5, 0.5}), doubles({0.7, 9}));
  const Tensor x = unsqueeze(linspace(-M_PI, M_PI, 2001, {.dtype = float64}), 1), p = law.log_prob(x);
  const Tensor total = sum(exp(narrow(p, 0, 1, 2000)), 0) * (M_PI / 1000);
  const Tensor entropy = sum(-exp(narrow(p, 0, 1, 2000)) * narrow(p, 0, 1, 2000), 0) * (M_PI / 1000);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(total[i].item<double>(), 1, 1e-12);
    EXPECT_NEAR(entropy[i].item<double>(), law.entropy()[i].item<double>(), 1e-12);
  }
}

TEST(Wishart, IsDifferentiableTwice) {
  const TensorFunction f = [](const std::vector<Tensor>& in) {
    const Wishart law(in[0] + 3, {.scale_tril = in[1]});
    const Tensor x = matmul(in[2], transpose(in[2], -2, -1)) + eye(2, {.dtype = float64});
    return std::vector<Tensor>{law.log_prob(x), law.entropy()};
  };
  const std::vector<Tensor> inputs{doubles(1.2).requires_grad(true), doubles({{1, 0}, {0.3, 2}}).requires_grad(true),
                                   doubles({{0.5, 1}, {-1, 2}}).requires_grad(true)};
  const GradcheckReport first = gradcheck(f, inputs), second = gradgradcheck(f, inputs);
  EXPECT_TRUE(first) << first.message;
  EXPECT_TRUE(second) << second.message;
  EXPECT_EQ(
      Wishart(doubles(3), {.matrix = doubles({{1, 0}, {0, 1}})}).log_prob(doubles({{1, 2}, {2, 1}})).item<double>(),
      -HUGE_VAL);
}

/// PyTorch's generic formula for exponential families sums the term of df over the batch.
TEST(Wishart, DivergesAsItsDrawsDo) {
  const Wishart p(doubles({4.5, 3}), {.matrix = doubles({{1, 0.5}, {0.5, 2}})});
  const Wishart q(doubles({3.5, 6}), {.matrix = doubles({{2, 0.1}, {0.1, 1}})});
  RandomGenerator generator(9);
  const Tensor x = p.sample({20000}, &generator), terms = p.log_prob(x) - q.log_prob(x);
  const Tensor error = abs(mean(terms, 0) - kl_divergence(p, q)) / sqrt(var(terms, {0}) / 20000);
  EXPECT_LT(max(error).item<double>(), 5);
  EXPECT_LT(max(abs(kl_divergence(p, p))).item<double>(), 1e-13);
}

TEST(Parameters, OutOfRangeAreRefused) {
  EXPECT_THROW(ContinuousBernoulli({.probs = doubles(1.5)}), ValueError);
  EXPECT_THROW(ContinuousBernoulli({}), ValueError);
  EXPECT_THROW(VonMises(0, doubles(-1)), ValueError);
  EXPECT_THROW(GeneralizedPareto(0, doubles(0), 1), ValueError);
  EXPECT_THROW(Wishart(doubles(0.5), {.matrix = doubles({{1, 0}, {0, 1}})}), ValueError);
  EXPECT_THROW(Wishart(doubles(3), {}), ValueError);
  EXPECT_THROW(Wishart(doubles(3), {.matrix = doubles({1, 2})}), ShapeError);
  EXPECT_THROW(LKJCholesky(1), ValueError);
  EXPECT_THROW(LKJCholesky(3, doubles(0)), ValueError);
  EXPECT_THROW(CatTransform(Transforms{ExpTransform()}, 0, {1, 2}), ValueError);
  EXPECT_THROW(CatTransform(Transforms{ExpTransform()}, 0, {0}), ValueError);
  EXPECT_THROW(StackTransform(Transforms{SoftmaxTransform()}), ValueError);
  EXPECT_THROW(StackTransform(Transforms{ExpTransform()})(doubles({1, 2})), ShapeError);
  EXPECT_THROW(CorrCholeskyTransform()(doubles({1, 2})), ShapeError);
}

}  // namespace
}  // namespace minima::distributions::bounded_test
