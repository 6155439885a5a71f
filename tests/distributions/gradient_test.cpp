#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/distributions/continuous/standard_gamma.h>
#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <vector>

namespace minima::distributions::gradient_test {
namespace {

using Tensors = std::vector<Tensor>;

Tensor leaf(const NestedValues& values) { return tensor(values, {.dtype = float64}).requires_grad(true); }

/// First and second derivatives of log_prob, by parameters and value.
void check_log_prob(const TensorFunction& f, const Tensors& inputs) {
  const GradcheckReport first = gradcheck(f, inputs), second = gradgradcheck(f, inputs);
  EXPECT_TRUE(first) << first.message;
  EXPECT_TRUE(second) << second.message;
}

TEST(DistributionGradients, OfLogProbMatchFiniteDifferences) {
  const Tensor real = leaf({{-0.7, 0.3}, {1.1, 0.9}}), unit = leaf({{0.2, 0.7}, {0.4, 0.55}});
  const Tensor a = leaf({0.8, 2.5}), b = leaf({1.3, 0.6});
  check_log_prob([](auto& in) { return Tensors{Normal(in[1], in[2]).log_prob(in[0])}; }, {real, a, b});
  check_log_prob([](auto& in) { return Tensors{LogNormal(in[1], in[2]).log_prob(in[0])}; }, {unit, a, b});
  check_log_prob([](auto& in) { return Tensors{Laplace(in[1], in[2]).log_prob(in[0])}; }, {real, a, b});
  check_log_prob([](auto& in) { return Tensors{Gamma(in[1], in[2]).log_prob(in[0])}; }, {unit, a, b});
  check_log_prob([](auto& in) { return Tensors{Exponential(in[1]).log_prob(in[0])}; }, {unit, a});
  check_log_prob([](auto& in) { return Tensors{Beta(in[1], in[2]).log_prob(in[0])}; }, {unit, a, b});
  check_log_prob([](auto& in) { return Tensors{Dirichlet(in[1]).log_prob(softmax(in[0], -1))}; }, {real, a});
  check_log_prob([](auto& in) { return Tensors{StudentT(in[1], in[2], 2).log_prob(in[0])}; }, {real, a, b});
  check_log_prob([](auto& in) { return Tensors{Bernoulli({.logits = in[0]}).log_prob(tensor({{0, 1}, {1, 0}}))}; },
                 {real});
  check_log_prob([](auto& in) { return Tensors{Categorical({.logits = in[0]}).entropy()}; }, {real});
}

TEST(DistributionGradients, OfDrawsFromFixedNoiseMatchFiniteDifferences) {
  const Tensor a = leaf({0.8, 2.5}), b = leaf({1.3, 3.6});
  const auto draw = [](const Distribution& law) {
    RandomGenerator generator(5);
    return Tensors{law.rsample({3}, &generator)};
  };
  check_log_prob([&](auto& in) { return draw(Normal(in[0], in[1])); }, {a, b});
  check_log_prob([&](auto& in) { return draw(LogNormal(in[0], in[1])); }, {a, b});
  check_log_prob([&](auto& in) { return draw(Uniform(in[0], in[1])); }, {a, b});
  check_log_prob([&](auto& in) { return draw(Laplace(in[0], in[1])); }, {a, b});
  check_log_prob([&](auto& in) { return draw(Exponential(in[0])); }, {a});
  check_log_prob([&](auto& in) { return draw(Gamma(tensor<double>({0.5, 4.}), in[0])); }, {a});
  check_log_prob([&](auto& in) { return draw(StudentT(tensor<double>({2.5, 4.}), in[0], in[1])); }, {a, b});
}

TEST(DistributionGradients, OfMultivariateNormalsMatchFiniteDifferences) {
  const Tensor root = leaf({{1.2, 0.1, 0}, {0.3, 0.9, 0.2}, {-0.4, 0.5, 1.1}}), loc = leaf({0.1, -0.2, 0.3});
  const Tensor x = leaf({{0.5, -0.7, 0.2}, {1, 0, -1}});
  check_log_prob(
      [](auto& in) {
        const Tensor covariance = matmul(in[0], transpose(in[0], 0, 1)) + eye(3, {.dtype = float64});
        const MultivariateNormal law(in[1], {.matrix = covariance});
        RandomGenerator generator(5);
        return Tensors{law.log_prob(in[2]), law.rsample({2}, &generator), law.entropy()};
      },
      {root, loc, x});
}

TEST(GammaDerivative, IsDifferentiable) {
  const Tensor c = leaf({0.05, 0.9, 2.5, 2.5, 30, 30}), log_x = leaf({-9, 0.3, 0.1, 1.6, 3.2, 3.6});
  check_log_prob([](auto& in) { return Tensors{detail::log_gamma_derivative(in[0], in[1])}; }, {c, log_x});
}

/// Means over draws of derivatives estimate derivatives of means.
TEST(GammaDraws, HaveUnbiasedGradientsOfFirstAndSecondOrder) {
  RandomGenerator generator(7);
  const Tensor c = leaf({0.4, 1.7, 12});
  const Tensor x = Gamma(c, 1).rsample({40000}, &generator);
  const Tensor second_moment = mean(square(x), 0);  // c + c²
  const Tensor first = grad({sum(second_moment)}, {c}, {}, {.create_graph = true})[0];
  const Tensor second = grad({sum(first)}, {c})[0];
  const auto slopes = first.to_vector<double>(), curvatures = second.to_vector<double>(), at = c.to_vector<double>();
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_NEAR(slopes[i], 1 + 2 * at[i], 0.05 * (1 + 2 * at[i])) << "c = " << at[i];
    EXPECT_NEAR(curvatures[i], 2, 0.1) << "c = " << at[i];
  }
}

TEST(BetaDraws, HaveUnbiasedGradients) {
  RandomGenerator generator(8);
  const Tensor a = leaf({0.6, 3}), b = leaf({2, 0.7});
  const Tensor draws = mean(Beta(a, b).rsample({40000}, &generator), 0);
  const Tensors got = grad({sum(draws)}, {a, b});
  const Tensors exact = grad({sum(Beta(a, b).mean())}, {a, b});
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(got[i][j].item<double>(), exact[i][j].item<double>(), 0.004)
          << "parameter " << i << ", element " << j;
}

TEST(DirichletDraws, HaveUnbiasedGradients) {
  RandomGenerator generator(9);
  const Tensor c = leaf({0.5, 1.5, 4});
  const Tensor weights = tensor<double>({1., -2., 3.});
  const Tensor got = grad({sum(weights * mean(Dirichlet(c).rsample({40000}, &generator), 0))}, {c})[0];
  const Tensor exact = grad({sum(weights * Dirichlet(c).mean())}, {c})[0];
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(got[j].item<double>(), exact[j].item<double>(), 0.02) << j;
}

}  // namespace
}  // namespace minima::distributions::gradient_test
