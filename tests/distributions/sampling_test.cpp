#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace minima::distributions::sampling_test {
namespace {

constexpr int draws = 20000;

Tensor doubles(const NestedValues& values) { return tensor(values, {.dtype = float64}); }

std::vector<double> sorted_draws(const Distribution& law) {
  RandomGenerator generator(20261123);
  std::vector<double> x = law.sample({draws}, &generator).to_vector<double>();
  std::sort(x.begin(), x.end());
  return x;
}

/// Kolmogorov and Smirnov's √n · D; above 1.95 in one of a thousand correct samples.
double distance(const std::vector<double>& sorted, const std::vector<double>& cdf) {
  const double n = static_cast<double>(sorted.size());
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double before = static_cast<double>(i) / n;
    largest = std::max({largest, cdf[i] - before, before + 1 / n - cdf[i]});
  }
  return largest * std::sqrt(n);
}

TEST(Draws, FollowTheirCdf) {
  const Normal normal(doubles(0.7), 2);
  const LogNormal log_normal(doubles(-0.4), 0.6);
  const Uniform uniform(doubles(-1), 4);
  const Laplace laplace(doubles(1.5), 0.3);
  const Exponential exponential(doubles(2.5));
  const ContinuousBernoulli skewed({.probs = doubles(0.9)}), flat({.probs = doubles(0.5)});
  const GeneralizedPareto short_tail(doubles(1), 2, -0.3), long_tail(doubles(1), 2, 0.4), no_tail(doubles(1), 2, 0);
  for (const Distribution* law : std::initializer_list<const Distribution*>{
           &normal, &log_normal, &uniform, &laplace, &exponential, &skewed, &flat, &short_tail, &long_tail, &no_tail}) {
    const std::vector<double> x = sorted_draws(*law);
    EXPECT_LT(distance(x, law->cdf(from_vector(x, {draws})).to_vector<double>()), 1.95) << law->name();
  }
}

/// A change of variables after which the density is smooth.
struct Coordinate {
  std::function<double(double)> to;
  std::function<Tensor(const Tensor&)> from, log_slope;  ///< x of y, log dx/dy
};
const Coordinate identity{[](double x) { return x; }, [](const Tensor& y) { return y; },
                          [](const Tensor& y) { return zeros_like(y); }};
const Coordinate logarithm{[](double x) { return std::log(x); }, [](const Tensor& y) { return exp(y); },
                           [](const Tensor& y) { return y; }};
const Coordinate logits{[](double x) { return std::log(x) - std::log1p(-x); },
                        [](const Tensor& y) { return sigmoid(y); },
                        [](const Tensor& y) { return log_sigmoid(y) + log_sigmoid(-y); }};

/// The same distance with the cdf integrated from log_prob.
double distance_from_density(const Distribution& law, const Coordinate& coordinate) {
  std::vector<double> y = sorted_draws(law);
  for (double& value : y) value = coordinate.to(value);
  constexpr int cells = 40000;
  const double margin = (y.back() - y.front()) * 0.5, start = y.front() - margin;
  const double width = (y.back() + margin - start) / cells;
  const Tensor grid = linspace(start, start + width * cells, cells + 1, {.dtype = float64});
  const Tensor density = exp(law.log_prob(coordinate.from(grid)) + coordinate.log_slope(grid));
  const std::vector<double> sums = cumulative_trapezoid(density, width).to_vector<double>();
  std::vector<double> cdf;
  for (const double value : y) {
    const double at = (value - start) / width;
    const auto cell = std::min<std::size_t>(static_cast<std::size_t>(at), cells - 1);
    const double before = cell == 0 ? 0 : sums[cell - 1];
    cdf.push_back(before + (at - static_cast<double>(cell)) * (sums[cell] - before));
  }
  EXPECT_NEAR(sums.back(), 1, 0.01) << law.name();
  return distance(y, cdf);
}

TEST(Draws, OfLowRankVectorsHaveTheirCovariance) {
  RandomGenerator generator(5);
  const LowRankMultivariateNormal law(doubles({1, -1, 0}), doubles({{1}, {0.5}, {-2}}), doubles({0.3, 1, 0.2}));
  const Tensor x = law.sample({draws}, &generator), covariance = law.covariance_matrix();
  EXPECT_LT(max(abs(mean(x, 0) - law.loc)).item<double>(), 0.07);
  EXPECT_LT(max(abs(cov(transpose(x, 0, 1)) - covariance)).item<double>(), 0.15);
}

