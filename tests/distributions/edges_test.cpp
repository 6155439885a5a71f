#include <minima/autograd/backward.h>
#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

// These tests visit the edges of the unit interval: draws from its smallest and largest numbers, quantiles of 0 and 1.

namespace minima::distributions::edges_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t draws = 1 << 20;

using Law = std::unique_ptr<Distribution>;
struct Case {
  const char* name;
  std::function<Law(const Tensor& zero, const Tensor& one)> make;
};

template <class D>
Law law(D distribution) {
  return std::make_unique<D>(std::move(distribution));
}

const Case cases[] = {
    {"Normal", [](const Tensor& zero, const Tensor& one) { return law(Normal(zero, one)); }},
    {"LogNormal", [](const Tensor& zero, const Tensor& one) { return law(LogNormal(zero, one)); }},
    {"HalfNormal", [](const Tensor&, const Tensor& one) { return law(HalfNormal(one)); }},
    {"Uniform", [](const Tensor& zero, const Tensor& one) { return law(Uniform(zero, one)); }},
    {"UniformFrom1", [](const Tensor&, const Tensor& one) { return law(Uniform(one, one * 2)); }},
    {"UniformBelow0", [](const Tensor& zero, const Tensor& one) { return law(Uniform(-one, zero)); }},
    {"UniformFar", [](const Tensor&, const Tensor& one) { return law(Uniform(one * 128, one * 130)); }},
    {"Laplace", [](const Tensor& zero, const Tensor& one) { return law(Laplace(zero, one)); }},
    {"Exponential", [](const Tensor&, const Tensor& one) { return law(Exponential(one)); }},
    {"FastExponential", [](const Tensor&, const Tensor& one) { return law(Exponential(one * 100)); }},
    {"Gamma", [](const Tensor&, const Tensor& one) { return law(Gamma(one, one)); }},
    {"InverseGamma", [](const Tensor&, const Tensor& one) { return law(InverseGamma(one, one)); }},
    {"Beta", [](const Tensor&, const Tensor& one) { return law(Beta(one * 2, one * 0.25)); }},
    {"StudentT", [](const Tensor&, const Tensor& one) { return law(StudentT(one, 0, one)); }},
    {"Gumbel", [](const Tensor& zero, const Tensor& one) { return law(Gumbel(zero, one)); }},
    {"Weibull", [](const Tensor&, const Tensor& one) { return law(Weibull(one, one * 0.5)); }},
    {"Cauchy", [](const Tensor& zero, const Tensor& one) { return law(Cauchy(zero, one)); }},
    {"HalfCauchy", [](const Tensor&, const Tensor& one) { return law(HalfCauchy(one)); }},
    {"Pareto", [](const Tensor&, const Tensor& one) { return law(Pareto(one, one * 0.5)); }},
    {"GeneralizedPareto", [](const Tensor& zero, const Tensor& one) { return law(GeneralizedPareto(zero, one, 0.5)); }},
    {"Kumaraswamy", [](const Tensor&, const Tensor& one) { return law(Kumaraswamy(one * 0.5, one * 0.5)); }},
    {"FisherSnedecor", [](const Tensor&, const Tensor& one) { return law(FisherSnedecor(one, one)); }},
    {"ContinuousBernoulli",
     [](const Tensor&, const Tensor& one) { return law(ContinuousBernoulli({.probs = one * 0.25})); }},
    {"VonMises", [](const Tensor& zero, const Tensor& one) { return law(VonMises(zero, one)); }},
    {"LogitRelaxedBernoulli",
     [](const Tensor& zero, const Tensor& one) { return law(LogitRelaxedBernoulli(one * 0.5, {.logits = zero})); }},
    {"RelaxedBernoulli",
     [](const Tensor& zero, const Tensor& one) { return law(RelaxedBernoulli(one * 0.125, {.logits = zero})); }},
    {"RelaxedOneHotCategorical",
     [](const Tensor& zero, const Tensor&) {
       return law(RelaxedOneHotCategorical(0.5, {.logits = expand(zero, {4})}));
     }},
    {"Dirichlet", [](const Tensor&, const Tensor& one) { return law(Dirichlet(expand(one * 0.0625, {4}))); }},
    {"LogisticNormal",
     [](const Tensor& zero, const Tensor& one) { return law(LogisticNormal(expand(zero, {3}), one)); }},
    {"TanhOfNormal",
     [](const Tensor& zero, const Tensor& one) {
       return law(TransformedDistribution(Normal(zero, one * 4), {TanhTransform()}));
     }},
    {"SigmoidOfNormal",
     [](const Tensor& zero, const Tensor& one) {
       return law(TransformedDistribution(Normal(zero, one * 8), {SigmoidTransform()}));
     }},
    {"ExpOfLaplace",
     [](const Tensor& zero, const Tensor& one) {
       return law(TransformedDistribution(Laplace(zero, one), {ExpTransform()}));
     }},
    {"SoftplusOfLaplace",
     [](const Tensor& zero, const Tensor& one) {
       return law(TransformedDistribution(Laplace(zero, one * 4), {SoftplusTransform()}));
     }},
    {"Geometric", [](const Tensor&, const Tensor& one) { return law(Geometric({.probs = one * 0.125})); }},
    {"NegativeBinomial",
     [](const Tensor& zero, const Tensor& one) { return law(NegativeBinomial(one, {.logits = zero})); }},
    {"Poisson", [](const Tensor&, const Tensor& one) { return law(Poisson(one)); }},
};

