#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>
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

}  // namespace
}  // namespace minima::distributions::edges_test