TEST(Draws, OfVonMisesPointAroundTheirMean) {
  for (const double concentration : {1e-6, 0.4, 3.0, 200.0}) {
    RandomGenerator generator(6);
    const VonMises law(doubles(2.5), concentration);
    const Tensor x = law.sample({draws}, &generator), along = cos(x - 2.5), across = sin(x - 2.5);
    EXPECT_LT(max(abs(x)).item<double>(), 3.1415926536);
    const double error = std::sqrt(var(along).item<double>() / draws);
    EXPECT_NEAR(mean(along).item<double>(), 1 - law.variance().item<double>(), 5 * error) << concentration;
    EXPECT_NEAR(mean(across).item<double>(), 0, 5 * std::sqrt(var(across).item<double>() / draws)) << concentration;
  }
}

TEST(Draws, OfWishartHaveItsMoments) {
  RandomGenerator generator(7);
  const Wishart law(doubles(4.5), {.matrix = doubles({{1, 0.5}, {0.5, 2}})});
  const Tensor x = law.sample({draws}, &generator), errors = sqrt(law.variance() / draws);
  EXPECT_LT(max(abs(mean(x, 0) - law.mean()) / errors).item<double>(), 5);
  EXPECT_LT(max(abs(var(x, {0}) / law.variance() - 1)).item<double>(), 0.1);
}

/// Correlations r of LKJ have a Beta distribution of (r + 1) / 2 with parameters concentration - 1 + D/2.
TEST(Draws, OfLkjCholeskyAreCorrelationsOfTheirVariance) {
  RandomGenerator generator(8);
  const LKJCholesky law(4, doubles(1.5));
  const Tensor l = law.sample({draws}, &generator), r = matmul(l, transpose(l, -2, -1));
  EXPECT_LT(max(abs(diagonal(r, 0, -2, -1) - 1)).item<double>(), 1e-12);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) {
      const Tensor each = select(select(r, -1, i), -1, j);
      EXPECT_NEAR(mean(each).item<double>(), 0, 5 * std::sqrt(1.0 / 6 / draws)) << i << j;
      EXPECT_NEAR(var(each).item<double>(), 1.0 / 6, 0.006) << i << j;
    }
}

TEST(Draws, FollowTheirDensity) {
  const RelaxedBernoulli gate(doubles(0.5), {.logits = doubles(0.4)});
  EXPECT_LT(distance_from_density(gate, logits), 1.95) << "RelaxedBernoulli";
  EXPECT_LT(distance_from_density(Kumaraswamy(doubles(0.7), 2), logits), 1.95) << "Kumaraswamy";
  EXPECT_LT(distance_from_density(FisherSnedecor(doubles(3), 5), logarithm), 1.95) << "FisherSnedecor";
  const TransformedDistribution action(Normal(doubles(0.2), 0.8), {SigmoidTransform(), PowerTransform(doubles(2))});
  EXPECT_LT(distance_from_density(action, logits), 1.95) << "transformed";
  for (const double c : {0.05, 0.7, 1.0, 4.0, 300.0})
    EXPECT_LT(distance_from_density(Gamma(doubles(c), 3), logarithm), 1.95) << "Gamma, c = " << c;
  for (const double a : {0.3, 1.0, 6.0})
    EXPECT_LT(distance_from_density(Beta(doubles(a), 1.4), logits), 1.95) << "Beta, a = " << a;
  for (const double df : {2.5, 5.0, 40.0})
    EXPECT_LT(distance_from_density(StudentT(doubles(df), 1, 2), identity), 1.95) << "StudentT, df = " << df;
}

/// Means within five standard errors, variances within a tenth.
void expect_moments(const Distribution& law) {
  RandomGenerator generator(3);
  const Tensor x = law.sample({draws}, &generator).to(float64);
  const Tensor standard_error = sqrt(law.variance().to(float64) / draws);
  const Tensor error = abs(mean(x, 0) - law.mean().to(float64)) / standard_error;
  EXPECT_LT(max(error).item<double>(), 5) << law.name();
  const Tensor ratio = var(x, 0) / law.variance().to(float64);
  EXPECT_LT(max(abs(ratio - 1)).item<double>(), 0.1) << law.name();
}