void expect_in_support(const Distribution& law, const Tensor& x) {
  EXPECT_EQ(sum(logical_not(isfinite(x))).item<std::int64_t>(), 0) << str(x.dtype());
  const Tensor outside = logical_not(isfinite(law.log_prob(x.to(float64))));
  EXPECT_EQ(sum(outside).item<std::int64_t>(), 0) << str(x.dtype());
}

class EdgeDraws : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, EdgeDraws, testing::ValuesIn(cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(EdgeDraws, AreFiniteAndInTheSupport) {
  for (const DType dtype : {float32, float16, bfloat16}) {
    const Law law = GetParam().make(full({}, 0, {.dtype = dtype}), full({}, 1, {.dtype = dtype}));
    const std::int64_t slow = law->has_rsample() && law->event_shape().rank() == 0 ? 1 : 8;
    RandomGenerator generator(11);
    const Tensor x = law->sample({draws / slow}, &generator);
    EXPECT_EQ(x.dtype(), dtype);
    expect_in_support(*law, x);
    EXPECT_EQ(sum(logical_not(isfinite(law->log_prob(x)))).item<std::int64_t>(), 0) << str(dtype);
  }
}

/// These positions of the stream begin with numbers of 24 bits of which one is 0 or 1 - 2⁻²⁴.
TEST_P(EdgeDraws, OfTheSmallestAndLargestUniformNumbersAreFiniteAndInTheSupport) {
  for (const std::uint64_t offset : {5957886, 6856734, 858091, 2203919}) {
    RandomGenerator generator(11);
    generator.set_state({11, offset});
    const Tensor u = rand({4}, {}, &generator);
    ASSERT_TRUE(any((u == 0) | (u == 1 - 0x1p-24)).item<bool>());
    for (const DType dtype : {float32, float16, bfloat16}) {
      const Law law = GetParam().make(full({}, 0, {.dtype = dtype}), full({}, 1, {.dtype = dtype}));
      generator.set_state({11, offset});
      expect_in_support(*law, law->sample({4}, &generator));
    }
  }
}

TEST(Draws, OfHalfTypesHaveTheTailsOfTheirDistribution) {
  for (const DType dtype : {float16, bfloat16}) {
    const Tensor zero = full({}, 0, {.dtype = dtype}), one = full({}, 1, {.dtype = dtype});
    RandomGenerator generator(12);
    const auto share_above = [&](const Distribution& law, double bound) {
      return mean((law.sample({draws}, &generator).to(float32) > bound).to(float32)).item<double>();
    };
    EXPECT_NEAR(share_above(Exponential(one), 8.1), std::exp(-8.1), 6e-5) << str(dtype);
    EXPECT_NEAR(share_above(Laplace(zero, one), 8.1), std::exp(-8.1) / 2, 5e-5) << str(dtype);
    EXPECT_NEAR(share_above(Gumbel(zero, one), 8.1), -std::expm1(-std::exp(-8.1)), 6e-5) << str(dtype);
    EXPECT_NEAR(share_above(LogitRelaxedBernoulli(one, {.logits = zero}), 8.1), 1 / (1 + std::exp(8.1)), 6e-5)
        << str(dtype);
    EXPECT_NEAR(share_above(Pareto(one, one), 1001), 1e-3, 1.2e-4) << str(dtype);
  }
}

TEST(Quantiles, OfZeroAndOneAreTheEndsOfTheSupport) {
  for (const DType dtype : {float64, float32}) {
    const Tensor zero = full({}, 0, {.dtype = dtype}), one = full({}, 1, {.dtype = dtype});
    const auto expect = [&](const Distribution& law, double low, double high) {
      EXPECT_EQ(law.icdf(zero).item<double>(), low) << law.name() << ", " << str(dtype);
      EXPECT_EQ(law.icdf(one).item<double>(), high) << law.name() << ", " << str(dtype);
      EXPECT_EQ(law.cdf(zero + low).item<double>(), 0) << law.name() << ", " << str(dtype);
      EXPECT_EQ(law.cdf(zero + high).item<double>(), 1) << law.name() << ", " << str(dtype);
    };
    expect(Normal(zero, one), -infinity, infinity);
    expect(LogNormal(zero, one), 0, infinity);
    expect(HalfNormal(one), 0, infinity);
    expect(Uniform(zero, one), 0, 1);
    expect(Laplace(zero, one), -infinity, infinity);
    expect(Exponential(one), 0, infinity);
    expect(Gumbel(zero, one), -infinity, infinity);
    expect(Weibull(one, one), 0, infinity);
    expect(Cauchy(zero, one), -infinity, infinity);
    expect(HalfCauchy(one), 0, infinity);
    expect(Pareto(one, one), 1, infinity);
    expect(GeneralizedPareto(zero, one, 0), 0, infinity);
    expect(GeneralizedPareto(zero, one, 0.5), 0, infinity);
    expect(GeneralizedPareto(zero, one, -0.5), 0, 2);
    expect(Kumaraswamy(one * 2, one), 0, 1);
    expect(TransformedDistribution(Normal(zero, one), {ExpTransform(), AffineTransform(0, -one)}), -infinity, 0);
  }
}

TEST(Quantiles, OfTinyProbabilitiesAreExact) {
  const Tensor p = tensor({1e-30, 1e-10, 0.25});
  const auto close = [](const Tensor& x, double exact, double at) {
    EXPECT_NEAR(x.item<double>() / exact, 1, 2e-6) << at;
  };
  const Tensor laplace = Laplace(0, 1).icdf(p), cauchy = Cauchy(0, 1).icdf(p);
  const Tensor reached = TransformedDistribution(Laplace(0, 1), {AffineTransform(0, 2)}).icdf(p);
  for (const int i : {0, 1, 2}) {
    const double at = p[i].item<double>();
    close(laplace[i], std::log(2 * at), at);
    close(reached[i], 2 * std::log(2 * at), at);
    close(cauchy[i], -1 / std::tan(M_PI * at), at);
  }
  EXPECT_EQ(Cauchy(0, 1).icdf(tensor(0.5)).item<double>(), 0);
}

/// Values of mpmath.
TEST(Quantiles, OfNormalVariablesAndHalvesAreExactForTinyProbabilities) {
  const Tensor p = tensor<double>({1e-300, 1e-30, 1e-10, 0.2}), quantiles = Normal(0, p[0] * 0 + 1).icdf(p);
  const double exact[] = {-37.047096299361199, -11.464024688443616, -6.3613409024040562, -0.84162123357291417};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(quantiles[i].item<double>() / exact[i], 1, 1e-14) << i;
  const Tensor narrow = Normal(0, 1).icdf(p.to(float32));
  for (int i = 1; i < 4; ++i) EXPECT_NEAR(narrow[i].item<double>() / exact[i], 1, 3e-7) << i;
  EXPECT_EQ(Normal(0, 1).icdf(tensor(0.8F)).item<float>(), -Normal(0, 1).icdf(tensor(1 - 0.8F)).item<float>());
  const auto quantile = [&](const Distribution& law) { return law.icdf(p[1]).item<double>() / 1e-30; };
  const Tensor one = ones({}, {.dtype = float64});
  EXPECT_NEAR(quantile(HalfNormal(one)), 1.2533141373155004, 1e-14);
  EXPECT_NEAR(quantile(HalfCauchy(one)), 1.5707963267948968, 1e-14);
  EXPECT_NEAR(quantile(ContinuousBernoulli({.probs = one * 0.25})), 0.60682615108455831, 1e-14);
  EXPECT_NEAR(log(LogNormal(0, one).icdf(p[0])).item<double>(), exact[0], 1e-13);
}

/// The slope of Φ⁻¹ is 1 / φ(x), and that of log φ is -x.
TEST(Quantiles, OfNormalVariablesHaveGradientsInTheTails) {
  const Tensor p = tensor<double>({1e-30, 1e-3, 0.3, 0.9}).requires_grad(true);
  const Normal law(0, ones({}, {.dtype = float64}));
  const Tensor x = law.icdf(p), slope = grad({sum(x)}, {p}, {}, {.create_graph = true})[0];
  const Tensor exact = exp(neg(law.log_prob(x.detach())));
  EXPECT_TRUE(allclose(slope, exact, {.rtol = 1e-11, .atol = 0}));
  EXPECT_TRUE(allclose(grad({sum(slope)}, {p})[0], x.detach() * square(exact), {.rtol = 1e-9, .atol = 0}));
}

TEST(Cdf, IsExactFarInTheTails) {
  const Tensor one = ones({}, {.dtype = float64});
  const auto expect = [&](const Distribution& law, double x, double exact, double tolerance = 1e-14) {
    EXPECT_NEAR(law.cdf(one * x).item<double>() / exact, 1, tolerance) << law.name() << " at " << x;
  };
  expect(HalfNormal(one), 1e-30, 7.9788456080286542e-31);
  expect(HalfCauchy(one), 1e-30, 6.366197723675814e-31);
  expect(Cauchy(0, one), -1e30, 3.1830988618379067e-31);
  expect(Laplace(0, one), -50, 9.6437492398195889e-23);
  expect(Kumaraswamy(one * 0.5, one * 0.5), 1e-30, 5.0000000000000015e-16);
  expect(ContinuousBernoulli({.probs = one * 0.25}), 1e-30, 1.6479184330021647e-30);
  expect(ContinuousBernoulli({.probs = one * 0.5005}), 0.5, 0.4997499999375, 1e-12);
  expect(Pareto(one, one * 2), 1 + 1e-9, 2.0000001624807415e-9, 1e-6);
}

TEST(Cdf, OfNanIsNanAndOutsideOfTheSupportZeroOrOne) {
  const Tensor one = ones({}, {.dtype = float64});
  const auto expect = [&](const Distribution& law, double below, double above) {
    EXPECT_TRUE(std::isnan(law.cdf(one * std::nan("")).item<double>())) << law.name();
    EXPECT_EQ(law.cdf(one * below).item<double>(), 0) << law.name();
    EXPECT_EQ(law.cdf(one * above).item<double>(), 1) << law.name();
  };
  expect(LogNormal(0, one), -1, infinity);
  expect(InverseGamma(one, one), -1, infinity);
  expect(GeneralizedPareto(0, one, 0), -1, infinity);
  expect(GeneralizedPareto(0, one, -0.5), -1, 3);
  expect(Laplace(0, one), -infinity, infinity);
  expect(Pareto(one, one), 0.5, infinity);
  expect(Kumaraswamy(one, one), -1, 2);
  expect(TransformedDistribution(Normal(0, one), {ExpTransform()}), -1, infinity);
  expect(TransformedDistribution(Normal(0, one), {TanhTransform()}), -1.5, 1.5);
  expect(TransformedDistribution(Normal(0, one), {SigmoidTransform(), AffineTransform(0, -2 * one)}), -2.5, 0.5);
  expect(TransformedDistribution(Normal(0, one), {ExpTransform(), TanhTransform()}), -0.5, 1);
}

/// log(1 + x²) is 2·log|x| far out, where x² is infinite.
TEST(LogProb, OfHeavyTailsHoldsWhereTheSquareOverflows) {
  const Tensor one = ones({}, {.dtype = float64});
  EXPECT_NEAR(Cauchy(0, one).log_prob(one * 1e200).item<double>(), -922.17876708346767, 1e-12);
  EXPECT_NEAR(StudentT(one * 3, 0, one).log_prob(one * -1e200).item<double>(), -1840.8717386675238, 1e-12);
  for (const DType dtype : {float16, bfloat16}) {
    const Tensor half = one.to(dtype), x = half * 3000;
    EXPECT_NEAR(Cauchy(0, half).log_prob(x).item<double>(), -17.157465132260999, 0.07) << str(dtype);
    EXPECT_NEAR(HalfCauchy(half).log_prob(x).item<double>(), -16.464317951701053, 0.1) << str(dtype);
    EXPECT_NEAR(StudentT(half, 0, half).log_prob(x).item<double>(), -17.157465132260999, 0.07) << str(dtype);
  }
}

}  // namespace
}  // namespace minima::distributions::edges_test