TEST(Draws, HaveTheMomentsOfTheirDistribution) {
  const Tensor a = doubles({0.4, 1, 3}), b = doubles({0.7, 2, 5});
  expect_moments(Normal(a, b));
  expect_moments(LogNormal(a, 0.3));
  expect_moments(Uniform(-a, b));
  expect_moments(Laplace(a, b));
  expect_moments(Exponential(a));
  expect_moments(Gamma(a, b));
  expect_moments(Beta(a, b));
  expect_moments(Dirichlet(b));
  expect_moments(StudentT(doubles({9, 20, 50}), a, b));
  expect_moments(Bernoulli({.probs = doubles({0.1, 0.5, 0.8})}));
  expect_moments(OneHotCategorical({.logits = doubles({{0, 1, 2}, {2, -1, 0}})}));
  expect_moments(Multinomial(12, {.probs = doubles({{1, 2, 5}, {3, 3, 1}})}));
  expect_moments(HalfNormal(a));
  expect_moments(Gumbel(a, b));
  expect_moments(Weibull(a, doubles({1, 2, 3})));
  expect_moments(Pareto(a, 9));
  expect_moments(InverseGamma(doubles({9, 12, 15}), b));
  expect_moments(Geometric({.probs = doubles({0.1, 0.5, 0.8})}));
  expect_moments(Binomial(12, {.probs = doubles({0.1, 0.5, 0.8})}));
  expect_moments(Poisson(doubles({0.2, 3, 9.9, 10, 40, 3000})));
  expect_moments(NegativeBinomial(a * 4, {.logits = doubles({-1, 0, 1})}));
  expect_moments(Kumaraswamy(a, b));
  expect_moments(FisherSnedecor(b, doubles({30, 40, 50})));
  expect_moments(MixtureSameFamily(Categorical({.logits = doubles({0, 1})}), Normal(doubles({-2, 1}), b[0])));
  expect_moments(Gamma(tensor({0.4, 1.0, 3.0}), 2));  // float32
  expect_moments(Normal(0, 2));
}

TEST(Draws, OfClassesHaveTheirProbabilities) {
  RandomGenerator generator(4);
  const Categorical law({.probs = doubles({{1, 2, 1}, {5, 0, 3}})});
  const Tensor classes = law.sample({draws}, &generator);
  EXPECT_EQ(classes.dtype(), int64);
  const Tensor shares = mean(one_hot(classes, 3).to(float64), 0);
  EXPECT_LT(max(abs(shares - law.probs)).item<double>(), 0.02);
  EXPECT_EQ(shares[1][1].item<double>(), 0);
}

TEST(Draws, OfVectorsHaveTheirCovariance) {
  RandomGenerator generator(5);
  const Tensor covariance = doubles({{2, 0.8, -0.3}, {0.8, 1, 0.1}, {-0.3, 0.1, 0.5}});
  const MultivariateNormal law(doubles({1, -1, 0}), {.matrix = covariance});
  const Tensor x = law.sample({draws}, &generator);
  EXPECT_LT(max(abs(mean(x, 0) - law.loc)).item<double>(), 0.05);
  EXPECT_LT(max(abs(cov(transpose(x, 0, 1)) - covariance)).item<double>(), 0.07);
}

TEST(Draws, OfCountsHaveTheirProbabilities) {
  const auto check = [](const Distribution& law) {
    RandomGenerator generator(9);
    const Tensor x = law.sample({draws}, &generator);
    for (int k = 0; k < 60; ++k) {
      const double share = mean((x == k).to(float64)).item<double>();
      const double exact = exp(law.log_prob(doubles(k))).item<double>();
      EXPECT_NEAR(share, exact, 5 * std::sqrt(exact / draws) + 1e-4) << law.name() << ", " << k;
    }
  };
  check(Poisson(doubles(4)));
  check(Poisson(doubles(25)));
  check(Geometric({.probs = doubles(0.3)}));
  check(Binomial(20, {.probs = doubles(0.3)}));
  check(NegativeBinomial(doubles(2.5), {.probs = doubles(0.6)}));
}

TEST(Draws, OfTinyConcentrationsStayInTheSupport) {
  RandomGenerator generator(6);
  const Tensor x = Gamma(tensor(1e-3), 1).sample({1000}, &generator);
  EXPECT_TRUE(all(x > 0).item<bool>());
  EXPECT_TRUE(all(isfinite(Gamma(tensor(1e-3), 1).log_prob(x))).item<bool>());
  const Tensor shares = Dirichlet(full({4}, 1e-3)).sample({1000}, &generator);
  EXPECT_LT(max(abs(sum(shares, -1) - 1)).item<double>(), 1e-5);
}

TEST(Draws, DependOnlyOnTheGenerator) {
  RandomGenerator first(11), second(11);
  const Gamma law(doubles({0.5, 2}), 1);
  EXPECT_TRUE(all(law.sample({50}, &first) == law.sample({50}, &second)).item<bool>());
}

}  // namespace
}  // namespace minima::distributions::sampling_test
